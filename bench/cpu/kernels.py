"""Kernels that are measured on the CPU and are no examples."""
import triton
import triton.language as tl


@triton.jit
def gelu(x_ptr, w_ptr, b_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    """gelu(x·w + b) of a row, w and b a vector each."""
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * stride + cols, mask=mask)
        y = x * tl.load(w_ptr + cols, mask=mask) + tl.load(b_ptr + cols, mask=mask)
        tl.store(out_ptr + row * stride + cols, 0.5 * y * (1 + tl.erf(y * 0.7071067811865476)), mask=mask)
