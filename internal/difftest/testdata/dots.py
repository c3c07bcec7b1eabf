"""Products in all the ways in which kernels use them: in loops, one after another, with sums that are used on the way."""
import triton
import triton.language as tl


@triton.jit
def at(ptr, i, R: tl.constexpr, C: tl.constexpr):
    """Tile i of rows of C numbers."""
    return tl.load(ptr + i * R * C + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])


@triton.jit
def turned(ptr, i, R: tl.constexpr, C: tl.constexpr):
    """Tile i, of columns of R numbers."""
    return tl.load(ptr + i * R * C + tl.arange(0, R)[:, None] + tl.arange(0, C)[None, :] * R)


@triton.jit
def put(ptr, x, R: tl.constexpr, C: tl.constexpr):
    tl.store(ptr + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :], x)


@triton.jit
def plain(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.zeros((M, N), tl.float32)
    for i in range(n):
        acc = tl.dot(at(x, i, M, K), at(y, i, K, N), acc)
    put(out, acc, M, N)


@triton.jit
def downwards(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.zeros((M, N), tl.float32)
    for i in range(n):
        rows = (n - 1 - i) * M + tl.arange(0, M)
        a = tl.load(x + ((rows * 3 - (rows << 1))[:, None] * K + tl.arange(0, K)[None, :]))
        inner = tl.arange(0, K) - (i - n + 1) * K
        b = tl.load(y - (-inner[:, None] * N - tl.arange(0, N)[None, :]), mask=inner[:, None] < n * K, other=0.0)
        acc = tl.dot(a, b, acc)
    put(out, acc, M, N)


@triton.jit
def added(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.full((M, N), 3.0, tl.float32)
    for i in range(n):
        acc += tl.dot(turned(x, i, M, K), turned(y, i, K, N))
    put(out, acc, M, N)


@triton.jit
def two_sums(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    left = tl.zeros((M, N), tl.float32)
    right = tl.zeros((M, N), tl.float32)
    for i in range(n):
        a = at(x, i, M, K)
        right = tl.dot(a, at(z, i, K, N), right)
        left = tl.dot(a, at(y, i, K, N), left)
    put(out, left - 2 * right, M, N)


@triton.jit
def chained(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = at(x, 0, M, K)
    acc = tl.zeros((M, N), tl.float32)
    for i in range(n):
        scores = tl.dot(a, turned(y, i, K, N))
        acc = tl.dot((scores * 0.25).to(z.dtype.element_ty), at(z, i, N, N), acc)
    put(out, acc, M, N)


@triton.jit
def rescaled(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = (at(x, 0, M, K).to(tl.float32) * 2).to(x.dtype.element_ty)
    acc = tl.zeros((M, N), tl.float32)
    top = tl.zeros((M,), tl.float32)
    for i in range(n):
        scores = tl.dot(a, turned(y, i, K, N))
        top = tl.maximum(top, tl.max(scores, 1))
        weights = tl.where(scores > top[:, None] - 4, scores, 1.0)
        acc = tl.dot(weights.to(z.dtype.element_ty), at(z, i, N, N), acc * tl.where(top > 20, 2.0, 1.0)[:, None])
    put(out, acc + top[:, None], M, N)


@triton.jit
def used_on_the_way(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.zeros((M, N), tl.float32)
    rows = tl.zeros((M,), tl.float32)
    for i in range(n):
        acc = tl.dot(at(x, i, M, K), at(y, i, K, N), acc)
        rows += tl.sum(acc, 1)
    put(out, acc + rows[:, None], M, N)


@triton.jit
def backward(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    k = at(x, 0, M, K)
    dk = tl.zeros((M, N), tl.float32)
    dv = tl.zeros((M, N), tl.float32)
    for i in range(n):
        q = turned(y, i, K, N)
        do = at(z, i, N, N)
        p = tl.dot(k, q)
        dv += tl.dot(p.to(x.dtype.element_ty), do)
        ds = tl.trans((tl.trans(p) * 0.5 + 1).to(x.dtype.element_ty))
        dk += tl.dot(ds, tl.trans(do))
    put(out, dk - dv, M, N)


@triton.jit
def sometimes(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.zeros((M, N), tl.float32)
    for i in range(n):
        a = at(x, i, M, K)
        if i % 2 == 0:
            acc = tl.dot(a, at(y, i, K, N), acc)
        else:
            acc += 1
    put(out, acc, M, N)


@triton.jit
def again(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    total = tl.zeros((M, N), tl.float32)
    for j in range(n):
        acc = tl.zeros((M, N), tl.float32)
        for i in range(j, n):
            acc = tl.dot(at(x, i, M, K), at(y, i, K, N), acc)
        put(out, acc, M, N)
        total += acc * (j + 1)
    put(out, total, M, N)


@triton.jit
def without_loop(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    first = tl.dot(at(x, 0, M, K), at(y, 0, K, N))
    second = tl.dot((first * 0.5).to(x.dtype.element_ty), at(z, 0, N, N), first)
    put(out, second + first, M, N)


@triton.jit
def as_long_as(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.zeros((M, N), tl.float32)
    i = 0
    while i < n:
        acc = tl.dot(at(x, i, M, K), at(y, i, K, N), acc)
        i += 1
    put(out, acc, M, N)


@triton.jit
def on_the_right(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.zeros((M, N), tl.float32)
    for i in range(n):
        made = tl.dot(at(z, i, N, N), at(z, i + 1, N, N))
        acc = tl.dot(at(x, i, M, N), (made * 0.5).to(x.dtype.element_ty), acc)
    put(out, acc, M, N)


@triton.jit
def old_and_new(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    old = tl.zeros((M, N), tl.float32)
    acc = tl.zeros((M, N), tl.float32)
    for i in range(n):
        new = tl.dot(at(x, i, M, K), at(y, i, K, N), acc)
        old += acc
        acc = new
    put(out, acc - old, M, N)


@triton.jit
def masked(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = at(x, 0, M, K)
    acc = tl.zeros((M, N), tl.float32)
    rows = tl.arange(0, M)
    for i in range(n):
        cols = i * N + tl.arange(0, N)
        scores = tl.dot(a, turned(y, i, K, N))
        scores = tl.where(cols[None, :] < 2 * N + 5, scores, 1.0)
        scores = tl.where((rows[:, None] >= cols[None, :]) & (cols[None, :] != 3), scores, 2.0)
        scores = tl.where(rows[:, None] + N // 2 >= cols[None, :], scores, 0.5)
        acc = tl.dot(scores.to(z.dtype.element_ty), at(z, i, N, N), acc)
    put(out, acc, M, N)


@triton.jit
def masked_alone(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    first = tl.dot(at(x, 0, M, K), at(y, 0, K, N))
    put(out, tl.where(tl.arange(0, N)[None, :] < n * 8, first, first * 2), M, N)


@triton.jit
def one_or_the_other(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.zeros((M, N), tl.float32)
    for i in range(n):
        a = at(x, i, M, K)
        left = tl.dot(a, at(y, i, K, N))
        right = tl.dot(a, turned(z, i, K, N))
        acc += tl.where(tl.arange(0, N)[None, :] + i * N < 2 * N, left, right)
    put(out, acc, M, N)


@triton.jit
def sums_of_two_types(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = at(x, 0, M, K)
    acc = tl.zeros((M, N), tl.float32)
    short: tl.constexpr = tl.float32 if x.dtype.element_ty == tl.float32 else tl.float16
    half = tl.zeros((M, N), short)
    for i in range(n):
        scores = tl.dot(a, turned(y, i, K, N))
        w = (scores * 0.25).to(x.dtype.element_ty)
        acc = tl.dot(w, at(z, i, N, N), acc)
        half = tl.dot(w, turned(x, i, N, N), half, out_dtype=short)
    put(out, acc + half.to(tl.float32), M, N)


@triton.jit
def on_both_sides(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = at(z, 0, M, M)
    b = turned(z, 1, M, M)
    acc = tl.zeros((M, N), tl.float32)
    rows = tl.zeros((M,), tl.float32)
    for i in range(n):
        acc += tl.dot(a, at(y, i, M, N)) - tl.dot(b, turned(y, i, M, N))
        c = at(x, i, M, M)
        rows += tl.sum(tl.dot(c, a) + tl.dot(b, c), 1)
    put(out, acc + rows[:, None], M, N)


@triton.jit
def again(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A loop with products in a loop."""
    acc = tl.zeros((M, N), tl.float32)
    for j in range(n):
        a = at(x, j, M, K)
        for i in range(j, n):
            scores = tl.dot(a, turned(y, i, K, N))
            acc = tl.dot((scores * 0.25).to(x.dtype.element_ty), at(z, i, N, N), acc)
        acc = acc * 0.5 + j
    put(out, acc, M, N)


@triton.jit
def two_after_one(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Two sums of what one product gives, one of them of a further product."""
    a = at(x, 0, M, K)
    left = tl.zeros((M, N), tl.float32)
    right = tl.zeros((M, N), tl.float32)
    for i in range(n):
        scores = tl.dot(a, turned(y, i, K, N))
        left = tl.dot((scores * 0.25).to(x.dtype.element_ty), at(z, i, N, N), left * 0.5)
        more = tl.dot(a, at(y, i + 1, K, N))
        right = tl.dot((more + scores).to(x.dtype.element_ty), turned(z, i + 1, N, N), right)
    put(out, left - right, M, N)


@triton.jit
def chained_across(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = turned(x, 0, M, K)
    acc = tl.full((M, N), 1.0, tl.float32)
    for i in range(n):
        scores = tl.dot(a, at(y, i, K, N))
        acc = tl.dot(tl.where(scores > 0, 1.0, 2.0).to(z.dtype.element_ty), at(z, i, N, N), acc * 0.5)
    put(out, acc, M, N)


@triton.jit
def chained_twice(x, y, z, out, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = at(x, 0, M, K)
    acc = tl.full((M, N), 1.0, tl.float32)
    other = tl.full((M, N), 3.0, tl.float32)
    for i in range(n):
        scores = tl.dot(a, turned(y, i, K, N))
        weights = tl.where(scores > 0, 1.0, 2.0).to(z.dtype.element_ty)
        acc = tl.dot(weights, at(z, i, N, N), acc * 0.5)
        other = tl.dot(weights, at(z, i + 1, N, N), other)
    put(out, acc - 2 * other, M, N)
