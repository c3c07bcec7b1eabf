"""Loads, stores, atomics, block pointers."""
import triton
import triton.language as tl


# compile: x=*fp32:16 y=*fp32:16 out=*fp32:16 n=i32 BLOCK=1024
@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask, other=0.0)
    tl.store(out + offsets, total, mask=mask)


# compile: p=*i1 q=*i1
@triton.jit
def bools(p, q):
    i = tl.arange(0, 8)
    x = tl.load(p + i, mask=i < 5, other=True)
    tl.store(q + i, ~x)
    tl.store(q, True)


# compile: p=*fp16
@triton.jit
def policies(p):
    i = tl.arange(0, 8)
    x = tl.load(p + i, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    tl.store(p + i, x, cache_modifier=".wt", eviction_policy="evict_last")


# compile: p=*fp16
@triton.jit
def implicit_casts(p):
    i = tl.arange(0, 4)
    tl.store(p + i, 1)
    tl.store(p + i[:, None] + tl.arange(0, 8)[None, :], i[:, None].to(tl.float64))
    tl.store(p, 0.1)


# compile: p=*i32 f=*fp32 h=*fp16 u=*u64
@triton.jit
def atomics(p, f, h, u):
    i = tl.arange(0, 4)
    tl.atomic_add(p + i, 1)
    tl.atomic_add(f + i, i, mask=i < 3, sem="relaxed", scope="cta")
    tl.atomic_add(h, 1.5)
    tl.atomic_max(p, 7)
    tl.atomic_max(u, 7)
    tl.atomic_min(f, 7)
    tl.atomic_and(p, 7)
    (p + i).atomic_or(i)
    tl.atomic_xor(u, 7, sem="acquire", scope="sys")
    old = tl.atomic_xchg(f, 2.0)
    seen = tl.atomic_cas(p, 0, 1, sem="release")
    tl.store(p, seen)
    tl.store(f, old)


# compile: p=*fp32 q=*i64
@triton.jit
def atomic_words(p, q):
    x = tl.atomic_load(p)
    tl.atomic_store(q, x, mask=x > 0)


# compile: x=*fp16 y=*fp16 M=i32 N=i32 stride=i32
@triton.jit
def block_pointers(x, y, M, N, stride):
    src = tl.make_block_ptr(base=x, shape=(M, N), strides=(stride, 1), offsets=(0, 0), block_shape=(4, 8), order=(1, 0))
    dst = tl.make_block_ptr(y, (M, N), (stride, 1), (tl.program_id(0) * 4, 0), (4, 8), (1, 0))
    for _ in range(0, N, 8):
        tile = tl.load(src, boundary_check=(0, 1), padding_option="zero")
        tl.store(dst, tile.to(tl.float16), boundary_check=(0, 1))
        src = tl.advance(src, (0, 8))
        dst = dst.advance((0, 8))


# compile: x=*fp32 n=i64
@triton.jit
def block_pointer_nan(x, n):
    p = tl.make_block_ptr(x, (n, ), (1, ), (0, ), (16, ), (0, ))
    tl.store(p, tl.load(p, boundary_check=[0], padding_option="nan"))


# compile: p=*fp32
@triton.jit
def bad_mask(p):
    i = tl.arange(0, 8)
    tl.load(p + i, mask=i)


# compile: p=*fp32
@triton.jit
def bad_other(p):
    tl.load(p + tl.arange(0, 8), other=0)


# compile: p=*fp32
@triton.jit
def value_grows(p):
    tl.store(p + tl.arange(0, 8), tl.zeros((4, 8), tl.float32))


# compile: p=*fp32
@triton.jit
def no_pointer(p):
    tl.load(tl.arange(0, 8))


# compile: p=*fp32
@triton.jit
def no_such_policy(p):
    tl.load(p, eviction_policy="evict_never")


# compile: p=*i16
@triton.jit
def no_such_atomic(p):
    tl.atomic_add(p, 1)


# compile: p=*fp32
@triton.jit
def descriptor(p):
    tl.make_tensor_descriptor(p, [16, 16], [16, 1], [16, 16])


# compile: p=*fp32 q=*fp32
@triton.jit
def constants(p: tl.const, q):
    tl.store(q, tl.load(p))


@triton.jit
def overwrite(p):
    tl.store(p + 1, 0.0)


# compile: p=*fp32
@triton.jit
def writes_constants(p: "*kfp32"):
    overwrite(p)
