package gen

// Arithmetic: operators, the functions that are operators, comparisons, choices.
var arithmeticRows = []Row{
	{Name: "x + y", Expr: "x {opt}", Opts: "+ y;+ 3", Types: "ints floats bf16:wide", Shapes: "64 4x16", Domain: "any", Not: noFP8},
	{Name: "x + y", Expr: "x + y", Types: "i1", Not: noFP8},
	{Name: "x - y", Expr: "x {opt}", Opts: "- y;- 100", Types: "ints floats bf16:wide", Domain: "any", Not: noFP8},
	{Name: "x - y", Expr: "x - y", Types: "i1", Not: noFP8},
	{Name: "x * y", Expr: "{opt}", Opts: "x * y;3 * x", Types: "ints floats bf16:wide", Domain: "any", Not: noFP8},
	{Name: "x * y", Expr: "x * y", Types: "i1", Not: noFP8},
	{Name: "x + w", Also: "promotion", Expr: "{opt}", Opts: "x + w;w - x", Types: "i1 ints floats", With: "ints floats", Result: "{both}", Domain: "small", Not: noFP8},
	{Name: "x + w", Also: "promotion", Expr: "{opt}", Opts: "x + w;w - x", Types: "bf16", With: "ints fp16 fp32 fp64", Result: "{both}", Domain: "small", Judge: "exact:{opt}"},
	{Name: "x / y", Expr: "x / y", Types: "ints i1", Result: "fp32", Domain: "any y:nonzero", Tol: "2ulp", Not: noFP8},
	{Name: "x / y", Expr: "x / y", Types: "fp16 bf16:wide", Result: "fp32", Domain: "any", Tol: "2ulp", Not: noFP8},
	{Name: "x / y", Expr: "{opt}", Opts: "x / y;1 / x;x / 3", Types: "fp32 fp64", Domain: "any", Tol: "2ulp", Not: noFP8},
	{Name: "x // y", Expr: "x // {opt}", Opts: "y;7", Types: "ints", Domain: "any y:nonzero", Not: needsInts + onlyType},
	{Name: "x % y", Expr: "x % {opt}", Opts: "y;7", Types: "ints", Domain: "any y:nonzero", Not: noFP8 + onlyType},
	{Name: "x % y", Expr: "x % y", Types: "fp16 bf16:wide", Result: "fp32", Domain: "any", Not: noFP8},
	{Name: "x % y", Expr: "x % {opt}", Opts: "y;2.5", Types: "fp32 fp64", Domain: "any", Not: noFP8},
	{Name: "x & y", Expr: "x {opt} y", Opts: "&;|;^", Types: "i1 ints", Domain: "any", Not: needsInts},
	{Name: "x << y", Expr: "x {opt}", Opts: "<< y;<< 2;>> y;>> 3", Types: "ints", Domain: "any y:shift", Not: needsInts + onlyType},
	{Name: "~x", Expr: "~x", Types: "i1 ints", Domain: "any", Not: needsInts},
	{Name: "-x", Expr: "-x", Types: "ints floats bf16:wide", Domain: "any", Not: noFP8 + "; i1: a condition has no negative"},
	{Name: "+x", Expr: "+x", Types: "ints floats bf16", Domain: "any", Judge: "copy", Not: noFP8 + "; i1: a condition has no sign"},
	{Name: "not x", Expr: "not (s > 3)", Types: "ints floats", Result: "i1", Scalar: true, Not: noFP8 + "; i1 bf16: see other types, the comparison makes a condition"},
	{Name: "x < y", Expr: "x {opt} y", Opts: "==;!=;<;<=;>;>=", Types: "i1 ints floats bf16:wide", Result: "i1", Domain: "any", Not: noFP8},
	{Name: "x and y", Expr: "{opt}", Opts: "x and y;x or y", Types: "i1", Judge: "logic:{opt}", Not: needsConditions},
	{Name: "x.logical_and", Also: "x.logical_or", Expr: "x.{opt}(y)", Opts: "logical_and;logical_or", Types: "i1", Not: needsConditions},

	{Name: "tl.add", Also: "tl.sub tl.mul", Expr: "tl.{opt}(x, y, sanitize_overflow=False)", Opts: "add;sub;mul", Types: "ints floats bf16:wide", Domain: "any", Not: noFP8 + "; i1: see x + y"},
	{Name: "tl.maximum", Expr: "tl.maximum(x, y{opt})", Opts: ";, propagate_nan=tl.PropagateNan.ALL", Types: "ints floats bf16:wide", Domain: "any", Not: noFP8 + "; i1: a condition has no order"},
	{Name: "tl.minimum", Expr: "tl.minimum(x, {opt})", Opts: "y;y, propagate_nan=tl.PropagateNan.ALL;2", Types: "ints floats bf16:wide", Domain: "any", Not: noFP8 + "; i1: a condition has no order"},
	{Name: "tl.clamp", Expr: "tl.clamp(x, tl.minimum(y, z), tl.maximum(y, z){opt})", Opts: ";, propagate_nan=tl.PropagateNan.ALL", Types: "floats bf16:wide",
		Domain: "any y:finite z:finite", Not: noFP8 + "; i1: a condition has no order"},
	{Name: "tl.clamp", Expr: "tl.clamp(x, tl.minimum(y, z), tl.maximum(y, z))", Types: "ints", Domain: "any", Not: noFP8},
	{Name: "tl.where", Expr: "tl.where(m, x, y)", Types: "all", Domain: "any"},
	{Name: "tl.where", Also: "a scalar condition; numbers", Expr: "tl.where({opt}", Opts: "k > 3, x, 2);k > 3, 3, x)", Types: "ints floats", Domain: "any"},
	{Name: "tl.cdiv", Expr: "tl.cdiv(x, {opt})", Opts: "y;7", Types: "i16 i32 i64 u16 u32 u64", Domain: "pos", Not: needsInts + "; i1 i8 u8: see the wider types"},
	{Name: "tl.swizzle2d", Expr: "tl.swizzle2d(k // 4, k % 4, 4, 4, {opt})", Opts: "1;2;3;4", Types: "i32", Result: "i32 i32", Not: onlyIndices},
}

// Reasons why there is no case.
const (
	noFP8           = "fp8: has no arithmetic, cast first"
	onlyType        = "; i1: a condition is no number, only its type is compared, in internal/sema/testdata/promotion.tsv"
	needsInts       = "floats bf16 fp8: needs integers"
	needsConditions = "ints floats bf16 fp8: needs conditions"
	needsFloats     = "i1 ints: needs floats; fp8 bf16 fp16: needs fp32 or fp64"
	onlyIndices     = "i1 i8 i16 i64 uints floats bf16 fp8: is about indices, which are i32"
)
