package main

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
)

// TestMain runs the tests where the program runs, at the root of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// What is to be timed on a GPU is right on a simulated one, and moves no more memory there than it has to: whole sectors, and no two words of
// a bank at once.
func TestWorkloads(t *testing.T) {
	var accesses []sim.Access
	s := simt.New(simt.Options{
		Arch: "90a", Sim: sim.Options{Profile: true}, Watch: func(_ *lir.Func, r *sim.Result) { accesses = append(accesses, r.Accesses...) },
	}).Stream()
	seen := map[string]bool{}
	for _, w := range workloads {
		// One of each kernel and type, in one configuration: others are tested elsewhere.
		what := fmt.Sprint(w.small.kernel, w.small.arrays[0].dtype)
		if seen[what] {
			continue
		}
		seen[what] = true
		w.small.configs = w.small.configs[:1]
		t.Run(w.large.row, func(t *testing.T) {
			accesses = nil
			err := w.small.check(s)
			if errors.Is(err, tegula.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Error(tegula.Detail(err))
			}
			if len(accesses) == 0 {
				t.Error("nothing was accessed")
			}
			for _, a := range accesses {
				// The scalars of a row are alone in their sectors; what is cut off at an edge may be in one more. A conversion outside
				// of loops may go twice through the banks.
				if a.Space == lir.Shared && a.Excess() > 2 || a.Space == lir.Global && a.Excess() > 1.2 && a.Moved > 4*a.Requests {
					t.Error(a.String())
				}
			}
		})
	}
}

// The kernels whose compilation is timed compile.
func TestCompilations(t *testing.T) {
	for _, c := range compilationRows {
		t.Run(c.row, func(t *testing.T) {
			k, err := load(c.file).Kernel(c.kernel).Compile(tegula.CompileOptions{Target: "cuda:90a", Signature: c.signature, NumWarps: c.warps})
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			ptx, err := k.Emit("ptx")
			if errors.Is(err, tegula.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			t.Logf("%d bytes of PTX", len(ptx))
		})
	}
}
