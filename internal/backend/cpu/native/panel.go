package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// A panel is an operand of a dot product in the frame, in the order in which a micro-kernel reads it. Dimensions are
// powers of two, so the order is one of the bits of element numbers: order[i] is the bit of the tile's row-major element
// number that is bit i of the place, or zeroBit where the panel has room for several tiles along k.
type panel struct {
	order []int8
	size  int // bytes of an element
	off   int // in the frame
	row   int // bytes from one row of the operand (a), or vector of columns (b), to the next
	k     int // bytes from one k to the next
	batch int
	right int     // of tiles but those of a right operand: bytes to the one beside,
	down  int     // and to the one below
	shift *reg    // how far from off it lies, if that is known when the code runs
	rows  *rowsAt // where the rows are, if that is known when the code runs
	fresh bool    // of a result: nothing has been added up yet, and nothing is read
	scale *buffer // of a result: what its rows are multiplied by before, if not nil
	shelf *shelf  // where the panel may be from an earlier program, for the part of this one that has the number
	part  reg
}

// bytes gives the room that a panel takes.
func (p *panel) bytes() int { return p.size << len(p.order) }

// A strand is a run of bits of element numbers: n of them from at on.
type strand struct{ at, n int }

func (s strand) low(n int) strand  { return strand{s.at, min(n, s.n)} }
func (s strand) high(n int) strand { return strand{s.at + min(n, s.n), s.n - min(n, s.n)} }

// placed gives an order: strands, lowest first; one with a negative place is room.
func placed(strands ...strand) []int8 {
	var order []int8
	for _, s := range strands {
		for i := range s.n {
			b := zeroBit
			if s.at >= 0 {
				b = int8(s.at + i)
			}
			order = append(order, b)
		}
	}
	return order
}

// through gives the bits of places for element numbers seen through a view.
func (p *panel) through(at view) view {
	out := view{n: int8(len(p.order))}
	for i, b := range p.order {
		out.bits[i] = zeroBit
		if b >= 0 {
			out.bits[i] = at.bits[b]
		}
	}
	return out
}

// dims gives the strands of a matrix: rows, columns and the batch.
func dims(t tile.Type) (rows, cols, batch strand) {
	r := t.Rank()
	cols = strand{0, t.LogDim(r - 1)}
	rows = strand{cols.n, t.LogDim(r - 2)}
	batch = strand{rows.at + rows.n, t.LogElems() - cols.n - rows.n}
	return rows, cols, batch
}

// alongRows reports whether a matrix lies in memory column by column, so that strips should go along its rows' dimension. What
// decides are the loads that it is computed from.
func (g *generator) alongRows(v *tile.Value) bool {
	r := v.Type.Rank()
	along := [2]int{}
	seen := map[*tile.Value]bool{}
	// dim gives the dimensions of w that are v's rows and columns; below 0 where it has none.
	var walk func(w *tile.Value, rows, cols int)
	walk = func(w *tile.Value, rows, cols int) {
		if seen[w] || !w.Type.IsTile() {
			return
		}
		seen[w] = true
		if g.bufs[w] != nil { // row by row
			for i, d := range [2]int{rows, cols} {
				if d == w.Type.Rank()-1 {
					along[i] = max(along[i], min(w.Type.Dim(d), g.lanes))
				}
			}
			return
		}
		if w.Op == nil {
			return
		}
		switch c := w.Op.Code; {
		case c == tile.OpLoad:
			x := g.axes().Of(w.Op.Args[0])
			for i, d := range [2]int{rows, cols} {
				if d >= 0 {
					along[i] = max(along[i], min(x.Contiguity(d), g.lanes))
				}
			}
		case c == tile.OpTrans:
			order := w.Op.Attr.(tile.PermAttr).Order
			from := func(d int) int {
				if d < 0 {
					return d
				}
				return int(order[d])
			}
			walk(w.Op.Args[0], from(rows), from(cols))
		case c.IsElementwise():
			for _, a := range w.Op.Args {
				walk(a, rows, cols)
			}
		}
	}
	walk(v, r-2, r-1)
	return along[0] > along[1] && v.Type.LogDim(r-2) >= g.laneBits
}

// axes gives what is known of how pointers go up along dimensions.
func (g *generator) axes() *pass.Facts[pass.AxisInfo] {
	if g.axisFacts == nil {
		g.axisFacts = pass.AnalyzeAxes(g.fn)
	}
	return g.axisFacts
}

// maxUnrolled is how many strips are written one after another in the code of a loop that fills a panel.
const maxUnrolled = 8

