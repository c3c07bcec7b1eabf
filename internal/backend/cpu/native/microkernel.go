package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// A block is the part of a result that stays in registers while k runs: rows of cols vectors each.
type block struct {
	rows, cols int
	width      int // elements of a row
}

// blockOf gives the blocks of a dot. With 8 rows of 2 vectors, each k takes 10 loads for 16 multiplications, which
// are more than the processor needs at a time to be busy (two each cycle, which take 4), and a micro-panel of the right
// operand with 256 k, 32 KiB, stays in the first cache.
func (g *generator) blockOf(t arithmetic, s matmul) block {
	per := g.vectorBytes / t.bytes()
	cols := max(1, min(g.dotCols, s.n/per))
	return block{rows: min(s.m, g.dotBlock/cols), cols: cols, width: cols * per}
}

// blocksOf gives how many blocks a dot's result has.
func (g *generator) blocksOf(t arithmetic, s matmul) int {
	shape := g.blockOf(t, s)
	if t.tile != amd64.BadOp {
		shape = block{rows: min(2*tileRows, s.m), width: min(2*tileRows, s.n)}
	}
	return s.batch * (s.m / shape.rows) * max(1, s.n/shape.width)
}

// An extent is how many k a multiplication goes over, or how many times something is done.
type extent struct {
	most  int
	count reg // how many it is, a multiple of unit; none: most
	unit  int
}

func fixed(k int) extent { return extent{k, none, k} }

// register gives a register of its own that holds how many it is.
func (k extent) register(g *generator) reg {
	if k.count != none {
		return g.copyG(k.count)
	}
	r := g.gpr()
	g.movImm(r, uint64(k.most))
	return r
}

// multiply adds a·b to c, block by block: down the rows under one micro-panel of b, then the next.
func (g *generator) multiply(t arithmetic, s matmul, a, b, c *panel, k extent, soon reg, need *demand, next *deal) {
	if t.tile != amd64.BadOp {
		g.multiplyTiles(t, s, a, b, c, k, need, next)
		return
	}
	shape := g.blockOf(t, s)
	pa, pb, pc := g.pointer(), b.base(g), g.pointer()
	var down reg // to the next rows of a
	if a.rows != nil {
		g.op3(amd64.MOV, pa, a.rows.first, none, 0)
		down = g.copyG(a.rows.step)
		g.op3(amd64.SHLI, down, none, none, int64(logOf(int64(shape.rows))))
	}
	reach := rowReach{a}
	nothing := g.label()
	blocks, panels := need.counts(g, shape.rows, shape.width, nothing)
	fill := g.fillingOf(b)
	var at berth
	if b.shelf != nil {
		at = b.shelf.moor(g, fill, b, pb, k, panels, b.part)
	}
	ahead := g.aheadOf(t, s, shape, a, b, k, soon, panels)
	scale := c.scale.begin(g)
	g.counted(s.batch, func() {
		pbj, pcj := g.copyG(pb), g.copyG(pc)
		g.repeated(max(1, s.n/shape.width), panels, func() {
			pai, pci, by := g.copyG(pa), g.copyG(pcj), c.scale.goOn(g, scale)
			soon := ahead.under(g, fill, pbj, b)
			below := func(from *filling, next *deal) {
				g.block16(t, s, shape, reach, b, c, pai, pbj, pci, by, k, from, ahead, soon, next)
				ahead.below(g, soon)
				if a.rows != nil {
					g.op3(amd64.ADD, pai, down, none, 0)
				} else {
					g.op3(amd64.ADDI, pai, none, none, int64(shape.rows*a.row))
				}
				g.op3(amd64.ADDI, pci, none, none, int64(shape.rows*c.row))
				c.scale.advance(g, by, shape.rows)
			}
			fill.blocks(g, s.m/shape.rows, blocks, next, below)
			fill.advance(g, pbj, b.row, shape.width*t.size)
			g.op3(amd64.ADDI, pcj, none, none, int64(shape.width*t.bytes()))
		}, g.loopEnd)
		g.op3(amd64.ADDI, pa, none, none, int64(a.batch))
		g.op3(amd64.ADDI, pb, none, none, int64(b.batch))
		g.op3(amd64.ADDI, pc, none, none, int64(c.batch))
		c.scale.advance(g, scale, s.m)
	})
	if b.shelf != nil {
		b.shelf.leave(g, at, b.rows)
	}
	g.bind(nothing)
}

// A filling is a right operand in memory, from which the first block under each micro-panel fills it.
type filling struct {
	rowsAt     // of the columns of the micro-panel
	packed reg // not 0: the panel is filled already
	by     reg // from one micro-panel's place to the next's; 0: they have the same
}

