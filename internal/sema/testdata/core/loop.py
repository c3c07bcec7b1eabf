"""Loops: what is carried, and what is not."""
import triton
import triton.language as tl


# compile: p=*fp32 n=i32
@triton.jit
def accumulate(p, n):
    acc = 0.0
    for i in range(n):
        x = tl.load(p + i)
        acc += x
    tl.store(p, acc)


# compile: p=*fp32 n=i32
@triton.jit
def nested(p, n):
    acc = 0.0
    count = 0
    for i in range(0, n):
        for j in range(i, n, 2):
            if j != 3:
                acc += tl.load(p + j)
                count += 1
    tl.store(p, acc)
    tl.store(p + 1, count)


# compile: p=*fp32 n=i32 FLAG=False
@triton.jit
def not_carried(p, n, FLAG: tl.constexpr):
    x = 1.0
    y = 2.0
    z = 3.0
    for i in range(n):
        if FLAG:
            x = 5.0
        y = x
        z = z
        tl.store(p + i, x + z)
    tl.store(p, y)


# compile: p=*fp32 n=i32
@triton.jit
def swap(p, n):
    a = 0.0
    b = 1.0
    for _ in range(n):
        a, b = b, a + b
    tl.store(p, a)


# compile: p=*fp32 n=i32
@triton.jit
def downwards(p, n):
    for i in range(n, 0, -2):
        tl.store(p + i, i)


# compile: p=*fp32 n=i64
@triton.jit
def counters(p, n):
    for i in range(n):
        tl.store(p + i, 1.0)
    for j in tl.range(0, 10, num_stages=3, loop_unroll_factor=2, flatten=True):
        tl.store(p + j, 2.0)


# compile: p=*fp32 n=i32
@triton.jit
def unrolled(p, n):
    acc = 0.0
    for i in tl.static_range(0, 6, 2):
        double: tl.constexpr = i * 2
        acc += tl.load(p + double)
        if i == 2:
            continue
        acc *= 2
    for name, k in (("a", 1), ("b", 2), ("c", 3)):
        if name == "c":
            break
        acc += k
    tl.store(p, acc)
    tl.store(p + i, k)


# compile: p=*fp32 n=i32
@triton.jit
def while_loop(p, n):
    i = 0
    bound = n
    while i < bound and tl.load(p + i) > 0:
        i += 1
        tl.store(p + i, 0.0)
    tl.store(p, i)


# compile: p=*fp32 n=i32
@triton.jit
def while_walrus(p, n):
    i = 0
    while (x := tl.load(p + i)) > 0.0:
        tl.store(p + i, x * 2)
        i += 1
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def while_never(p, n):
    while False:
        undefined()
    else:
        tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def carried_tuple(p, n):
    state = (0, (1.0, None))
    for i in range(n):
        count, (total, none) = state
        state = (count + 1, (total * 2, none))
    tl.store(p, state[1][0])


# compile: p=*fp32 n=i32
@triton.jit
def block_pointer(p, n):
    block = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    for i in range(0, n, 16):
        x = tl.load(block, boundary_check=(0,))
        tl.store(block, x + 1, boundary_check=(0,))
        block = tl.advance(block, (16,))


# compile: p=*fp32 n=i32
@triton.jit
def in_branch(p, n):
    acc = 1.0
    if n > 0:
        for i in range(n):
            acc += 1.0
    else:
        while acc > 0.5:
            acc *= 0.25
    tl.store(p, acc)
