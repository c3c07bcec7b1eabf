package lower

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A dotCase is a kernel that multiplies one tile of A with one of B, added to C, and stores the sum.
type dotCase struct {
	batch, m, n, k int
	a, b, c        tile.Elem
	attr           string
	transA, transB bool // A lies in memory column by column, B too
	warps          int
	loop           int // times that it is done, the sum carried
	stages         int
	outer          int // times that this is done, in a loop around it
}

func (c dotCase) String() string {
	return fmt.Sprintf("%dx%dx%dx%d %s·%s+%s %s trans %v %v warps %d loop %d", c.batch, c.m, c.n, c.k, c.a, c.b, c.c, c.attr, c.transA, c.transB, c.warps, c.loop)
}

// text gives the kernel.
func (c dotCase) text() string {
	var t strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&t, "  "+format+"\n", args...) }
	dims := func(rows, columns int) string {
		if c.batch > 1 {
			return fmt.Sprintf("%dx%dx%d", c.batch, rows, columns)
		}
		return fmt.Sprintf("%dx%d", rows, columns)
	}
	order := "[1, 0]"
	if c.batch > 1 {
		order = "[0, 2, 1]"
	}
	load := func(name string, e tile.Elem, rows, columns int, trans bool) {
		n := c.batch * rows * columns
		line("%%r%s = range {start = 0, end = %d} : %dxi32", name, n, n)
		line("%%p%s = splat %%%s : %dxptr<%s>", name, name, n, e)
		line("%%q%s = addptr %%p%s, %%r%s : %dxptr<%s>", name, name, name, n, e)
		line("%%l%s = load %%q%s : %dx%s", name, name, n, e)
		if !trans {
			line("%%t%s = reshape %%l%s : %sx%s", name, name, dims(rows, columns), e)
			return
		}
		line("%%m%s = reshape %%l%s : %sx%s", name, name, dims(columns, rows), e)
		line("%%t%s = trans %%m%s {order = %s} : %sx%s", name, name, order, dims(rows, columns), e)
	}
	fmt.Fprintf(&t, "func @dot(%%a: ptr<%s> {div = 16}, %%b: ptr<%s> {div = 16}, %%c: ptr<%s> {div = 16}, %%n: i32) -> () {\n", c.a, c.b, c.c)
	load("c", c.c, c.m, c.n, false)
	sum := fmt.Sprintf("%sx%s", dims(c.m, c.n), c.c)
	if c.outer > 0 {
		line("%%first = const 0 : i32")
		line("%%step = const 1 : i32")
		line("%%times = const %d : i32", c.outer)
		line("%%e = for %%first, %%times, %%step, %%tc : %s (%%j: i32, %%y: %s) {", sum, sum)
	}
	start := "%tc"
	if c.outer > 0 {
		start = "%y"
	}
	if c.loop > 0 {
		line("%%zero = const 0 : i32")
		line("%%one = const 1 : i32")
		line("%%d = for %%zero, %%n, %%one, %s : %s (%%i: i32, %%x: %s) {", start, sum, sum)
	}
	load("a", c.a, c.m, c.k, c.transA)
	load("b", c.b, c.k, c.n, c.transB)
	if c.loop > 0 {
		line("%%s = dot %%ta, %%tb, %%x {%s} : %s", c.attr, sum)
		line("yield %%s")
		line("}")
	} else {
		line("%%d = dot %%ta, %%tb, %s {%s} : %s", start, c.attr, sum)
	}
	result := "%d"
	if c.outer > 0 {
		line("yield %%d")
		line("}")
		result = "%e"
	}
	n := c.batch * c.m * c.n
	line("%%o = reshape %s : %dx%s", result, n, c.c)
	line("store %%qc, %%o")
	line("return")
	t.WriteString("}\n")
	return t.String()
}

// An array holds elements of a type, all of them small: sums are exact.
func anyArray(r *rand.Rand, e tile.Elem, n int) (data []byte, vals []float64) {
	data, vals = make([]byte, n*e.Bytes()), make([]float64, n)
	for i := range vals {
		vals[i] = float64(r.IntN(5) - 2)
		if e.IsFloat() {
			vals[i] /= 2
		}
		put(data[i*e.Bytes():], e, vals[i])
	}
	return data, vals
}

