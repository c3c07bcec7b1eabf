package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A view says where the elements of a value are taken from as a loop nest goes on: bit i of the
// element's row-major number is the nest's bit view[i], or a constant. All dimensions are powers of
// two, so what broadcast, expand_dims, reshape, trans, join and cat do to element numbers
// is to select, repeat and permute bits.
type view struct {
	n    int8
	bits [tile.MaxLogElems]int8
}

// The constant bits of a view.
const (
	zeroBit int8 = -1
	oneBit  int8 = -2
)

// A bit of a nest counts lanes (its level is 0, pos below laneBits) or is one bit of a level's counter.
type nestBit struct{ level, pos int }

// A nest is the loops around one strip of work: level 0 is the code before them, level 1 the outermost
// loop. Straight-line code is a nest of level 0 alone.
type nest struct {
	g         *generator
	lists     []*list
	counters  []reg
	bits      []nestBit
	laneAt    [maxLaneBits]int8 // by place in a lane's number: 1 + the bit that counts it
	laneLog   int               // the lanes in use are 2^laneLog
	memo      map[memoKey]*val
	streams   map[*tile.Op]reg
	products  map[[2]*val]longProduct
	local     map[*tile.Value]*val
	numbers   map[view]*val // of elements, see index
	sums      map[sumKey]reg
	laneMasks map[uint16]reg
	divisors  map[reg]divisor
	light     bool // strips take so few instructions that a division would be waited for
	apart     bool // what the innermost loop does not change of addresses is kept apart
	storing   storing
	toCaches  reg      // not 0 where a loop's stores cannot go past the caches; none if nothing is to be looked at
	low       []sumKey // the addresses that this is of
}

// A sumKey is base + index·scale, computed at a level; or, if op is not zero, what that makes of two registers.
type sumKey struct {
	level       int
	base, index reg
	scale       uint8
	op          amd64.Op
}

// combined gives what an operation makes of two integers of w bytes, which is computed once at a level.
func (x *nest) combined(c tile.Code, w int, a, b reg) reg {
	key := sumKey{level: x.levelNow(), base: a, index: b, op: plainScalar[c].of(w)}
	r, ok := x.sums[key]
	if !ok {
		r = x.g.copyG(a)
		x.g.op3(key.op, r, b, none, 0)
		x.sums[key] = r
	}
	return r
}

// sum gives base + index·scale, which is computed once at a level.
func (x *nest) sum(base, index reg, scale uint8) reg {
	key := sumKey{level: x.levelNow(), base: base, index: index, scale: scale}
	if r, ok := x.sums[key]; ok {
		return r
	}
	i := ins(amd64.LEA)
	i.A, i.HasMem, i.M = x.g.gpr(), true, amd64.Mem{Base: base, Index: index, Scale: scale}
	x.g.emit(i)
	x.sums[key] = i.A
	return i.A
}

// extended gives a register's lower half with its sign, which is computed once at a level.
func (x *nest) extended(r reg) reg {
	key := sumKey{level: x.levelNow(), base: none, index: r, op: amd64.MOVSXD}
	d, ok := x.sums[key]
	if !ok {
		d = x.g.gpr()
		x.g.op3(amd64.MOVSXD, d, r, none, 0)
		x.sums[key] = d
	}
	return d
}

// nothing gives a register that holds 0.
func (x *nest) nothing() reg {
	key := sumKey{level: 0, base: none, index: none}
	r, ok := x.sums[key]
	if !ok {
		x.on(0, func() {
			r = x.g.gpr()
			x.g.op3(amd64.XORL, r, r, none, 0)
		})
		x.sums[key] = r
	}
	return r
}

// levelNow gives the level whose list is being written to.
func (x *nest) levelNow() int {
	for level, l := range x.lists {
		if l == x.g.cur {
			return level
		}
	}
	return -1
}

type memoKey struct {
	v  *tile.Value
	at view
}

// straight gives a nest without loops that writes to the current list.
func (g *generator) straight() *nest {
	return &nest{g: g, lists: []*list{g.cur}, counters: []reg{none}, memo: map[memoKey]*val{}, streams: map[*tile.Op]reg{}, products: map[[2]*val]longProduct{}, local: map[*tile.Value]*val{}, numbers: map[view]*val{}, sums: map[sumKey]reg{}, laneMasks: map[uint16]reg{}, divisors: map[reg]divisor{}, toCaches: none, laneLog: g.laneBits}
}

// on emits at a level.
func (x *nest) on(level int, f func()) { x.g.within(x.lists[level], f) }

func (x *nest) depth() int { return len(x.lists) - 1 }

