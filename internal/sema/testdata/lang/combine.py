"""Reductions, scans, products."""
import triton
import triton.language as tl


@triton.jit
def larger(a, i, b, j):
    take = a > b
    return tl.where(take, a, b), tl.where(take, i, j)


@triton.jit
def half_sum(a, b):
    return (a + b) / 2


# compile: x=*fp32 out=*fp32
@triton.jit
def reductions(x, out):
    i = tl.arange(0, 4)
    j = tl.arange(0, 8)
    t = tl.load(x + i[:, None] * 8 + j[None, :])
    tl.store(out + j, tl.sum(t, axis=0))
    tl.store(out + i[:, None], tl.max(t, 1, keep_dims=True))
    v, at = tl.reduce((t, tl.broadcast_to(j[None, :], (4, 8))), 1, larger)
    tl.store(out + i, v + at)
    tl.store(out, tl.argmin(t, 0).min())


# compile: x=*i8 out=*fp32
@triton.jit
def scans(x, out):
    i = tl.arange(0, 8)
    t = tl.load(x + i)
    tl.store(out + i, tl.cumsum(t))
    tl.store(out + i, tl.associative_scan(t.to(tl.float32), 0, half_sum, reverse=True))


@triton.jit
def relu(x):
    if x > 0:
        y = x
    else:
        y = x * 0
    return y


# compile: x=*fp32
@triton.jit
def mapped(x):
    i = tl.arange(0, 8)
    tl.store(x + i, tl.map_elementwise(relu, tl.load(x + i)))


# compile: a=*fp16 b=*fp16 c=*fp32
@triton.jit
def products(a, b, c):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x, y = tl.load(a + i), tl.load(b + i)
    acc = tl.zeros((16, 16), tl.float32)
    acc = tl.dot(x, y, acc)
    acc += tl.dot(x, tl.trans(y), out_dtype=tl.float16)
    acc = tl.dot(acc, acc, acc, input_precision="tf32x3")
    tl.store(c + i, acc)


# compile: x=*fp32 out=*fp32
@triton.jit
def sorted_rows(x, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.sort(tl.load(x + i)))


# compile: x=*fp32
@triton.jit
def wrong_combine(x):
    tl.reduce(tl.load(x + tl.arange(0, 8)).to(tl.int32), 0, half_sum)


# compile: x=*fp32
@triton.jit
def wrong_count(x):
    tl.reduce(tl.load(x + tl.arange(0, 8)), 0, lambda a, b: (a, b))


# compile: x=*fp32
@triton.jit
def wrong_product(x):
    tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 32), tl.float16))


# compile: x=*fp32
@triton.jit
def mixed_product(x):
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))


# compile: x=*fp32
@triton.jit
def scaled_product(x):
    tl.dot_scaled(x, x, "e4m3", x, x, "e4m3")


# compile: x=*fp32
@triton.jit
def sort_first_dimension(x):
    tl.sort(tl.zeros((4, 4), tl.int32), dim=0)


@triton.jit
def swap_pairs(a0, a1, b0, b1):
    return a1 + b0, a0 + b1, b0 > b1, b1 > b0


# compile: x=*fp32 y=*fp32 out=*i1
@triton.jit
def map_pairs(x, y, out):
    i = tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :]
    s, c = tl.map_elementwise(swap_pairs, tl.load(x + i), tl.load(y + i), pack=2)
    tl.store(x + i, s)
    tl.store(out + i, c)


# compile: x=*fp32
@triton.jit
def map_three(x):
    tl.map_elementwise(relu, tl.load(x + tl.arange(0, 8)), pack=3)


# compile: x=*fp32
@triton.jit
def map_no_groups(x):
    tl.map_elementwise(relu2, tl.load(x + tl.arange(0, 8)), pack=2)


@triton.jit
def relu2(a, b):
    return a + b


@triton.jit
def first(a, b):
    return a


# compile: p=*i32
@triton.jit
def whole_tile_in_order(p):
    i = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]
    x = tl.load(p + i)
    tl.store(p, tl.reduce(x, None, first))
    tl.store(p + 1, tl.sum(x))


@triton.jit
def as_tile(a):
    return a + tl.zeros((1, ), tl.int1)


@triton.jit
def larger_if_float(a, b):
    if as_tile(a).dtype.is_floating():
        return tl.where(a > b, a, b)
    else:
        return a + b


# compile: p=*fp32
@triton.jit
def tiles_for_their_type(p):
    tl.store(p, tl.reduce(tl.load(p + tl.arange(0, 8)), 0, larger_if_float))


@triton.jit
def larger_as_tile(a, b):
    return as_tile(tl.where(a > b, a, b))


# compile: p=*fp32
@triton.jit
def tiles_of_elements(p):
    tl.store(p, tl.reduce(tl.load(p + tl.arange(0, 8)), 0, larger_as_tile))
