package pass

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A rewriter rebuilds the blocks of a function in one walk, in the order of execution. When
// it comes to an operation its operands are in their final form, because definitions come
// before uses in the same or an enclosing block; so no lists of uses are needed, and one
// walk is enough but for what flows around loops.
type rewriter struct {
	f *tile.Func
	// stands[id] is what stands for a value from here on; nil: itself. Values that are made
	// during the walk are final and lie beyond the end.
	stands []*tile.Value
	// out is a stack: the operations of the blocks being rebuilt, the innermost block's last.
	out []*tile.Op
	// loc is given to the operations that are made.
	loc tile.Loc
	// ranges are those of the function's integers that may decide the present operation, or nil: believed, or
	// where a check depends on it (checked, by value ID) proven.
	ranges, proven, believed *Facts[Range]
	checked                  []bool
	// again is set by what a second walk can make use of.
	again bool
}

// A rule gives the value that stands for the result of a pure operation, or nil. It may
// make new operations; it may also change op into an equal one and give nil.
type rule func(r *rewriter, op *tile.Op) *tile.Value

// newRewriter makes a rewriter for one walk over f.
func newRewriter(f *tile.Func) *rewriter { return &rewriter{f: f} }

// walk rebuilds f's body and reports whether another walk can find more.
func (r *rewriter) walk() bool {
	n := r.f.NumValues()
	if cap(r.stands) < n {
		r.stands = make([]*tile.Value, n+n/4)
	}
	r.stands = r.stands[:n]
	clear(r.stands)
	r.again = false
	r.block(r.f.Body)
	return r.again
}

// block rebuilds b.
func (r *rewriter) block(b *tile.Block) {
	start := len(r.out)
	for _, op := range b.Ops {
		r.visit(op)
	}
	b.Ops = append(b.Ops[:0], r.out[start:]...)
	r.out = r.out[:start]
}

// inline rebuilds the operations of b in the present block and gives what b yields.
func (r *rewriter) inline(b *tile.Block) []*tile.Value {
	last := len(b.Ops) - 1
	for _, op := range b.Ops[:last] {
		r.visit(op)
	}
	return r.resolve(b.Ops[last].Args)
}

// visit rebuilds one operation.
func (r *rewriter) visit(op *tile.Op) {
	r.resolve(op.Args)
	r.loc, r.ranges = op.Loc, r.rangesFor(op)
	if rule := controlRules[op.Code]; rule != nil {
		if !rule(r, op) {
			r.out = append(r.out, op)
		}
		return
	}
	if v := r.simplify(op); v != nil {
		r.replace(op.Results[0], v)
		return
	}
	r.out = append(r.out, op)
}

// final gives what stands for v.
func (r *rewriter) final(v *tile.Value) *tile.Value {
	if int(v.ID) < len(r.stands) {
		if s := r.stands[v.ID]; s != nil {
			return s
		}
	}
	return v
}

// resolve replaces each of vals by what stands for it, in place.
func (r *rewriter) resolve(vals []*tile.Value) []*tile.Value {
	for i, v := range vals {
		vals[i] = r.final(v)
	}
	return vals
}

// replace makes v, which is final, stand for old.
func (r *rewriter) replace(old, v *tile.Value) {
	if v.Name == "" && v.Op != nil {
		v.Name = old.Name
	}
	if int(old.ID) < len(r.stands) {
		r.stands[old.ID] = v
	}
}

// emit makes an operation of one result in the present block, or finds what it simplifies to.
func (r *rewriter) emit(code tile.Code, attr tile.Attr, t tile.Type, args ...*tile.Value) *tile.Value {
	op := tile.NewOp(r.f, code, attr, args, t)
	op.Loc = r.loc
	if v := r.simplify(op); v != nil {
		return v
	}
	r.out = append(r.out, op)
	return op.Results[0]
}

// constant makes a constant in the present block.
func (r *rewriter) constant(t tile.Type, bits uint64) *tile.Value {
	op := tile.NewOp(r.f, tile.OpConst, tile.ConstAttr{Bits: bits & ones(t)}, nil, t)
	op.Loc = r.loc
	r.out = append(r.out, op)
	return op.Results[0]
}

// simplify gives what stands for an operation of one result, or nil if it stays as it is.
func (r *rewriter) simplify(op *tile.Op) *tile.Value {
	if op.Code.Commutes() && isConst(op.Args[0]) && !isConst(op.Args[1]) {
		swapOperands(op)
	}
	if bits, ok := fold(op); ok {
		return r.constant(op.Results[0].Type, bits)
	}
	for _, rule := range rulesOf[op.Code] {
		if v := rule(r, op); v != nil {
			return v
		}
	}
	if r.ranges != nil {
		if v := r.decided(op); v != nil {
			return v
		}
	}
	if op.Code.IsElementwise() && op.Effect() == tile.Pure && op.Results[0].Type.IsTile() {
		return r.narrow(op)
	}
	return nil
}

// swapOperands exchanges the first two operands. As any change of operands but their
// replacement by equal ones it is made on a copy: operations may share the list.
func swapOperands(op *tile.Op) {
	op.Args = slices.Clone(op.Args)
	op.Args[0], op.Args[1] = op.Args[1], op.Args[0]
}

// constBits gives the bits of a constant's elements.
func constBits(v *tile.Value) (uint64, bool) {
	if !isConst(v) {
		return 0, false
	}
	return v.Op.Attr.(tile.ConstAttr).Bits, true
}

func isConst(v *tile.Value) bool { return v.Op != nil && v.Op.Code == tile.OpConst }

// isConstOf reports whether v is the constant with these bits.
func isConstOf(v *tile.Value, bits uint64) bool {
	b, ok := constBits(v)
	return ok && b == bits
}

// definedBy gives the operation that defines v if its code is c, else nil.
func definedBy(v *tile.Value, c tile.Code) *tile.Op {
	if v.Op != nil && v.Op.Code == c {
		return v.Op
	}
	return nil
}

// ones gives the bits of an element of t that is all ones.
func ones(t tile.Type) uint64 { return lowMask(t.ElemBits()) }

// lowMask gives w low bits set; 0 ≤ w ≤ 64.
func lowMask(w int) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<w - 1
}

// signExtend gives the signed number that w low bits hold.
func signExtend(bits uint64, w int) int64 { return int64(bits<<(64-w)) >> (64 - w) }
