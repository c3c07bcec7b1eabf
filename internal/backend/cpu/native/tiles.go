package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// The tiles of AMX are 8 registers of 16 rows of 64 bytes. One instruction multiplies a tile with 16 rows of 32 bf16 (64 i8) and one with 16
// columns of them, in 16 cycles. A block of the result is 2×2 tiles, for which two of each operand are loaded.

// tileRows is how many rows a tile has, tileBytes how long they are.
const (
	tileRows  = 16
	tileBytes = 64
)

// line gives the bytes of k that a tile has: fewer than it could have where a product has fewer.
func (t arithmetic) line(s matmul) int { return min(tileBytes, s.k*t.size) }

// tileConfig is what LDTILECFG reads: palette 1, all tiles of full size, but that those of a have lines of so many bytes, and those of b as many
// rows as that makes.
func tileConfig(line int) []byte {
	b := make([]byte, 64)
	b[0] = 1
	for t := range 8 {
		b[16+2*t] = tileBytes
		b[48+t] = tileRows
	}
	for t := 4; t < 6; t++ {
		b[16+2*t] = byte(line)
		b[48+t+2] = byte(line / 4)
	}
	return b
}

// inTiles gives the order of a result's elements in which those of a tile are one after another: 16 rows of 64 bytes.
func inTiles(t tile.Type) []int8 {
	rows, cols, batch := dims(t)
	col, row := logOf(tileBytes/4), logOf(tileRows)
	return placed(cols.low(col), rows.low(row), cols.high(col), rows.high(row), batch)
}

// multiplyTiles adds a·b to c in tiles. The code does not pause in between, as the tiles are not saved then; for the largest results
// it takes some hundred microseconds.
func (g *generator) multiplyTiles(t arithmetic, s matmul, a, b, c *panel, k extent, need *demand, next *deal) {
	nothing := g.label()
	blocks, panels := need.counts(g, tileRows*min(2, s.m/tileRows), tileRows*min(2, s.n/tileRows), nothing)
	m := ins(amd64.LDTILECFG)
	m.HasMem, m.M = true, g.constant(64, tileConfig(t.line(s)))
	g.emit(m)
	rows, cols := min(2, s.m/tileRows), min(2, s.n/tileRows)
	line, row := g.gpr(), g.gpr()
	g.movImm(line, tileBytes)
	g.movImm(row, uint64(c.row))
	x := tiling{t: t, rows: rows, cols: cols, a: a, b: b, c: c, k: k, short: t.line(s), line: line, row: row, left: line, below: g.gpr()}
	pa := a.begin(g)
	g.movImm(x.below, uint64(a.down))
	switch {
	case a.rows != nil:
		pa, x.left = g.copyG(a.rows.first), a.rows.step
		g.op3(amd64.MOV, x.below, x.left, none, 0)
		g.op3(amd64.SHLI, x.below, none, none, int64(logOf(tileRows)))
	case a.row != tileBytes:
		x.left = g.gpr()
		g.movImm(x.left, uint64(a.row))
	}
	pb, pc, scale := b.base(g), c.base(g), c.scale.begin(g)
	g.unpaused(s.batch, func() {
		pbj, pcj := g.copyG(pb), g.copyG(pc)
		g.repeated(s.n/(tileRows*cols), panels, func() {
			pai, pci, by := g.copyG(pa), g.copyG(pcj), c.scale.goOn(g, scale)
			g.repeated(s.m/(tileRows*rows), blocks, func() {
				x.scale(g, pci, by)
				x.block(g, pai, pbj, pci, next)
				for range rows {
					g.op3(amd64.ADD, pai, x.below, none, 0)
				}
				g.op3(amd64.ADDI, pci, none, none, int64(rows*c.down))
				c.scale.advance(g, by, rows*tileRows)
			}, g.repeats)
			g.op3(amd64.ADDI, pbj, none, none, int64(cols*b.row))
			g.op3(amd64.ADDI, pcj, none, none, int64(cols*c.right))
		}, g.repeats)
		g.op3(amd64.ADDI, pa, none, none, int64(a.batch))
		g.op3(amd64.ADDI, pb, none, none, int64(b.batch))
		g.op3(amd64.ADDI, pc, none, none, int64(c.batch))
		c.scale.advance(g, scale, s.m)
	})
	g.emit(ins(amd64.TILERELEASE))
	g.bind(nothing)
}

