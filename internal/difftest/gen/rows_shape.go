package gen

// Creation and shape: what moves elements and computes nothing.
var shapeRows = []Row{
	{Name: "tl.arange", Expr: "tl.arange({opt}) + i * 0", Opts: "0, 16;16, 32;7, 23", Types: "i32", Shapes: "16", Not: onlyIndices},
	{Name: "tl.full", Also: "tl.zeros tl.zeros_like", Expr: "tl.{opt}", Opts: "full((4, 8), 3, {T});full([16], 1, dtype={T});zeros((8, 2), {T});zeros_like(x)", Types: "i1 ints floats", Shapes: "32", Not: fp8Moves},
	{Name: "tl.full", Also: "a scalar", Expr: "tl.full((4, 8), s, {T})", Types: "i1 ints floats bf16", Shapes: "32", Not: fp8Moves},
	{Name: "tl.broadcast", Expr: "tl.broadcast(x[:, None], y[None, :])[{opt}]", Opts: "0;1", Types: "all", Shapes: "8", Grow: 8, Domain: "any"},
	{Name: "tl.broadcast_to", Expr: "{opt}", Opts: "tl.broadcast_to(x, (4, 8));x.broadcast_to(4, 8)", Types: "all", Shapes: "1x8 4x1 1x1", Grow: 32, Domain: "any"},
	{Name: "tl.cat", Expr: "tl.cat(x, y{opt})", Opts: ", can_reorder=False;, dim=1", Types: "all", Shapes: "4x8", Domain: "any"},
	{Name: "tl.cat", Also: "can_reorder", Expr: "tl.sort(tl.cat(x, y, can_reorder=True))", Types: "i32 fp32", Shapes: "16", Domain: "ordered"},
	{Name: "tl.expand_dims", Expr: "tl.expand_dims(x, {opt})", Opts: "0;1;-1;(0, -1)", Types: "all", Shapes: "4x8", Domain: "any"},
	{Name: "x[None, :]", Expr: "x[{opt}]", Opts: "None, :;:, None;None, :, None", Types: "all", Shapes: "32", Domain: "any"},
	{Name: "tl.join", Expr: "tl.join(x, {opt})", Opts: "y", Types: "all", Shapes: "32 4x8", Domain: "any"},
	{Name: "tl.split", Expr: "{opt}", Opts: "tl.split(x);x.split()", Result: "{t} {t}", Types: "all", Shapes: "16x2 4x4x2", Domain: "any"},
	{Name: "tl.interleave", Expr: "tl.interleave(x, y)", Types: "all", Shapes: "32 4x8", Domain: "any"},
	{Name: "tl.trans", Also: "tl.permute x.T", Expr: "{opt}", Opts: "tl.trans(x);x.T;tl.trans(x, 1, 0);x.permute((1, 0))", Types: "all", Shapes: "4x8", Domain: "any"},
	{Name: "tl.trans", Also: "tl.permute", Expr: "{opt}", Opts: "tl.trans(x, (2, 0, 1));tl.permute(x, 0, 2, 1);x.trans()", Types: "all", Shapes: "2x4x8", Domain: "any"},
	{Name: "tl.reshape", Also: "tl.view tl.ravel", Expr: "{opt}", Opts: "tl.reshape(x, (8, 4));x.reshape(2, 4, 4);x.view(32);tl.ravel(x)", Types: "all", Shapes: "4x8", Domain: "any"},
	{Name: "tl.flip", Expr: "{opt}", Opts: "tl.flip(x, 1);x.flip(0);tl.flip(x, -1)", Types: "i8 i16 i32 i64 u8 u16 u32 u64 floats", Shapes: "4x8", Domain: "any", Not: fp8Moves + "; i1 bf16: see tl.trans, the elements are only moved"},
	{Name: "tl.squeeze", Also: "tl.unsqueeze", Expr: "{opt}", Opts: "tl.squeeze(x[:, None, :], 1);tl.unsqueeze(x, 1)", Types: "all", Shapes: "4x8", Domain: "any"},
	{Name: "x.item", Expr: "tl.sum(x, keep_dims=True).item()", Types: "i32 i64 u32 u64 fp32 fp64", Shapes: "8", Domain: "small", Scalar: true, Not: fp8Moves + "; i1 i8 i16 u8 u16 bf16 fp16: see tl.sum"},
	{Name: "tl.gather", Expr: "tl.gather(x, k, 0)", Types: "all", Shapes: "32", Domain: "any"},
	{Name: "tl.gather", Expr: "tl.gather(x, k % {opt})", Opts: "4, 0;8, 1;8, axis=-1", Types: "all", Shapes: "4x8", Domain: "any"},
	// Along the axis the index has a size of its own.
	{Name: "tl.gather", Kernel: `
		@triton.jit
		def kernel(X, K, OUT):
		    i, j, l = tl.arange(0, 2)[:, None, None], tl.arange(0, 4)[None, :, None], tl.arange(0, 8)[None, None, :]
		    x = tl.load(X + i * 32 + j * 8 + l)
		    a, b = tl.arange(0, 2), tl.arange(0, 16)
		    last = a[:, None, None] * 8 + j * 2 + a[None, None, :]
		    tl.store(OUT + last, tl.gather(x, tl.load(K + last) % 8, 2))
		    middle = a[:, None, None] * 128 + b[None, :, None] * 8 + l
		    tl.store(OUT + 16 + middle, tl.gather(x, tl.load(K + middle % 64) % 4, 1))
		    first = b[:, None, None] * 32 + j * 8 + l
		    tl.store(OUT + 272 + first, tl.gather(x, tl.load(K + first % 64) % 2, 0))
	`, Types: "i8 i16 i32 i64 fp32", Args: "X={t}[64]:any K=i32[64]:index OUT=>{t}[784]", Not: "i1 u8 u16 u32 u64 bf16 fp16 fp64 fp8: the elements are only moved"},
}

const fp8Moves = "fp8: see tl.where, the elements are only moved"
