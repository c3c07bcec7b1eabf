package pass

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/tile"
)

// intFolders compute on elements as bits, zero-extended; what exceeds the width in a result is cut off by fold.
var intFolders = map[tile.Code]folder{
	tile.OpAdd:    wrapping(func(x, y uint64) uint64 { return x + y }),
	tile.OpSub:    wrapping(func(x, y uint64) uint64 { return x - y }),
	tile.OpMul:    wrapping(func(x, y uint64) uint64 { return x * y }),
	tile.OpAnd:    wrapping(func(x, y uint64) uint64 { return x & y }),
	tile.OpOr:     wrapping(func(x, y uint64) uint64 { return x | y }),
	tile.OpXor:    wrapping(func(x, y uint64) uint64 { return x ^ y }),
	tile.OpMinU:   wrapping(func(x, y uint64) uint64 { return min(x, y) }),
	tile.OpMaxU:   wrapping(func(x, y uint64) uint64 { return max(x, y) }),
	tile.OpMinS:   signed(func(x, y int64) (int64, bool) { return min(x, y), true }),
	tile.OpMaxS:   signed(func(x, y int64) (int64, bool) { return max(x, y), true }),
	tile.OpDivS:   signed(divS),
	tile.OpRemS:   signed(remS),
	tile.OpDivU:   divU,
	tile.OpRemU:   remU,
	tile.OpShl:    shl,
	tile.OpShrU:   shrU,
	tile.OpShrS:   shrS,
	tile.OpMulHiU: mulHiU,
	tile.OpAbsI:   absI,
	tile.OpCmpI:   cmpI,
}

func wrapping(f func(x, y uint64) uint64) folder {
	return func(_ *tile.Op, x operands) (uint64, bool) { return f(x[0], x[1]), true }
}

// signed makes a folder of a function of signed numbers. An i1 has no sign.
func signed(f func(x, y int64) (int64, bool)) folder {
	return func(op *tile.Op, x operands) (uint64, bool) {
		w := op.Args[0].Type.ElemBits()
		if w == 1 {
			return 0, false
		}
		v, ok := f(signExtend(x[0], w), signExtend(x[1], w))
		return uint64(v), ok
	}
}

// divS leaves a division by zero for a checked run to report; MinInt/-1 wraps.
func divS(x, y int64) (int64, bool) {
	if y == 0 {
		return 0, false
	}
	return x / y, true
}

func remS(x, y int64) (int64, bool) {
	if y == 0 {
		return 0, false
	}
	return x % y, true
}

func divU(_ *tile.Op, x operands) (uint64, bool) {
	if x[1] == 0 {
		return 0, false
	}
	return x[0] / x[1], true
}

func remU(_ *tile.Op, x operands) (uint64, bool) {
	if x[1] == 0 {
		return 0, false
	}
	return x[0] % x[1], true
}

// inWidth reports whether a shift count is defined.
func inWidth(op *tile.Op, count uint64) bool { return count < uint64(op.Args[0].Type.ElemBits()) }

func shl(op *tile.Op, x operands) (uint64, bool) { return x[0] << x[1], inWidth(op, x[1]) }

func shrU(op *tile.Op, x operands) (uint64, bool) { return x[0] >> x[1], inWidth(op, x[1]) }

func shrS(op *tile.Op, x operands) (uint64, bool) {
	return uint64(signExtend(x[0], op.Args[0].Type.ElemBits()) >> x[1]), inWidth(op, x[1])
}

func mulHiU(op *tile.Op, x operands) (uint64, bool) {
	hi, lo := bits.Mul64(x[0], x[1])
	if w := op.Args[0].Type.ElemBits(); w < 64 {
		return hi<<(64-w) | lo>>w, true
	}
	return hi, true
}

func absI(op *tile.Op, x operands) (uint64, bool) {
	w := op.Args[0].Type.ElemBits()
	v := signExtend(x[0], w)
	if v < 0 {
		v = -v
	}
	return uint64(v), w > 1
}

func cmpI(op *tile.Op, x operands) (uint64, bool) {
	p, w := predicate(op), op.Args[0].Type.ElemBits()
	if w == 1 && p >= tile.LTS && p <= tile.GES {
		return 0, false
	}
	return truth(compareInts(p, x[0], x[1], w)), true
}

func compareInts(p tile.CmpI, x, y uint64, w int) bool {
	sx, sy := signExtend(x, w), signExtend(y, w)
	switch p {
	case tile.EQ:
		return x == y
	case tile.NE:
		return x != y
	case tile.LTS:
		return sx < sy
	case tile.LES:
		return sx <= sy
	case tile.GTS:
		return sx > sy
	case tile.GES:
		return sx >= sy
	case tile.LTU:
		return x < y
	case tile.LEU:
		return x <= y
	case tile.GTU:
		return x > y
	}
	return x >= y
}

// truth gives an i1's bits.
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
