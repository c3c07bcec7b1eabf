# Shapes.


def ravel(x, can_reorder=False):
    """x as one dimension."""
    return tl.reshape(x, (x.numel, ), can_reorder=can_reorder)


def _wrap(dim, rank):
    # A negative dimension counts from the end.
    tl.static_assert(-rank <= dim and dim < rank, "the dimension is out of range")
    return dim + rank if dim < 0 else dim


def squeeze(x, dim: tl.constexpr):
    """x without dimension dim, which must have size 1."""
    at: tl.constexpr = _wrap(dim, len(x.shape))
    tl.static_assert(x.shape[at] == 1, "squeeze needs a dimension of size 1")
    return tl.reshape(x, x.shape[:at] + x.shape[at + 1:])


def unsqueeze(x, dim: tl.constexpr):
    """x with a new dimension of size 1, which is dim in the result."""
    return tl.expand_dims(x, dim)


def interleave(a, b):
    """a[0], b[0], a[1], b[1], ... along the last dimension."""
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:
        return pairs
    return tl.reshape(pairs, pairs.shape[:-2] + (2 * pairs.shape[-2], ))


def _index_along(shape: tl.constexpr, axis: tl.constexpr):
    # 0, 1, 2, ... along axis, the same in the other dimensions, of size 1 there.
    n: tl.constexpr = shape[axis]
    return tl.reshape(tl.arange(0, n), (1, ) * axis + (n, ) + (1, ) * (len(shape) - axis - 1))


def flip(x, dim=None):
    """x with the order along dim (the last dimension if None) reversed."""
    axis: tl.constexpr = _wrap(-1 if dim is None else dim, len(x.shape))
    back = x.shape[axis] - 1 - _index_along(x.shape, axis)
    return tl.gather(x, tl.broadcast_to(back, x.shape), axis)
