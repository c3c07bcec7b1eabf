//go:build oracle

package difftest_test

import (
	"errors"
	"testing"

	"github.com/tegula-lang/tegula"
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
