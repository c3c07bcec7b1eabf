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

// An extent is how many k a multiplication goes over.
type extent struct {
	most  int
	count reg // how many it is, a multiple of unit; none: most
	unit  int
}

func fixed(k int) extent { return extent{k, none, k} }

// multiply adds a·b to c, block by block: down the rows under one micro-panel of b, then the next.
func (g *generator) multiply(t arithmetic, s matmul, a, b, c *panel, k extent) {
	if t.tile != amd64.BadOp {
		g.multiplyTiles(t, s, a, b, c, k)
		return
	}
	shape := g.blockOf(t, s)
	pa, pb, pc := g.pointer(), g.pointer(), g.pointer()
	g.counted(s.batch, func() {
		pbj, pcj := g.copyG(pb), g.copyG(pc)
		g.counted(max(1, s.n/shape.width), func() {
			pai, pci := g.copyG(pa), g.copyG(pcj)
			g.counted(s.m/shape.rows, func() {
				g.block16(t, s, shape, a, b, c, pai, pbj, pci, k)
				g.op3(amd64.ADDI, pai, none, none, int64(shape.rows*a.row))
				g.op3(amd64.ADDI, pci, none, none, int64(shape.rows*c.row))
			})
			g.op3(amd64.ADDI, pbj, none, none, int64(b.row))
			g.op3(amd64.ADDI, pcj, none, none, int64(shape.width*t.bytes()))
		})
		g.op3(amd64.ADDI, pa, none, none, int64(a.batch))
		g.op3(amd64.ADDI, pb, none, none, int64(b.batch))
		g.op3(amd64.ADDI, pc, none, none, int64(c.batch))
	})
}

// kUnroll is how many k an iteration does.
const kUnroll = 4

// block16 adds to one block of c, which is in 16 registers meanwhile.
func (g *generator) block16(t arithmetic, s matmul, shape block, a, b, c *panel, pa, pb, pc reg, k extent) {
	acc := make([]reg, shape.rows*shape.cols)
	at := func(i int) amd64.Mem {
		return amd64.At(pc, int32(c.off+i/shape.cols*c.row+g.vectorBytes*(i%shape.cols)))
	}
	for i := range acc {
		acc[i] = g.vec()
		g.load(amd64.VMOVUPS, acc[i], at(i))
	}
	pak, pbk := g.copyG(pa), g.copyG(pb)
	each := extent{k.most / t.of, k.count, max(1, k.unit/t.of)}
	if k.count != none && t.of > 1 {
		each.count = g.copyG(k.count)
		g.op3(amd64.SHRLI, each.count, none, none, int64(logOf(int64(t.of))))
	}
	stepA, stepB := a.k*t.of, b.k*t.of
	g.eachK(each, kUnroll, func(n int) {
		for u := range n {
			vs := make([]reg, shape.cols)
			for j := range vs {
				vs[j] = g.vec()
				g.load(amd64.VMOVUPS, vs[j], amd64.At(pbk, int32(b.off+u*stepB+g.vectorBytes*j)))
			}
			for r := range shape.rows {
				g.multiplyRow(t, acc[r*shape.cols:][:shape.cols], vs, amd64.At(pak, int32(a.off+r*a.row+u*stepA)))
			}
		}
		g.op3(amd64.ADDI, pak, none, none, int64(n*stepA))
		g.op3(amd64.ADDI, pbk, none, none, int64(n*stepB))
	})
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
func (g *generator) multiplyRow(t arithmetic, acc, vs []reg, a amd64.Mem) {
	if len(vs) == 1 && t.add == amd64.BadOp {
		i := ins(t.mul)
		i.A, i.B, i.HasMem, i.M, i.Bcast = acc[0], vs[0], true, a, true
		g.emit(i)
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
