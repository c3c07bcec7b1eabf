package pass

import "github.com/tegula-lang/tegula/internal/tile"

// A special is a constant that identities ask for, in the format of the operand's element.
type special uint8

const (
	zero special = iota
	one
	allOnes
	minSigned
	maxSigned
	negZero
	floatOne
)

// An answer says what an operation gives.
type answer uint8

const (
	left    answer = iota // its left operand
	right                 // its right operand
	nothing               // zero
)

// rightIdentities says what x op c gives for special constants c (commutative operations
// have their constant at the right). They hold for every x: for floats with -0, infinities
// and NaN.
var rightIdentities = [numCodes][]struct {
	c    special
	give answer
}{
	tile.OpAdd:    {{zero, left}},
	tile.OpSub:    {{zero, left}},
	tile.OpMul:    {{one, left}, {zero, right}},
	tile.OpDivS:   {{one, left}},
	tile.OpDivU:   {{one, left}},
	tile.OpRemS:   {{one, nothing}},
	tile.OpRemU:   {{one, nothing}},
	tile.OpAnd:    {{zero, right}, {allOnes, left}},
	tile.OpOr:     {{zero, left}, {allOnes, right}},
	tile.OpXor:    {{zero, left}},
	tile.OpShl:    {{zero, left}},
	tile.OpShrS:   {{zero, left}},
	tile.OpShrU:   {{zero, left}},
	tile.OpMinS:   {{minSigned, right}, {maxSigned, left}},
	tile.OpMinU:   {{zero, right}, {allOnes, left}},
	tile.OpMaxS:   {{maxSigned, right}, {minSigned, left}},
	tile.OpMaxU:   {{allOnes, right}, {zero, left}},
	tile.OpMulHiU: {{zero, right}, {one, nothing}},
	tile.OpFAdd:   {{negZero, left}},
	tile.OpFSub:   {{zero, left}},
	tile.OpFMul:   {{floatOne, left}},
	tile.OpFDiv:   {{floatOne, left}},
	tile.OpFDivRN: {{floatOne, left}},
}

// sameIdentities says what x op x gives.
var sameIdentities = [numCodes]struct {
	holds bool
	give  answer
}{
	tile.OpSub:  {true, nothing},
	tile.OpAnd:  {true, left},
	tile.OpOr:   {true, left},
	tile.OpXor:  {true, nothing},
	tile.OpMinS: {true, left},
	tile.OpMinU: {true, left},
	tile.OpMaxS: {true, left},
	tile.OpMaxU: {true, left},
	tile.OpFMin: {true, left},
	tile.OpFMax: {true, left},
}

// byIdentity applies the two tables. Formats in which x may be more than a result can be are left out.
func byIdentity(r *rewriter, op *tile.Op) *tile.Value {
	x, y := op.Args[0], op.Args[1]
	if t := x.Type; t.IsFloat() && t.Elem().DType().Clips() {
		return nil
	}
	if s := sameIdentities[op.Code]; s.holds && x == y {
		return r.answer(s.give, op)
	}
	bits, ok := constBits(y)
	if !ok {
		return nil
	}
	for _, id := range rightIdentities[op.Code] {
		if want, ok := specialBits(id.c, y.Type); ok && want == bits {
			return r.answer(id.give, op)
		}
	}
	return nil
}

func (r *rewriter) answer(a answer, op *tile.Op) *tile.Value {
	switch a {
	case left:
		return op.Args[0]
	case right:
		return op.Args[1]
	}
	return r.constant(op.Results[0].Type, 0)
}

// specialBits gives the bits of a special constant as an element of t, if t has it. The
// signed limits of i1 are left out: its only signed use is widening.
func specialBits(s special, t tile.Type) (uint64, bool) {
	w := t.ElemBits()
	switch s {
	case zero:
		return 0, true
	case one:
		return 1, true
	case allOnes:
		return lowMask(w), true
	case minSigned:
		return 1 << (w - 1), w > 1
	case maxSigned:
		return lowMask(w - 1), w > 1
	case negZero:
		return 1 << (w - 1), t.Elem().DType().HasNegativeZero()
	case floatOne:
		return floatBits(t.Elem(), 1)
	}
	return 0, false
}

// involution is op(op(x)) = x.
func involution(_ *rewriter, op *tile.Op) *tile.Value {
	if in := definedBy(op.Args[0], op.Code); in != nil {
		return in.Args[0]
	}
	return nil
}

// idempotent is op(op(x)) = op(x).
func idempotent(_ *rewriter, op *tile.Op) *tile.Value {
	if definedBy(op.Args[0], op.Code) != nil {
		return op.Args[0]
	}
	return nil
}
