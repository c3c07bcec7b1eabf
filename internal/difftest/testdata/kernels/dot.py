"""Matrix multiplication."""
import triton
import triton.language as tl


# case fp32: grid=1 a=fp32[16,32]:int(-4,4) b=fp32[32,16]:int(-4,4) c=>fp32[16,16]
# case fp16: grid=1 a=fp16[16,32]:int(-4,4) b=fp16[32,16]:int(-4,4) c=>fp32[16,16]
# case bf16: grid=1 a=bf16[16,32]:int(-4,4) b=bf16[32,16]:int(-4,4) c=>fp32[16,16]
# case i8: grid=1 a=i8[16,32]:bits b=i8[32,16]:bits c=>i32[16,16]
# case fp64: grid=1 a=fp64[16,32]:int(-4,4) b=fp64[32,16]:int(-4,4) c=>fp64[16,16]
@triton.jit
def dot_once(a, b, c):
    i = tl.arange(0, 16)
    k = tl.arange(0, 32)
    x = tl.load(a + i[:, None] * 32 + k[None, :])
    y = tl.load(b + k[:, None] * 16 + i[None, :])
    tl.store(c + i[:, None] * 16 + i[None, :], tl.dot(x, y))


# case: grid=2,2 a=fp32[40,50]:rand(-1,1) b=fp32[50,44]:rand(-1,1) c=>fp32[40,44] M=40 N=44 K=50 rtol=1e-5 atol=1e-5
@triton.jit
def matmul_masked(a, b, c, M, N, K):
    m = tl.program_id(0) * 32 + tl.arange(0, 32)
    n = tl.program_id(1) * 32 + tl.arange(0, 32)
    acc = tl.zeros((32, 32), dtype=tl.float32)
    for k0 in range(0, K, 16):
        k = k0 + tl.arange(0, 16)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(x, y, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


# case: grid=1 a=fp32[2,16,16]:int(-4,4) b=fp32[2,16,16]:int(-4,4) c=>fp32[2,16,16]
@triton.jit
def dot_batched(a, b, c):
    i = tl.arange(0, 512)
    x = tl.load(a + i).reshape(2, 16, 16)
    y = tl.load(b + i).reshape(2, 16, 16)
    tl.store(c + i, tl.dot(x, y, acc=x * 2).reshape(512))


# case: grid=1 a=fp16[16,16]:int(-4,4) b=fp16[16,16]:int(-4,4) c=>fp16[16,16]
@triton.jit
def dot_half_out(a, b, c):
    i = tl.arange(0, 16)
    p = i[:, None] * 16 + i[None, :]
    x = tl.load(a + p)
    y = tl.load(b + p)
    tl.store(c + p, tl.dot(x, tl.trans(y), out_dtype=tl.float16))
