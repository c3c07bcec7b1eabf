"""What Python has and kernels have not."""
import triton
import triton.language as tl


# compile: p=*fp32 n=i32
@triton.jit
def imports(p, n):
    import math


# compile: p=*fp32 n=i32
@triton.jit
def classes(p, n):
    class A:
        pass


# compile: p=*fp32 n=i32
@triton.jit
def with_statement(p, n):
    with open("x"):
        pass


# compile: p=*fp32 n=i32
@triton.jit
def try_statement(p, n):
    try:
        tl.store(p, 1.0)
    finally:
        pass


# compile: p=*fp32 n=i32
@triton.jit
def match_statement(p, n):
    match n:
        case 1:
            pass


# compile: p=*fp32 n=i32
@triton.jit
def global_statement(p, n):
    global x
    x = 1


# compile: p=*fp32 n=i32
@triton.jit
def nonlocal_statement(p, n):
    def f():
        nonlocal p
    f()


# compile: p=*fp32 n=i32
@triton.jit
def break_loop(p, n):
    for i in range(n):
        if i == 3:
            break


# compile: p=*fp32 n=i32
@triton.jit
def continue_loop(p, n):
    for i in range(n):
        if n == 3:
            continue
        tl.store(p + i, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def break_unrolled(p, n):
    for i in tl.static_range(4):
        if n == i:
            break


# compile: p=*fp32 n=i32
@triton.jit
def return_in_loop(p, n):
    for i in range(n):
        if i == 3:
            return


# compile: p=*fp32 n=i32
@triton.jit
def endless(p, n):
    while True:
        tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def assign_element(p, n):
    x = tl.arange(0, 16)
    x[0] = 1


# compile: p=*fp32 n=i32
@triton.jit
def assign_attribute(p, n):
    p.x = 1


# compile: p=*fp32 n=i32
@triton.jit
def augment_element(p, n):
    x = tl.arange(0, 16)
    x[3] += 1


# compile: p=*fp32 n=i32
@triton.jit
def dictionary(p, n):
    x = {"a": 1}


# compile: p=*fp32 n=i32
@triton.jit
def sets(p, n):
    x = {1, 2}


# compile: p=*fp32 n=i32
@triton.jit
def slice_of_tile(p, n):
    x = tl.arange(0, 16)[2:4]


# compile: p=*fp32 n=i32
@triton.jit
def generator(p, n):
    yield n


# compile: p=*fp32 n=i32
@triton.jit
def matmul(p, n):
    x = n @ n


# compile: p=*fp32 n=i32
@triton.jit
def loop_over_scalar(p, n):
    for i in n:
        pass


# compile: p=*fp32 n=i32
@triton.jit
def loop_target(p, n):
    for i, j in range(n):
        pass


# compile: p=*fp32 n=i32
@triton.jit
def complex_number(p, n):
    tl.store(p, 1j)


@triton.jit
def printing_sum(a, b):
    tl.device_print("a", a)
    return a + b


# compile: p=*fp32 n=i32
@triton.jit
def prints_in_reduction(p, n):
    tl.store(p, tl.reduce(tl.load(p + tl.arange(0, 4)), 0, printing_sum))


# compile: p=*fp32 n=i32
@triton.jit
def loads_in_scan(p, n):
    tl.associative_scan(tl.load(p + tl.arange(0, 4)), 0, lambda a, b: a + tl.load(p))
