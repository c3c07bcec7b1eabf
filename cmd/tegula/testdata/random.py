import triton
import triton.language as tl


@triton.jit
def random(out_ptr, seed, n, NORMAL: tl.constexpr, BLOCK: tl.constexpr):
    """Element 4i+k of out is result k for counter i."""
    counters = tl.arange(0, BLOCK)
    if NORMAL:
        numbers = tl.randn4x(seed, counters)
    else:
        numbers = tl.rand4x(seed, counters)
    for k in tl.static_range(4):
        at = 4 * counters + k
        tl.store(out_ptr + at, numbers[k], mask=at < n)
