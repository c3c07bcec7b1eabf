"""if, under constant and run-time conditions, and conditional expressions."""
import triton
import triton.language as tl


# compile: p=*fp32 n=i32
@triton.jit
def one_side(p, n):
    x = 1.0
    if n > 3:
        x = tl.load(p)
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def both_sides(p, n):
    if n > 3:
        x = 1.0
        t = 3
    else:
        x = 2.0
        u = 4
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def chain(p, n):
    x = 0
    if n == 1:
        x = 10
    elif n == 2:
        x = 20
    elif n == 3:
        pass
    else:
        x = 40
    tl.store(p, x)


# compile: p=*fp32 n=i32 MODE='mean' K=3
@triton.jit
def static(p, n, MODE: tl.constexpr, K: tl.constexpr):
    if MODE == "sum":
        tl.store(p, does_not_exist)
    elif MODE in ("mean", "avg") and K > 2:
        x = 2.0
    else:
        x = "nonsense" + 1
    if K == 3 or n > 0:
        x += 1
    if not K:
        x = None
    tl.store(p, x)


# compile: p=*fp32 n=i32
@triton.jit
def tuples(p, n):
    pair = (1, 2.0)
    if n > 0:
        pair = (n, pair[1])
    a, b = pair
    tl.store(p, a + b)


# compile: p=*fp32 n=i32
@triton.jit
def expression(p, n):
    x = 1 if n > 0 else 2
    y = tl.load(p) if n > 5 else 0.0
    z = 5 if True else undefined
    tl.store(p, x + y + z)


# compile: p=*fp32 n=i32
@triton.jit
def nothing(p, n):
    if n > 0:
        pass


# compile: p=*fp32 n=i32
@triton.jit
def only_none(p, n):
    x = None
    if n > 0:
        x = tl.load(p)
        tl.store(p + 1, x)
    tl.store(p, 1.0)


# compile: p=*fp32 n=i32
@triton.jit
def boolean(p, n):
    big = n > 10
    if big and n < 20 and n != 15:
        tl.store(p, 1.0)
    if 0 < n <= 5:
        tl.store(p, 2.0)
    if not (big or n < 0):
        tl.store(p, 3.0)
    tl.store(p, big and True)


# compile: p=*fp32 n=i32
@triton.jit
def block_pointer(p, n):
    block = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    if n > 16:
        block = tl.advance(block, (16,))
    other = block if n > 32 else tl.advance(block, (4,))
    tl.store(other, tl.load(block))
