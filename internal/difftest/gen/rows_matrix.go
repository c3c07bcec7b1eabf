package gen

import "strings"

// Products of matrices. Numbers are small and whole, so that sums are exact in any order.
var matrixRows = append(dotRows, scaledRows()...)

var dotRows = []Row{
	{Name: "tl.dot", Expr: "tl.dot({opt})", Opts: "x, tl.trans(y);x, y.T, input_precision='ieee';x, y.T, acc=tl.full((8, 8), 3.0, tl.float32);x, y.T, allow_tf32=False", Types: "fp16 fp32 bf16:matmul fp8:matmul",
		Shapes: "8x16", Result: "fp32", Domain: "small", Not: notMatrix},
	{Name: "tl.dot", Expr: "tl.dot(x, y.T)", Types: "fp64", Shapes: "8x16", Domain: "small", Not: notMatrix},
	{Name: "tl.dot", Expr: "tl.dot({opt})", Opts: "x, y.T;x, y.T, acc=tl.full((8, 8), -2, tl.int32)", Types: "i8", Shapes: "8x16", Result: "i32", Domain: "any", Not: notMatrix},
	{Name: "tl.dot", Also: "out_dtype max_num_imprecise_acc", Expr: "tl.dot(x, y.T, {opt})", Opts: "out_dtype=tl.float16;tl.full((8, 8), 2.0, tl.float16), out_dtype=tl.float16", Types: "fp16 fp8e5:matmul fp8e4nv:matmul", Shapes: "8x16", Result: "fp16", Domain: "small", Not: notMatrix},
	{Name: "tl.dot", Also: "max_num_imprecise_acc", Expr: "tl.dot(x, y.T, max_num_imprecise_acc=16)", Types: "fp8e5:matmul fp8e4nv:matmul", Shapes: "8x16", Result: "fp32", Domain: "small"},
	{Name: "tl.dot", Also: "batches", Expr: "tl.dot(x, tl.permute(y, 0, 2, 1))", Types: "fp16 fp32 bf16:matmul", Shapes: "2x8x16", Result: "fp32", Domain: "small"},
	{Name: "tl.dot", Also: "of products that a loop computes", Types: "fp32", Kernel: `
		@triton.jit
		def kernel(Q, K, V, OUT, n):
		    r, d, c = tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, {opt})
		    q = tl.load(Q + r[:, None] * 16 + d[None, :])
		    acc = tl.zeros((16, 16), tl.float32)
		    for i in range(0, n, {opt}):
		        k = tl.load(K + (i + c)[None, :] * 16 + d[:, None])
		        v = tl.load(V + (i + c)[:, None] * 16 + d[None, :])
		        s = tl.dot(q, k, input_precision='ieee')
		        acc = tl.dot(s, v, acc, input_precision='ieee')
		    tl.store(OUT + r[:, None] * 16 + d[None, :], acc)
	`, Opts: "64;256", Args: "Q=fp32[16x16]:small K=fp32[768x16]:small V=fp32[768x16]:small OUT=>fp32[16x16] n=768", Tol: "1e-5", Not: notMatrix},
	{Name: "tl.dot", Also: "precision", Expr: "tl.dot(x, y.T, input_precision='{opt}')", Opts: "tf32;tf32x3;bf16x3;bf16x6", Types: "fp32", Shapes: "8x16", Domain: "small", Judge: "matmul"},
}

const notMatrix = "i1 i16 i32 i64 uints: hardware multiplies no such matrices; fp8e4b15 fp8e4b8 fp8e5b16: see the other fp8"

// scaledRows are the products of scaled formats: a matrix of pairs of e2m1 with one of each format.
func scaledRows() []Row {
	row := Row{Name: "tl.dot_scaled", Types: "u8", Kernel: `
		@triton.jit
		def kernel(X, Y, SX, SY, OUT):
		    m, n, g = tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, 2)
		    k, h = tl.arange(0, 64), tl.arange(0, 32)
		    x = tl.load(X + m[:, None] * 32 + h[None, :])
		    y = tl.load(Y + k[:, None] * 16 + n[None, :])
		    sx = tl.load(SX + m[:, None] * 2 + g[None, :])
		    sy = tl.load(SY + n[:, None] * 2 + g[None, :])
		    r = {opt}
		    tl.store(OUT + m[:, None] * 16 + n[None, :], r)
	`, Args: "X=u8[16x32]:any Y={u}[64x16]:small SX=u8[16x2]:scales SY=u8[16x2]:scales OUT=>fp32[16x16]:small", Tol: "1e-6",
		Not: "i1 i8 i16 i32 i64 u16 u32 u64 fp32 fp64 fp8e4b15 fp8e4b8 fp8e5b16: formats are e2m1 (in u8), e4m3, e5m2, bf16 and fp16"}
	var rows []Row
	for _, f := range [][2]string{{"fp8e4nv", "e4m3"}, {"fp8e5", "e5m2"}, {"bf16", "bf16"}, {"fp16", "fp16"}} {
		r := row
		r.With = f[0]
		r.Also = "U " + f[0]
		r.Opts = strings.ReplaceAll(`tl.dot_scaled(x, sx, "e2m1", y, sy, "F");tl.dot_scaled(x, None, "e2m1", y, sy, "F");
			tl.dot_scaled(x, sx, "e2m1", y, None, "F", acc=tl.full((16, 16), 2.0, tl.float32), fast_math=True);
			tl.dot_scaled(tl.trans(y), sy, "F", tl.trans(x), sx, "e2m1").T`, "F", f[1])
		rows = append(rows, r)
	}
	packed := row
	packed.Args = "X=u8[16x32]:any Y=u8[64x16]:any SX=u8[16x2]:scales SY=u8[16x2]:scales OUT=>fp32[16x16]:small"
	packed.Opts = `tl.dot_scaled(x, sx, "e2m1", tl.trans(x), sx, "e2m1");
		tl.dot_scaled(tl.reshape(tl.trans(x), (16, 32)), sx, "e2m1", tl.trans(x), sy, "e2m1");
		tl.dot_scaled(tl.reshape(x, (8, 64)), sx, "e2m1", tl.reshape(x, (64, 8)), sy, "e2m1", lhs_k_pack=False, rhs_k_pack=False)`
	fine := row
	fine.Kernel = strings.NewReplacer("* 2 + g", "* 4 + g", "tl.arange(0, 2)", "tl.arange(0, 4)").Replace(row.Kernel)
	fine.Args = "X=u8[16x32]:any Y=u8[64x16]:any SX=fp8e4nv[16x4]:pos SY=fp8e4nv[16x4]:pos OUT=>fp32[16x16]"
	fine.Opts = `tl.dot_scaled(x, sx, "e2m1", tl.trans(x), sy, "e2m1")`
	fine.Judge, fine.Tol, fine.Also = "scaled_by_floats", "1e-2", "scales of fp8e4nv"
	return append(rows, packed, fine)
}
