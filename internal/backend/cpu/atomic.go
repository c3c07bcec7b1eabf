package cpu

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/tile"
)

// Atomics work on the arrays' own memory with the processor's atomic instructions. They are
// sequentially consistent, whatever order and scope the kernel asks for. Elements of 8 and 16 bits
// are exchanged under a lock, which all that reach them share: within the array as part of the 32-bit
// word around them, so that atomics of that word see it; alone where the word is not wholly in the
// array, as at the end of an array of an odd size.

// atomicRMW plans OpAtomicRMW.
func (p *planner) atomicRMW(op *tile.Op) error {
	a := op.Attr.(tile.AtomicAttr)
	f := combineBits(a.Kind, op.Result().Type)
	return p.atomic(op, 2, func(old, val, _ uint64) (uint64, bool) { return f(old, val), true })
}

// atomicCAS plans OpAtomicCAS.
func (p *planner) atomicCAS(op *tile.Op) error {
	return p.atomic(op, 3, func(old, cmp, val uint64) (uint64, bool) { return val, old == cmp })
}

// atomicLoad plans OpAtomicLoad.
func (p *planner) atomicLoad(op *tile.Op) error {
	return p.atomic(op, 1, func(_, _, _ uint64) (uint64, bool) { return 0, false })
}

// atomicStore plans OpAtomicStore.
func (p *planner) atomicStore(op *tile.Op) error {
	return p.atomic(op, 2, func(_, val, _ uint64) (uint64, bool) { return val, true })
}

// atomic plans an atomic of which mask, if it is there, is the operand after the values. next
// gives the new bits from the old ones and the first and last value's, or false to leave the
// element as it is.
func (p *planner) atomic(op *tile.Op, mask int, next func(old, x, y uint64) (uint64, bool)) error {
	t := op.Args[0].Type.Pointee()
	n, size := t.NumElems(), t.ElemBytes()
	in := p.operands(op, n)
	if t.IsPtr() {
		for i := 1; i < mask; i++ {
			in[i] = p.realPointers(op, in[i])
		}
	}
	vals := in[1:mask]
	order := p.ordering(op)
	d := p.temp(size, n)
	if len(op.Results) > 0 {
		d = p.out(op.Result(), n)
	}
	p.emit(op, func(m *machine) error {
		var active []uint8
		if mask < len(in) {
			active = view[uint8](m, in[mask])
		}
		clear(memory[byte](m, d.off, n*size))
		c := cursor{space: &m.launch.space, size: uint64(size)}
		for i, addr := range view[uint64](m, in[0]) {
			if active != nil && active[i] == 0 {
				continue
			}
			at := c.find(addr, 1)
			if at == nil {
				return m.badAccess(op, addr, size, i)
			}
			var x, y uint64
			if len(vals) > 0 {
				x, y = elementBits(m, vals[0], size, i), elementBits(m, vals[len(vals)-1], size, i)
			}
			wrote := false
			order.begin(m)
			old := c.exchange(at, addr, func(old uint64) (v uint64, ok bool) {
				v, wrote = next(old, x, y)
				return v, wrote
			})
			order.end(m, addr, wrote)
			setBits(m, d, size, i, old)
		}
		return nil
	})
	if t.IsPtr() && len(op.Results) > 0 {
		p.emit(op, mapAddrs(d, d, (*space).tag))
	}
	return nil
}

// exchange replaces the element that was found at addr and gives its old bits.
func (c *cursor) exchange(at unsafe.Pointer, addr uint64, next func(uint64) (uint64, bool)) uint64 {
	switch c.size {
	case 8:
		return exchange64((*uint64)(at), next)
	case 4:
		return uint64(exchange32((*uint32)(at), func(old uint32) (uint32, bool) {
			v, ok := next(uint64(old))
			return uint32(v), ok
		}))
	}
	lock := stripeOf(at)
	lock.Lock()
	defer lock.Unlock()
	in := addr & 3 // the element's place in its word, which is the lower end first
	off := c.array.offset(addr)
	if off < in || !c.array.holds(off-in, 4) {
		return exchangeAlone(at, int(c.size), next)
	}
	shift, mask := 8*in, uint32(1)<<(8*c.size)-1
	old := exchange32((*uint32)(unsafe.Add(at, -int(in))), func(word uint32) (uint32, bool) {
		v, ok := next(uint64(word >> shift & mask))
		return word&^(mask<<shift) | uint32(v)&mask<<shift, ok
	})
	return uint64(old >> shift & mask)
}

