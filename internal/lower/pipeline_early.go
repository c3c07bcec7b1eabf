package lower

import (
	"cmp"
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An earlyDot is a product that a pipeline begins an iteration before it is needed, so that the matrix units are at work while the threads do
// what comes after it, such as the softmax of attention's scores: a product that adds to nothing, of what was copied and what does not
// change in the loop. Its sums are there when an iteration begins.
type earlyDot struct {
	op   *tile.Op
	p    *product
	sums []*lir.Value // of the next iteration
	last int          // of all matrix instructions, the last that adds to them
}

// mostEarly bounds the registers of sums that a loop with early products takes in each thread: theirs twice, and those that flow.
const mostEarly = 192

// isEarly reports whether a product was begun in the iteration before.
func (l *lowerer) isEarly(op *tile.Op) bool { return l.early[op] }

// findEarly finds a loop's early products. There has to be a further product that the loop adds to. That is done later, if it can be, and does not flow
// on: ptxas does not see through that beside others.
func (p *pipeline) findEarly(l *lowerer) {
	flows := map[*tile.Op]bool{}
	sums := 0
	for i := range p.cs {
		if c := &p.cs[i]; c.flows {
			flows[c.sum] = true
			sums += c.home.size()
		}
	}
	if len(flows) == 0 {
		return
	}
	for _, op := range p.op.Regions[0].Ops {
		e := p.earlyOf(l, op)
		if e == nil || flows[op] || sums+2*e.p.view.size() > mostEarly {
			continue
		}
		if n := p.ctas(l, sums+e.p.view.size()*3/2); p.ctas(l, sums+e.p.view.size()*5/2) < n {
			l.b.Func.PerSM = max(1, min(n, cmp.Or(l.b.Func.PerSM, n)))
			continue
		}
		sums += 2 * e.p.view.size()
		p.early = append(p.early, e)
		l.early[op] = true
	}
	if len(p.early) == 0 {
		return
	}
	l.b.Func.PerSM = 1
	for a, c := range l.ahead {
		if l.early[a.op] {
			c.turn = early
		}
	}
	for i := range p.cs {
		c := &p.cs[i]
		if !c.flows {
			continue
		}
		if d := p.laterOf(l, c); d != nil {
			d.b.turn = late
			p.later = append(p.later, d)
			l.lateDots[c.sum] = d
		}
		c.flows = false
	}
}

// ctas estimates how many CTAs a multiprocessor runs at once, if each thread needs so many registers for sums and what is made of them. What it needs
// besides are addresses, of each copy one.
func (p *pipeline) ctas(l *lowerer, registers int) int {
	const others = 32
	shared, threads := 0, l.o.Warps*l.o.WarpSize
	for _, c := range p.copies {
		shared += c.bytes * p.stages
		registers += 2 * c.bytes / (c.n * c.s.typ.Bytes()) / threads
	}
	return min(l.o.Can.SMRegisters/threads/min(registers+others, 255), l.o.Can.SMShared/max(1, shared))
}

// earlyOf tells whether a product can be begun early.
func (p *pipeline) earlyOf(l *lowerer, op *tile.Op) *earlyDot {
	if op.Code != tile.OpDot || !isZero(op.Args[2]) {
		return nil
	}
	e := &earlyDot{op: op, p: l.productOf(op)}
	if !e.p.inGroups() || e.p.loaded || l.impreciseK(op, e.p) > 0 || l.typeOf(op.Results[0].Type) != e.p.sum {
		return nil
	}
	for i, v := range op.Args[:2] {
		if c := l.ahead[argument{op, i}]; c != nil && slices.Contains(p.copies, c) {
			continue
		}
		if i == 1 || v.Block == p.op.Regions[0] || v.Op == nil && v.Block == nil || v.Op != nil && l.traits.home[v.Op] == p.op.Regions[0] {
			return nil
		}
	}
	return e
}

// beginEarly begins the products of the iteration that reads a stage.
func (p *pipeline) beginEarly(l *lowerer, stage *lir.Value) {
	for _, e := range p.early {
		var a *staged
		for i := range 2 {
			if c := l.ahead[argument{e.op, i}]; c != nil {
				c.s.add = l.stageAt(stage, c)
			}
		}
		l.b.Loc = e.op.Loc
		words := l.wordsOfA(e.op, e.p)
		if words == nil {
			a = l.groupOperand(e.op, 0, e.p)
		}
		e.sums = l.beginProduct(e.p, words, a, l.groupOperand(e.op, 1, e.p), nil)
		e.last = l.begun
	}
}

// awaitEarly waits for the products that were begun early, but for none that were begun after them.
func (p *pipeline) awaitEarly(l *lowerer) {
	for _, e := range p.early {
		e.sums = l.b.GroupWait(l.begun-e.last, e.sums)
	}
}

// A laterDot is a product that a pipeline begins an iteration after it is due: of what threads hold, which they carry on, and what was
// copied, which lies there a turn longer. So the matrix units do it while the threads are at what comes in front of the next one. In the first
// iteration it is a product of zeros.
type laterDot struct {
	op    *tile.Op
	p     *product
	b     *copied
	i     int // of the sum among what the loop carries
	words []*lir.Value
}

// laterOf tells whether the product that a loop adds to what it carries can be done later.
func (p *pipeline) laterOf(l *lowerer, c *carrier) *laterDot {
	if c.sum == nil || isZero(c.sum.Args[2]) {
		return nil
	}
	d := &laterDot{op: c.sum, p: l.productOf(c.sum), i: int(c.v.Index) - 1, b: l.ahead[argument{c.sum, 1}]}
	a := c.sum.Args[0]
	if d.b == nil || d.p.loaded || !slices.Contains(p.copies, d.b) || l.ahead[argument{c.sum, 0}] != nil || a.Op == nil || l.traits.home[a.Op] != p.op.Regions[0] {
		return nil
	}
	if !isNear(l.home(a), l.ofLayout(&d.p.layouts.A)) {
		return nil
	}
	perWord := max(1, 32/d.p.elems[0].Bits())
	d.words = repeat(l.b.I32(0), d.p.layouts.A.Size(layout.Register)/perWord)
	return d
}

// prepare puts by what the product is made of. Its result is what it is added to.
func (d *laterDot) prepare(l *lowerer) {
	c := d.op.Args[2]
	l.settleIf(c)
	sums := l.sumsBefore(c, d.p)
	d.words = l.packedA(d.op, d.p)
	l.set(d.op.Results[0], held{in: d.p.view, regs: sums})
}

// beginLater makes zeros of what the first iteration multiplies.
func (p *pipeline) beginLater(l *lowerer) {
	for _, d := range p.later {
		m := lir.Mem{Space: lir.Shared, Buffer: d.b.s.buffer, Group: d.b.s.group}
		const vector = 16
		zero := l.b.I32(0)
		at := l.shl(l.thread(), log2(vector))
		step := l.o.Warps * l.o.WarpSize * vector
		for from := 0; from < d.b.bytes; from += step {
			m.Offset = int64((p.stages-1)*d.b.bytes + from)
			var pred *lir.Value
			if d.b.bytes < step {
				pred = l.b.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, at, l.b.I32(d.b.bytes))
			}
			l.b.Store(m, at, pred, zero, zero, zero, zero)
		}
	}
}

// multiplyLater begins the products of the iteration before, and adds them to what the loop carried on.
func (p *pipeline) multiplyLater(l *lowerer, carried []*tile.Value) {
	for _, d := range p.later {
		v := carried[d.i]
		d.b.s.add = l.stageAt(p.stage.write, d.b)
		l.b.Loc = d.op.Loc
		sums := l.beginProduct(d.p, d.words, nil, d.b.s, l.vals[v.ID].regs)
		l.set(v, held{in: d.p.view, regs: sums})
		l.pend(v)
	}
}
