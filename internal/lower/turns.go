package lower

import "github.com/tegula-lang/tegula/internal/tile"

// Addresses that move with a loop. In one iteration each address of a tile may belong to one thread alone, and yet another thread comes to it in a
// later iteration, which barriers have to order. They do not where the tile moves by more than it spans, or does not move.

// turns gives the loops around pointers, by the depths of their bodies as bits, from one iteration of which to another an address may go to another
// thread.
func (l *lowerer) turns(ptr *tile.Value) uint64 {
	t := l.traits
	if bits, ok := t.turns[ptr]; ok {
		return bits
	}
	var bits uint64
	inner := false // a loop in between goes over all of its addresses again
	for b := t.blockOf(ptr); b != t.body; {
		op := t.loops[b]
		if op.Code != tile.OpIf {
			m := motion{l: l, loop: op, moved: map[*tile.Value]number{}}
			moved, known := m.of(ptr)
			moves := !known || moved != 0
			span, ok := l.span(ptr)
			if inner || moves && !(known && ok && max(moved, -moved) > span) {
				bits |= depthBit(l.depths[b].depth)
			}
			inner = inner || moves
		}
		b = t.home[op]
	}
	bits |= depthBit(l.depths[t.body].depth)<<1 - 2 // loops around a call: what is known of arguments is not known here
	t.turns[ptr] = bits
	return bits
}

func depthBit(depth int) uint64 { return 1 << min(depth, 62) }

// blockOf gives the block in which a value becomes known.
func (t *traits) blockOf(v *tile.Value) *tile.Block {
	if v.Op != nil {
		return t.home[v.Op]
	}
	return v.Block
}

// A motion finds out how numbers and pointers change from one iteration of a loop to the next.
type motion struct {
	l     *lowerer
	loop  *tile.Op
	moved map[*tile.Value]number // what was found out
}

// A number is one that may be known.
type number struct {
	n  int64
	ok bool
}

// isOutside reports whether a value becomes known outside of the loop.
func (m motion) isOutside(v *tile.Value) bool {
	t := m.l.traits
	for b := t.blockOf(v); b != t.body; b = t.home[t.loops[b]] {
		if t.loops[b] == m.loop {
			return false
		}
	}
	return true
}

// of gives by how much each element of a value grows in an iteration, if all do by the same known number. Pointers grow by elements.
func (m motion) of(v *tile.Value) (int64, bool) {
	x, ok := m.moved[v]
	if !ok {
		x.n, x.ok = m.find(v)
		m.moved[v] = x
	}
	return x.n, x.ok
}

func (m motion) find(v *tile.Value) (int64, bool) {
	if m.isOutside(v) {
		return 0, true
	}
	if v.Op == nil {
		return m.ofArgument(v)
	}
	if v.Op.Effect() != tile.Pure || len(v.Op.Regions) > 0 {
		return 0, false
	}
	switch op := v.Op; {
	case op.Code == tile.OpAdd || op.Code == tile.OpAddPtr || op.Code == tile.OpSub:
		x, known := m.of(op.Args[0])
		y, ok := m.of(op.Args[1])
		if op.Code == tile.OpSub {
			y = -y
		}
		return x + y, known && ok
	case op.Code == tile.OpMul:
		for i, c := range op.Args {
			if c, ok := m.constant(c); ok {
				x, known := m.of(op.Args[1-i])
				return x * c, known
			}
		}
	case moves(op.Code) && op.Code != tile.OpSplit, op.Code == tile.OpExtS, op.Code == tile.OpExtU:
		x, known := m.of(op.Args[0])
		return x, known && (x == 0 || !wrapsBefore(op))
	}
	for _, a := range v.Op.Args {
		if x, known := m.of(a); !known || x != 0 {
			return 0, false
		}
	}
	return 0, true
}

// ofArgument is of what the loop counts or carries.
func (m motion) ofArgument(v *tile.Value) (int64, bool) {
	if m.loop.Code != tile.OpFor || v.Block != m.loop.Regions[0] {
		return 0, false
	}
	if v.Index == 0 {
		return m.constant(m.loop.Args[2])
	}
	return m.added(v.Block.Terminator().Args[v.Index-1], v)
}

// added gives what was added to one value to make another.
func (m motion) added(sum, to *tile.Value) (int64, bool) {
	if sum == to {
		return 0, true
	}
	if sum.Op == nil || sum.Op.Code != tile.OpAdd && sum.Op.Code != tile.OpAddPtr {
		return 0, false
	}
	x, known := m.added(sum.Op.Args[0], to)
	c, ok := m.constant(sum.Op.Args[1])
	return x + c, known && ok
}

// constant gives a number that all elements are, if it is not so large that sums of such might not fit.
func (m motion) constant(v *tile.Value) (int64, bool) {
	if v.Type.IsPtr() {
		return 0, false
	}
	c, ok := m.l.axes.Of(v).Const()
	return c, ok && max(c, -c) < 1<<31
}

// wrapsBefore reports whether an operation makes integers wider that may have wrapped around: offsets of 32 bits are taken not to.
func wrapsBefore(op *tile.Op) bool {
	return (op.Code == tile.OpExtS || op.Code == tile.OpExtU) && op.Args[0].Type.ElemBits() < 32
}
