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

// CanonicalGrid makes a grid out of a Python value: a tuple or list of one to three
// integers, or an integer alone. limit bounds each axis on the backend.
func CanonicalGrid(v pyval.Value, backend string, limit driver.Grid) (driver.Grid, error) {
	var dims []pyval.Value
	switch v := v.(type) {
	case pyval.Tuple:
		dims = v.Elems
	case *pyval.List:
		dims = v.Elems
	default:
		dims = []pyval.Value{v}
	}
	if err := checkRank(len(dims)); err != nil {
		return driver.Grid{}, err
	}
	g := driver.Grid{1, 1, 1}
	for axis, d := range dims {
		n, err := gridInt(axis, d)
		if err != nil {
			return driver.Grid{}, err
		}
		if g[axis], err = checkDim(axis, n, backend, limit); err != nil {
			return driver.Grid{}, err
		}
	}
	return g, checkPrograms(g)
}

// CanonicalInts is CanonicalGrid for Go's integers.
func CanonicalInts(dims []int, backend string, limit driver.Grid) (driver.Grid, error) {
	if err := checkRank(len(dims)); err != nil {
		return driver.Grid{}, err
	}
	g := driver.Grid{1, 1, 1}
	for axis, n := range dims {
		var err error
		if g[axis], err = checkDim(axis, int64(n), backend, limit); err != nil {
			return driver.Grid{}, err
		}
	}
	return g, checkPrograms(g)
}

func gridError(code, format string, args ...any) error {
	return diag.New(diag.Grid, code, "%s %s", gridRule, fmt.Sprintf(format, args...))
}

func checkRank(n int) error {
	switch {
	case n == 0:
		return gridError("empty", "It is empty.")
	case n > 3:
		return gridError("too-many-dimensions", "It has %d dimensions.", n)
	}
	return nil
}

// gridInt gives a dimension as an int64; one that is larger saturates, and fails checkDim.
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

func checkDim(axis int, n int64, backend string, limits driver.Grid) (uint32, error) {
	limit := int64(min(limits[axis], math.MaxInt32))
	switch name := axisNames[axis]; {
	case n == 0:
		return 0, gridError("zero", "The size of axis %d (%s) is 0.", axis, name)
	case n < 0:
		return 0, gridError("negative", "The size of axis %d (%s) is %d.", axis, name, n)
	case n > limit:
		return 0, gridError("too-large", "The size of axis %d (%s) is %d; at most %d are possible there on %s.", axis, name, n, limit, backend)
	}
	return uint32(n), nil
}

// checkPrograms bounds the product of the dimensions, so that programs can be numbered.
func checkPrograms(g driver.Grid) error {
	xy := uint64(g[0]) * uint64(g[1])
	if xy > math.MaxInt64/uint64(g[2]) {
		return gridError("too-large", "The %d × %d × %d programs are too many to be numbered.", g[0], g[1], g[2])
	}
	return nil
}
