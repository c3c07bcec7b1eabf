"""Transpositions of whole tiles, however large, are read and written in rows."""
import triton
import triton.language as tl


@triton.jit
def transpose(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    t = tl.load(x + i[:, None] * n + j[None, :], mask=(i[:, None] < m) & (j[None, :] < n))
    tl.store(out + j[:, None] * m + i[None, :], tl.trans(t), mask=(j[:, None] < n) & (i[None, :] < m))


@triton.jit
def add_transposed(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    t = tl.load(x + i[:, None] * n + j[None, :], mask=(i[:, None] < m) & (j[None, :] < n))
    p = out + j[:, None] * m + i[None, :]
    k = (j[:, None] < n) & (i[None, :] < m)
    tl.store(p, tl.load(p, mask=k) + tl.trans(t) * 2, mask=k)
