//go:build oracle

package gen_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
)

// TestPTXAccepted gives cases to NVIDIA's assembler, which comes with Triton: one in so many, for the oldest architecture and a new one.
func TestPTXAccepted(t *testing.T) {
	python := os.Getenv("TEGULA_ORACLE_PYTHON")
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(python)), "lib/python3*/site-packages/triton/backends/nvidia/bin/ptxas"))
	if python == "" || len(found) == 0 {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton; make test-oracles sets it")
	}
	dir := t.TempDir()
	for _, c := range gen.Cases() {
		if !strings.Contains(c.Name, *only) || !sampled(c.Name, 2**every) {
			continue
		}
		for _, arch := range []string{"75", "90a"} {
			t.Run(c.Name+"/"+arch, func(t *testing.T) {
				t.Parallel()
				ptx, err := compiledFor(c, arch, "ptx")
				if errors.Is(err, tegula.ErrUnsupported) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(tegula.Detail(err))
				}
				path := filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(c.Name)+arch+".ptx")
				if err := os.WriteFile(path, ptx, 0o644); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(found[0], "-arch=sm_"+arch, path, "-o", path+".cubin").CombinedOutput(); err != nil {
					t.Errorf("%v\n%.2000s", err, out)
				}
			})
		}
	}
}

func compiledFor(c *gen.Case, arch, stage string) ([]byte, error) {
	mod, err := module(c)
	if err != nil {
		return nil, err
	}
	var sig []string
	for i := range c.Args {
		a := &c.Args[i]
		switch {
		case a.Block != nil:
			return nil, tegula.ErrUnsupported // a signature does not say what a descriptor is
		case a.Data != nil:
			sig = append(sig, fmt.Sprintf("%s=*%s:16", a.Name, a.DType))
		default:
			sig = append(sig, a.Name+"=i32")
		}
	}
	k, err := mod.Kernel("kernel").Compile(tegula.CompileOptions{Target: "cuda:" + arch, Signature: strings.Join(sig, ", ")})
	if err != nil {
		return nil, err
	}
	return k.Emit(stage)
}
