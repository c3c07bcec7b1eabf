package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// gather compiles OpGather: elements are read from the source's buffer. An index outside of the axis is brought into it, so that
// nothing outside of the buffer is read.
func (g *generator) gather(op *tile.Op) {
	src, t := op.Args[0], op.Results[0].Type
	from := g.inBuffer(src, op.Loc)
	to := g.newBuffer(t)
	axis := op.Attr.(tile.AxisAttr).Axis
	g.strips(t, func(x *nest, at view) {
		g.loc, g.at = op.Loc, op
		index := x.eval(op.Args[1], at)
		d := newVal(t)
		d.level = x.depth()
		x.on(x.depth(), func() { x.readLanes(from, d, x.element0(src.Type, t, axis, at, index)) })
		x.write(to, at, d)
	})
	g.bufs[op.Results[0]] = to
}

// element0 gives the numbers of the elements of a tile of type t whose coordinates are those of a view of the result, but along an axis, where an
// index gives them. Along that the two may have other sizes.
func (x *nest) element0(t, result tile.Type, axis int, at view, index *val) reg {
	g := x.g
	place := view{}
	bit, below := 0, 0
	for d := t.Rank() - 1; d >= 0; d-- {
		n := t.LogDim(d)
		for i := range n {
			b := zeroBit
			if d != axis {
				b = at.bits[bit+i]
			}
			place.bits[place.n] = b
			place.n++
		}
		if d == axis {
			below = int(place.n) - n
		}
		bit += result.LogDim(d)
	}
	if index.width() == 8 {
		index = x.made(tile.OpTrunc, nil, tile.I32, index)
	}
	i := g.rvm(amd64.VPANDD, x.asVec(index)[0], g.splatBits(4, uint64(t.Dim(axis)-1)))
	if below > 0 {
		i = g.rmi(amd64.VPSLLD, i, int64(below))
	}
	return g.rvm(amd64.VPADDD, i, x.asVec(x.index(place))[0])
}

// strips has f write the code of a nest over the elements of a tile.
func (g *generator) strips(t tile.Type, f func(x *nest, at view)) {
	x := g.straight()
	n := t.LogElems()
	x.bits = make([]nestBit, n)
	low := min(n, g.laneBits)
	for i := range low {
		x.count(i, i)
	}
	x.laneLog = low
	inner := n
	if t.Rank() > 1 {
		inner = max(t.LogDim(t.Rank()-1), low)
	}
	var loops [][2]int
	for _, l := range [][2]int{{inner, n}, {low, inner}} {
		if l[1] > l[0] {
			loops = append(loops, l)
			x.open(l[0], l[1])
		}
	}
	f(x, identity(n))
	for i := len(loops) - 1; i >= 0; i-- {
		x.close(1<<(loops[i][1]-loops[i][0]), loops[i][0])
	}
}

// histogram compiles OpHistogram: counters in the result's buffer, which elements raise one after another.
func (g *generator) histogram(op *tile.Op) {
	t, bins := op.Args[0].Type, op.Results[0].Type
	if t.ElemBits() != 32 || bins.ElemBits() != 32 {
		g.refuse("a histogram of %s", t)
	}
	counts := g.newBuffer(bins)
	g.strips(bins, func(x *nest, at view) { x.write(counts, at, constVal(bins, 0)) })
	g.strips(t, func(x *nest, at view) {
		g.loc, g.at = op.Loc, op
		args := x.evalAll(op.Args, at)
		x.on(x.depth(), func() {
			v := x.asVec(args[0])[0]
			k := g.cmp(amd64.VPCMPUD, v, g.splatBits(4, uint64(bins.NumElems())), 1)
			if len(args) > 1 {
				k = g.kop(amd64.KAND, k, x.asMask(args[1]), 0)
			}
			k = x.lanesMask(k)
			x.eachLane([2]reg{v, v}, k, func(_, lane reg) {
				i := g.gpr()
				g.load(amd64.MOVL, i, amd64.Mem{Base: amd64.RDI, Index: lane, Scale: 4, Disp: int32(g.scratch)})
				at := amd64.Mem{Base: amd64.RDI, Index: i, Scale: 4, Disp: int32(counts.off)}
				c := g.gpr()
				g.load(amd64.MOVL, c, at)
				g.op3(amd64.ADDLI, c, none, none, 1)
				g.store(amd64.MOVLst, c, at)
			})
		})
	})
	g.bufs[op.Results[0]] = counts
}
