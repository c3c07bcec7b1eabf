//go:build oracle

package cudacpp_test

import (
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/nvcc"
)

// TestExamples: nvcc compiles the examples without a warning.
func TestExamples(t *testing.T) {
	if _, err := nvcc.Compiler(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	for _, arch := range []string{"75", "80", "90a", "100a"} {
		for _, e := range examples {
			t.Run(e.name+"/"+arch, func(t *testing.T) {
				t.Parallel()
				text := e.text(t, arch)
				if _, err := nvcc.Cubin(text, arch); err != nil {
					t.Errorf("%v\n%s", err, text)
				}
			})
		}
	}
}

const constants = `
import triton
import triton.language as tl

@triton.jit
def constants(x, out, n):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=1), cache_modifier=".cs")
    tl.store(out + 256, 1, cache_modifier=".cs")
    for j in range(n.to(tl.int64), 700, 7):
        tl.store(out + j, tl.load(x + j, mask=j < n, other=3, cache_modifier=".cg"))
        if out.dtype.element_ty.primitive_bitwidth >= 32:
            tl.atomic_xchg(out + j, 5, mask=j > 3)
`

// TestConstants: nvcc finds out of what type numbers are that stand as arguments.
func TestConstants(t *testing.T) {
	if _, err := nvcc.Compiler(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	mod, err := tegula.Load("constants.py", []byte(constants))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for _, typ := range []string{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32", "fp64"} {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			k, err := mod.Kernel("constants").Compile(tegula.CompileOptions{Target: "cuda:90a", Signature: "x=*" + typ + ":16, out=*" + typ + ":16, n=i32"})
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			text, err := k.Emit("cuda")
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if _, err := nvcc.Cubin(text, "90a"); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
