"""Calls of kernel functions and builtins with wrong arguments."""
import triton
import triton.language as tl


@triton.jit
def scale(x, by, *, bias=0.0):
    return x * by + bias


@triton.jit
def inner(x):
    return x + undefined_thing


@triton.jit
def outer(x):
    return inner(x) * 2


@triton.jit
def even(x):
    return odd(x)


@triton.jit
def odd(x):
    return even(x)


@triton.jit
def some(x):
    if x > 0:
        return x


@triton.jit
def unlike(x):
    if x > 0:
        return x
    else:
        return 1.0


@triton.jit
def unlike_count(x):
    if x > 0:
        return x, x
    return x


# compile: p=*fp32 n=i32
@triton.jit
def missing(p, n):
    tl.store(p, scale(1.0))


# compile: p=*fp32 n=i32
@triton.jit
def too_many(p, n):
    tl.store(p, scale(1.0, 2.0, 3.0))


# compile: p=*fp32 n=i32
@triton.jit
def unexpected(p, n):
    tl.store(p, scale(1.0, 2.0, biass=3.0))


# compile: p=*fp32 n=i32
@triton.jit
def duplicate(p, n):
    tl.store(p, scale(1.0, 2.0, x=3.0))


# compile: p=*fp32 n=i32
@triton.jit
def builtin_missing(p, n):
    tl.store(p)


# compile: p=*fp32 n=i32
@triton.jit
def builtin_unexpected(p, n):
    x = tl.load(p, msk=n > 0)


# compile: p=*fp32 n=i32
@triton.jit
def builtin_too_many(p, n):
    tl.program_id(0, 1)


# compile: p=*fp32 n=i32
@triton.jit
def through_two_calls(p, n):
    tl.store(p, outer(tl.load(p)))


# compile: p=*fp32 n=i32
@triton.jit
def inside_library(p, n):
    tl.store(p, tl.sum(tl.arange(0, 16), axis=3))


# compile: p=*fp32 n=i32
@triton.jit
def recursive(p, n):
    tl.store(p, even(n))


# compile: p=*fp32 n=i32
@triton.jit
def self_recursive(p, n):
    self_recursive(p, n)


# compile: p=*fp32 n=i32
@triton.jit
def no_return(p, n):
    tl.store(p, some(n))


# compile: p=*fp32 n=i32
@triton.jit
def returns_unlike(p, n):
    tl.store(p, unlike(n))


# compile: p=*fp32 n=i32
@triton.jit
def returns_unlike_count(p, n):
    tl.store(p, unlike_count(n))


# compile: p=*fp32 n=i32
@triton.jit
def kernel_returns(p, n):
    return tl.load(p)


# compile: p=*fp32 n=i32
@triton.jit
def star_of_tile(p, n):
    tl.store(*tl.arange(0, 2))


# compile: p=*fp32 n=i32
@triton.jit
def bad_range(p, n):
    for i in range(0.5):
        tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def bad_step(p, n):
    for i in range(0, n, 0):
        tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def raised(p, n):
    raise ValueError("no such mode")


# compile: p=*fp32 n=i32 MODE='x'
@triton.jit
def asserted(p, n, MODE: tl.constexpr):
    assert MODE == "y", f"mode is {MODE}"


# compile: p=*fp32 n=i32
@triton.jit
def static_asserted(p, n):
    tl.static_assert(1 > 2, "one is not more than two")


@triton.jit
async def coroutine(x):
    return x


@triton.jit
def same_name_twice(x, *, x=1):
    return x


# compile: p=*fp32 n=i32
@triton.jit
def calls_a_coroutine(p, n):
    tl.store(p, coroutine(n))


# compile: p=*fp32 n=i32
@triton.jit
def calls_the_same_name_twice(p, n):
    tl.store(p, same_name_twice(n))
