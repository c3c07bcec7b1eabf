package native

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A network is what takes tiles apart by a bit of the element numbers and puts them together again, many times over: sorting, merging, butterflies. Work on
// strips whose numbers differ in a few bits is done at a time, all in registers, so that several stages cost one load and one store:
//
//	         bit 5    bit 4    bits 3…0
//	strip 0  ─┬────────┬────────◇────     what is between two buffers is a pass: its loops go over all other bits
//	strip 1  ─┼─┬──────┴────────◇────
//	strip 2  ─┴─┼──────┬────────◇────
//	strip 3  ───┴──────┴────────◇────
//
// A lineage says which bits of the element number of a tile in a buffer, or of one that is loaded, those of a tile that is computed from it are.
type lineage struct {
	bits  []int8 // by bit of the element number: which bit of the buffer's it is; noBit if it is none
	split []int8 // bits that splits have taken away, the last one last
	apart uint64 // bits by which it has been taken apart, or put together
	pass  int    // how many passes come before
}

// noBit is a bit that was none of the buffer's.
const noBit int8 = 63

func identityOf(t tile.Type) lineage {
	l := lineage{bits: make([]int8, t.LogElems())}
	for i := range l.bits {
		l.bits[i] = int8(i)
	}
	return l
}

// inOrder reports whether the bits are in the order of the buffer's.
func (l lineage) inOrder() bool {
	for i := 1; i < len(l.bits); i++ {
		if l.bits[i] <= l.bits[i-1] {
			return false
		}
	}
	return true
}

// whole reports whether the bits are all that the buffer has, in order.
func (l lineage) whole() bool {
	for i, b := range l.bits {
		if int(b) != i {
			return false
		}
	}
	return true
}

// lineageOf gives the lineage of a tile that an operation computes.
func (p *plan) lineageOf(v *tile.Value) lineage {
	if l, ok := p.lines[v]; ok {
		return l
	}
	return identityOf(v.Type)
}

// networks notes the lineage of tiles, in the order of the operations, and keeps those between two passes.
func (p *plan) networks(b *tile.Block) {
	for _, op := range b.Ops {
		if p.isRoot(op) {
			p.networkEnds(op)
		} else if len(op.Results) > 0 && op.Results[0].Type.IsTile() {
			p.trace(op)
		}
		for _, r := range op.Regions {
			p.networks(r)
		}
	}
}

// networkEnds keeps the operands of a root that does not go over strips of neighbours in all cases.
func (p *plan) networkEnds(op *tile.Op) {
	switch op.Code {
	case tile.OpFor, tile.OpWhile, tile.OpIf, tile.OpYield, tile.OpCondition:
		return
	}
	for _, v := range op.Args {
		l := p.lines[v]
		if !v.Type.IsTile() || l.apart == 0 {
			continue
		}
		if strips := p.strips(l) >> p.laneBits; op.Code == tile.OpStore && strips&(strips+1) == 0 {
			continue // elements are stored in their order
		}
		p.cut(v)
	}
}

// strips gives the bits of a tile's element numbers by which strips are done at a time.
func (p *plan) strips(l lineage) uint64 {
	var out uint64
	for i, b := range l.bits {
		if i >= p.laneBits && l.apart>>b&1 != 0 {
			out |= 1 << i
		}
	}
	for bits.OnesCount64(out) > p.together {
		out &= out - 1
	}
	return out
}

// cut keeps a tile, from which another pass begins.
func (p *plan) cut(v *tile.Value) {
	p.keep[v] = true
	p.passes[v] = p.lineageOf(v)
	p.cuts = append(p.cuts, v)
	start := identityOf(v.Type)
	start.pass = p.passes[v].pass + 1
	p.lines[v] = start
}

// trace notes the lineage of what an operation gives.
func (p *plan) trace(op *tile.Op) {
	if op.Code == tile.OpSplit {
		p.passBefore(op)
	}
	for _, v := range op.Results {
		if p.keep[v] || p.cost[v] < expensive || op.Code == tile.OpLoad {
			continue
		}
		p.lines[v] = p.lineageBy(op, v)
		if op.Code == tile.OpTrans && p.lines[v].apart != 0 && p.lines[v].inOrder() {
			p.woven[op] = true
		}
	}
}

// passBefore looks whether a split begins another pass: as there is no room for more strips, or as bits have come into another order.
func (p *plan) passBefore(op *tile.Op) {
	path, at := []*tile.Op{}, op.Args[0]
	var start *tile.Value
	for {
		if p.cost[at] < expensive {
			return
		}
		if start == nil && p.lineageOf(at).inOrder() {
			start = at
		}
		o := at.Op
		if o == nil || p.keep[at] || p.isRoot(o) || o.Code != tile.OpReshape && o.Code != tile.OpTrans && o.Code != tile.OpExpandDims {
			break
		}
		path = append(path, o)
		at = o.Args[0]
	}
	for _, o := range path {
		if o.Code == tile.OpTrans {
			p.woven[o] = true
		}
	}
	l := p.lineageOf(op.Args[0])
	switch {
	case l.apart == 0:
		return
	case start == nil:
		start = at
	case bits.OnesCount64((l.apart|1<<l.bits[0])>>p.laneBits) <= p.together:
		return
	}
	p.cut(start)
	for i := len(path) - 1; i >= 0; i-- {
		if v := path[i].Results[0]; v != start && !p.keep[v] {
			p.lines[v] = p.lineageBy(path[i], v)
		}
	}
}

