import triton
import triton.language as tl


@triton.jit
def prints(x_ptr):
    print("x", tl.load(x_ptr + tl.program_id(0)))
