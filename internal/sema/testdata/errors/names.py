"""Names that mean nothing, or not what they should."""
import triton
import triton.language as tl

SIZE = 16
PAIR = (1, 2)


# compile: p=*fp32 n=i32
@triton.jit
def undefined(p, n):
    tl.store(p, m)


# compile: p=*fp32 n=i32
@triton.jit
def misspelt(p, n):
    offset = n * 2
    tl.store(p + ofset, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def plain_global(p, n):
    tl.store(p + SIZE, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def plain_tuple(p, n):
    tl.store(p + PAIR[0], 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def cannot_be_known(p, n):
    tl.store(p + unknowable, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def no_such_function(p, n):
    x = tl.laod(p)


# compile: p=*fp32 n=i32
@triton.jit
def no_such_method(p, n):
    x = tl.load(p).summ()


# compile: p=*fp32 n=i32
@triton.jit
def only_in_loop(p, n):
    for i in range(n):
        x = tl.load(p + i)
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def counter_after_loop(p, n):
    for i in range(n):
        tl.store(p + i, 0.0)
    tl.store(p + i, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def only_in_branch(p, n):
    if n > 0:
        x = tl.load(p)
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def deleted(p, n):
    x = 1.0
    del x
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def delete_nothing(p, n):
    del tl


# compile: p=*fp32 n=i32
@triton.jit
def call_nothing(p, n):
    n(3)


# compile: p=*fp32 n=i32
@triton.jit
def call_module(p, n):
    tl(3)


# compile: p=*fp32 n=i32
@triton.jit
def in_two_loops(p, n):
    for i in range(n):
        x = tl.load(p + i)
    for i in range(n):
        x = tl.load(p + i)
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def in_loop_and_branch(p, n):
    for i in range(n):
        x = tl.load(p + i)
    if n > 0:
        x = 1.0
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def on_a_path_that_returns(p, n):
    if n > 0:
        x = 1.0
        if n > 3:
            return
    tl.store(p, x)


# compile: p=*fp32 N=8
@triton.jit
def in_branch_not_taken(p, N: tl.constexpr):
    if N > 16:
        x = tl.load(p)
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def used_before(p, n):
    tl.store(p, x)
    x = tl.load(p)


# compile: p=*fp32 n=i32
@triton.jit
def in_loop_that_runs_no_times(p, n):
    for i in tl.static_range(0):
        if n > 0:
            x, y = n, i
    tl.store(p, y)


# compile: p=*fp32
@triton.jit
def mean_of_tile(p):
    x = tl.load(p + tl.arange(0, 8))
    tl.store(p, x.mean())


# compile: p=*fp32
@triton.jit
def empty_tile(p):
    tl.store(p + tl.arange(0, 8), tl.empty((8, ), tl.float32))


# compile: p=*fp32
@triton.jit
def list_of_tiles(p):
    acc = []
    acc.append(tl.load(p))
    tl.store(p, acc[0])


# compile: p=*fp32
@triton.jit
def sum_along_dim(p):
    tl.store(p, tl.sum(tl.load(p + tl.arange(0, 8)), dim=0))


# compile: p=*fp32 n=i32
@triton.jit
def indexed_pointer(p, n):
    tl.store(p, tl.load(p[n]))
