"""Kernels that the Go program beside this file carries in its binary."""
import triton
import triton.language as tl


@triton.jit
def saxpy(x_ptr, y_ptr, out_ptr, a, n, BLOCK: tl.constexpr):
    """out = a * x + y"""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, a * x + y, mask=mask)


@triton.jit
def row_max(x_ptr, value_ptr, index_ptr, n_cols, COLS: tl.constexpr):
    """The largest element of each row, and where it is."""
    row = tl.program_id(0)
    cols = tl.arange(0, COLS)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    value, index = tl.max(x, axis=0, return_indices=True)
    tl.store(value_ptr + row, value)
    tl.store(index_ptr + row, index)
