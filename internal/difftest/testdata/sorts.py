"""Sequences that are sorted in loops."""
import triton
import triton.language as tl


@triton.jit
def leading(x, out, R: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DESCENDING: tl.constexpr):
    r = tl.arange(0, R)
    v = tl.load(x + r[:, None] * N + tl.arange(0, N)[None, :])
    if K < N:
        y = tl.topk(v, K, descending=DESCENDING)
    else:
        y = tl.sort(v, descending=DESCENDING)
    tl.store(out + r[:, None] * K + tl.arange(0, K)[None, :], y)
