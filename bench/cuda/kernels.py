"""Kernels that are timed and are no examples: some whose launches and compilations are, which do next to nothing, and some whose speed is."""
import triton
import triton.language as tl


@triton.jit
def three(x, y, z):
    tl.store(z, tl.load(x) + tl.load(y))


@triton.jit
def nineteen(a, b, c, d, e, f, m, n, k, s0, s1, s2, s3, s4, s5, s6, s7, scale, p):
    i = m + n + k + s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7
    total = tl.load(a) + tl.load(b) + tl.load(c) + tl.load(d) + tl.load(e)
    tl.store(f, total * scale + p + i)


@triton.jit
def block(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def transpose(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    t = tl.load(x + i[:, None] * n + j[None, :], mask=(i[:, None] < m) & (j[None, :] < n))
    tl.store(out + j[:, None] * m + i[None, :], tl.trans(t), mask=(j[:, None] < n) & (i[None, :] < m))


@triton.jit
def gelu(x, bias, out, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = j < n_cols
    v = tl.load(x + row * n_cols + j, mask=m).to(tl.float32) + tl.load(bias + j, mask=m).to(tl.float32)
    tl.store(out + row * n_cols + j, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=m)


@triton.jit
def convert(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n).to(out.dtype.element_ty), mask=i < n)
