"""Reductions and scans."""
import triton
import triton.language as tl


# case: grid=1 x=i32[32,64]:int(-99,99) out=>i32[200]
@triton.jit
def sum_axes(x, out):
    r = tl.arange(0, 32)
    c = tl.arange(0, 64)
    v = tl.load(x + r[:, None] * 64 + c[None, :])
    tl.store(out + r, tl.sum(v, axis=1))
    tl.store(out + 32 + c, tl.sum(v, axis=0))
    tl.store(out + 96, tl.sum(v))
    tl.store(out + 97 + r[:, None] * 2 + tl.arange(0, 2)[None, :], tl.sum(v, 1, keep_dims=True) + tl.arange(0, 2)[None, :])


# case: grid=1 x=fp32[1024]:rand(-1,1) out=>fp32[4] rtol=2e-5
@triton.jit
def sum_float(x, out):
    v = tl.load(x + tl.arange(0, 1024))
    tl.store(out, tl.sum(v, axis=0))
    tl.store(out + 1, tl.max(v, axis=0))
    tl.store(out + 2, tl.min(v))
    tl.store(out + 3, tl.sum(v * v) / 1024)


# case i8: grid=1 x=i8[256]:bits out=>i32[1]
# case u8: grid=1 x=u8[256]:bits out=>i32[1]
# case i16: grid=1 x=i16[256]:bits out=>i32[1]
@triton.jit
def sum_narrow(x, out):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, 256))))


# case: grid=1 x=i32[16,64]:int(0,5) out=>i32[96]
@triton.jit
def arg_ties(x, out):
    r = tl.arange(0, 16)
    c = tl.arange(0, 64)
    v = tl.load(x + r[:, None] * 64 + c[None, :])
    tl.store(out + r, tl.argmax(v, axis=1))
    tl.store(out + 16 + r, tl.argmin(v, 1))
    m, i = tl.max(v, axis=1, return_indices=True)
    tl.store(out + 32 + r, m)
    tl.store(out + 48 + r, i)
    m, i = tl.min(v, axis=1, return_indices=True)
    tl.store(out + 64 + r, m)
    tl.store(out + 80 + r, i)


# case: grid=1 x=fp32[128]:rand(-9,9) out=>i32[2]
@triton.jit
def arg_float(x, out):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(out, tl.argmax(v, 0))
    tl.store(out + 1, tl.argmin(v, 0))


# case: grid=1 x=i32[64]:bits out=>i32[3]
@triton.jit
def xor_or(x, out):
    v = tl.load(x + tl.arange(0, 64))
    tl.store(out, tl.xor_sum(v, 0))
    tl.store(out + 1, tl.max(v, 0))
    tl.store(out + 2, tl.reduce_or(v, 0))


@triton.jit
def add_pair(a0, a1, b0, b1):
    return a0 + b0, tl.maximum(a1, b1)


@triton.jit
def first_nonzero(a, b):
    return tl.where(a != 0, a, b)


# case: grid=1 x=i32[8,32]:int(-9,9) out=>i32[24]
@triton.jit
def reduce_custom(x, out):
    r = tl.arange(0, 8)
    v = tl.load(x + r[:, None] * 32 + tl.arange(0, 32)[None, :])
    s, m = tl.reduce((v, v * 3), 1, add_pair)
    tl.store(out + r, s)
    tl.store(out + 8 + r, m)
    tl.store(out + 16 + r, tl.reduce(v, 1, first_nonzero))


# case: grid=1 x=i32[8,32]:int(-3,3) out=>i32[768]
@triton.jit
def cumulative(x, out):
    i = tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :]
    v = tl.load(x + i)
    tl.store(out + i, tl.cumsum(v, axis=1))
    tl.store(out + 256 + i, tl.cumsum(v, 0))
    tl.store(out + 512 + i, tl.cumsum(v, 1, reverse=True))


# case: grid=1 x=fp32[16]:rand(0.5,1.5) out=>fp32[16] rtol=1e-5
@triton.jit
def cumulative_product(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.cumprod(tl.load(x + i), 0))


@triton.jit
def linear_step(a0, b0, a1, b1):
    return a0 * a1, a1 * b0 + b1


# case: grid=1 a=fp32[64]:rand(0.2,1) b=fp32[64]:rand(-1,1) out=>fp32[64] rtol=1e-4 atol=1e-5
@triton.jit
def scan_linear(a, b, out):
    i = tl.arange(0, 64)
    _, h = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, linear_step)
    tl.store(out + i, h)


# case: grid=1 x=fp32[8,64]:rand(-4,4) out=>fp32[8,64] rtol=1e-5
@triton.jit
def softmax_rows(x, out):
    i = tl.arange(0, 8)[:, None] * 64 + tl.arange(0, 64)[None, :]
    v = tl.load(x + i)
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + i, e / tl.sum(e, 1)[:, None])


# case: grid=1 x=fp32[4,8,16]:int(-9,9) out=>fp32[32]
@triton.jit
def reduce_middle(x, out):
    i = tl.arange(0, 512)
    v = tl.load(x + i).reshape(4, 8, 16)
    s = tl.sum(v, 1)
    m = tl.max(s, 1)
    tl.store(out + tl.arange(0, 4), m)
    tl.store(out + 4 + tl.arange(0, 16), tl.sum(s, 0))


# case: grid=1 x=fp32[64]:special out=>fp32[2] n=64
@triton.jit
def max_skips_nan(x, out, n):
    v = tl.load(x + tl.arange(0, 64))
    v = tl.where(v != v, -float("inf"), v)
    tl.store(out, tl.max(v, 0))
    tl.store(out + 1, tl.min(v, 0))
