//go:build oracle

package difftest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/difftest/nvcc"
)

// TestCUDACPPAccepted gives a sample of the corpus to nvcc, each case for one architecture.
func TestCUDACPPAccepted(t *testing.T) {
	if _, err := nvcc.Compiler(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		if i%3 != 0 {
			continue
		}
		c, arch := &cases[i], cudaTargets[i/3%len(cudaTargets)]
		t.Run(c.Name+"/"+arch, func(t *testing.T) {
			t.Parallel()
			text, err := emitCase(c, arch, "cuda")
			if errors.Is(err, tegula.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if _, err := nvcc.Cubin(text, arch); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// TestCUDACPPDotsAccepted gives products to nvcc that warp groups do.
func TestCUDACPPDotsAccepted(t *testing.T) {
	if _, err := nvcc.Compiler(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	mod, err := tegula.Load("dots.py", dotKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for i, name := range mod.EntryKernels() {
		c := dotsCases[i%len(dotsCases)]
		if c.weights != 0 { // one type is all that the signature says
			c = dotsCases[0]
		}
		t.Run(fmt.Sprintf("%s/%v", name, c), func(t *testing.T) {
			t.Parallel()
			k, err := mod.Kernel(name).Compile(tegula.CompileOptions{
				Target: "cuda:90a", NumWarps: c.warps, NumStages: c.stages,
				Signature: fmt.Sprintf("x=*%[1]s:16, y=*%[1]s:16, z=*%[1]s:16, out=*fp32:16, n=i32, M=%[2]d, N=%[3]d, K=%[4]d", c.of, c.M, c.N, c.K),
			})
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			text, err := k.Emit("cuda")
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if !strings.Contains(string(text), "wgmma.mma_async") {
				t.Error("no product of warp groups")
			}
			if _, err := nvcc.Cubin(text, "90a"); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// TestCUDACPPBinary: what nvcc makes is a binary with metadata that a launch takes.
func TestCUDACPPBinary(t *testing.T) {
	if _, err := nvcc.Compiler(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	nvcc.Register()
	mod, err := tegula.Load("one.py", []byte(oneKernel))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	k, err := mod.Kernel("one").Compile(tegula.CompileOptions{Target: nvcc.Name + ":80", Signature: "*fp32:16, BLOCK=128"})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	text, err := k.Emit("metadata")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	m, err := driver.ParseKernelMetadata(text)
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Backends.CUDA; c == nil || c.Entry != "one" {
		t.Errorf("%+v", m.Backends)
	}
}

const oneKernel = `
import triton
import triton.language as tl

@triton.jit
def one(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)
`
