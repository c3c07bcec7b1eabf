import triton
import triton.language as tl


@triton.jit
def assigns(x_ptr, N: tl.constexpr):
    y = tl.load(x_ptr + tl.arrange(0, N))
    tl.store(x_ptr, y)


@triton.jit
def asserts(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_assert(x > 0, "x must be positive")
    tl.store(x_ptr + tl.arange(0, N), x)
