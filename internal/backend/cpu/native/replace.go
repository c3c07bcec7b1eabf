package native

import "github.com/tegula-lang/tegula/internal/tile"

// A product that nothing needs any more but the nest that computes a value from it, element by element, gives that its buffer: the weights of attention are
// written where the scores were.

// replaced gives the buffer of the product that a value may take the place of; nil if there is none. jobs and reduces are in the same nest.
func (g *generator) replaced(v *tile.Value, jobs []job, reduces []*tile.Op) *buffer {
	of := g.productBelow(v)
	if of == nil || len(jobs) != 1 || of.Type != v.Type || g.plan.home[of.Op] != g.plan.home[v.Op] || g.inPlace[of.Op] != nil || g.deferred[of.Op] != nil {
		return nil
	}
	all := []job{{v: v}}
	for _, op := range reduces {
		for _, a := range op.Args {
			all = append(all, job{v: a})
		}
	}
	if !g.lastUse(of, v, reduces, map[*tile.Value]bool{}) || g.readsMoved(all, []*tile.Value{of}) {
		return nil
	}
	return g.bufs[of]
}

// productBelow gives a product in a buffer that a value is computed from, element by element.
func (g *generator) productBelow(v *tile.Value) *tile.Value {
	for _, a := range v.Op.Args {
		if a.Op == nil || a.Type.LogElems() != v.Type.LogElems() {
			continue
		}
		if b := g.bufs[a]; b != nil {
			if a.Op.Code == tile.OpDot && b.t == v.Type {
				return a
			}
			continue
		}
		if a.Op.Code.IsElementwise() && !g.plan.isRoot(a.Op) {
			if of := g.productBelow(a); of != nil {
				return of
			}
		}
	}
	return nil
}

// lastUse reports whether all that needs a value has been computed, or is v or some reductions.
func (g *generator) lastUse(of, v *tile.Value, reduces []*tile.Op, seen map[*tile.Value]bool) bool {
	for _, op := range g.usersOf()[of] {
		if isOneOf(op, reduces) {
			continue
		}
		if g.plan.home[op] != g.plan.home[v.Op] || len(op.Results) != 1 {
			return false
		}
		r := op.Results[0]
		switch {
		case r == v || g.bufs[r] != nil || seen[r]:
		case op.Code == tile.OpReduce, g.plan.isRoot(op), g.plan.keep[r], !r.Type.IsTile(), len(seen) > maxFlow:
			return false
		default:
			seen[r] = true
			if !g.lastUse(r, v, reduces, seen) {
				return false
			}
		}
	}
	return true
}
