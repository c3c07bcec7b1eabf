package lir

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/tile"
)

// commutes lists the operations whose two operands may change places.
var commutes = [numOps]bool{
	OpAdd: true, OpMul: true, OpMulHiU: true, OpMulHiS: true, OpAnd: true, OpOr: true, OpXor: true,
	OpMinS: true, OpMinU: true, OpMaxS: true, OpMaxU: true, OpFAdd: true, OpFMul: true,
}

// fold gives what an operation without effect is, if that is known without it; nil if not. It may
// order args so that a constant comes last.
func (b *Builder) fold(code Code, mod uint8, t Type, args []*Value) *Value {
	switch len(args) {
	case 1:
		if code == OpSToF && (Rounding(mod) == Nearest || Rounding(mod) == Fused) {
			return b.foldMagnitude(mod, t, args[0])
		}
		return b.foldUnary(code, t, args[0])
	case 2:
		if code == OpCmp {
			return b.foldCompare(tile.CmpI(mod), args[0], args[1])
		}
		if commutes[code] && args[0].IsConst() && !args[1].IsConst() {
			args[0], args[1] = args[1], args[0]
		}
		if t.IsInt() && !opTableIsFloat(code) {
			return b.foldBinary(code, t, args)
		}
	case 3:
		if code == OpSelect {
			return foldSelect(args)
		}
	}
	return nil
}

// opTableIsFloat reports whether an operation's operands are floats although its result is an integer.
func opTableIsFloat(code Code) bool {
	return code == OpFCmp || code == OpToF8 || code == OpPackF16 || code == OpPack
}

func foldSelect(args []*Value) *Value {
	switch {
	case args[1] == args[2], args[0].IsConstBits(1):
		return args[1]
	case args[0].IsConstBits(0):
		return args[2]
	}
	return nil
}

// foldMagnitude knows the number of x or ~x, whichever is not negative, as random numbers are made: ~x is -(x + 1), and rounding to nearest does the same
// to a number and its negative, so it is |x + 1| for negative x and |x| for others.
func (b *Builder) foldMagnitude(mod uint8, t Type, v *Value) *Value {
	if v.Op == nil || v.Op.Code != OpSelect {
		return nil
	}
	c, not, x := v.Op.Args[0].Op, v.Op.Args[1].Op, v.Op.Args[2]
	if c == nil || c.Code != OpCmp || tile.CmpI(c.Mod) != tile.LTS || c.Args[0] != x || !c.Args[1].IsConstBits(0) {
		return nil
	}
	if not == nil || not.Code != OpXor || not.Args[0] != x || !not.Args[1].IsConstBits(x.Type.Mask()) {
		return nil
	}
	sign := b.Pure(OpShrU, 0, x.Type, 0, x, b.I32(x.Type.Bits()-1))
	return b.Pure(OpFAbs, 0, t, 0, b.Pure(OpSToF, mod, t, 0, b.Pure(OpAdd, 0, x.Type, 0, x, sign)))
}

func (b *Builder) foldUnary(code Code, t Type, x *Value) *Value {
	switch code {
	case OpTrunc:
		if x.IsConst() {
			return b.Const(t, x.Bits)
		}
		if from := x.Op; from != nil && (from.Code == OpExtS || from.Code == OpExtU) {
			switch y := from.Args[0]; {
			case y.Type == t:
				return y
			case y.Type.Bits() > t.Bits():
				return b.Pure(OpTrunc, 0, t, 0, y)
			}
		}
	case OpExtS:
		if x.IsConst() {
			return b.Const(t, uint64(x.Int()))
		}
		if from := x.Op; from != nil && (from.Code == OpExtS || from.Code == OpExtU) {
			return b.Pure(from.Code, 0, t, 0, from.Args[0])
		}
	case OpExtU:
		if x.IsConst() {
			return b.Const(t, x.Bits)
		}
		if from := x.Op; from != nil && from.Code == OpExtU {
			return b.Pure(OpExtU, 0, t, 0, from.Args[0])
		}
	case OpBitcast:
		if x.Type == t {
			return x
		}
		if x.IsConst() {
			return b.Const(t, x.Bits)
		}
		if from := x.Op; from != nil && from.Code == OpBitcast {
			return b.Pure(OpBitcast, 0, t, 0, from.Args[0])
		}
	}
	return nil
}

// foldBinary folds arithmetic on integers; a constant operand of what commutes comes last.
func (b *Builder) foldBinary(code Code, t Type, args []*Value) *Value {
	x, y := args[0], args[1]
	if x.IsConst() && y.IsConst() {
		if r, ok := compute(code, t, x, y); ok {
			return b.Const(t, r)
		}
		return nil
	}
	if x == y {
		switch code {
		case OpAnd, OpOr, OpMinS, OpMinU, OpMaxS, OpMaxU:
			return x
		case OpXor, OpSub:
			return b.Const(t, 0)
		}
	}
	if associates[code] {
		if v := b.regroup(code, t, x, y); v != nil {
			return v
		}
	}
	if !y.IsConst() {
		return nil
	}
	c := y.Bits
	switch code {
	case OpSub:
		return b.Pure(OpAdd, 0, t, 0, x, b.Const(t, -c))
	case OpAdd, OpOr, OpXor, OpShl, OpShrS, OpShrU:
		switch {
		case c == 0:
			return x
		case code == OpOr && c == t.Mask():
			return y
		}
	case OpAnd:
		switch {
		case c == 0:
			return y
		case c == t.Mask():
			return x
		}
	case OpMul:
		switch {
		case c == 0:
			return y
		case c == 1:
			return x
		case bits.OnesCount64(c) == 1:
			return b.Pure(OpShl, 0, t, 0, x, b.I32(bits.TrailingZeros64(c)))
		}
	case OpDivU, OpDivS:
		if c == 1 {
			return x
		}
		if code == OpDivU && bits.OnesCount64(c) == 1 {
			return b.Pure(OpShrU, 0, t, 0, x, b.I32(bits.TrailingZeros64(c)))
		}
	case OpRemU:
		if bits.OnesCount64(c) == 1 {
			return b.Pure(OpAnd, 0, t, 0, x, b.Const(t, c-1))
		}
	}
	return nil
}

