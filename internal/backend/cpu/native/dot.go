package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/code"
	"github.com/tegula-lang/tegula/internal/tile"
)

// dot compiles OpDot. Both operands are brought to panels, in the type that it accumulates in, and a micro-kernel adds their product
// to the result's buffer. A product that a loop adds to the accumulator that it carries is put off (deferral.go).
func (g *generator) dot(op *tile.Op) {
	t := op.Results[0].Type
	arith, ok := g.arithmeticOf(op)
	if !ok {
		g.refuse("dot of %s and %s to %s", op.Args[0].Type, op.Args[1].Type, t)
	}
	if d := g.deferred[op]; d != nil {
		d.add(g)
		return
	}
	unsigned := op.Attr.(tile.DotAttr).Unsigned
	sum := g.inPlace[op]
	if t.Elem() != arith.elem || sum == nil {
		sum = g.newBuffer(t.WithElem(arith.elem))
	}
	c := sum.result()
	c.fresh = isZero(op.Args[2])
	if g.bufs[op.Args[2]] != sum && !c.fresh {
		c.scale = g.rowScale(op, arith, sum)
	}
	if g.bufs[op.Args[2]] != sum && !c.fresh && c.scale == nil {
		g.elementwise(t, []job{{v: converted(op, op.Args[2], arith.elem, unsigned), to: sum, loc: op.Loc}})
	}
	g.loc = op.Loc
	s := matmulOf(op)
	x, y := g.packed[packedOperand{op, 0}], g.packed[packedOperand{op, 1}]
	if x == nil {
		x = g.seenOrPacked(g.left(arith, converted(op, op.Args[0], arith.in, unsigned), s, s.k), arith, s)
	}
	if y == nil {
		y = g.rightInLoop(op, g.right(arith, converted(op, op.Args[1], arith.in, unsigned), s, s.k), arith, s)
	}
	g.multiply(arith, s, x.panel, y.panel, c, fixed(s.k), none, g.demandFor(op.Results[0], s), g.dealStore(op, s, g.blocksOf(arith, s)))
	g.countPart(op)
	g.bufs[op.Results[0]] = sum
	if t.Elem() != arith.elem { // rounded at the end
		wide := &tile.Value{Type: sum.t, Name: "sum"}
		g.bufs[wide] = sum
		result := g.newBuffer(t)
		g.elementwise(t, []job{{v: converted(op, wide, t.Elem(), unsigned), to: result, loc: op.Loc}})
		g.bufs[op.Results[0]] = result
	}
}

// isZero reports whether a tile is a constant whose bits are all zero.
func isZero(v *tile.Value) bool {
	return v.Op != nil && v.Op.Code == tile.OpConst && v.Op.Attr.(tile.ConstAttr).Bits == 0
}

// seenOrPacked gives an operand that is in its panel, or may be read in its window.
func (g *generator) seenOrPacked(o *operand, t arithmetic, s matmul) *operand {
	if t.of > 1 || !o.left && o.across.n > 0 { // a single tile is packed as fast
		o.fill(g, amd64.RDI)
		return o
	}
	w := g.windowOf(o, t, s)
	if w == nil {
		o.fill(g, amd64.RDI)
		return o
	}
	k := g.gpr()
	g.movImm(k, 0)
	at := w.look(g, k)
	w.fill(g, at, amd64.RDI)
	return &operand{panel: w.seen(at.from), ready: true}
}

// A packedOperand is an operand of a dot whose panel has been filled before the loop that the dot is in.
type packedOperand struct {
	op   *tile.Op
	side int
}

