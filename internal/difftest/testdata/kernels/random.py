"""Random numbers: the streams are fixed."""
import triton
import triton.language as tl


# case: grid=2 out=>fp32[256] seed=42 tol=0
@triton.jit
def uniform(out, seed):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.store(out + i, tl.rand(seed, i))


# case: grid=1 out=>fp32[128] seed=7 rtol=2e-6 atol=2e-6
@triton.jit
def normal(out, seed):
    i = tl.arange(0, 128)
    tl.store(out + i, tl.randn(seed, i))


# case: grid=1 out=>i32[640] seed=1234567
@triton.jit
def integers(out, seed):
    i = tl.arange(0, 128)
    tl.store(out + i, tl.randint(seed, i))
    a, b, c, d = tl.randint4x(seed, i + 1000)
    tl.store(out + 128 + i, a)
    tl.store(out + 256 + i, b)
    tl.store(out + 384 + i, c)
    tl.store(out + 512 + i, d)


# case: grid=1 out=>i32[64] seed=i64:81985529216486895
@triton.jit
def long_seed(out, seed):
    i = tl.arange(0, 64)
    tl.store(out + i, tl.randint(seed, i, n_rounds=7))
