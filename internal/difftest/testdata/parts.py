"""Loops that combine the results of reductions: where they do nothing else with them, threads meet after the loop alone."""
import triton
import triton.language as tl


@triton.jit
def tile(x, i, R: tl.constexpr, C: tl.constexpr):
    return tl.load(x + i * R * C + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])


@triton.jit
def put(out, rows, R: tl.constexpr):
    tl.store(out + tl.arange(0, R), rows.to(tl.float32))


@triton.jit
def parts_of_all(x, out, n, R: tl.constexpr, C: tl.constexpr):
    total = 3.0
    for i in range(n):
        total += tl.sum(tl.load(x + i * R * C + tl.arange(0, R * C)))
    tl.store(out, total)


@triton.jit
def parts_of_rows(x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows = tl.zeros((R,), tl.float32)
    for i in range(n):
        rows += tl.sum(tile(x, i, R, C), 1)
    put(out, rows, R)


@triton.jit
def parts_with_start(x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows = tl.arange(0, R).to(tl.float32)
    for i in range(n):
        rows = tl.sum(tile(x, i, R, C), 1) + rows
    put(out, rows, R)


@triton.jit
def parts_of_columns(x, out, n, R: tl.constexpr, C: tl.constexpr):
    columns = tl.full((C,), 2.0, tl.float32)
    for i in range(n):
        columns += tl.sum(tile(x, i, R, C), 0)
    tl.store(out + tl.arange(0, C), columns)


@triton.jit
def parts_of_largest(x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows = tl.full((R,), -0.5, tl.float32)
    least = 2
    for i in range(n):
        rows = tl.maximum(rows, tl.max(tile(x, i, R, C), 1))
        least = min(least, tl.min(tl.load(x + i * C + tl.arange(0, R * C)).to(tl.int32)))
    put(out, rows + least, R)


@triton.jit
def parts_of_integers(x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows = tl.full((R,), 7, tl.int32)
    bits = tl.full((R,), 9, tl.int32)
    for i in range(n):
        t = tile(x, i, R, C).to(tl.int32)
        rows += tl.sum(t * 3, 1)
        bits ^= tl.xor_sum(t + 5, 1)
    put(out, rows * 16 + bits, R)


@triton.jit
def parts_that_shrink(x, out, n, R: tl.constexpr, C: tl.constexpr):
    denom = tl.full((R,), 0.5, tl.float32)
    top = tl.full((R,), -2.0, tl.float32)
    for i in range(n):
        larger = tl.maximum(top, tl.load(x + i))
        denom = denom * tl.exp2(top - larger) + tl.sum(tl.exp2(tile(x, i, R, C) - larger[:, None]), 1)
        top = larger
    put(out, denom, R)


@triton.jit
def whole_if_used(x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows = tl.zeros((R,), tl.float32)
    for i in range(n):
        rows += tl.sum(tile(x, i, R, C), 1)
        put(out, rows * 2, R)


@triton.jit
def whole_if_scaled(x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows = tl.zeros((R,), tl.float32)
    for i in range(n):
        rows = rows * tl.exp2(tl.load(x + i)) + tl.sum(tile(x, i, R, C), 1)
    put(out, rows, R)


@triton.jit
def whole_if_rounded(x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows = tl.zeros((R,), tl.float16)
    for i in range(n):
        rows += tl.sum(tile(x, i, R, C).to(tl.float16), 1)
    put(out, rows, R)


@triton.jit
def whole_if_another(x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows = tl.zeros((R,), tl.float32)
    for i in range(n):
        rows = tl.maximum(rows, tl.sum(tile(x, i, R, C), 1))
    put(out, rows, R)
