import triton
import triton.language as tl


@triton.jit
def double(x):
    return x + x


@triton.jit
def first(x_ptr, N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N), double(tl.load(x_ptr + tl.arange(0, N))))


@triton.jit
def second(x_ptr):
    tl.store(x_ptr, 1)
