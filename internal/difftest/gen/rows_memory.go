package gen

// Loads, stores, descriptors, atomics.
var memoryRows = []Row{
	{Name: "tl.load", Also: "mask", Expr: "tl.load(X + i, mask=m)", Types: "all", Domain: "any", Open: true},
	{Name: "tl.load", Also: "other", Expr: "tl.load(X + i, m, {opt})", Opts: "other=1;y", Types: "i1 ints floats", Domain: "any", Not: fp8Moves},
	{Name: "tl.load", Also: "cache_modifier eviction_policy volatile", Expr: "tl.load(X + i, {opt})", Opts: "cache_modifier='.cg';eviction_policy='evict_last';volatile=True", Types: "i8 i32 fp16 fp64", Domain: "any"},
	{Name: "tl.load", Also: "broadcast masks", Expr: "tl.load(X + i, mask=(tl.arange(0, 8) < 5)[None, :], other={opt})", Opts: "0;2", Types: "i8 i32 u64 fp16 fp32", Shapes: "4x8", Domain: "any"},
	{Name: "tl.load", Also: "scalars", Expr: "tl.load(X + 7)", Types: "all", Scalar: true, Domain: "any"},
	{Name: "tl.store", Also: "mask x.store", Kernel: `
		@triton.jit
		def kernel(X, M, OUT):
		    i = tl.arange(0, 64)
		    x = tl.load(X + i)
		    {opt}
	`, Types: "all", Args: "X={t}[64]:any M=i1[64]:any OUT=>{t}[64]",
		Opts: "tl.store(OUT + i, x, mask=tl.load(M + i));tl.store(OUT + (63 - i), x, cache_modifier='.wt', eviction_policy='evict_first');(OUT + i).store(x, i > 20)"},
	{Name: "tl.store", Also: "scalars", Kernel: `
		@triton.jit
		def kernel(X, OUT, n):
		    tl.store(OUT, tl.load(X + n))
		    tl.store(OUT + 1, tl.load(X), mask=n > 2)
		    tl.store(OUT + 2, tl.load(X), mask=n > 200)
	`, Types: "all", Args: "X={t}[8]:any OUT=>{t}[8] n=5"},
	{Name: "pointer arithmetic", Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    i = tl.arange(0, 16).to(tl.{opt})
		    p = X + 40
		    p += i
		    tl.store(OUT + i, tl.load(p))
		    q = X + (i + 16)
		    tl.store(16 + OUT + i, tl.load(q - i + tl.arange(0, 16)))
	`, Types: "i8 i16 i32 i64 fp64", Opts: "int32;int64;int16", Args: "X={t}[64]:any OUT=>{t}[32]",
		Not: "i1 uints fp8 bf16 fp16 fp32: only the size of an element matters, see the types of the same size"},

	{Name: "tl.make_tensor_descriptor", Also: "tl.load_tensor_descriptor tl.store_tensor_descriptor desc.load desc.store", Kernel: `
		@triton.jit
		def kernel(X, OUT, m, n):
		    d = tl.make_tensor_descriptor(X, [m, n], [32, 1], [4, 16])
		    e = tl.make_tensor_descriptor(OUT, shape=[m + 1, n], strides=[64, 1], block_shape=[4, 16])
		    for a in range(2):
		        for b in tl.static_range(2):
		            x = d.load([a * 4, b * 16])
		            e.store([a * 4, b * 16], x)
		    tl.store_tensor_descriptor(e, [8, 32], tl.load_tensor_descriptor(d, [5, 16]))
	`, Types: "ints floats bf16 fp8", Args: "X={t}[8x32]:any OUT=>{t}[16x64] m=7 n=29", Not: "i1: has no blocks in memory"},
	// Lanes with one address and one condition have others each of their own.
	{Name: "tl.load", Also: "other", Kernel: `
		@triton.jit
		def kernel(X, Y, n, OUT):
		    r, c = tl.arange(0, 4)[:, None], tl.arange(0, 32)[None, :]
		    y = tl.load(Y + r * 32 + c)
		    p, m = tl.broadcast_to(X + r, [4, 32]), tl.broadcast_to(r < n, [4, 32])
		    tl.store(OUT + r * 32 + c, tl.load(p, mask=m, other=y))
		    i = tl.arange(0, 32)
		    z = tl.zeros([32], tl.int32)
		    tl.store(OUT + 128 + i, tl.load(X + z, mask=z > n, other=tl.load(Y + i)))
	`, Types: "i8 i16 i32 i64 fp16 fp32 fp64", Args: "X={t}[4]:any Y={t}[128]:any n=2 OUT=>{t}[160]", Not: "i1 u8 u16 u32 u64 bf16 fp8: the elements are only moved"},
	// A mask of rows and columns, whose columns hold up to some strip; what it decides beyond that; and one that depends on bits in the middle.
	{Name: "tl.load", Also: "masks of rows and columns", Types: "fp32", Kernel: `
		@triton.jit
		def kernel(X, OUT, SUM, rows, n, q):
		    r, c = tl.arange(0, 8), tl.arange(0, 256)
		    m = (r < rows)[:, None] & (c < n)[None, :]
		    at = r[:, None] * 256 + c[None, :]
		    x = tl.load(X + at, mask=m, other=1)
		    for k in tl.static_range(16):
		        x = x * 0.5 + k
		    x = tl.where(m, x, 3)
		    tl.store(SUM + r, tl.sum(x, 1) + tl.sum(m.to(tl.float32), 1))
		    tl.store(OUT + at, x, mask=m)
		    i = tl.arange(0, 256)
		    a = tl.reshape(tl.broadcast_to(tl.load(X + tl.arange(0, 16))[None, :], (16, 16)), (256, ))
		    b = tl.reshape(tl.broadcast_to(tl.load(X + 16 + tl.arange(0, 16))[None, :], (16, 16)), (256, ))
		    z = tl.load(X + i, mask=i < n, other=1) + tl.where((a > b) ^ (i < n), a, b)
		    tl.store(SUM + 8, tl.sum(z, 0))
		    some = tl.reshape(tl.broadcast_to((tl.arange(0, 2) < q)[None, :, None], (8, 2, 16)), (256, ))
		    y = tl.load(X + i, mask=some, other=-1)
		    tl.store(OUT + 2048 + i, y * 2, mask=some)
	`, Args: "X=fp32[8x256]:small OUT=>fp32[2304]:small SUM=>fp32[9]:small rows=5 n=147 q=1", Tol: "1e-6"},
	{Name: "tl.load", Also: "of what a loop computes", Types: "fp32", Grid: "2", Kernel: `
		@triton.jit
		def kernel(X, Y, OUT, n):
		    X += tl.program_id(0) * n
		    Y += tl.program_id(0) * n
		    OUT += tl.program_id(0) * n * 2
		    r = tl.arange(0, 64)
		    for i in range(0, n, 64):
		        x = tl.load(X + i + r)
		        tl.store(OUT + i + r, x * 2 + tl.max(x))
		        j = n - i - 64
		        tl.store(OUT + n + j + r, tl.load(Y + (j + r)) + 1)
	`, Args: "X=fp32[512]:small Y=fp32[512]:small OUT=>fp32[1024]:small n=256"},
	{Name: "tl.make_tensor_descriptor", Also: "padding_option", Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    d = tl.make_tensor_descriptor(X, [50], [1], [32], padding_option="nan")
		    tl.store(OUT + tl.arange(0, 32), d.load([32]))
		    tl.store(OUT + 32 + tl.arange(0, 32), d.load([-16]))
	`, Types: "floats", Args: "X={t}[50]:finite OUT=>{t}[64]", Not: "i1 ints: have no NaN; bf16 fp8: see fp16"},
	{Name: "TensorDescriptor", Also: "host side; desc.load desc.store", Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    i, j = tl.program_id(0), tl.program_id(1)
		    x = X.load([i * X.block_shape[0], j * X.block_shape[1]])
		    OUT.store([j * OUT.block_shape[0], i * OUT.block_shape[1]], x.T)
	`, Grid: "2,2", Types: "ints floats fp8e5", Args: "X={t}[20x30]:any/16x16/32 OUT=>{t}[30x20]:/16x16/32", Not: "i1: has no blocks in memory; bf16 fp8e4nv fp8e4b15 fp8e4b8 fp8e5b16: see tl.make_tensor_descriptor"},
	{Name: "desc.gather", Also: "desc.scatter", Kernel: `
		@triton.jit
		def kernel(X, K, OUT):
		    d = tl.make_tensor_descriptor(X, [14, 64], [64, 1], [1, 32])
		    e = tl.make_tensor_descriptor(OUT, [16, 60], [64, 1], [1, 32])
		    r = tl.load(K + tl.arange(0, 8))
		    e.scatter(d.gather(r, 16), 15 - r, 32)
	`, Types: "ints floats", Args: "X={t}[16x64]:any K=i32[8]:index OUT=>{t}[16x64]", Judge: "gather_rows", Not: "i1: has no blocks in memory; bf16 fp8: see tl.make_tensor_descriptor"},
	{Name: "desc.atomic_add", Also: "desc.atomic_min desc.atomic_max desc.atomic_and desc.atomic_or desc.atomic_xor", Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    d = tl.make_tensor_descriptor(OUT, [30], [1], [32])
		    d.atomic_{opt}([4], tl.load(X + tl.arange(0, 32)))
	`, Types: "i32 u32 u64", Opts: "add;min;max;and;or;xor", Args: "X={t}[32]:any OUT=>{t}[64]:finite", Judge: "desc_atomic:{opt}", Not: "bf16: see fp16; i1 i8 i16 u8 u16 i64 fp8 fp64: hardware has no such atomics"},
	{Name: "desc.atomic_add", Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    d = tl.make_tensor_descriptor(OUT, [30], [1], [32])
		    d.atomic_add([4], tl.load(X + tl.arange(0, 32)))
	`, Types: "fp16 fp32", Args: "X={t}[32]:small OUT=>{t}[64]:small", Judge: "desc_atomic:add"},

	{Name: "tl.atomic_add", Kernel: `
		@triton.jit
		def kernel(X, M, OUT, OLD):
		    i = tl.arange(0, 32)
		    x = tl.load(X + i)
		    m = tl.load(M + i)
		    tl.store(OLD + i, tl.atomic_add(OUT + i, x, mask=m{opt}), mask=m)
		    tl.atomic_add(OUT + 40 + i * 0, x)
		    tl.atomic_add(OUT + 41, 3)
	`, Opts: ";, sem='relaxed', scope='cta'", Types: "words floats", Args: atomicArgs + ":small", Not: noSmallAtomics + "; bf16: see fp16"},
	{Name: "tl.atomic_max", Also: "tl.atomic_min", Kernel: `
		@triton.jit
		def kernel(X, M, OUT, OLD):
		    i = tl.arange(0, 32)
		    x = tl.load(X + i)
		    m = tl.load(M + i)
		    tl.store(OLD + i, tl.atomic_{opt}(OUT + i, x, mask=m), mask=m)
		    tl.atomic_{opt}(OUT + 40 + i * 0, x)
	`, Opts: "max;min", Types: "words fp32 fp64", Args: atomicArgs + ":finite", Judge: "", Not: noSmallAtomics + "; bf16 fp16: hardware has no such atomics"},
	{Name: "tl.atomic_and", Also: "tl.atomic_or tl.atomic_xor", Kernel: `
		@triton.jit
		def kernel(X, M, OUT, OLD):
		    i = tl.arange(0, 32)
		    x = tl.load(X + i)
		    m = tl.load(M + i)
		    tl.store(OLD + i, tl.atomic_{opt}(OUT + i, x, mask=m), mask=m)
		    (OUT + 40 + i * 0).atomic_{opt}(x)
	`, Opts: "and;or;xor", Types: "words", Args: atomicArgs + ":any", Not: noSmallAtomics + "; floats bf16: needs integers"},
	{Name: "tl.atomic_xor", Also: "every sem and scope", Kernel: `
		@triton.jit
		def kernel(X, OUT, OLD):
		    i = tl.arange(0, 32)
		    tl.store(OLD + i, tl.atomic_xor(OUT + i, tl.load(X + i), sem="{opt}"))
	`, Opts: everySem, Types: "i32 u64", Args: "X={t}[32]:any OUT=>{t}[32]:any OLD=>{t}[32]", Not: noSmallAtomics + "; i64 u32: see tl.atomic_and; floats bf16: needs integers"},
	{Name: "tl.atomic_xchg", Kernel: `
		@triton.jit
		def kernel(X, M, OUT, OLD):
		    i = tl.arange(0, 32)
		    m = tl.load(M + i)
		    tl.store(OLD + i, tl.atomic_xchg(OUT + i, tl.load(X + i), mask=m, sem="release"), mask=m)
	`, Types: "words fp32:exchange fp64:exchange", Args: atomicArgs + ":any", Not: noSmallAtomics + "; bf16 fp16: hardware has no such atomics"},
	{Name: "tl.atomic_cas", Kernel: `
		@triton.jit
		def kernel(X, OUT, OLD):
		    i = tl.arange(0, 32)
		    x = tl.load(X + i)
		    tl.store(OLD + i, tl.atomic_cas(OUT + i, x % 3, x))
		    tl.store(OLD + 40, tl.atomic_cas(OUT + 40, 1, 7, sem="acquire", scope="sys"))
	`, Types: "words", Args: "X={t}[32]:pos OUT=>{t}[64]:tiny OLD=>{t}[64]", Not: noSmallAtomics + "; floats bf16: see the integers, bits are compared"},
	{Name: "tl.atomic_load", Also: "tl.atomic_store", Kernel: `
		@triton.jit
		def kernel(X, M, OUT):
		    i = tl.arange(0, 32)
		    m = tl.load(M + i)
		    x = tl.atomic_load(X + i, mask=m{opt})
		    tl.atomic_store(OUT + i, x, mask=m)
		    (OUT + 32 + i).atomic_store((X + i).atomic_load(), mask=i > 3, sem="relaxed")
	`, Opts: ";, sem='relaxed', scope='sys'", Types: "i1 ints floats bf16", Args: "X={t}[32]:any M=i1[32]:any OUT=>{t}[64]", Not: fp8Moves},
	{Name: "tl.atomic_poll", Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    i = tl.arange(0, 8)
		    x = tl.load(X + i)
		    tl.store(OUT + i, tl.atomic_poll(X + i, x))
		    tl.store(OUT + 8 + i, (X + i).atomic_poll(tl.where(i < 4, x, x + 1), sem="relaxed", timeout_ns=1000))
	`, Types: "i16 i32 i64 u16 u32 u64", Args: "X={t}[8]:any OUT=>i1[16]", Not: "i1 i8 u8: needs 16, 32 or 64 bits; floats bf16 fp8: needs integers"},
	{Name: "tl.make_block_ptr", Also: "tl.advance", Kernel: `
		@triton.jit
		def kernel(X, OUT, m, n):
		    p = tl.make_block_ptr(X, (m, n), (32, 1), (0, 8), (4, 16), (1, 0))
		    q = tl.make_block_ptr(OUT, (m, n), (32, 1), (0, 8), (4, 16), (1, 0))
		    for a in range(2):
		        tl.store(q, tl.load(p, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0, 1))
		        p = tl.advance(p, (4, 0))
		        q = q.advance((4, 0))
	`, Types: "i8 i32 fp16 fp32", Args: "X={t}[8x32]:any OUT=>{t}[8x32] m=7 n=20", Judge: "block_pointer", Not: "i1 i16 i64 uints bf16 fp64 fp8: Triton has none any more, see tl.load"},
}

const (
	atomicArgs     = "X={t}[32]:small M=i1[32]:any OLD=>{t}[32] OUT=>{t}[48]"
	everySem       = `relaxed", scope="cta;acquire", scope="gpu;release", scope="sys;acq_rel", scope="cta;acq_rel", scope="sys;relaxed", scope="gpu`
	noSmallAtomics = "i1 i8 i16 u8 u16 fp8: hardware has no such atomics"
)
