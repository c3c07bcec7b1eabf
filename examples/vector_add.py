"""Vector addition: out = x + y over n elements.

    tegula run examples/vector_add.py x_ptr='randn(float32, 100000, seed=1)' y_ptr='randn(float32, 100000, seed=2)' \
        out_ptr='zeros(float32, 100000)' n=100000 BLOCK=1024 --grid 'cdiv(n, BLOCK)'
"""
import triton
import triton.language as tl


@triton.jit
def vector_add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # One program adds one block; the last block is cut off by the mask.
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
