"""Variables that change their type, and values where a constant must be."""
import triton
import triton.language as tl


# compile: p=*fp32 n=i32
@triton.jit
def branch_changes(p, n):
    x = 0
    if n > 0:
        x = 1.0
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def branches_differ(p, n):
    if n > 0:
        x = 1
    else:
        x = 1.0
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def branch_none(p, n):
    x = None
    if n > 0:
        x = tl.load(p)
    tl.store(p, x)


# compile: p=*fp32 n=i32 B=16
@triton.jit
def branch_constexpr(p, n, B: tl.constexpr):
    if n > 0:
        B = 32
    tl.store(p, B)


# compile: p=*fp32 n=i32
@triton.jit
def expression_differs(p, n):
    x = tl.load(p) if n > 0 else 0
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def loop_changes(p, n):
    acc = 0
    for i in range(n):
        acc += tl.load(p + i)
    tl.store(p, acc)


# compile: p=*fp16 n=i32
@triton.jit
def loop_shape(p, n):
    acc = 0.0
    for i in range(n):
        acc += tl.load(p + tl.arange(0, 16))
    tl.store(p, acc)


# compile: p=*fp32 n=i32
@triton.jit
def loop_none(p, n):
    last = None
    for i in range(n):
        last = tl.load(p + i)


# compile: p=*fp32 n=i32 B=16
@triton.jit
def loop_constexpr(p, n, B: tl.constexpr):
    while n > B:
        B = B * 2


# compile: p=*fp32 n=i32
@triton.jit
def loop_tuple(p, n):
    t = (1, 2)
    for i in range(n):
        t = (1, 2, 3)


# compile: p=*fp32 n=i32
@triton.jit
def loop_unbound(p, n):
    x = 1.0
    for i in range(n):
        del x


# compile: p=*fp32 n=i32
@triton.jit
def constexpr_twice(p, n):
    x: tl.constexpr = 1
    x: tl.constexpr = 2


# compile: p=*fp32 n=i32
@triton.jit
def not_constant(p, n):
    size = 16
    for i in tl.static_range(size):
        tl.store(p + i, 0.0)


# compile: p=*fp32 n=i32
@triton.jit
def parameter_not_constant(p, n):
    for i in tl.static_range(0, n):
        tl.store(p + i, 0.0)


# compile: p=*fp32 n=i32
@triton.jit
def tuple_index(p, n):
    t = (1.0, 2.0)
    tl.store(p, t[n])


# compile: p=*fp32 n=i32
@triton.jit
def tuple_range(p, n):
    t = (1.0, 2.0)
    tl.store(p, t[2])


# compile: p=*fp32 n=i32
@triton.jit
def text(p, n):
    tl.static_print(f"n is {n}")


# compile: p=*fp32 n=i32
@triton.jit
def text_of_a_pointer(p, n):
    print(f"p is {p}")


# compile: p=(1,2,3) n=i32
@triton.jit
def a_list_for_a_pointer(p, n):
    tl.store(p + tl.arange(0, 4), n)


# compile: p=*fp32 n=i32
@triton.jit
def condition_is_method(p, n):
    if p.dtype.element_ty.is_fp32:
        tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def condition_is_tile(p, n):
    if tl.arange(0, 16) > n:
        tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def zero_division(p, n):
    tl.store(p, 1 // (2 - 2))


# compile: p=*fp32 n=i32
@triton.jit
def mixed_constants(p, n):
    tl.store(p, "a" + 1)


# compile: p=*fp32 n=i32
@triton.jit
def huge(p, n):
    tl.store(p, 10 ** 10 ** 10)


# compile: p=*fp32 n=i32
@triton.jit
def python_int(p, n):
    tl.store(p, int(tl.load(p)))


# compile: p=*fp32 n=i32
@triton.jit
def length(p, n):
    tl.store(p, len(tl.arange(0, 16)))


# compile: p=*fp32 n=i32
@triton.jit
def unpack_more(p, n):
    a, b = 1, 2, 3


# compile: p=*fp32 n=i32
@triton.jit
def unpack_fewer(p, n):
    a, b, *c = (1,)


# compile: p=*fp32 n=i32
@triton.jit
def unpack_tile(p, n):
    a, b = tl.arange(0, 2)


# compile: p=*fp32 n=i32
@triton.jit
def contains(p, n):
    if n in (1, 2):
        tl.store(p, 1.0)


@triton.jit
def clear(p, N: tl.constexpr):
    tl.store(p + tl.arange(0, N), 0.0)


# compile: p=*fp32 n=i32
@triton.jit
def run_time_value_for_constexpr(p, n):
    clear(p, n * 2)


# compile: p=*fp32 n=i32
@triton.jit
def constexpr_of_run_time_value(p, n):
    size: tl.constexpr = n // 2
    tl.store(p + tl.arange(0, size), 0.0)


# compile: p=*fp32 n=i32
@triton.jit
def arange_of_variable(p, n):
    size = 16
    tl.store(p + tl.arange(0, size), 0.0)
