package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A window is an operand of a product where it lies in memory: rows of one element beside the other, each as far from the last one. The micro-kernel repeats
// single elements of the left operand's rows, so those need not be copied to a panel. Rows of the right operand are read there by the first block under each
// micro-panel, which fills that for the blocks below. Whether rows lie so, and whether the load's mask selects all of them,
// is looked at in each iteration: two vectors of pointers for 16 rows, one of each mask for 16 rows or columns.
type window struct {
	o          *operand // packs what cannot be read there
	to         *panel   // what the micro-kernel reads: the operand's panel; but of columns that is rows, as they would lie in memory
	left       bool
	across     bool // the rows are a right operand's columns
	ptr        *tile.Value
	masks      []*tile.Value // all of which have to hold, each of rows or of columns alone
	n          int           // bits of the tile's element numbers
	rows, cols strand
	size       int // bytes of an element
}

// rowsAt is where the rows of an operand are: the first one's address, and how far it is to the next.
type rowsAt struct{ first, step reg }

// A sight is what is seen of a window in one iteration.
type sight struct {
	bad  reg    // 0 if the micro-kernel can read it
	at   rowsAt // the rows, if it can
	from rowsAt // where rows are read from: those of the window, or of the panel
}

// windowRows is how many rows of a block the micro-kernel can reach from two registers.
const windowRows = 8

// windowOf gives the window of an operand that is loaded as it is; nil if it has to be packed. Rows of a
// window are read more than once, which a volatile load must not be.
func (g *generator) windowOf(o *operand, t arithmetic, s matmul) *window {
	v, block := o.v, g.blockOf(t, s)
	if o.ready || v.Op == nil || v.Op.Code != tile.OpLoad || v.Op.Attr.(tile.LoadAttr).Volatile || g.bufs[v] != nil || v.Type.Elem() != t.in || v.Type.Rank() != 2 {
		return nil
	}
	rows, cols := s.m, s.k
	if !o.left {
		rows, cols = s.k, s.n
	}
	if t.tile == amd64.BadOp && (rows < g.lanes || cols < 2*g.lanes || block.rows > windowRows || block.cols != g.dotCols || s.m < 2*block.rows) {
		return nil
	}
	op := v.Op
	ptr := op.Args[0]
	w := &window{o: o, to: o.panel, left: o.left, across: !o.left && t.bytes() == 4 && o.across.n > 0, ptr: ptr, n: v.Type.LogElems(), size: t.size}
	w.rows, w.cols, _ = dims(v.Type)
	along := 1
	if w.across {
		w.rows, w.cols, along = w.cols, w.rows, 0
		if s.k*t.size < lineBytes { // of which all k that are collected need not be a multiple
			return nil
		}
	}
	if g.axes().Of(ptr).Contiguity(along) < 1<<w.cols.n || !g.fromScalars(ptr) {
		return nil
	}
	if len(op.Args) > 1 && !w.split(g, op.Args[1]) {
		return nil
	}
	if w.across {
		w.o = g.plainRows(w, s)
	}
	return w
}

// plainRows plans rows of as many k as a window's panel has room for.
func (g *generator) plainRows(w *window, s matmul) *operand {
	p := &panel{size: w.size, row: w.to.bytes() / s.n, k: w.size}
	p.order = placed(w.cols, strand{-1, logOf(int64(p.row / p.size / s.k))}, w.rows)
	p.off = g.alloc(p.bytes())
	return &operand{v: w.o.v, panel: p, loc: w.o.loc, along: w.cols, plain: true}
}

// split takes a mask apart, and reports whether it depends on no more than rows or columns everywhere.
func (w *window) split(g *generator, mask *tile.Value) bool {
	for _, m := range conjuncts(mask) {
		by := g.reach(m, identity(w.n))
		if !g.fromScalars(m) || by&w.rows.bits() != 0 && by&w.cols.bits() != 0 {
			return false
		}
		w.masks = append(w.masks, m)
	}
	return true
}

