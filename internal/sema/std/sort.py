# Sorting networks (K. E. Batcher, "Sorting networks and their applications", AFIPS 1968). They
# work on the row-major sequence of all elements, of which each row of the last dimension is a
# run of 2^log_n. Elements whose positions differ in one bit are compared and exchanged; a run of
# 2^s elements is sorted downwards where bit s of its position is set, so that two neighbouring
# runs form a bitonic sequence, which s+1 exchanges merge.


def _exchange(x, bit: tl.constexpr, down):
    # Order the pairs of elements whose positions differ in one bit. down says which pairs get
    # the larger element first: a constant, or a tile with one entry for each 2^(bit+1) elements.
    inner: tl.constexpr = 2**bit
    a, b = tl.split(tl.trans(tl.reshape(x, (x.numel // (2 * inner), 2, inner)), 0, 2, 1))
    if tl.constexpr(isinstance(down, tl.tensor)):
        swap = (a > b) != tl.expand_dims(down, 1)
    else:
        swap = b > a if down else a > b
    pairs = tl.join(tl.where(swap, b, a), tl.where(swap, a, b))
    return tl.reshape(tl.trans(pairs, 0, 2, 1), x.shape)


def _alternating(count: tl.constexpr, run: tl.constexpr):
    # Whether bit run of 0, 1, ..., count-1 is set.
    return ((tl.arange(0, count) >> run) & 1).to(tl.int1)


def _merge_runs(x, log_run: tl.constexpr, alternate: tl.constexpr, descending):
    # Sort bitonic runs of 2^log_run elements: all in one direction, or every other one downwards.
    for i in tl.static_range(log_run):
        bit: tl.constexpr = log_run - 1 - i
        if alternate:
            x = _exchange(x, bit, _alternating(x.numel // 2**(bit + 1), log_run - 1 - bit))
        else:
            x = _exchange(x, bit, descending)
    return x


def _select_halves(x, log_run: tl.constexpr, descending):
    # Of each two neighbouring runs, one sorted upwards and one downwards, keep the larger (or
    # smaller) half of the elements: the extrema of the pairs, which form a bitonic run.
    run: tl.constexpr = 2**log_run
    a, b = tl.split(tl.trans(tl.reshape(x, (x.numel // (2 * run), 2, run)), 0, 2, 1))
    kept = tl.maximum(a, b) if descending else tl.minimum(a, b)
    return ravel(kept)


def _exchange_far(x, bit, s, log_n: tl.constexpr, descending):
    # Exchange as in stage s the elements whose positions differ in a bit that is known only when the kernel runs.
    i = tl.arange(0, x.numel)
    other = tl.gather(x, i ^ (1 << bit), 0)
    first = ((i >> bit) & 1) == 0
    a, b = tl.where(first, x, other), tl.where(first, other, x)
    whole = b > a if descending else a > b
    swap = tl.where(s == log_n, whole, (a > b) != ((i >> s) & 1).to(tl.int1))
    return tl.where(swap, other, x)


def _exchange_near(x, bit: tl.constexpr, s, log_n: tl.constexpr, descending):
    # Exchange as in stage s, which is known only when the kernel runs, the elements whose positions differ in a bit.
    inner: tl.constexpr = 2**bit
    a, b = tl.split(tl.trans(tl.reshape(x, (x.numel // (2 * inner), 2, inner)), 0, 2, 1))
    down = ((tl.arange(0, x.numel // (2 * inner)) >> (s - 1 - bit)) & 1).to(tl.int1)
    whole = b > a if descending else a > b
    swap = tl.where(s == log_n, whole, (a > b) != tl.expand_dims(down, 1))
    pairs = tl.join(tl.where(swap, b, a), tl.where(swap, a, b))
    return tl.reshape(tl.trans(pairs, 0, 2, 1), x.shape)


def _sort_in_loops(x, log_n: tl.constexpr, near: tl.constexpr, descending):
    # The same network in loops, for sequences that are so long that its text would be, too. Of each stage the exchanges by the
    # last near bits, and the first near stages, are not in loops.
    for i in tl.static_range(1, near + 1):
        x = _merge_runs(x, i, True, descending)
    for s in range(near + 1, log_n + 1):
        for t in range(0, s - near):
            x = _exchange_far(x, s - 1 - t, s, log_n, descending)
        for t in tl.static_range(near):
            x = _exchange_near(x, near - 1 - t, s, log_n, descending)
    return x


def _leading(x, n: tl.constexpr, k: tl.constexpr):
    # The first k elements of each run of n.
    i = tl.arange(0, x.numel // n * k)
    return tl.gather(x, i // k * n + i % k, 0)


def _sorted(x, k: tl.constexpr, dim: tl.constexpr, descending):
    # The first k elements of each sorted row.
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(rank > 0, "a scalar cannot be sorted")
    tl.static_assert(dim is None or dim == rank - 1, "only the last dimension can be sorted")
    log_n: tl.constexpr = tl._log2(x.shape[-1])
    log_k: tl.constexpr = tl._log2(k)
    if log_k == 0:
        return max(x, rank - 1, keep_dims=True) if descending else min(x, rank - 1, keep_dims=True)
    shape: tl.constexpr = x.shape[:-1] + (k, )
    x = ravel(x)
    if x.numel > 8192:
        x = _sort_in_loops(x, log_n, 0, descending)
        if log_k < log_n:
            x = _leading(x, 2**log_n, k)
        return tl.reshape(x, shape)
    if x.numel > 4096 and log_k == log_n and log_n > 8:
        return tl.reshape(_sort_in_loops(x, log_n, 5, descending), shape)
    for i in tl.static_range(1, log_k + 1):
        x = _merge_runs(x, i, i < log_n, descending)
    if log_k < log_n:
        x = _widen(x)
    for i in tl.static_range(log_k + 1, log_n + 1):
        x = _merge_runs(_select_halves(x, log_k, descending), log_k, i < log_n, descending)
    return tl.reshape(x, shape)


def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = 0):
    """x sorted along its last dimension."""
    tl.static_assert(len(x.shape) > 0, "a scalar cannot be sorted")
    return _sorted(x, x.shape[-1], dim, descending)


def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    """The k largest (or smallest) elements along the last dimension, in order."""
    tl.static_assert(len(x.shape) > 0, "topk of a scalar has no meaning")
    tl.static_assert(k > 0 and tl._is_power_of_two(k), "topk: k must be a power of two")
    tl.static_assert(k <= x.shape[-1], "topk: k must not exceed the size of the last dimension")
    return _sorted(x, k, dim, descending)


def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = 0):
    """A bitonic sequence along the last dimension, sorted."""
    tl.static_assert(dim is None or dim == len(x.shape) - 1, "only the last dimension can be merged")
    return tl.reshape(_merge_runs(ravel(x), tl._log2(x.shape[-1]), False, descending), x.shape)
