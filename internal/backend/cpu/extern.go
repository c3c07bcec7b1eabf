package cpu

import (
	"maps"
	"sync"

	"github.com/tegula-lang/tegula/internal/tile"
)

// An elementFunc computes one element: bits of the operands in, bits of the result out.
type elementFunc func(a *[4]uint64) uint64

// An extern gives a function of the math library for an operation's types, nil if it does not take them.
type extern func(op *tile.Op) elementFunc

// externs are the functions by their symbols, those of tile.ExternFuncs.
var externs = sync.OnceValue(func() map[string]extern {
	m := make(map[string]extern)
	for _, table := range []map[string]extern{floatExterns(), roundedExterns(), conversionExterns(), integerExterns()} {
		maps.Copy(m, table)
	}
	return m
})

// extern plans OpExtern.
func (p *planner) extern(op *tile.Op) error {
	name := op.Attr.(tile.ExternAttr).Name
	of := externs()[name]
	if of == nil {
		return p.unsupported(op, "library-function", "the checked executor has no library function %s", name)
	}
	f := of(op)
	if f == nil {
		return p.unsupported(op, "library-function", "the library function %s of %s to %s", name, op.Args[0].Type.Scalar(), op.Result().Type.Scalar())
	}
	d, in := p.elementwise(op)
	size := op.Result().Type.ElemBytes()
	sizes := make([]int, len(in))
	for i, v := range op.Args {
		sizes[i] = v.Type.ElemBytes()
	}
	p.emit(op, func(m *machine) error {
		a := &m.operands
		for i := range m.count(d.n) {
			for k, s := range in {
				at := i
				if s.n == 1 {
					at = 0
				}
				a[k] = elementBits(m, s, sizes[k], at)
			}
			setBits(m, d, size, i, f(a))
		}
		return nil
	})
	return nil
}

// floats reports whether an operation's operands and result are of one float type.
func floats(op *tile.Op) bool {
	t := op.Result().Type.Scalar()
	for _, v := range op.Args {
		if v.Type.Scalar() != t {
			return false
		}
	}
	return t.IsFloat()
}

// A float64 function of narrower floats is rounded to f32 first, as if it were computed there.
func rounding(e tile.Elem) func(float64) uint64 {
	d := e.DType()
	if e == tile.F64 || e == tile.F32 {
		return d.Encode
	}
	return func(f float64) uint64 { return d.Encode(float64(float32(f))) }
}

func extern1(f func(x float64) float64) extern {
	return func(op *tile.Op) elementFunc {
		if !floats(op) {
			return nil
		}
		d, round := op.Result().Type.Elem().DType(), rounding(op.Result().Type.Elem())
		return func(a *[4]uint64) uint64 { return round(f(d.Decode(a[0]))) }
	}
}

// extern1by is extern1 with a function for f32 and narrower floats, which float64's error does not
// show in, and one for f64.
func extern1by(narrow, wide func(x float64) float64) extern {
	return func(op *tile.Op) elementFunc {
		if op.Result().Type.Elem() == tile.F64 {
			return extern1(wide)(op)
		}
		return extern1(narrow)(op)
	}
}

// extern2by is extern1by of two operands.
func extern2by(narrow, wide func(x, y float64) float64) extern {
	return func(op *tile.Op) elementFunc {
		if op.Result().Type.Elem() == tile.F64 {
			return extern2(wide)(op)
		}
		return extern2(narrow)(op)
	}
}

func extern2(f func(x, y float64) float64) extern {
	return func(op *tile.Op) elementFunc {
		if !floats(op) {
			return nil
		}
		d, round := op.Result().Type.Elem().DType(), rounding(op.Result().Type.Elem())
		return func(a *[4]uint64) uint64 { return round(f(d.Decode(a[0]), d.Decode(a[1]))) }
	}
}

func extern3(f func(x, y, z float64) float64) extern {
	return func(op *tile.Op) elementFunc {
		if !floats(op) {
			return nil
		}
		d, round := op.Result().Type.Elem().DType(), rounding(op.Result().Type.Elem())
		return func(a *[4]uint64) uint64 { return round(f(d.Decode(a[0]), d.Decode(a[1]), d.Decode(a[2]))) }
	}
}

func extern4(f func(x, y, z, w float64) float64) extern {
	return func(op *tile.Op) elementFunc {
		if !floats(op) {
			return nil
		}
		d, round := op.Result().Type.Elem().DType(), rounding(op.Result().Type.Elem())
		return func(a *[4]uint64) uint64 {
			return round(f(d.Decode(a[0]), d.Decode(a[1]), d.Decode(a[2]), d.Decode(a[3])))
		}
	}
}

// predicate gives 1 or 0 as any integer.
func predicate(f func(x float64) bool) extern {
	return func(op *tile.Op) elementFunc {
		if !op.Args[0].Type.IsFloat() || !op.Result().Type.IsInt() {
			return nil
		}
		d := op.Args[0].Type.Elem().DType()
		return func(a *[4]uint64) uint64 { return uint64(bit(f(d.Decode(a[0])))) }
	}
}