// bits gives a strand as a set of bits.
func (s strand) bits() uint64 { return (1<<s.n - 1) << s.at }

// reach gives the bits of a nest that a value seen through a view depends on.
func (g *generator) reach(v *tile.Value, at view) uint64 {
	if v.Type.IsScalar() {
		return 0
	}
	if d := g.derived[v]; d != nil {
		return g.reach(d.from, at)
	}
	switch {
	case v.Op == nil || g.bufs[v] != nil:
		return at.all()
	case v.Op.Code == tile.OpConst || v.Op.Code == tile.OpSplat:
		return 0
	}
	if of, from, ok := moved(v, at); ok {
		return g.reach(of, from)
	}
	if !v.Op.Code.IsElementwise() {
		return at.all()
	}
	by := uint64(0)
	for _, a := range v.Op.Args {
		by |= g.reach(a, at)
	}
	return by
}

// all gives all bits of a nest that a view has.
func (at view) all() uint64 {
	by := uint64(0)
	for _, b := range at.bits[:at.n] {
		if b >= 0 {
			by |= 1 << b
		}
	}
	return by
}

// fromScalars reports whether a tile can be computed here without reading memory.
func (g *generator) fromScalars(v *tile.Value) bool {
	if v.Type.IsScalar() {
		_, ok := g.env[v]
		return ok
	}
	if d := g.derived[v]; d != nil {
		return g.fromScalars(d.from)
	}
	if v.Op == nil || g.plan.isRoot(v.Op) || v.Op.Code == tile.OpLoad || g.plan.keep[v] {
		return false
	}
	for _, a := range v.Op.Args {
		if !g.fromScalars(a) {
			return false
		}
	}
	return true
}

// find gives where the rows are in this iteration, and a register that is 0 if they are where the micro-kernel can read them.
func (w *window) find(g *generator) (bad reg, at rowsAt) {
	x := g.straight()
	corner := view{n: int8(w.n)}
	for i := range w.n {
		corner.bits[i] = zeroBit
	}
	below := corner
	below.bits[w.rows.at] = oneBit
	at.first = x.asGPR(x.eval(w.ptr, corner))
	at.step = g.copyG(x.asGPR(x.eval(w.ptr, below)))
	g.op3(amd64.SUB, at.step, at.first, none, 0)
	bad = g.gpr()
	g.op3(amd64.XORL, bad, bad, none, 0)
	w.compare(g, bad, at, corner)
	for _, m := range w.masks {
		by := g.reach(m, identity(w.n))
		along := w.cols
		switch {
		case by == 0:
			not := g.copyG(x.asGPR(x.eval(m, corner)))
			g.op3(amd64.XORLI, not, none, none, 1)
			g.op3(amd64.ORL, bad, not, none, 0)
			continue
		case by&w.rows.bits() != 0:
			along = w.rows
		}
		w.each(g, along, corner, func(x *nest, at view) {
			d := x.eval(m, at)
			x.on(x.depth(), func() { x.orOff(bad, d) })
		})
	}
	return bad, at
}