// lineageBy gives the lineage of a result from those of the operands.
func (p *plan) lineageBy(op *tile.Op, v *tile.Value) lineage {
	l, found := lineage{}, false
	apart, pass := uint64(0), 0
	for _, a := range op.Args {
		if a.Type.IsTile() && p.cost[a] >= expensive {
			of := p.lineageOf(a)
			apart |= of.apart
			pass = max(pass, of.pass)
			if !found {
				l, found = of, true
			}
		}
	}
	if !found {
		return identityOf(v.Type)
	}
	l.apart, l.pass = apart, pass
	at := identity(v.Type.LogElems())
	switch op.Code {
	case tile.OpTrans:
		return l.seen(transView(op, at), v)
	case tile.OpBroadcast:
		return l.seen(broadcastView(op.Args[0].Type, v.Type, at), v)
	case tile.OpSplit:
		l.apart |= 1 << l.bits[0]
		l.split = append(l.split[:len(l.split):len(l.split)], l.bits[0])
		l.bits = l.bits[1:]
	case tile.OpJoin:
		bit := noBit
		if n := len(l.split); n > 0 {
			bit, l.split = l.split[n-1], l.split[:n-1]
		}
		l.apart |= 1 << bit
		l.bits = append([]int8{bit}, l.bits...)
	case tile.OpCat:
		axis := op.Attr.(tile.AxisAttr).Axis
		at = at.without(catBit(v.Type, axis))
		l.apart |= 1 << noBit
		return l.seen(at, v)
	}
	return l
}

// seen gives the lineage of a tile of which an operand is seen through a view.
func (l lineage) seen(at view, v *tile.Value) lineage {
	out := make([]int8, v.Type.LogElems())
	for i := range out {
		out[i] = noBit
	}
	for i, b := range l.bits {
		if at.bits[i] >= 0 {
			out[at.bits[i]] = b
		}
	}
	l.bits = out
	return l
}

// catBit gives the bit of an element's number that says which operand of a concatenation it is of.
func catBit(t tile.Type, axis int) int {
	bit := t.LogDim(axis) - 1
	for i := axis + 1; i < t.Rank(); i++ {
		bit += t.LogDim(i)
	}
	return bit
}

// passBits gives the bits of a nest over a tile's elements by which strips are done at a time for its sake.
func (g *generator) passBits(v *tile.Value) uint64 {
	if g.bufs[v] != nil || !v.Type.IsTile() {
		return 0
	}
	l, ok := g.plan.passes[v]
	if !ok {
		l = g.plan.lineageOf(v)
	}
	return g.plan.strips(l)
}

// inPasses does jobs over tiles of one shape, those strips at a time whose numbers differ in some bits.
func (g *generator) inPasses(t tile.Type, jobs []job, apart uint64, after func(x *nest, at ...view)) {
	x := g.straight()
	n := t.LogElems()
	x.bits = make([]nestBit, n)
	x.laneLog = min(n, g.laneBits)
	for i := range x.laneLog {
		x.count(i, i)
	}
	views := []view{identity(n)}
	for i := range n {
		if apart>>i&1 != 0 {
			for _, at := range views {
				at.bits[i] = oneBit
				views = append(views, at)
			}
		}
	}
	for k := range views {
		for i := range n {
			if apart>>i&1 != 0 && views[k].bits[i] != oneBit {
				views[k].bits[i] = zeroBit
			}
		}
	}
	var loops [][2]int
	for i := n; i > x.laneLog; {
		to := i
		for i > x.laneLog && apart>>(i-1)&1 == 0 {
			i--
		}
		if to > i {
			loops = append(loops, [2]int{i, to})
			x.open(i, to)
		} else {
			i--
		}
	}
	x.do(jobs, views...)
	for _, at := range views {
		after(x, at)
	}
	x.closeAll(loops)
}

// inOneNest reports whether all of a value's roots are tiles between the same two passes, which one nest computes.
func (p *plan) inOneNest(v *tile.Value) bool {
	if len(p.roots[v]) == maxRoots {
		return false
	}
	var first *tile.Value
	for _, r := range p.roots[v] {
		w, ok := r.(*tile.Value)
		if !ok {
			return false
		}
		l, ok := p.passes[w]
		if first == nil {
			first = w
		}
		if !ok || l.pass != p.passes[first].pass || p.block[w] != p.block[first] || shapeOf(w.Type) != shapeOf(first.Type) {
			return false
		}
	}
	return first != nil
}

// findLast notes, for the tiles between two passes, the last one that is computed from each: when that is done its buffer is free.
func (p *plan) findLast() {
	for _, v := range p.cuts {
		var last *tile.Value
		for _, r := range p.roots[v] {
			w, ok := r.(*tile.Value)
			if !ok || len(p.roots[v]) == maxRoots || p.block[w] != p.block[v] {
				last = nil
				break
			}
			if last == nil || p.at[w.Op] > p.at[last.Op] {
				last = w
			}
		}
		if last != nil && last != v {
			p.last[last] = append(p.last[last], v)
		}
	}
}

// bufferFor gives a buffer for a tile that is kept: one that is free, between two passes.
func (g *generator) bufferFor(v *tile.Value) *buffer {
	if _, ok := g.plan.passes[v]; !ok {
		return g.newBuffer(v.Type)
	}
	for i, b := range g.vacant {
		if elemSize(v.Type) == b.size && v.Type.NumElems() == b.t.NumElems() {
			g.vacant = append(g.vacant[:i:i], g.vacant[i+1:]...)
			return &buffer{t: v.Type, off: b.off, size: b.size}
		}
	}
	return g.newBuffer(v.Type)
}

// release gives back the buffers that nothing reads any more once v is computed.
func (g *generator) release(v *tile.Value) {
	for _, w := range g.plan.last[v] {
		if b := g.bufs[w]; b != nil {
			g.vacant = append(g.vacant, b)
		}
	}
}

// network says how many strips an isa has room for.
func (m *isa) network() int {
	if len(m.free[amd64.Vector]) >= 28 {
		return 3
	}
	return 2
}
