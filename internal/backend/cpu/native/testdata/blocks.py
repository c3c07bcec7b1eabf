"""Kernels whose programs go over a row, or a column, in blocks."""
import triton
import triton.language as tl


@triton.jit
def rms_norm(x_ptr, weight_ptr, out_ptr, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        squares += x * x
    rstd = tl.rsqrt(tl.sum(squares) / n_cols + eps)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * stride + cols, mask=mask).to(tl.float32)
        weight = tl.load(weight_ptr + cols, mask=mask).to(tl.float32)
        tl.store(out_ptr + row * stride + cols, x * rstd * weight, mask=mask)


@triton.jit
def softmax(x_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    greatest = -float("inf")
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        now = tl.maximum(greatest, tl.max(x, axis=0))
        total = total * tl.exp(greatest - now) + tl.sum(tl.exp(x - now), axis=0)
        greatest = now
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols).to(tl.float32)
        tl.store(out_ptr + row * stride + cols, tl.exp(x - greatest) / total, mask=cols < n_cols)


@triton.jit
def cross_entropy(x_ptr, target_ptr, loss_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    greatest = tl.full([BLOCK], -float("inf"), tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        greatest = tl.maximum(greatest, tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=-float("inf")))
    top = tl.max(greatest, axis=0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.exp(tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=-float("inf")) - top)
    target = tl.load(target_ptr + row)
    tl.store(loss_ptr + row, top + tl.log(tl.sum(total, axis=0)) - tl.load(x_ptr + row * stride + target))


@triton.jit
def column_sums(x_ptr, out_ptr, stride, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n_cols
    total = tl.zeros([BLOCK], dtype=tl.float32)
    x_ptr += cols
    for row in range(n_rows):
        total += tl.load(x_ptr, mask=mask, other=0.0).to(tl.float32)
        x_ptr += stride
    tl.store(out_ptr + cols, total, mask=mask)
