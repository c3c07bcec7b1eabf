package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// scan compiles OpScan. Where the axis is the last, lanes are neighbours along it: a strip is scanned in steps of 1, 2, 4 and 8
// lanes (Hillis and Steele, "Data parallel algorithms", CACM 29, 1986), and what came before the strip is combined with all of it.
// Where it is not, lanes are beside each other, and elements are combined one by one.
func (g *generator) scan(op *tile.Op) {
	attr, t := op.Attr.(tile.ScanAttr), op.Args[0].Type
	n, a, below := t.LogElems(), t.LogDim(attr.Axis), 0
	for i := attr.Axis + 1; i < t.Rank(); i++ {
		below += t.LogDim(i)
	}
	x := g.straight()
	x.bits = make([]nestBit, n)
	across := below == 0
	inner := [2]int{below, below + a}
	if across {
		x.laneLog = min(a, g.laneBits)
		inner[0] = x.laneLog
	} else {
		x.laneLog = min(below, g.laneBits)
	}
	for i := range x.laneLog {
		x.count(i, i)
	}
	var beside []int
	for i := range n {
		if i < below || i >= below+a {
			beside = append(beside, i)
		}
	}
	outer := x.openResults(beside, across)
	s := scanner{x: x, op: op, reverse: attr.Reverse, across: across}
	for _, v := range op.Results {
		s.bufs = append(s.bufs, g.newBuffer(v.Type))
	}
	s.alongAxis(inner)
	for i := len(outer) - 1; i >= 0; i-- {
		x.close(1<<(outer[i][1]-outer[i][0]), outer[i][0])
	}
	for i, v := range op.Results {
		g.bufs[v] = s.bufs[i]
	}
}

// A scanner writes the code of one scan.
type scanner struct {
	x       *nest
	op      *tile.Op
	bufs    []*buffer
	reverse bool
	across  bool
}

// alongAxis goes along the axis, whose strips the nest's bits inner[0] to inner[1] number; the first strip is where it starts from.
func (s *scanner) alongAxis(inner [2]int) {
	x, g := s.x, s.x.g
	level := x.depth()
	at := identity(len(x.bits))
	first := at
	for i := inner[0]; i < inner[1]; i++ {
		first.bits[i] = zeroBit
		if s.reverse {
			first.bits[i] = oneBit
		}
	}
	vals := s.strip(first)
	s.write(first, vals)
	if inner[1] == inner[0] {
		return
	}
	var accs []*val
	for _, v := range s.carried(vals) {
		accs = append(accs, x.accumulator(level, v))
	}
	x.open(inner[0], inner[1])
	vals = s.strip(at)
	g.loc, g.at = s.op.Loc, s.op
	var before []*val
	for _, a := range accs { // which change in this loop
		now := *a
		now.level = x.depth()
		before = append(before, &now)
	}
	vals = x.region(s.op.Regions[0], append(before, vals...))
	s.write(at, vals)
	x.update(accs, s.carried(vals))
	count, shift := 1<<(inner[1]-inner[0]), inner[0]
	if s.reverse {
		x.closeDown(count-2, shift)
		return
	}
	x.closeFrom(1, count, shift)
}

func (s *scanner) write(at view, vals []*val) {
	for i, v := range vals {
		s.x.write(s.bufs[i], at, v)
	}
}

// strip gives the operands on a strip, scanned where lanes are neighbours.
func (s *scanner) strip(at view) []*val {
	x, g := s.x, s.x.g
	vals := x.evalAll(s.op.Args, at)
	g.loc, g.at = s.op.Loc, s.op
	if !s.across {
		return vals
	}
	for step := 1; step < 1<<x.laneLog; step *= 2 {
		before := make([]*val, len(vals))
		for i, v := range vals {
			before[i] = s.moved(v, step)
		}
		both := x.region(s.op.Regions[0], append(before, vals...))
		k := s.reached(step)
		for i := range vals {
			sel := tile.Op{Code: tile.OpSelect, Results: []*tile.Value{{Type: vals[i].t}}}
			vals[i] = x.apply(&sel, []*val{k, both[i], vals[i]})
		}
	}
	return vals
}

// reached gives the lanes that have another one so many steps before them.
func (s *scanner) reached(step int) *val {
	x, g := s.x, s.x.g
	bits := 1<<g.lanes - 1<<step
	if s.reverse {
		bits = 1<<(1<<x.laneLog-step) - 1
	}
	k := newVal(tile.Scalar(tile.I1))
	x.on(0, func() { k.k = g.lanesIn(uint16(bits)) })
	return k
}

// moved gives a value whose lanes are those so many steps before.
func (s *scanner) moved(v *val, step int) *val {
	if s.reverse {
		return s.x.shifted(v, step)
	}
	x, g := s.x, s.x.g
	d := newVal(v.t)
	d.level = x.depth()
	x.on(x.depth(), func() {
		switch {
		case v.t.IsBool():
			d.k = g.kop(amd64.KSHIFTL, x.asMask(v), none, int64(step))
		case v.width() == 4:
			r := x.asVec(v)[0]
			d.v[0] = g.rvmi(amd64.VALIGND, r, r, int64(g.lanes-step))
		case step == g.lanes/2:
			r := x.asVec(v)
			d.v = [2]reg{r[1], r[0]}
		default:
			r := x.asVec(v)
			d.v = [2]reg{g.rvmi(amd64.VALIGNQ, r[0], r[1], int64(g.lanes/2-step)), g.rvmi(amd64.VALIGNQ, r[1], r[0], int64(g.lanes/2-step))}
		}
	})
	return d
}

// carried gives what the next strip is combined with: the last lane, in all lanes, or the values themselves.
func (s *scanner) carried(vals []*val) []*val {
	if !s.across {
		return vals
	}
	x, g := s.x, s.x.g
	last := 1<<x.laneLog - 1
	if s.reverse {
		last = 0
	}
	out := make([]*val, len(vals))
	for i, v := range vals {
		d := newVal(v.t)
		d.uni, d.level = true, x.depth()
		x.on(x.depth(), func() {
			switch {
			case v.t.IsBool():
				d.g = g.gpr()
				g.op3(amd64.KMOVtoG, d.g, g.kop(amd64.KSHIFTR, x.asMask(v), none, int64(last)), none, 0)
				g.op3(amd64.ANDLI, d.g, none, none, 1)
			case v.width() == 4:
				r := x.asVec(v)[0]
				d.v[0] = g.rm(amd64.VPBROADCASTD, g.rvmi(amd64.VALIGND, r, r, int64(last)))
			default:
				r := x.asVec(v)[last/(g.lanes/2)]
				r = g.rm(amd64.VPBROADCASTQ, g.rvmi(amd64.VALIGNQ, r, r, int64(last%(g.lanes/2))))
				d.v = [2]reg{r, r}
			}
		})
		out[i] = d
	}
	return out
}

// closeDown closes the innermost loop, whose counter goes down from first to 0.
func (x *nest) closeDown(first, shift int) {
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
		g.loopEnd(m, first+1)
		g.op3(amd64.ADDLI, ctr, none, none, -1<<shift)
		g.jcc(amd64.CCNS, top)
	})
}
