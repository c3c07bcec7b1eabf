"""Control flow, calls, constants."""
import triton
import triton.language as tl

LIMIT: tl.constexpr = 5
SCALE = tl.constexpr(0.5)


# case: grid=8 out=>i32[8]
@triton.jit
def branches(out):
    p = tl.program_id(0)
    if p < 2:
        v = p * 10
    elif p == 3:
        v = -1
    else:
        v = p + 100
    tl.store(out + p, v)


# case: grid=8 out=>i32[8] n=5
@triton.jit
def early_return(out, n):
    p = tl.program_id(0)
    if p >= n:
        return
    if p == 2:
        tl.store(out + p, 99)
        return
    tl.store(out + p, p + 1)


# case: grid=1 out=>i32[16] n=27
@triton.jit
def collatz(out, n):
    steps = 0
    top = n
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        top = tl.maximum(top, n)
        steps += 1
    tl.store(out, steps)
    tl.store(out + 1, top)


# case: grid=1 out=>i32[64] n=4
@triton.jit
def nested_loops(out, n):
    i = tl.arange(0, 64)
    acc = tl.zeros([64], dtype=tl.int32)
    count = 0
    for a in range(n):
        for b in range(a, 2 * n, 2):
            if (a + b) % 3 != 0:
                acc += i * a - b
                count += 1
    tl.store(out + i, acc + count)


# case: grid=1 out=>i32[16] n=10
@triton.jit
def down_loop(out, n):
    acc = 0
    for k in range(n, 0, -3):
        tl.store(out + k, k * 2)
        acc += k
    tl.store(out, acc)


# case: grid=1 out=>i32[32]
@triton.jit
def static_ranges(out):
    i = tl.arange(0, 32)
    acc = i * 0
    for k in tl.static_range(4):
        if k % 2 == 0:
            acc += i << k
        else:
            acc -= k
    for k in tl.static_range(LIMIT, 0, -2):
        acc = acc * 2 + k
    tl.store(out + i, acc)


@triton.jit
def divmod_pair(a, b):
    return a // b, a % b


@triton.jit
def clip(x, lo=0, hi: tl.constexpr = 10):
    if hi is None:
        return tl.maximum(x, lo)
    return tl.minimum(tl.maximum(x, lo), hi)


# case: grid=1 x=i32[32]:int(0,40) out=>i32[128]
@triton.jit
def calls(x, out):
    i = tl.arange(0, 32)
    a = tl.load(x + i)
    q, r = divmod_pair(a, 7)
    tl.store(out + i, q)
    tl.store(out + 32 + i, r)
    tl.store(out + 64 + i, clip(a, hi=20))
    tl.store(out + 96 + i, clip(a, 5, None) + clip(a))


# case relu: grid=1 x=fp32[32]:rand(-2,2) out=>fp32[32] ACT="relu" BIAS=1
# case square: grid=1 x=fp32[32]:rand(-2,2) out=>fp32[32] ACT="square" BIAS=None
# case none: grid=1 x=fp32[32]:rand(-2,2) out=>fp32[32] ACT=None BIAS=0
@triton.jit
def constexpr_choice(x, out, ACT: tl.constexpr, BIAS: tl.constexpr):
    i = tl.arange(0, 32)
    a = tl.load(x + i)
    if ACT == "relu":
        a = tl.where(a > 0, a, 0.0)
    elif ACT == "square":
        a = a * a
    if BIAS is not None:
        a += BIAS
    tl.store(out + i, a * SCALE)


# case: grid=1 out=>i32[8] A=7 B=-3
@triton.jit
def constexpr_math(out, A: tl.constexpr, B: tl.constexpr):
    tl.store(out, A // B)
    tl.store(out + 1, A % B)
    tl.store(out + 2, A**2 - (B << 2))
    tl.store(out + 3, (A > B and B < 0) + 0)
    C: tl.constexpr = A * B if A > 0 else 0
    tl.store(out + 4, C)
    tl.store(out + 5, max(A, B) + min(A, 2))
    tl.static_assert(A > B, "A must be larger")
    tl.store(out + 6, tl.arange(0, A + 1).shape[0])
    tl.store(out + 7, triton.next_power_of_2(A) + triton.cdiv(A, 2))


# case: grid=4 x=i32[4]:int(0,3) out=>i32[4]
@triton.jit
def conditional_expression(x, out):
    p = tl.program_id(0)
    v = tl.load(x + p)
    w = v * 2 if v > 1 else v - 5
    tl.store(out + p, w if p != 2 else 1000)


# case: grid=1 x=i32[16]:int(0,9) out=>i32[16]
@triton.jit
def logic_chain(x, out):
    for k in range(16):
        v = tl.load(x + k)
        if v > 2 and v < 7 or v == 9:
            tl.store(out + k, 1)
        if not (v == 0):
            tl.store(out + k, tl.load(out + k) + 10)


# case: grid=1 out=>i32[4]
@triton.jit
def tuples(out):
    t = (1, 2, 3)
    a, b, c = t
    x, y = b, a
    x, y = y, x + c
    tl.store(out, x)
    tl.store(out + 1, y)
    tl.store(out + 2, t[2] + len(t))
    s = 0
    for v in tl.static_range(3):
        s += t[v]
    tl.store(out + 3, s)


# case: grid=1 out=>fp32[2] n=10
@triton.jit
def while_tuple(out, n):
    a = 0.0
    b = 1.0
    i = 0
    while i < n:
        a, b = b, a + b
        i += 1
    tl.store(out, a)
    tl.store(out + 1, b)


# case: grid=1 out=>i32[16]
@triton.jit
def augmented(out):
    i = tl.arange(0, 16)
    v = i
    v += 3
    v *= 2
    v -= 1
    v //= 3
    v %= 5
    v <<= 2
    v |= 1
    v ^= 6
    v &= 31
    v >>= 1
    tl.store(out + i, v)


# case: grid=1 x=i32[8]:int(0,99) out=>i32[8] n=8
@triton.jit
def range_bounds(x, out, n):
    start = tl.load(x) % 3
    for k in tl.range(start, n, 2, num_stages=3):
        tl.store(out + k, k + start)


# case: grid=1 x=i32[96]:int(0,99) out=>i32[96] n=96
@triton.jit
def loops_in_a_row(x, out, n):
    total = tl.zeros([32], dtype=tl.int32)
    for start in range(0, n, 32):
        i = start + tl.arange(0, 32)
        v = tl.load(x + i)
        total += v
    for start in range(0, n, 32):
        i = start + tl.arange(0, 32)
        v = tl.load(x + i)
        tl.store(out + i, v * 2)
    for start in range(0, n, 32):
        i = start + tl.arange(0, 32)
        v = tl.load(out + i)
        tl.store(out + i, v + total)
