package launch

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// An ArrayObject is an array argument as host code sees it: in the expressions of a grid, in
// heuristics. It has what code that asks for sizes uses of a tensor.
type ArrayObject struct {
	DType  dtype.DType
	Shape  []int
	Origin any // what it was made of, for whoever made it
}

// arrayAttrs are the attributes.
var arrayAttrs = map[string]func(*ArrayObject) pyval.Value{
	"shape":        func(a *ArrayObject) pyval.Value { return a.dims() },
	"ndim":         func(a *ArrayObject) pyval.Value { return int64(len(a.Shape)) },
	"dtype":        func(a *ArrayObject) pyval.Value { return sema.ScalarType(a.DType) },
	"itemsize":     func(a *ArrayObject) pyval.Value { return int64(a.DType.Bytes()) },
	"numel":        func(a *ArrayObject) pyval.Value { return method{"numel", 0, a.numel} },
	"dim":          func(a *ArrayObject) pyval.Value { return method{"dim", 0, a.dim} },
	"element_size": func(a *ArrayObject) pyval.Value { return method{"element_size", 0, a.elementSize} },
	"size":         func(a *ArrayObject) pyval.Value { return method{"size", 1, a.size} },
	"stride":       func(a *ArrayObject) pyval.Value { return method{"stride", 1, a.stride} },
}

// Attr gives an attribute.
func (a *ArrayObject) Attr(name string) (pyval.Value, bool, error) {
	get, ok := arrayAttrs[name]
	if !ok {
		return nil, false, nil
	}
	return get(a), true, nil
}

// TypeName gives the name of the type in messages.
func (a *ArrayObject) TypeName() string { return "array" }

// Repr gives the array as messages show it.
func (a *ArrayObject) Repr() string { return fmt.Sprintf("<array of %s %v>", a.DType.Attr(), a.Shape) }

// Len gives what len() gives: the size of the first dimension.
func (a *ArrayObject) Len() (int, error) {
	if len(a.Shape) == 0 {
		return 0, pyval.Errorf("TypeError", "len() of an array of no dimensions")
	}
	return a.Shape[0], nil
}

// Iterate refuses: the elements of an argument are not for host code.
func (a *ArrayObject) Iterate() ([]pyval.Value, error) {
	return nil, pyval.Errorf("TypeError", "the elements of an array argument are not known here")
}

// GetItem refuses too.
func (a *ArrayObject) GetItem(pyval.Value) (pyval.Value, error) {
	_, err := a.Iterate()
	return nil, err
}

func (a *ArrayObject) dims() pyval.Value {
	elems := make([]pyval.Value, len(a.Shape))
	for i, n := range a.Shape {
		elems[i] = int64(n)
	}
	return pyval.NewTuple(elems...)
}

func (a *ArrayObject) numel([]pyval.Value) (pyval.Value, error) {
	n := int64(1)
	for _, d := range a.Shape {
		n *= int64(d)
	}
	return n, nil
}

func (a *ArrayObject) dim([]pyval.Value) (pyval.Value, error) { return int64(len(a.Shape)), nil }

func (a *ArrayObject) elementSize([]pyval.Value) (pyval.Value, error) {
	return int64(a.DType.Bytes()), nil
}

func (a *ArrayObject) size(args []pyval.Value) (pyval.Value, error) {
	if len(args) == 0 {
		return a.dims(), nil
	}
	axis, err := a.axis(args[0])
	if err != nil {
		return nil, err
	}
	return int64(a.Shape[axis]), nil
}

// stride counts elements; arrays are contiguous, the last index running fastest.
func (a *ArrayObject) stride(args []pyval.Value) (pyval.Value, error) {
	strides := make([]pyval.Value, len(a.Shape))
	n := int64(1)
	for i := len(a.Shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= int64(a.Shape[i])
	}
	if len(args) == 0 {
		return pyval.NewTuple(strides...), nil
	}
	axis, err := a.axis(args[0])
	if err != nil {
		return nil, err
	}
	return strides[axis], nil
}

// axis reads an index of a dimension; negative ones count from the end.
func (a *ArrayObject) axis(v pyval.Value) (int, error) {
	n, ok := pyval.AsInt(v)
	if !ok {
		return 0, pyval.Errorf("TypeError", "a dimension is an int, not %s", pyval.TypeName(v))
	}
	rank := int64(len(a.Shape))
	if n < -rank || n >= rank {
		return 0, pyval.Errorf("IndexError", "dimension %d of an array of %d dimensions", n, rank)
	}
	return int((n + rank) % rank), nil
}

// A method is a bound method of an array.
type method struct {
	name    string
	maxArgs int
	call    func([]pyval.Value) (pyval.Value, error)
}

// Call calls the method.
func (m method) Call(args []pyval.Value, kwargs []pyval.Kwarg) (pyval.Value, error) {
	if len(args) > m.maxArgs || len(kwargs) > 0 {
		return nil, pyval.Errorf("TypeError", "%s() takes at most %d positional arguments", m.name, m.maxArgs)
	}
	return m.call(args)
}

// TypeName gives the name of the type in messages.
func (m method) TypeName() string { return "method" }
