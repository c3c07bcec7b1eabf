"""Early returns: what follows is compiled once."""
import triton
import triton.language as tl


# compile: p=*i32 n=i32
@triton.jit
def guard(p, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(p + pid, pid)


# compile: p=*i32 n=i32
@triton.jit
def two_guards(p, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    x = tl.load(p + pid)
    if x == 0:
        tl.store(p + pid, 7)
        return
    tl.store(p + pid, x)


# compile: p=*i32 n=i32
@triton.jit
def last(p, n):
    if n > 0:
        tl.store(p, 1)
        return


# compile: p=*i32 n=i32
@triton.jit
def nested(p, n):
    x = 1
    if n > 0:
        if n > 10:
            return
        x = 2
        y = n
    else:
        x = 3
        y = n + 1
    tl.store(p, x + y)


# compile: p=*i32 n=i32
@triton.jit
def else_returns(p, n):
    if n > 0:
        x = n * 2
    else:
        tl.store(p, 0)
        return
    tl.store(p, x)


@triton.jit
def sign(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


@triton.jit
def clip(x, lo, hi):
    if x < lo:
        return lo, True
    elif x > hi:
        return hi, True
    else:
        return x, False


# compile: p=*i32 n=i32
@triton.jit
def calls(p, n):
    tl.store(p, sign(n))
    v, clipped = clip(n, 3, 5)
    tl.store(p + 1, v)
    if clipped:
        tl.store(p + 2, 1)


@triton.jit
def pick(x, FAST: tl.constexpr):
    if FAST:
        return x
    return x * 2


# compile: p=*i32 n=i32
@triton.jit
def static_return(p, n):
    tl.store(p, pick(n, True))
    tl.store(p, pick(n, FAST=False))


# compile: p=*i32 n=i32
@triton.jit
def in_unrolled(p, n):
    for i in tl.static_range(3):
        if n == i:
            tl.store(p, i)
            return
    tl.store(p, 100)


# compile: p=*i32 n=i32
@triton.jit
def both_inner(p, n):
    if n > 0:
        if n > 5:
            tl.store(p, 1)
            return
        else:
            return
    tl.store(p, 2)
