package gen

// Mathematical functions.
var mathRows = []Row{
	{Name: "tl.exp", Also: "tl.exp2", Expr: "tl.{opt}(x)", Opts: "exp;exp2", Types: "fp32 fp64", Domain: "any", Tol: "4ulp", Not: needsFloats},
	{Name: "tl.log", Also: "tl.log2", Expr: "tl.{opt}(x)", Opts: "log;log2", Types: "fp32 fp64", Domain: "any", Tol: "4ulp", Not: needsFloats},
	{Name: "tl.sin", Also: "tl.cos", Expr: "tl.{opt}(x)", Opts: "sin;cos", Types: "fp32 fp64", Domain: "any", Tol: "4ulp", Not: needsFloats},
	{Name: "tl.sqrt", Also: "tl.rsqrt", Expr: "tl.{opt}(x)", Opts: "sqrt;rsqrt", Types: "fp32 fp64", Domain: "any", Tol: "2ulp", Not: needsFloats},
	{Name: "tl.sqrt_rn", Expr: "tl.sqrt_rn(x)", Types: "fp32", Domain: "any", Not: needsFloats + "; fp64: tl.sqrt rounds it"},
	{Name: "tl.erf", Expr: "x.erf()", Types: "fp32 fp64", Domain: "any", Tol: "4ulp", Not: needsFloats},
	{Name: "tl.floor", Also: "tl.ceil", Expr: "x.{opt}()", Opts: "floor;ceil", Types: "fp32 fp64", Domain: "any", Not: needsFloats},
	{Name: "abs(x)", Expr: "abs(x)", Types: "ints floats bf16", Domain: "any", Judge: "absolute", Not: noFP8 + "; i1: a condition has no sign"},
	{Name: "tl.abs", Expr: "tl.abs(x)", Types: "ints floats bf16", Domain: "any", Not: noFP8 + "; i1: a condition has no sign"},
	{Name: "tl.fma", Expr: "tl.fma(x, y, z)", Types: "floats bf16:wide_fma", Domain: "finite", Not: noFP8 + "; i1 ints: needs floats"},
	{Name: "tl.fdiv", Expr: "tl.fdiv(x, y{opt})", Opts: ";, ieee_rounding=True", Types: "fp32 fp64", Domain: "any", Tol: "2ulp", Not: "i1 ints: needs floats; fp8 bf16 fp16: see x / y"},
	{Name: "tl.div_rn", Expr: "tl.div_rn(x, y)", Types: "fp32", Domain: "any", Not: needsFloats + "; fp64: x / y rounds it"},
	{Name: "tl.umulhi", Expr: "tl.umulhi(x, y)", Types: "words", Domain: "any", Not: "floats bf16 fp8: needs integers; i1 i8 i16 u8 u16: needs 32 or 64 bits"},
	{Name: "tl.sigmoid", Expr: "tl.sigmoid(x)", Types: "fp32 fp64", Domain: "exp", Tol: "fp32:1e-6 fp64:1e-14", Not: needsFloats},
	{Name: "tl.softmax", Expr: "tl.softmax(x{opt})", Opts: ";, 1;, dim=0, ieee_rounding=True", Types: "fp32 fp64", Shapes: "8x8", Domain: "angle", Tol: "fp32:1e-6 fp64:1e-14", Not: needsFloats},
}
