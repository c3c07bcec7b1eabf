"""Arithmetic for grids and tile sizes; kernels may use it too."""


def cdiv(x, y):
    """x / y, rounded up."""
    return (x + (y - 1)) // y


def next_power_of_2(n):
    """The smallest power of 2 that is not less than n; 0 for 0."""
    return 1 << (n - 1).bit_length() if n > 0 else 0


cdiv.__tegula_name__ = "triton.cdiv"
next_power_of_2.__tegula_name__ = "triton.next_power_of_2"
