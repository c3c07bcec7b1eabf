//go:build oracle

package cuda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tegula-lang/tegula/internal/difftest"
)

// ptxas gives the path of NVIDIA's assembler, which comes with Triton.
func ptxas(t *testing.T) string {
	path := difftest.Ptxas()
	if path == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton; make test-oracles sets it")
	}
	return path
}

var (
	spills    = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
	registers = regexp.MustCompile(`Used (\d+) registers`)
)

// TestExamples: ptxas accepts the examples for all architectures, and nothing is spilled.
func TestExamples(t *testing.T) {
	assembler, dir := ptxas(t), t.TempDir()
	for _, arch := range []string{"75", "80", "86", "89", "90a", "100a", "120"} {
		for _, e := range examples {
			path := filepath.Join(dir, e.name+arch+".ptx")
			if err := os.WriteFile(path, e.compile(t, arch), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(assembler, "-v", "-arch=sm_"+arch, path, "-o", path+".cubin").CombinedOutput()
			if err != nil {
				t.Errorf("%s for sm_%s: %v\n%s", e.name, arch, err, out)
				continue
			}
			m := spills.FindSubmatch(out)
			if m == nil || string(m[1]) != "0" || string(m[2]) != "0" {
				t.Errorf("%s for sm_%s spills:\n%s", e.name, arch, out)
			}
			if r := registers.FindSubmatch(out); r != nil {
				t.Logf("sm_%s %s: %s registers", arch, e.name, r[1])
			}
		}
	}
}
