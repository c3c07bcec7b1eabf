package native_test

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/difftest"
)

// TestCorpus runs the language's corpus as machine code. What is refused is skipped with the reason.
func TestCorpus(t *testing.T) {
	if why := native.Supported(); why != "" {
		t.Skip(why)
	}
	t.Setenv("TEGULA_CPU", "native-only")
	t.Setenv("TEGULA_CPU_FEATURES", flag.Lookup("features").Value.String())
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			mod, err := tegula.Load(c.File, c.Source)
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			var args []any
			for i := range c.Args {
				args = append(args, argument(t, mod, &c.Args[i]))
			}
			err = mod.Kernel(c.Kernel).Launch(context.Background(), tegula.CPU(), tegula.Grid(c.Grid), args...)
			if errors.Is(err, tegula.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			for _, a := range c.Args {
				if a.Want == nil {
					continue
				}
				if diff := difftest.Compare(a.DType, a.Data, a.Want, c.Tol); diff != "" {
					t.Errorf("%s: %s", a.Name, diff)
				}
			}
		})
	}
}

func argument(t *testing.T, mod *tegula.Module, a *difftest.Arg) any {
	t.Helper()
	switch {
	case a.Data != nil:
		return tegula.Arg(a.Name, &tegula.Array{DType: a.DType, Shape: a.Dims, Data: a.Data})
	case a.Typed:
		return tegula.Arg(a.Name, a.Int)
	}
	v, err := mod.Eval(a.Literal, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tegula.Arg(a.Name, v)
}
