# Small functions of the library.


def cdiv(x, div):
    """x / div, rounded up; for x >= 0 and div > 0."""
    return (x + (div - 1)) // div


def zeros(shape, dtype):
    """A tile of zeros."""
    return tl.full(shape, 0, dtype)


def zeros_like(input):
    """Zeros of input's shape and type."""
    return tl.full(input.shape, 0, input.dtype)


def sigmoid(x):
    """1 / (1 + e^-x)."""
    return 1 / (1 + tl.exp(-x))


def softmax(x, dim=None, keep_dims=None, ieee_rounding=False):
    """e^x over its sum along dim (the first dimension if None), shifted so that nothing overflows.

    keep_dims has no effect: the result has x's shape.
    """
    axis: tl.constexpr = 0 if dim is None else dim
    e = tl.exp(x - max(x, axis, keep_dims=True))
    return tl.fdiv(e, sum(e, axis, keep_dims=True), ieee_rounding)


def swizzle2d(i, j, size_i, size_j, size_g):
    """Renumber a grid so that groups of size_g rows are walked column by column.

    (i, j) are row-major indices of a size_i x size_j grid; the result is the cell that the walk
    visits at that step. The last group may have fewer rows.
    """
    step = i * size_j + j
    per_group = size_g * size_j
    group = step // per_group
    first_row = group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    step = step % per_group
    return first_row + step % rows, step // rows
