package gen

// Programs, control flow, functions, hints and types. They are about structure: one type is enough.
var controlRows = []Row{
	{Name: "tl.program_id", Also: "tl.num_programs", Types: "i32", Grid: "2,3,2", Kernel: `
		@triton.jit
		def kernel(OUT):
		    x, y, z = tl.program_id(0), tl.program_id(axis=1), tl.program_id(2)
		    n = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
		    tl.store(OUT + n * 4 + tl.arange(0, 4), n * 100 + tl.num_programs(2) * 10 + tl.arange(0, 4))
	`, Args: "OUT=>i32[48]", Not: onlyIndices},
	// Numbers that go up from element to element wrap around before they are made wider, and unsigned offsets do where something is subtracted.
	{Name: "tl.arange", Also: "numbers that wrap around", Types: "i32", Kernel: `
		@triton.jit
		def kernel(X, OUT, s, t, n):
		    i = tl.arange(0, 64)
		    tl.store(OUT + i, (i + s).to(tl.int64))
		    tl.store(OUT + 64 + i, (i + t).to(tl.int64) + 5)
		    tl.store(OUT + 128 + i, (i.to(tl.uint32) - 3).to(tl.uint64).to(tl.int64))
		    tl.store(OUT + 192 + i, (i * s).to(tl.int64) * 2)
		    tl.store(OUT + 256 + i, ((i + s).to(tl.int64) > 5).to(tl.int64))
		    j = i.to(tl.uint32) - 3
		    m = j < n.to(tl.uint32)
		    tl.store(OUT + 320 + i, tl.load(X + j, mask=m, other=7))
		    tl.store(OUT + 384 + j, tl.load(X + i), mask=m)
		    k = tl.arange(0, 16)
		    tl.store(OUT + 448 + k, (k * 1073741824).to(tl.int64) + (k.to(tl.uint32) * 268435457).to(tl.int64))
	`, Args: "X=i64[64]:any OUT=>i64[464] s=2147483640 t=-2147483640 n=29", Not: onlyIndices},
	{Name: "tl.range", Types: "i32 i64", Kernel: `
		@triton.jit
		def kernel(OUT, n):
		    total = tl.zeros((8, ), {T})
		    for a in tl.range({opt}):
		        total = total * 3 + a
		    tl.store(OUT + tl.arange(0, 8), total + tl.arange(0, 8))
	`, Opts: "n;2, n;n, 0, -2;0, n, 3;n, n;0, n, num_stages=3, loop_unroll_factor=2;0, n, disallow_acc_multi_buffer=True, flatten=True, warp_specialize=False, disable_licm=True",
		Args: "OUT=>{t}[8] n=7", Not: onlyControl},
	{Name: "range", Also: "nested loops", Types: "i32", Kernel: `
		@triton.jit
		def kernel(OUT, n):
		    total = 0
		    count = 0
		    for a in range(n):
		        for b in range(a, n + 2, 2):
		            if (a + b) % 3 == 1:
		                total += a * b
		            else:
		                count += 1
		        total = total ^ a
		    tl.store(OUT, total)
		    tl.store(OUT + 1, count)
	`, Args: "OUT=>i32[2] n=9", Not: onlyControl},
	{Name: "tl.static_range", Types: "i32", Kernel: `
		@triton.jit
		def kernel(OUT, n):
		    total = n
		    for a in tl.static_range({opt}):
		        if a == 3:
		            total = total * 2
		        total += a * tl.constexpr(a + 1)
		        if a > 4:
		            break
		        if a == 2:
		            continue
		        total -= 1
		    tl.store(OUT, total)
	`, Opts: "8;1, 5;7, 1, -2", Args: "OUT=>i32[1] n=9", Judge: "unrolled:{opt}", Not: onlyControl},
	{Name: "while", Also: "tuples tl.condition", Types: "i32", Kernel: `
		@triton.jit
		def kernel(OUT, n):
		    t = (n, 0)
		    while tl.condition(t[0] != 1, disable_licm=True):
		        if t[0] % 2 == 0:
		            t = (t[0] // 2, t[1] + 1)
		        else:
		            t = (3 * t[0] + 1, t[1] + 1)
		    a, b = n, n * 2 + 1
		    while (a > 0) & (b > 0):
		        a, b = b - a, a - 1
		    tl.store(OUT, t[1])
		    tl.store(OUT + 1, a)
		    tl.store(OUT + 2, b)
	`, Args: "OUT=>i32[3] n=27", Not: onlyControl},
	{Name: "if", Also: "early return", Types: "i32", Grid: "6", Kernel: `
		@triton.jit
		def pick(n, x):
		    if n < 2:
		        return x * 10
		    if n == 4:
		        y = x + 1
		        return y
		    else:
		        x = x - 7
		    return x


		@triton.jit
		def kernel(OUT, n):
		    p = tl.program_id(0)
		    v = pick(p, p + n)
		    if p == 5:
		        return
		    elif p == 3:
		        v = -1
		    tl.store(OUT + p, v)
	`, Args: "OUT=>i32[6] n=7", Not: onlyControl},
	{Name: "x if c else y", Also: "chained comparisons, and, or of scalars", Types: "i32", Grid: "4", Kernel: `
		@triton.jit
		def kernel(OUT, n):
		    p = tl.program_id(0)
		    a = p * 2 if p > 1 else n
		    b = 1 if 0 < p and p < 3 else 0
		    c = 1 if p == 0 or p == 3 else 0
		    d = 1 if not (p > 1) else 0
		    tl.store(OUT + p, a * 1000 + b * 100 + c * 10 + d)
	`, Args: "OUT=>i32[4] n=7", Not: onlyControl},
	{Name: "functions", Also: "lambdas defaults keywords *args noinline", Types: "i32", Kernel: `
		@triton.jit
		def apply(f: tl.constexpr, x, by=3, *rest):
		    for i in tl.static_range(len(rest)):
		        x += rest[i]
		    return f(x, by), x


		@triton.jit
		def times(x, by):
		    return x * by


		@triton.jit(noinline=True)
		def far(x, y, N: tl.constexpr):
		    return x * N - y, tl.sum(x + tl.arange(0, N), 0)


		@triton.jit
		def kernel(OUT, n):
		    a, b = apply(times, n)
		    c, d = apply(times, n, 5, n, 2 * n, 1)
		    e, _ = apply(f=times, by=n, x=2)
		    g, h = far(n, 4, N=8)
		    tl.store(OUT + tl.arange(0, 8), a + b * 10 + tl.arange(0, 8))
		    tl.store(OUT + 8, c)
		    tl.store(OUT + 9, d + e)
		    tl.store(OUT + 10, g * 100 + h)
	`, Args: "OUT=>i32[11] n=6", Not: onlyControl},
	{Name: "tl.constexpr", Also: "triton.constexpr_function tl.tuple f-strings tl.static_assert tl.static_print", Types: "i32", Kernel: `
		SIZES = tl.constexpr((2, 8))
		LIMIT: tl.constexpr = 3


		@triton.constexpr_function
		def smallest_power(n):
		    p = 1
		    while p < n:
		        p *= 2
		    return p


		@triton.jit
		def kernel(OUT, n, N: tl.constexpr = 5):
		    M: tl.constexpr = smallest_power(N) * SIZES[0]
		    tl.static_assert(M == 16, f"{M} is no power of two")
		    tl.static_print(f"M = {M}", N, sep=": ")
		    i = tl.arange(0, M)
		    t = tl.tuple([n, M])
		    if LIMIT > 2 and N is not None:
		        v = i * t[0]
		    else:
		        v = i.no_such_attribute
		    shape: tl.constexpr = (SIZES[1], 2)
		    v += tl.reshape(tl.zeros(shape, tl.int32), (M, ))
		    tl.store(OUT + i, v + (1 if M % 5 == 1 else 0) + len(t))
	`, Args: "OUT=>i32[16] n=6", Not: onlyControl},
	{Name: "named tuples", Also: "through loops and functions", Types: "i32 fp32", Module: `
		from typing import NamedTuple


		class Pair(NamedTuple):
		    first: tl.tensor
		    second: tl.tensor


		@triton.jit
		def swapped(p):
		    return Pair(p.second, p.first)
	`, Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    i = tl.arange(0, 8)
		    p = Pair(tl.load(X + i), tl.load(X + 8 + i))
		    for k in range(3):
		        p = swapped(Pair(p.first + k, second=p.second * 2))
		    q = p
		    if tl.program_id(0) == 0:
		        q = Pair(p.second, p.first)
		    a, b = q
		    tl.store(OUT + i, q.first * 3 + q[1])
		    tl.store(OUT + 8 + i, a - b)
	`, Args: "X={t}[16]:small OUT=>{t}[16]", Not: onlyControl},
	{Name: "triton.aggregate", Also: "tl.aggregate_replace methods static methods", Types: "i32", Module: `
		@triton.aggregate
		class Span:
		    start: tl.tensor
		    step: tl.tensor
		    size: tl.constexpr

		    @triton.constexpr_function
		    def __init__(self, start, step, size):
		        self.start = start
		        self.step = step
		        self.size = tl.constexpr(size)

		    @staticmethod
		    @triton.jit
		    def make(start, N: tl.constexpr):
		        return Span(start, start + 1, N)

		    @triton.jit
		    def values(self):
		        return self.start + self.step * tl.arange(0, self.size)

		    @triton.jit
		    def moved(self, n=1):
		        return Span(self.start + self.step * n, self.step, self.size)
	`, Kernel: `
		@triton.jit
		def kernel(OUT, n, N: tl.constexpr = 8):
		    s = Span.make(n, N)
		    for k in range(4):
		        if k % 2 == 0:
		            s = s.moved(k)
		        else:
		            s = s.moved()
		    t = tl.aggregate_replace(s, step=n)
		    tl.store(OUT + tl.arange(0, N), s.values() + t.values() * 100)
	`, Args: "OUT=>i32[8] n=3", Judge: "spans", Not: onlyControl},
	{Name: "hints", Also: "tl.multiple_of tl.max_contiguous tl.max_constancy tl.assume tl.expect_zero tl.debug_barrier", Types: "i32", Kernel: `
		@triton.jit
		def kernel(X, OUT, n):
		    tl.assume(n > 0)
		    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 16), 16), 16)
		    j = tl.max_constancy(i // 8, 8)
		    x = tl.load(X + i)
		    tl.debug_barrier()
		    tl.store(OUT + i, tl.expect_zero(x - x, i < 3) + x + j)
	`, Args: "X=i32[16]:small OUT=>i32[16] n=6", Not: onlyControl},
	{Name: "tl.device_assert", Also: "tl.device_print assert", Types: "i32", Kernel: `
		@triton.jit
		def kernel(OUT, n):
		    i = tl.arange(0, 8)
		    tl.device_assert(i < n, "n is too small", mask=i < 3)
		    assert n > 1
		    tl.device_print("n and i:", n, i)
		    tl.store(OUT + i, i)
	`, Args: "OUT=>i32[8] n=8", Not: onlyControl},
	{Name: "types", Also: "tl.dtype tl.tensor tl.const tl.pointer_type tl.block_type x.dtype x.shape x.type element_ty", Types: "i32", Kernel: `
		@triton.jit
		def kernel(X: tl.const, OUT):
		    x = tl.load(X + tl.arange(0, 8))
		    tl.static_assert(x.type == tl.block_type(tl.int32, [8]) and tl.dtype("int32") == tl.int32)
		    tl.static_assert(x.dtype == tl.int32 and x.dtype.is_int() and not x.dtype.is_floating())
		    tl.static_assert(X.dtype.element_ty == tl.int32 and X.dtype.is_ptr() and x.shape[0] == 8)
		    tl.static_assert(x.dtype.primitive_bitwidth == 32 and tl.float16.primitive_bitwidth == 16)
		    tl.static_assert(isinstance(x, tl.tensor) and x.type.is_block())
		    y = x.to(X.dtype.element_ty) + x.to(tl.int64).to(x.dtype)
		    p = X.to(tl.pointer_type(tl.int32)) + tl.arange(0, 8)
		    tl.store(OUT + tl.arange(0, 8), y + tl.load(p))
	`, Args: "X=i32[8]:small OUT=>i32[8]", Not: onlyControl},
	{Name: "dependent launches", Also: "tl.extra.cuda.gdc_wait tl.extra.cuda.gdc_launch_dependents", Types: "i32", Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    tl.extra.cuda.gdc_wait()
		    i = tl.arange(0, 8)
		    tl.store(OUT + i, tl.load(X + i))
		    tl.extra.cuda.gdc_launch_dependents()
	`, Args: "X=i32[8]:small OUT=>i32[8]", Judge: "copy", Not: onlyControl},
}

