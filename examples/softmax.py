"""Fused softmax over the rows of a matrix, one row a program.

    tegula run examples/softmax.py x_ptr='randn(float32, 512, 781, seed=3)' out_ptr='zeros(float32, 512, 781)' \
        x_stride=781 out_stride=781 n_cols=781 BLOCK=1024 --grid 512
"""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, x_stride, out_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Columns past the end are minus infinity: they add nothing to the sum.
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=mask)
