"""Loads, stores, masks, pointers."""
import triton
import triton.language as tl


# case: grid=3 x=fp32[600]:rand(-1,1) out=>fp32[768]:const(9) n=600 BLOCK=256
@triton.jit
def mask_other(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=-7.0))


# case: grid=1 x=i32[128]:int(-9,9) out=>fp32[128]
@triton.jit
def other_cast(x, out):
    i = tl.arange(0, 128)
    v = tl.load(x + i, mask=i % 3 != 0, other=True)
    tl.store(out + i, v)


# case: grid=1 x=fp32[128]:rand(-1,1) out=>fp32[128]:const(3)
@triton.jit
def masked_store(x, out):
    i = tl.arange(0, 128)
    tl.store(out + i, tl.load(x + i), mask=(i & 1) == 0)


# case: grid=1 x=fp32[4096]:rand(-1,1) idx=i64[128]:int(0,4095) out=>fp32[128]
@triton.jit
def gather_indirect(x, idx, out):
    i = tl.arange(0, 128)
    tl.store(out + i, tl.load(x + tl.load(idx + i)))


# case: grid=2,3 x=fp32[64,96]:rand(-1,1) out=>fp32[96,64] M=64 N=96
@triton.jit
def transpose_2d(x, out, M, N):
    r = tl.program_id(0) * 32 + tl.arange(0, 32)
    c = tl.program_id(1) * 32 + tl.arange(0, 32)
    t = tl.load(x + r[:, None] * N + c[None, :])
    tl.store(out + c[:, None] * M + r[None, :], tl.trans(t))


# case: grid=1 x=fp32[37]:rand(-1,1) out=>fp32[37]
@triton.jit
def scalar_loop(x, out):
    total = 0.0
    for k in range(37):
        total += tl.load(x + k)
        tl.store(out + k, total)


# case: grid=1 x=fp32[256]:rand(-1,1) out=>fp32[256] stride=2
@triton.jit
def pointer_walk(x, out, stride):
    i = tl.arange(0, 64)
    p = x + i
    q = out + i
    for _ in range(4):
        tl.store(q, tl.load(p) * stride)
        p += 64
        q += 64


# case: grid=2,2,2 out=>i32[8,6]
@triton.jit
def program_ids(out):
    x = tl.program_id(0)
    y = tl.program_id(1)
    z = tl.program_id(2)
    p = out + ((z * tl.num_programs(1) + y) * tl.num_programs(0) + x) * 6
    tl.store(p, x)
    tl.store(p + 1, y)
    tl.store(p + 2, z)
    tl.store(p + 3, tl.num_programs(0))
    tl.store(p + 4, tl.num_programs(axis=1))
    tl.store(p + 5, tl.num_programs(axis=2) * 100)


# case: grid=1 x=fp32[50,70]:rand(-1,1) out=>fp32[64,64]:const(5) M=50 N=70
@triton.jit
def block_pointer(x, out, M, N):
    src = tl.make_block_ptr(base=x, shape=(M, N), strides=(N, 1), offsets=(0, 64), block_shape=(64, 64), order=(1, 0))
    src = tl.advance(src, (0, -32))
    v = tl.load(src, boundary_check=(0, 1), padding_option="zero")
    dst = tl.make_block_ptr(out, (64, 64), (64, 1), (0, 0), (64, 64), (1, 0))
    tl.store(dst, v * 2, boundary_check=(0, 1))


# case: grid=4 x=i32[512]:int(0,9) out=>i32[16]
@triton.jit
def atomic_histogram(x, out):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.atomic_add(out + tl.load(x + i), 1)


# case: grid=1 out=>i32[8]:seq(5,3)
@triton.jit
def atomic_kinds(out):
    tl.atomic_max(out, 100)
    tl.atomic_min(out + 1, -4)
    tl.atomic_and(out + 2, 6)
    tl.atomic_or(out + 3, 64)
    tl.atomic_xor(out + 4, 255)
    old = tl.atomic_xchg(out + 5, 77)
    tl.store(out + 6, old)
    got = tl.atomic_cas(out + 7, 26, 1234)
    tl.atomic_add(out, got)


# case: grid=1 x=fp32[128]:int(-8,8) out=>fp32[4]
@triton.jit
def atomic_float(x, out):
    i = tl.arange(0, 128)
    tl.atomic_add(out + i % 4, tl.load(x + i), mask=i < 100)


# case: grid=1 x=fp32[4]:rand(1,2) out=>fp32[4]
@triton.jit
def scalar_tensors(x, out):
    a = tl.load(x)
    b = tl.load(x + 1)
    tl.store(out, a + b)
    tl.store(out + 1, tl.where(a > b, a, b))
    tl.store(out + 2, max(a, b))
    tl.store(out + 3, min(a, b) * 2)


# case: grid=1 x=fp32[128]:rand(-1,1) out=>fp32[128]
@triton.jit
def cache_hints(x, out):
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 128), 128), 128)
    v = tl.load(x + i, cache_modifier=".cg", eviction_policy="evict_first")
    tl.store(out + i, v + 1, cache_modifier=".wb", eviction_policy="evict_last")


# case: grid=1 x=fp32[256]:rand(-1,1) out=>fp32[256] off=i64:128
@triton.jit
def wide_offsets(x, out, off):
    i = tl.arange(0, 128).to(tl.int64)
    tl.store(out + off + i, tl.load(x + off - i - 1 + 1, mask=i < 128))
