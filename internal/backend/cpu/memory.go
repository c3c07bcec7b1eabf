package cpu

import (
	"bytes"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/tile"
)

// load plans OpLoad.
func (p *planner) load(op *tile.Op) error {
	switch op.Result().Type.ElemBytes() {
	case 1:
		emitLoad[uint8](p, op)
	case 2:
		emitLoad[uint16](p, op)
	case 4:
		emitLoad[uint32](p, op)
	default:
		emitLoad[uint64](p, op)
	}
	return nil
}

func emitLoad[T unsigned](p *planner, op *tile.Op) {
	n := p.width(op, op.Result().Type)
	in := p.operands(op, n)
	d := p.out(op.Result(), n)
	p.emit(op, func(m *machine) error {
		out := view[T](m, d)
		var mask []uint8
		if len(in) > 1 {
			mask = view[uint8](m, in[1])
			if len(in) > 2 {
				copy(out, view[T](m, in[2]))
			} else {
				clear(out)
			}
		}
		addrs := view[uint64](m, in[0])
		c := newCursor[T](m)
		for lo, hi := activeRun(mask, 0, len(out)); lo < len(out); lo, hi = activeRun(mask, hi, len(out)) {
			if err := gather(m, op, &c, out, addrs, lo, hi); err != nil {
				return err
			}
		}
		return nil
	})
	if op.Result().Type.IsPtr() {
		p.emit(op, mapAddrs(d, d, (*space).tag))
	}
}

// mapAddrs changes the representation of pointers.
func mapAddrs(d, x slot, f func(*space, uint64) uint64) func(*machine) error {
	return func(m *machine) error {
		out := view[uint64](m, d)
		for i, a := range view[uint64](m, x) {
			out[i] = f(&m.launch.space, a)
		}
		return nil
	}
}

// realPointers gives a slot with the addresses that go to memory.
func (p *planner) realPointers(op *tile.Op, s slot) slot {
	t := p.temp(8, s.n)
	p.emit(op, mapAddrs(t, s, (*space).untag))
	return t
}

// operands gives the slots of an operation's operands with n elements each.
func (p *planner) operands(op *tile.Op, n int) []slot {
	in := make([]slot, len(op.Args))
	for i, v := range op.Args {
		in[i] = p.in(v)
		if in[i].n != n {
			in[i] = p.full(op, v)
		}
	}
	return in
}

// activeRun gives the first run of active lanes from i on; lo is n if there is none.
func activeRun(mask []uint8, i, n int) (lo, hi int) {
	if mask == nil {
		if i > 0 {
			return n, n
		}
		return 0, n
	}
	k := bytes.IndexByte(mask[i:], 1)
	if k < 0 {
		return n, n
	}
	lo = i + k
	if k = bytes.IndexByte(mask[lo:], 0); k < 0 {
		return lo, n
	}
	return lo, lo + k
}

// contiguous gives the end of the run of adjacent addresses that starts at i.
func contiguous(addrs []uint64, i, end int, size uint64) int {
	next := addrs[i] + size
	for i++; i+4 <= end; i += 4 { // four differences at a time: most runs are long
		a := addrs[i : i+4 : i+4]
		if (a[0]-next)|(a[1]-next-size)|(a[2]-next-2*size)|(a[3]-next-3*size) != 0 {
			break
		}
		next += 4 * size
	}
	for ; i < end && addrs[i] == next; i++ {
		next += size
	}
	return i
}

// A cursor finds memory; it remembers the array of the last access.
type cursor struct {
	space *space
	array *array
	size  uint64 // of an element
}

func newCursor[T any](m *machine) cursor {
	return cursor{space: &m.launch.space, size: uint64(unsafe.Sizeof(*new(T)))}
}

// find gives the memory of n elements at an address, nil if they are not all in one array or not aligned.
func (c *cursor) find(addr uint64, n int) unsafe.Pointer {
	if addr&(c.size-1) != 0 {
		return nil
	}
	if a := c.array; a != nil {
		if off := addr - a.virtual; a.holds(off, c.size*uint64(n)) {
			return a.pointer(off)
		}
	}
	a := c.space.owner(addr)
	if a == nil {
		return nil
	}
	off := a.offset(addr)
	if !a.holds(off, c.size*uint64(n)) {
		return nil
	}
	c.array = a
	return a.pointer(off)
}

// firstBad reports the first of the lanes i to end that find refuses.
func (c *cursor) firstBad(m *machine, op *tile.Op, addrs []uint64, i, end int) error {
	for i < end-1 && c.find(addrs[i], 1) != nil {
		i++
	}
	return m.badAccess(op, addrs[i], int(c.size), i)
}

// gather loads lanes lo to hi, all active.
func gather[T unsigned](m *machine, op *tile.Op, c *cursor, out []T, addrs []uint64, lo, hi int) error {
	for i := lo; i < hi; {
		end := contiguous(addrs, i, hi, c.size)
		src := c.find(addrs[i], end-i)
		switch {
		case src == nil:
			return c.firstBad(m, op, addrs, i, end)
		case end == i+1:
			out[i] = *(*T)(src)
		default:
			copy(out[i:end], unsafe.Slice((*T)(src), end-i))
		}
		i = end
	}
	return nil
}

// scatter stores lanes lo to hi, all active. Of a run of adjacent addresses that is not all in bounds nothing is
// stored; the runs before it have been.
func scatter[T unsigned](m *machine, op *tile.Op, c *cursor, vals []T, addrs []uint64, lo, hi int) error {
	for i := lo; i < hi; {
		end := contiguous(addrs, i, hi, c.size)
		dst := c.find(addrs[i], end-i)
		switch {
		case dst == nil:
			return c.firstBad(m, op, addrs, i, end)
		case end == i+1:
			*(*T)(dst) = vals[i]
		default:
			copy(unsafe.Slice((*T)(dst), end-i), vals[i:end])
		}
		i = end
	}
	return nil
}

// store plans OpStore.
func (p *planner) store(op *tile.Op) error {
	switch op.Args[1].Type.ElemBytes() {
	case 1:
		emitStore[uint8](p, op)
	case 2:
		emitStore[uint16](p, op)
	case 4:
		emitStore[uint32](p, op)
	default:
		emitStore[uint64](p, op)
	}
	return nil
}

func emitStore[T unsigned](p *planner, op *tile.Op) {
	in := p.operands(op, p.width(op, op.Args[0].Type))
	if op.Args[1].Type.IsPtr() {
		in[1] = p.realPointers(op, in[1])
	}
	p.emit(op, func(m *machine) error {
		addrs, vals := view[uint64](m, in[0]), view[T](m, in[1])
		var mask []uint8
		if len(in) > 2 {
			mask = view[uint8](m, in[2])
		}
		c := newCursor[T](m)
		for lo, hi := activeRun(mask, 0, len(vals)); lo < len(vals); lo, hi = activeRun(mask, hi, len(vals)) {
			if err := scatter(m, op, &c, vals, addrs, lo, hi); err != nil {
				return err
			}
		}
		return nil
	})
}
