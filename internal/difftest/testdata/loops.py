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
