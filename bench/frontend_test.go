package bench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tegula-lang/tegula"
)

// signatures are what the examples are compiled for: the types and facts that a launch on a GPU would find.
var signatures = []struct{ name, sig string }{
	{"vector_add", "x_ptr=*fp32:16, y_ptr=*fp32:16, out_ptr=*fp32:16, n=i32, BLOCK=1024"},
	{"softmax", "x_ptr=*fp32:16, out_ptr=*fp32:16, x_stride=i32, out_stride=i32, n_cols=i32, BLOCK=1024"},
	{"layer_norm", "x_ptr=*fp16:16, weight_ptr=*fp16:16, bias_ptr=*fp16:16, out_ptr=*fp16:16, mean_ptr=*fp32:16, " +
		"rstd_ptr=*fp32:16, stride=i32, n_cols=i32, eps=fp32, BLOCK=1024"},
	{"dropout", "x_ptr=*fp32:16, out_ptr=*fp32:16, n=i32, p=fp32, seed=i32, BLOCK=1024"},
	{"matmul", "a_ptr=*fp16:16, b_ptr=*fp16:16, c_ptr=*fp16:16, M=i32, N=i32, K=i32, stride_am=i32:16, stride_ak=i32:1, " +
		"stride_bk=i32:16, stride_bn=i32:1, stride_cm=i32:16, stride_cn=i32:1, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, " +
		"GROUP_M=8, ACTIVATION='leaky_relu'"},
	{"attention", "q_ptr=*fp16:16, k_ptr=*fp16:16, v_ptr=*fp16:16, out_ptr=*fp16:16, lse_ptr=*fp32:16, scale=fp32, n_ctx=i32, " +
		"HEAD_DIM=64, BLOCK_M=128, BLOCK_N=64, CAUSAL=True"},
}

// BenchmarkFrontEnd goes from a file's text to tile IR that is verified and simplified.
func BenchmarkFrontEnd(b *testing.B) {
	for _, s := range signatures {
		src := example(b, s.name)
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				frontEnd(b, s.name, src, s.sig)
			}
		})
	}
}

// example reads the file of an example.
func example(tb testing.TB, name string) []byte {
	tb.Helper()
	src, err := os.ReadFile(filepath.Join("..", "examples", name+".py"))
	if err != nil {
		tb.Fatal(err)
	}
	return src
}

// frontEnd compiles an example up to tile IR.
func frontEnd(tb testing.TB, name string, src []byte, sig string) {
	tb.Helper()
	mod, err := tegula.Load(name+".py", src)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := mod.Kernel(name).Compile(tegula.CompileOptions{Signature: sig}); err != nil {
		tb.Fatal(err)
	}
}
