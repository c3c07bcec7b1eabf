//go:build oracle

package difftest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula/internal/difftest"
)

// cudaTargets are the architectures that the corpus is compiled for.
var cudaTargets = []string{"75", "80", "90a", "100a", "120a"}

// ptxas gives the path of NVIDIA's assembler, which comes with Triton.
func ptxas(t *testing.T) string {
	path := difftest.Ptxas()
	if path == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton's ptxas; make test-oracles sets it")
	}
	return path
}

// TestPTXAccepted gives the corpus to ptxas, for each architecture.
func TestPTXAccepted(t *testing.T) {
	assembler, dir := ptxas(t), t.TempDir()
	for _, arch := range cudaTargets {
		list, refused := compileCorpus(t, arch)
		tell(t, refused)
		jobs := make(chan compiled)
		var wait sync.WaitGroup
		for range 4 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for c := range jobs {
					if out, err := assemble(assembler, dir, c); err != nil {
						t.Errorf("%s for sm_%s: %v\n%s", c.name, c.arch, err, out)
					}
				}
			}()
		}
		for _, c := range list {
			jobs <- c
		}
		close(jobs)
		wait.Wait()
		t.Logf("sm_%s: %d cases", arch, len(list))
	}
}

// assemble runs ptxas and gives what it says.
func assemble(assembler, dir string, c compiled) (string, error) {
	path := filepath.Join(dir, strings.ReplaceAll(c.name, "/", "_")+"."+c.arch+".ptx")
	if err := os.WriteFile(path, c.ptx, 0o644); err != nil {
		return "", err
	}
	out, err := exec.Command(assembler, "-v", "-arch=sm_"+c.arch, path, "-o", path+".cubin").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("ptxas: %w", err)
	}
	return string(out), err
}
