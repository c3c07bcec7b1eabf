package pass

import "github.com/tegula-lang/tegula/internal/tile"

// dce removes the operations, the results of ifs and the carried values of loops that no
// effect and no result of the function depends on. Effects are writes, prints, checks, volatile loads, and
// loops that read memory while they wait: a while loop with a load may be how programs
// synchronise. A for loop ends by itself.
func dce(f *tile.Func) { removeDead(f, hasEffect) }

// debugDCE keeps loads and gathers too.
func debugDCE(f *tile.Func) {
	removeDead(f, func(op *tile.Op) bool {
		return hasEffect(op) || op.Effect() == tile.Reads || op.Code == tile.OpGather
	})
}

func removeDead(f *tile.Func, root func(*tile.Op) bool) {
	m := newMarker(f)
	m.root = root
	m.roots(f.Body)
	m.propagate()
	m.sweep(f.Body)
}

// A marker finds the live values: it starts from the effects and follows operands, through
// regions position by position.
type marker struct {
	live []bool     // by ID
	home []*tile.Op // by ID, for block arguments: the operation whose region it is
	work []*tile.Value
	root func(*tile.Op) bool // whether an operation must stay whoever uses it, its regions aside
}

func newMarker(f *tile.Func) *marker {
	n := f.NumValues()
	return &marker{live: make([]bool, n), home: make([]*tile.Op, n), work: make([]*tile.Value, 0, n)}
}

func (m *marker) use(vals ...*tile.Value) {
	for _, v := range vals {
		if !m.live[v.ID] {
			m.live[v.ID] = true
			m.work = append(m.work, v)
		}
	}
}

// roots uses the operands of the effects in b and reports whether there are any.
func (m *marker) roots(b *tile.Block) bool {
	found := false
	for _, op := range b.Ops {
		for _, r := range op.Regions {
			for _, a := range r.Args {
				m.home[a.ID] = op
			}
		}
		if m.isRoot(op) {
			m.use(op.Args[:controlArgs(op)]...)
			m.runs(op)
			found = true
		}
	}
	return found
}

// isRoot reports whether op, or what is in its regions, must stay whoever uses it.
func (m *marker) isRoot(op *tile.Op) bool {
	root := m.root(op)
	for _, r := range op.Regions {
		root = m.roots(r) || root
	}
	return root
}

func hasEffect(op *tile.Op) bool {
	switch op.Effect() {
	case tile.Writes, tile.Observes:
		return true
	}
	return op.Code == tile.OpReturn || op.Code == tile.OpWhile && reads(op)
}

// reads reports whether op's regions load from memory.
func reads(op *tile.Op) bool {
	found := false
	for _, b := range op.Regions {
		b.Walk(func(op *tile.Op) { found = found || op.Effect() == tile.Reads })
	}
	return found
}

// controlArgs gives the number of operands that op needs to run at all; the rest are
// carried values.
func controlArgs(op *tile.Op) int {
	switch op.Code {
	case tile.OpFor:
		return forBounds
	case tile.OpWhile:
		return 0
	}
	return len(op.Args)
}

// runs uses what decides how an operation with regions runs, besides its operands.
func (m *marker) runs(op *tile.Op) {
	switch op.Code {
	case tile.OpWhile:
		m.use(op.Regions[0].Terminator().Args[0])
	case tile.OpReduce, tile.OpScan, tile.OpMap:
		m.use(op.Regions[0].Terminator().Args...)
	}
}

func (m *marker) propagate() {
	for len(m.work) > 0 {
		v := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		if v.Op != nil {
			m.result(v.Op, int(v.Index))
		} else if home := m.home[v.ID]; home != nil {
			m.argument(home, v)
		}
	}
}

// result follows a live result.
func (m *marker) result(op *tile.Op, i int) {
	m.use(op.Args[:controlArgs(op)]...)
	m.runs(op)
	switch op.Code {
	case tile.OpIf:
		m.use(op.Regions[0].Terminator().Args[i], op.Regions[1].Terminator().Args[i])
	case tile.OpFor:
		m.use(op.Args[forBounds+i], op.Regions[0].Terminator().Args[i], op.Regions[0].Args[forCounter+i])
	case tile.OpWhile:
		m.use(op.Regions[0].Terminator().Args[1+i], op.Regions[1].Args[i])
	}
}

// argument follows a live argument of a region of op.
func (m *marker) argument(op *tile.Op, v *tile.Value) {
	i := int(v.Index)
	switch {
	case op.Code == tile.OpFor && i >= forCounter:
		m.use(op.Results[i-forCounter])
	case op.Code == tile.OpWhile && v.Block == op.Regions[0]:
		m.use(op.Args[i], op.Regions[1].Terminator().Args[i])
	case op.Code == tile.OpWhile:
		m.use(op.Results[i])
	}
}

// sweep removes from b what is not live.
func (m *marker) sweep(b *tile.Block) {
	kept := b.Ops[:0]
	for _, op := range b.Ops {
		if m.keeps(op) {
			kept = append(kept, op)
		}
	}
	clear(b.Ops[len(kept):])
	b.Ops = kept
}

// keeps sweeps op's regions and reports whether op stays.
func (m *marker) keeps(op *tile.Op) bool {
	switch op.Effect() {
	case tile.Writes, tile.Observes, tile.Terminates:
		return true
	case tile.Pure, tile.Reads:
		return m.anyLive(op.Results) || m.root(op)
	}
	stays := m.anyLive(op.Results) || op.Code == tile.OpWhile && reads(op)
	for _, r := range op.Regions {
		m.sweep(r)
		stays = stays || len(r.Ops) > 1
	}
	if stays {
		m.trim(op)
	}
	return stays
}

func (m *marker) anyLive(vals []*tile.Value) bool {
	for _, v := range vals {
		if m.live[v.ID] {
			return true
		}
	}
	return false
}

// which tells the live ones of vals, and whether there are dead ones.
func (m *marker) which(vals []*tile.Value) (keep []bool, dead bool) {
	for _, v := range vals {
		dead = dead || !m.live[v.ID]
	}
	if !dead {
		return nil, false
	}
	keep = make([]bool, len(vals))
	for i, v := range vals {
		keep[i] = m.live[v.ID]
	}
	return keep, true
}

// trim removes dead results and carried values.
func (m *marker) trim(op *tile.Op) {
	switch op.Code {
	case tile.OpIf:
		if keep, dead := m.which(op.Results); dead {
			dropIfResults(op, keep)
		}
	case tile.OpFor:
		if keep, dead := m.which(op.Results); dead {
			dropForCarried(op, keep)
		}
	case tile.OpWhile:
		if keep, dead := m.which(op.Regions[0].Args); dead {
			dropWhileCarried(op, keep)
		}
		if keep, dead := m.which(op.Results); dead {
			dropWhileForwarded(op, keep)
		}
	}
}