const onlyControl = "i1 i8 i16 i64 uints floats bf16 fp8: is about control flow, not about elements"

// Random numbers: the streams are the same, bit for bit.
var randomRows = []Row{
	{Name: "tl.rand", Also: "tl.randint", Types: "i32 i64 u32 u64", Kernel: `
		@triton.jit
		def kernel(OUT, OUTI, seed):
		    i = tl.arange(0, 64).to({T}) + 1000
		    tl.store(OUT + tl.arange(0, 64), tl.rand({opt}))
		    tl.store(OUTI + tl.arange(0, 64), tl.randint({opt}))
	`, Opts: "seed, i;seed + 77, i;seed, i, n_rounds=7", Args: "OUT=>fp32[64] OUTI=>u32[64] seed=42", Not: notRandom},
	{Name: "tl.rand4x", Also: "tl.randint4x", Types: "i32 i64", Kernel: `
		@triton.jit
		def kernel(OUT, OUTI, seed):
		    i = tl.arange(0, 32).to({T}) * 77
		    a, b, c, d = tl.rand4x(seed, i)
		    tl.store(OUT + tl.arange(0, 32), a + b * 2 + c * 4 + d * 8)
		    e, f, g, h = tl.randint4x(seed, i)
		    tl.store(OUTI + tl.arange(0, 32), e ^ f ^ g ^ h)
	`, Args: "OUT=>fp32[32] OUTI=>u32[32] seed=123456789", Not: notRandom},
	{Name: "tl.randn", Also: "tl.randn4x tl.pair_uniform_to_normal", Types: "i32", Kernel: `
		@triton.jit
		def kernel(OUT, seed):
		    i = tl.arange(0, 32)
		    a, b, c, d = tl.randn4x(seed, i)
		    tl.store(OUT + i, a)
		    tl.store(OUT + 32 + i, c + d)
		    tl.store(OUT + 64 + i, tl.randn(seed, i))
		    x, y = tl.pair_uniform_to_normal(tl.rand(seed, i), tl.rand(seed + 1, i))
		    tl.store(OUT + 96 + i, x - y)
	`, Args: "OUT=>fp32[128] seed=7", Tol: "2e-6", Not: notRandom},
	{Name: "tl.philox", Also: "tl.philox_impl tl.uint_to_uniform_float", Types: "u32 u64", Kernel: `
		@triton.jit
		def kernel(X, OUT, OUTF, seed):
		    i = tl.arange(0, 16)
		    x = tl.load(X + i)
		    a, b, c, d = tl.philox(seed, x, x + 1, x * 0, x * 0)
		    tl.store(OUT + i, a ^ b)
		    e, f, g, h = tl.philox_impl(x, x, x + 3, x, x, x, 4)
		    tl.store(OUT + 16 + i, e + f + g + h)
		    tl.store(OUTF + i, tl.uint_to_uniform_float(a))
	`, Args: "X={t}[16]:any OUT=>{t}[32] OUTF=>fp32[16] seed=99", Not: notRandom},
}

const notRandom = "i1 i8 i16 u8 u16 floats bf16 fp8: counters are integers of 32 or 64 bits; i32 i64 u32 u64: see the others"
