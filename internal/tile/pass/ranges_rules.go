package pass

import (
	"math"
	"math/bits"

	"github.com/tegula-lang/tegula/internal/tile"
)

// result gives the range of an integer result.
func (a *rangeAnalysis) result(op *tile.Op, i int) Range {
	t := op.Results[i].Type
	if !t.IsInt() {
		return fullRange(t)
	}
	if of := rangeResults[op.Code]; of != nil {
		return of(a, op)
	}
	if rule := rangeRules[op.Code]; rule != nil && !t.IsBool() {
		return rule(a.of(op.Args[0]), a.of(op.Args[1]), t.ElemBits()).within(t)
	}
	return fullRange(t)
}

// rangeResults give the range of the integer results of operations that are not arithmetic on two
// operands.
var rangeResults = [numCodes]func(a *rangeAnalysis, op *tile.Op) Range{
	tile.OpConst: func(_ *rangeAnalysis, op *tile.Op) Range {
		return constRange(op.Results[0].Type, op.Attr.(tile.ConstAttr).Bits)
	},
	tile.OpRange: func(_ *rangeAnalysis, op *tile.Op) Range {
		r := op.Attr.(tile.RangeAttr)
		return Range{r.Start, r.End - 1}
	},
	tile.OpProgramID:   func(*rangeAnalysis, *tile.Op) Range { return Range{0, math.MaxInt32 - 1} },
	tile.OpNumPrograms: func(*rangeAnalysis, *tile.Op) Range { return Range{1, math.MaxInt32} },
	tile.OpHistogram: func(_ *rangeAnalysis, op *tile.Op) Range {
		return Range{0, int64(op.Args[0].Type.NumElems())}
	},
	tile.OpSplat:      operandRange,
	tile.OpBroadcast:  operandRange,
	tile.OpExpandDims: operandRange,
	tile.OpReshape:    operandRange,
	tile.OpTrans:      operandRange,
	tile.OpSplit:      operandRange,
	tile.OpGather:     operandRange,
	tile.OpHint:       operandRange,
	tile.OpCat:        unionRange,
	tile.OpJoin:       unionRange,
	tile.OpSelect: func(a *rangeAnalysis, op *tile.Op) Range {
		return a.of(op.Args[1]).union(a.of(op.Args[2]))
	},
	tile.OpTrunc: resizedRange,
	tile.OpExtS:  resizedRange,
	tile.OpExtU:  resizedRange,
	tile.OpAbsI:  resizedRange,
}

// operandRange is of operations that move elements.
func operandRange(a *rangeAnalysis, op *tile.Op) Range { return a.of(op.Args[0]) }

func unionRange(a *rangeAnalysis, op *tile.Op) Range { return a.of(op.Args[0]).union(a.of(op.Args[1])) }

func constRange(t tile.Type, bits uint64) Range {
	if t.IsBool() {
		return Range{int64(bits), int64(bits)}
	}
	v := signExtend(bits, t.ElemBits())
	return Range{v, v}
}

// resizedRange is of arithmetic on one operand.
func resizedRange(a *rangeAnalysis, op *tile.Op) Range {
	x, t, from := a.of(op.Args[0]), op.Results[0].Type, op.Args[0].Type
	switch {
	case op.Code == tile.OpExtS && from.IsBool():
		return Range{-x.Hi, -x.Lo}
	case op.Code == tile.OpExtU && x.Lo < 0:
		return Range{0, int64(lowMask(from.ElemBits()))}
	case op.Code == tile.OpTrunc && t.IsBool() && (x.Lo < 0 || x.Hi > 1):
		return fullRange(t) // the low bit alone, so no part of x's range says anything
	case op.Code == tile.OpAbsI && x.Lo == fullRange(t).Lo:
		return fullRange(t) // the smallest number is its own negative
	case op.Code == tile.OpAbsI && x.Lo < 0:
		return Range{0, max(-x.Lo, x.Hi)}
	}
	return x.within(t)
}

// anything is more than any type holds.
var anything = Range{math.MinInt64, math.MaxInt64}

// A rangeRule bounds x op y without regard to the width w, but where it says something of
// negative numbers read as unsigned ones; what does not fit the type is for the caller.
type rangeRule func(x, y Range, w int) Range