func put(at []byte, e tile.Elem, x float64) {
	bits := uint64(int64(x))
	if e.IsFloat() {
		bits = e.DType().Encode(x)
	}
	for i := range e.Bytes() {
		at[i] = byte(bits >> (8 * i))
	}
}

func get(at []byte, e tile.Elem) float64 {
	var bits uint64
	for i := range e.Bytes() {
		bits |= uint64(at[i]) << (8 * i)
	}
	if e.IsFloat() {
		return e.DType().Decode(bits)
	}
	shift := 64 - e.Bits()
	return float64(int64(bits<<shift) >> shift)
}

var everyMatrix = lir.MMAs(lir.MMAF16, lir.MMAF16Half, lir.MMABF16, lir.MMATF32, lir.MMAS8, lir.MMAU8, lir.MMAE4M3, lir.MMAE4M3E5M2, lir.MMAE5M2E4M3, lir.MMAE5M2, lir.MMAF64)

// matrixTarget is a target that has all that products can use.
var matrixTarget = Capabilities{Redux: true, F8: true, BF16: true, MMA: everyMatrix, LoadMatrix: true, CopyAsync: true}

func (c dotCase) lower(t *testing.T, can Capabilities) *lir.Func {
	t.Helper()
	m, err := tile.Parse("dot.tile", []byte(c.text()))
	if err != nil {
		t.Fatalf("%v\n%s", err, c.text())
	}
	if err := tile.Verify(m); err != nil {
		t.Fatal(err)
	}
	f, err := Kernel(m, Options{Warps: c.warps, WarpSize: 32, Stages: c.stages, Can: can})
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return f
}

// run runs the kernel and compares with the definition.
func (c dotCase) run(t *testing.T, f *lir.Func) *sim.Result {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	aBytes, a := anyArray(r, c.a, c.batch*c.m*c.k)
	bBytes, b := anyArray(r, c.b, c.batch*c.k*c.n)
	cBytes, sums := anyArray(r, c.c, c.batch*c.m*c.n)
	res, err := sim.Run(context.Background(), f, sim.Launch{
		Grid:    [3]uint32{1, 1, 1},
		Args:    []sim.Arg{{Array: aBytes}, {Array: bBytes}, {Array: cBytes}, {Bits: uint64(c.loop)}},
		Options: sim.Options{Profile: true, GlobalRaces: true},
	})
	if err != nil {
		t.Fatalf("%v: %v\n%v", c, err, f)
	}
	unsigned := strings.Contains(c.attr, "unsigned")
	for batch := range c.batch {
		for i := range c.m {
			for j := range c.n {
				at := (batch*c.m+i)*c.n + j
				want := sums[at]
				for k := range c.k {
					x, y := a[(batch*c.m+i)*c.k+k], b[(batch*c.k+k)*c.n+j]
					if c.transA {
						x = a[(batch*c.k+k)*c.m+i]
					}
					if c.transB {
						y = b[(batch*c.n+j)*c.k+k]
					}
					if unsigned {
						mask := uint64(1)<<c.a.Bits() - 1
						x, y = float64(uint64(int64(x))&mask), float64(uint64(int64(y))&mask)
					}
					want += x * y * float64(max(1, c.loop)*max(1, c.outer))
				}
				if got := get(cBytes[at*c.c.Bytes():], c.c); got != want {
					t.Fatalf("%v: element (%d,%d,%d) is %v, not %v", c, batch, i, j, got, want)
				}
			}
		}
	}
	return res
}

// noConflicts looks for banks of shared memory that were asked for two words at once.
func noConflicts(t *testing.T, name string, res *sim.Result) {
	t.Helper()
	for _, a := range res.Accesses {
		if a.Space == lir.Shared && a.Moved > a.Least {
			t.Errorf("%s: conflicts between banks: %v (%v)", name, &a, a.Op)
		}
	}
}

func uses(f *lir.Func, code lir.Code) int {
	n := 0
	f.Body.Walk(func(op *lir.Op) {
		if op.Code == code {
			n++
		}
	})
	return n
}

