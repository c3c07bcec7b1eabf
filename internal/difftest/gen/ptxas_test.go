//go:build oracle

package gen_test

import (
	"errors"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
)

// gpus are what cases are assembled for, with clusters where there are any.
var gpus = []gpu{{"75", 1}, {"80", 1}, {"86", 1}, {"89", 1}, {"90a", 1}, {"90a", 2}, {"100a", 1}, {"100a", 4}, {"120a", 1}}

// gpusFor gives those for which a case is assembled: one, and all for one case in 32, or for every case with -every 1.
func gpusFor(c *gen.Case) []gpu {
	if *every == 1 || sampled(c.Name, 8**every) {
		return gpus
	}
	h := fnv.New32a()
	h.Write([]byte(c.Name))
	i := int(h.Sum32()>>8) % len(gpus)
	return gpus[i : i+1]
}

// TestPTXAccepted gives all cases to NVIDIA's assembler, which comes with Triton.
func TestPTXAccepted(t *testing.T) {
	ptxas := difftest.Ptxas()
	if ptxas == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton; make test-oracles sets it")
	}
	dir := t.TempDir()
	for _, c := range gen.Cases() {
		if !strings.Contains(c.Name, *only) {
			continue
		}
		for _, g := range gpusFor(c) {
			t.Run(c.Name+"/"+g.String(), func(t *testing.T) {
				t.Parallel()
				ptx, err := compiledFor(c, g, "ptx")
				if errors.Is(err, tegula.ErrUnsupported) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(tegula.Detail(err))
				}
				path := filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(c.Name+g.String())+".ptx")
				if err := os.WriteFile(path, ptx, 0o644); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(ptxas, "-O1", "-arch=sm_"+g.arch, path, "-o", path+".cubin").CombinedOutput(); err != nil {
					t.Errorf("%v\n%.2000s", err, out)
				}
			})
		}
	}
}
