"""Programs that would be too large. The limits are lower for these than for others."""
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
def deep(p, n):
    if n != 0:
        if n != 1:
            if n != 2:
                if n != 3:
                    if n != 4:
                        if n != 5:
                            if n != 6:
                                if n != 7:
                                    if n != 8:
                                        if n != 9:
                                            if n != 10:
                                                if n != 11:
                                                    if n != 12:
                                                        if n != 13:
                                                            if n != 14:
                                                                if n != 15:
                                                                    if n != 16:
                                                                        if n != 17:
                                                                            if n != 18:
                                                                                if n != 19:
                                                                                    if n != 20:
                                                                                        if n != 21:
                                                                                            tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def long_tuple(p, n):
    x = (1, 2, 3, 4, 5, 6, 7, 8) * 10 ** 9


# compile: p=*fp32 n=i32
@triton.jit
def long_text(p, n):
    tl.static_print(f"{'x' * 900000}{'y' * 900000}")


# compile: p=*fp32 n=i32
@triton.jit
def shared_parts(p, n):
    x = ((1, 2), (3, 4))
    for i in tl.static_range(40):
        x = (x, x)


# compile: p=*fp32 n=i32
@triton.jit
def shared_constants(p, n):
    x: tl.constexpr = ("a", "b")
    for i in tl.static_range(40):
        x = x + (x,)


# compile: p=*fp32 n=i32
@triton.jit
def shared_across_branches(p, n):
    x = (n, "b")
    for i in tl.static_range(40):
        if n > i:
            x = (x, x)
        else:
            x = (x, x)


# compile: p=*fp32 n=i32
@triton.jit
def nested_tuple(p, n):
    x = (n,)
    for i in tl.static_range(1000000):
        x = (x,)


# compile: p=*fp32 n=i32
@triton.jit
def tuple_in_loops(p, n):
    x = (("a", "b") * 100, n)
    for i in tl.static_range(100000):
        for j in range(n):
            x = (x[0], x[1] + 1)


@triton.jit
def pair(*args):
    return args


# compile: p=*fp32 n=i32
@triton.jit
def shared_arguments(p, n):
    x = ("a", "b")
    for i in tl.static_range(40):
        x = pair(x, x)
