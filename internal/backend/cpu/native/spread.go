package native

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// What is broadcast to many rows is computed again in each of them. Where that is a load of a buffer it costs nothing, but a mask of columns or what is compared with
// one are several instructions for each strip. So those are put into buffers before the nest:
//
//	inside[None, :]                                   one nest over the columns, then
//	where(inside[None, :] & (rows[:, None] >= cols[None, :]), scores, …)       a load for each strip of every row
//
// The buffers serve the nests that follow in the block, too, but only while those are written: elsewhere the mask is looked through.

// A spread is a value that is in a buffer.
type spread struct {
	v  *tile.Value
	to *buffer
}

// minSpread is to how many rows a value has to be broadcast, as a power of two.
const minSpread = 3

// spreadOut lets the values that a nest over tiles of type t repeats be read from buffers, until the function that it gives is called.
func (g *generator) spreadOut(t tile.Type, jobs []job, reduces []*tile.Op) (end func()) {
	f := finder{g: g, t: t, seen: map[*tile.Value]bool{}}
	if t.Rank() < 2 || t.LogDim(t.Rank()-1) <= g.laneBits {
		return func() {}
	}
	for _, op := range reduces {
		if op.Attr.(tile.AxisAttr).Axis != t.Rank()-1 {
			return func() {}
		}
		f.look(op.Args...)
	}
	for _, j := range jobs {
		if j.v != nil {
			f.look(j.v)
		} else {
			f.look(j.op.Args...)
		}
	}
	for _, v := range f.found {
		k := slices.IndexFunc(g.spread, func(s spread) bool { return s.v == v })
		if k < 0 {
			k = len(g.spread)
			to := g.newBuffer(v.Type)
			fetch, following := g.fetch, g.following
			g.fetch, g.following = nil, nil
			g.elementwise(v.Type, []job{{v: v, to: to, loc: v.Op.Loc}})
			g.fetch, g.following = fetch, following
			g.spread = append(g.spread, spread{v, to})
		}
		g.bufs[v] = g.spread[k].to
	}
	return func() {
		for _, v := range f.found {
			delete(g.bufs, v)
		}
	}
}

// forget ends what was spread out since there were n values.
func (g *generator) forget(n int) { g.spread = g.spread[:n] }

// A finder looks for what is worth a buffer.
type finder struct {
	g     *generator
	t     tile.Type
	seen  map[*tile.Value]bool
	found []*tile.Value
}

// look goes through the operations on single elements that values of the nest's size are computed by.
func (f *finder) look(vals ...*tile.Value) {
	for _, v := range vals {
		if f.seen[v] || v.Op == nil || !v.Type.IsTile() || f.g.bufs[v] != nil || v.Type.LogElems() < f.t.LogElems() {
			continue
		}
		f.seen[v] = true
		op := v.Op
		switch {
		case op.Code == tile.OpBroadcast && v.Type.IsBool():
			f.take(op.Args[0])
		case op.Code == tile.OpCmpI:
			for _, a := range op.Args {
				if a.Op != nil && a.Op.Code == tile.OpBroadcast && isInt(a.Type) && a.Type.ElemBits() == 32 {
					f.take(a.Op.Args[0])
				}
			}
			f.look(op.Args...)
		case op.Code.IsElementwise() || op.Code == tile.OpLoad:
			f.look(op.Args...)
		}
	}
}

// take finds a row that is computed from scalars and repeated often.
func (f *finder) take(v *tile.Value) {
	n := f.t.Rank()
	if f.seen[v] || v.Type.Rank() != n || v.Type.LogDim(n-1) != f.t.LogDim(n-1) || f.t.LogElems()-v.Type.LogElems() < minSpread {
		return
	}
	f.seen[v] = true
	if f.g.fromScalars(v) {
		f.found = append(f.found, v)
	}
}
