//go:build oracle

package cudacpp_test

import (
	"testing"

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
