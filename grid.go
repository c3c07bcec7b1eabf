package tegula

import (
	"errors"
	"fmt"
	"math"

	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// A GridSpec says how many program instances a launch has: a Grid, a GridFunc or a GridExpr.
type GridSpec interface{ gridSpec() }

// A Grid is the number of program instances along one to three axes; axes that are left out have
// one.
type Grid []int

// A GridFunc computes the grid from the arguments, with constants, defaults and configurations
// filled in. Args.Grid makes one without allocating.
type GridFunc func(Args) Grid

// A GridExpr is a grid in Python: one to three expressions over the arguments, separated by
// commas, such as "cdiv(M, BLOCK_M), heads", or a function of the dict of arguments, such as
// "lambda args: (cdiv(args['M'], args['BLOCK_M']),)". Arrays have shape, numel() and so on;
// cdiv and next_power_of_2 are there, as are the names of the kernel's file.
type GridExpr string

func (Grid) gridSpec()     {}
func (GridFunc) gridSpec() {}
func (GridExpr) gridSpec() {}

// setGrid gives a call its grid. The interface's method is not called, so that the grid does not
// escape, and a literal costs its caller no allocation.
func (k *Kernel) setGrid(c *launch.Call, spec GridSpec) error {
	switch g := spec.(type) {
	case Grid:
		c.SetGrid(g)
	case GridFunc:
		return g.evaluate(c)
	case GridExpr:
		v, err := k.module.evalGrid(string(g), c.Args())
		if err != nil {
			return launch.GridFailed(err)
		}
		return c.SetGridValue(v)
	}
	return nil
}

func (f GridFunc) evaluate(c *launch.Call) error {
	if f == nil {
		return launch.GridFailed(errors.New("the function is nil"))
	}
	g, err := f.call(Args{c.Args()})
	if err != nil {
		return launch.GridFailed(err)
	}
	if err := c.Args().Err(); err != nil {
		return launch.GridFailed(err)
	}
	c.SetGrid(g)
	return nil
}

// call calls the function. That it panics is an error like any other.
func (f GridFunc) call(a Args) (g Grid, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function panics: %v", p)
		}
	}()
	return f(a), nil
}

// Args are the arguments of a launch, for functions that are called before it. Asking for what is
// not there gives 0 and makes the launch fail with an error that says so. They may not be kept.
type Args struct{ bound *launch.Bound }

// Grid gives a Grid that is good until the function returns.
func (a Args) Grid(dims ...int) Grid { return a.bound.Scratch(dims) }

// lookup gives an argument, nil if there is none.
func (a Args) lookup(name string) *launch.Value {
	v, err := a.bound.Lookup(name)
	if err != nil {
		a.bound.Fail(err)
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
	n, ok := v.Int()
	if !ok {
		a.bound.Fail(fmt.Errorf("argument '%s' is no int: %s", name, pyval.TypeName(v.Python())))
	}
	return n
}

// Len gives the number of elements of an array argument.
func (a Args) Len(name string) int {
	v := a.array(name)
	if v == nil {
		return 0
	}
	return v.Len()
}

// Shape gives the shape of an array argument; that of a slice is its length.
func (a Args) Shape(name string) []int {
	v := a.array(name)
	if v == nil {
		return []int{0}
	}
	return v.Dims()
}

// array gives an array argument, nil if it is none.
func (a Args) array(name string) *launch.Value {
	v := a.lookup(name)
	if v != nil && v.Kind != launch.KindArray {
		a.bound.Fail(fmt.Errorf("argument '%s' is no array", name))
		return nil
	}
	return v
}

// An Integer is what Cdiv and NextPowerOf2 take.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Cdiv gives how many blocks of size d are needed for n, for positive numbers; 0 if d is 0.
func Cdiv[N, D Integer](n N, d D) int {
	if n <= 0 || d <= 0 {
		return -signedDiv(-int(n), int(d))
	}
	x, y := uint64(n), uint64(d)
	q := x / y
	if x%y > 0 {
		q++
	}
	return int(min(q, math.MaxInt))
}

// signedDiv is division that rounds down; 0 if d is 0.
func signedDiv(n, d int) int {
	if d == 0 {
		return 0
	}
	q := n / d
	if n%d != 0 && (n < 0) != (d < 0) {
		q--
	}
	return q
}

// NextPowerOf2 gives the smallest power of two that is n or more, or the largest that an int holds; 1 for n below 1.
func NextPowerOf2(n int) int {
	p := 1
	for p < n && p <= math.MaxInt/2 {
		p <<= 1
	}
	return p
}
