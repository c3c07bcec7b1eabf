package pass

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/tile"
)

// bounds is canonicalize with the ranges of integers at hand: comparisons, minima and
// remainders that the ranges decide are folded, and signed division of what is not negative
// by a power of two is a shift. So a mask that a static shape makes true is gone.
//
// What the author assumes is believed, but not where it would remove a check: what assertions and
// assumptions depend on is folded only if it holds whatever is assumed.
func bounds(f *tile.Func) {
	r := newRewriter(f)
	r.proven = analyzeRanges(f, false)
	r.believed = r.proven
	if r.checked = checks(f); r.checked != nil {
		r.believed = analyzeRanges(f, true)
	}
	r.run()
}

// checks marks the values, by ID, that an assertion or assumption depends on; nil if there is none.
func checks(f *tile.Func) []bool {
	m := newMarker(f)
	m.root = func(op *tile.Op) bool { return op.Code == tile.OpAssert || op.Code == tile.OpAssume }
	if !m.roots(f.Body) {
		return nil
	}
	m.propagate()
	return m.live
}

// rangesFor gives the ranges that may decide an operation. Of operations that were made in an earlier walk
// it is not known whether a check depends on them.
func (r *rewriter) rangesFor(op *tile.Op) *Facts[Range] {
	for _, v := range op.Results {
		if r.checked != nil && (int(v.ID) >= len(r.checked) || r.checked[v.ID]) {
			return r.proven
		}
	}
	return r.believed
}

// rangeOf gives the range of a value; of one that was made during the walk, what its type says.
func (r *rewriter) rangeOf(v *tile.Value) Range {
	if bits, ok := constBits(v); ok {
		return constRange(v.Type, bits)
	}
	return *r.ranges.Of(v)
}

// decided gives what stands for an operation on integers according to their ranges, or nil.
func (r *rewriter) decided(op *tile.Op) *tile.Value {
	if len(op.Args) != 2 || !op.Args[0].Type.IsInt() || op.Args[0].Type.IsBool() {
		return nil
	}
	x, y := r.rangeOf(op.Args[0]), r.rangeOf(op.Args[1])
	switch op.Code {
	case tile.OpCmpI:
		if b, ok := decideCompare(predicate(op), x, y); ok {
			return r.truth(op, b)
		}
	case tile.OpMinS, tile.OpMinU, tile.OpMaxS, tile.OpMaxU:
		return decideExtremum(op, x, y)
	case tile.OpRemS, tile.OpRemU, tile.OpDivS:
		return r.divideUnsigned(op, x, y)
	case tile.OpAnd:
		if mask, ok := constBits(op.Args[1]); ok && x.Lo >= 0 && mask >= lowMask(bits.Len64(uint64(x.Hi))) && mask&(mask+1) == 0 {
			return op.Args[0]
		}
	}
	return nil
}

// decideCompare reports whether x p y is the same for all of the ranges, and what it is.
func decideCompare(p tile.CmpI, x, y Range) (result, ok bool) {
	if p >= tile.LTU && (x.Lo < 0 || y.Lo < 0) {
		return false, false
	}
	switch p {
	case tile.EQ, tile.NE:
		return p == tile.NE, x.Hi < y.Lo || y.Hi < x.Lo
	case tile.LTS, tile.LTU:
		return x.Hi < y.Lo, x.Hi < y.Lo || x.Lo >= y.Hi
	case tile.LES, tile.LEU:
		return x.Hi <= y.Lo, x.Hi <= y.Lo || x.Lo > y.Hi
	case tile.GTS, tile.GTU:
		return x.Lo > y.Hi, x.Lo > y.Hi || x.Hi <= y.Lo
	}
	return x.Lo >= y.Hi, x.Lo >= y.Hi || x.Hi < y.Lo
}

func decideExtremum(op *tile.Op, x, y Range) *tile.Value {
	if isUnsigned := op.Code == tile.OpMinU || op.Code == tile.OpMaxU; isUnsigned && (x.Lo < 0 || y.Lo < 0) {
		return nil
	}
	isMin := op.Code == tile.OpMinS || op.Code == tile.OpMinU
	switch {
	case x.Hi <= y.Lo && isMin, x.Lo >= y.Hi && !isMin:
		return op.Args[0]
	case y.Hi <= x.Lo && isMin, y.Lo >= x.Hi && !isMin:
		return op.Args[1]
	}
	return nil
}

// divideUnsigned is x % y = x for 0 ≤ x < y, and shift and mask for signed division of x ≥ 0
// by a power of two.
func (r *rewriter) divideUnsigned(op *tile.Op, x, y Range) *tile.Value {
	if x.Lo < 0 {
		return nil
	}
	t := op.Results[0].Type
	if op.Code != tile.OpDivS && y.Lo > x.Hi {
		return op.Args[0]
	}
	c, ok := constBits(op.Args[1])
	if !ok || y.Lo <= 0 || bits.OnesCount64(c) != 1 {
		return nil
	}
	if op.Code == tile.OpDivS {
		return r.emit(tile.OpShrU, nil, t, op.Args[0], r.constant(t, uint64(bits.TrailingZeros64(c))))
	}
	return r.emit(tile.OpAnd, nil, t, op.Args[0], r.constant(t, c-1))
}
