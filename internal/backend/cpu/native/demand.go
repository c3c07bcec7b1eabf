package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A demand is how much of a product anything asks for. At the edges of a matrix, masks keep most of a tile from being stored; blocks that lie there as a whole
// are not computed. Strips of the result's rows and columns are counted up to the last one of which something is stored.
type demand struct{ rows, cols reg } // none: all

// demandFor gives the demand for a value of a product's size; nil if all is asked for. It is known only if a store is all that the value goes to, by way of
// arithmetic on single elements.
func (g *generator) demandFor(v *tile.Value, s matmul) *demand {
	store := g.onlyStore(v)
	if store == nil || len(store.Args) < 3 || v.Type.Rank() != 2 {
		return nil
	}
	w := &window{n: v.Type.LogElems()}
	w.rows, w.cols, _ = dims(v.Type)
	d := &demand{none, none}
	for _, m := range conjuncts(store.Args[2]) {
		by := g.reach(m, identity(w.n))
		switch {
		case !g.fromScalars(m) || by == 0:
		case by&^w.rows.bits() == 0 && s.m > g.lanes:
			d.rows = g.least(d.rows, w.lastStrip(g, m, w.rows))
		case by&^w.cols.bits() == 0 && s.n > g.lanes:
			d.cols = g.least(d.cols, w.lastStrip(g, m, w.cols))
		}
	}
	if d.rows == none && d.cols == none {
		return nil
	}
	return d
}

// conjuncts gives what has to hold for a mask to hold.
func conjuncts(mask *tile.Value) []*tile.Value {
	if mask.Op != nil && mask.Op.Code == tile.OpAnd {
		return append(conjuncts(mask.Op.Args[0]), conjuncts(mask.Op.Args[1])...)
	}
	return []*tile.Value{mask}
}

// lastStrip gives how many strips of rows or columns there are up to the last in which a mask holds anywhere.
func (w *window) lastStrip(g *generator, mask *tile.Value, along strand) reg {
	last := g.gpr()
	g.movImm(last, 0)
	corner := view{n: int8(w.n)}
	for i := range w.n {
		corner.bits[i] = zeroBit
	}
	w.each(g, along, corner, func(x *nest, at view) {
		d := x.eval(mask, at)
		x.on(x.depth(), func() {
			number, holds := g.copyG(x.counters[x.depth()]), g.gpr()
			g.op3(amd64.SHRLI, number, none, none, int64(along.at+g.laneBits))
			g.op3(amd64.ADDLI, number, none, none, 1)
			g.op3(amd64.KMOVtoG, holds, x.asMask(d), none, 0)
			g.op3(amd64.TESTL, holds, holds, none, 0)
			g.cmov(amd64.CCNE, last, number)
		})
	})
	return last
}

// least gives the lesser of two counts, of which the first may be none.
func (g *generator) least(a, b reg) reg {
	if a == none {
		return b
	}
	g.op3(amd64.CMPL, a, b, none, 0)
	g.cmov(amd64.CCB, b, a)
	return b
}

// maxFlow bounds the operations between a product and its store.
const maxFlow = 32

// usersOf gives the operations that use each value.
func (g *generator) usersOf() map[*tile.Value][]*tile.Op {
	if g.users == nil {
		g.users = map[*tile.Value][]*tile.Op{}
		g.fn.Body.Walk(func(op *tile.Op) {
			for _, a := range op.Args {
				g.users[a] = append(g.users[a], op)
			}
		})
	}
	return g.users
}

// onlyStore gives the store that is all that a value goes to; nil if there is none such.
func (g *generator) onlyStore(v *tile.Value) *tile.Op {
	users := g.usersOf()
	var store *tile.Op
	seen := map[*tile.Value]bool{}
	var flow func(v *tile.Value) bool
	flow = func(v *tile.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		for _, op := range users[v] {
			switch {
			case g.plan.isOutlined(op) || len(seen) > maxFlow:
				return false
			case op.Code == tile.OpStore && op.Args[1] == v && (store == nil || store == op):
				store = op
				if op.Args[0] == v || len(op.Args) > 2 && op.Args[2] == v {
					return false
				}
			case op.Code.IsElementwise() && op.Effect() == tile.Pure && len(op.Results) == 1:
				if !flow(op.Results[0]) {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	if !flow(v) {
		return nil
	}
	return store
}

// counts gives how many blocks of the result are asked for: those under a micro-panel, and micro-panels; none is all. Where nothing is asked for at all it jumps
// to nothing.
func (d *demand) counts(g *generator, rows, width int, nothing amd64.Label) (blocks, panels reg) {
	if d == nil {
		return none, none
	}
	of := func(strips reg, each int) reg {
		if strips == none {
			return none
		}
		n := g.copyG(strips)
		g.op3(amd64.TESTL, n, n, none, 0)
		g.jcc(amd64.CCE, nothing)
		g.op3(amd64.SHLLI, n, none, none, int64(g.laneBits))
		g.op3(amd64.ADDLI, n, none, none, int64(each-1))
		g.op3(amd64.SHRLI, n, none, none, int64(logOf(int64(each))))
		return n
	}
	return of(d.rows, rows), of(d.cols, width)
}

// repeated emits a loop of count iterations, at least 1 and at most n; n of them if count is none. end comes before its back edge.
func (g *generator) repeated(n int, count reg, body func(), end func(mark, int)) {
	if count == none {
		g.times(n, body, end)
		return
	}
	g.countDown(g.copyG(count), n, body, end)
}
