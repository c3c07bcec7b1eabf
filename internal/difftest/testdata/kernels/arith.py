"""Arithmetic, comparison, logic and promotion."""
import triton
import triton.language as tl


# case: grid=4 x=fp32[1000]:rand(-4,4) y=fp32[1000]:rand(-4,4) out=>fp32[4000] n=1000 BLOCK=256
@triton.jit
def float_basic(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    a = tl.load(x + i, mask=m)
    b = tl.load(y + i, mask=m)
    tl.store(out + i, a + b, mask=m)
    tl.store(out + n + i, a - b, mask=m)
    tl.store(out + 2 * n + i, a * b, mask=m)
    tl.store(out + 3 * n + i, -a, mask=m)


# case: grid=1 x=fp32[256]:rand(-4,4) y=fp32[256]:rand(1,4) out=>fp32[512] tol=2ulp
@triton.jit
def float_div_mod(x, y, out):
    i = tl.arange(0, 256)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a / b)
    tl.store(out + 256 + i, a % b)


# case: grid=1 x=i32[256]:bits y=i32[256]:bits out=>i32[2048]
@triton.jit
def int32_basic(x, y, out):
    i = tl.arange(0, 256)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + 256 + i, a - b)
    tl.store(out + 512 + i, a * b)
    tl.store(out + 768 + i, a & b)
    tl.store(out + 1024 + i, a | b)
    tl.store(out + 1280 + i, a ^ b)
    tl.store(out + 1536 + i, ~a)
    tl.store(out + 1792 + i, -b)


# case i8: grid=1 x=i8[128]:bits y=i8[128]:bits out=>i8[512]
# case u8: grid=1 x=u8[128]:bits y=u8[128]:bits out=>u8[512]
# case i16: grid=1 x=i16[128]:bits y=i16[128]:bits out=>i16[512]
# case u16: grid=1 x=u16[128]:bits y=u16[128]:bits out=>u16[512]
# case i64: grid=1 x=i64[128]:bits y=i64[128]:bits out=>i64[512]
# case u64: grid=1 x=u64[128]:bits y=u64[128]:bits out=>u64[512]
# case u32: grid=1 x=u32[128]:bits y=u32[128]:bits out=>u32[512]
@triton.jit
def int_wrap(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + 128 + i, a - b)
    tl.store(out + 256 + i, a * b)
    tl.store(out + 384 + i, a ^ (b | 3))