var rangeRules = [numCodes]rangeRule{
	tile.OpAdd:  addRange,
	tile.OpSub:  subRange,
	tile.OpMul:  mulRange,
	tile.OpDivS: divSRange,
	tile.OpDivU: divURange,
	tile.OpRemS: remSRange,
	tile.OpRemU: remURange,
	tile.OpAnd:  andRange,
	tile.OpOr:   orRange,
	tile.OpXor:  orRange,
	tile.OpShl:  shlRange,
	tile.OpShrS: shrSRange,
	tile.OpShrU: shrURange,
	tile.OpMinS: func(x, y Range, _ int) Range { return Range{min(x.Lo, y.Lo), min(x.Hi, y.Hi)} },
	tile.OpMaxS: func(x, y Range, _ int) Range { return Range{max(x.Lo, y.Lo), max(x.Hi, y.Hi)} },
	tile.OpMinU: minURange,
	tile.OpMaxU: maxURange,
}

func addRange(x, y Range, _ int) Range {
	lo, hi := x.Lo+y.Lo, x.Hi+y.Hi
	if (lo > x.Lo) != (y.Lo > 0) || (hi > x.Hi) != (y.Hi > 0) {
		return anything
	}
	return Range{lo, hi}
}

func subRange(x, y Range, w int) Range {
	if y.Lo == math.MinInt64 {
		return anything
	}
	return addRange(x, Range{-y.Hi, -y.Lo}, w)
}

func mulRange(x, y Range, _ int) Range {
	r := Range{math.MaxInt64, math.MinInt64}
	for _, p := range [...]int64{x.Lo, x.Hi} {
		for _, q := range [...]int64{y.Lo, y.Hi} {
			hi, lo := bits.Mul64(magnitude(p), magnitude(q))
			if hi != 0 || lo > math.MaxInt64 {
				return anything
			}
			r = r.union(Range{p * q, p * q})
		}
	}
	return r
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// divSRange leaves divisors that may be zero or negative alone.
func divSRange(x, y Range, _ int) Range {
	if y.Lo <= 0 {
		return anything
	}
	return Range{min(x.Lo/y.Lo, x.Lo/y.Hi), max(x.Hi/y.Lo, x.Hi/y.Hi)}
}

func divURange(x, y Range, _ int) Range {
	switch {
	case x.Lo < 0:
		return anything
	case y.Lo > 0:
		return Range{x.Lo / y.Hi, x.Hi / y.Lo}
	}
	return Range{0, x.Hi}
}

func remSRange(x, y Range, _ int) Range {
	if y.Lo <= 0 {
		return Range{min(x.Lo, 0), max(x.Hi, 0)}
	}
	return Range{max(min(x.Lo, 0), 1-y.Hi), min(max(x.Hi, 0), y.Hi-1)}
}

func remURange(x, y Range, _ int) Range {
	switch {
	case x.Lo >= 0 && y.Lo > 0:
		return Range{0, min(x.Hi, y.Hi-1)}
	case y.Lo > 0:
		return Range{0, y.Hi - 1}
	case x.Lo >= 0:
		return Range{0, x.Hi}
	}
	return anything
}

func andRange(x, y Range, _ int) Range {
	switch {
	case x.Lo >= 0 && y.Lo >= 0:
		return Range{0, min(x.Hi, y.Hi)}
	case x.Lo >= 0:
		return Range{0, x.Hi}
	case y.Lo >= 0:
		return Range{0, y.Hi}
	}
	return anything
}

// orRange is of or and xor: no bit is set above the highest of either.
func orRange(x, y Range, _ int) Range {
	if x.Lo < 0 || y.Lo < 0 {
		return anything
	}
	return Range{0, int64(lowMask(bits.Len64(uint64(x.Hi | y.Hi))))}
}

func shlRange(x, y Range, w int) Range {
	if y.Lo < 0 || y.Hi >= int64(min(w, 63)) {
		return anything
	}
	return mulRange(x, Range{1 << y.Lo, 1 << y.Hi}, w)
}

// shrSRange and shrURange leave counts that may reach the width alone.
func shrSRange(x, y Range, w int) Range {
	if y.Lo < 0 || y.Hi >= int64(w) {
		return anything
	}
	return Range{min(x.Lo>>y.Lo, x.Lo>>y.Hi), max(x.Hi>>y.Lo, x.Hi>>y.Hi)}
}

func shrURange(x, y Range, w int) Range {
	switch {
	case y.Lo < 0 || y.Hi >= int64(w):
		return anything
	case x.Lo >= 0:
		return shrSRange(x, y, w)
	case y.Lo > 0:
		return Range{0, int64(lowMask(w) >> y.Lo)}
	}
	return anything
}

func minURange(x, y Range, _ int) Range {
	switch {
	case x.Lo >= 0 && y.Lo >= 0:
		return Range{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}
	case x.Lo >= 0:
		return Range{0, x.Hi}
	case y.Lo >= 0:
		return Range{0, y.Hi}
	}
	return anything
}

func maxURange(x, y Range, _ int) Range {
	if x.Lo < 0 || y.Lo < 0 {
		return anything
	}
	return Range{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}
}
