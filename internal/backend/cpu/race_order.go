package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// acquires reports whether programs may learn from an operation that another one has got somewhere: what it reads is
// used, with an order that says so. An atomic whose result nobody uses, such as one that adds to a sum, tells nothing.
func acquires(op *tile.Op, uses []int) bool {
	switch a := op.Attr.(type) {
	case tile.LoadAttr:
		return isFlagLoad(op)
	case tile.AtomicAttr:
		return (a.Sem == tile.AcqRel || a.Sem == tile.Acquire) && len(op.Results) > 0 && uses[op.Result().ID] > 0
	}
	return false
}

func releases(op *tile.Op) bool {
	a, ok := op.Attr.(tile.AtomicAttr)
	return ok && (a.Sem == tile.AcqRel || a.Sem == tile.Release)
}

// countUses counts the uses of each value of a function.
func countUses(f *tile.Func) []int {
	uses := make([]int, f.NumValues())
	f.Body.Walk(func(op *tile.Op) {
		for _, v := range op.Args {
			uses[v.ID]++
		}
	})
	return uses
}

// synchronises reports whether programs of a module may wait for one another.
func synchronises(m *tile.Module) bool {
	found := false
	for _, f := range m.Funcs {
		uses := countUses(f)
		f.Body.Walk(func(op *tile.Op) { found = found || acquires(op, uses) })
	}
	return found
}

// An ordering is what an atomic orders. A nil one is nothing.
type ordering struct{ acquires, releases bool }

// ordering gives what an atomic orders, where programs synchronise and there is somebody to note it.
func (p *planner) ordering(op *tile.Op) *ordering {
	if p.sanitizer == nil || !p.program.synchronises {
		return nil
	}
	o := &ordering{acquires(op, p.sanitizer.uses), releases(op)}
	if !o.acquires && !o.releases {
		return nil
	}
	return o
}

// begin comes before the exchange of an element, end after it.
func (o *ordering) begin(m *machine) {
	if o != nil {
		m.launch.watch.order.Begin()
	}
}

func (o *ordering) end(m *machine, addr uint64, wrote bool) {
	if o != nil {
		m.launch.watch.order.End(&m.actor, m.launch.space.untag(addr), o.acquires, o.releases && wrote)
	}
}

// acquireByLoad plans what a load orders that waits for other programs.
func (p *planner) acquireByLoad(op *tile.Op) {
	if !p.program.synchronises || !isFlagLoad(op) {
		return
	}
	o := &ordering{acquires: true}
	addrs, n := p.in(op.Args[0]), op.Args[0].Type.NumElems()
	var mask slot
	if len(op.Args) > 1 {
		mask = p.in(op.Args[1])
	}
	p.emit(op, func(m *machine) error {
		for i := range n {
			if mask.n == 0 || valueAt(m, mask, 1, i) != 0 {
				o.begin(m)
				o.end(m, valueAt(m, addrs, 8, i), false)
			}
		}
		return nil
	})
}
