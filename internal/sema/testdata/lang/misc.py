"""Hints, checks, printing, assembly, types."""
import triton
import triton.language as tl
import triton.language.extra.cuda as cuda


# compile: p=*fp32 n=i32
@triton.jit
def hints(p, n):
    tl.assume(n > 0)
    n = tl.multiple_of(n, 16)
    i = tl.max_contiguous(tl.multiple_of(n + tl.arange(0, 64), 64), 64)
    tl.store(p + i, tl.max_constancy(i, [4]))
    tl.debug_barrier()
    cuda.gdc_wait()
    tl.extra.cuda.gdc_launch_dependents()


# compile: p=*fp32 n=i32
@triton.jit
def checks(p, n):
    tl.static_assert(tl.float16.primitive_bitwidth == 16, "two bytes")
    tl.device_assert(n > 0, "n must be positive")
    tl.device_assert(tl.arange(0, 4) < n, mask=tl.arange(0, 4) < 2)
    tl.device_print("n is", n, tl.arange(0, 4).to(tl.uint32), hex=True)
    x = tl.load(p)
    tl.store(p, tl.expect_zero(x, n > 5))


# compile: p=*u32
@triton.jit
def assembly(p):
    i = tl.arange(0, 4)
    x, y = tl.inline_asm_elementwise("add.u32 $0, $2, $3; mov.b32 $1, $2;", "=r,=r,r,r", [tl.load(p + i), 3],
                                     dtype=(tl.uint32, tl.float32), is_pure=True, pack=1)
    tl.store(p + i, x + y.to(tl.uint32) + cuda.num_warps() + cuda.smid().to(tl.uint32))


# compile: p=*fp16
@triton.jit
def types(p):
    x = tl.load(p + tl.arange(0, 4))
    wide: tl.constexpr = tl.float32 if x.dtype.is_fp16() else tl.float64
    tl.store(p, x.to(wide).sum().to(p.dtype.element_ty))
    tl.static_assert(isinstance(x, tl.tensor))
    tl.static_assert(isinstance(x.dtype, tl.dtype))
    tl.static_assert(x.type.is_block() and x.type.scalar == tl.float16 and x.numel == 4)
    tl.static_assert(tl.constexpr(3) + triton.cdiv(7, 2) == triton.next_power_of_2(5) - 1)


# compile:
@triton.jit
def failed_assertion():
    tl.static_assert(1 + 1 == 3, "arithmetic")


# compile: n=i32
@triton.jit
def run_time_assertion(n):
    tl.static_assert(n > 0)


# compile: n=i32
@triton.jit
def descriptors(n):
    tl.atomic_poll(n, 3)


# compile: n=i32
@triton.jit
def constexpr_of_a_tensor(n):
    tl.constexpr(n)


# compile: n=i32
@triton.jit
def wrong_hint(n):
    tl.multiple_of(tl.arange(0, 4)[:, None], 4)


# compile: n=i32
@triton.jit
def misspelt(n):
    tl.maximun(n, 3)


# compile: n=i32
@triton.jit
def misspelt_method(n):
    n.summ()


# compile: p=*fp32 q=*fp16
@triton.jit
def private_names(p, q):
    x = tl.load(p + tl.arange(0, 8))
    tl.store(p, tl.reduce(x, 0, tl.standard._sum_combine))
    tl.store(p + 1, tl.reduce(x, 0, tl.standard._elementwise_max))
    tl.store(q, tl.extra.cuda.convert_custom_float8_sm80(tl.load(q).to(tl.float8e4b15), tl.float16))


# compile: p=*fp32
@triton.jit
def other_libraries(p):
    tl.core.extern_elementwise("libm", "libm.so", [tl.load(p)], None, True)
