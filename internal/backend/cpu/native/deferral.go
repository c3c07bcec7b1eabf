package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A deferral is a dot product of a loop's body whose result nothing reads before the loop ends, as in
//
//	for k in range(…): acc = dot(load(a), load(b), acc)
//
// Its operands are collected side by side in panels that have room for several tiles along k; they are multiplied when the panels are full,
// and at the end. Each element of the result is added up in the same order as before, but the accumulators are read and
// written once for a panel, not once for a tile.
type deferral struct {
	op    *tile.Op
	arith arithmetic
	size  matmul // of a tile
	a, b  *operand
	sum   *buffer
	room  int // of the panels along k
	k     reg // how far they are filled, in elements along k
}

// panelK gives how far panels reach along k, if tiles do not reach further. Those of the micro-kernels for vectors are to stay in the first cache while they
// are written and read (two of 64×64 f32 are 32 KiB); tiles are multiplied so fast that reading and writing the result more often would take
// longer.
func (t arithmetic) panelK() int {
	if t.tile != amd64.BadOp {
		return 512 / t.size
	}
	return 256 / t.size
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
		room := arith.panelK()
		if s.k >= room {
			continue
		}
		d := &deferral{op: op, arith: arith, size: s, sum: sum, room: room, k: g.gpr()}
		g.movImm(d.k, 0)
		g.deferred[op] = d
		all = append(all, d)
	}
	return all
}

// add collects the operands of one iteration.
func (d *deferral) add(g *generator) {
	op, unsigned := d.op, d.op.Attr.(tile.DotAttr).Unsigned
	if d.a == nil {
		g.loc = op.Loc
		d.a = g.left(d.arith, converted(op, op.Args[0], d.arith.in, unsigned), d.size, d.room)
		d.b = g.right(d.arith, converted(op, op.Args[1], d.arith.in, unsigned), d.size, d.room)
	}
	d.a.fill(g, d.base(g, d.a.panel))
	d.b.fill(g, d.base(g, d.b.panel))
	g.loc = op.Loc
	g.bufs[op.Results[0]] = d.sum
	g.op3(amd64.ADDI, d.k, none, none, int64(d.size.k))
	g.op3(amd64.CMPLI, d.k, none, none, int64(d.room))
	room := g.label()
	g.jcc(amd64.CCNE, room)
	g.multiply(d.arith, d.size, d.a.panel, d.b.panel, rowMajor(d.sum), fixed(d.room))
	g.movImm(d.k, 0)
	g.bind(room)
}

// base gives the place of the next tile in a panel.
func (d *deferral) base(g *generator, p *panel) reg {
	r := g.copyG(d.k)
	g.op3(amd64.SHLI, r, none, none, int64(logOf(int64(p.k))))
	g.op3(amd64.ADD, r, amd64.RDI, none, 0)
	return r
}

// finish multiplies what is left in the panels after the loop.
func (d *deferral) finish(g *generator) {
	g.loc = d.op.Loc
	none := g.label()
	g.op3(amd64.TEST, d.k, d.k, amd64.None, 0)
	g.jcc(amd64.CCE, none)
	g.multiply(d.arith, d.size, d.a.panel, d.b.panel, rowMajor(d.sum), extent{d.room, d.k, d.size.k})
	g.bind(none)
}
