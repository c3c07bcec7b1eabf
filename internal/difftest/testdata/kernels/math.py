"""Math functions."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


# case: grid=1 x=fp32[256]:rand(-8,8) out=>fp32[1792] rtol=4e-7 atol=2e-7
@triton.jit
def elementary(x, out):
    i = tl.arange(0, 256)
    a = tl.load(x + i)
    tl.store(out + i, tl.exp(a))
    tl.store(out + 256 + i, tl.exp2(a))
    tl.store(out + 512 + i, tl.sin(a))
    tl.store(out + 768 + i, tl.cos(a))
    tl.store(out + 1024 + i, tl.math.erf(a))
    tl.store(out + 1280 + i, tl.sigmoid(a))
    tl.store(out + 1536 + i, tl.abs(a))


# case: grid=1 x=fp32[256]:rand(0.001,50) out=>fp32[1280] rtol=4e-7 atol=2e-7
@triton.jit
def positive(x, out):
    i = tl.arange(0, 256)
    a = tl.load(x + i)
    tl.store(out + i, tl.log(a))
    tl.store(out + 256 + i, tl.log2(a))
    tl.store(out + 512 + i, tl.sqrt(a))
    tl.store(out + 768 + i, tl.rsqrt(a))
    tl.store(out + 1024 + i, tl.sqrt_rn(a))


# case: grid=1 x=fp32[256]:rand(-8,8) out=>fp32[512]
@triton.jit
def rounding(x, out):
    i = tl.arange(0, 256)
    a = tl.load(x + i)
    tl.store(out + i, tl.floor(a))
    tl.store(out + 256 + i, tl.ceil(a))


# case: grid=1 x=fp64[64]:rand(-3,3) out=>fp64[256] rtol=1e-14
@triton.jit
def double_functions(x, out):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    tl.store(out + i, tl.exp(a))
    tl.store(out + 64 + i, tl.sin(a))
    tl.store(out + 128 + i, tl.log(tl.abs(a) + 0.5))
    tl.store(out + 192 + i, tl.sqrt(tl.abs(a)))


# case: grid=1 x=fp32[128]:rand(-3,3) y=fp32[128]:rand(1,3) out=>fp32[384] rtol=3e-7
@triton.jit
def divisions(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.fdiv(a, b))
    tl.store(out + 128 + i, tl.div_rn(a, b))
    tl.store(out + 256 + i, tl.cdiv(i, 3))


# case: grid=1 x=fp32[4,64]:rand(-3,3) out=>fp32[4,64] rtol=1e-6
@triton.jit
def softmax_library(x, out):
    i = tl.arange(0, 4)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out + i, tl.softmax(tl.load(x + i), dim=1))
