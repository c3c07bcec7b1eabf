"""Expressions over constants and run-time values, and assignments."""
import triton
import triton.language as tl

BIG: tl.constexpr = 100000000000000000000
NAMES: tl.constexpr = ("a", "b")


# compile: p=*i64 n=i32
@triton.jit
def arithmetic(p, n):
    tl.store(p, -7 // 2)
    tl.store(p, -7 % 3)
    tl.store(p, 2 ** 40 + 7 / 2)
    tl.store(p, BIG // 10 ** 18)
    tl.store(p, (1 << 33) | 5)
    tl.store(p, ~5 ^ 3)
    tl.store(p, n * 2 - -n)


# compile: p=*i64 n=i32 MODE='fast'
@triton.jit
def static_conditions(p, n, MODE: tl.constexpr):
    if MODE is not None and MODE != "slow" and "as" in MODE:
        tl.store(p, 1)
    if "a" in NAMES and not "c" in NAMES:
        tl.store(p, 2)
    if n is None or None is None and (1 < 2 < 3) and not 3 < 2:
        tl.store(p, 3)
    x = "fast" if MODE == "fast" else "slow"
    tl.static_assert(x == "fast", f"x is {x!r:>8} of {len(x):03d}, {1.5:.3f}")
    y: tl.constexpr = 0 or 5
    tl.static_assert(y == 5 and (3 and y))


# compile: p=*i64 n=i32
@triton.jit
def assignments(p, n):
    a = b = n + 1
    (c, d), [e, *f] = (a, b), (1, 2, 3)
    g: tl.int32 = c
    g += d
    h, = (e,)
    a, b = b, a
    tl.store(p, a + g + h + f[0] + f[-1])
    i = (j := n * 5) + j
    tl.store(p, i)
    del i


# compile: p=*i64 n=i32
@triton.jit
def tuples(p, n):
    t = (1, n) + (n,)
    s = t[1:]
    tl.store(p, s[0] + t[-1] + len(t * 2))
    shape: tl.constexpr = (2, 4) + tuple([8])
    x = tl.zeros(shape, tl.int32)
    tl.static_assert(x.shape == (2, 4, 8))
    tl.static_assert(x.shape[-1] == 8 and x.numel == 64)
    twice = [v * 2 for v in (1, n, 3) if True]
    tl.store(p, twice[1])


# compile: p=*i64 n=i32
@triton.jit
def indexing(p, n):
    r = tl.arange(0, 4)
    x = r[:, None] * 8 + r[None, :]
    tl.store(p + x, x[None, :, :].reshape(4, 4))


# compile: p=*i64 n=i32
@triton.jit
def logic(p, n):
    a = n > 3
    b = a and n < 10 or n == 50
    c = not b
    d = 1 < n <= n + 1 != 5
    tl.store(p, a & b | c ^ d)
    tl.store(p, 5 and n)
    tl.store(p, n or 0)


# compile: p=*i64 n=i32
@triton.jit
def documented(p, n):
    """The docstring is no code."""
    pass
    ...
    assert n > 0, "n is positive"
    assert 1 < 2
    tl.store(p, 1)
