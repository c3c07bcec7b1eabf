package launch

import (
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// A Grid says how to find the grid of a launch.
type Grid interface {
	// value gives the grid before it is made canonical.
	value(b Bound) (pyval.Value, error)
}

// Ints is a grid of Go integers.
type Ints []int

func (g Ints) value(Bound) (pyval.Value, error) { return g.Python(), nil }

// Python gives the grid as a tuple.
func (g Ints) Python() pyval.Value {
	dims := make([]pyval.Value, len(g))
	for i, n := range g {
		dims[i] = int64(n)
	}
	return pyval.NewTuple(dims...)
}

// A GridFunc computes a grid from the bound arguments.
type GridFunc func(Bound) (pyval.Value, error)

func (f GridFunc) value(b Bound) (pyval.Value, error) { return f(b) }

// Bound is the arguments of a launch, complete with defaults and what was filled in.
type Bound struct {
	kernel *Kernel
	values []Value
}

// Lookup finds an argument. The error names the parameters there are.
func (b Bound) Lookup(name string) (*Value, error) {
	i, ok := b.kernel.index[name]
	if !ok {
		return nil, b.kernel.unknown(name)
	}
	return &b.values[i], nil
}

// Vars gives the arguments by name, as Python values.
func (b Bound) Vars() map[string]pyval.Value { return b.kernel.vars(b.values) }

// grid evaluates and canonicalises the grid.
func (k *Kernel) grid(g Grid, bound []Value, device driver.Device) (driver.Grid, error) {
	backend, limit := device.Info().Backend, device.Limits().Grid
	switch g := g.(type) {
	case nil:
		return driver.Grid{}, gridError("empty", "The launch was given none.")
	case Ints:
		return CanonicalInts(g, backend, limit)
	}
	v, err := g.value(Bound{k, bound})
	if err != nil {
		return driver.Grid{}, gridFailed(err)
	}
	return CanonicalGrid(v, backend, limit)
}

// gridFailed is the error of a grid that could not be computed. Those that have a category keep
// it.
func gridFailed(err error) error {
	switch err.(type) {
	case *diag.Error, diag.List:
		return err
	}
	e := diag.New(diag.Grid, "failed", "%s It could not be computed: %s.", gridRule, err)
	e.Cause = err
	return e
}
