"""A kernel and a function that only it calls: without a name the kernel is meant."""
import triton
import triton.language as tl


@triton.jit
def relu(x):
    return tl.maximum(x, 0)


@triton.jit
def negate(x):
    return -x


@triton.jit
def activate(x_ptr, N: tl.constexpr, ACTIVATION: tl.constexpr = None, DTYPE: tl.constexpr = tl.float32):
    x = tl.load(x_ptr + tl.arange(0, N)).to(DTYPE)
    x = relu(negate(x)) if ACTIVATION is None else ACTIVATION(x)
    tl.device_print("x", x)
    tl.store(x_ptr + tl.arange(0, N), x.to(x_ptr.dtype.element_ty))
