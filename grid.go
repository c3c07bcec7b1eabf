package tegula

import (
	"fmt"
	"math"

	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// A GridSpec says how many program instances a launch has: a Grid, a GridFunc or a GridExpr.
type GridSpec interface{ grid(k *Kernel) launch.Grid }

// A Grid is the number of program instances along one to three axes; axes that are left out have
// one.
type Grid []int

func (g Grid) grid(*Kernel) launch.Grid { return launch.Ints(g) }

// A GridFunc computes the grid from the arguments, with constants, defaults and configurations
// filled in.
type GridFunc func(Args) Grid

func (f GridFunc) grid(*Kernel) launch.Grid {
	return launch.GridFunc(func(b launch.Bound) (pyval.Value, error) {
		if f == nil {
			return nil, fmt.Errorf("the function is nil")
		}
		var first error
		g := f(Args{b, &first})
		if first != nil {
			return nil, first
		}
		return launch.Ints(g).Python(), nil
	})
}

// A GridExpr is a grid in Python: one to three expressions over the arguments, separated by
// commas, such as "cdiv(M, BLOCK_M), heads", or a function of the dict of arguments, such as
// "lambda args: (cdiv(args['M'], args['BLOCK_M']),)". Arrays have shape, numel() and so on;
// cdiv and next_power_of_2 are there, as are the names of the kernel's file.
type GridExpr string

func (e GridExpr) grid(k *Kernel) launch.Grid {
	return launch.GridFunc(func(b launch.Bound) (pyval.Value, error) {
		return k.module.evalGrid(string(e), b)
	})
}

// Args are the arguments of a launch, for the function that computes its grid. Asking for what is
// not there gives 0 and makes the launch fail with an error that says so.
type Args struct {
	bound launch.Bound
	first *error
}

func (a Args) fail(err error) {
	if *a.first == nil {
		*a.first = err
	}
}

// lookup gives an argument, nil if there is none.
func (a Args) lookup(name string) *launch.Value {
	v, err := a.bound.Lookup(name)
	if err != nil {
		a.fail(err)
		return nil
	}
	return v
}

// Int gives an integer argument.
func (a Args) Int(name string) int {
	v := a.lookup(name)
	if v == nil {
		return 0
	}
	n, ok := v.Python().(int64)
	if !ok || n > math.MaxInt || n < math.MinInt {
		a.fail(fmt.Errorf("argument '%s' is no int: %s", name, pyval.TypeName(v.Python())))
		return 0
	}
	return int(n)
}

// Len gives the number of elements of an array argument.
func (a Args) Len(name string) int {
	n := 1
	for _, d := range a.Shape(name) {
		n *= d
	}
	return n
}

// Shape gives the shape of an array argument; that of a slice is its length.
func (a Args) Shape(name string) []int {
	v := a.lookup(name)
	if v == nil {
		return []int{0}
	}
	if v.Kind != launch.KindArray {
		a.fail(fmt.Errorf("argument '%s' is no array", name))
		return []int{0}
	}
	return v.Shape
}

// An Integer is what Cdiv and NextPowerOf2 take.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Cdiv gives how many blocks of size d are needed for n, for positive numbers; 0 if d is 0.
func Cdiv[N, D Integer](n N, d D) int {
	if d == 0 {
		return 0
	}
	q := int(n) / int(d)
	if int(n)%int(d) > 0 {
		q++
	}
	return q
}

// NextPowerOf2 gives the smallest power of two that is n or more; 1 for n below 1.
func NextPowerOf2(n int) int {
	p := 1
	for p < n && p > 0 {
		p <<= 1
	}
	return p
}
