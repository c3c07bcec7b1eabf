package cpu

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu/shadow"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// maxShadow bounds the memory that a launch remembers accesses in. What lies beyond is not looked at.
const maxShadow = 1 << 30

// A watch is what the sanitizer knows of the memory of one launch.
type watch struct {
	shadows []shadowed // by array
	roots   roots      // of the parameters whose arrays have shadows
	order   *shadow.Order
}

// A shadowed array has the shadow of the memory that it lies in, which it may share with arrays that overlap.
type shadowed struct {
	memory *shadow.Memory // nil if nothing writes there
	start  uint64         // where in the shadow's memory the array starts
}

// newWatch makes shadows for the arrays that the kernel may write, and for those that overlap them.
func (p *Program) newWatch(s *space, args []Arg) *watch {
	w := &watch{shadows: make([]shadowed, len(s.arrays)), order: &shadow.Order{}}
	params := make([]roots, 0, len(s.arrays)) // by array
	for i := range args {
		if args[i].Array != nil {
			params = append(params, parameter(i))
		}
	}
	for len(params) < len(s.arrays) {
		params = append(params, anywhere) // what is reached by addresses that are loaded
	}
	order := make([]int, 0, len(s.arrays))
	for i := range s.arrays {
		if s.arrays[i].size > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.arrays[i].real, s.arrays[j].real) })
	budget := shadow.NewBudget(maxShadow)
	for len(order) > 0 {
		n, end := 1, s.arrays[order[0]].real+s.arrays[order[0]].size
		for n < len(order) && s.arrays[order[n]].real < end {
			end = max(end, s.arrays[order[n]].real+s.arrays[order[n]].size)
			n++
		}
		w.region(p, s, order[:n], end, params, budget)
		order = order[n:]
	}
	return w
}

// region makes the shadow of arrays that overlap.
func (w *watch) region(p *Program, s *space, members []int, end uint64, params []roots, b *shadow.Budget) {
	if !slices.ContainsFunc(members, func(i int) bool { return params[i]&p.writes.set != 0 }) {
		return
	}
	start := s.arrays[members[0]].real &^ (wordAlign - 1)
	granule := min(p.leastAccess, wordAlign)
	mem := shadow.New(int64(end-start), granule, p.opts.Strict, b)
	for _, i := range members {
		w.shadows[i] = shadowed{mem, s.arrays[i].real - start}
		w.roots |= params[i]
	}
}

// watch plans noting an access to memory, before it happens.
func (p *planner) watch(op *tile.Op) {
	kind, t := accessKind(op), op.Args[0].Type
	size := t.Pointee().ElemBytes()
	site := p.program.accesses.add(op)
	n := p.width(op, t)
	if kind >= shadow.Atomic {
		n = t.NumElems()
	}
	widened := func(v *tile.Value) slot {
		if s := p.in(v); s.n == n {
			return s
		}
		return p.full(op, v)
	}
	a := access{op: op, kind: kind, site: site, size: uint64(size), addrs: widened(op.Args[0])}
	if i, ok := masks[op.Code]; ok && i < len(op.Args) {
		a.mask = widened(op.Args[i])
	}
	if kind == shadow.Write {
		a.values = widened(op.Args[1])
	}
	from := anywhere
	if p.kernel {
		from = p.program.writes.of[op.Args[0].ID]
	}
	p.emit(op, func(m *machine) error {
		if m.launch.watch.roots&from == 0 {
			return nil
		}
		return a.note(m)
	})
}

func accessKind(op *tile.Op) shadow.Kind {
	switch op.Code {
	case tile.OpLoad:
		if isFlagLoad(op) {
			return shadow.AtomicRead
		}
		return shadow.Read
	case tile.OpStore:
		return shadow.Write
	case tile.OpAtomicLoad, tile.OpAtomicPoll:
		return shadow.AtomicRead
	}
	return shadow.Atomic
}

// isFlagLoad reports whether a load is one that kernels wait for other programs with.
func isFlagLoad(op *tile.Op) bool {
	a := op.Attr.(tile.LoadAttr)
	return a.Volatile || a.Cache == tile.CacheCV
}

// An access is an operation on memory as the sanitizer sees it.
type access struct {
	op                  *tile.Op
	kind                shadow.Kind
	site                int
	size                uint64
	addrs, mask, values slot
}

