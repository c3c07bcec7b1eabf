package gen

// combinators are functions to reduce and to scan with.
const combinators = `
@triton.jit
def add(a, b):
    return a + b


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def affine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def first_larger(a, i, b, j):
    take = (a > b) | ((a == b) & (i < j))
    return tl.where(take, a, b), tl.where(take, i, j)
`

const noOrder = "; i1: a condition has no order"

// Reductions, scans, sorting, and what looks at several elements.
var reduceRows = []Row{
	{Name: "tl.sum", Expr: "tl.sum(x, {opt})", Opts: "0;1;1, keep_dims=True;-1", Types: "ints floats bf16:wide", Shapes: "4x16", Result: "{sum}", Domain: "small", Not: noFP8 + "; i1: cast to count"},
	{Name: "tl.sum", Expr: "{opt}", Opts: "tl.sum(x);x.sum()", Types: "ints floats bf16:wide", Shapes: "64 4x16", Result: "{sum}", Domain: "small", Scalar: true, Not: noFP8},
	{Name: "tl.sum", Also: "dtype", Expr: "tl.sum(x, 0, dtype={U})", Types: "i8 u16 i32 fp16", With: "i64 fp32 fp64", Result: "{u}", Domain: "small", Shapes: "4x16"},
	{Name: "tl.max", Also: "tl.min", Expr: "tl.{opt})", Opts: "max(x, 0;min(x, 1;max(x, 1, keep_dims=True;min(x, -1", Types: "ints floats bf16:wide_max", Shapes: "4x16", Result: "{wide}", Not: noFP8 + "; i1: see tl.reduce_or"},
	{Name: "tl.max", Also: "tl.min", Expr: "{opt}", Opts: "tl.max(x);x.min()", Types: "ints floats", Shapes: "64", Result: "{wide}", Scalar: true, Not: noFP8},
	{Name: "tl.max", Also: "tl.min return_indices", Expr: "tl.{opt}(x, 1, return_indices=True)", Opts: "max;min", Types: "ints floats bf16:wide", Shapes: "4x16", Result: "{t} i32", Domain: "tiny", Not: noFP8},
	{Name: "tl.max", Also: "tl.min return_indices_tie_break_left", Expr: "tl.{opt}(x, 1, return_indices=True, return_indices_tie_break_left=False)", Opts: "max;min", Types: "i32 fp32", Shapes: "4x16", Result: "{wide} i32", Domain: "ordered", Not: noFP8},
	{Name: "tl.argmax", Also: "tl.argmin", Expr: "tl.{opt}", Opts: "argmax(x, 1);argmin(x, 0);argmax(x, axis=0, keep_dims=True)", Types: "ints floats bf16:wide", Shapes: "4x16", Result: "i32", Domain: "tiny", Not: noFP8 + noOrder},
	{Name: "tl.argmax", Also: "tl.argmin tie_break_left", Expr: "x.{opt}", Opts: "argmax(1, tie_break_left=False);argmin(0, False)", Types: "i32 fp32", Shapes: "4x16", Result: "i32", Domain: "ordered"},
	{Name: "tl.xor_sum", Expr: "tl.xor_sum(x, {opt})", Opts: "0;1;1, keep_dims=True", Types: "ints", Shapes: "4x16", Domain: "any", Not: needsInts + "; i1: see tl.reduce_or"},
	{Name: "tl.reduce_or", Expr: "tl.reduce_or(x, {opt})", Opts: "0;1;1, keep_dims=True", Types: "i1 ints", Shapes: "4x16", Domain: "any", Not: needsInts},
	{Name: "tl.reduce", Module: combinators, Expr: "tl.reduce(x, {opt})", Opts: "0, add;1, larger;1, larger, keep_dims=True", Types: "ints floats bf16:wide", Shapes: "4x16", Domain: "small", Not: noFP8 + "; i1: see tl.reduce_or"},
	{Name: "tl.reduce", Also: "tuples", Module: combinators, Expr: "tl.reduce((x, k), 1, first_larger)", Types: "ints floats", Shapes: "4x16", Result: "{t} i32", Domain: "tiny", Not: noFP8},
	{Name: "tl.reduce", Also: "of everything", Module: combinators, Expr: "tl.reduce(x, None, add)", Types: "ints floats", Shapes: "4x16", Domain: "small", Scalar: true, Not: noFP8},
	{Name: "tl.reduce", Also: "lambdas", Expr: "tl.reduce(x, {opt}, lambda a, b: a + b)", Opts: "0;1", Types: "ints fp32 fp64", Shapes: "4x16", Domain: "small", Judge: "sum_along:{opt}", Not: noFP8},
	{Name: "tl.associative_scan", Module: combinators, Expr: "tl.associative_scan(x, {opt})", Opts: "0, add;1, larger;1, add, reverse=True;0, larger, True", Types: "ints floats bf16:wide", Shapes: "4x16", Domain: "small", Not: noFP8 + "; i1: cast to count"},
	{Name: "tl.associative_scan", Also: "tuples", Module: combinators, Expr: "tl.associative_scan((x, y), 1, affine{opt})", Opts: ";, reverse=True", Types: "ints fp32 fp64", Shapes: "4x8", Result: "{t} {t}", Domain: "tiny", Not: noFP8},
	{Name: "tl.cumsum", Expr: "tl.cumsum(x, {opt})", Opts: "0;1;1, reverse=True", Types: "ints floats bf16:wide", Shapes: "4x16", Result: "{sum}", Domain: "small", Not: noFP8 + "; i1: cast to count"},
	{Name: "x.cumsum", Also: "tl.cumsum dtype", Expr: "x.cumsum(0, dtype={U})", Types: "i8 fp16", With: "i64 fp32", Result: "{u}", Shapes: "16", Domain: "small", Not: "what dtype does is the same for all types; see tl.cumsum"},
	{Name: "tl.cumprod", Expr: "tl.cumprod(x, {opt})", Opts: "0;1;1, reverse=True", Types: "ints floats", Shapes: "4x8", Result: "{sum}", Domain: "tiny", Not: noFP8 + noOrder + "; bf16: products are rounded in an order that is open, see fp16"},
	{Name: "tl.histogram", Expr: "tl.histogram({opt})", Opts: "k, 16;k, 8;k, num_bins=32, mask=m", Types: "i32", Shapes: "64", Not: onlyIndices},
	{Name: "tl.sort", Expr: "{opt}", Opts: "tl.sort(x);tl.sort(x, descending=True);tl.sort(x, 1, True)", Types: "ints floats bf16:wide", Shapes: "4x16", Not: noFP8 + noOrder},
	{Name: "tl.topk", Expr: "tl.topk(x, {opt})", Opts: "4;1;8, dim=1;4, descending=False", Types: "ints floats bf16:wide", Shapes: "4x16", Result: "{wide}", Not: noFP8 + noOrder},
	{Name: "tl.bitonic_merge", Expr: "tl.bitonic_merge(tl.where(k * 0 + i < 8, tl.sort(x), tl.sort(x, descending=True)){opt})", Opts: ";, descending=True", Types: "i32 fp32", Shapes: "16", Domain: "ordered", Not: noFP8 + "; i1 i8 i16 i64 uints bf16 fp16 fp64: see tl.sort, which merges"},
	{Name: "tl.map_elementwise", Module: `
		@triton.jit
		def halve(a):
		    if a > 2:
		        b = a - 2
		    else:
		        b = a
		    return b
	`, Expr: "tl.map_elementwise(halve, x)", Types: "ints floats", Domain: "small", Judge: "map_halve", Not: noFP8 + "; i1: a condition is no number; bf16: see fp16"},
	{Name: "tl.map_elementwise", Also: "pack", Module: `
		@triton.jit
		def pairs(a0, a1, b0, b1):
		    return a1 + b0, a0 + b1, a0 * 2, b1 * 3
	`, Expr: "tl.map_elementwise(pairs, x, y, pack=2)", Types: "i32 i64 fp32", Shapes: "4x8", Domain: "small", Result: "{t} {t}", Judge: "map_pairs"},
}
