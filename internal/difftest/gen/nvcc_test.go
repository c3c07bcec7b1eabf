//go:build oracle

package gen_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
	"github.com/tegula-lang/tegula/internal/difftest/nvcc"
)

// TestCUDACPPAccepted gives a sample of the cases to nvcc, for the oldest architecture or a new one.
func TestCUDACPPAccepted(t *testing.T) {
	if _, err := nvcc.Compiler(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	archs := []string{"75", "90a"}
	n := 0
	for _, c := range gen.Cases() {
		if !strings.Contains(c.Name, *only) || !sampled(c.Name, 8**every) {
			continue
		}
		n++
		arch := archs[n%len(archs)]
		t.Run(c.Name+"/"+arch, func(t *testing.T) {
			t.Parallel()
			text, err := compiledFor(c, gpu{arch, 1}, "cuda")
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
