import triton
import triton.language as tl


@triton.jit
def total(table, out, N: tl.constexpr, COUNT: tl.constexpr):
    """out = the sums of COUNT arrays whose addresses are in the table"""
    for i in range(COUNT):
        p = tl.load(table + i).to(tl.pointer_type(tl.float32))
        tl.store(out + i, tl.sum(tl.load(p + tl.arange(0, N))))
        tl.store(p, -1.0)
