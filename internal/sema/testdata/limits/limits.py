"""Programs that would be too large."""
import triton
import triton.language as tl


# compile: p=*fp32 n=i32
@triton.jit
def unroll_too_much(p, n):
    for i in tl.static_range(1000000000):
        tl.store(p + i, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def unroll_nothing(p, n):
    for i in tl.static_range(1000000000):
        pass


@triton.jit
def two(x):
    return x + x


@triton.jit
def four(x):
    return two(two(two(two(x))))


@triton.jit
def eight(x):
    return four(four(four(four(four(four(x))))))


@triton.jit
def sixteen(x):
    return eight(eight(eight(eight(eight(eight(eight(eight(x))))))))


@triton.jit
def more(x):
    return sixteen(sixteen(sixteen(sixteen(sixteen(sixteen(sixteen(sixteen(sixteen(x)))))))))


@triton.jit
def most(x):
    return more(more(more(more(more(more(more(more(more(more(more(more(x))))))))))))


# compile: p=*fp32 n=i32
@triton.jit
def inline_too_much(p, n):
    for i in tl.static_range(20):
        tl.store(p, most(n))


# compile: p=*fp32 n=i32
@triton.jit
def comprehension(p, n):
    x = [[[i for i in range(1000)] for j in range(1000)] for k in range(1000)]


# compile: p=*fp32 n=i32
@triton.jit
def long_range(p, n):
    x = [i for i in range(10000000)]


# compile: p=*fp32 n=i32
@triton.jit
def guards(p, n):
    for i in tl.static_range(1000):
        if n == i:
            return
    tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def long_tuple(p, n):
    x = (1, 2, 3, 4, 5, 6, 7, 8) * 10 ** 9


# compile: p=*fp32 n=i32
@triton.jit
def long_text(p, n):
    tl.static_print(f"{'x' * 900000}{'y' * 900000}")
