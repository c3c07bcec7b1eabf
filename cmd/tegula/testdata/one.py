import torch
import triton
import triton.language as tl

LIMIT: tl.constexpr = 4


@triton.jit
def scale(x_ptr, out_ptr, n, factor=2.0, BLOCK: tl.constexpr = 16):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, (x * factor).to(out_ptr.dtype.element_ty), mask=mask)
