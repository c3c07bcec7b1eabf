package native

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Masks of columns that elements are chosen by mostly hold everywhere, as those of all blocks of keys but the last:
//
//	scores = where(inside[None, :], scores, -1.0e6)
//
// Where such a mask has been put into a buffer (spread.go), it is looked at before the nest, which is there twice: for masks that hold, without them, and for others.

// unmasked writes a nest, once more for masks that hold everywhere if all that is chosen in it is chosen by such.
func (g *generator) unmasked(jobs []job, reduces []*tile.Op, nest func()) {
	masks := g.choosers(jobs, reduces)
	if len(masks) == 0 {
		nest()
		return
	}
	bad, masked, end := g.gpr(), g.label(), g.label()
	g.op3(amd64.XORL, bad, bad, none, 0)
	for _, m := range masks {
		g.noteOff(bad, m)
	}
	g.op3(amd64.TESTL, bad, bad, none, 0)
	g.jcc(amd64.CCNE, masked)
	before := g.cur.again
	for _, m := range masks {
		g.holding[m] = true
	}
	nest()
	clear(g.holding)
	whole := g.cur.again
	g.jmp(end)
	g.bind(masked)
	g.cur.again = before
	nest()
	g.cur.again = max(g.cur.again, whole) // only one of them runs
	g.bind(end)
}

// noteOff makes bad other than 0 if a mask in a buffer does not hold everywhere.
func (g *generator) noteOff(bad reg, m *tile.Value) {
	g.strips(m.Type, func(x *nest, at view) {
		d := x.eval(m, at)
		x.on(x.depth(), func() { x.orOff(bad, d) })
	})
}

// orOff adds the lanes of a strip where a mask does not hold.
func (x *nest) orOff(bad reg, mask *val) {
	g, off := x.g, x.g.gpr()
	g.op3(amd64.KMOVtoG, off, x.asMask(mask), none, 0)
	g.op3(amd64.XORLI, off, none, none, 1<<g.lanes-1)
	g.op3(amd64.ORL, bad, off, none, 0)
}

// choosers gives the masks by which a nest chooses elements, if all of them are in buffers that were made for them; else none.
func (g *generator) choosers(jobs []job, reduces []*tile.Op) []*tile.Value {
	values, stores := computed(jobs)
	if len(stores) > 0 {
		return nil
	}
	for _, op := range reduces {
		values = append(values, op.Args...)
	}
	var masks []*tile.Value
	all := true
	var conjuncts func(v *tile.Value)
	conjuncts = func(v *tile.Value) {
		switch {
		case slices.ContainsFunc(g.spread, func(s spread) bool { return s.v == v && g.bufs[v] == s.to }):
			if !slices.Contains(masks, v) {
				masks = append(masks, v)
			}
		case v.Op != nil && g.bufs[v] == nil && (v.Op.Code == tile.OpAnd || v.Op.Code == tile.OpBroadcast):
			for _, a := range v.Op.Args {
				conjuncts(a)
			}
		default:
			all = false
		}
	}
	g.eachInNest(values, func(v *tile.Value) {
		if v.Op.Code == tile.OpSelect && v.Op.Args[0].Type.IsTile() {
			conjuncts(v.Op.Args[0])
		}
	})
	if !all {
		return nil
	}
	return masks
}
