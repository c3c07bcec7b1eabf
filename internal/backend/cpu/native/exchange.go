package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// The smaller and the larger of two elements, chosen by a comparison, are one instruction each, which gives exactly what the choice would: vminps(a, b) is
// a < b ? a : b, whatever a and b are, vmaxps(a, b) is a > b ? a : b. Where the elements are lanes of one strip, whose numbers differ in a bit, that is done for
// both of a pair at once:
//
//	strip      a0 b0 a1 b1 …       the strip's own lanes
//	exchanged  b0 a0 b1 a1 …       vshufps
//	smaller    s0 s0 s1 s1 …       vminps
//	result     s0 l0 s1 l1 …       vmaxps, of the lanes whose bit is set

// A choice is select(condition, one, other) where the condition compares both, and may be turned around by other conditions.
type choice struct {
	one, other *tile.Value
	cmp        *tile.Op
	less       bool          // the comparison holds where its first operand is the smaller one, else where it is the larger one
	negated    bool          // … and one is chosen where it does not hold
	turns      []*tile.Value // each of which turns it around where it holds
}

// choiceOf gives the choice that a select is; nil if it is none, or none that instructions make.
func (x *nest) choiceOf(op *tile.Op) *choice {
	t := op.Results[0].Type
	if t.IsBool() || t.IsPtr() || isFP8(t) || !t.IsInt() && !t.IsFloat() {
		return nil
	}
	c := &choice{one: op.Args[1], other: op.Args[2]}
	if !x.condition(c, op.Args[0], 0) {
		return nil
	}
	return c
}

// maxTurns bounds how many conditions are looked at.
const maxTurns = 4

// condition looks for the comparison in a condition.
func (x *nest) condition(c *choice, v *tile.Value, depth int) bool {
	op := v.Op
	if op == nil || depth > maxTurns || !v.Type.IsTile() || x.g.bufs[v] != nil {
		return false
	}
	switch op.Code {
	case tile.OpCmpF, tile.OpCmpI:
		if c.compares(op) {
			return true
		}
		if op.Code == tile.OpCmpF || !op.Args[0].Type.IsBool() {
			return false
		}
		switch op.Attr.(tile.CmpIAttr).Pred {
		case tile.NE:
		case tile.EQ:
			c.negated = !c.negated
		default:
			return false
		}
	case tile.OpXor:
	default:
		return false
	}
	for i, a := range op.Args {
		before := *c
		c.turns = append(c.turns, op.Args[1-i])
		if x.condition(c, a, depth+1) {
			return true
		}
		*c = before
	}
	return false
}

// compares notes a comparison of what is chosen from.
func (c *choice) compares(op *tile.Op) bool {
	a, b := op.Args[0], op.Args[1]
	if a == b || !(a == c.one && b == c.other || a == c.other && b == c.one) {
		return false
	}
	switch attr := op.Attr.(type) {
	case tile.CmpIAttr:
		switch attr.Pred { // equal integers are the same
		case tile.LTS, tile.LTU, tile.LES, tile.LEU:
			c.less = true
		case tile.GTS, tile.GTU, tile.GES, tile.GEU:
		default:
			return false
		}
	case tile.CmpFAttr:
		switch attr.Pred {
		case tile.OLT:
			c.less = true
		case tile.OGT:
		case tile.UGE:
			c.less, c.negated = true, !c.negated
		case tile.ULE:
			c.negated = !c.negated
		default:
			return false
		}
	}
	c.cmp = op
	return true
}

// An extremum is one of two elements: the smaller or the larger, and where neither is, as floats are equal or one is a NaN, the one that is the tie.
type extremum struct {
	larger bool
	tie    *tile.Value
}

// extremumOf gives what a choice is where an even number of its conditions turn it around, or an odd one.
func (c *choice) extremumOf(odd bool) extremum {
	yes, no := c.one, c.other // chosen where the comparison holds, and where it does not
	if c.negated != odd {
		yes, no = no, yes
	}
	return extremum{larger: (yes == c.cmp.Args[0]) != c.less, tie: no}
}

// chosen computes a select that is an extremum; nil where it is not.
func (x *nest) chosen(op *tile.Op, at view) *val {
	c := x.choiceOf(op)
	if c == nil {
		return nil
	}
	odd, masks := x.turnsAt(c, at)
	if len(masks) > 0 {
		return nil
	}
	e := c.extremumOf(odd)
	first, tie := c.one, e.tie
	if first == tie {
		first = c.other
	}
	args := x.evalAll([]*tile.Value{first, tie}, at)
	if args[0].uni && args[1].uni {
		return nil
	}
	d := newVal(op.Results[0].Type)
	d.level = levelOf(args)
	x.on(d.level, func() {
		m := x.extremes(c, d.t)
		a, b := x.asVec(args[0]), x.asVec(args[1])
		for h := range halves(d.t) {
			d.v[h] = m.back(m.of(e.larger, m.ordered(a[h]), m.ordered(b[h])))
		}
	})
	return d
}

// turnsAt gives whether the conditions that are known at a view turn a choice around, and the others.
func (x *nest) turnsAt(c *choice, at view) (odd bool, masks []*val) {
	for _, t := range c.turns {
		v := x.eval(t, at)
		switch {
		case !v.known:
			masks = append(masks, v)
		case v.bits&1 != 0:
			odd = !odd
		}
	}
	return odd, masks
}

// Extremes are the instructions for elements of a type.
type extremes struct {
	x        *nest
	min, max amd64.Op
	flip     bool // of narrow integers: lanes that are zero-extended are compared as if they had no sign, so it is turned around
	t        tile.Type
}

