package native

import "github.com/tegula-lang/tegula/internal/tile"

// A derived value is a tile that a loop carries and that goes up by the same amount in all its elements:
// pointers that walk along a matrix, or offsets. It is computed from what it was before the loop
// and from a scalar, instead of being kept in memory.
type derived struct {
	from *tile.Value
	off  *val // of pointers, in elements
}

// advances gives the scalar (or constant) that a carried tile goes up by in each iteration; ok is false
// where it does not.
func (g *generator) advances(arg, next, init *tile.Value) (step *tile.Op, ok bool) {
	op := next.Op
	if op == nil || !arg.Type.IsTile() || g.plan.cost[init] >= expensive || init.Op == nil || g.plan.isRoot(init.Op) || g.bufs[init] != nil {
		return nil, false
	}
	if op.Code != tile.OpAddPtr && op.Code != tile.OpAdd || op.Args[0] != arg || arg.Type.ElemBits() < 32 {
		return nil, false
	}
	by := op.Args[1].Op
	if by == nil {
		return nil, false
	}
	switch by.Code {
	case tile.OpConst:
		return by, true
	case tile.OpSplat:
		_, outside := g.env[by.Args[0]]
		return by, outside
	}
	return nil, false
}

// startDerived makes a derived value that has not gone up yet.
func (g *generator) startDerived(arg, init *tile.Value) *derived {
	t := tile.Scalar(tile.I64)
	if !arg.Type.IsPtr() {
		t = arg.Type.Scalar()
	}
	d := &derived{from: init, off: g.variable(t)}
	g.movImm(d.off.g, 0)
	g.derived[arg] = d
	return d
}

// step lets a derived value go up.
func (g *generator) step(d *derived, by *tile.Op) {
	x := g.straight()
	var amount *val
	if by.Code == tile.OpConst {
		t := by.Results[0].Type
		amount = constVal(d.off.t, uint64(signExtend(by.Attr.(tile.ConstAttr).Bits, t.ElemBits())))
	} else {
		s := x.imported(by.Args[0])
		amount = newVal(d.off.t)
		amount.uni, amount.g = true, x.widen(s, true)
	}
	w := d8(d.off.t)
	g.op3(plainScalar[tile.OpAdd].of(w), d.off.g, x.asGPR(amount), none, 0)
}

// derive computes a derived value on this strip.
func (x *nest) derive(v *tile.Value, d *derived, at view) *val {
	off := *d.off
	off.shared = false
	op := tile.Op{Code: tile.OpAdd, Results: []*tile.Value{{Type: v.Type.Scalar()}}}
	if v.Type.IsPtr() {
		op.Code = tile.OpAddPtr
	}
	return x.apply(&op, []*val{x.eval(d.from, at), &off})
}
