"""Kernels for the sanitizer: what it must find, and what it must not. Each has its launch above it, and the
code of the finding ("none": there is none)."""
import triton
import triton.language as tl


# launch none: grid=2 x=fp32[20] out=fp32[1] n=20 BLOCK=16
@triton.jit
def where_after_load(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.atomic_add(out, tl.sum(tl.where(i < n, v, 0.0)))


# launch uninitialised: grid=1 x=fp32[20] out=fp32[1] n=20 BLOCK=32
@triton.jit
def sum_of_masked(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n)))


# launch uninitialised: grid=1 x=fp32[20] out=fp32[32] n=20 BLOCK=32
@triton.jit
def prefix_sums(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i, mask=i < n)))


# launch none: grid=1 x=fp32[20] out=fp32[32] n=20 BLOCK=32
@triton.jit
def prefix_sums_masked(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i, mask=i < n)), mask=i < n)


# launch uninitialised: grid=1 x=fp32[20] out=fp32[32] n=20 BLOCK=32
@triton.jit
def reversed_sums(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i, mask=i < n), reverse=True), mask=i < n)


# launch none: grid=1 ids=i32[20] table=fp32[8] out=fp32[32] n=20 BLOCK=32
@triton.jit
def gather_under_mask(ids, table, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    at = tl.load(ids + i, mask=mask)
    tl.store(out + i, tl.load(table + at, mask=mask & (at >= 0)), mask=mask)


# launch uninitialised: grid=1 ids=i32[20] table=fp32[8] out=fp32[32] n=20 BLOCK=32
@triton.jit
def gather_without_mask(ids, table, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(ids + i, mask=i < n)
    tl.store(out + i, tl.load(table + at), mask=i < n)


# launch uninitialised: grid=1 ids=i32[20] table=fp32[8] out=fp32[32] n=20 BLOCK=32
@triton.jit
def mask_of_garbage(ids, table, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(ids + i, mask=i < n)
    tl.store(out + i, 1.0, mask=at >= 0)


# launch uninitialised: grid=3 x=i32[2] out=fp32[3] n=2
@triton.jit
def branch(x, out, n):
    pid = tl.program_id(0)
    if tl.load(x + pid, mask=pid < n) == 0:
        tl.store(out + pid, 1.0)


# launch uninitialised: grid=3 x=i32[2] out=fp32[3] n=2
@triton.jit
def loop_end(x, out, n):
    pid = tl.program_id(0)
    total = 0.0
    for _ in range(tl.load(x + pid, mask=pid < n)):
        total += 1.0
    tl.store(out + pid, total)


# launch uninitialised: grid=3 x=i32[2] out=fp32[3] n=2
@triton.jit
def while_condition(x, out, n):
    pid = tl.program_id(0)
    left = tl.load(x + pid, mask=pid < n)
    while left > 0:
        left -= 1
    tl.store(out + pid, left, mask=pid < n)


# launch uninitialised: grid=1 x=fp32[20] out=fp32[32] n=20 BLOCK=32
@triton.jit
def assertion(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.device_assert(tl.load(x + i, mask=i < n) >= 0)


# launch none: grid=1 x=fp32[20] out=fp32[32] n=20 BLOCK=32
@triton.jit
def carried(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n)
    b = tl.zeros([BLOCK], tl.float32)
    for _ in range(3):
        a, b = b, tl.where(i < n, a, 0.0)
    tl.store(out + i, a + b)


# launch uninitialised: grid=1 x=fp32[20] out=fp32[32] n=20 BLOCK=32
@triton.jit
def carried_around(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n)
    b = tl.zeros([BLOCK], tl.float32)
    for _ in range(3):
        a, b = b, a
    tl.store(out + i, b + a)


# launch none: grid=1 a=fp32[12,16] b=fp32[16,16] out=fp32[12,16] m=12
@triton.jit
def dot_rows(a, b, out, m):
    i, k = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    x = tl.load(a + i * 16 + k, mask=i < m)
    tl.store(out + i * 16 + k, tl.dot(x, tl.load(b + i * 16 + k)), mask=i < m)


# launch uninitialised: grid=1 a=fp32[16,12] b=fp32[16,16] out=fp32[16,16] m=12
@triton.jit
def dot_inner(a, b, out, m):
    i, k = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    x = tl.load(a + i * 12 + k, mask=k < m)
    tl.store(out + i * 16 + k, tl.dot(x, tl.load(b + i * 16 + k)))


# launch none: grid=1 x=fp32[20] out=fp32[2,32] n=20 BLOCK=32
@triton.jit
def moved_about(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    both = tl.trans(tl.join(v, tl.zeros([BLOCK], tl.float32)))
    j = tl.arange(0, 2)[:, None]
    tl.store(out + j * BLOCK + i[None, :], both, mask=(j == 1) | (i[None, :] < n))


# launch uninitialised: grid=1 x=fp32[20] out=fp32[2,32] n=20 BLOCK=32
@triton.jit
def moved_in_view(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    both = tl.trans(tl.join(tl.zeros([BLOCK], tl.float32), v))
    j = tl.arange(0, 2)[:, None]
    tl.store(out + j * BLOCK + i[None, :], both, mask=(j == 1) | (i[None, :] < n))


@triton.jit(noinline=True)
def twice(v):
    return v + v


# launch uninitialised: grid=1 x=fp32[20] out=fp32[32] n=20 BLOCK=32
@triton.jit
def through_a_call(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, twice(tl.load(x + i, mask=i < n)))


# launch none: grid=1 x=fp32[20] out=fp32[32] n=20 BLOCK=32
@triton.jit
def through_a_call_masked(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, twice(tl.load(x + i, mask=i < n)), mask=i < n)


# launch none: grid=4 x=fp32[64] n=64 BLOCK=16
@triton.jit
def in_place(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * 2)


# launch race: grid=4 x=fp32[65] n=64 BLOCK=16
@triton.jit
def shift_in_place(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i + 1))


# launch race: grid=4 x=fp32[64] out=fp32[1] BLOCK=16
@triton.jit
def sum_without_atomic(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out, tl.load(out) + tl.sum(tl.load(x + i)))


# launch none: grid=4 x=fp32[64] out=fp32[1] BLOCK=16
@triton.jit
def sum_with_atomic(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i)))


# launch race: grid=4 x=fp32[64] out=fp32[1] BLOCK=16
@triton.jit
def reset_and_add(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if tl.program_id(0) == 0:
        tl.store(out, 0.0)
    tl.atomic_add(out, tl.sum(tl.load(x + i)))


# launch none: grid=4 out=fp32[16]
@triton.jit
def all_store_the_same(out):
    tl.store(out + tl.arange(0, 16), 1.0)


# launch race: grid=4 out=fp32[16]
@triton.jit
def all_store_their_own(out):
    tl.store(out + tl.arange(0, 16), tl.program_id(0).to(tl.float32))


# launch race: grid=2 out=i8[8] BLOCK=4
@triton.jit
def overlapping_types(out, BLOCK: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(out + tl.arange(0, BLOCK), 1)
    else:
        tl.store(out.to(tl.pointer_type(tl.int32)), 7)


# launch none: grid=8 x=fp32[8,16] out=fp32[2,16] lock=i32[2] count=i32[2]
@triton.jit
def sum_under_lock(x, out, lock, count):
    pid = tl.program_id(0)
    group = pid % 2
    j = tl.arange(0, 16)
    part = tl.load(x + pid * 16 + j)
    while tl.atomic_cas(lock + group, 0, 1) == 1:
        pass
    seen = tl.load(count + group)
    if seen == 0:
        tl.store(count + group, 1)
    else:
        part += tl.load(out + group * 16 + j)
    tl.store(out + group * 16 + j, part)
    tl.debug_barrier()
    tl.atomic_xchg(lock + group, 0)


# launch race: grid=8 x=fp32[8,16] out=fp32[1,16] lock=i32[2] count=i32[2]
@triton.jit
def sum_under_two_locks(x, out, lock, count):
    pid = tl.program_id(0)
    group = pid % 2
    j = tl.arange(0, 16)
    while tl.atomic_cas(lock + group, 0, 1) == 1:
        pass
    tl.store(out + j, tl.load(x + pid * 16 + j) + tl.load(out + j))
    tl.atomic_xchg(lock + group, 0)


# launch none: grid=4 x=fp32[4] parts=fp32[4] out=fp32[1] done=i32[1]
@triton.jit
def last_one_sums(x, parts, out, done):
    pid = tl.program_id(0)
    tl.store(parts + pid, tl.load(x + pid) * 2)
    if tl.atomic_add(done, 1) == tl.num_programs(0) - 1:
        tl.store(out, tl.sum(tl.load(parts + tl.arange(0, 4))))


# launch race: grid=4 x=fp32[4] parts=fp32[4] out=fp32[1] done=i32[1]
@triton.jit
def relaxed_does_not_order(x, parts, out, done):
    pid = tl.program_id(0)
    tl.store(parts + pid, tl.load(x + pid) * 2)
    if tl.atomic_add(done, 1, sem="relaxed") == tl.num_programs(0) - 1:
        tl.store(out, tl.sum(tl.load(parts + tl.arange(0, 4))))


# launch race: grid=4 x=fp32[4] parts=fp32[4] out=fp32[1] done=i32[1]
@triton.jit
def counting_does_not_order(x, parts, out, done):
    pid = tl.program_id(0)
    tl.store(parts + pid, tl.load(x + pid) + 1)
    tl.atomic_add(done, 1)
    tl.store(out, tl.sum(tl.load(parts + tl.arange(0, 4))))


# launch none: grid=2 flag=i32[1] data=fp32[1] out=fp32[1]
@triton.jit
def flag(flag, data, out):
    if tl.program_id(0) == 0:
        tl.store(data, 3.0)
        tl.atomic_xchg(flag, 1)
    else:
        while tl.load(flag, volatile=True) == 0:
            pass
        tl.store(out, tl.load(data))


# launch conflicting-store: grid=1 x=fp32[16] out=fp32[8]
@triton.jit
def two_to_one(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i // 2, tl.load(x + i) + i)


# launch none: grid=1 x=fp32[16] out=fp32[8]
@triton.jit
def two_equal_to_one(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i // 2, (i // 2).to(tl.float32))


# launch conflicting-store: grid=1 out=fp32[1]
@triton.jit
def tile_to_one(out):
    tl.store(out + tl.zeros([16], tl.int32), tl.arange(0, 16).to(tl.float32))


# launch none: grid=1 x=fp32[16] out=fp32[8]
@triton.jit
def every_other(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i // 2, tl.load(x + i) + i, mask=i % 2 == 1)


# launch offset-overflow: grid=1 x=fp32[16] out=fp32[16] page=65536 size=65536
@triton.jit
def wrapped_page(x, out, page, size):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + page * size + i))


# launch none: grid=1 x=fp32[16] out=fp32[16] page=65536 size=65536
@triton.jit
def wrapped_page_masked(x, out, page, size):
    i = tl.arange(0, 16)
    at = page * size + i
    tl.store(out + i, tl.load(x + at, mask=at < 0, other=0))


# launch none: grid=1 x=fp32[16] out=fp32[16] page=65536 size=65536
@triton.jit
def hash_wraps(x, out, page, size):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + ((i * 0x1E3779B1 + page * size) & 15)))


# launch offset-overflow: grid=1 x=fp32[16] out=fp32[16] page=1073741824 size=4
@triton.jit
def wrapped_shift(x, out, page, size):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + ((page << 2) + i)))


# launch none: grid=1 x=fp32[16] out=fp32[16] page=65536 size=65536
@triton.jit
def wide_page(x, out, page, size):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + (page.to(tl.int64) * size - (1 << 32)) + i))


# launch none: grid=2 out=fp32[32]
@triton.jit
def true_hints(out):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    i = tl.max_contiguous(tl.multiple_of(i, 16), 16)
    tl.store(out + i, 0.0)


# launch hint: grid=2 out=fp32[32] n=20
@triton.jit
def false_multiple(out, n):
    i = tl.program_id(0) * n + tl.arange(0, 4)
    tl.store(out + tl.multiple_of(i, 8), 0.0)


# launch hint: grid=1 out=fp32[32] n=10
@triton.jit
def false_contiguity(out, n):
    i = tl.max_contiguous(tl.arange(0, 16) % n, 16)
    tl.store(out + i, 0.0)


# launch hint: grid=1 out=fp32[32] n=3
@triton.jit
def false_constancy(out, n):
    i = tl.max_constancy(tl.arange(0, 16) // n, 4)
    tl.store(out + i, 0.0)


# launch assumption: grid=1 out=fp32[32] n=3
@triton.jit
def false_assumption(out, n):
    tl.assume(n > 3)
    tl.store(out, 0.0)


# launch out-of-bounds: grid=1 x=fp32[16]
@triton.jit
def dead_load(x):
    tl.load(x + 16)
