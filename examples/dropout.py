"""Dropout whose mask is made from a seed: nothing but the seed has to be kept.

    tegula run examples/dropout.py x_ptr='randn(float32, 100000, seed=7)' out_ptr='zeros(float32, 100000)' \
        n=100000 p=0.25 seed=123 BLOCK=1024 --grid 'cdiv(n, BLOCK)'
"""
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)
