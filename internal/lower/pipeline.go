package lower

import (
	"math"
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A pipeline is a loop whose matrix products read what was copied to shared memory some iterations before. Its buffers hold
// so many stages; each iteration waits for its own, and begins the copies of the one that is that far ahead. One barrier an iteration
// is enough: it says both that all threads' copies for this iteration are there, and that everybody has read the stage
// that is overwritten now.
type pipeline struct {
	op      *tile.Op // the loop
	cs      []carrier
	stages  int
	copies  []*copied
	scalars []*tile.Op // of the body, that addresses depend on, in their order
	tiles   []*tile.Op // likewise
	// late says that matrix instructions may still read the stage before at the begin of an iteration. Then copies begin at its end.
	late       bool
	memo       int // how much is remembered outside of the loop
	begun      int // matrix instructions before an iteration
	later      []*laterDot
	fixed      []*tile.Op // products whose left operand stays in registers
	lastBefore *tile.Op   // the last product of an iteration after which one of the iteration before is begun
	// signals hand the stages over; nil: barriers do.
	signals *signals
	// outer is the pipeline of the loop around, while one is lowered; now is the iteration, whose copies are still to be begun if owes says so.
	outer  *pipeline
	now    iteration
	owes   bool
	handed bool
	// stage is which ones this iteration reads and writes, which is what the one before read, and which that one wrote.
	stage struct{ read, write, before *lir.Value }
}

// A copied is an operand of a dot that a pipeline copies.
type copied struct {
	load  *tile.Op
	chain []*tile.Value // from the operand to the load's result, each a shape operation's result
	s     *staged       // of one stage
	n     int           // elements of a copy
	plan  accessPlan    // of the addresses
	at    *view         // whose elements are places
	bytes int           // of a stage
	// turn says in which iteration a copy is read: in its own, or one later.
	turn turn
}

// An iteration is what copies for later ones are computed from.
type iteration struct {
	counter *lir.Value
	bounds  []*lir.Value
	inits   []*tile.Value
	depth   int // of the body
}

// A turn is when what belongs to an iteration is done.
type turn int8

const (
	usual turn = iota
	late       // in the iteration after
)

// An argument is an operand of an operation.
type argument struct {
	op *tile.Op
	i  int
}

// reserve is shared memory that pipelines leave for others.
const reserve = 32 << 10

// pipelineOf finds what a loop can copy ahead; nil if that is nothing.
func (l *lowerer) pipelineOf(op *tile.Op, cs []carrier) *pipeline {
	p := &pipeline{op: op, cs: cs, stages: op.Attr.(tile.ForAttr).NumStages}
	if p.stages == 0 {
		p.stages = l.o.Stages
	}
	if !l.o.Can.CopyAsync || p.stages < 2 || op.Attr.(tile.ForAttr).Unsigned || !hasRoom(op) || l.mayWriteAnything(op) {
		return nil
	}
	f := foresight{l: l, p: p, known: map[*tile.Value]bool{}}
	bytes := 0
	for _, dot := range op.Regions[0].Ops {
		if dot.Code != tile.OpDot || !l.productOf(dot).hasMMA {
			continue
		}
		for i := range 2 {
			if c := l.copyOf(&f, dot, i); c != nil {
				p.copies = append(p.copies, c)
				bytes += c.bytes
				l.copied[c.load] = true
				l.ahead[argument{dot, i}] = c
			}
		}
	}
	limit := l.o.Can.SharedMax - reserve
	for p.stages > 2 && l.o.Can.SharedMax > 0 && p.stages*bytes > limit {
		p.stages--
	}
	if len(p.copies) == 0 || l.o.Can.SharedMax > 0 && p.stages*bytes > limit {
		p.forget(l)
		return nil
	}
	for _, c := range p.copies {
		c.s.buffer = l.newStage(c.s, c.bytes*p.stages)
		c.s.group = c.s.buffer + 1
	}
	p.findLater(l)
	for i := range cs {
		p.late = p.late || cs[i].flows
	}
	for _, o := range op.Regions[0].Ops {
		switch {
		case len(o.Results) != 1 || !f.known[o.Results[0]] || o.Code == tile.OpConst:
		case isScalar(o):
			p.scalars = append(p.scalars, o)
		default:
			p.tiles = append(p.tiles, o)
		}
	}
	return p
}

// hasRoom reports whether the steps of some iterations of a loop do not overflow in 64 bits: those of narrower counters never do, those of
// 64 bits if they are known and not large.
func hasRoom(op *tile.Op) bool {
	step := op.Args[2]
	if step.Type.Elem() != tile.I64 {
		return true
	}
	return step.Op != nil && step.Op.Code == tile.OpConst && step.Op.Attr.(tile.ConstAttr).Bits < 1<<32
}

// forget takes back what was said of operands.
func (p *pipeline) forget(l *lowerer) {
	for k, c := range l.ahead {
		for _, mine := range p.copies {
			if c == mine {
				delete(l.ahead, k)
				delete(l.copied, c.load)
			}
		}
	}
}

// mayWriteAnything reports whether a loop does what might write what it reads, as far as is not known by parameters.
func (l *lowerer) mayWriteAnything(op *tile.Op) bool {
	found := false
	op.Regions[0].Walk(func(o *tile.Op) {
		if o.Effect() == tile.Writes && (o.Code != tile.OpStore || l.traits.originOf(o.Args[0]) < 0) {
			found = true
		}
	})
	return found
}

// writesTo reports whether a loop writes through a parameter.
func (l *lowerer) writesTo(op *tile.Op, origin int) bool {
	found := false
	op.Regions[0].Walk(func(o *tile.Op) {
		found = found || o.Code == tile.OpStore && l.traits.originOf(o.Args[0]) == origin
	})
	return found
}

// copyOf finds out how an operand can be copied: it is loaded in the loop, for this dot alone, from addresses that can be computed
// iterations ahead, in pieces of 4 bytes at least, and is multiplied as it is.
func (l *lowerer) copyOf(f *foresight, dot *tile.Op, i int) *copied {
	p := l.productOf(dot)
	c := &copied{}
	v := dot.Args[i]
	elem := v.Type.Elem()
	body := f.p.op.Regions[0]
	if elem != p.elems[i] || !p.tiled(i) && l.isNear(v, l.ofLayout(p.operand(i))) {
		return nil
	}
	for {
		if v.Op == nil || l.traits.home[v.Op] != body || len(l.traits.users[v.ID]) != 1 {
			return nil
		}
		if v.Op.Code == tile.OpLoad {
			break
		}
		switch v.Op.Code {
		case tile.OpReshape, tile.OpExpandDims, tile.OpHint, tile.OpTrans:
		default:
			return nil
		}
		c.chain = append(c.chain, v)
		v = v.Op.Args[0]
	}
	c.load = v.Op
	if !l.isForeseen(f, c.load) {
		return nil
	}
	return c.planned(l, dot, i)
}

// isForeseen reports whether a load gives iterations ahead what it gives in its turn.
func (l *lowerer) isForeseen(f *foresight, load *tile.Op) bool {
	origin := l.traits.originOf(load.Args[0])
	if load.Attr.(tile.LoadAttr).Volatile || origin < 0 || l.writesTo(f.p.op, origin) {
		return false
	}
	if other := at(load.Args, 2); other != nil && !isZero(other) {
		return false // what is not copied is zero
	}
	for _, a := range load.Args[:min(2, len(load.Args))] {
		if !f.sees(a) {
			return false
		}
	}
	return true
}

// isZero reports whether all elements of a value are the constant of zero bits.
func isZero(v *tile.Value) bool {
	for v.Op != nil && moves(v.Op.Code) {
		v = v.Op.Args[0]
	}
	return v.Op != nil && v.Op.Code == tile.OpConst && v.Op.Attr.(tile.ConstAttr).Bits == 0
}

// planned chooses the order in shared memory and the size of a copy; nil if that is too small.
func (c *copied) planned(l *lowerer, dot *tile.Op, i int) *copied {
	p, v := l.productOf(dot), dot.Args[i]
	home, _ := l.distinct(l.home(v))
	if replicates(home) || home.base != 0 {
		return nil
	}
	if p.tiled(i) {
		s := l.groupStage(p, i, v.Type, home)
		if turned := l.turnedView(p, i, v.Type, home); turned != nil {
			home = turned
		}
		c.place(l, s, home, v)
	} else {
		c.placeBest(l, p, i, home, v)
	}
	if c.n*c.s.typ.Bytes() < 4 {
		return nil
	}
	return c
}

// placeBest chooses, of the ways to the operand's layout, one of the widest copies, because of narrow ones each asks for the same sectors of memory
// again, and of these the one of the fewest accesses.
func (c *copied) placeBest(l *lowerer, p *product, i int, home *view, v *tile.Value) {
	elem := p.elems[i]
	from, to := covering(home, v.Type.LogElems()), *p.operand(i)
	ways := l.waysOf(from, to, elem)
	vector := l.plan(c.load.Args[0], at(c.load.Args, 1), c.loaded(l, home, nil)).vector
	if m, ok := layout.ThroughVectors(from, to, elem.Bits(), log2(min(vector, home.size(), 16/(elem.Bits()/8)))); ok {
		ways = append(ways, m)
	}
	best, least := *c, 0
	for _, m := range ways {
		next := *c
		next.place(l, l.stageOf(m, to, elem), home, v)
		if n := accesses(m); next.n > best.n || next.n == best.n && n < least {
			best, least = next, n
		}
	}
	*c = best
}

// place lets an operand that is read as a view says lie as s says.
func (c *copied) place(l *lowerer, s *staged, home *view, v *tile.Value) {
	size := s.typ.Bytes()
	places, order := l.neighboursFirst(l.mapped(home, apply(s.offset)), 16/size)
	c.s, c.at = s, places
	c.plan = l.plan(c.load.Args[0], at(c.load.Args, 1), c.loaded(l, home, &order))
	c.n = min(c.plan.vector, vectorOf(c.at, 16/size))
	c.plan.vector = c.n
	c.bytes = v.Type.NumElems() * size
}

// loaded gives the view in which the elements of a view of the operand are loaded, with its registers in an order.
func (c *copied) loaded(l *lowerer, w *view, order *reorder) *view {
	if order != nil {
		w = l.likewise(w, *order)
	}
	for _, x := range c.chain {
		w = l.seen(x, w)
	}
	return w
}

// A foresight tells which values of a loop's body can be computed for a later iteration: those that depend on the counter, on what goes up by
// the same in each iteration, and on what does not change.
type foresight struct {
	l     *lowerer
	p     *pipeline
	known map[*tile.Value]bool
}

func (f *foresight) sees(v *tile.Value) bool {
	if ok, asked := f.known[v]; asked {
		return ok
	}
	ok := f.finds(v)
	f.known[v] = ok
	return ok
}

func (f *foresight) finds(v *tile.Value) bool {
	body := f.p.op.Regions[0]
	if v.Op == nil {
		return v.Block != body || v.Index == 0 || f.climbs(int(v.Index)-1)
	}
	op := v.Op
	if f.l.traits.home[op] != body {
		return true
	}
	if len(op.Regions) > 0 || len(op.Results) != 1 || op.Effect() != tile.Pure {
		return false
	}
	switch {
	case op.Code.IsElementwise(), op.Code == tile.OpConst, op.Code == tile.OpRange:
	case moves(op.Code) && op.Code != tile.OpSplit:
	default:
		return false
	}
	for _, a := range op.Args {
		if !f.sees(a) {
			return false
		}
	}
	return true
}

// climbs reports whether a carried value goes up by what does not change in the loop.
func (f *foresight) climbs(i int) bool {
	stride := f.p.cs[i].stride
	return stride != nil && (stride.Op == nil || stride.Op.Code == tile.OpConst || f.l.traits.home[stride.Op] != f.p.op.Regions[0]) &&
		(stride.Block == nil || stride.Block != f.p.op.Regions[0])
}

// begin copies what the first iterations need, and begins products of the first. It gives what the loop carries for it.
func (p *pipeline) begin(l *lowerer, bounds []*lir.Value, inits []*tile.Value) []*lir.Value {
	if l.b.Depth() > 0 { // others may still read what they copied the last time
		l.b.Emit(&lir.Op{Code: lir.OpBarrier})
	}
	start := carriedSteps{l: l}
	for _, op := range p.fixed {
		l.fixed[op] = l.packedA(op, l.productOf(op))
	}
	hands := p.handsBySignals(l)
	if hands {
		p.beginSignals(l)
	}
	p.beginLater(l)
	if hands { // the signals are there, and visible what was written
		l.b.Emit(&lir.Op{Code: lir.OpProxyFence})
		l.b.Emit(&lir.Op{Code: lir.OpBarrier})
	}
	for s := range p.stages - 1 {
		for t := usual; t <= late; t++ {
			if n := s - int(t); n >= 0 {
				p.copyAt(l, bounds[0], n, bounds, inits, start, t)
			}
		}
		l.b.Emit(&lir.Op{Code: lir.OpCopyCommit})
	}
	p.stage.read, p.stage.write, p.stage.before = l.b.I32(0), l.b.I32(p.stages-1), l.b.I32(p.stages-2)
	switch {
	case hands:
		p.tell(l, p.stages-2, p.stage.read)
		if p.copiesFirst() {
			p.signals.await(l, filled, p.stage.read, p.signals.rounds.filled)
		}
	case p.late:
		p.awaitOwn(l, p.stages-2)
	}
	return p.state()
}

// carriedSteps are how far what goes up by steps has gone in an iteration; in the first it has not.
type carriedSteps struct {
	l     *lowerer
	steps map[*tile.Value]*lir.Value
}

// after gives how far a value has gone n iterations later.
func (s carriedSteps) after(c *carrier, n int) *lir.Value {
	further := s.l.times(s.l.stepOf(c), n)
	if s.steps == nil {
		return further
	}
	return s.l.b.Pure(lir.OpAdd, 0, further.Type, 0, s.steps[c.v], further)
}

// copyAt copies what belongs to n iterations ahead of one, and is read in a turn, to the stage where it is read then.
func (p *pipeline) copyAt(l *lowerer, counter *lir.Value, n int, bounds []*lir.Value, inits []*tile.Value, steps carriedSteps, t turn) {
	if !slices.ContainsFunc(p.copies, func(c *copied) bool { return c.turn == t }) {
		return
	}
	stage := map[turn]*lir.Value{usual: p.stage.write, late: p.stage.before}[t]
	l.within(func() []*lir.Value {
		inside := steps.steps != nil
		next, valid := l.later(counter, bounds, n, inside)
		p.look(l, next, inits, func(c *carrier) *lir.Value { return steps.after(c, n) }, func() {
			for _, c := range p.copies {
				switch {
				case c.turn != t:
				case !inside:
					l.copyAhead(c, l.b.I32(n*c.bytes), valid, false)
				default:
					l.copyAhead(c, l.stageAt(stage, c), valid, true)
				}
			}
		})
		return nil
	})
}

// state gives what the loop carries for the pipeline.
func (p *pipeline) state() []*lir.Value {
	vals := []*lir.Value{p.stage.read, p.stage.write}
	for _, d := range p.later {
		vals = append(vals, d.words...)
	}
	if len(p.later) > 0 {
		vals = append(vals, p.stage.before)
	}
	if s := p.signals; s != nil {
		vals = append(vals, s.rounds.filled, s.rounds.read)
	}
	return vals
}

// take gives the pipeline what the loop carries for it.
func (p *pipeline) take(l *lowerer, vals []*lir.Value) {
	p.stage.read, p.stage.write = vals[0], vals[1]
	l.named("read_stage", vals[0])
	l.named("write_stage", vals[1])
	vals = vals[2:]
	for _, d := range p.later {
		n := len(d.words)
		d.words, vals = vals[:n:n], vals[n:]
	}
	if len(p.later) > 0 {
		p.stage.before, vals = vals[0], vals[1:]
	}
	if s := p.signals; s != nil {
		s.rounds.filled, s.rounds.read = vals[0], vals[1]
		l.named("filled_round", vals[0])
		l.named("read_round", vals[1])
	}
}

// give gives what the loop carries on. What an iteration has read the next one writes.
func (p *pipeline) give(l *lowerer) []*lir.Value {
	if p.signals != nil {
		p.signals.next(l, p)
	}
	p.stage.read, p.stage.write, p.stage.before = p.next(l, p.stage.read), p.stage.read, p.stage.write
	return p.state()
}

// await waits until all but so many of the last copies are there, for all threads and whoever reads them.
func (p *pipeline) await(l *lowerer, left int) {
	p.awaitOwn(l, left)
	l.b.Emit(&lir.Op{Code: lir.OpBarrier})
}

// awaitOwn waits for the thread's own copies. Others see them after a barrier.
func (p *pipeline) awaitOwn(l *lowerer, left int) {
	l.b.Emit(&lir.Op{Code: lir.OpCopyWait, Imm: int64(left)})
	for _, c := range p.copies {
		if c.s.load == nil {
			l.b.Emit(&lir.Op{Code: lir.OpProxyFence})
			return
		}
	}
}

// iterate waits for this iteration's stage, and copies for the one that takes the stage that was read last.
func (p *pipeline) iterate(l *lowerer, counter *lir.Value, bounds []*lir.Value, inits []*tile.Value) {
	p.now = iteration{counter, bounds, inits, l.b.Depth()}
	p.outer, l.pipeline = l.pipeline, p
	switch {
	case p.signals != nil:
		if !p.copiesFirst() {
			p.signals.await(l, filled, p.stage.read, p.signals.rounds.filled)
		}
	case p.late: // they were waited for while matrix instructions were at work
		l.b.Emit(&lir.Op{Code: lir.OpBarrier})
	default:
		p.await(l, p.stages-2)
	}
	p.handed = false
	p.owes = p.signals != nil || p.lastBefore != nil
	p.memo, p.begun = len(l.memo)-1, l.begun
	if !p.late && !p.owes {
		p.copyNext(l)
	}
	for _, c := range p.copies {
		c.s.add = l.stageAt(p.stage.read, c)
	}
}

// iterated ends an iteration. If matrix instructions may go on, it waits for those of the iteration before and copies to the stage that they read.
func (p *pipeline) iterated(l *lowerer) {
	l.pipeline = p.outer
	if p.signals != nil {
		l.settle()
		p.signals.give(l, read, p.stage.read)
		p.handOver(l)
		return
	}
	if !p.late {
		return
	}
	l.b.GroupWait(l.begun-p.begun, nil)
	l.b.Emit(&lir.Op{Code: lir.OpBarrier})
	p.copyWithin(l)
	p.awaitOwn(l, p.stages-2)
}

// copyWithin begins the copies for later iterations within one: what is known in it is not so in others.
func (p *pipeline) copyWithin(l *lowerer) {
	memo := l.memo
	l.memo = memo[:p.memo:p.memo]
	p.copyNext(l)
	l.memo = memo
}

// copyNext copies for later iterations.
func (p *pipeline) copyNext(l *lowerer) {
	steps := carriedSteps{l, map[*tile.Value]*lir.Value{}}
	for i := range p.cs {
		if c := &p.cs[i]; c.stride != nil {
			steps.steps[c.v] = l.vals[c.v.ID].step
		}
	}
	for t := usual; t <= late; t++ {
		p.copyAt(l, p.now.counter, p.stages-1-int(t), p.now.bounds, p.now.inits, steps, t)
	}
	l.b.Emit(&lir.Op{Code: lir.OpCopyCommit})
}

// stageAt gives where a stage begins.
func (l *lowerer) stageAt(stage *lir.Value, c *copied) *lir.Value {
	return l.b.Pure(lir.OpMul, 0, lir.I32, 0, stage, l.b.I32(c.bytes))
}

// next gives the stage after one.
func (p *pipeline) next(l *lowerer, stage *lir.Value) *lir.Value {
	up := l.b.Pure(lir.OpAdd, 0, lir.I32, 0, stage, l.b.I32(1))
	last := l.b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, up, l.b.I32(p.stages))
	return l.pick(last, l.b.I32(0), up)
}

