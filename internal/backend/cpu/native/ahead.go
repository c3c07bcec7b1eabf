package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// An advance is what is asked for while a product is computed whose operands lie in memory: the micro-panel of the right operand that comes next, and the k
// of the left operand that come next, in the rows that are being read, whose pages are at hand. Lines are asked for row by row, as each row may lie in a page of its own.
type advance struct {
	left  reg // the lines of the next block's first row, of which each micro-panel asks for some; none: nothing is known of them
	down  reg // from there to the next block's
	step  reg // from one row of the left operand to the next
	lines int // of a row, for each micro-panel

	right reg // the row of the right operand that is asked for next
	along reg // to the next one
	rows  int // at a time

	packed  reg // not 0: micro-panels are filled already
	put     reg // what of the next micro-panel's place is asked for next, if that is to be filled; none: all have the same
	further reg // the right operand's next k, which come after the last micro-panel; none: nothing is known of them
	toCome  reg // micro-panels
	width   int // bytes of a row of a micro-panel

	part int // k for which one row of the left operand and some rows of the right one are asked for
}

// maxAhead bounds the rows of the right operand that are asked for at a time.
const maxAhead = 8

// aheadOf gives what is asked for; nil if the right operand is in no window. The left operand's next k begin at soon. There are as many micro-panels as count says; none: all.
func (g *generator) aheadOf(t arithmetic, s matmul, shape block, a, b *panel, k extent, soon, count reg) *advance {
	if b.rows == nil || k.count == none {
		return nil
	}
	x := &advance{left: none, right: g.gpr(), along: g.gpr(), put: none, further: none, width: shape.width * t.size}
	if soon != none {
		x.further = g.copyG(k.count)
		g.op3(amd64.IMUL, x.further, b.rows.step, none, 0)
		g.op3(amd64.ADD, x.further, b.rows.first, none, 0)
		x.toCome = extent{max(1, s.n/shape.width), count, 1}.register(g)
	}
	if b.shelf != nil {
		x.put = g.gpr()
	}
	x.part = min(k.unit, max(kUnroll, k.most/shape.rows))
	below := s.m/shape.rows - 1
	x.rows = min(maxAhead, (x.part+below-1)/below)
	if a.rows != nil && soon != none {
		x.left, x.step, x.down = soon, a.rows.step, g.copyG(a.rows.step)
		g.op3(amd64.SHLI, x.down, none, none, int64(logOf(int64(shape.rows))))
		x.lines = max(1, k.most*t.size/lineBytes/(s.n/shape.width))
	}
	return x
}

// under stands before the blocks under a micro-panel. It gives the register that the first block starts with.
func (x *advance) under(g *generator, from *filling, place reg, b *panel) (left reg) {
	if x == nil {
		return none
	}
	packed, on := g.label(), g.label()
	x.packed = from.packed
	if x.further != none {
		g.op3(amd64.ADDLI, x.toCome, none, none, -1)
	}
	if x.put != none {
		g.op3(amd64.MOV, x.put, place, none, 0)
		g.op3(amd64.ADDI, x.put, none, none, int64(b.off+b.row))
	}
	g.op3(amd64.TESTL, from.packed, from.packed, none, 0)
	g.jcc(amd64.CCNE, packed)
	g.op3(amd64.MOV, x.right, from.first, none, 0)
	g.op3(amd64.ADDI, x.right, none, none, int64(x.width))
	g.op3(amd64.MOV, x.along, from.step, none, 0)
	if x.further != none {
		g.op3(amd64.TESTL, x.toCome, x.toCome, none, 0)
		g.cmov(amd64.CCE, x.right, x.further)
	}
	g.jmp(on)
	g.bind(packed)
	g.op3(amd64.MOV, x.right, place, none, 0)
	g.op3(amd64.ADDI, x.right, none, none, int64(b.off+b.row))
	g.movImm(x.along, uint64(b.k))
	g.bind(on)
	if x.left == none {
		return none
	}
	left = g.copyG(x.left)
	g.op3(amd64.ADDI, x.left, none, none, int64(x.lines*lineBytes))
	return left
}

// below goes on to the next block.
func (x *advance) below(g *generator, left reg) {
	if left != none {
		g.op3(amd64.ADD, left, x.down, none, 0)
	}
}

// start stands before a block's loop. It gives what stands at the beginning of each part of that; the first block, which fills the micro-panel, does not ask for the next.
func (x *advance) start(g *generator, left reg, first bool) func() {
	row := none
	if left != none {
		row = g.copyG(left)
	}
	return func() {
		if row != none {
			g.askFrom(row, x.lines*lineBytes)
			g.op3(amd64.ADD, row, x.step, none, 0)
		}
		if x == nil || first {
			return
		}
		right, along := g.copyG(x.right), g.copyG(x.along)
		for range x.rows {
			g.askFrom(right, x.width)
			g.op3(amd64.ADD, right, along, none, 0)
		}
		g.op3(amd64.MOV, x.right, right, none, 0)
		if x.put != none {
			packed := g.label()
			defer g.bind(packed)
			g.op3(amd64.TESTL, x.packed, x.packed, none, 0)
			g.jcc(amd64.CCNE, packed)
			put := g.copyG(x.put)
			g.askFrom(put, x.rows*x.width)
			g.op3(amd64.ADDI, x.put, none, none, int64(x.rows*x.width))
		}
	}
}

// askFrom asks for so many bytes.
func (g *generator) askFrom(at reg, bytes int) {
	for off := 0; off < bytes; off += lineBytes {
		i := ins(amd64.PREFETCHT1)
		i.HasMem, i.M = true, amd64.At(at, int32(off))
		g.emit(i)
	}
}
