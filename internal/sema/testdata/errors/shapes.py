import triton
import triton.language as tl


# compile: p=*fp32
@triton.jit
def scalar_with_an_axis(p):
    tl.store(p, tl.load(p)[None, :])


# compile: p=*fp32
@triton.jit
def row_as_a_matrix(p):
    x = tl.load(p + tl.arange(0, 8))[:, :]


# compile: p=*fp32
@triton.jit
def element_of_a_scalar(p):
    x = tl.load(p)[3, :]


# compile: p=*fp32
@triton.jit
def sum_of_a_pointer(p):
    tl.store(p, tl.sum(p, 0))


# compile: p=*fp32
@triton.jit
def scan_of_a_scalar(p):
    tl.store(p, tl.cumsum(tl.load(p), 0))


# compile: p=*fp32 n=i32
@triton.jit
def mask_of_another_axis(p, n):
    i = tl.arange(0, 8)
    x = 2 * tl.load(p + i[:, None], mask=i < n)
    tl.store(p + i[:, None], x + 1)


# compile: p=*fp32 n=i32
@triton.jit
def row_to_a_column(p, n):
    i = tl.arange(0, 8)
    x = tl.load(p + i[None, :], mask=i < n)
    tl.store(p + i[:, None], x)


# compile: p=*fp32 n=i32
@triton.jit
def tile_as_a_choice(p, n):
    x = tl.load(p + tl.arange(0, 8))
    tl.store(p + tl.arange(0, 8), x if x > 0 else 0)
