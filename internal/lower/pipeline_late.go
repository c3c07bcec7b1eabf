package lower

import (
	"cmp"
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A laterDot is a product that a pipeline begins an iteration after it is due: of what threads hold, which they carry on, and what was
// copied, which lies there a turn longer. It comes after another product, which is waited for, and is done while the threads are at what is made of that,
// such as the softmax of attention's scores. In the first iteration it is a product of zeros.
type laterDot struct {
	op    *tile.Op
	p     *product
	b     *copied
	i     int // of the sum among what the loop carries
	words []*lir.Value
	after *tile.Op // the product after which it is begun
}

// findLater finds the products that are done later. They do not flow on any more. What is carried on takes the registers of what is multiplied again in the next
// iteration, as that is made after the product is done. If it takes more, and that costs a CTA of the multiprocessor, it is not worth it: one's products are
// done while others are at something else.
func (p *pipeline) findLater(l *lowerer) {
	var list []*laterDot
	registers := 0
	for i := range p.cs {
		c := &p.cs[i]
		if !c.flows {
			continue
		}
		registers += c.home.size()
		if d := p.laterOf(l, c); d != nil {
			list = append(list, d)
		}
	}
	list = p.withBefore(l, list)
	if len(list) == 0 {
		return
	}
	waited := map[*tile.Op]bool{}
	for _, d := range list {
		waited[d.after] = true
	}
	again := 0
	for op := range waited { // the sums, and half as many of what is multiplied again
		size := l.productOf(op).view.size()
		registers, again = registers+size*3/2, again+size/2
		if p.lastBefore == nil || l.traits.order[p.lastBefore] < l.traits.order[op] {
			p.lastBefore = op
		}
	}
	carried := 0
	for _, d := range list {
		carried += len(d.words)
	}
	n := p.ctas(l, registers)
	l.b.Func.PerSM = max(1, min(n, cmp.Or(l.b.Func.PerSM, n)))
	if more := carried - again; n > 1 && more > 0 && p.ctas(l, registers+more) < n {
		p.lastBefore = nil
		return
	}
	for _, d := range list {
		d.b.turn = late
		l.lateDots[d.op] = d
	}
	p.later = list
	for i := range p.cs {
		p.cs[i].flows = false
	}
	p.findFixed(l, registers)
}

// findFixed finds the products whose left operand does not change in the loop. Where there are registers for it, it is loaded once: shared memory is read
// for the other one alone.
func (p *pipeline) findFixed(l *lowerer, registers int) {
	const others = 48
	left := min(l.o.Can.SMRegisters/(l.o.Warps*l.o.WarpSize*l.b.Func.PerSM), 255) - registers - others
	body := p.op.Regions[0]
	for _, op := range body.Ops {
		if op.Code != tile.OpDot || l.ahead[argument{op, 0}] != nil || l.lateDots[op] != nil {
			continue
		}
		of, a := l.productOf(op), op.Args[0]
		if !of.inGroups() || of.loaded || a.Op == nil || l.traits.home[a.Op] == body {
			continue
		}
		if n := of.wordsOfLeft(); n <= left {
			left -= n
			p.fixed = append(p.fixed, op)
		}
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

// withBefore finds the products after which others are begun, and gives those for which there is one. That must be one of its own iteration: where one
// stays in its place others may come after it.
func (p *pipeline) withBefore(l *lowerer, list []*laterDot) []*laterDot {
	for {
		n := len(list)
		is := map[*tile.Op]bool{}
		for _, d := range list {
			is[d.op] = true
		}
		list = slices.DeleteFunc(list, func(d *laterDot) bool {
			d.after = p.productBefore(l, p.op.Regions[0].Args[d.i+1], is)
			return d.after == nil
		})
		if len(list) == n {
			return list
		}
	}
}

// productBefore gives the last product of warp groups in front of the first use of what a loop carries, but for some; nil if there is none.
func (p *pipeline) productBefore(l *lowerer, v *tile.Value, but map[*tile.Op]bool) *tile.Op {
	var last *tile.Op
	for _, op := range p.op.Regions[0].Ops {
		if p.uses(op, v) {
			break
		}
		if op.Code == tile.OpDot && l.productOf(op).inGroups() && !but[op] {
			last = op
		}
	}
	return last
}

// uses reports whether an operation, or one in its regions, uses a value.
func (p *pipeline) uses(op *tile.Op, v *tile.Value) bool {
	if slices.Contains(op.Args, v) {
		return true
	}
	found := false
	for _, r := range op.Regions {
		r.Walk(func(o *tile.Op) { found = found || slices.Contains(o.Args, v) })
	}
	return found
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
	d.words = repeat(l.b.I32(0), d.p.wordsOfLeft())
	return d
}

// wordsOfLeft gives how many words of the left operand each thread multiplies.
func (p *product) wordsOfLeft() int {
	return p.layouts.A.Size(layout.Register) / max(1, 32/p.elems[0].Bits())
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

// multiplyAfter begins the products of the iteration before that come after one of this iteration.
func (p *pipeline) multiplyAfter(l *lowerer, op *tile.Op) {
	for _, d := range p.later {
		if d.after == op {
			p.multiplyLater(l, d, p.op.Regions[0].Args[1:])
		}
	}
}

// multiplyLater begins a product of the iteration before, and adds it to what the loop carried on.
func (p *pipeline) multiplyLater(l *lowerer, d *laterDot, carried []*tile.Value) {
	v := carried[d.i]
	d.b.s.add = l.stageAt(p.stage.write, d.b)
	l.b.Loc = d.op.Loc
	sums := l.beginProduct(d.p, d.words, nil, d.b.s, l.vals[v.ID].regs)
	l.set(v, held{in: d.p.view, regs: sums})
	l.pend(v)
}

// hasBegun is told of each product of an iteration that was begun. Without signals copies begin after the last of them that others come after.
func (p *pipeline) hasBegun(l *lowerer, op *tile.Op) {
	p.multiplyAfter(l, op)
	if op == p.lastBefore && p.copiesFirst() {
		p.copyOnce(l)
	}
}

// copiesFirst reports whether the copies of an iteration begin as soon as its products did.
func (p *pipeline) copiesFirst() bool { return p.signals == nil || p.stages < leastAhead }

// copyOnce begins the copies of an iteration, if that was not done yet.
func (p *pipeline) copyOnce(l *lowerer) {
	if !p.owes {
		return
	}
	p.owes = false
	if p.signals != nil {
		p.signals.await(l, read, p.stage.write, p.signals.rounds.read)
	}
	p.copyWithin(l)
}

// beforeWait hands stages over before sums are waited for that were begun later: when threads come there they have nothing else to do.
func (p *pipeline) beforeWait(l *lowerer, sums []pendingSum) {
	if p.signals == nil || l.b.Depth() != p.now.depth {
		return
	}
	carried := p.op.Regions[0].Args[1:]
	for _, s := range sums {
		if slices.ContainsFunc(p.later, func(d *laterDot) bool { return carried[d.i] == s.v }) {
			p.handOver(l)
		}
	}
}