// fillingOf gives what a panel is filled from while it is multiplied; nil if it is filled before.
func (g *generator) fillingOf(b *panel) *filling {
	if b.rows == nil {
		return nil
	}
	from := &filling{rowsAt: rowsAt{g.copyG(b.rows.first), b.rows.step}, packed: g.gpr()}
	own, one := g.addImm(8, amd64.RDI, int64(b.off)), g.gpr()
	g.movImm(one, 1)
	g.op3(amd64.XORL, from.packed, from.packed, none, 0)
	g.op3(amd64.CMP, own, b.rows.first, none, 0)
	g.cmov(amd64.CCE, from.packed, one)
	from.by = g.gpr()
	g.movImm(from.by, uint64(b.row))
	g.op3(amd64.IMUL, from.by, from.packed, none, 0)
	return from
}

// blocks emits the loop over the n blocks under a micro-panel, or over count of them.
func (from *filling) blocks(g *generator, n int, count reg, next *deal, block func(*filling, *deal)) {
	if from == nil {
		g.repeated(n, count, func() { block(nil, next) }, g.loopEnd)
		return
	}
	left := extent{n, count, 1}.register(g)
	top, done := g.label(), g.label()
	g.op3(amd64.TESTL, from.packed, from.packed, none, 0)
	g.jcc(amd64.CCNE, top)
	block(from, nil)
	next.skip(g)
	g.op3(amd64.ADDLI, left, none, none, -1)
	g.jcc(amd64.CCE, done)
	g.bind(top)
	m := g.cur.mark()
	block(nil, next)
	g.loopEnd(m, n)
	g.op3(amd64.ADDLI, left, none, none, -1)
	g.jcc(amd64.CCNE, top)
	g.bind(done)
}

// advance goes on to the next micro-panel. If they are filled while they are multiplied, and not kept, one place does for all, which stays in the first cache.
func (from *filling) advance(g *generator, at reg, panel, columns int) {
	if from == nil {
		g.op3(amd64.ADDI, at, none, none, int64(panel))
		return
	}
	g.op3(amd64.ADD, at, from.by, none, 0)
	g.op3(amd64.ADDI, from.first, none, none, int64(columns))
}

// A rowReach is how a block's rows of the left operand are reached: by constants from one register, or, if they lie in memory, from registers that each stand
// for a row and, by one step more, for the next.
type rowReach struct{ *panel }

// near has the step in a register that a block's loop has for itself.
func (a rowReach) near(g *generator) rowReach {
	if a.rows == nil {
		return a
	}
	p := *a.panel
	p.rows = &rowsAt{a.rows.first, g.copyG(a.rows.step)}
	return rowReach{&p}
}

// from gives the registers from which a block's rows are reached, if pa is that of the first.
func (a rowReach) from(g *generator, pa reg, rows int) []reg {
	if a.rows == nil {
		return []reg{g.addImm(8, pa, int64(a.off))}
	}
	all := []reg{g.copyG(pa)}
	at := 0 // the row that the last register stands for
	for r := 1; r < rows; r++ {
		if !isRepeated(r) {
			next := g.gpr()
			g.load(amd64.LEA, next, amd64.Mem{Base: all[len(all)-1], Index: a.rows.step, Scale: uint8(r - at)})
			all, at = append(all, next), r
		}
	}
	return all
}

// element gives the place of an element: its row, and how many bytes it is along that.
func (a rowReach) element(from []reg, row, along int) amd64.Mem {
	if a.rows == nil {
		return amd64.At(from[0], int32(row*a.row+along))
	}
	at := 0 // registers for the rows before
	for r := range row {
		if !isRepeated(r) {
			at++
		}
	}
	if isRepeated(row) {
		return amd64.Mem{Base: from[at-1], Index: a.rows.step, Scale: 1, Disp: int32(along)}
	}
	return amd64.At(from[at], int32(along))
}

// isRepeated reports whether the elements of a row of a block are repeated in a register, for the products of that row. Those of the other rows are repeated
// by the multiplications themselves: that makes one instruction less, which counts where another thread shares the core, and one load more for each vector
// but the first. Three rows of eight leave no more than two loads for two multiplications.
func isRepeated(row int) bool { return row%3 == 1 }

// kUnroll is how many k an iteration does.
const kUnroll = 8

