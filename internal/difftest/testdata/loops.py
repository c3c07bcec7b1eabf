"""Loops whose iterations meet in memory, each thread's in another's, and loops whose iterations do not."""
import triton
import triton.language as tl


@triton.jit
def apart(x, y, n, S, B: tl.constexpr):
    """By as much as a tile spans."""
    for j in range(0, n * B, B):
        i = j + tl.arange(0, B)
        tl.store(y + i, tl.load(x + i) + tl.load(y + i))


@triton.jit
def apart_by_pointer(x, y, n, S, B: tl.constexpr):
    p = y + tl.arange(0, B)
    for j in range(n):
        tl.store(p, tl.load(x + j) + tl.load(p))
        p += B


@triton.jit
def apart_backwards(x, y, n, S, B: tl.constexpr):
    for j in range(n):
        i = (n - 1 - j) * B + tl.arange(0, B)
        tl.store(y + i, tl.load(x + i) * 2)


@triton.jit
def in_place(x, y, n, S, B: tl.constexpr):
    i = tl.arange(0, B)
    for j in range(n):
        tl.store(y + i, tl.load(y + i) * 0.5 + tl.load(x + j))


@triton.jit
def one_number(x, y, n, S, B: tl.constexpr):
    for j in range(n):
        tl.store(y + j % 3, j * 2.0)


@triton.jit
def meet(x, y, n, S, B: tl.constexpr):
    """By less than a tile spans."""
    for j in range(n):
        i = j * (B // 4) + tl.arange(0, B)
        tl.store(y + i, tl.load(x + i) + j)


@triton.jit
def meet_perhaps(x, y, n, S, B: tl.constexpr):
    """By as much as the launch says."""
    for j in range(n):
        i = j * S + tl.arange(0, B)
        tl.store(y + i, tl.load(x + i) + tl.load(y + i))


@triton.jit
def meet_in_turns(x, y, n, S, B: tl.constexpr):
    """Not in the inner loop, but each outer iteration comes to all of it again."""
    for k in range(3):
        for j in range(0, n * B, B):
            i = j + k + tl.arange(0, B)
            tl.store(y + i, tl.load(y + i) * 0.5 + tl.load(x + j))


@triton.jit
def meet_in_windows(x, y, n, S, B: tl.constexpr):
    """Not a loop: elements of one tile have one address."""
    i = tl.arange(0, B)[:, None]
    j = tl.arange(0, 4)[None, :]
    tl.store(y + i + j, tl.load(x + i * 4 + j), mask=j == 0)
    tl.store(y + 2048 + i * 4 + j, tl.load(y + i + j))


@triton.jit
def meet_folded(x, y, n, S, B: tl.constexpr):
    i = tl.arange(0, B)
    p = y + (i & (B // 2 - 1))
    tl.store(p, tl.load(x + i), mask=i < B // 2)
    tl.store(y + 2048 + i, tl.load(p))


@triton.jit
def meet_when_wrapped(x, y, n, S, B: tl.constexpr):
    s = tl.full((), 0, tl.int8)
    for k in range(n * 8):
        i = 128 + s.to(tl.int32) + tl.arange(0, B)
        tl.store(y + i, tl.load(y + i) * 0.5 + tl.load(x + i))
        s += 48


@triton.jit
def apart_in_rows(x, y, n, S, B: tl.constexpr):
    q = tl.arange(0, 2)[:, None] * 2 * B + tl.arange(0, B)[None, :] * 2
    for k in range(n):
        tl.store(y + q, tl.load(y + q) * 0.5 + tl.load(x + q + k))
