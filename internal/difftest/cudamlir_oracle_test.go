//go:build oracle

package difftest_test

import (
	"path/filepath"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/backend/cudamlir"
)

// TestCUDAMLIRCompiles has Triton make cubins of the examples, for which no GPU is needed: the target cuda-mlir.
func TestCUDAMLIRCompiles(t *testing.T) {
	t.Setenv(cudamlir.EnvPython, oraclePython(t))
	for name, signature := range exampleSignatures {
		t.Run(name, func(t *testing.T) {
			mod, err := tegula.LoadFile(filepath.Join("..", "..", "examples", name+".py"))
			if err != nil {
				t.Fatal(err)
			}
			c, err := mod.Kernel(name).Compile(tegula.CompileOptions{Target: "cuda-mlir:90a", Signature: signature})
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			m, err := c.Metadata()
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if len(m.Backends.Other[cudamlir.Backend]) == 0 || m.Target != "cuda-mlir:90a" {
				t.Errorf("%+v", m)
			}
		})
	}
}

// exampleSignatures are the types and constants of the kernels in examples.
var exampleSignatures = map[string]string{
	"vector_add": "x_ptr=*fp32:16, y_ptr=*fp32:16, out_ptr=*fp32:16, n=i32, BLOCK=1024",
	"softmax":    "x_ptr=*fp16:16, out_ptr=*fp16:16, x_stride=i32:16, out_stride=i32:16, n_cols=i32, BLOCK=512",
	"layer_norm": "x_ptr=*bf16, weight_ptr=*fp32, bias_ptr=*fp32, out_ptr=*bf16, mean_ptr=*fp32, rstd_ptr=*fp32, stride=i32, n_cols=i32, eps=fp32, BLOCK=1024",
	"dropout":    "x_ptr=*fp32, out_ptr=*fp32, n=i32, p=fp32, seed=i32, BLOCK=1024",
	"matmul": "a_ptr=*fp16:16, b_ptr=*fp16:16, c_ptr=*fp16:16, M=i32, N=i32, K=i32, stride_am=i32:16, stride_ak=i32:1, stride_bk=i32:16, stride_bn=i32:1, " +
		"stride_cm=i32:16, stride_cn=i32:1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=2, ACTIVATION=leaky_relu",
	"attention": "q_ptr=*fp16:16, k_ptr=*fp16:16, v_ptr=*fp16:16, out_ptr=*fp16:16, lse_ptr=*fp32:16, scale=fp32, n_ctx=i64, HEAD_DIM=32, BLOCK_M=32, BLOCK_N=32, CAUSAL=True",
}
