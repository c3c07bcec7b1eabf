"""Kernels that the tests of the Go API launch."""
import triton
import triton.language as tl


@triton.jit
def twice(x_ptr, n, BLOCK: tl.constexpr):
    """x = 2 * x"""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(x_ptr + offsets, (x + x).to(x_ptr.dtype.element_ty), mask=mask)


@triton.jit
def flip(x_ptr, BLOCK: tl.constexpr):
    """x = not x"""
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(x_ptr + offsets, x == 0)


@triton.jit
def coordinates(out_ptr, count_ptr):
    """Counts the visits of each program, and writes what num_programs says."""
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny, nz = tl.num_programs(0), tl.num_programs(1), tl.num_programs(2)
    tl.atomic_add(out_ptr + (z * ny + y) * nx + x, 1)
    if x + y + z == 0:
        tl.store(count_ptr, nx)
        tl.store(count_ptr + 1, ny)
        tl.store(count_ptr + 2, nz)


@triton.jit
def widths(out_ptr, a, b, c, d, e):
    """The widths in bits of scalars as they arrive; negative for floats, zero for what is no number."""
    tl.store(out_ptr + 0, width(a))
    tl.store(out_ptr + 1, width(b))
    tl.store(out_ptr + 2, width(c))
    tl.store(out_ptr + 3, width(d))
    tl.store(out_ptr + 4, width(e))


@triton.jit
def width(x):
    if x is None:
        return 0
    elif x.dtype.is_floating():
        return -x.dtype.primitive_bitwidth
    else:
        return x.dtype.primitive_bitwidth


@triton.jit
def declared(out_ptr, a: tl.int64, b: "i8", c: tl.float64, d: tl.uint32):
    tl.store(out_ptr + 0, width(a))
    tl.store(out_ptr + 1, width(b))
    tl.store(out_ptr + 2, width(c))
    tl.store(out_ptr + 3, width(d))


@triton.jit
def constants(out_ptr, NAME: tl.constexpr, PAIR: tl.constexpr, FLAG: tl.constexpr, DTYPE: tl.constexpr, FN: tl.constexpr):
    if NAME == "on":
        tl.store(out_ptr + 0, PAIR[0] + PAIR[1])
    if FLAG:
        tl.store(out_ptr + 1, tl.full((), 300, DTYPE).to(tl.int32))
    tl.store(out_ptr + 2, FN(out_ptr, 5))


@triton.jit
def add_first(ptr, x):
    return tl.load(ptr) + x


@triton.jit
def tuples(out_ptr, pair, *rest, last=1):
    tl.store(out_ptr + 0, pair[0] + tl.load(pair[1]))
    tl.store(out_ptr + 1, rest[0] - rest[1])
    tl.store(out_ptr + 2, last)


@triton.jit
def forever(x_ptr):
    while tl.load(x_ptr) == 0:
        tl.store(x_ptr + 1, 1)


@triton.jit
def says(x_ptr):
    tl.static_print("compiled for", x_ptr.dtype)
    tl.device_print("x", tl.load(x_ptr))
