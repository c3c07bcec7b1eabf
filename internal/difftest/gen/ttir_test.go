package gen_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// TestTTIRFresh prints random kernels in Triton's dialects, reads that text, and compares what it does with the kernel itself, bit for bit.
func TestTTIRFresh(t *testing.T) {
	for _, seed := range freshSeeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := gen.Random(seed)
			want, got := c.Clone(), c.Clone()
			if err := onCPU(want); err != nil {
				t.Fatal(tegula.Detail(err))
			}
			text, err := compiledFor(c, gpu{"90a", 1}, "ttir")
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if err := launchText(got, string(text), tegula.Unfused()); err != nil {
				t.Fatalf("%s\n%s", tegula.Detail(err), text)
			}
			if diff := differences(got, want); diff != "" {
				t.Errorf("%s\n%s\n%s", diff, c.Source, text)
			}
		})
	}
}

// launchText runs a case whose kernel is given as text in Triton's dialects.
func launchText(c *gen.Case, text string, options ...any) error {
	mod, err := tegula.Load("kernel.ttir", []byte(text))
	if err != nil {
		return err
	}
	args := slices.Clone(options)
	for i := range c.Args {
		v := argument(&c.Args[i])
		if a, ok := v.(*tegula.Array); ok && a.DType == dtype.Float8E4B15 {
			a.DType = dtype.Int8 // which Triton's text has in its place
		}
		args = append(args, tegula.Arg(c.Args[i].Name, v))
	}
	return mod.Kernel("kernel").Launch(context.Background(), tegula.CPU(), tegula.Grid(c.Grid), args...)
}