// block16 adds to one block of c, which is in 16 registers meanwhile.
func (g *generator) block16(t arithmetic, s matmul, shape block, a rowReach, b, c *panel, pa, pb, pc, by reg, k extent, from *filling, ahead *advance, soon reg, next *deal) {
	acc, to := make([]reg, shape.rows*shape.cols), g.addImm(8, pc, int64(c.off))
	at := func(i int) amd64.Mem {
		return amd64.At(to, int32(i/shape.cols*c.row+g.vectorBytes*(i%shape.cols)))
	}
	for i := range acc {
		if c.fresh {
			acc[i] = g.splatBits(4, 0)
			continue
		}
		acc[i] = g.vec()
		g.load(amd64.VMOVUPS, acc[i], at(i))
	}
	c.scale.multiply(g, acc, shape, by)
	a = a.near(g)
	pak, pbk := a.from(g, pa, shape.rows), g.addImm(8, pb, int64(b.off))
	each := extent{k.most / t.of, k.count, max(1, k.unit/t.of)}
	if k.count != none && t.of > 1 {
		each.count = g.copyG(k.count)
		g.op3(amd64.SHRLI, each.count, none, none, int64(logOf(int64(t.of))))
	}
	stepA, stepB := a.k*t.of, b.k*t.of
	row := none
	if from != nil {
		row = g.copyG(from.first)
	}
	ask := next.start(g, max(1, each.most/min(kUnroll, each.unit)))
	part, askAhead := kUnroll, ahead.start(g, soon, from != nil)
	if ahead != nil {
		part = ahead.part
	}
	some := func(n int) {
		ask()
		for u := range n {
			vs := make([]reg, shape.cols)
			for j := range vs {
				vs[j] = g.vec()
				at := amd64.At(pbk, int32(u*stepB+g.vectorBytes*j))
				if from == nil {
					g.load(amd64.VMOVUPS, vs[j], at)
					continue
				}
				g.load(amd64.VMOVUPS, vs[j], amd64.At(row, int32(g.vectorBytes*j)))
				g.store(amd64.VMOVUPSst, vs[j], at)
			}
			if from != nil {
				g.op3(amd64.ADD, row, from.step, none, 0)
			}
			for r := range shape.rows {
				g.multiplyRow(t, acc[r*shape.cols:][:shape.cols], vs, a.element(pak, r, u*stepA), isRepeated(r))
			}
		}
		for _, p := range pak {
			g.op3(amd64.ADDI, p, none, none, int64(n*stepA))
		}
		g.op3(amd64.ADDI, pbk, none, none, int64(n*stepB))
	}
	g.eachK(each, part, func(n int) {
		askAhead()
		g.counted(n/min(n, kUnroll), func() { some(min(n, kUnroll)) })
	})
	to = g.addImm(8, pc, int64(c.off))
	for i, v := range acc {
		g.storePart(t, v, at(i), s.n)
	}
}

// eachK emits the loop over k; the body does n of them.
func (g *generator) eachK(k extent, unroll int, body func(n int)) {
	n := min(unroll, k.unit)
	if k.count == none {
		g.counted(k.most/n, func() { body(n) })
		return
	}
	left := g.copyG(k.count)
	top := g.label()
	g.bind(top)
	m := g.cur.mark()
	body(n)
	g.loopEnd(m, k.most/n)
	g.op3(amd64.ADDLI, left, none, none, int64(-n))
	g.jcc(amd64.CCNE, top)
}

// multiplyRow adds an element of a times a row of b to the accumulators of a row.
func (g *generator) multiplyRow(t arithmetic, acc, vs []reg, a amd64.Mem, repeated bool) {
	if t.add == amd64.BadOp && (len(vs) == 1 || g.selects == nil && !repeated) {
		for j, v := range vs {
			i := ins(t.mul)
			i.A, i.B, i.HasMem, i.M, i.Bcast = acc[j], v, true, a, true
			g.emit(i)
		}
		return
	}
	e := g.vec()
	g.load(pick(t.bytes(), amd64.VPBROADCASTD, amd64.VPBROADCASTQ), e, a)
	for j, v := range vs {
		if t.add == amd64.BadOp {
			g.op3(t.mul, acc[j], v, e, 0)
			continue
		}
		g.op3(t.add, acc[j], acc[j], g.rvm(t.mul, v, e), 0)
	}
}

// storePart stores a vector of a row of n elements; a row may be shorter than a vector.
func (g *generator) storePart(t arithmetic, v reg, m amd64.Mem, n int) {
	i := ins(pick(t.bytes(), amd64.VMOVUPSst, amd64.VMOVUPDst))
	i.A, i.HasMem, i.M = v, true, m
	if n < g.vectorBytes/t.bytes() {
		i.K = g.lanesIn(1<<n - 1)
	}
	g.emit(i)
}