// close ends the innermost loop, of count iterations 1<<shift apart: it joins its code to that of the level outside.
func (x *nest) close(count, shift int) {
	g, level := x.g, x.depth()
	body, ctr := x.lists[level], x.counters[level]
	x.lists, x.counters = x.lists[:level], x.counters[:level]
	outer := x.lists[level-1]
	g.within(outer, func() {
		g.op3(amd64.XORL, ctr, ctr, none, 0)
		g.hoist(body)
		top := g.label()
		g.bind(top)
		m := g.cur.mark()
		g.takeOver(body)
		g.loopEnd(m, count)
		g.op3(amd64.ADDLI, ctr, none, none, 1<<shift)
		g.op3(amd64.CMPLI, ctr, none, none, int64(count)<<shift)
		g.jcc(amd64.CCNE, top)
	})
}

// identity is the view of a tile whose elements the nest's bits number as they are.
func identity(n int) view {
	v := view{n: int8(n)}
	for i := range n {
		v.bits[i] = int8(i)
	}
	return v
}

func levelOf(args []*val) int {
	level := 0
	for _, a := range args {
		level = max(level, a.level)
	}
	return level
}

// index gives the element numbers of a view, as an i32. Those of views that differ in constant bits are computed once.
func (x *nest) index(at view) *val {
	base, off := at, int64(0)
	for i := range int(at.n) {
		if at.bits[i] == oneBit {
			base.bits[i] = zeroBit
			off += 1 << i
		}
	}
	first, ok := x.numbers[base]
	if !ok {
		first = x.indexOf(base)
		x.numbers[base] = first
	}
	d := *first
	switch {
	case off == 0:
	case d.known:
		d.bits += uint64(off)
	case d.affine:
		d.off += off
	case d.uni:
		x.on(d.level, func() { d.g = x.g.addImm(4, d.g, off) })
	default:
		return x.indexOf(at)
	}
	return &d
}

func (x *nest) indexOf(at view) *val {
	g := x.g
	d := newVal(tile.Scalar(tile.I32))
	d.uni = true
	var lane [maxLaneBits]int // by lane bit: the weight, 0 if it is not used
	usesLanes := false
	type run struct{ level, pos, to, n int }
	var runs []run
	for i := range int(at.n) {
		b := at.bits[i]
		switch {
		case b == zeroBit:
		case b == oneBit:
			d.off += 1 << i
		case x.bits[b].level == 0:
			lane[x.bits[b].pos] += 1 << i
			usesLanes = true
		default:
			nb := x.bits[b]
			d.level = max(d.level, nb.level)
			if k := len(runs) - 1; k >= 0 && runs[k].level == nb.level && runs[k].pos+runs[k].n == nb.pos && runs[k].to+runs[k].n == i {
				runs[k].n++
			} else {
				runs = append(runs, run{nb.level, nb.pos, i, 1})
			}
		}
	}
	x.on(d.level, func() {
		for _, r := range runs {
			part := x.counters[r.level]
			if lo, hi := x.span(r.level); lo != r.pos || hi != r.pos+r.n {
				part = g.copyG(part)
				g.op3(amd64.ANDLI, part, none, none, (1<<r.n-1)<<r.pos)
			}
			if r.to != r.pos {
				part = g.copyG(part)
				if r.to > r.pos {
					g.op3(amd64.SHLLI, part, none, none, int64(r.to-r.pos))
				} else {
					g.op3(amd64.SHRLI, part, none, none, int64(r.pos-r.to))
				}
			}
			if d.g == none {
				d.g = part
				continue
			}
			sum := g.copyG(d.g)
			g.op3(amd64.ADDL, sum, part, none, 0)
			d.g = sum
		}
		if d.g == none && usesLanes {
			d.g, d.zero = x.nothing(), true
		}
	})
	if d.g == none {
		return withLevel(constVal(d.t, uint64(d.off)), d.level)
	}
	if !usesLanes {
		x.on(d.level, func() { d.g = x.affineFirst(d, 0) })
		d.off = 0
		return d
	}
	d.uni = false
	if step, ok := stepOf(lane, x.laneLog); ok {
		d.affine, d.step = true, step
		return d
	}
	offs := make([]int32, g.lanes)
	for i := range offs {
		for b := range g.laneBits {
			offs[i] += int32((i >> b & 1) * lane[b])
		}
	}
	x.on(d.level, func() {
		d.v[0] = g.rvm(amd64.VPADDD, g.rm(amd64.VPBROADCASTDfromG, x.affineFirst(d, 0)), g.laneConst(offs))
	})
	d.g, d.off = none, 0
	return d
}

func withLevel(v *val, level int) *val {
	v.level = level
	return v
}

// span gives the first and the last bit of a level's counter.
func (x *nest) span(level int) (lo, hi int) {
	lo = 1 << 30
	for _, b := range x.bits {
		if b.level == level {
			lo, hi = min(lo, b.pos), max(hi, b.pos+1)
		}
	}
	return lo, hi
}

// stepOf gives the step from lane to lane, if it is the same everywhere.
func stepOf(weight [maxLaneBits]int, used int) (int64, bool) {
	for b := range used {
		if weight[b] != weight[0]<<b {
			return 0, false
		}
	}
	return int64(weight[0]), weight[0] != 0
}
