"""Attention, forward: out = softmax(q k^T / sqrt(D)) v for each head, without ever storing the scores. The softmax is
computed on the way: each block of keys rescales what the earlier ones left (arXiv 2205.14135).

    tegula run examples/attention.py q_ptr='randn(float32, 4, 200, 64, seed=10)' k_ptr='randn(float32, 4, 200, 64, seed=11)' \
        v_ptr='randn(float32, 4, 200, 64, seed=12)' out_ptr='zeros(float32, 4, 200, 64)' lse_ptr='zeros(float32, 4, 200)' \
        scale=0.125 n_ctx=200 HEAD_DIM=64 BLOCK_M=64 BLOCK_N=32 CAUSAL=True --grid 'cdiv(n_ctx, BLOCK_M), 4'
"""
import triton
import triton.language as tl


@triton.jit
def attend(acc, denom, top, q, k_base, v_base, rows, lo, hi, n_ctx, MASKED: tl.constexpr, HEAD_DIM: tl.constexpr,
           BLOCK_N: tl.constexpr):
    """Adds the keys lo to hi to the running (acc, denom, top) of a block of queries. q holds log2-scaled queries."""
    dims = tl.arange(0, HEAD_DIM)
    for start in range(lo, hi, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        inside = cols < n_ctx
        k = tl.load(k_base + cols[None, :] * HEAD_DIM + dims[:, None], mask=inside[None, :], other=0.0)
        scores = tl.dot(q, k)
        if MASKED:
            visible = inside[None, :] & (rows[:, None] >= cols[None, :])
        else:
            visible = inside[None, :]
        scores = tl.where(visible, scores, -1.0e6)
        new_top = tl.maximum(top, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new_top[:, None])
        shrink = tl.math.exp2(top - new_top)
        denom = denom * shrink + tl.sum(weights, 1)
        v = tl.load(v_base + cols[:, None] * HEAD_DIM + dims[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        top = new_top
    return acc, denom, top


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, scale, n_ctx, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    base = head * n_ctx * HEAD_DIM

    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    tile = rows[:, None] * HEAD_DIM + dims[None, :]
    row_mask = rows < n_ctx
    q = tl.load(q_ptr + base + tile, mask=row_mask[:, None], other=0.0)
    q = (q * (scale * 1.4426950408889634)).to(q_ptr.dtype.element_ty)

    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    denom = tl.zeros([BLOCK_M], dtype=tl.float32)
    top = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    if CAUSAL:
        # Blocks left of the diagonal need no mask; those on it do.
        diagonal = block * BLOCK_M // BLOCK_N * BLOCK_N
        acc, denom, top = attend(acc, denom, top, q, k_ptr + base, v_ptr + base, rows, 0, diagonal, n_ctx, False,
                                 HEAD_DIM, BLOCK_N)
        acc, denom, top = attend(acc, denom, top, q, k_ptr + base, v_ptr + base, rows, diagonal,
                                 tl.minimum((block + 1) * BLOCK_M, n_ctx), n_ctx, True, HEAD_DIM, BLOCK_N)
    else:
        acc, denom, top = attend(acc, denom, top, q, k_ptr + base, v_ptr + base, rows, 0, n_ctx, n_ctx, False,
                                 HEAD_DIM, BLOCK_N)

    out = acc / denom[:, None]
    tl.store(out_ptr + base + tile, out.to(out_ptr.dtype.element_ty), mask=row_mask[:, None])
    tl.store(lse_ptr + head * n_ctx + rows, top + tl.math.log2(denom), mask=row_mask)
