package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A job is a root that a nest over a tile's elements does: a value that goes to a buffer, or a store.
type job struct {
	v   *tile.Value
	to  *buffer
	fed *feeding // where v goes instead, if that is a product's panel
	op  *tile.Op // the store or atomic, if v is nil
	loc tile.Loc
}

// elementwise does jobs over tiles of one shape in one nest: of each strip everything is computed before anything is written.
func (g *generator) elementwise(t tile.Type, jobs []job) {
	next, following := g.fetch, g.following
	ask := func(x *nest, at ...view) {
		x.ask(next, t, at...)
		x.askForFollowing(following, t, at...)
	}
	var apart uint64
	for _, j := range jobs {
		if j.v != nil {
			apart |= g.passBits(j.v)
			continue
		}
		for _, v := range j.op.Args {
			apart |= g.passBits(v)
		}
	}
	if apart != 0 {
		g.inPasses(t, jobs, apart, ask)
		return
	}
	g.inSweeps(t, jobs, ask)
}

// inSweeps does jobs over tiles of one shape, some neighbouring strips at a time.
func (g *generator) inSweeps(t tile.Type, jobs []job, after func(x *nest, at ...view)) {
	x := g.straight()
	x.apart = true
	n := t.LogElems()
	x.bits = make([]nestBit, n)
	x.laneLog = min(n, g.laneBits)
	for i := range x.laneLog {
		x.count(i, i)
	}
	inner := n
	if t.Rank() > 1 {
		inner = max(t.LogDim(t.Rank()-1), x.laneLog)
	}
	var outer [][2]int
	if n > inner {
		outer = append(outer, [2]int{inner, n})
		x.open(inner, n)
	}
	body := func(views []view) {
		x.do(jobs, views...)
		after(x, views...)
	}
	if inner == x.laneLog {
		body([]view{identity(n)})
	} else {
		values, stores := computed(jobs)
		s := sweep{x: x, from: x.laneLog, to: inner, ways: g.waysFor(values, stores, inner-x.laneLog), body: body}
		s.run(values, stores)
	}
	x.closeAll(outer)
}

// computed gives what jobs compute, and their stores.
func computed(jobs []job) (values []*tile.Value, stores []*tile.Op) {
	for _, j := range jobs {
		if j.v != nil {
			values = append(values, j.v)
			continue
		}
		values, stores = append(values, j.op.Args...), append(stores, j.op)
	}
	return values, stores
}

// open adds a loop over the nest's bits from to to, which its counter numbers as they are.
func (x *nest) open(from, to int) {
	x.lists = append(x.lists, &list{})
	x.counters = append(x.counters, x.g.gpr())
	for i := from; i < to; i++ {
		x.bits[i] = nestBit{x.depth(), i}
	}
}

// do does jobs on the strips at some views: everything is computed before anything is written.
func (x *nest) do(jobs []job, views ...view) {
	type write struct {
		args []*val
		job
		at view
	}
	var writes []write
	for _, at := range views {
		for _, j := range jobs {
			x.g.loc = j.loc
			switch {
			case j.fed != nil:
				writes = append(writes, write{[]*val{x.evalNarrow(j.fed.v, at)}, j, at})
			case j.v != nil:
				writes = append(writes, write{[]*val{x.eval(j.v, at)}, j, at})
			default:
				writes = append(writes, write{x.evalAll(j.op.Args, at), j, at})
			}
		}
	}
	for _, w := range writes {
		x.g.loc = w.loc
		switch {
		case w.fed != nil:
			w.fed.write(x, w.args[0].v[0], w.at)
		case w.v != nil:
			x.write(w.to, w.at, w.args[0])
		case isAtomic(w.op.Code):
			x.atomicTile(w.op, w.args, w.to, w.at)
		default:
			args := append(w.args, nil)
			x.storeTile(w.op, args[0], args[1], args[2])
		}
	}
}

