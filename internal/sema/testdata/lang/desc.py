"""Tensor descriptors and dots of scaled formats."""
import triton
import triton.language as tl


# compile: p=*fp16 m=i32 n=i32 stride=i64
@triton.jit
def device_descriptor(p, m, n, stride):
    desc = tl.make_tensor_descriptor(p, [m, n], [stride, 1], [32, 64])
    x = desc.load([tl.program_id(0) * 32, 0])
    tl.store_tensor_descriptor(desc, [0, n // 2], x + 1.0)
    tl.store(p, tl.load_tensor_descriptor(desc, (n, m)).max().to(desc.dtype) + desc.shape[0] + desc.strides[1])


# compile: x=desc<fp32[16,32]>nan y=desc<u32[16]>
@triton.jit
def host_descriptors(x, y):
    tl.static_assert(x.block_shape == [16, 32] and x.dtype == tl.float32 and len(x.shape) == 2)
    tl.static_assert(isinstance(x, tl.tensor_descriptor) and x.block_type == tl.block_type(tl.float32, [16, 32]))
    a = x.load([0, 0])
    x.atomic_add([0, 32], a)
    b = y.load([0])
    y.atomic_max([16], b)
    y.atomic_min([16], b)
    y.atomic_and([16], b)
    y.atomic_or([16], b)
    y.atomic_xor([16], b)


@triton.jit
def made(x, m, n):
    if isinstance(x, tl.tensor_descriptor):
        return x
    return tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[16, 32], padding_option="nan")


# compile: x=desc<fp32[16,32]>nan y=*fp32 n=i32
@triton.jit
def carried_descriptor(x, y, n):
    d = made(x, n, n)
    for i in range(n):
        v = d.load([i, 0])
        if i % 2 == 0:
            d = made(y, i, n)
        d.store([i, 32], v)


# compile: x=desc<fp32[16]> y=desc<fp32[16]> n=i32
@triton.jit
def early_descriptor(x, y, n):
    d = pick(x, y, n)
    d.store([0], d.load([0]))


@triton.jit
def pick(x, y, n):
    if n < 3:
        if n == 1:
            return x
    return y


# compile: p=*fp32 q=*i16 n=i32
@triton.jit
def rows(p, q, n):
    d = tl.make_tensor_descriptor(p, [n, 128], [128, 1], [1, 32])
    i = tl.load(q + tl.arange(0, 8))
    d.scatter(d.gather(i, 64), i, 32)


# compile: a=*u8 b=*fp8e4nv s=*u8 t=*u8 out=*fp32
@triton.jit
def scaled(a, b, s, t, out):
    m, n, k = tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 64)
    x = tl.load(a + m[:, None] * 32 + tl.arange(0, 32)[None, :])
    y = tl.load(b + k[:, None] * 32 + n[None, :])
    g = tl.arange(0, 2)
    sx = tl.load(s + m[:, None] * 2 + g[None, :])
    sy = tl.load(t + n[:, None] * 2 + g[None, :])
    acc = tl.dot_scaled(x, sx, "e2m1", y, sy, "e4m3")
    acc = tl.dot_scaled(x, None, "e2m1", y.to(tl.uint8, bitcast=True), sy, "e4m3", acc=acc, fast_math=True)
    tl.store(out + m[:, None] * 32 + n[None, :], acc)


# compile: p=*i32 q=*i8 b=*i1 h=*fp16 n=i64
@triton.jit
def plain_atomics(p, q, b, h, n):
    i = tl.arange(0, 4)
    x = tl.atomic_load(p + i, mask=i < 3)
    tl.atomic_store(p + i, x, mask=i < 3, sem="relaxed", scope="cta")
    tl.atomic_store(q, tl.atomic_load(q, sem="relaxed"))
    tl.atomic_store(b, tl.atomic_load(b))
    tl.atomic_store(h, tl.atomic_load(h))
    seen = tl.atomic_poll(p + i, 1)
    tl.store(q + i, seen | tl.atomic_poll(p, 2, sem="relaxed", timeout_ns=1000))
    tl.atomic_poll(p, 3, timeout_ns=n)


# compile: p=*fp32
@triton.jit
def no_block(p):
    tl.make_tensor_descriptor(p, [16], [1], [2])


# compile: p=*fp32 n=i32
@triton.jit
def last_stride(p, n):
    tl.make_tensor_descriptor(p, [n], [n], [16])


# compile: p=*fp32 n=i32
@triton.jit
def misaligned(p, n):
    tl.make_tensor_descriptor(p, [n, n], [6, 1], [16, 16])


# compile: p=*fp32 n=i32
@triton.jit
def lengths(p, n):
    tl.make_tensor_descriptor(p, [n, n], [1], [16])


# compile: p=*i32 n=i32
@triton.jit
def nan_of_integers(p, n):
    tl.make_tensor_descriptor(p, [n], [1], [16], padding_option="nan")


# compile: p=*i1 n=i32
@triton.jit
def bits(p, n):
    tl.make_tensor_descriptor(p, [n], [1], [16])


# compile: d=desc<fp32[16]> n=i64
@triton.jit
def long_offset(d, n):
    d.load([n])


# compile: d=desc<fp32[16]>
@triton.jit
def no_offset(d):
    d.load([])


# compile: d=desc<fp32[16]>
@triton.jit
def other_shape(d):
    d.store([0], tl.zeros((32, ), tl.float32))


# compile: d=desc<fp32[16]>
@triton.jit
def no_such_atomic(d):
    d.atomic_or([0], d.load([0]))


# compile: d=desc<fp32[16]>
@triton.jit
def no_such_method(d):
    d.lode([0])


# compile: d=desc<fp32[16,32]>
@triton.jit
def gather_blocks(d):
    d.gather(tl.arange(0, 8), 0)


# compile: p=*fp32
@triton.jit
def pointer_as_descriptor(p):
    tl.load_tensor_descriptor(p, [0])


# compile: p=*i8
@triton.jit
def encoded_descriptor(p):
    tl._experimental_descriptor_load(p, [0], [16], tl.float16)


# compile: p=*fp32 n=i32
@triton.jit
def two_descriptor_types(p, n):
    d = tl.make_tensor_descriptor(p, [n], [1], [16])
    if n > 3:
        d = tl.make_tensor_descriptor(p, [n], [1], [32])


# compile: p=*u8 q=*fp16
@triton.jit
def bad_format(p, q):
    x = tl.load(p + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :])
    tl.dot_scaled(x, None, "e3m2", x, None, "e4m3")


# compile: p=*fp16
@triton.jit
def wrong_holder(p):
    x = tl.load(p + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :])
    tl.dot_scaled(x, None, "fp16", x, None, "e4m3")


# compile: p=*fp16 s=*u8
@triton.jit
def wrong_scale(p, s):
    x = tl.load(p + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :])
    tl.dot_scaled(x, tl.load(s + tl.arange(0, 32)[:, None] + tl.arange(0, 8)[None, :]), "fp16", x, None, "fp16")


# compile: p=*fp16
@triton.jit
def packed_outside(p):
    x = tl.load(p + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :])
    tl.dot_scaled(x, None, "fp16", x, None, "fp16", lhs_k_pack=False)


# compile: p=*fp32
@triton.jit
def poll_of_floats(p):
    tl.atomic_poll(p, 1)
