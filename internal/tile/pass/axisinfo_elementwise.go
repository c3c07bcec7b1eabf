package pass

import "github.com/tegula-lang/tegula/internal/tile"

// An axisRule gives what holds along dimension d of an elementwise operation on x and y,
// whose elements have w bits.
type axisRule func(x, y *AxisInfo, d int, w uint8) axis

// axisRules are the rules of operations on two operands of one shape.
var axisRules = [numCodes]axisRule{
	tile.OpAdd:    addAxis,
	tile.OpAddPtr: addptrAxis,
	tile.OpSub:    subAxis,
	tile.OpMul:    mulAxis,
	tile.OpDivS:   divSAxis,
	tile.OpDivU:   divUAxis,
	tile.OpRemS:   remSAxis,
	tile.OpRemU:   remUAxis,
	tile.OpShl:    shlAxis,
	tile.OpShrS:   shrAxis,
	tile.OpShrU:   shrAxis,
	tile.OpAnd:    andAxis,
	tile.OpOr:     orAxis,
	tile.OpXor:    orAxis,
	tile.OpMinS:   extremumAxis,
	tile.OpMinU:   extremumAxis,
	tile.OpMaxS:   extremumAxis,
	tile.OpMaxU:   extremumAxis,
}

// constantAxis is all that holds of any elementwise operation: equal operands, equal results.
func constantAxis(x, y *AxisInfo, d int, _ uint8) axis {
	return axis{constant: min(x.axes[d].constant, y.axes[d].constant)}
}

// addAxis: a contiguous group plus a constant one is contiguous.
func addAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.contig = max(min(x.axes[d].contig, y.axes[d].constant), min(x.axes[d].constant, y.axes[d].contig))
	a.div = min(x.at(d, a.contig), y.at(d, a.contig))
	return a
}

// addptrAxis is addAxis with the offset in units of what x points to.
func addptrAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := addAxis(x, y, d, w)
	a.div = min(x.at(d, a.contig), y.at(d, a.contig)+x.unit)
	return a
}

func subAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.contig = min(x.axes[d].contig, y.axes[d].constant)
	a.div = min(x.at(d, a.contig), y.at(d, a.contig))
	return a
}

func mulAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.div = min(x.at(d, 0)+y.at(d, 0), w)
	return a
}

// within gives the largest group, as a logarithm, that is an aligned run of x inside which
// there is no multiple of y but at its start, y being the same in the group.
func within(x, y *AxisInfo, d int) uint8 {
	return min(x.run(d), sub8(y.at(d, 0), x.unit), y.axes[d].constant)
}

// divUAxis: the quotient changes only at multiples of the divisor.
func divUAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.constant = max(a.constant, within(x, y, d))
	if s := log2Known(y); s > 0 {
		a.div = shifted(x, d, s)
	}
	return a
}

// divSAxis: towards zero, the quotients on both sides of zero meet there; numbers below
// zero are in no group with their first element.
func divSAxis(x, y *AxisInfo, d int, w uint8) axis {
	if x.nonNeg {
		return divUAxis(x, y, d, w)
	}
	a := constantAxis(x, y, d, w)
	if s := log2Known(y); s > 0 && x.axes[d].contig == 0 {
		a.div = shifted(x, d, s)
	}
	return a
}

// log2Known gives the logarithm of a value that is known to be a power of two; else 0.
func log2Known(x *AxisInfo) uint8 {
	if !x.known || x.value <= 0 || x.value&(x.value-1) != 0 {
		return 0
	}
	return trailingZeros(x.value, 64)
}

// shifted gives the divisibility of x / 2^s, rounded down, for every element.
func shifted(x *AxisInfo, d int, s uint8) uint8 {
	if x.axes[d].contig > s || x.axes[d].div < s {
		return 0
	}
	return x.axes[d].div - s
}

// remUAxis: between multiples of the divisor the remainder goes up by one as x does.
func remUAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.contig = within(x, y, d)
	a.div = min(x.at(d, a.contig), y.at(d, 0))
	return a
}

func remSAxis(x, y *AxisInfo, d int, w uint8) axis {
	if x.nonNeg {
		return remUAxis(x, y, d, w)
	}
	a := constantAxis(x, y, d, w)
	a.div = min(x.at(d, 0), y.at(d, 0))
	return a
}

func shlAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.div = x.at(d, 0)
	if y.known && 0 <= y.value && y.value < int64(w) {
		a.div = min(a.div+uint8(y.value), w)
	}
	return a
}

// shrAxis: both shifts round down, so the sign does not matter.
func shrAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	if y.known && 0 <= y.value && y.value < int64(w) {
		s := uint8(y.value)
		a.constant = max(a.constant, min(x.run(d), s))
		a.div = shifted(x, d, s)
	}
	return a
}

// andAxis: in an aligned run only low bits change. A mask that keeps them keeps the run; one
// that clears them leaves a constant.
func andAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.constant = max(a.constant, within(x, y, d), within(y, x, d))
	if y.known {
		a.contig = min(x.run(d), trailingZeros(^y.value, 64))
	}
	a.div = x.at(d, a.contig)
	if a.contig == 0 {
		a.div = max(a.div, y.at(d, 0))
	}
	return a
}

// orAxis: where the low bits that change in one operand's run are clear in the other, or and
// xor add.
func orAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.contig = max(within(x, y, d), within(y, x, d))
	a.div = min(x.at(d, a.contig), y.at(d, a.contig))
	return a
}

// extremumAxis: of two aligned runs one is the lower as a whole.
func extremumAxis(x, y *AxisInfo, d int, w uint8) axis {
	a := constantAxis(x, y, d, w)
	a.contig = min(x.run(d), y.run(d))
	a.div = min(x.at(d, a.contig), y.at(d, a.contig))
	return a
}

// compareAxis: a run of x is below y, or not, as a whole, if y is no element of it but its
// first; and of two runs one is the lower as a whole.
func compareAxis(p tile.CmpI, x, y *AxisInfo, d int) axis {
	group := min(x.run(d), y.run(d))
	switch p {
	case tile.LTS, tile.GES, tile.LTU, tile.GEU:
		group = max(group, within(x, y, d))
	case tile.GTS, tile.LES, tile.GTU, tile.LEU:
		group = max(group, within(y, x, d))
	}
	return axis{constant: max(group, min(x.axes[d].constant, y.axes[d].constant))}
}

func selectAxis(cond, x, y *AxisInfo, d int) axis {
	same := cond.axes[d].constant
	contig := min(x.axes[d].contig, y.axes[d].contig, same)
	return axis{
		contig:   contig,
		div:      min(x.at(d, contig), y.at(d, contig)),
		constant: min(x.axes[d].constant, y.axes[d].constant, same),
	}
}

// nonNegative reports whether op's result is not negative if its operands are what x and y say.
func nonNegative(c tile.Code, x, y *AxisInfo) bool {
	switch c {
	case tile.OpAdd, tile.OpMul, tile.OpDivS, tile.OpOr, tile.OpXor, tile.OpMinS, tile.OpMaxU, tile.OpMulHiU:
		return x.nonNeg && y.nonNeg
	case tile.OpDivU, tile.OpRemS, tile.OpShl, tile.OpShrS, tile.OpShrU:
		return x.nonNeg
	case tile.OpAnd, tile.OpMaxS, tile.OpMinU, tile.OpRemU:
		return x.nonNeg || y.nonNeg
	}
	return false
}