// note notes the accesses of all active elements. What is out of bounds is left to the access itself.
func (a *access) note(m *machine) error {
	addrs := view[uint64](m, a.addrs)
	var mask []uint8
	if a.mask.n != 0 {
		mask = view[uint8](m, a.mask)
	}
	c := cursor{space: &m.launch.space, size: a.size}
	for lo, hi := activeRun(mask, 0, len(addrs)); lo < len(addrs); lo, hi = activeRun(mask, hi, len(addrs)) {
		for i := lo; i < hi; {
			end := contiguous(addrs, i, hi, a.size)
			if c.find(addrs[i], end-i) != nil {
				if err := a.noteRun(m, &c, addrs[i], i, end); err != nil {
					return err
				}
			}
			i = end
		}
	}
	return nil
}

// noteRun notes the accesses of elements i to end, which are neighbours in memory.
func (a *access) noteRun(m *machine, c *cursor, addr uint64, i, end int) error {
	s := &m.launch.watch.shadows[c.array.virtual>>tagShift-1]
	if s.memory == nil {
		return nil
	}
	off := c.array.offset(addr)
	var values unsafe.Pointer
	if a.kind == shadow.Write {
		values = m.at(a.values.off + i*int(a.size))
	}
	conflict, found := s.memory.Touch(&m.actor, a.kind, a.site, s.start+off, uint64(end-i)*a.size, values)
	if !found {
		return nil
	}
	at := conflict.Offset - s.start
	return a.race(m, c.array, at, conflict.Other)
}

// race makes the finding that an access of the running program to a byte of an array conflicts with another one's. It
// tells it as if programs ran in the order of their numbers.
func (a *access) race(m *machine, in *array, at uint64, other shadow.Stamp) error {
	op, theirs := a.op, m.program.accesses.at(other.Site())
	me, they := m.number, other.Program()
	if me < they {
		me, they, op, theirs = they, me, theirs, op
	}
	at -= at % a.size
	what := fmt.Sprintf("%s of %s", in.index(int64(at), int(a.size)), in.Name)
	e := m.program.errorAt(diag.Check, "race", op, fmt.Sprintf("programs race for %s: program %s %s it here, program %s %s it, and nothing orders these",
		what, m.programName(me), accessVerb[op.Code], m.programName(they), accessVerb[theirs.Code]))
	if theirs != op {
		m.note(e, theirs, "the access of program "+m.programName(they))
	}
	return e
}

var accessVerb = map[tile.Code]string{
	tile.OpLoad:        "loads",
	tile.OpStore:       "stores",
	tile.OpAtomicRMW:   "updates atomically",
	tile.OpAtomicCAS:   "updates atomically",
	tile.OpAtomicLoad:  "loads atomically",
	tile.OpAtomicStore: "stores atomically",
	tile.OpAtomicPoll:  "polls",
}

// programName gives the coordinates of a program instance.
func (m *machine) programName(n int64) string {
	x, y := int64(m.grid[0]), int64(m.grid[1])
	return fmt.Sprintf("(%d, %d, %d)", n%x, n/x%y, n/x/y)
}

// checkStored plans looking whether a store left everywhere what it stored: two elements of its tile may go to one
// place with different values.
func (p *planner) checkStored(op *tile.Op) {
	t := op.Args[0].Type
	if t.IsScalar() || op.Args[1].Type.IsPtr() {
		return
	}
	in := make([]slot, len(op.Args))
	for i, v := range op.Args {
		in[i] = p.in(v)
	}
	size, n := t.Pointee().ElemBytes(), t.NumElems()
	p.emit(op, func(m *machine) error {
		addrs := view[uint64](m, in[0])
		if ascending(addrs) && (len(addrs) > 1 || in[1].n == 1) {
			return nil
		}
		c := cursor{space: &m.launch.space, size: uint64(size)}
		for i := range n {
			if len(in) > 2 && valueAt(m, in[2], 1, i) == 0 {
				continue
			}
			addr := valueAt(m, in[0], 8, i)
			at := c.find(addr, 1)
			if at == nil || bitsOf(at, size) == valueAt(m, in[1], size, i) {
				continue
			}
			return m.finding("conflicting-store", op, "two elements of this store go to %s of %s, with different values; one is%s",
				c.array.index(int64(c.array.offset(addr)), size), c.array.Name, element(t, i))
		}
		return nil
	})
}

// ascending reports whether each address is above the one before it.
func ascending(addrs []uint64) bool {
	for i := 1; i < len(addrs); i++ {
		if addrs[i] <= addrs[i-1] {
			return false
		}
	}
	return true
}

func bitsOf(p unsafe.Pointer, size int) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}
