"""Masks that end in the middle of vectors, in all the ways they can: each kernel reads, changes and writes what its mask lets through."""
import triton
import triton.language as tl


@triton.jit
def below(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 3, mask=i < n)


@triton.jit
def at_most(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=n >= i, other=5) * 3, mask=n >= i)


@triton.jit
def above(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i >= lo) * 3, mask=i >= lo)


@triton.jit
def between(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = (i >= lo) & (i < n)
    tl.store(out + i, tl.load(x + i, mask=m, other=7) * 3, mask=m)


@triton.jit
def not_below(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = ~(i < lo)
    tl.store(out + i, tl.load(x + i, mask=m) * 3, mask=m)


@triton.jit
def either(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = (i < lo) | (i < n - 40)
    other = tl.arange(0, N).to(x.dtype.element_ty)
    tl.store(out + i, tl.load(x + i, mask=m, other=other) * 3, mask=i < n)


@triton.jit
def scattered(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = (i * 7 % 5 < 3) & (i < n)
    tl.store(out + i, tl.load(x + i, mask=m) * 3, mask=m)


@triton.jit
def chosen(x, out, n, lo, N: tl.constexpr):
    # The mask is read from memory.
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v * 3, mask=(v > 0) & (i < n))


@triton.jit
def shifted(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + 1 + i, mask=i + 1 < n) * 3, mask=i < n)


@triton.jit
def backwards(x, out, n, lo, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + (n - 1 - i), mask=i < n) * 3, mask=i < n)


@triton.jit
def rows(x, out, n, lo, N: tl.constexpr):
    # Rows of 48 in blocks of 64 columns; the last of the rows is not all there.
    r = tl.program_id(0) * (N // 64) + tl.arange(0, N // 64)
    c = tl.arange(0, 64)
    i = r[:, None] * 48 + c[None, :]
    m = (r[:, None] * 48 < n - 48) & (c[None, :] < 45)
    tl.store(out + i, tl.load(x + i, mask=m, other=1) * 3, mask=m)


@triton.jit
def columns(x, out, n, lo, N: tl.constexpr):
    # The same, written transposed.
    r = tl.program_id(0) * (N // 64) + tl.arange(0, N // 64)
    c = tl.arange(0, 64)
    m = (r[:, None] * 48 < n - 48) & (c[None, :] < 45)
    v = tl.load(x + r[:, None] * 48 + c[None, :], mask=m, other=1)
    j = c[:, None] + r[None, :] * 48
    tl.store(out + j, tl.trans(v) * 3, mask=tl.trans(m))


@triton.jit
def lengths(x, out, n, lo, N: tl.constexpr):
    # Each row has a length of its own, which is computed from memory.
    r = tl.program_id(0) * (N // 64) + tl.arange(0, N // 64)
    size = (tl.load(x + r, mask=r < n).to(tl.float32) % 29.0).to(tl.int32) + 30
    c = tl.arange(0, 64)
    i = r[:, None] * 64 + c[None, :]
    m = (c[None, :] < size[:, None]) & (i < n)
    tl.store(out + i, tl.load(x + i, mask=m) * 3, mask=m)


@triton.jit
def in_loop(x, out, n, lo, N: tl.constexpr):
    for j in range(0, n, N):
        i = j + tl.arange(0, N)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 3, mask=i < n)


@triton.jit
def counted(x, out, n, lo, N: tl.constexpr):
    total = tl.zeros((N,), tl.int32)
    for j in range(0, n, N):
        i = j + tl.arange(0, N)
        total += (tl.load(x + i, mask=i < n, other=-1) > 0).to(tl.int32)
    tl.atomic_add(out.to(tl.pointer_type(tl.int32)) + tl.program_id(0), tl.sum(total, axis=0))
