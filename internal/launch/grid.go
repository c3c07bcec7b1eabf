package launch

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// gridRule is how the message of every refused grid begins.
const gridRule = "Grid must contain 1 to 3 positive integer dimensions."

// axisNames are for messages.
var axisNames = [...]string{"x", "y", "z"}

// dims are the dimensions of a grid as they were said.
type dims struct {
	n     int      // how many there are; more than three are not in sizes
	sizes [3]int64 // a number that is larger saturates
}

// SetGrid says the grid in Go's integers.
func (c *Call) SetGrid(sizes []int) { c.grid = dimsOf(sizes) }

func dimsOf(sizes []int) dims {
	d := dims{n: len(sizes)}
	for i := range min(len(sizes), 3) {
		d.sizes[i] = int64(sizes[i])
	}
	return d
}

// SetGridValue says the grid as a Python value: a tuple or list of integers, or an integer alone.
func (c *Call) SetGridValue(v pyval.Value) error {
	d, err := dimsOfPython(v)
	c.grid = d
	return err
}

func dimsOfPython(v pyval.Value) (dims, error) {
	var list []pyval.Value
	switch v := v.(type) {
	case pyval.Tuple:
		list = v.Elems
	case *pyval.List:
		list = v.Elems
	default:
		list = []pyval.Value{v}
	}
	d := dims{n: len(list)}
	if d.n > 3 {
		return d, nil // canonical refuses it
	}
	for axis, v := range list {
		n, err := gridInt(axis, v)
		if err != nil {
			return d, err
		}
		d.sizes[axis] = n
	}
	return d, nil
}

// gridInt gives a dimension as an int64; one that is larger saturates, and fails canonical.
func gridInt(axis int, v pyval.Value) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case *big.Int:
		if v.Sign() < 0 {
			return math.MinInt64, nil
		}
		return math.MaxInt64, nil
	}
	return 0, gridError("not-integer", "The size of axis %d (%s) is %.60s, a value of type %s.", axis, axisNames[axis], pyval.Repr(v), pyval.TypeName(v))
}

// canonical makes a grid of dimensions, with 1 for those that are missing. limit bounds each axis
// on the backend.
func (d *dims) canonical(backend string, limit driver.Grid) (driver.Grid, error) {
	g := driver.Grid{1, 1, 1}
	if d.n == 0 || d.n > 3 {
		return g, rankError(d.n)
	}
	for axis, n := range d.sizes[:d.n] {
		if n < 1 || n > int64(min(limit[axis], math.MaxInt32)) {
			return g, sizeError(axis, n, backend, limit)
		}
		g[axis] = uint32(n)
	}
	// The product is bounded, so that programs can be numbered.
	if xy := uint64(g[0]) * uint64(g[1]); xy > math.MaxInt64/uint64(g[2]) {
		return g, gridError("too-large", "The %d × %d × %d programs are too many to be numbered.", g[0], g[1], g[2])
	}
	return g, nil
}

func gridError(code, format string, args ...any) error {
	return diag.New(diag.Grid, code, "%s %s", gridRule, fmt.Sprintf(format, args...))
}

func rankError(n int) error {
	if n == 0 {
		return gridError("empty", "It is empty.")
	}
	return gridError("too-many-dimensions", "It has %d dimensions.", n)
}

func sizeError(axis int, n int64, backend string, limit driver.Grid) error {
	switch name := axisNames[axis]; {
	case n == 0:
		return gridError("zero", "The size of axis %d (%s) is 0.", axis, name)
	case n < 0:
		return gridError("negative", "The size of axis %d (%s) is %d.", axis, name, n)
	default:
		return gridError("too-large", "The size of axis %d (%s) is %d; at most %d are possible there on %s.", axis, name, n, min(limit[axis], math.MaxInt32), backend)
	}
}

// GridFailed is the error of a grid that could not be computed. Those that have a category keep
// it.
func GridFailed(err error) error {
	switch err.(type) {
	case *diag.Error, diag.List:
		return err
	}
	e := diag.New(diag.Grid, "failed", "%s It could not be computed: %s.", gridRule, err)
	e.Cause = err
	return e
}
