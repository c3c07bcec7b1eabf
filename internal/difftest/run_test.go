package difftest_test

import (
	"context"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest"
)

// TestCheckedExecutor runs the corpus through the public API on the CPU.
func TestCheckedExecutor(t *testing.T) {
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			mod, err := tegula.Load(c.File, c.Source)
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			args := []any{tegula.Check()}
			for i := range c.Args {
				a, err := argument(mod, &c.Args[i])
				if err != nil {
					t.Fatal(err)
				}
				args = append(args, a)
			}
			if err := mod.Kernel(c.Kernel).Launch(context.Background(), tegula.CPU(), tegula.Grid(c.Grid), args...); err != nil {
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

func argument(mod *tegula.Module, a *difftest.Arg) (any, error) {
	switch {
	case a.Data != nil:
		return tegula.Arg(a.Name, &tegula.Array{DType: a.DType, Shape: a.Dims, Data: a.Data}), nil
	case a.Typed:
		return tegula.Arg(a.Name, a.Int), nil
	}
	v, err := mod.Eval(a.Literal, nil)
	return tegula.Arg(a.Name, v), err
}