// packAhead fills the panels of operands that a loop does not change, before it.
func (g *generator) packAhead(body *tile.Block) {
	inside := map[*tile.Value]bool{}
	for _, v := range body.Args {
		inside[v] = true
	}
	var dots []*tile.Op
	body.Walk(func(op *tile.Op) {
		for _, r := range op.Regions {
			for _, v := range r.Args {
				inside[v] = true
			}
		}
		for _, v := range op.Results {
			inside[v] = true
		}
		if op.Code == tile.OpDot && !g.plan.isOutlined(op) {
			dots = append(dots, op)
		}
	})
	for _, op := range dots {
		arith, ok := g.arithmeticOf(op)
		for side, v := range op.Args[:2] {
			key := packedOperand{op, side}
			if !ok || inside[v] || g.packed[key] != nil || g.deferred[op] != nil || g.plan.cost[v] == 0 {
				continue
			}
			g.loc, g.at = op.Loc, op
			plan := [2]func(arithmetic, *tile.Value, matmul, int) *operand{g.left, g.right}[side]
			s := matmulOf(op)
			o := plan(arith, converted(op, v, arith.in, op.Attr.(tile.DotAttr).Unsigned), s, s.k)
			o.fill(g, amd64.RDI)
			g.packed[key] = o
		}
	}
}

// An operand is a matrix and the panel that it is brought to.
type operand struct {
	v             *tile.Value
	panel         *panel
	along, across strand // what strips go along, and across which they are transposed: see pack
	ready         bool   // the panel is a buffer that has the tile already
	left          bool
	plain         bool // rows as they lie in memory
	loc           tile.Loc
}

// fill writes the operand to its panel, which lies at its place from base on.
func (o *operand) fill(g *generator, base reg) {
	if o.ready {
		return
	}
	g.loc = o.loc
	if o.panel.size < 4 {
		g.packNarrow(o, base)
		return
	}
	g.pack(o, base)
}

// rowMajor is a buffer as a panel: rows one after another.
func rowMajor(b *buffer) *panel {
	rows, cols, batch := dims(b.t)
	return &panel{order: placed(cols, rows, batch), size: b.size, off: b.off, row: b.size << cols.n, batch: b.size << (cols.n + rows.n)}
}

// result is the buffer of a product as a panel.
func (b *buffer) result() *panel {
	p := rowMajor(b)
	p.right, p.down = tileBytes, tileRows*p.row
	if b.order != nil {
		_, cols, _ := dims(b.t)
		p.order, p.row, p.right = b.order, tileBytes, tileRows*tileBytes
		p.down = p.right << cols.high(logOf(tileRows)).n
	}
	return p
}

// leftOfTiles plans the panel of the left operand of tiles: 16 rows of a tile, those of the next k, and so on.
func (g *generator) leftOfTiles(t arithmetic, v *tile.Value, s matmul, room int) *operand {
	rows, cols, batch := dims(v.Type)
	line, row := logOf(int64(t.line(s)/t.size)), logOf(tileRows)
	gap := strand{-1, logOf(int64(room / s.k))}
	p := &panel{size: t.size, row: t.line(s), k: tileRows * t.size, right: tileRows * t.line(s), down: tileRows * t.size * room, batch: t.size * s.m * room}
	p.order = placed(cols.low(line), rows.low(row), cols.high(line), gap, rows.high(row), batch)
	p.off = g.alloc(p.bytes())
	o := &operand{v: v, panel: p, loc: g.loc, left: true, along: cols}
	if g.alongRows(v) {
		o.along, o.across = rows, cols
	}
	return o
}

// left plans the panel of a dot's left operand, which has room for room elements of each row. The micro-kernel repeats single
// elements, so the panel has them in whatever order they are read from memory.
func (g *generator) left(t arithmetic, v *tile.Value, s matmul, room int) *operand {
	if t.tile != amd64.BadOp {
		return g.leftOfTiles(t, v, s, room)
	}
	rows, cols, batch := dims(v.Type)
	if b := g.bufs[v]; b != nil && b.order == nil && room == s.k && t.of == 1 {
		p := rowMajor(b)
		p.k = p.size
		return &operand{panel: p, ready: true}
	}
	p := &panel{size: t.size}
	o := &operand{v: v, panel: p, loc: g.loc, left: true}
	gap := strand{-1, logOf(int64(room / s.k))}
	if t.of == 1 && g.alongRows(v) {
		p.order = placed(rows, cols, gap, batch)
		p.row, p.k = p.size, p.size*s.m
		o.along = rows
	} else {
		p.order = placed(cols, gap, rows, batch)
		p.row, p.k = p.size*room, p.size
		o.along = cols
		if t.of > 1 && g.alongRows(v) {
			o.along, o.across = rows, cols
		}
	}
	p.batch = p.size * s.m * room
	p.off = g.alloc(p.bytes() + g.vectorBytes)
	return o
}