// associates lists the operations of which it is the same which are done first.
var associates = [numOps]bool{
	OpAdd: true, OpMul: true, OpAnd: true, OpOr: true, OpXor: true, OpMinS: true, OpMinU: true, OpMaxS: true, OpMaxU: true,
}

// regroup does first what is needed more often, or less often computed; nil if there is nothing to gain. Constants come last, where they meet
// each other: (x + c) + y is (x + y) + c. That is also so if x is known in front of a loop and y is not: for as many constants as there are elements
// there would be as many sums to keep. Of others those come first that are known in front of a loop, or are the same in all threads.
func (b *Builder) regroup(code Code, t Type, x, y *Value) *Value {
	pure := func(x, y *Value) *Value { return b.Pure(code, 0, t, 0, x, y) }
	if p, c := operandsOf(code, x); p != nil && c.IsConst() {
		if y.IsConst() {
			return pure(p, pure(c, y))
		}
		return pure(pure(p, y), c)
	}
	if y.IsConst() {
		return nil
	}
	if p, c := operandsOf(code, y); p != nil && c.IsConst() {
		return pure(pure(x, p), c)
	}
	if rank(x) < rank(y) {
		x, y = y, x
	}
	p, q := operandsOf(code, x)
	if p == nil {
		return nil
	}
	if rank(p) < rank(q) {
		p, q = q, p
	}
	if rank(q) < rank(p) && rank(y) < rank(p) {
		return pure(p, pure(q, y))
	}
	return nil
}

// operandsOf gives the operands of an operation of a code that makes v; a constant one is the second.
func operandsOf(code Code, v *Value) (x, y *Value) {
	if v.Op == nil || v.Op.Code != code {
		return nil, nil
	}
	return v.Op.Args[0], v.Op.Args[1]
}

// rank orders values by how often they are computed.
func rank(v *Value) int {
	r := 2 * int(v.depth)
	if v.varies {
		r++
	}
	return r
}

// compute gives the bits of an operation on constants, where it is defined.
func compute(code Code, t Type, x, y *Value) (uint64, bool) {
	w := uint64(t.Bits())
	a, c, sa, sc := x.Bits, y.Bits, x.Int(), y.Int()
	switch code {
	case OpAdd:
		return a + c, true
	case OpSub:
		return a - c, true
	case OpMul:
		return a * c, true
	case OpMulHiU:
		if w == 64 {
			hi, _ := bits.Mul64(a, c)
			return hi, true
		}
		return a * c >> w, true
	case OpAnd:
		return a & c, true
	case OpOr:
		return a | c, true
	case OpXor:
		return a ^ c, true
	case OpShl:
		return shifted(c < w, a<<(c&63)), true
	case OpShrU:
		return shifted(c < w, a>>(c&63)), true
	case OpShrS:
		return uint64(sa >> min(c, 63)), true
	case OpMinS:
		return uint64(min(sa, sc)), true
	case OpMaxS:
		return uint64(max(sa, sc)), true
	case OpMinU:
		return min(a, c), true
	case OpMaxU:
		return max(a, c), true
	}
	if c == 0 {
		return 0, false
	}
	switch code {
	case OpDivU:
		return a / c, true
	case OpRemU:
		return a % c, true
	case OpDivS:
		return uint64(sa / sc), sc != -1
	case OpRemS:
		return uint64(sa % sc), sc != -1
	}
	return 0, false
}

func shifted(in bool, x uint64) uint64 {
	if in {
		return x
	}
	return 0
}

func (b *Builder) foldCompare(p tile.CmpI, x, y *Value) *Value {
	if x == y {
		switch p {
		case tile.EQ, tile.LES, tile.GES, tile.LEU, tile.GEU:
			return b.Bool(true)
		}
		return b.Bool(false)
	}
	if !x.IsConst() || !y.IsConst() {
		return nil
	}
	a, c, sa, sc := x.Bits, y.Bits, x.Int(), y.Int()
	switch p {
	case tile.EQ:
		return b.Bool(a == c)
	case tile.NE:
		return b.Bool(a != c)
	case tile.LTS:
		return b.Bool(sa < sc)
	case tile.LES:
		return b.Bool(sa <= sc)
	case tile.GTS:
		return b.Bool(sa > sc)
	case tile.GES:
		return b.Bool(sa >= sc)
	case tile.LTU:
		return b.Bool(a < c)
	case tile.LEU:
		return b.Bool(a <= c)
	case tile.GTU:
		return b.Bool(a > c)
	}
	return b.Bool(a >= c)
}
