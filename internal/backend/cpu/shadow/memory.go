package shadow

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Budget is how many bytes of shadow a launch may still use.
type Budget struct{ left atomic.Int64 }

// NewBudget makes a budget of n bytes.
func NewBudget(n int64) *Budget {
	b := &Budget{}
	b.left.Store(n)
	return b
}

// take reports whether n bytes more may be used.
func (b *Budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

// A cell is what is remembered of one granule.
type cell struct {
	write  Stamp // a store, or an atomic
	second Stamp // an atomic after write, or beside it if write is one
	bits   uint64
	read   Stamp
	other  Stamp // a read by another instance than read's, if there is one
}

const pageCells = 512

type page struct {
	mu    sync.Mutex
	cells [pageCells]cell
}

// A Memory is the shadow of one range of bytes.
type Memory struct {
	granule uint64 // bytes, a power of two
	strict  bool
	budget  *Budget
	pages   []atomic.Pointer[page]
}

// New makes the shadow of n bytes that are looked at in granules of 1, 2, 4 or 8. A strict one reports stores of
// what is there already, too.
func New(n int64, granule int, strict bool, b *Budget) *Memory {
	span := int64(granule) * pageCells
	return &Memory{granule: uint64(granule), strict: strict, budget: b, pages: make([]atomic.Pointer[page], (n+span-1)/span)}
}

// page gives a page, nil if there is no budget for it.
func (m *Memory) page(i uint64) *page {
	if p := m.pages[i].Load(); p != nil {
		return p
	}
	if !m.budget.take(int64(unsafe.Sizeof(page{}))) {
		return nil
	}
	p := &page{}
	if !m.pages[i].CompareAndSwap(nil, p) {
		m.budget.left.Add(int64(unsafe.Sizeof(page{})))
	}
	return m.pages[i].Load()
}

// A Conflict is two accesses of one granule.
type Conflict struct {
	Offset uint64 // of the granule, in bytes
	Other  Stamp
}

// Touch notes an access to n bytes at an offset, both multiples of the granule, and gives the first conflict with
// an earlier one. For writes, values points to the bytes that will be there.
func (m *Memory) Touch(a *Actor, k Kind, site int, off, n uint64, values unsafe.Pointer) (Conflict, bool) {
	s := a.stamp(k, site)
	first, end := off/m.granule, (off+n)/m.granule
	for g := first; g < end; {
		stop := min(end, (g/pageCells+1)*pageCells)
		if p := m.page(g / pageCells); p != nil {
			i, other := m.touch(p, a, k, s, int(g%pageCells), int(stop-g), values)
			if other != 0 {
				return Conflict{(g + uint64(i)) * m.granule, other}, true
			}
		}
		if k == Write {
			values = unsafe.Add(values, (stop-g)*m.granule)
		}
		g = stop
	}
	return Conflict{}, false
}

// touch notes an access to n cells of a page from one on. It gives how many were without conflict, and what
// the next one conflicts with.
func (m *Memory) touch(p *page, a *Actor, k Kind, s Stamp, from, n int, values unsafe.Pointer) (int, Stamp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cells := p.cells[from : from+n]
	for i := range cells {
		c := &cells[i]
		var other Stamp
		switch k {
		case Read:
			other = c.onRead(a, s)
		case Write:
			other = c.onWrite(a, s, bitsAt(values, i, m.granule), m.strict)
		case Atomic:
			other = c.onAtomic(a, s)
		default:
			other = c.onAtomicRead(a, s)
		}
		if other != 0 {
			return i, other
		}
	}
	return n, 0
}

// bitsAt gives element i of granules.
func bitsAt(p unsafe.Pointer, i int, granule uint64) uint64 {
	p = unsafe.Add(p, uint64(i)*granule)
	switch granule {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// unordered gives s if there is such an access and nothing orders it before a's.
func (a *Actor) unordered(s Stamp) Stamp {
	if s == 0 || a.after(s) {
		return 0
	}
	return s
}

func (c *cell) onWrite(a *Actor, s Stamp, bits uint64, strict bool) Stamp {
	if c.write|c.read == 0 {
		c.write, c.bits = s, bits
		return 0
	}
	if w := a.unordered(c.second); w != 0 {
		return w
	}
	if r := c.unorderedRead(a); r != 0 {
		return r
	}
	if w := a.unordered(c.write); w != 0 {
		if strict || w.atomic() || c.bits != bits {
			return w
		}
		return 0 // both store the same; the first one stays
	}
	*c = cell{write: s, bits: bits} // what was before is before whatever is after this
	return 0
}

func (c *cell) unorderedRead(a *Actor) Stamp {
	if r := a.unordered(c.read); r != 0 {
		return r
	}
	return a.unordered(c.other)
}

func (c *cell) onRead(a *Actor, s Stamp) Stamp {
	if w := a.unordered(c.write); w != 0 {
		return w
	}
	if w := a.unordered(c.second); w != 0 {
		return w
	}
	c.noteRead(a, s)
	return 0
}

// noteRead remembers a reader. Those that a write may yet conflict with are kept apart by program; of three, two plain
// ones stay, as any write conflicts with one of these.
func (c *cell) noteRead(a *Actor, s Stamp) {
	slots := [...]*Stamp{&c.read, &c.other}
	for _, r := range slots {
		if *r != 0 && r.sameProgram(s) {
			if r.atomic() || !s.atomic() {
				*r = s
			}
			return
		}
	}
	for _, r := range slots {
		if *r == 0 || a.after(*r) && (r.atomic() || !s.atomic()) {
			*r = s
			return
		}
	}
	for _, r := range slots {
		if r.atomic() && !s.atomic() {
			*r = s
			return
		}
	}
}

func (c *cell) onAtomic(a *Actor, s Stamp) Stamp {
	if w := a.unordered(c.write); w != 0 && !w.atomic() {
		return w
	}
	for _, r := range [...]Stamp{c.read, c.other} {
		if r = a.unordered(r); r != 0 && !r.atomic() {
			return r
		}
	}
	switch {
	case c.write == 0 || c.write.atomic() && a.unordered(c.write) == 0:
		c.write = s
	case a.unordered(c.second) == 0:
		c.second = s
	case !c.write.atomic(): // a store before both atomics
		c.write, c.second = c.second, s
	}
	return 0
}

func (c *cell) onAtomicRead(a *Actor, s Stamp) Stamp {
	if w := a.unordered(c.write); w != 0 && !w.atomic() {
		return w
	}
	c.noteRead(a, s)
	return 0
}
