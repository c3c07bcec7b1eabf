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

// tileConfig is what LDTILECFG reads: palette 1, all tiles of full size.
func tileConfig() []byte {
	b := make([]byte, 64)
	b[0] = 1
	for t := range 8 {
		b[16+2*t] = tileBytes
		b[48+t] = tileRows
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
	m.HasMem, m.M = true, g.constant(64, tileConfig())
	g.emit(m)
	rows, cols := min(2, s.m/tileRows), min(2, s.n/tileRows)
	line, row := g.gpr(), g.gpr()
	g.movImm(line, tileBytes)
	g.movImm(row, uint64(c.row))
	steps := [3]reg{line, line, row}
	pa, pb, pc := a.base(g), b.base(g), c.base(g)
	g.unpaused(s.batch, func() {
		pbj, pcj := g.copyG(pb), g.copyG(pc)
		g.repeated(s.n/(tileRows*cols), panels, func() {
			pai, pci := g.copyG(pa), g.copyG(pcj)
			g.repeated(s.m/(tileRows*rows), blocks, func() {
				g.blockOfTiles(t, rows, cols, [3]*panel{a, b, c}, [3]reg{pai, pbj, pci}, steps, k, next)
				g.op3(amd64.ADDI, pai, none, none, int64(rows*a.row))
				g.op3(amd64.ADDI, pci, none, none, int64(rows*c.down))
			}, g.repeats)
			g.op3(amd64.ADDI, pbj, none, none, int64(cols*b.row))
			g.op3(amd64.ADDI, pcj, none, none, int64(cols*c.right))
		}, g.repeats)
		g.op3(amd64.ADDI, pa, none, none, int64(a.batch))
		g.op3(amd64.ADDI, pb, none, none, int64(b.batch))
		g.op3(amd64.ADDI, pc, none, none, int64(c.batch))
	})
	g.emit(ins(amd64.TILERELEASE))
	g.bind(nothing)
}

// blockOfTiles adds to rows × cols tiles of c: tiles 0 to 3, 4 and 5 are of a, 6 and 7 of b.
func (g *generator) blockOfTiles(t arithmetic, rows, cols int, of [3]*panel, at, steps [3]reg, k extent, next *deal) {
	move := func(op amd64.Op, tile, operand, disp int, base reg) {
		i := ins(op)
		i.A, i.HasMem = amd64.T0+reg(tile), true
		i.M = amd64.Mem{Base: base, Index: steps[operand], Scale: 1, Disp: int32(of[operand].off + disp)}
		g.emit(i)
	}
	eachC := func(op amd64.Op) {
		for r := range rows {
			for j := range cols {
				move(op, 2*r+j, 2, r*of[2].down+j*of[2].right, at[2])
			}
		}
	}
	if of[2].fresh {
		for n := range rows * cols {
			i := ins(amd64.TILEZERO)
			i.A = amd64.T0 + reg(n/cols*2+n%cols)
			g.emit(i)
		}
	} else {
		eachC(amd64.TILELOADD)
	}
	pa, pb, left := g.copyG(at[0]), g.copyG(at[1]), g.gpr()
	per := tileBytes / t.size // k of a tile
	ask := next.start(g, k.most/per)
	if k.count == none {
		g.movImm(left, uint64(k.most))
	} else {
		g.op3(amd64.MOV, left, k.count, none, 0)
	}
	top := g.label()
	g.bind(top)
	m := g.cur.mark()
	ask()
	for j := range cols {
		move(amd64.TILELOADD, 6+j, 1, j*of[1].row, pb)
	}
	for r := range rows {
		move(amd64.TILELOADD, 4+r, 0, r*of[0].row, pa)
		for j := range cols {
			i := ins(t.tile)
			i.A, i.B, i.C = amd64.T0+reg(2*r+j), amd64.T0+4+reg(r), amd64.T0+6+reg(j)
			g.emit(i)
		}
	}
	g.op3(amd64.ADDI, pa, none, none, tileRows*tileBytes)
	g.op3(amd64.ADDI, pb, none, none, tileRows*tileBytes)
	g.op3(amd64.ADDLI, left, none, none, int64(-per))
	g.repeats(m, k.most/per)
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
