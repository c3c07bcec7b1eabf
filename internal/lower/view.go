package lower

import (
	"encoding/binary"
	"math/bits"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
)

// A view says which element of a tile is meant by each register of each thread: an affine map over F2 from the bits of
// (register, lane, warp) to the bits of the element's row-major number. In a rolled loop the bits of the loop's counter are
// a further source. Unlike a layout a view need not reach all elements, and may have a constant part: the halves of a split
// are views of what was split.
//
// Views are interned: equal ones are the same pointer.
type view struct {
	regs, lane, warp []uint32
	loop             []uint32   // of the bits of the counter
	counter          *lir.Value // of the rolled loop; nil without
	base             uint32
	id               int
}

// views interns.
type views struct {
	known map[string]*view
	key   []byte
}

func (t *views) intern(v view) *view {
	k := t.key[:0]
	for _, list := range [...][]uint32{v.regs, v.lane, v.warp, v.loop} {
		k = append(k, byte(len(list)))
		for _, x := range list {
			k = binary.LittleEndian.AppendUint32(k, x)
		}
	}
	k = binary.LittleEndian.AppendUint32(k, v.base)
	if v.counter != nil {
		k = binary.LittleEndian.AppendUint32(k, uint32(v.counter.ID))
	}
	t.key = k
	if old, ok := t.known[string(k)]; ok {
		return old
	}
	v.id = len(t.known)
	kept := v
	t.known[string(k)] = &kept
	return &kept
}

// ofLayout gives a layout as a view.
func (t *views) ofLayout(l *layout.Layout) *view {
	return t.intern(view{regs: narrow(l.Bases(layout.Register)), lane: narrow(l.Bases(layout.Lane)), warp: narrow(l.Bases(layout.Warp))})
}

func narrow(vs []uint64) []uint32 {
	out := make([]uint32, len(vs))
	for i, v := range vs {
		out[i] = uint32(v)
	}
	return out
}

// size gives the number of registers.
func (v *view) size() int { return 1 << len(v.regs) }

// at gives the part of the element number that depends on the register.
func (v *view) at(r int) uint32 {
	e := v.base
	for i := 0; r != 0; i, r = i+1, r>>1 {
		if r&1 != 0 {
			e ^= v.regs[i]
		}
	}
	return e
}

// mapped gives the view of renumbered elements: f is linear.
func (t *views) mapped(v *view, f func(uint32) uint32) *view {
	each := func(in []uint32) []uint32 {
		out := make([]uint32, len(in))
		for i, x := range in {
			out[i] = f(x)
		}
		return out
	}
	return t.intern(view{each(v.regs), each(v.lane), each(v.warp), each(v.loop), v.counter, f(v.base), 0})
}

// withRegs gives the view with other registers.
func (t *views) withRegs(v *view, regs []uint32) *view {
	w := *v
	w.regs = regs
	return t.intern(w)
}

// withBase gives the view with a constant added.
func (t *views) withBase(v *view, base uint32) *view {
	w := *v
	w.base ^= base
	return t.intern(w)
}

// onlyRegs gives the view of the registers whose other bits than those of mask are zero.
func (t *views) onlyRegs(v *view, mask int) *view {
	var regs []uint32
	for i, x := range v.regs {
		if mask>>i&1 != 0 {
			regs = append(regs, x)
		}
	}
	return t.withRegs(v, regs)
}

// distinct gives the view without the register bits that make no difference, and the mask of the bits that are left.
func (t *views) distinct(v *view) (*view, int) {
	mask := 0
	for i, x := range v.regs {
		if x != 0 {
			mask |= 1 << i
		}
	}
	if mask == 1<<len(v.regs)-1 {
		return v, mask
	}
	return t.onlyRegs(v, mask), mask
}

// threadBits gives the union of the basis vectors that threads, and rolled loops, choose by.
func (v *view) threadBits() uint32 {
	var all uint32
	for _, list := range [...][]uint32{v.lane, v.warp, v.loop} {
		for _, x := range list {
			all |= x
		}
	}
	return all
}

// part gives the element number's part that depends on the thread, and on the rolled loop: 0 as a constant if none does.
func (l *lowerer) part(v *view) *lir.Value { return l.gather(v, v.lane, v.warp, v.loop) }

// gather gives the combination of vectors that the bits of lane, warp and counter choose.
func (l *lowerer) gather(v *view, lane, warp, loop []uint32) *lir.Value {
	sum := l.b.I32(0)
	var used uint32
	for _, s := range [...]struct {
		bits []uint32
		from func() *lir.Value
	}{{lane, l.lane}, {warp, l.warp}, {loop, func() *lir.Value { return v.counter }}} {
		for i := 0; i < len(s.bits); {
			n := run(s.bits[i:])
			if s.bits[i] != 0 {
				var all uint32
				for _, x := range s.bits[i : i+n] {
					all |= x
				}
				sum = l.join(sum, used, l.picked(s.from(), i, n, len(s.bits), s.bits[i]), all)
				used |= all
			}
			i += n
		}
	}
	return sum
}

// run gives how many vectors follow the first, each twice the one before; a vector of several bits stands alone.
func run(vectors []uint32) int {
	n := 1
	for n < len(vectors) && vectors[0] != 0 && vectors[0]&(vectors[0]-1) == 0 && vectors[n] == vectors[n-1]<<1 {
		n++
	}
	for n < len(vectors) && vectors[0] == 0 && vectors[n] == 0 {
		n++
	}
	return n
}

// join adds numbers of which it is known which bits they may have.
func (l *lowerer) join(x *lir.Value, xBits uint32, y *lir.Value, yBits uint32) *lir.Value {
	if xBits&yBits == 0 {
		return l.b.Pure(lir.OpAdd, 0, lir.I32, 0, x, y)
	}
	return l.b.Pure(lir.OpXor, 0, lir.I32, 0, x, y)
}

// picked gives bits i … i+n-1 of a number of width bits times a power of two; of one bit, times any vector.
func (l *lowerer) picked(x *lir.Value, i, n, width int, vector uint32) *lir.Value {
	if vector&(vector-1) != 0 {
		bit := l.and(l.shr(x, i), 1)
		return l.b.Pure(lir.OpMul, 0, lir.I32, 0, bit, l.b.I32(int(vector)))
	}
	if i+n < width {
		x = l.and(x, (1<<(i+n))-1)
	}
	to := bits.TrailingZeros32(vector)
	if i > 0 && to >= i { // clear the lower bits, then move
		x = l.and(x, (1<<(i+n)-1)&^(1<<i-1))
		return l.shl(x, to-i)
	}
	return l.shl(l.shr(x, i), to)
}

func (l *lowerer) and(x *lir.Value, mask int) *lir.Value {
	return l.b.Pure(lir.OpAnd, 0, x.Type, 0, x, l.b.Const(x.Type, uint64(mask)))
}

func (l *lowerer) shl(x *lir.Value, n int) *lir.Value {
	return l.b.Pure(lir.OpShl, 0, x.Type, 0, x, l.b.I32(n))
}

func (l *lowerer) shr(x *lir.Value, n int) *lir.Value {
	return l.b.Pure(lir.OpShrU, 0, x.Type, 0, x, l.b.I32(n))
}

// element gives the element number of register r.
func (l *lowerer) element(v *view, r int) *lir.Value {
	return l.join(l.part(v), v.threadBits(), l.b.I32(int(v.at(r))), v.at(r))
}
