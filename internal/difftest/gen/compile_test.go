package gen_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
)

// TestCUDACPPPrints prints a sample of the cases as CUDA C++.
func TestCUDACPPPrints(t *testing.T) {
	for i, arch := range []string{"75", "90a"} {
		for j, c := range gen.Cases() {
			if !sampled(c.Name, 2**every) || j%2 != i {
				continue
			}
			if _, err := compiledFor(c, gpu{arch, 1}, "cuda"); err != nil && !errors.Is(err, tegula.ErrUnsupported) {
				t.Errorf("%s for cuda:%s: %s", c.Name, arch, tegula.Detail(err))
			}
		}
	}
}

// A gpu is what a case is assembled for.
type gpu struct {
	arch string
	ctas int
}

func (g gpu) String() string {
	if g.ctas == 1 {
		return g.arch
	}
	return fmt.Sprintf("%s of %d CTAs", g.arch, g.ctas)
}

// compiledFor compiles a case for an architecture and gives a stage.
func compiledFor(c *gen.Case, g gpu, stage string) ([]byte, error) {
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
	k, err := mod.Kernel("kernel").Compile(tegula.CompileOptions{Target: "cuda:" + g.arch, Signature: strings.Join(sig, ", "), NumCTAs: g.ctas})
	if err != nil {
		return nil, err
	}
	return k.Emit(stage)
}