// reduce does reductions of one shape along one axis in one nest, and jobs over the same elements.
func (g *generator) reduce(ops []*tile.Op, jobs []job) {
	t := ops[0].Args[0].Type
	axis := ops[0].Attr.(tile.AxisAttr).Axis
	n, a, below := t.LogElems(), t.LogDim(axis), 0
	for i := axis + 1; i < t.Rank(); i++ {
		below += t.LogDim(i)
	}
	x := g.straight()
	x.apart = true
	x.bits = make([]nestBit, n)
	// What the lanes are: neighbours along the axis, equal parts of the axis, or results.
	across := below == 0 && a >= g.laneBits
	lane := 0
	if across && !commutes(ops) {
		lane = a - g.laneBits
	}
	x.laneLog = g.laneBits
	var results []int // bits that number results, lowest first
	for i := range n {
		if i < below || i >= below+a {
			results = append(results, i)
		}
	}
	if across {
		for i := range g.laneBits {
			x.count(lane+i, i)
		}
	} else {
		x.laneLog = min(g.laneBits, len(results))
		for i := range x.laneLog {
			x.count(results[i], i)
		}
	}
	inner := [2]int{below, below + a}
	if across {
		inner = [2]int{g.laneBits, a}
		if lane > 0 {
			inner = [2]int{0, lane}
		}
	}
	if across && g.turns(ops, len(results)) {
		x.reduceRows(ops, jobs, inner, results)
		return
	}
	outer := x.openResults(results, across)
	level := x.depth()
	x.reduceInner(ops, jobs, inner, func(i int, outs []*val) {
		if across || x.laneLog == 0 {
			outs = x.acrossLanes(ops[i], outs, across)
		}
		for k, v := range ops[i].Results {
			x.deliver(v, outs[k], x.viewOf(results), level)
		}
	})
	x.closeAll(outer)
}

// closeAll closes loops over runs of bits.
func (x *nest) closeAll(runs [][2]int) {
	for i := len(runs) - 1; i >= 0; i-- {
		x.close(1<<(runs[i][1]-runs[i][0]), runs[i][0])
	}
}

// viewOf gives the view of a tile whose element numbers are some bits of the nest.
func (x *nest) viewOf(bits []int) view {
	v := view{n: int8(len(bits))}
	for i, b := range bits {
		v.bits[i] = int8(b)
	}
	return v
}

// openResults opens loops over the results that are not lanes: runs of bits, the highest outermost.
func (x *nest) openResults(results []int, across bool) [][2]int {
	if !across {
		results = results[x.laneLog:]
	}
	var runs [][2]int
	for i := len(results) - 1; i >= 0; i-- {
		b := results[i]
		if k := len(runs) - 1; k >= 0 && runs[k][0] == b+1 {
			runs[k][0] = b
		} else {
			runs = append(runs, [2]int{b, b + 1})
		}
	}
	for _, r := range runs {
		x.open(r[0], r[1])
	}
	return runs
}

// reduceInner combines along the axis: the first elements are where the accumulators start from. What lanes have accumulated for an operation goes to
// finish.
func (x *nest) reduceInner(ops []*tile.Op, jobs []job, inner [2]int, finish func(i int, outs []*val)) {
	g := x.g
	level := x.depth()
	first := identity(len(x.bits))
	for i := inner[0]; i < inner[1]; i++ {
		first.bits[i] = zeroBit
	}
	marks := []int{len(x.lists[level].insts)}
	accs := [][][]*val{x.begin(ops, jobs, first)}
	ways := x.waysOf(ops, inner, x.lists[level].insts[marks[0]:])
	for w := 1; w < ways.number(); w++ {
		marks = append(marks, len(x.lists[level].insts))
		accs = append(accs, x.begin(ops, jobs, ways.at(first, w)))
	}
	goOn := func(views []view) {
		l := x.lists[x.depth()]
		marks := make([]int, len(accs))
		for w, acc := range accs {
			marks[w] = len(l.insts)
			x.goOn(ops, jobs, acc, first, views[w])
		}
		g.interleave(l, marks)
	}
	switch loop := ways.loop; {
	case loop[1] == loop[0]:
	case ways.bits[1] == loop[0] && inner[0] == g.laneBits:
		values, stores := computed(jobs)
		for _, op := range ops {
			values = append(values, op.Args...)
		}
		s := sweep{x: x, from: inner[0], to: inner[1], ways: loop[0] - inner[0], done: 1, alike: true, body: goOn}
		s.run(values, stores)
	default:
		x.open(loop[0], loop[1])
		goOn(ways.views(len(x.bits)))
		x.closeFrom(1, 1<<(loop[1]-loop[0]), loop[0])
	}
	for i, op := range ops {
		g.loc, g.at = op.Loc, op
		finish(i, x.joined(op, accs, i))
	}
}

// begin makes accumulators of the elements at a view.
func (x *nest) begin(ops []*tile.Op, jobs []job, at view) [][]*val {
	accs := make([][]*val, len(ops))
	for i, op := range ops {
		x.g.loc = op.Loc
		for _, v := range op.Args {
			first := x.eval(v, at)
			if extreme(op) {
				first = x.quietVal(first)
			}
			a := x.accumulator(x.depth(), first)
			a.quiet = extreme(op)
			accs[i] = append(accs[i], a)
		}
	}
	x.do(jobs, at)
	return accs
}