func (x *nest) extremes(c *choice, t tile.Type) extremes {
	w := 4
	if t.ElemBits() == 64 {
		w = 8
	}
	m := extremes{x: x, t: t}
	unsigned := false
	if a, ok := c.cmp.Attr.(tile.CmpIAttr); ok {
		unsigned = a.Pred > tile.GES
	}
	switch {
	case t.IsFloat():
		m.min, m.max = pick(w, amd64.VMINPS, amd64.VMINPD), pick(w, amd64.VMAXPS, amd64.VMAXPD)
	case unsigned || t.ElemBits() < 32:
		m.min, m.max = intBinary[tile.OpMinU].of(w), intBinary[tile.OpMaxU].of(w)
		m.flip = !unsigned
	default:
		m.min, m.max = intBinary[tile.OpMinS].of(w), intBinary[tile.OpMaxS].of(w)
	}
	return m
}

// of gives the larger or the smaller of two vectors.
func (m extremes) of(larger bool, a, b reg) reg {
	if larger {
		return m.x.g.rvm(m.max, a, b)
	}
	return m.x.g.rvm(m.min, a, b)
}

// ordered gives lanes whose order the instructions have.
func (m extremes) ordered(v reg) reg {
	if !m.flip {
		return v
	}
	return m.x.g.rvm(amd64.VPXORD, v, m.x.g.splatBits(4, 1<<(m.t.ElemBits()-1)))
}

// back undoes ordered.
func (m extremes) back(v reg) reg { return m.ordered(v) }

// pairOfLanes computes a join, by a bit that counts lanes, of two choices between the halves of what a split has taken apart; nil where it is something
// else. at is the view of either half.
func (x *nest) pairOfLanes(op *tile.Op, b int8, at view) *val {
	s0, s1 := op.Args[0].Op, op.Args[1].Op
	if s0 == nil || s1 == nil || s0.Code != tile.OpSelect || s1.Code != tile.OpSelect || x.g.bufs[op.Args[0]] != nil || x.g.bufs[op.Args[1]] != nil ||
		s0.Args[0] != s1.Args[0] || s0.Args[1] != s1.Args[2] || s0.Args[2] != s1.Args[1] {
		return nil
	}
	p, q := s0.Args[1], s0.Args[2]
	if p.Op == nil || p.Op.Code != tile.OpSplit || p.Op != q.Op || p == q || x.g.bufs[p] != nil || x.g.bufs[q] != nil {
		return nil
	}
	c := x.choiceOf(s0)
	if c == nil {
		return nil
	}
	odd, masks := x.turnsAt(c, at)
	mine := x.eval(p.Op.Args[0], at.with(0, b))
	if mine.uni {
		return nil
	}
	pos := x.bits[b].pos
	theirs := x.permuted(mine, exchange(pos))
	// The first of a pair gets e, the second the opposite. A tie of the first half's element leaves both where they are.
	e := c.extremumOf(odd)
	d := newVal(op.Results[0].Type)
	d.level = max(mine.level, levelOf(masks))
	var turn *val
	for _, v := range masks {
		if turn == nil {
			turn = v
			continue
		}
		xor := tile.Op{Code: tile.OpXor, Results: []*tile.Value{{Type: tile.Scalar(tile.I1)}}}
		turn = x.apply(&xor, []*val{turn, v})
	}
	x.on(d.level, func() {
		m := x.extremes(c, d.t)
		stays, goes := x.asVec(mine), x.asVec(theirs)
		if e.tie != p.Op.Results[0] {
			stays, goes = goes, stays
		}
		for h := range halves(d.t) {
			stays[h], goes[h] = m.ordered(stays[h]), m.ordered(goes[h])
		}
		x.pairs(m, d, pos, e.larger, goes, stays, turn)
	})
	return d
}

// pairs computes both elements of pairs of lanes: of goes and stays the smaller or the larger. Where turn holds it is the other way round.
func (x *nest) pairs(m extremes, d *val, pos int, larger bool, goes, stays [2]reg, turn *val) {
	g := x.g
	second := bitLanes[pos] // the lanes that get the opposite of the first
	k := none
	if turn != nil {
		t := x.asMask(turn)
		if d.t.IsFloat() {
			for h := range halves(d.t) {
				th := t
				if h == 1 {
					th = g.upper(t)
				}
				goes[h], stays[h] = g.blend(d.width(), th, goes[h], stays[h]), g.blend(d.width(), th, stays[h], goes[h])
			}
		}
		k = g.kop(amd64.KXOR, t, x.laneMask(second), 0)
	}
	for h := range halves(d.t) {
		lanes := second & (1<<g.lanes - 1)
		if d.width() == 8 {
			lanes = lanes >> (h * g.lanes / 2) & (1<<(g.lanes/2) - 1)
		}
		kh := k
		switch {
		case k != none && h == 1:
			kh = g.upper(k)
		case k == none && lanes == 0:
			d.v[h] = m.back(m.of(larger, goes[h], stays[h]))
			continue
		case k == none && int(lanes) == 1<<(g.vectorBytes/d.width())-1:
			d.v[h] = m.back(m.of(!larger, goes[h], stays[h]))
			continue
		case k == none:
			kh = x.laneMask(lanes)
		}
		r := m.of(larger, goes[h], stays[h])
		i := ins(m.max)
		if larger {
			i.Op = m.min
		}
		i.A, i.B, i.C, i.K = r, goes[h], stays[h], kh
		g.emit(i)
		d.v[h] = m.back(r)
	}
}