// A packing is a nest that fills a panel: strips along one strand of bits, some of them unrolled.
type packing struct {
	*nest
	p     *panel
	base  reg // of the panel
	loops []strand
	first view
}

// startPacking opens the loops over a tile's elements but for those bits whose strips are unrolled. What is left of the dimension that strips go
// along is in an outer loop, so that its masks are computed before the inner one.
func (g *generator) startPacking(t tile.Type, p *panel, base reg, along strand, unrolled ...strand) *packing {
	x := g.straight()
	n := t.LogElems()
	x.bits = make([]nestBit, n)
	inner := make([]bool, n)
	lane := along.low(g.laneBits)
	for i := range lane.n {
		x.bits[lane.at+i] = nestBit{0, i}
		inner[lane.at+i] = true
	}
	x.laneLog = lane.n
	k := &packing{nest: x, p: p, base: base, first: identity(n)}
	for _, u := range unrolled {
		for i := range u.n {
			inner[u.at+i] = true
			k.first.bits[u.at+i] = zeroBit
		}
	}
	rows, cols, batch := dims(t)
	order := []strand{batch, cols, rows}
	if along.at == rows.at {
		order = []strand{batch, rows, cols}
	}
	for _, s := range order {
		for i := s.at; i < s.at+s.n; i++ {
			if inner[i] {
				continue
			}
			l := strand{i, 1}
			for i+1 < s.at+s.n && !inner[i+1] {
				i++
				l.n++
			}
			k.loops = append(k.loops, l)
			x.open(l.at, l.at+l.n)
		}
	}
	return k
}

func (k *packing) end() {
	for i := len(k.loops) - 1; i >= 0; i-- {
		k.close(1<<k.loops[i].n, k.loops[i].at)
	}
}

// at gives the view of one of the unrolled strips: the bits of a strand are those of n.
func (k *packing) at(at view, s strand, n int) view {
	for i := range s.n {
		at.bits[s.at+i] = zeroBit - int8(n>>i&1)
	}
	return at
}

// place gives where the first element of the strip seen through a view belongs.
func (k *packing) place(at view) amd64.Mem {
	offset := 0
	for i, b := range k.p.order {
		switch {
		case b < 0:
		case at.bits[b] == oneBit:
			at.bits[b] = zeroBit
			offset += k.p.size << i
		case at.bits[b] >= 0 && k.bits[at.bits[b]].level == 0: // lanes
			at.bits[b] = zeroBit
		}
	}
	key := memoKey{nil, k.p.through(at)}
	i := k.memo[key]
	if i == nil {
		i = k.index(key.at)
		k.memo[key] = i
	}
	m := amd64.Mem{Base: k.base, Index: none, Disp: int32(k.p.off + offset)}
	if i.known {
		m.Disp += int32(int(i.bits) * k.p.size)
	} else {
		m.Index, m.Scale = i.g, uint8(k.p.size)
	}
	return m
}

// pack fills a panel of elements as lanes hold them: f32, f64 and i32. Strips go along a strand of the tile's bits. Where they lie
// across the panel's vectors, squares are transposed, whose other side is the low bits of across.
func (g *generator) pack(o *operand, base reg) {
	v, p, along, across := o.v, o.panel, o.along, o.across
	per := g.vectorBytes / p.size // elements of a register
	if across.n > 0 {
		square := across.low(logOf(int64(per)))
		k := g.startPacking(v.Type, p, base, along, square)
		k.squareOf(square, func(at view) [2]reg { return k.asVec(k.eval(v, at)) }, p.k)
		k.end()
		return
	}
	unrolled := along.high(g.laneBits).low(logOf(maxUnrolled))
	k := g.startPacking(v.Type, p, base, along, unrolled)
	for n := range 1 << unrolled.n {
		at := k.at(k.first, unrolled, n)
		d := k.eval(v, at)
		k.on(k.depth(), func() { k.put(at, k.asVec(d), per) })
	}
	k.end()
}

// put stores a strip of neighbouring places.
func (k *packing) put(at view, vs [2]reg, per int) {
	m := k.place(at)
	mask := k.lanesMask(none)
	for h := range k.g.lanes / per {
		if h > 0 && k.laneLog < k.g.laneBits {
			return
		}
		i := ins(pick(k.p.size, amd64.VMOVUPSst, amd64.VMOVUPDst))
		i.A, i.HasMem, i.M, i.K = vs[h], true, m, mask
		k.g.emit(i)
		m.Disp += int32(k.g.vectorBytes)
	}
}