// A tiling is a product in tiles: blocks of rows × cols of them.
type tiling struct {
	t          arithmetic
	rows, cols int
	a, b, c    *panel
	k          extent
	short      int // bytes of k in a tile

	left, line, row reg // how far the rows of a tile of a, b and c are apart
	below           reg // how far it is to the tile of a below
}

// scale multiplies the rows of a block of c by the numbers from by on: of all tiles one row after another.
func (x *tiling) scale(g *generator, pci, by reg) {
	if x.c.scale == nil {
		return
	}
	at, from := g.copyG(pci), g.copyG(by)
	g.unpaused(tileRows, func() {
		for r := range x.rows {
			e := g.vec()
			g.load(amd64.VPBROADCASTD, e, amd64.At(from, int32(r*tileRows*x.c.scale.size)))
			for j := range x.cols {
				m := amd64.At(at, int32(x.c.off+r*x.c.down+j*x.c.right))
				v := g.vec()
				g.load(amd64.VMOVUPS, v, m)
				g.store(amd64.VMOVUPSst, g.rvm(amd64.VMULPS, v, e), m)
			}
		}
		g.op3(amd64.ADDI, at, none, none, int64(x.c.row))
		g.op3(amd64.ADDI, from, none, none, int64(x.c.scale.size))
	})
}

// block adds to a block of c: tiles 0 to 3, 4 and 5 are of a, 6 and 7 of b.
func (x *tiling) block(g *generator, pai, pbj, pci reg, next *deal) {
	move := func(op amd64.Op, tile int, base, step reg, disp int) {
		i := ins(op)
		i.A, i.HasMem, i.M = amd64.T0+reg(tile), true, amd64.Mem{Base: base, Index: step, Scale: 1, Disp: int32(disp)}
		g.emit(i)
	}
	eachC := func(op amd64.Op) {
		for r := range x.rows {
			for j := range x.cols {
				move(op, 2*r+j, pci, x.row, x.c.off+r*x.c.down+j*x.c.right)
			}
		}
	}
	if x.c.fresh {
		for n := range x.rows * x.cols {
			i := ins(amd64.TILEZERO)
			i.A = amd64.T0 + reg(n/x.cols*2+n%x.cols)
			g.emit(i)
		}
	} else {
		eachC(amd64.TILELOADD)
	}
	pas, pb, left := []reg{g.copyG(pai)}, g.copyG(pbj), g.gpr()
	if x.rows > 1 {
		pas = append(pas, g.copyG(pai))
		g.op3(amd64.ADD, pas[1], x.below, none, 0)
	}
	per := x.short / x.t.size // k of a tile
	ask := next.start(g, x.k.most/per)
	if x.k.count == none {
		g.movImm(left, uint64(x.k.most))
	} else {
		g.op3(amd64.MOV, left, x.k.count, none, 0)
	}
	top := g.label()
	g.bind(top)
	m := g.cur.mark()
	ask()
	for j := range x.cols {
		move(amd64.TILELOADD, 6+j, pb, x.line, x.b.off+j*x.b.row)
	}
	for r, pa := range pas {
		move(amd64.TILELOADD, 4+r, pa, x.left, 0)
		for j := range x.cols {
			i := ins(x.t.tile)
			i.A, i.B, i.C = amd64.T0+reg(2*r+j), amd64.T0+4+reg(r), amd64.T0+6+reg(j)
			g.emit(i)
		}
	}
	for _, pa := range pas {
		g.op3(amd64.ADDI, pa, none, none, int64(x.a.right))
	}
	g.op3(amd64.ADDI, pb, none, none, int64(tileRows*x.short))
	g.op3(amd64.ADDLI, left, none, none, int64(-per))
	g.repeats(m, x.k.most/per)
	g.jcc(amd64.CCNE, top)
	eachC(amd64.TILESTORED)
}

// unpaused is counted without a pause.
func (g *generator) unpaused(n int, body func()) { g.times(n, body, g.repeats) }

// repeats counts what a loop of n iterations costs that does not pause.
func (g *generator) repeats(m mark, n int) {
	cost, _ := g.cur.since(m)
	g.cur.again = min(g.cur.again+cost*int64(n-1), maxCost)
}
