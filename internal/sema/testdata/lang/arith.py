"""Operators, casts, math."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


# compile: x=*fp16 n=i32
@triton.jit
def numbers(x, n):
    h = tl.load(x)
    tl.store(x, h * 2 + 0.5)
    tl.store(x, h + n)
    tl.store(x, 1 - h / n)
    tl.store(x, (n // 3 + n % 3) >> 1)


# compile: x=*u8
@triton.jit
def unsigned(x):
    a = tl.load(x)
    tl.store(x, (a // 3 + a % 3) >> 1)
    tl.store(x, tl.maximum(a, 3) < 5)
    tl.store(x, -a ^ ~a)


# compile: p=*fp32 i=u32 j=i64
@triton.jit
def pointers(p, i, j):
    tl.store(p + i, 0)
    tl.store(p - i, 0)
    tl.store(j + p, 0)
    q = (p.to(tl.int64) + 64).to(tl.pointer_type(tl.int8))
    tl.store(q, 0)


# compile: x=*fp32
@triton.jit
def conversions(x):
    a = tl.load(x)
    tl.store(x, a.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(x, a.to(tl.float8e5).to(tl.float64))
    tl.store(x, a.to(tl.bfloat16).to(tl.float16))
    tl.store(x, a.to(tl.int8))
    tl.store(x, a.to(tl.uint32, bitcast=True).to(tl.int1))
    tl.store(x, (a > 0).to(tl.float32))


# compile: x=*fp32
@triton.jit
def functions(x):
    i = tl.arange(0, 4)
    a = tl.load(x + i)
    a = tl.exp(a) + a.sqrt() + tl.math.rsqrt(a) + tl.abs(a)
    a = tl.fma(a, 2, 1.0) + tl.fdiv(a, 3.0, ieee_rounding=True) + tl.div_rn(a, a)
    a = tl.clamp(a, -1, 1, propagate_nan=tl.PropagateNan.ALL) + tl.minimum(a, 0.0)
    a = libdevice.tanh(a) + libdevice.pow(a, 2) + tl.math.log1p(a)
    a = tl.where(libdevice.isnan(a), 0.0, a)
    tl.store(x + i, a)
    tl.store(x + i, libdevice.mulhi(i.to(tl.uint32), i.to(tl.uint32)) + libdevice.mulhi(i, i))
    tl.store(x + i, tl.clamp(i, 0, 2) + tl.umulhi(i, i))


# compile: x=*fp32 n=i32
@triton.jit
def conditions(x, n):
    i = tl.arange(0, 4)
    tl.store(x + i, 1.0, mask=(i < n) & (i != 2) | ~(i > 1))
    tl.store(x, 1.0, mask=n > 3 and not n > 5 or n == 7)


# compile: n=i32 u=u32
@triton.jit
def signedness(n, u):
    n // u


# compile: n=u32
@triton.jit
def negative(n):
    n + -1


# compile: n=i32
@triton.jit
def floor_of_floats(n):
    1.5 // n


# compile: p=*fp32
@triton.jit
def pointer_sum(p):
    p + p


# compile: p=*fp32
@triton.jit
def pointer_and_float(p):
    p + 1.5


# compile: n=i32
@triton.jit
def half_exp(n):
    tl.exp(n.to(tl.float16))


# compile: n=i32
@triton.jit
def wrong_libdevice(n):
    libdevice.pow(1.0, n.to(tl.int64))


# compile: n=i32
@triton.jit
def not_a_condition(n):
    n and n


# compile: n=i32
@triton.jit
def power(n):
    n**2


# compile: n=i32
@triton.jit
def tile_condition(n):
    if tl.arange(0, 4) > n:
        n = 3


# compile: n=i32
@triton.jit
def wrong_bitcast(n):
    n.to(tl.float64, bitcast=True)
