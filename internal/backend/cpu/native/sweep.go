package native

import (
	"maps"
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A sweep is the innermost loop of a nest, over neighbouring strips, some in each iteration. Masks like cols < n hold in all lanes up to some strip, mostly to the
// last one. Which that is, is computed before the loop (see assume); code without those masks goes as far, and code with them does what is left:
//
//	full = min(n - base, 1024) & -64
//	for strip in 0 … full:     [out + 4·strip] = [x + 4·strip] + …                   four strips at a time
//	for strip in full … 1024:  k = base + strip + lane < n;  [out + 4·strip]{k} = …
//
// Where a store may go past the caches, the first loop is there twice.
type sweep struct {
	x       *nest
	from    int  // the first bit of the nest that numbers strips, and
	to      int  // the last one, and one more
	ways    int  // how many bits from there on number the strips of an iteration
	done    int  // iterations that are done before
	alike   bool // what is left goes as many strips at a time, too
	counter reg
	body    func(views []view)
}

// Loops without masks are for at least so many strips, as a power of two, and for bodies of at most so many instructions, of which masks and what a store looks at are
// more than a few.
const (
	minSweep  = 3
	maxUnmask = 40
)

// A storing says how stores go that may go past the caches.
type storing uint8

const (
	looking storing = iota // each strip looks
	past                   // past the caches
	plain                  // to the caches
)

// A phase is one of the loops.
type phase struct {
	body *list
	ways int
}

// run writes the loop. values are what its body computes, and what its stores need.
func (s *sweep) run(values []*tile.Value, stores []*tile.Op) {
	x := s.x
	s.counter = none
	var masks []*tile.Value
	how, size := looking, x.g.sizeOf(values)
	x.light = size <= maxLight
	if s.to-s.from >= minSweep && size <= maxUnmask {
		masks, how = x.g.masksOf(values, stores), past
	}
	a := s.assume(masks)
	if !a.all && !s.alike && s.ways > 1 {
		s.ways = 1 // there are few registers for masks
		a = s.assume(masks)
	}
	full := s.phase(s.ways, how, a.keys)
	flag := x.toCaches
	x.toCaches, x.low = none, nil
	var second, rest *phase
	if flag != none {
		second = s.phase(s.ways, plain, a.keys)
	}
	if a.limit != none {
		left := 0
		if s.alike {
			left = s.ways
		}
		rest = s.phase(left, plain, nil)
	}
	x.storing = looking
	x.on(x.depth(), func() { s.join(full, second, rest, flag, a.limit) })
}

// views are those of the strips of an iteration.
func (s *sweep) views(n int) []view {
	return ways{bits: [2]int{s.from, s.from + n}}.views(len(s.x.bits))
}

// open begins the body of a loop. All of them count in the same register.
func (s *sweep) open(ways int) {
	x := s.x
	for i := s.from; i < s.from+ways; i++ {
		x.bits[i] = nestBit{}
	}
	x.open(s.from+ways, s.to)
	if s.counter == none {
		s.counter = x.counters[x.depth()]
	}
	x.counters[x.depth()] = s.counter
}

// take ends the body of a loop. What has been computed in it is not there in another.
func (s *sweep) take() *list {
	x, level := s.x, s.x.depth()
	body := x.lists[level]
	x.lists, x.counters = x.lists[:level], x.counters[:level]
	for k, v := range x.memo {
		if v.level >= level {
			delete(x.memo, k)
		}
	}
	for k, v := range x.numbers {
		if v.level >= level {
			delete(x.numbers, k)
		}
	}
	for k := range x.sums {
		if k.level >= level {
			delete(x.sums, k)
		}
	}
	clear(x.products)
	return body
}

// phase writes the body of a loop in which some masks hold.
func (s *sweep) phase(ways int, how storing, hold []memoKey) *phase {
	x := s.x
	s.open(ways)
	before := x.memo
	if len(hold) > 0 { // what is computed while they are true is not there afterwards, at whatever level
		x.memo = maps.Clone(before)
	}
	for _, k := range hold {
		x.memo[k] = withLevel(constVal(k.v.Type, 1), x.depth())
	}
	x.storing = how
	s.body(s.views(ways))
	x.memo = before
	return &phase{s.take(), ways}
}

// join writes the loops: full and second, of which the flag says which, up to limit, and rest from there on.
func (s *sweep) join(full, second, rest *phase, flag, limit reg) {
	g := s.x.g
	again, most, pauses := g.cur.again, int64(0), false
	for _, p := range []*phase{full, second, rest} {
		if p != nil {
			total, polled := s.cost(p)
			most, pauses = max(most, total), pauses || total > longLoop && !polled
		}
	}
	step := int64(1) << (s.from + s.ways)
	g.movImm(s.counter, uint64(s.done)*uint64(step))
	left, end, toCaches := g.label(), g.label(), g.label()
	bound := none
	if limit != none {
		bound = g.copyG(limit)
		g.op3(amd64.ANDLI, bound, none, none, -step)
		g.op3(amd64.CMPL, s.counter, bound, none, 0)
		g.jcc(amd64.CCAE, left)
	}
	if second != nil {
		g.op3(amd64.TESTL, flag, flag, none, 0)
		g.jcc(amd64.CCNE, toCaches)
	}
	s.loop(full, bound, pauses)
	if second != nil {
		g.jmp(left)
		g.bind(toCaches)
		s.loop(second, bound, pauses)
	}
	g.bind(left)
	if rest != nil {
		g.op3(amd64.CMPLI, s.counter, none, none, 1<<s.to)
		g.jcc(amd64.CCAE, end)
		s.loop(rest, none, pauses)
		g.bind(end)
	}
	g.cur.again = min(again+most, maxCost)
}

// iterations is how many a loop has at most.
func (s *sweep) iterations(p *phase) int64 {
	return 1<<(s.to-s.from-p.ways) - int64(s.done)<<(s.ways-p.ways)
}

// cost gives what a loop costs over all iterations, and whether its body pauses.
func (s *sweep) cost(p *phase) (total int64, polled bool) {
	once, polled := p.body.since(mark{polled: p.body.polled})
	return min(once*s.iterations(p), maxCost), polled
}

// loop writes a loop up to a bound, or to the end.
func (s *sweep) loop(p *phase, bound reg, pauses bool) {
	g := s.x.g
	g.hoist(p.body)
	top := g.label()
	g.bind(top)
	m := g.cur.mark()
	g.takeOver(p.body)
	if cost, polled := g.cur.since(m); pauses && !polled {
		g.poll(cost)
		g.cur.polled = true
	}
	g.op3(amd64.ADDLI, s.counter, none, none, 1<<(s.from+p.ways))
	if bound != none {
		g.op3(amd64.CMPL, s.counter, bound, none, 0)
	} else {
		g.op3(amd64.CMPLI, s.counter, none, none, 1<<s.to)
	}
	g.jcc(amd64.CCB, top)
}

// pastCaches stores a strip past the caches, without a look, if that can be looked at before the loop: then it is noted what is to be looked at.
func (x *nest) pastCaches(t tile.Type, p *val, vs [2]reg, k, cached reg) bool {
	g := x.g
	bytes := int64(min(t.ElemBytes()*g.lanes, g.vectorBytes))
	if x.storing != past || k != none || p.base == none || p.g != x.counters[x.depth()] || int64(p.scale)<<g.laneBits%bytes != 0 {
		return false
	}
	if t.ElemBytes() == 2 {
		x.storeHalf(t, p, vs[0])
	} else {
		for h := range halves(t) {
			g.store(amd64.VMOVNTPSst, vs[h], p.operand(int64(h)*bytes))
		}
	}
	g.streamed = true
	at := sumKey{base: p.base, index: reg(p.off & (bytes - 1))}
	if slices.Contains(x.low, at) {
		return true
	}
	x.low = append(x.low, at)
	x.on(x.depth()-1, func() {
		low := g.copyG(g.addImm(8, p.base, p.off&(bytes-1)))
		g.op3(amd64.ANDLI, low, none, none, bytes-1)
		g.op3(amd64.ORL, low, cached, none, 0)
		if x.toCaches != none {
			g.op3(amd64.ORL, low, x.toCaches, none, 0)
		}
		x.toCaches = low
	})
	return true
}

// storeHalf stores a strip of elements of two bytes past the caches: half a line, which the next strip makes whole.
func (x *nest) storeHalf(t tile.Type, p *val, v reg) {
	g := x.g
	half := none
	if t.Elem() == tile.F16 {
		half = g.narrowed(amd64.VCVTPS2PH, v, 0)
	} else {
		half = g.narrowed(amd64.VPMOVDW, x.toBits(t, v), 0)
	}
	i := ins(amd64.VMOVNTPSst)
	i.A, i.L, i.HasMem, i.M = half, amd64.Y, true, p.operand(0)
	g.emit(i)
}

// waysFor chooses how many strips an iteration of a loop does that computes some values: more where they cost little.
func (g *generator) waysFor(values []*tile.Value, stores []*tile.Op, logStrips int) int {
	n := 0
	for _, op := range stores {
		if _, ok := g.plan.streams[op]; ok && op.Args[1].Type.ElemBytes() == 2 {
			n = 1 // the strips of a line
		}
	}
	switch size := g.sizeOf(values); {
	case size <= 10:
		n = 2
	case size <= 24:
		n = max(n, 1)
	}
	return max(0, min(n, logStrips-1))
}

// sizeOf estimates how many instructions on vectors values take, for each strip.
func (g *generator) sizeOf(values []*tile.Value) int {
	size := 0
	g.eachInNest(values, func(v *tile.Value) {
		n, ok := opCost[v.Op.Code]
		switch {
		case v.Op.Code == tile.OpLoad, !ok:
			n = 1
		}
		size += n * halves(v.Type)
	})
	return size
}

// masksOf gives the masks of loads and stores that a nest does.
func (g *generator) masksOf(values []*tile.Value, stores []*tile.Op) []*tile.Value {
	var masks []*tile.Value
	add := func(args []*tile.Value, at int) {
		if len(args) > at && !slices.Contains(masks, args[at]) {
			masks = append(masks, args[at])
		}
	}
	for _, op := range stores {
		if op.Code == tile.OpStore {
			add(op.Args, 2)
		}
	}
	g.eachInNest(values, func(v *tile.Value) {
		if v.Op.Code == tile.OpLoad {
			add(v.Op.Args, 1)
		}
	})
	return masks
}

// eachInNest calls f for the tiles that a nest computes for the sake of some values.
func (g *generator) eachInNest(values []*tile.Value, f func(v *tile.Value)) {
	seen := map[*tile.Value]bool{}
	var walk func(vals []*tile.Value)
	walk = func(vals []*tile.Value) {
		for _, v := range vals {
			if seen[v] || v.Op == nil || !v.Type.IsTile() || g.bufs[v] != nil || g.derived[v] != nil || g.plan.isRoot(v.Op) {
				continue
			}
			seen[v] = true
			f(v)
			walk(v.Op.Args)
		}
	}
	walk(values)
}