// right plans the panel of a dot's right operand: micro-panels as wide as a block of the result, in which the vectors of one k
// follow those of another.
func (g *generator) right(t arithmetic, v *tile.Value, s matmul, room int) *operand {
	rows, cols, batch := dims(v.Type)
	size := t.size
	if t.of > 1 {
		return g.rightOfGroups(t, v, s, room)
	}
	width := g.blockOf(t, s).width
	if b := g.bufs[v]; b != nil && b.order == nil && room == s.k {
		p := rowMajor(b)
		p.k, p.row = p.row, size*width
		return &operand{panel: p, ready: true}
	}
	p := &panel{size: size}
	o := &operand{v: v, panel: p, loc: g.loc, along: cols}
	gap, block := strand{-1, logOf(int64(room / s.k))}, logOf(int64(width))
	p.order = placed(cols.low(block), rows, gap, cols.high(block), batch)
	p.k, p.row, p.batch = size*min(width, s.n), size*width*room, size*s.n*room
	if g.alongRows(v) && s.n >= g.lanes && g.selects == nil {
		o.along, o.across = rows, cols
	}
	p.off = g.alloc(p.bytes() + g.vectorBytes)
	return o
}

// arithmetic is how a dot is computed.
type arithmetic struct {
	in   tile.Elem // what operands are brought to
	size int       // bytes of that
	of   int       // how many k a multiplication takes at once: as many as an accumulator has bytes for
	elem tile.Elem // what it accumulates in
	mul  amd64.Op  // acc += x·y, or with add the product
	add  amd64.Op  // BadOp if mul adds
	tile amd64.Op  // on tiles, if not BadOp
}

// arithmeticOf chooses how to compute a dot: in tiles, or by instructions that multiply several k at once, where the processor has them, the
// types fit, and they would be full.
func (g *generator) arithmeticOf(op *tile.Op) (arithmetic, bool) {
	a, b, t := op.Args[0].Type.Elem(), op.Args[1].Type.Elem(), op.Results[0].Type.Elem()
	s, unsigned := matmulOf(op), op.Attr.(tile.DotAttr).Unsigned
	isBF16 := func(e tile.Elem) bool { return e == tile.BF16 || e.IsFP8() } // or exactly so
	isI16 := func(e tile.Elem) bool { return e == tile.I8 || e == tile.I16 && !unsigned }
	inTiles := g.tiles && s.m >= tileRows && s.n >= tileRows && s.k >= g.lanes && code.RequestTiles()
	inPairs := g.selects == nil && s.n >= g.lanes && s.k >= g.lanes
	switch t {
	case tile.F32, tile.F16, tile.BF16:
		switch {
		case isBF16(a) && isBF16(b) && inTiles:
			return arithmetic{in: tile.BF16, size: 2, of: 2, elem: tile.F32, tile: amd64.TDPBF16PS}, true
		case isBF16(a) && isBF16(b) && inPairs && g.pairs:
			return arithmetic{in: tile.BF16, size: 2, of: 2, elem: tile.F32, mul: amd64.VDPBF16PS}, true
		}
		return arithmetic{in: tile.F32, size: 4, of: 1, elem: tile.F32, mul: amd64.VFMADD231PS}, true
	case tile.F64:
		return arithmetic{in: tile.F64, size: 8, of: 1, elem: tile.F64, mul: amd64.VFMADD231PD}, true
	case tile.I32:
		switch {
		case a == tile.I8 && b == tile.I8 && inTiles:
			o := amd64.TDPBSSD
			if unsigned {
				o = amd64.TDPBUUD
			}
			return arithmetic{in: tile.I8, size: 1, of: 4, elem: tile.I32, tile: o}, true
		case isI16(a) && isI16(b) && inPairs && g.sums:
			return arithmetic{in: tile.I16, size: 2, of: 2, elem: tile.I32, mul: amd64.VPDPWSSD}, true
		case isI16(a) && isI16(b) && inPairs:
			return arithmetic{in: tile.I16, size: 2, of: 2, elem: tile.I32, mul: amd64.VPMADDWD, add: amd64.VPADDD}, true
		}
		return arithmetic{in: tile.I32, size: 4, of: 1, elem: tile.I32, mul: amd64.VPMULLD, add: amd64.VPADDD}, true
	}
	return arithmetic{}, false
}

