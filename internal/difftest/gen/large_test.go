package gen_test

import (
	"errors"
	"flag"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
	"github.com/tegula-lang/tegula/internal/dtype"
)

var everyLarge = flag.Int("every-large", 100, "simulate one case of large tiles in so many")

// TestSimulatedLarge runs expressions on tiles that no thread can hold in registers, which are gone over in parts. The checked executor
// says what is right.
func TestSimulatedLarge(t *testing.T) {
	largeTiles(t, simulators()["90a"].Stream(), *warps, *everyLarge)
}

// TestCUDALarge runs such expressions on an NVIDIA GPU, with few warps, which have to hold the most, and with many.
func TestCUDALarge(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	for _, warps := range []int{1, 4, 8} {
		t.Run(strconv.Itoa(warps), func(t *testing.T) { largeTiles(t, d.Stream(), warps, max(*everyLarge/4, 1)) })
	}
}

func largeTiles(t *testing.T, s tegula.Stream, warps, oneIn int) {
	tally := &tally{refused: map[string]int{}}
	t.Cleanup(func() { tally.log(t) })
	for i := range gen.Rows {
		row := gen.Rows[i]
		if row.Expr == "" || row.Name == "tl.cumprod" { // long products overflow in an order that is open
			continue
		}
		row.Shapes = grown(row.Shapes)
		for _, c := range row.Cases() {
			if !strings.Contains(c.Name, *only) || !sampled(c.Name+strconv.Itoa(i), oneIn) {
				continue
			}
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				want := c.Clone()
				if err := onCPU(want); err != nil {
					t.Skip(err) // the expression is one of the row's own shape
				}
				got := c.Clone()
				err := onDevice(s, got, tegula.NumWarps(warps))
				if errors.Is(err, tegula.ErrOutOfResources) {
					t.Skip(err)
				}
				if err == nil {
					err = alike(got, want)
				}
				tally.judge(t, c, err)
			})
		}
	}
}

// grown makes the shapes of a row larger: their ranks stay.
func grown(shapes string) string {
	if shapes == "" {
		shapes = "64"
	}
	factor := []int{0, 128, 16, 4, 4}
	var list []string
	for _, shape := range strings.Fields(shapes) {
		dims := strings.Split(shape, "x")
		for i, d := range dims {
			n, err := strconv.Atoi(d)
			if err != nil {
				panic(err)
			}
			dims[i] = strconv.Itoa(n * factor[min(len(dims), len(factor)-1)])
		}
		list = append(list, strings.Join(dims, "x"))
	}
	return strings.Join(list, " ")
}

// alike compares outputs: floats may be as far apart as another order of many additions explains.
func alike(got, want *gen.Case) error {
	for i := range want.Args {
		a := &want.Args[i]
		if !a.Out {
			continue
		}
		tol := want.Tol
		tol.Rel = max(tol.Rel, looseness(a.DType))
		tol.Abs = max(tol.Abs, looseness(a.DType)*largest(a.DType, a.Data))
		if diff := difftest.Compare(a.DType, got.Args[i].Data, a.Data, tol); diff != "" {
			return errors.New(a.Name + ": " + diff)
		}
	}
	return nil
}

// looseness is how far apart sums of a type may be, of their size.
func looseness(d dtype.DType) float64 {
	switch {
	case !d.IsFloat():
		return 0
	case d.Bits() <= 16:
		return 0.03
	}
	return 1e-5
}

// largest gives the largest finite magnitude.
func largest(d dtype.DType, data []byte) float64 {
	most := 0.0
	for _, x := range (&tegula.Array{DType: d, Shape: []int{len(data) / d.Bytes()}, Data: data}).Float64s() {
		if x = math.Abs(x); x > most && !math.IsInf(x, 0) {
			most = x
		}
	}
	return most
}
