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

// TestCUDACPPAccepted gives a sample of the cases to nvcc, for the oldest architecture, a new one, or clusters of that.
func TestCUDACPPAccepted(t *testing.T) {
	if _, err := nvcc.Compiler(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	gpus := []gpu{{"75", 1}, {"90a", 1}, {"90a", 2}}
	n := 0
	for _, c := range gen.Cases() {
		if !strings.Contains(c.Name, *only) || !sampled(c.Name, 8**every) {
			continue
		}
		n++
		g := gpus[n%len(gpus)]
		t.Run(c.Name+"/"+g.String(), func(t *testing.T) {
			t.Parallel()
			text, err := compiledFor(c, g, "cuda")
			if errors.Is(err, tegula.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if _, err := nvcc.Cubin(text, g.arch); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
