package lower

import (
	"slices"

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

// findEarly finds a loop's early products. There has to be a further product that the loop adds to. That is waited for at the end of each iteration:
// ptxas does not see through what flows on beside others.
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
		if e := p.earlyOf(l, op); e != nil && !flows[op] && sums+2*e.p.view.size() <= mostEarly {
			sums += 2 * e.p.view.size()
			p.early = append(p.early, e)
			l.early[op] = true
		}
	}
	if len(p.early) == 0 {
		return
	}
	for i := range p.cs {
		p.cs[i].flows = false
	}
	for a, c := range l.ahead {
		c.leads = c.leads || l.early[a.op]
	}
}

// earlyOf tells whether a product can be begun early.
func (p *pipeline) earlyOf(l *lowerer, op *tile.Op) *earlyDot {
	if op.Code != tile.OpDot || !isZero(op.Args[2]) {
		return nil
	}
	e := &earlyDot{op: op, p: l.productOf(op)}
	if !e.p.inGroups() || l.impreciseK(op, e.p) > 0 || l.typeOf(op.Results[0].Type) != e.p.sum {
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