func exchange64(p *uint64, next func(uint64) (uint64, bool)) uint64 {
	for {
		old := atomic.LoadUint64(p)
		v, ok := next(old)
		if !ok || atomic.CompareAndSwapUint64(p, old, v) {
			return old
		}
	}
}

func exchange32(p *uint32, next func(uint32) (uint32, bool)) uint32 {
	for {
		old := atomic.LoadUint32(p)
		v, ok := next(old)
		if !ok || atomic.CompareAndSwapUint32(p, old, v) {
			return old
		}
	}
}

// exchangeAlone touches nothing but the element.
func exchangeAlone(at unsafe.Pointer, size int, next func(uint64) (uint64, bool)) uint64 {
	if size == 1 {
		p := (*uint8)(at)
		old := uint64(*p)
		if v, ok := next(old); ok {
			*p = uint8(v)
		}
		return old
	}
	p := (*uint16)(at)
	old := uint64(*p)
	if v, ok := next(old); ok {
		*p = uint16(v)
	}
	return old
}

func setBits(m *machine, s slot, size, i int, bits uint64) {
	switch size {
	case 1:
		view[uint8](m, s)[i] = uint8(bits)
	case 2:
		view[uint16](m, s)[i] = uint16(bits)
	case 4:
		view[uint32](m, s)[i] = uint32(bits)
	default:
		view[uint64](m, s)[i] = bits
	}
}

// combineBits gives a read-modify-write on the bits of an element.
func combineBits(k tile.Atomic, t tile.Type) func(old, val uint64) uint64 {
	switch k {
	case tile.AtomicXchg:
		return func(_, val uint64) uint64 { return val }
	case tile.AtomicFAdd:
		return combineFloats(t.Elem(), func(x, y float64) float64 { return x + y })
	case tile.AtomicFMax:
		return combineFloats(t.Elem(), maxNum[float64])
	case tile.AtomicFMin:
		return combineFloats(t.Elem(), minNum[float64])
	}
	return combineInts(k, 64-uint(t.ElemBits()))
}

// combineFloats computes in float64: sums of narrower floats are rounded to float32 first, as
// other arithmetic is, which a float64's sum makes exact.
func combineFloats(e tile.Elem, f func(x, y float64) float64) func(old, val uint64) uint64 {
	switch e {
	case tile.F64:
		return func(old, val uint64) uint64 {
			return math.Float64bits(f(math.Float64frombits(old), math.Float64frombits(val)))
		}
	case tile.F32:
		return func(old, val uint64) uint64 {
			x, y := math.Float32frombits(uint32(old)), math.Float32frombits(uint32(val))
			return uint64(math.Float32bits(float32(f(float64(x), float64(y)))))
		}
	}
	d := e.DType()
	return func(old, val uint64) uint64 {
		return d.Encode(float64(float32(f(d.Decode(old), d.Decode(val)))))
	}
}

// combineInts works on integers whose upper unused bits are 0; unused is their number.
func combineInts(k tile.Atomic, unused uint) func(old, val uint64) uint64 {
	sign := func(x uint64) int64 { return int64(x<<unused) >> unused }
	mask := ^uint64(0) >> unused
	switch k {
	case tile.AtomicAdd:
		return func(old, val uint64) uint64 { return (old + val) & mask }
	case tile.AtomicAnd:
		return func(old, val uint64) uint64 { return old & val }
	case tile.AtomicOr:
		return func(old, val uint64) uint64 { return old | val }
	case tile.AtomicXor:
		return func(old, val uint64) uint64 { return old ^ val }
	case tile.AtomicMaxS:
		return func(old, val uint64) uint64 { return uint64(max(sign(old), sign(val))) & mask }
	case tile.AtomicMinS:
		return func(old, val uint64) uint64 { return uint64(min(sign(old), sign(val))) & mask }
	case tile.AtomicMaxU:
		return func(old, val uint64) uint64 { return max(old, val) }
	}
	return func(old, val uint64) uint64 { return min(old, val) }
}