# case i32: grid=1 x=i32[128]:int(-1000,1000) y=i32[128]:int(1,17) out=>i32[512]
# case i64: grid=1 x=i64[128]:int(-100000,100000) y=i64[128]:int(1,170) out=>i64[512]
# case i16: grid=1 x=i16[128]:int(-1000,1000) y=i16[128]:int(1,17) out=>i16[512]
@triton.jit
def int_div_signs(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a // b)
    tl.store(out + 128 + i, a % b)
    tl.store(out + 256 + i, a // -b)
    tl.store(out + 384 + i, a % -b)


# case: grid=1 x=u32[128]:bits y=u32[128]:int(1,1000) out=>u32[256]
@triton.jit
def uint_div(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a // b)
    tl.store(out + 128 + i, a % b)


# case: grid=1 x=i32[128]:int(-100,100) y=i32[128]:int(1,17) out=>fp32[128] tol=2ulp
@triton.jit
def int_true_div(x, y, out):
    i = tl.arange(0, 128)
    tl.store(out + i, tl.load(x + i) / tl.load(y + i))


# case: grid=1 x=i32[128]:bits y=i32[128]:int(0,31) out=>i32[384]
@triton.jit
def shifts_signed(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a << b)
    tl.store(out + 128 + i, a >> b)
    tl.store(out + 256 + i, (a >> 3) + (a << 2))


# case: grid=1 x=u32[128]:bits y=u32[128]:int(0,31) out=>u32[256]
@triton.jit
def shifts_unsigned(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a << b)
    tl.store(out + 128 + i, a >> b)


# case: grid=1 x=fp32[128]:special y=fp32[128]:specialr out=>i32[768]
@triton.jit
def float_compare(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a < b)
    tl.store(out + 128 + i, a <= b)
    tl.store(out + 256 + i, a > b)
    tl.store(out + 384 + i, a >= b)
    tl.store(out + 512 + i, a == b)
    tl.store(out + 640 + i, a != b)


# case: grid=1 x=u32[128]:bits y=i32[128]:bits out=>i8[384]
@triton.jit
def int_compare(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, (a < 1 << 31).to(tl.int8))
    tl.store(out + 128 + i, (b < 0).to(tl.int8))
    tl.store(out + 256 + i, ((b >= 5) & (b != 7)).to(tl.int8))


# case: grid=1 x=i32[128]:int(0,7) out=>i1[512]
@triton.jit
def bool_logic(x, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    p = a > 2
    q = a % 2 == 0
    tl.store(out + i, p & q)
    tl.store(out + 128 + i, p | q)
    tl.store(out + 256 + i, p ^ q)
    tl.store(out + 384 + i, ~p)


# case: grid=1 x=i1[128]:int(0,1) y=i1[128]:int(0,1) out=>i32[128] out2=>i1[128]
@triton.jit
def bool_memory(x, y, out, out2):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a.to(tl.int32) + b.to(tl.int32) * 2)
    tl.store(out2 + i, tl.where(a, b, True))


# case: grid=1 x=fp16[128]:rand(-4,4) y=fp32[128]:rand(-4,4) z=i32[128]:int(-9,9) out=>fp32[384]
@triton.jit
def promote_mixed(x, y, z, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.load(z + i)
    tl.store(out + i, a + b)
    tl.store(out + 128 + i, a + c)
    tl.store(out + 256 + i, a * 2 + 1.5)


# case: grid=1 x=bf16[128]:rand(-4,4) y=fp16[128]:rand(-4,4) out=>bf16[128] out2=>fp16[128]
@triton.jit
def promote_half(x, y, out, out2):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a + a * a)
    tl.store(out2 + i, a + b)


# case: grid=1 x=i8[64]:bits y=u8[64]:bits z=i16[64]:bits out=>i32[192]
@triton.jit
def promote_ints(x, y, z, out):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.load(z + i)
    tl.store(out + i, a + b)
    tl.store(out + 64 + i, a + c)
    tl.store(out + 128 + i, b * c)


# case: grid=1 x=fp64[128]:rand(-4,4) y=fp32[128]:rand(-4,4) out=>fp64[256]
@triton.jit
def double_math(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a * b + a)
    tl.store(out + 128 + i, a / b - 0.1)


# case: grid=1 x=i32[64]:int(-50,50) out=>i32[256] n=7 k=-3
@triton.jit
def scalar_args(x, out, n, k):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    tl.store(out + i, a * n + k)
    tl.store(out + 64 + i, a // n)
    tl.store(out + 128 + i, n - a)
    tl.store(out + 192 + i, (k // 2) + (k % 2) + a)


# case: grid=1 x=fp32[128]:special out=>fp32[512]
@triton.jit
def minmax_nan(x, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(x + (i * 37 + 5) % 128)
    tl.store(out + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 128 + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 256 + i, tl.maximum(a, 1.0))
    tl.store(out + 384 + i, tl.minimum(a, 1.0))


# case: grid=1 x=i32[128]:bits y=i32[128]:bits z=u32[128]:bits out=>i32[256] out2=>u32[256]
@triton.jit
def minmax_int(x, y, z, out, out2):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.load(z + i)
    tl.store(out + i, tl.maximum(a, b))
    tl.store(out + 128 + i, tl.minimum(a, b))
    tl.store(out2 + i, tl.maximum(c, 1 << 31))
    tl.store(out2 + 128 + i, tl.umulhi(c, c))


# case: grid=1 x=fp32[128]:rand(-4,4) out=>fp32[256]
@triton.jit
def clamp_where(x, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    tl.store(out + i, tl.clamp(a, -1.0, 2.0))
    tl.store(out + 128 + i, tl.where(a > 0, a, tl.where(a < -2, 1, a * 0.5)))


# case: grid=1 x=fp32[128]:rand(-2,2) y=fp32[128]:rand(-2,2) z=fp32[128]:rand(-2,2) out=>fp32[128]
@triton.jit
def fused_multiply_add(x, y, z, out):
    i = tl.arange(0, 128)
    tl.store(out + i, tl.fma(tl.load(x + i), tl.load(y + i), tl.load(z + i)))


# case: grid=1 out=>i64[16]
@triton.jit
def big_constants(out):
    i = tl.arange(0, 16)
    v = i.to(tl.int64) * 0x123456789AB + (1 << 40)
    tl.store(out + i, v)


# case: grid=1 x=i32[64]:bits out=>i32[128]
@triton.jit
def abs_and_neg(x, out):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    tl.store(out + i, tl.abs(a))
    tl.store(out + 64 + i, a - -a)


# case: grid=1 x=fp16[128]:special out=>fp16[384]
@triton.jit
def half_special(x, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    tl.store(out + i, a + a)
    tl.store(out + 128 + i, tl.abs(a))
    tl.store(out + 256 + i, -a)
