package cuda_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tegula-lang/tegula"
)

// An example is a kernel of examples/ with a usual signature.
type example struct {
	name, file, sig string
	warps           int
}

var examples = []example{
	{"vector_add", "vector_add.py", "x_ptr=*fp32:16, y_ptr=*fp32:16, out_ptr=*fp32:16, n=i32:16, BLOCK=1024", 4},
	{"softmax", "softmax.py", "x_ptr=*fp32:16, out_ptr=*fp32:16, x_stride=i32:16, out_stride=i32:16, n_cols=i32, BLOCK=1024", 4},
	{"layer_norm", "layer_norm.py", "x_ptr=*fp16:16, weight_ptr=*fp16:16, bias_ptr=*fp16:16, out_ptr=*fp16:16, mean_ptr=*fp32:16, rstd_ptr=*fp32:16, stride=i32:16, n_cols=i32:16, eps=fp32, BLOCK=1024", 4},
	{"dropout", "dropout.py", "x_ptr=*fp32:16, out_ptr=*fp32:16, n=i32:16, p=fp32, seed=i32, BLOCK=1024", 4},
	{"matmul", "matmul.py", "a_ptr=*fp16:16, b_ptr=*fp16:16, c_ptr=*fp16:16, M=i32:16, N=i32:16, K=i32:16, stride_am=i32:16, stride_ak=1, stride_bk=i32:16, stride_bn=1, stride_cm=i32:16, stride_cn=1, BLOCK_M=128, BLOCK_N=128, BLOCK_K=32, GROUP_M=8", 8},
	{"attention", "attention.py", "q_ptr=*fp16:16, k_ptr=*fp16:16, v_ptr=*fp16:16, out_ptr=*fp16:16, lse_ptr=*fp32:16, scale=fp32, n_ctx=i32:16, HEAD_DIM=64, BLOCK_M=64, BLOCK_N=64, CAUSAL=True", 4},
}

func (e example) compile(t testing.TB, arch string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("../../../examples", e.file))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := tegula.Load("examples/"+e.file, src)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	k, err := mod.Kernel(e.name).Compile(tegula.CompileOptions{Target: "cuda:" + arch, Signature: e.sig, NumWarps: e.warps})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	ptx, err := k.Emit("ptx")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	return ptx
}

// BenchmarkCompile is the way from the file to PTX.
func BenchmarkCompile(b *testing.B) {
	for _, e := range examples {
		b.Run(e.name, func(b *testing.B) {
			for b.Loop() {
				e.compile(b, "90a")
			}
		})
	}
}
