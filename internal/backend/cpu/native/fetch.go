package native

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A nest that computes much, or reads what is in the cache already, leaves the memory idle; and one behind it, which stores, waits for the lines
// that it stores to. So the first one asks for them, strip by strip. That is done in reductions, for the store that comes next over the same elements,
// and in loops, for the store of the next loop over the same range. To ask for memory that is not there does nothing.

// A fetch is a store whose lines are asked for before it is reached.
type fetch struct {
	store    *tile.Op
	from, to *tile.Value // the counter of the store's loop, and that of the loop where it is asked for; nil if they are in one block
}

// nextStore gives the store of a tile that comes next in a block, if nothing but arithmetic comes before.
func (g *generator) nextStore(op *tile.Op) *fetch {
	for _, o := range g.plan.home[op].Ops[g.plan.at[op]+1:] {
		switch {
		case o.Code == tile.OpStore && o.Args[0].Type.IsTile():
			return &fetch{store: o}
		case g.plan.isRoot(o):
			return nil
		}
	}
	return nil
}

// twinStore gives the first store of the next loop in a block that has the range of this one.
func (g *generator) twinStore(loop *tile.Op) *fetch {
	b := g.plan.home[loop]
	for _, o := range b.Ops[g.plan.at[loop]+1:] {
		if o.Code != tile.OpFor || !slices.Equal(o.Args[:3], loop.Args[:3]) {
			continue
		}
		for _, s := range o.Regions[0].Ops {
			if s.Code == tile.OpStore && s.Args[0].Type.IsTile() {
				return &fetch{s, o.Regions[0].Args[0], loop.Regions[0].Args[0]}
			}
		}
		return nil
	}
	return nil
}

// known reports whether a value can be computed here, from scalars alone.
func (f *fetch) known(g *generator, v *tile.Value) bool {
	if v.Type.IsScalar() {
		_, ok := g.env[v]
		return ok || v == f.from
	}
	if v.Op == nil || g.plan.isRoot(v.Op) || v.Op.Code == tile.OpLoad || g.plan.keep[v] || g.derived[v] != nil {
		return false
	}
	for _, a := range v.Op.Args {
		if !f.known(g, a) {
			return false
		}
	}
	return true
}

// ask asks for what a store writes to on the strip at a view of a nest over tiles of type t.
func (x *nest) ask(f *fetch, t tile.Type, at view) {
	g := x.g
	if f == nil || shapeOf(f.store.Args[0].Type) != shapeOf(t) || !f.known(g, f.store.Args[0]) {
		return
	}
	if f.from != nil {
		g.env[f.from] = g.env[f.to]
		defer delete(g.env, f.from)
	}
	p := x.eval(f.store.Args[0], at)
	if !p.affine || p.step != int64(p.t.Pointee().ElemBytes()) || p.level < x.depth() {
		return
	}
	cached := x.cached(f.store)
	x.on(x.depth(), func() {
		skip := g.label()
		if cached != none {
			g.op3(amd64.TESTL, cached, cached, none, 0)
			g.jcc(amd64.CCE, skip)
		}
		i := ins(amd64.PREFETCHW)
		i.HasMem, i.M = true, amd64.At(p.g, int32(p.off))
		g.emit(i)
		g.bind(skip)
	})
}
