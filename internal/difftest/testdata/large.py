"""Tiles that need more registers than a thread has, and tiles that fit just so. Each kernel takes x, of many
floats, y and out, which has room for all of its results, and N."""
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < N - 5, other=1.0) + tl.load(y + i) * 2)


@triton.jit
def softmax(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i, mask=i < N - 7, other=-float("inf"))
    e = tl.exp(a - tl.max(a, 0))
    tl.store(out + i, e / tl.sum(e, 0))


@triton.jit
def in_place(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(x + i, a * 3)
    tl.store(out + i, a + tl.load(x + i))


@triton.jit
def turned(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(x + (N - 1 - i), a + 1)
    tl.store(out + i, tl.load(x + i))


@triton.jit
def transpose(x, y, out, N: tl.constexpr):
    M: tl.constexpr = 64
    r = tl.arange(0, M)[:, None]
    c = tl.arange(0, N // M)[None, :]
    a = tl.load(x + r * (N // M) + c)
    s = tl.sum(a, 1)
    b = tl.trans(a)
    i = tl.arange(0, N // M)[:, None]
    j = tl.arange(0, M)[None, :]
    tl.store(out + i * M + j, b + s[None, :])


@triton.jit
def rows_and_columns(x, y, out, N: tl.constexpr):
    M: tl.constexpr = 128
    K: tl.constexpr = N // M
    r = tl.arange(0, M)
    c = tl.arange(0, K)
    a = tl.load(x + r[:, None] * K + c[None, :])
    rows = tl.sum(a, 1)
    columns = tl.max(a, 0)
    tl.store(out + r[:, None] * K + c[None, :], (a - rows[:, None]) * columns[None, :])


@triton.jit
def scan(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i).to(tl.int32)
    tl.store(out + i, tl.cumsum(a, 0).to(tl.float32))


@triton.jit
def scan_back(x, y, out, N: tl.constexpr):
    M: tl.constexpr = 16
    r = tl.arange(0, M)[:, None]
    c = tl.arange(0, N // M)[None, :]
    a = tl.load(x + r * (N // M) + c).to(tl.int32)
    tl.store(out + r * (N // M) + c, tl.cumsum(a, 1, reverse=True).to(tl.float32))


@triton.jit
def ties(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i).to(tl.int32)
    m, at = tl.max(a, 0, return_indices=True)
    tl.store(out, m.to(tl.float32))
    tl.store(out + 1, at.to(tl.float32))
    tl.store(out + 2, tl.argmin(a, 0).to(tl.float32))


@triton.jit
def _last(a, b):
    return b


@triton.jit
def ordered(x, y, out, N: tl.constexpr):
    M: tl.constexpr = 32
    r = tl.arange(0, M)
    a = tl.load(x + r[:, None] * (N // M) + tl.arange(0, N // M)[None, :])
    tl.store(out + r, tl.reduce(a, 1, _last))


@triton.jit
def carried(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros([N], dtype=tl.float32)
    p = x + i
    other = y + i
    for k in range(3):
        total = total * 0.5 + tl.load(p)
        p += 16
        total, other_total = total + k, tl.load(other)
        total -= other_total
    tl.store(out + i, total)


@triton.jit
def branches(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if tl.load(y) > 100.0:
        b = a + 1
    else:
        b = a * 2
    n = 0
    while n < 2:
        b += a
        n += 1
    tl.store(out + i, b)


@triton.jit
def gathered(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    index = (i * 5 + 3) % N
    tl.store(out + i, tl.gather(a, index, 0))


@triton.jit
def counted(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.abs(tl.load(x + i)).to(tl.int32) % 64
    tl.store(out + tl.arange(0, 64), tl.histogram(a, 64).to(tl.float32))


@triton.jit
def atomics(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i).to(tl.int32).to(tl.float32)
    old = tl.atomic_add(out + i, a)
    tl.atomic_add(out + i // 16, a + old)


@triton.jit
def joined(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N // 2)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.join(a, b)
    p, q = tl.split(c + 1)
    tl.store(out + tl.arange(0, N), tl.interleave(p, q * 2))


@triton.jit
def flipped(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.flip(tl.load(x + i)))


@triton.jit
def halves(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i).to(tl.float16)
    b = (a * a).to(tl.float8e5).to(tl.float32)
    tl.store(out + i, b + tl.sum(a.to(tl.float32), 0))


@triton.jit
def sorted(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def gelu(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i) * 0.25
    tl.store(out + i, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)))


@triton.jit
def gathered(x, y, out, N: tl.constexpr):
    R: tl.constexpr = 64
    i = tl.arange(0, R)[:, None] + tl.arange(0, N // R)[None, :] * R
    a = tl.load(x + i, mask=i * 37 % 7 < 2, other=1.0)
    tl.store(out + i, tl.gather(a, (a * 16).to(tl.int32) & (R - 1), 0))


@triton.jit
def stored_over(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N // 2)
    for j in range(7):
        tl.store(out + j * 64 + i, tl.load(x + i) + j)


@triton.jit
def slid_along(x, y, out, N: tl.constexpr):
    for j in range(7):
        p = out + j * 64 + tl.arange(0, N // 2)
        tl.store(p, tl.load(p) * 0.5 + 1)


@triton.jit
def swapped_along(x, y, out, N: tl.constexpr):
    for k in range(2):
        p = out + tl.arange(0, N // 2)
        for j in range(3):
            tl.atomic_xchg(p, tl.load(y + j + tl.arange(0, N // 2)))
            p += 64


@triton.jit
def turned_sums(x, y, out, N: tl.constexpr):
    rows = tl.arange(0, 128)
    cols = tl.arange(0, N // 128)
    a = tl.cumsum(tl.load(x + rows[:, None] * (N // 128) + cols[None, :]), 1)
    b = tl.cumsum(tl.trans(a), 1)
    tl.store(out + cols[:, None] * 128 + rows[None, :], b)
