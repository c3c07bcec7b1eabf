"""Calls: parameters of every kind, closures, what constants become."""
import triton
import triton.language as tl
from triton.language import constexpr, program_id as pid

SIZE: tl.constexpr = 8


@triton.jit
def affine(x, scale, *, bias=0, ROUND: tl.constexpr = SIZE):
    return (x * scale + bias) // ROUND


# compile: p=*i32 n=i32
@triton.jit
def keywords(p, n):
    tl.store(p, affine(n, 2))
    tl.store(p, affine(scale=3, x=n, bias=1, ROUND=4))


@triton.jit
def total(first, *rest):
    for x in rest:
        first += x
    return first, len(rest)


# compile: p=*i32 n=i32
@triton.jit
def variadic(p, n):
    args = (n, n + 1)
    sum, count = total(*args, 3)
    tl.store(p, sum)
    number: tl.constexpr = total(*args, 3, *args)[1]
    tl.static_assert(number == 4)


# compile: p=*i32 n=i32 rest=(i32,5,*fp32)
@triton.jit
def kernel_variadic(p, n, *rest):
    tl.store(p, n + rest[0] + rest[1])
    tl.store(rest[-1], 1.0)


# compile: p=*i32 dims=(rows:=i32,cols:=i64:16)
@triton.jit
def named_tuple(p, dims):
    tl.store(p + dims.rows, dims[1])


# compile: p=*i32 n=i32
@triton.jit
def closures(p, n):
    step = n * 2

    def at(i, base=p):
        return base + i * step

    square = lambda x: x * x
    tl.store(at(1), square(n))
    step = 5
    tl.store(at(2), square(3))


@triton.jit
def apply(f, x, y):
    return f(x, y)


@triton.jit
def add(x, y):
    return x + y


# compile: p=*i32 n=i32
@triton.jit
def functions_as_arguments(p, n):
    tl.store(p, apply(add, n, 1))
    tl.store(p, apply(tl.maximum, n, 2))
    tl.store(p, apply(lambda a, b: a - b, n, 3))


@triton.jit
def fold(x, N: tl.constexpr):
    y = x * 2
    return N * 2 + 1


# compile: p=*i32 n=i32
@triton.jit
def constant_result(p, n):
    k: tl.constexpr = fold(n, 3)
    tl.store(p + tl.arange(0, k + 1), k)


# compile: p=*i32 n=i32
@triton.jit
def names(p, n: "tl.constexpr_type"):
    later: constexpr
    later = 4
    tl.store(p + tl.arange(0, later), pid(0))


@triton.jit
def nothing(p):
    tl.store(p, 1)


# compile: p=*i32 n=i32
@triton.jit
def none_result(p, n):
    r = nothing(p)
    if r is None:
        tl.store(p, 2)


# compile: p=*i32 n=i32
@triton.jit
def python_functions(p, n):
    a = max(1, 2, min(5, n))
    b = abs(n) + abs(-3)
    c = int(2.9) + len((1, 2)) + int(True)
    for i, (x, y) in enumerate(zip((1, 2), (n, a))):
        b += x * y + i
    d = getattr(p, "dtype") == tl.pointer_type(tl.int32)
    if isinstance(n, tl.tensor) and hasattr(n, "dtype") and not isinstance(n, tl.constexpr) and d:
        tl.store(p, a + b + c)
    tl.store(p, float("inf") > 1.0)
    tl.store(p, sum([i for i in range(5) if i % 2 == 0]))


@triton.jit
def reads_early(x):
    if x.dtype == tl.int32:
        return x.to(tl.float32)
    else:
        return x


# compile: p=*fp32 n=i32
@triton.jit
def types_decide(p, n):
    tl.store(p, reads_early(n) + reads_early(tl.load(p)))


@triton.jit
def combine(a, b):
    return a + b * 2


# compile: p=*fp32 n=i32
@triton.jit
def reduction(p, n):
    x = tl.load(p + tl.arange(0, 16))
    tl.store(p, tl.reduce(x, 0, combine))
    scale = n * 3
    tl.store(p, tl.reduce(x, 0, lambda a, b: a + b * scale))


@triton.jit
def power(base, exponent, result):
    while exponent > 0:
        result *= base
        exponent -= 1
    return result


@triton.jit
def at_most(x, limit):
    if x > limit:
        x = limit
    return x


# compile: p=*i32 n=i32
@triton.jit
def numbers_for_parameters(p, n):
    tl.store(p, power(n, 3, 1))
    tl.store(p, at_most(100, n))


# compile: p=*i32 n=1
@triton.jit
def specialised(p, n):
    while n < 10:
        n += n
    tl.store(p, n)
