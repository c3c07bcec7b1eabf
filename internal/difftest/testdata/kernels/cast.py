"""Conversions between element types."""
import triton
import triton.language as tl


# case fp16: grid=1 x=fp32[256]:rand(-70000,70000) out=>fp16[256]
# case bf16: grid=1 x=fp32[256]:rand(-70000,70000) out=>bf16[256]
# case fp64: grid=1 x=fp32[256]:special out=>fp64[256]
# case fp8e5: grid=1 x=fp32[256]:rand(-40,40) out=>fp8e5[256]
# case fp8e4nv: grid=1 x=fp32[256]:rand(-40,40) out=>fp8e4nv[256]
# case i32: grid=1 x=fp32[256]:rand(-70000,70000) out=>i32[256]
# case i8: grid=1 x=fp32[256]:rand(-120,120) out=>i8[256]
# case u8: grid=1 x=fp32[256]:rand(0,250) out=>u8[256]
# case i64: grid=1 x=fp32[256]:rand(-70000,70000) out=>i64[256]
@triton.jit
def from_f32(x, out):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


# case fp16: grid=1 x=i32[256]:int(-70000,70000) out=>fp16[256]
# case bf16: grid=1 x=i32[256]:int(-70000,70000) out=>bf16[256]
# case fp32: grid=1 x=i32[256]:bits out=>fp32[256]
# case fp64: grid=1 x=i64[256]:bits out=>fp64[256]
# case fp32l: grid=1 x=i64[256]:bits out=>fp32[256]
# case ufp32: grid=1 x=u32[256]:bits out=>fp32[256]
# case i8: grid=1 x=i32[256]:bits out=>i8[256]
# case i64: grid=1 x=i32[256]:bits out=>i64[256]
# case u64: grid=1 x=i32[256]:bits out=>u64[256]
# case i64u: grid=1 x=u32[256]:bits out=>i64[256]
# case i1: grid=1 x=i32[256]:int(-1,1) out=>i1[256]
@triton.jit
def from_int(x, out):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


# case fp16: grid=1 x=fp16[256]:special out=>fp32[256]
# case bf16: grid=1 x=bf16[256]:special out=>fp32[256]
# case fp8e5: grid=1 x=fp8e5[256]:seq(0,1) out=>fp32[256]
# case fp8e4nv: grid=1 x=fp8e4nv[256]:seq(0,1) out=>fp32[256]
# case h2b: grid=1 x=fp16[256]:special out=>bf16[256]
@triton.jit
def widen(x, out):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


# case: grid=1 x=fp32[128]:special out=>i32[128] back=>fp32[128] h=>i16[128]
@triton.jit
def bitcasts(x, out, back, h):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    bits = a.to(tl.int32, bitcast=True)
    tl.store(out + i, bits)
    tl.store(back + i, (bits ^ 1).to(tl.float32, bitcast=True))
    tl.store(h + i, tl.cast(tl.cast(i, tl.float16), tl.int16, bitcast=True))


# case: grid=1 x=fp32[128]:rand(-4,4) out=>fp16[256]
@triton.jit
def implicit_store_cast(x, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    tl.store(out + i, a)
    tl.store(out + 128 + i, i)


# case: grid=1 x=fp32[128]:rand(-4,4) out=>bf16[128]
@triton.jit
def round_trip_bf16(x, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i).to(tl.bfloat16)
    b = (a * a + a).to(tl.float32) * 3.0
    tl.store(out + i, b.to(tl.bfloat16))