// later gives the counter n iterations after one, and whether the loop comes to it; inside says that the loop came to that one.
func (l *lowerer) later(counter *lir.Value, bounds []*lir.Value, n int, inside bool) (next, valid *lir.Value) {
	b := l.b
	distance := l.times(bounds[2], n)
	next = b.Pure(lir.OpAdd, 0, counter.Type, 0, counter, distance)
	if n == 0 {
		return next, b.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, counter, bounds[1])
	}
	if inside && counter.Type == lir.I32 && distance.IsConst() && int64(n)*bounds[2].Int() <= math.MaxInt32 { // and what is left is more than 0
		left := b.Pure(lir.OpSub, 0, lir.I32, 0, bounds[1], counter)
		return next, b.Pure(lir.OpCmp, uint8(tile.GTU), lir.I1, 0, left, distance)
	}
	return next, l.comesTo(counter, bounds, n)
}

// comesTo tells whether a loop comes to the iteration n after the one of a counter. The distance does not overflow in 64 bits, nor does
// what is left of narrower counters; of counters of 64 bits it is right as an unsigned number, if anything is left.
func (l *lowerer) comesTo(counter *lir.Value, bounds []*lir.Value, n int) *lir.Value {
	b := l.b
	if counter.Type == lir.I64 {
		left := b.Pure(lir.OpSub, 0, lir.I64, 0, bounds[1], counter)
		more := b.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, counter, bounds[1])
		return l.both(more, b.Pure(lir.OpCmp, uint8(tile.GTU), lir.I1, 0, left, l.times(bounds[2], n)))
	}
	far := func(x *lir.Value) *lir.Value { return b.Pure(lir.OpExtS, 0, lir.I64, 0, x) }
	left := b.Pure(lir.OpSub, 0, lir.I64, 0, far(bounds[1]), far(counter))
	return b.Pure(lir.OpCmp, uint8(tile.GTS), lir.I1, 0, left, l.times(far(bounds[2]), n))
}

