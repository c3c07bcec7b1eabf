"""Kernels whose launches and compilations are timed; they do next to nothing."""
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