// goOn combines accumulators with the elements at a view, in the loop over the axis.
func (x *nest) goOn(ops []*tile.Op, jobs []job, accs [][]*val, first, at view) {
	g := x.g
	for i, op := range ops {
		g.loc, g.at = op.Loc, op
		elems := x.evalAll(op.Args, at)
		var in []*val
		for _, a := range accs[i] { // which change in this loop
			now := *a
			now.level = x.depth()
			in = append(in, &now)
		}
		x.update(accs[i], x.region(op.Regions[0], append(in, elems...)))
	}
	x.do(jobs, at)
	x.ask(g.nextStore(ops[len(ops)-1]), ops[0].Args[0].Type, at)
	x.askForNext(ops[len(ops)-1], first, at)
}

// joined combines what all ways have accumulated for an operation, in the order of the elements.
func (x *nest) joined(op *tile.Op, accs [][][]*val, i int) []*val {
	parts := make([][]*val, len(accs))
	for w := range accs {
		for _, a := range accs[w][i] {
			c := *a
			parts[w] = append(parts[w], &c)
		}
	}
	for len(parts) > 1 {
		half := parts[:0]
		for w := 0; w < len(parts); w += 2 {
			half = append(half, x.region(op.Regions[0], append(parts[w], parts[w+1]...)))
		}
		parts = half
	}
	outs := make([]*val, len(parts[0]))
	for k, v := range parts[0] {
		c := *v
		c.t = accs[0][i][k].t
		outs[k] = &c
	}
	return outs
}

// Ways are accumulators side by side: one waits some cycles for each sum, so a loop that does little else has several. bits are those of the
// nest that number them, loop those that are left to the loop. Where the combination commutes, neighbouring strips go to different ones; else each has
// a part of the axis of its own.
type ways struct{ bits, loop [2]int }

func (w ways) number() int { return 1 << (w.bits[1] - w.bits[0]) }

// at gives a view with the bits of one way.
func (w ways) at(v view, number int) view {
	for i := w.bits[0]; i < w.bits[1]; i++ {
		v.bits[i] = zeroBit - int8(number>>(i-w.bits[0])&1)
	}
	return v
}

// views gives those of all ways, of a nest with so many bits.
func (w ways) views(bits int) []view {
	out := make([]view, w.number())
	for i := range out {
		out[i] = w.at(identity(bits), i)
	}
	return out
}

// waysOf chooses how many, for a loop over the bits inner[0] to inner[1] of which one strip takes such instructions.
func (x *nest) waysOf(ops []*tile.Op, inner [2]int, strip []inst) ways {
	n := 0
	switch size := len(strip); {
	case size <= 6*len(ops) || size <= 12:
		n = 2
	case size <= 24:
		n = 1
	case size <= maxInTurns && x.g.selects == nil:
		n = x.g.inTurns(strip)
	}
	n = min(n, inner[1]-inner[0])
	for n > 0 && !x.g.haveRoom(ops, 1<<n) {
		n--
	}
	if commutes(ops) {
		cut := inner[0] + n
		return ways{bits: [2]int{inner[0], cut}, loop: [2]int{cut, inner[1]}}
	}
	cut := inner[1] - n
	return ways{bits: [2]int{cut, inner[1]}, loop: [2]int{inner[0], cut}}
}

// haveRoom reports whether accumulators of so many ways take at most half of the registers.
func (m *isa) haveRoom(ops []*tile.Op, ways int) bool {
	var need [3]int
	for _, op := range ops {
		for _, v := range op.Args {
			if v.Type.IsBool() {
				need[m.masks] += ways
				continue
			}
			need[amd64.Vector] += ways * halves(v.Type)
		}
	}
	return need[amd64.Vector] <= len(m.free[amd64.Vector])/2 && (m.masks == amd64.Vector || need[amd64.Mask] <= len(m.free[amd64.Mask])/2)
}

// deliver puts a reduction's result where it belongs.
func (x *nest) deliver(v *tile.Value, out *val, at view, level int) {
	g := x.g
	if v.Type.IsScalar() {
		d := *out
		d.shared = true
		g.env[v] = &d
		return
	}
	b := g.bufs[v]
	if out.uni {
		x.writeOne(b, level, x.index(at), out)
		return
	}
	x.write(b, at, out)
}

// closeFrom closes a loop whose first iterations were done before it.
func (x *nest) closeFrom(first, count, shift int) {
	g, level := x.g, x.depth()
	body, ctr := x.lists[level], x.counters[level]
	x.lists, x.counters = x.lists[:level], x.counters[:level]
	g.within(x.lists[level-1], func() {
		g.movImm(ctr, uint64(first)<<shift)
		g.hoist(body)
		top := g.label()
		g.bind(top)
		m := g.cur.mark()
		g.takeOver(body)
		g.loopEnd(m, count-first)
		g.op3(amd64.ADDLI, ctr, none, none, 1<<shift)
		g.op3(amd64.CMPLI, ctr, none, none, int64(count)<<shift)
		g.jcc(amd64.CCNE, top)
	})
}