// compare sets bad if a row does not lie as far from the first one as it should, at its beginning or at its last strip. (Where offsets wrap around, they
// do so in one direction.)
func (w *window) compare(g *generator, bad reg, rows rowsAt, corner view) {
	var want, step [2]reg
	end := g.splatBits(8, uint64(w.size*(1<<w.cols.n-g.lanes)))
	by := g.rm(amd64.VPBROADCASTQfromG, rows.step)
	for h := range want {
		number := make([]int64, g.lanes/2)
		for i := range number {
			number[i] = int64(h*g.lanes/2 + i)
		}
		want[h] = g.rvm(amd64.VPADDQ, g.rm(amd64.VPBROADCASTQfromG, rows.first), g.rvm(amd64.VPMULLQ, g.quadConst(number), by))
		step[h] = g.rmi(amd64.VPSLLQ, by, int64(g.laneBits))
	}
	w.each(g, w.rows, corner, func(x *nest, at view) {
		last := at
		for i := w.cols.at + g.laneBits; i < w.cols.at+w.cols.n; i++ {
			last.bits[i] = oneBit
		}
		begin, ending := x.eval(w.ptr, at), x.eval(w.ptr, last)
		x.on(x.depth(), func() {
			p, q := x.asVec(begin), x.asVec(ending)
			for h := range want {
				for _, k := range []reg{
					g.cmp(amd64.VPCMPQ, p[h], want[h], intPred[tile.NE]),
					g.cmp(amd64.VPCMPQ, q[h], g.rvm(amd64.VPADDQ, want[h], end), intPred[tile.NE]),
				} {
					off := g.gpr()
					g.op3(amd64.KMOVtoG, off, k, none, 0)
					g.op3(amd64.ORL, bad, off, none, 0)
				}
				g.op3(amd64.VPADDQ, want[h], want[h], step[h], 0)
			}
		})
	})
}

// each opens a nest over the strips of one dimension.
func (w *window) each(g *generator, along strand, at view, f func(x *nest, at view)) {
	x := g.straight()
	x.bits = make([]nestBit, w.n)
	for i := along.at; i < along.at+along.n; i++ {
		x.bits[i], at.bits[i] = nestBit{0, i - along.at}, int8(i)
	}
	rest := along.high(g.laneBits)
	if rest.n > 0 {
		x.open(rest.at, rest.at+rest.n)
	}
	f(x, at)
	if rest.n > 0 {
		x.close(1<<rest.n, rest.at)
	}
}

// look looks at the window; the rows wanted are those of k collected before this iteration's, and of these.
func (w *window) look(g *generator, k reg) sight {
	s := sight{from: rowsAt{w.panelAt(g), g.gpr()}}
	s.bad, s.at = w.find(g)
	g.movImm(s.from.step, uint64(w.panelStep()))
	back, begin := g.copyG(k), g.copyG(s.at.first)
	if w.left || w.across {
		g.op3(amd64.SHLI, back, none, none, int64(logOf(int64(w.size))))
	} else {
		g.op3(amd64.IMUL, back, s.at.step, none, 0)
	}
	g.op3(amd64.SUB, begin, back, none, 0)
	g.op3(amd64.TESTL, s.bad, s.bad, none, 0)
	g.cmov(amd64.CCE, s.from.first, begin)
	g.cmov(amd64.CCE, s.from.step, s.at.step)
	return s
}

// again sets where rows are read from if nothing is collected.
func (w *window) again(g *generator, s sight) {
	g.op3(amd64.MOV, s.from.first, w.panelAt(g), none, 0)
	g.op3(amd64.TESTL, s.bad, s.bad, none, 0)
	g.cmov(amd64.CCE, s.from.first, s.at.first)
}

// fill packs the operand if it has to be.
func (w *window) fill(g *generator, s sight, base reg) {
	seen := g.label()
	g.op3(amd64.TESTL, s.bad, s.bad, none, 0)
	g.jcc(amd64.CCE, seen)
	w.o.fill(g, base)
	g.bind(seen)
}

// panelAt gives the address of the operand's panel, which is no window's.
func (w *window) panelAt(g *generator) reg {
	return g.addImm(8, amd64.RDI, int64(w.o.panel.off))
}

// panelStep gives how far the rows of the panel are apart; those of the right operand are not read by it.
func (w *window) panelStep() int {
	if w.left || w.across {
		return w.o.panel.row
	}
	return w.o.panel.k
}

// seen gives the operand's panel with the rows that are in their place in memory.
func (w *window) seen(rows rowsAt) *panel {
	p := *w.to
	p.rows = &rows
	return &p
}

// unwritten reports whether nothing in a block writes memory.
func unwritten(b *tile.Block) bool {
	quiet := true
	b.Walk(func(op *tile.Op) {
		quiet = quiet && op.Effect() != tile.Writes && !isAtomic(op.Code)
	})
	return quiet
}
