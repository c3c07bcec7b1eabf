package gen

// Conversions.
var castRows = []Row{
	{Name: "tl.cast", Also: "x.to", Expr: "{opt}", Opts: "x.to({U});tl.cast(x, {U})", Types: "i1 ints", With: "i1 ints fp32 fp64", Result: "{u}", Domain: "any"},
	{Name: "tl.cast", Expr: "tl.cast(x, {U})", Types: "i1 ints", With: "fp16", Result: "{u}", Domain: "small"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "floats", With: "floats i1", Result: "{u}", Domain: "any"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "floats", With: "sints", Result: "{u}", Domain: "finite"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "floats", With: "uints", Result: "{u}", Domain: "pos"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "i1 ints floats", With: "bf16", Result: "{u}", Domain: "any", Judge: "cast"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "bf16", With: "floats i1", Result: "{u}", Domain: "any", Judge: "cast"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "bf16", With: "sints", Result: "{u}", Domain: "finite", Judge: "cast"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "bf16", With: "uints", Result: "{u}", Domain: "pos", Judge: "cast"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "floats bf16", With: "fp8", Result: "{u}", Domain: "any", Judge: "cast"},
	{Name: "tl.cast", Expr: "x.to({U})", Types: "fp8", With: "floats bf16", Result: "{u}", Domain: "any", Judge: "cast"},
	{Name: "tl.cast", Also: "fp_downcast_rounding", Expr: "tl.cast(x, {U}, fp_downcast_rounding='{opt}')", Opts: "rtne;rtz", Types: "fp32", With: "fp16 bf16 fp8e5", Result: "{u}", Domain: "any", Judge: "cast:{opt}"},
	{Name: "tl.cast(bitcast)", Expr: "x.to({U}, bitcast=True)", Types: "ints floats bf16 fp8", With: "same", Result: "{u}", Domain: "any", Not: "i1: has no other type of its width"},
	{Name: "implicit cast", Also: "tl.store", Kernel: `
		@triton.jit
		def kernel(X, OUT):
		    i = tl.arange(0, 64)
		    tl.store(OUT + i, tl.load(X + i))
	`, Types: "ints fp32 fp64", With: "ints fp32 fp64 i1", Args: "X={t}[64]:pos OUT=>{u}[64]", Not: "i1 bf16 fp8 fp16: see tl.cast"},
	{Name: "tl.to_tensor", Expr: "x + tl.to_tensor({opt})", Opts: "3;True", Types: "words floats", Domain: "small", Not: noFP8 + "; i1 bf16 i8 i16 u8 u16: see x + w"},
}
