import triton
import triton.language as tl

B40 = [1]
for _ in range(40):
    B40 = [B40, B40]


@triton.jit
def k(o, c: tl.constexpr):
    tl.store(o, 1)
