import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 8}, num_warps=2), triton.Config({"BLOCK": 16})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def fill(out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out_ptr + offsets, 2)
    else:
        tl.store(out_ptr + offsets, 1, mask=offsets < n)
