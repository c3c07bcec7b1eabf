"""Shapes and broadcasting."""
import triton
import triton.language as tl


# compile: p=*i32
@triton.jit
def views(p):
    i = tl.arange(0, 16)
    a = tl.reshape(i, (4, 4))
    b = a.T + a[None, :, :].permute(2, 0, 1).reshape(4, 4)
    c = tl.join(a, b)
    d, e = tl.split(c)
    f = tl.cat(d, e, dim=1)
    tl.store(p + tl.arange(0, 32), tl.ravel(f))
    g, h = tl.split(tl.join(3, 4))
    tl.store(p, g + h)


# compile: p=*i32
@triton.jit
def extremes(p):
    i = tl.arange(0, 8)
    tl.store(p + i, tl.flip(i) + tl.gather(i, i ^ 1, 0))
    tl.store(p, tl.histogram(i, 4).sum())
    tl.store(p, tl.zeros((1, 1), tl.int32).item())


# compile:
@triton.jit
def not_a_power():
    tl.arange(0, 12)


# compile:
@triton.jit
def too_large():
    tl.zeros((2048, 1024), tl.int8)


# compile:
@triton.jit
def no_match():
    tl.zeros((4, 8), tl.int32) + tl.zeros((4, 16), tl.int32)


# compile:
@triton.jit
def too_large_together():
    tl.zeros((2048, 1), tl.int32) + tl.zeros((1, 1024), tl.int32)


# compile:
@triton.jit
def no_reshape():
    tl.reshape(tl.arange(0, 8), (4, 4))


# compile:
@triton.jit
def bad_index():
    tl.arange(0, 8)[3]


# compile: n=i32
@triton.jit
def not_constant(n):
    tl.arange(0, n)


# compile: n=i32
@triton.jit
def bad_axis(n):
    tl.program_id(3)


# compile:
@triton.jit
def wrong_dimension():
    tl.flip(tl.zeros((4, 8), tl.int32), 2)
