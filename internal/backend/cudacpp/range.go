package cudacpp

import (
	"math"
	"math/bits"

	"github.com/tegula-lang/tegula/internal/lir"
)

// A limits is what an integer of 32 bits, taken without a sign, is between.
type limits struct{ lo, hi uint64 }

// anything is the limits of a number of which nothing is known.
var anything = limits{0, math.MaxUint32}

// fits reports whether the number is the same with a sign and without.
func (x limits) fits() bool { return x.hi <= math.MaxInt32 }

// fits reports whether a node's result is certain to be what the operation gives without wrapping, so that C++ defines it for numbers with a sign.
func (p *printer) fits(n *node) bool {
	return n.Results[0].Type == lir.I32 && p.rangeOf(n.Results[0]).fits()
}

// rangeOf gives the limits of a value.
func (p *printer) rangeOf(v *lir.Value) limits {
	if v.Type != lir.I32 {
		return limits{0, math.MaxUint64}
	}
	if v.IsConst() {
		return limits{v.Bits, v.Bits}
	}
	if x, ok := p.ranges[v.ID]; ok {
		return x
	}
	p.ranges[v.ID] = anything // of what depends on itself
	x := anything
	if d := p.defs[v.ID]; d != nil {
		x = p.computed(d)
	}
	p.ranges[v.ID] = x
	return x
}

func (p *printer) computed(d *node) limits {
	arg := func(i int) limits { return p.rangeOf(d.Args[i]) }
	within := func(lo, hi uint64) limits {
		if hi > math.MaxUint32 {
			return anything
		}
		return limits{lo, hi}
	}
	switch d.Code {
	case lir.OpThreadID:
		return limits{0, uint64(p.f.Warps*p.f.WarpSize - 1)}
	case lir.OpProgramID, lir.OpNumPrograms:
		return limits{0, math.MaxInt32}
	case lir.OpAdd:
		x, y := arg(0), arg(1)
		return within(x.lo+y.lo, x.hi+y.hi)
	case lir.OpMul:
		x, y := arg(0), arg(1)
		return within(x.lo*y.lo, x.hi*y.hi)
	case lir.OpShl:
		if c := d.Args[1]; c.IsConst() && c.Bits < 32 {
			x := arg(0)
			return within(x.lo<<c.Bits, x.hi<<c.Bits)
		}
	case lir.OpShrU:
		x := arg(0)
		if c := d.Args[1]; c.IsConst() && c.Bits < 32 {
			return limits{x.lo >> c.Bits, x.hi >> c.Bits}
		}
		return limits{0, x.hi}
	case lir.OpAnd:
		return limits{0, min(arg(0).hi, arg(1).hi)}
	case lir.OpOr, lir.OpXor:
		x, y := arg(0), arg(1)
		return limits{0, 1<<bits.Len64(max(x.hi, y.hi)) - 1}
	case lir.OpDivU, lir.OpDivS:
		if x, y := arg(0), arg(1); x.fits() && y.fits() && y.lo > 0 {
			return limits{x.lo / y.hi, x.hi / y.lo}
		}
	case lir.OpRemU, lir.OpRemS:
		if x, y := arg(0), arg(1); x.fits() && y.fits() && y.lo > 0 {
			return limits{0, min(x.hi, y.hi-1)}
		}
	case lir.OpSelect:
		x, y := arg(1), arg(2)
		return limits{min(x.lo, y.lo), max(x.hi, y.hi)}
	case lir.OpExtU:
		if t := d.Args[0].Type; t.Bits() < 32 {
			return limits{0, t.Mask()}
		}
	case lir.OpMinS, lir.OpMinU:
		if x, y := arg(0), arg(1); x.fits() && y.fits() {
			return limits{min(x.lo, y.lo), min(x.hi, y.hi)}
		}
	}
	return anything
}