// bytes gives the bytes of an accumulator.
func (t arithmetic) bytes() int { return t.size * t.of }

// rightOfGroups plans the panel of a right operand of narrow elements: width columns side by side, in groups of k that make an accumulator's
// bytes.
func (g *generator) rightOfGroups(t arithmetic, v *tile.Value, s matmul, room int) *operand {
	rows, cols, batch := dims(v.Type)
	width := tileRows
	if t.tile == amd64.BadOp {
		width = g.blockOf(t, s).width
	}
	group, column := logOf(int64(t.of)), logOf(int64(width))
	p := &panel{size: t.size, row: width * t.size * room, k: width * t.size, batch: t.size * s.n * room}
	gap := strand{-1, logOf(int64(room / s.k))}
	p.order = placed(rows.low(group), cols.low(column), rows.high(group), gap, cols.high(column), batch)
	p.off = g.alloc(p.bytes())
	o := &operand{v: v, panel: p, loc: g.loc, along: cols}
	if g.alongRows(v) {
		o.along, o.across = rows, cols
	}
	return o
}

// converted gives a value of another element type.
func converted(op *tile.Op, v *tile.Value, to tile.Elem, unsigned bool) *tile.Value {
	from := v.Type.Elem()
	c := tile.Op{Args: []*tile.Value{v}, Loc: op.Loc}
	switch {
	case from == to:
		return v
	case from.IsFloat() && from.Bits() < to.Bits():
		c.Code = tile.OpFExt
	case from.IsFloat():
		c.Code, c.Attr = tile.OpFTrunc, tile.RoundAttr{Mode: tile.NearestEven}
	case from.Bits() > to.Bits():
		c.Code = tile.OpTrunc
	case unsigned:
		c.Code = tile.OpExtU
	default:
		c.Code = tile.OpExtS
	}
	r := &tile.Value{Type: v.Type.WithElem(to), Op: &c}
	c.Results = []*tile.Value{r}
	return r
}

// inBuffer gives a buffer with a tile, row by row.
func (g *generator) inBuffer(v *tile.Value, loc tile.Loc) *buffer {
	if b := g.bufs[v]; b != nil && b.order == nil {
		return b
	}
	b := g.newBuffer(v.Type)
	g.elementwise(v.Type, []job{{v: v, to: b, loc: loc}})
	return b
}

// A matmul is the sizes of a dot: batches of [m,k]·[k,n].
type matmul struct{ batch, m, n, k int }

func matmulOf(op *tile.Op) matmul {
	a, b := op.Args[0].Type, op.Args[1].Type
	r := a.Rank()
	s := matmul{batch: 1, m: a.Dim(r - 2), n: b.Dim(r - 1), k: a.Dim(r - 1)}
	if r == 3 {
		s.batch = a.Dim(0)
	}
	return s
}

// pointer gives a register that points to the frame.
func (g *generator) pointer() reg {
	r := g.gpr()
	g.op3(amd64.MOV, r, amd64.RDI, none, 0)
	return r
}

// counted emits a loop of n iterations.
func (g *generator) counted(n int, body func()) { g.times(n, body, g.loopEnd) }

// times emits a loop of n iterations; end comes before its back edge.
func (g *generator) times(n int, body func(), end func(mark, int)) {
	if n == 1 {
		body()
		return
	}
	left := g.gpr()
	g.movImm(left, uint64(n))
	g.countDown(left, n, body, end)
}

// countDown emits a loop of as many iterations as left says, at least 1 and at most n; end comes before its back edge.
func (g *generator) countDown(left reg, n int, body func(), end func(mark, int)) {
	top := g.label()
	g.bind(top)
	m := g.cur.mark()
	body()
	end(m, n)
	g.op3(amd64.ADDLI, left, none, none, -1)
	g.jcc(amd64.CCNE, top)
}
