# Reductions and scans.


def _add(a, b):
    return a + b


def _multiply(a, b):
    return a * b


def _xor(a, b):
    return a ^ b


def _or(a, b):
    return a | b


def _larger(a, b):
    return tl.maximum(a, b)


def _smaller(a, b):
    return tl.minimum(a, b)


def _sum_type(have, want):
    # Sums of integers narrower than 32 bits would overflow soon.
    if want is not None:
        return want
    if have.is_int() and have.int_bitwidth < 32:
        return tl.int32 if have.is_int_signed() else tl.uint32
    return have


def _widen(x):
    # Extrema are taken in 32 bits at least.
    if x.dtype.primitive_bitwidth >= 32:
        return x
    return x.to(tl.float32 if x.dtype.is_floating() else tl.int32)


def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    """The sum along axis, or of everything."""
    return tl.reduce(input.to(_sum_type(input.dtype, dtype)), axis, _add, keep_dims=keep_dims)


def xor_sum(input, axis=None, keep_dims=False):
    """The exclusive or of integers along axis, or of all."""
    tl.static_assert(input.dtype.is_int(), "xor_sum needs integers")
    return tl.reduce(input, axis, _xor, keep_dims=keep_dims)


def reduce_or(input, axis, keep_dims=False):
    """The or of integers along axis, or of all."""
    tl.static_assert(input.dtype.is_int(), "reduce_or needs integers")
    return tl.reduce(input, axis, _or, keep_dims=keep_dims)


def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    """Sums of what lies up to each element along axis."""
    return tl.associative_scan(input.to(_sum_type(input.dtype, dtype)), axis, _add, reverse)


def cumprod(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    """Products of what lies up to each element along axis."""
    return tl.associative_scan(input.to(_sum_type(input.dtype, dtype)), axis, _multiply, reverse)


def _larger_at(a, i, b, j):
    first = a > b
    return tl.where(first, a, b), tl.where(first, i, j)


def _leftmost_larger_at(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


def _smaller_at(a, i, b, j):
    first = a < b
    return tl.where(first, a, b), tl.where(first, i, j)


def _leftmost_smaller_at(a, i, b, j):
    first = (a < b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


def _reduce_with_index(input, axis, combine, keep_dims):
    # The chosen elements along axis, and where they are.
    if axis is None:
        input = ravel(input)
    at: tl.constexpr = _wrap(0 if axis is None else axis, len(input.shape))
    index = tl.broadcast_to(_index_along(input.shape, at), input.shape)
    return tl.reduce((input, index), at, combine, keep_dims=keep_dims)


def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The largest element along axis, or of all; with return_indices also its index.

    Of equal elements, the index is the first's if return_indices_tie_break_left is set.
    """
    if return_indices:
        if return_indices_tie_break_left:
            return _reduce_with_index(input, axis, _leftmost_larger_at, keep_dims)
        return _reduce_with_index(input, axis, _larger_at, keep_dims)
    return tl.reduce(_widen(input), axis, _larger, keep_dims=keep_dims)


def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The smallest element along axis, or of all; with return_indices also its index.

    Of equal elements, the index is the first's if return_indices_tie_break_left is set.
    """
    if return_indices:
        if return_indices_tie_break_left:
            return _reduce_with_index(input, axis, _leftmost_smaller_at, keep_dims)
        return _reduce_with_index(input, axis, _smaller_at, keep_dims)
    return tl.reduce(_widen(input), axis, _smaller, keep_dims=keep_dims)


def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the largest element along axis."""
    _, index = max(input, axis, True, tie_break_left, keep_dims)
    return index


def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the smallest element along axis."""
    _, index = min(input, axis, True, tie_break_left, keep_dims)
    return index
