package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A deferral is a dot product of a loop's body whose result nothing reads before the loop ends, as in
//
//	for k in range(…): acc = dot(load(a), load(b), acc)
//
// Its operands are collected side by side in panels that have room for several tiles along k, or stay where they are (window.go); they are multiplied when
// there is no room for the next ones, and at the end. Each element of the result is added up in the same order as before, but the accumulators are read and
// written once for a panel, not once for a tile.
type deferral struct {
	op    *tile.Op
	arith arithmetic
	size  matmul // of a tile
	a, b  *operand
	sum   *buffer
	room  int     // of the panels along k
	k     reg     // how many k are collected
	see   bool    // a may have a window: nothing in the loop writes
	win   *window // of a, if it has one
	rows  rowsAt  // of a then, at the first k that is collected: in its window or in its panel
}

// panelK gives how far panels reach along k, if tiles do not reach further: 256 k of f32. A block of the result, 8 rows of 2 vectors, is then read and written
// once in 2,048 cycles; the micro-panel of the right operand under it, 32 KiB, stays in the first cache, what else there is in the second.
func (t arithmetic) panelK() int {
	if t.tile != amd64.BadOp {
		return 512 / t.size
	}
	return 1024 / t.size
}

// deferDots plans the deferrals of a loop's body, before the loop. Which products are added in place is known.
func (g *generator) deferDots(body *tile.Block) []*deferral {
	var all []*deferral
	for _, op := range body.Ops {
		sum := g.inPlace[op]
		if sum == nil || op.Args[2].Op != nil || g.deferred[op] != nil || g.plan.isOutlined(op) {
			continue
		}
		arith, ok := g.arithmeticOf(op)
		s := matmulOf(op)
		if !ok || arith.elem != op.Results[0].Type.Elem() || s.batch > 1 {
			continue
		}
		d := &deferral{op: op, arith: arith, size: s, sum: sum, room: max(arith.panelK(), s.k), k: g.gpr(), see: unwritten(body)}
		g.movImm(d.k, 0)
		if d.see {
			d.rows = rowsAt{g.gpr(), g.gpr()}
			g.movImm(d.rows.first, 0)
			g.movImm(d.rows.step, 0)
		}
		g.deferred[op] = d
		all = append(all, d)
	}
	return all
}

// add collects the operands of one iteration.
func (d *deferral) add(g *generator) {
	op, unsigned := d.op, d.op.Attr.(tile.DotAttr).Unsigned
	g.loc = op.Loc
	if d.a == nil {
		v := converted(op, op.Args[0], d.arith.in, unsigned)
		d.a = g.left(d.arith, v, d.size, d.room)
		d.b = g.right(d.arith, converted(op, op.Args[1], d.arith.in, unsigned), d.size, d.room)
		if d.see {
			d.win = g.windowOf(v, d.arith, d.size)
		}
	}
	if d.win == nil {
		room := g.label()
		g.op3(amd64.CMPLI, d.k, none, none, int64(d.room))
		g.jcc(amd64.CCNE, room)
		d.multiply(g, nil)
		g.movImm(d.k, 0)
		g.bind(room)
		d.a.fill(g, d.base(g, d.a.panel))
	} else {
		d.look(g)
	}
	d.b.fill(g, d.base(g, d.b.panel))
	g.loc = op.Loc
	g.bufs[op.Results[0]] = d.sum
	g.op3(amd64.ADDI, d.k, none, none, int64(d.size.k))
}

// look finds the rows of a, multiplies what is collected if they do not go on from there or there is no room, and packs them if they are not to be read
// where they are.
func (d *deferral) look(g *generator) {
	bad, at := d.win.find(g)
	g.loc = d.op.Loc
	panel := func() reg {
		i := ins(amd64.LEA)
		i.A, i.HasMem, i.M = g.gpr(), true, amd64.At(amd64.RDI, int32(d.a.panel.off))
		g.emit(i)
		return i.A
	}
	first, step := panel(), g.gpr()
	g.movImm(step, uint64(d.a.panel.row))
	back, begin := g.copyG(d.k), g.copyG(at.first)
	g.op3(amd64.SHLI, back, none, none, int64(logOf(int64(d.win.size))))
	g.op3(amd64.SUB, begin, back, none, 0)
	g.op3(amd64.TESTL, bad, bad, none, 0)
	g.cmov(amd64.CCE, first, begin)
	g.cmov(amd64.CCE, step, at.step)
	multiply, start, goOn, packed := g.label(), g.label(), g.label(), g.label()
	g.op3(amd64.TESTL, d.k, d.k, none, 0)
	g.jcc(amd64.CCE, start)
	g.op3(amd64.CMPLI, d.k, none, none, int64(d.room))
	g.jcc(amd64.CCE, multiply)
	g.op3(amd64.CMP, first, d.rows.first, none, 0)
	g.jcc(amd64.CCNE, multiply)
	g.op3(amd64.CMP, step, d.rows.step, none, 0)
	g.jcc(amd64.CCE, goOn)
	g.bind(multiply)
	d.multiply(g, nil)
	g.movImm(d.k, 0)
	g.op3(amd64.MOV, first, panel(), none, 0)
	g.op3(amd64.TESTL, bad, bad, none, 0)
	g.cmov(amd64.CCE, first, at.first)
	g.bind(start)
	g.op3(amd64.MOV, d.rows.first, first, none, 0)
	g.op3(amd64.MOV, d.rows.step, step, none, 0)
	g.bind(goOn)
	g.op3(amd64.TESTL, bad, bad, none, 0)
	g.jcc(amd64.CCE, packed)
	d.a.fill(g, d.base(g, d.a.panel))
	g.bind(packed)
}

// multiply multiplies what is collected.
func (d *deferral) multiply(g *generator, next *deal) {
	g.loc = d.op.Loc
	a := *d.a.panel
	if d.win != nil {
		a.rows = &d.rows
	}
	g.multiply(d.arith, d.size, &a, d.b.panel, rowMajor(d.sum), extent{d.room, d.k, d.size.k}, next)
}

// base gives the place of the next tile in a panel.
func (d *deferral) base(g *generator, p *panel) reg {
	r := g.copyG(d.k)
	g.op3(amd64.SHLI, r, none, none, int64(logOf(int64(p.k))))
	g.op3(amd64.ADD, r, amd64.RDI, none, 0)
	return r
}

// finish multiplies what is left in the panels after the loop.
func (d *deferral) finish(g *generator, loop *tile.Op) {
	none := g.label()
	g.op3(amd64.TEST, d.k, d.k, amd64.None, 0)
	g.jcc(amd64.CCE, none)
	d.multiply(g, g.dealStore(loop, d.size, g.blocksOf(d.arith, d.size)))
	g.bind(none)
}