// accumulator gives a variable that starts as v.
func (x *nest) accumulator(level int, v *val) *val {
	g := x.g
	d := newVal(v.t)
	d.level, d.shared = level, true
	x.on(level, func() {
		if v.t.IsBool() {
			d.k = g.kop(amd64.KMOV, x.asMask(v), none, 0)
			return
		}
		vs := x.asVec(v)
		for h := range halves(v.t) {
			d.v[h] = g.move(vs[h])
		}
	})
	return d
}

// update assigns to accumulators, all at once.
func (x *nest) update(accs, vals []*val) {
	g := x.g
	x.on(x.depth(), func() {
		forms := make([][2]reg, len(vals))
		for i, v := range vals {
			if v.t.IsBool() {
				forms[i][0] = x.asMask(v)
			} else {
				forms[i] = x.asVec(v)
			}
			if len(vals) > 1 && !v.t.IsBool() {
				for h := range halves(v.t) {
					forms[i][h] = g.move(forms[i][h])
				}
			} else if len(vals) > 1 {
				forms[i][0] = g.kop(amd64.KMOV, forms[i][0], none, 0)
			}
		}
		for i, a := range accs {
			if a.t.IsBool() {
				g.op3(amd64.KMOV, a.k, forms[i][0], none, 0)
				continue
			}
			for h := range halves(a.t) {
				g.op3(amd64.VMOVAPS, a.v[h], forms[i][h], none, 0)
			}
		}
	})
}

// acrossLanes combines the lanes in their order: neighbours, then pairs of them, and so on; the result is
// lane 0.
func (x *nest) acrossLanes(op *tile.Op, accs []*val, all bool) []*val {
	g := x.g
	if all {
		for s := 1; s < g.lanes; s *= 2 {
			next := make([]*val, len(accs))
			for i, a := range accs {
				next[i] = x.shifted(a, s)
			}
			out := x.region(op.Regions[0], append(append([]*val{}, accs...), next...))
			for i, v := range out {
				c := *v
				c.t = accs[i].t
				out[i] = &c
			}
			accs = out
		}
	}
	for i, a := range accs {
		d := newVal(a.t)
		d.uni, d.level = true, a.level
		x.on(x.depth(), func() {
			switch {
			case a.t.IsBool():
				d.g = g.gpr()
				g.op3(amd64.KMOVtoG, d.g, x.asMask(a), none, 0)
				g.op3(amd64.ANDLI, d.g, none, none, 1)
			default:
				r := g.rm(pick(a.width(), amd64.VPBROADCASTD, amd64.VPBROADCASTQ), x.asVec(a)[0])
				d.v = [2]reg{r, r}
			}
		})
		d.level = x.depth()
		accs[i] = d
	}
	return accs
}

// shifted gives a value whose lane i is lane i+s.
func (x *nest) shifted(a *val, s int) *val {
	g := x.g
	d := newVal(a.t)
	d.level, d.quiet = x.depth(), a.quiet
	x.on(x.depth(), func() {
		switch {
		case a.t.IsBool():
			d.k = g.kop(amd64.KSHIFTR, x.asMask(a), none, int64(s))
		case a.width() == 4:
			v := x.asVec(a)[0]
			d.v[0] = g.rvmi(amd64.VALIGND, v, v, int64(s))
		case s == g.lanes/2:
			v := x.asVec(a)
			d.v = [2]reg{v[1], v[0]}
		default:
			v := x.asVec(a)
			d.v = [2]reg{g.rvmi(amd64.VALIGNQ, v[1], v[0], int64(s)), g.rvmi(amd64.VALIGNQ, v[0], v[1], int64(s))}
		}
	})
	return d
}

// commutes reports whether all reductions combine by one operation whose operands may be exchanged.
func commutes(ops []*tile.Op) bool {
	for _, op := range ops {
		b := op.Regions[0]
		if len(op.Args) != 1 || len(b.Ops) != 2 {
			return false
		}
		switch b.Ops[0].Code {
		case tile.OpFAdd, tile.OpFMul, tile.OpAdd, tile.OpMul, tile.OpAnd, tile.OpOr, tile.OpXor, tile.OpMinS, tile.OpMaxS,
			tile.OpMinU, tile.OpMaxU, tile.OpFMin, tile.OpFMax:
		default:
			return false
		}
		in := b.Ops[0].Args
		if in[0] == in[1] || in[0].Block != b || in[1].Block != b {
			return false
		}
	}
	return true
}
