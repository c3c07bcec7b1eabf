import triton
import triton.language as tl


@triton.jit
def past(x_ptr, out_ptr, at):
    i = tl.arange(0, 8)
    tl.store(out_ptr + at + i, tl.load(x_ptr + i))