func (l *lowerer) times(x *lir.Value, n int) *lir.Value {
	return l.b.Pure(lir.OpMul, 0, x.Type, 0, x, l.b.Const(x.Type, uint64(n)))
}

// look lets do compute for another iteration than the one that is being lowered: with its counter, and what goes up by steps.
func (p *pipeline) look(l *lowerer, counter *lir.Value, inits []*tile.Value, step func(c *carrier) *lir.Value, do func()) {
	body := p.op.Regions[0]
	saved := map[*tile.Value]held{}
	set := func(v *tile.Value, h held) {
		saved[v] = l.vals[v.ID]
		l.vals[v.ID] = h
	}
	set(body.Args[0], held{scalar: counter})
	for i := range p.cs {
		if c := &p.cs[i]; c.stride != nil {
			set(c.v, held{init: inits[i], step: step(c)})
		}
	}
	for _, op := range p.tiles {
		set(op.Results[0], held{})
	}
	for _, op := range p.scalars {
		l.b.Loc = op.Loc
		set(op.Results[0], held{scalar: l.compute(op, l.scalars(op.Args))[0]})
	}
	do()
	for v, h := range saved {
		l.vals[v.ID] = h
	}
}

// copyAhead begins an operand's copies to a stage; what is not valid is not read. inside says that it is done in the loop.
func (l *lowerer) copyAhead(c *copied, stage, valid *lir.Value, inside bool) {
	l.b.Loc = c.load.Loc
	ptr, mask := c.load.Args[0], at(c.load.Args, 1)
	l.inTerms = inside
	addrs := l.eval(ptr, c.plan.ptrView)
	l.inTerms = false
	preds := l.masks(mask, &c.plan)
	from := l.loadMem(c.load)
	to := lir.Mem{Space: lir.Shared, Buffer: c.s.buffer, Group: c.s.group}
	own, used := l.part(c.at), c.at.threadBits()
	size := c.s.typ.Bytes()
	var near nearAddress
	for r := 0; r < c.at.size(); r += c.n {
		addr, off := c.plan.address(addrs, r)
		if inside {
			addr, off = near.of(l, addr, off)
		}
		from.Offset = off
		place := l.address(own, used, c.at.at(r), size, stage, &to)
		l.b.CopyAsync(to, from, c.n*size, place, l.both(slot(preds, r/c.n), valid), addr)
	}
}

// end waits for copies that nobody needs any more, and does what is still to be done. vals is what the loop carried on for the pipeline.
func (p *pipeline) end(l *lowerer, vals []*lir.Value) {
	if len(p.later) > 0 {
		p.take(l, vals)
		p.await(l, 0)
		for _, d := range p.later {
			p.multiplyLater(l, d, p.op.Results)
		}
	} else {
		l.b.Emit(&lir.Op{Code: lir.OpCopyWait})
	}
	if p.signals != nil && l.b.Depth() > 0 { // the loop may be entered again
		p.signals.each(l, lir.OpSignalEnd, 0)
	}
	for _, d := range p.later {
		delete(l.lateDots, d.op)
	}
	for _, op := range p.fixed {
		delete(l.fixed, op)
	}
	p.forget(l)
}
