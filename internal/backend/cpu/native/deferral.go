package native

import (
	"slices"

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
	room  int        // of the panels along k
	k     reg        // how many k are collected
	part  reg        // how often what was collected has been multiplied
	see   bool       // operands may have windows: nothing in the loop writes
	need  *demand    // for the sum; nil: for all of it
	wins  [2]*window // of a and b, if they have any
	shelf [2]*shelf
	rows  [2]rowsAt // of them then, at the first k that is collected: in the window or in the panel
}

// roomFor gives how many k of a product's operands are collected. Tiles whose panels take little of the second cache are collected until they take more: accumulators
// are then read and written less often.
func (t arithmetic) roomFor(s matmul) int {
	k := t.panelK()
	for t.tile != amd64.BadOp && 2*k*t.size <= tileLine && 2*k*t.size*(s.m+s.n) <= tilePanels {
		k *= 2
	}
	return max(k, s.k)
}

// tileLine bounds the bytes of a row that are collected for tiles, tilePanels those of both panels, where the rows of a tile of a loop are not longer.
const (
	tileLine   = 2 << 10
	tilePanels = 512 << 10
)

// panelK gives how far panels reach along k, if tiles do not reach further: 256 k of f32. A block of the result, 8 rows of 2 vectors, is then read and written
// once in 2,048 cycles; the micro-panel of the right operand under it, 32 KiB, stays in the first cache, what else there is in the second.
func (t arithmetic) panelK() int {
	if t.tile != amd64.BadOp {
		return 512 / t.size
	}
	return 1024 / t.size
}

// deferDots plans the deferrals of a loop's body, before the loop. Which products are added in place is known.
func (g *generator) deferDots(body *tile.Block, nexts, results []*tile.Value) []*deferral {
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
		d := &deferral{op: op, arith: arith, size: s, sum: sum, room: arith.roomFor(s), k: g.gpr(), part: g.gpr(), see: unwritten(body)}
		g.movImm(d.k, 0)
		g.movImm(d.part, 0)
		if d.see {
			for side := range d.rows {
				d.rows[side] = rowsAt{g.gpr(), g.gpr()}
				g.movImm(d.rows[side].first, 0)
				g.movImm(d.rows[side].step, 0)
			}
		}
		if i := slices.Index(nexts, op.Results[0]); i >= 0 {
			d.need = g.demandFor(results[i], s)
		}
		g.deferred[op] = d
		all = append(all, d)
	}
	return all
}

// add collects the operands of one iteration. What is collected is multiplied before, if there is no room for them or their rows do not go on from there.
func (d *deferral) add(g *generator) {
	op, unsigned := d.op, d.op.Attr.(tile.DotAttr).Unsigned
	g.loc = op.Loc
	if d.a == nil {
		a := converted(op, op.Args[0], d.arith.in, unsigned)
		if d.see {
			d.a = g.leftInPlace(d.arith, a, d.size, d.room)
		}
		if d.a == nil {
			d.a = g.left(d.arith, a, d.size, d.room)
		}
		d.b = g.right(d.arith, converted(op, op.Args[1], d.arith.in, unsigned), d.size, d.room)
		if d.see {
			d.wins = [2]*window{g.windowOf(d.a, d.arith, d.size), g.windowOf(d.b, d.arith, d.size)}
			d.shelve(g)
		}
	}
	var sights [2]sight
	for side, w := range d.wins {
		if w != nil {
			sights[side] = w.look(g, d.k)
		}
	}
	g.loc = op.Loc
	if d.atOnce() {
		d.begin(g, sights)
		d.collect(g, sights)
		g.movImm(d.k, uint64(d.size.k))
		d.multiply(g, false, nil)
		g.movImm(d.k, 0)
		return
	}
	multiply, start, goOn := g.label(), g.label(), g.label()
	g.op3(amd64.TESTL, d.k, d.k, none, 0)
	g.jcc(amd64.CCE, start)
	g.op3(amd64.CMPLI, d.k, none, none, int64(d.room))
	g.jcc(amd64.CCE, multiply)
	for side, w := range d.wins {
		if w != nil {
			g.op3(amd64.CMP, sights[side].from.first, d.rows[side].first, none, 0)
			g.jcc(amd64.CCNE, multiply)
			g.op3(amd64.CMP, sights[side].from.step, d.rows[side].step, none, 0)
			g.jcc(amd64.CCNE, multiply)
		}
	}
	g.jmp(goOn)
	g.bind(multiply)
	d.multiply(g, false, nil)
	g.movImm(d.k, 0)
	for side, w := range d.wins {
		if w != nil {
			w.again(g, sights[side])
		}
	}
	g.bind(start)
	d.begin(g, sights)
	g.bind(goOn)
	d.collect(g, sights)
	g.op3(amd64.ADDI, d.k, none, none, int64(d.size.k))
}

// atOnce reports whether an operand lies in its own buffer, which the next iteration writes: then nothing is put off. That is so if a tile has
// as many k as are collected.
func (d *deferral) atOnce() bool { return d.a.ready || d.b.ready }

// begin notes where the rows are of what is collected from here on.
func (d *deferral) begin(g *generator, sights [2]sight) {
	for side, w := range d.wins {
		if w != nil {
			g.op3(amd64.MOV, d.rows[side].first, sights[side].from.first, none, 0)
			g.op3(amd64.MOV, d.rows[side].step, sights[side].from.step, none, 0)
		}
	}
}

// collect brings the operands of one iteration to their panels, if they have to be there.
func (d *deferral) collect(g *generator, sights [2]sight) {
	for side, o := range []*operand{d.a, d.b} {
		if w := d.wins[side]; w != nil {
			w.fill(g, sights[side], d.base(g, w.o.panel))
		} else {
			o.fill(g, d.base(g, o.panel))
		}
	}
	g.loc = d.op.Loc
	g.bufs[d.op.Results[0]] = d.sum
}

// multiply multiplies what is collected.
func (d *deferral) multiply(g *generator, last bool, next *deal) {
	g.loc = d.op.Loc
	panels := [2]*panel{d.a.panel, d.b.panel}
	k := extent{d.room, d.k, d.size.k}
	for side, w := range d.wins {
		switch {
		case w == nil:
		case w.brings(d.arith, d.size):
			panels[side] = d.bring(g, side, k)
		default:
			panels[side] = w.seen(d.rows[side])
			panels[side].shelf, panels[side].part = d.shelf[side], d.part
		}
	}
	soon := none
	if d.wins[0] != nil && d.arith.tile == amd64.BadOp && !last {
		soon = g.copyG(d.k)
		g.op3(amd64.SHLI, soon, none, none, int64(logOf(int64(d.arith.size))))
		g.op3(amd64.ADD, soon, d.rows[0].first, none, 0)
	}
	g.multiply(d.arith, d.size, panels[0], panels[1], d.sum.result(), k, soon, d.need, next)
	g.op3(amd64.ADDI, d.part, none, none, 1)
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
	if d.atOnce() {
		return
	}
	none := g.label()
	g.op3(amd64.TEST, d.k, d.k, amd64.None, 0)
	g.jcc(amd64.CCE, none)
	d.multiply(g, true, g.dealStore(loop, d.size, g.blocksOf(d.arith, d.size)))
	g.bind(none)
}
