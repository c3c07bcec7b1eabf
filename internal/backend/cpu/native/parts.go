package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A product that a loop computes and does not put off, as those of attention, has its operands in a panel for one iteration only. But the next program, the next
// block of queries, goes over the same keys and values. So what the right operand of such a product is brought to, or filled with while it is read where it lies, stays on a shelf, whose
// parts are the iterations.

// countParts gives the products of a loop's body numbers, before the loop.
func (g *generator) countParts(body *tile.Block) {
	for _, op := range body.Ops {
		if op.Code != tile.OpDot || g.plan.isOutlined(op) || g.deferred[op] != nil || g.packed[packedOperand{op, 1}] != nil || op.Args[1].Op == nil || op.Args[1].Op.Code != tile.OpLoad {
			continue
		}
		g.numbers[op] = g.gpr()
		g.movImm(g.numbers[op], 0)
	}
}

// countPart stands behind a product.
func (g *generator) countPart(op *tile.Op) {
	if part, ok := g.numbers[op]; ok {
		g.op3(amd64.ADDI, part, none, none, 1)
	}
}

// rightInLoop gives a product's right operand, in its window or in its panel, which may be on a shelf.
func (g *generator) rightInLoop(op *tile.Op, o *operand, t arithmetic, s matmul) *operand {
	part, ok := g.numbers[op]
	if !ok {
		return g.seenOrPacked(o, t, s)
	}
	w := g.windowOf(o, t, s)
	if w == nil {
		return g.seenOrPacked(o, t, s)
	}
	x := g.shelve(w, seenBytes/w.to.bytes())
	k := g.gpr()
	g.movImm(k, 0)
	at := w.look(g, k)
	w.fill(g, at, amd64.RDI)
	var p *panel
	switch {
	case !w.brings(t, s):
		p = w.seen(at.from)
		p.shelf, p.part = x, part
	case x != nil:
		p = x.take(g, w, at.from, fixed(s.k), part)
	default:
		w.bringSeen(g, at.from, fixed(s.k))
		p = w.to
	}
	return &operand{panel: p, ready: true}
}