func TestDot(t *testing.T) {
	for _, c := range []struct {
		dotCase
		matrices bool // by matrix instructions
	}{
		{dotCase{1, 32, 32, 32, tile.F16, tile.F16, tile.F32, "tf32", false, false, 4, 0, 1, 0}, true},
		{dotCase{1, 64, 32, 64, tile.F16, tile.F16, tile.F32, "tf32", true, true, 4, 0, 1, 0}, true},
		{dotCase{1, 64, 64, 32, tile.BF16, tile.BF16, tile.F32, "tf32", false, true, 4, 3, 1, 0}, true},
		{dotCase{1, 16, 16, 16, tile.F16, tile.F16, tile.F16, "tf32", false, false, 1, 0, 1, 0}, true},
		{dotCase{1, 16, 8, 8, tile.F16, tile.F16, tile.F32, "tf32", false, false, 2, 0, 1, 0}, true},
		{dotCase{2, 32, 32, 16, tile.F16, tile.F16, tile.F32, "tf32", false, false, 4, 0, 1, 0}, true},
		{dotCase{1, 32, 32, 32, tile.F32, tile.F32, tile.F32, "tf32", false, false, 4, 0, 1, 0}, true},
		{dotCase{1, 32, 32, 32, tile.F32, tile.F32, tile.F32, "tf32", true, true, 2, 2, 1, 0}, true},
		{dotCase{1, 32, 32, 32, tile.F32, tile.F32, tile.F32, "ieee", false, false, 4, 2, 1, 0}, false},
		{dotCase{1, 32, 32, 64, tile.I8, tile.I8, tile.I32, "ieee", false, false, 4, 0, 1, 0}, true},
		{dotCase{1, 32, 32, 64, tile.I8, tile.I8, tile.I32, "ieee, unsigned", false, true, 4, 0, 1, 0}, true},
		{dotCase{1, 32, 32, 16, tile.I8, tile.I8, tile.I32, "ieee", false, true, 4, 0, 1, 0}, false},
		{dotCase{1, 16, 16, 16, tile.I16, tile.I16, tile.I32, "ieee", false, true, 4, 0, 1, 0}, false},
		{dotCase{1, 16, 16, 16, tile.I64, tile.I64, tile.I32, "ieee", false, true, 1, 0, 1, 0}, false},
		{dotCase{1, 32, 32, 64, tile.F8E4M3, tile.F8E5M2, tile.F32, "tf32", false, true, 4, 0, 1, 0}, true},
		{dotCase{1, 32, 32, 32, tile.F8E4B15, tile.F8E4B15, tile.F32, "tf32", false, true, 4, 0, 1, 0}, true},
		{dotCase{1, 16, 32, 16, tile.F64, tile.F64, tile.F64, "ieee", false, false, 4, 0, 1, 0}, true},
		{dotCase{1, 16, 16, 2, tile.F32, tile.F32, tile.F64, "ieee", false, false, 4, 0, 1, 0}, false},
		{dotCase{1, 1, 1, 1, tile.F32, tile.F32, tile.F32, "tf32", false, false, 4, 0, 1, 0}, false},
		{dotCase{2, 2, 4, 8, tile.F32, tile.F32, tile.F32, "ieee", true, false, 2, 0, 1, 0}, false},
		{dotCase{1, 8, 8, 64, tile.F16, tile.F16, tile.F32, "tf32", false, false, 8, 0, 1, 0}, true},
		{dotCase{1, 32, 32, 32, tile.F16, tile.F16, tile.F32, "tf32", false, true, 4, 3, 2, 3}, true},
		{dotCase{1, 32, 16, 16, tile.F16, tile.F16, tile.F32, "tf32", false, false, 2, 5, 4, 2}, true},
		{dotCase{1, 128, 128, 32, tile.F16, tile.F16, tile.F32, "tf32", false, false, 4, 2, 1, 0}, true},
	} {
		f := c.lower(t, matrixTarget)
		if got := uses(f, lir.OpMMA) > 0; got != c.matrices {
			t.Errorf("%v: matrix instructions: %v", c.dotCase, got)
		}
		noConflicts(t, c.String(), c.run(t, f))
		f = c.lower(t, Capabilities{})
		if uses(f, lir.OpMMA)+uses(f, lir.OpLoadMatrix) > 0 {
			t.Errorf("%v: matrix instructions where there are none", c.dotCase)
		}
		if c.m*c.n*c.k <= 32*32*64 {
			noConflicts(t, c.String(), c.run(t, f))
		}
	}
}
