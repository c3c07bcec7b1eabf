package cudacpp

import (
	"math"
	"math/bits"

	"github.com/tegula-lang/tegula/internal/lir"
)

// A limits is what an integer is between, taken as a number with a sign.
type limits struct{ lo, hi int64 }

// all gives the limits of a type's numbers.
func all(t lir.Type) limits {
	if t == lir.I64 {
		return limits{math.MinInt64, math.MaxInt64}
	}
	return limits{math.MinInt32, math.MaxInt32}
}

// positive reports whether the number is the same with a sign and without.
func (x limits) positive() bool { return x.lo >= 0 }

// fits reports whether a node's result is certain to be what the operation gives without wrapping, so that C++ defines it for numbers with a sign.
func (p *printer) fits(n *node) bool {
	p.rangeOf(n.Results[0])
	return p.exact[n.Results[0].ID]
}

// rangeOf gives the limits of a value of 32 or 64 bits.
func (p *printer) rangeOf(v *lir.Value) limits {
	full := all(v.Type)
	if v.IsConst() {
		return limits{v.Int(), v.Int()}
	}
	if x, ok := p.ranges[v.ID]; ok {
		return x
	}
	p.ranges[v.ID] = full // of what depends on itself
	x, ok := full, false
	if n := p.loopOf[v.Block]; n != nil && v.Index == 0 {
		x, ok = p.counted(n)
	} else if d := p.defs[v.ID]; d != nil && (v.Type == lir.I32 || v.Type == lir.I64) {
		x, ok = p.computed(d)
	}
	if !ok || x.lo < full.lo || x.hi > full.hi {
		x, ok = full, false
	}
	p.ranges[v.ID], p.exact[v.ID] = x, ok
	return x
}

// counted gives the limits of a loop's counter.
func (p *printer) counted(n *node) (limits, bool) {
	lower, upper, step := p.rangeOf(n.Args[0]), p.rangeOf(n.Args[1]), n.Args[2]
	if n.Mod != 0 || !step.IsConst() || step.Int() <= 0 || upper.hi <= lower.lo {
		return limits{}, false
	}
	return limits{lower.lo, upper.hi - 1}, true
}

// operandRange is that of an operand with what is added to it.
func (p *printer) operandRange(n *node, i int) limits {
	x := p.rangeOf(n.Args[i])
	if c := n.added(i); c != 0 {
		if sum, ok := sums(x, limits{c, c}); ok && sum.hi <= all(n.Args[i].Type).hi && sum.lo >= all(n.Args[i].Type).lo {
			return sum
		}
		return all(n.Args[i].Type)
	}
	return x
}

// computed gives the limits of what an operation gives if it does not wrap; ok is false if nothing is known of it.
func (p *printer) computed(d *node) (x limits, ok bool) {
	arg := func(i int) limits { return p.operandRange(d, i) }
	switch d.Code {
	case lir.OpThreadID:
		return limits{0, int64(p.f.Warps*p.f.WarpSize - 1)}, true
	case lir.OpProgramID, lir.OpNumPrograms:
		return limits{0, math.MaxInt32}, true
	case lir.OpAdd:
		return sums(arg(0), arg(1))
	case lir.OpSub:
		y := arg(1)
		if y.lo == math.MinInt64 {
			return x, false
		}
		return sums(arg(0), limits{-y.hi, -y.lo})
	case lir.OpMul:
		return products(arg(0), arg(1))
	case lir.OpShl:
		if c := d.Args[1]; c.IsConst() && c.Bits < 31 {
			return products(arg(0), limits{1 << c.Bits, 1 << c.Bits})
		}
	case lir.OpShrU, lir.OpShrS:
		if x, c := arg(0), d.Args[1]; x.positive() && c.IsConst() && c.Bits < 32 {
			return limits{x.lo >> c.Bits, x.hi >> c.Bits}, true
		}
	case lir.OpAnd:
		x, y := arg(0), arg(1)
		switch {
		case x.positive() && y.positive():
			return limits{0, min(x.hi, y.hi)}, true
		case y.positive():
			return limits{0, y.hi}, true
		case x.positive():
			return limits{0, x.hi}, true
		}
	case lir.OpOr, lir.OpXor:
		if x, y := arg(0), arg(1); x.positive() && y.positive() {
			return limits{0, 1<<bits.Len64(uint64(max(x.hi, y.hi))) - 1}, true
		}
	case lir.OpDivU, lir.OpDivS:
		if x, y := arg(0), arg(1); x.positive() && y.lo > 0 {
			return limits{x.lo / y.hi, x.hi / y.lo}, true
		}
	case lir.OpRemU, lir.OpRemS:
		if x, y := arg(0), arg(1); x.positive() && y.lo > 0 {
			return limits{0, min(x.hi, y.hi-1)}, true
		}
	case lir.OpSelect:
		x, y := arg(1), arg(2)
		return limits{min(x.lo, y.lo), max(x.hi, y.hi)}, true
	case lir.OpExtU:
		t := d.Args[0].Type
		if t == lir.I32 && arg(0).positive() {
			return arg(0), true
		}
		return limits{0, int64(t.Mask())}, true
	case lir.OpExtS:
		if t := d.Args[0].Type; t == lir.I32 {
			return arg(0), true
		}
	case lir.OpMinS:
		x, y := arg(0), arg(1)
		return limits{min(x.lo, y.lo), min(x.hi, y.hi)}, true
	case lir.OpMaxS:
		x, y := arg(0), arg(1)
		return limits{max(x.lo, y.lo), max(x.hi, y.hi)}, true
	}
	return x, false
}

// sums gives the limits of a sum; ok is false if it does not fit into 64 bits.
func sums(x, y limits) (limits, bool) {
	lo, hi := x.lo+y.lo, x.hi+y.hi
	ok := (lo > x.lo) == (y.lo > 0) && (hi > x.hi) == (y.hi > 0)
	return limits{lo, hi}, ok
}

func products(x, y limits) (limits, bool) {
	out := limits{math.MaxInt64, math.MinInt64}
	for _, a := range [...]int64{x.lo, x.hi} {
		for _, b := range [...]int64{y.lo, y.hi} {
			c := a * b
			if a != 0 && (c/a != b || a == -1 && b == math.MinInt64) {
				return out, false
			}
			out.lo, out.hi = min(out.lo, c), max(out.hi, c)
		}
	}
	return out, true
}
