package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Panels of narrow elements have another order than rows in memory, and so have those of a right operand that lies column by column, so a micro-kernel cannot read those in their window. But what a loop collects there need not
// be copied tile by tile, with masks that select everything: it is brought to the panel when it is multiplied, all its k at once, in whole lines.

// brings reports whether the rows of a window are brought to the panel: those of a right operand, which it interleaves, and of a left one that is loaded often.
func (w *window) brings(t arithmetic, s matmul) bool {
	if w.left {
		return t.tile != amd64.BadOp && !t.inPlace(s)
	}
	return t.of > 1 || w.across
}

// fewPasses reports whether a left operand's tiles are loaded so few times that it need not be copied for that: where its rows are far apart they share sets of the
// first cache, and each pass reads them from the second one.
func fewPasses(s matmul) bool { return s.n <= 8*tileRows }

// inPlace reports whether the left operand's tiles are loaded from where it lies: also where they are shorter than the lines that it would be copied in.
func (t arithmetic) inPlace(s matmul) bool { return fewPasses(s) || t.line(s) < tileBytes }

// leftInPlace plans the panel of a left operand that is read where it lies, or else from plain rows; nil if it does not lie so.
func (g *generator) leftInPlace(t arithmetic, v *tile.Value, s matmul, room int) *operand {
	if t.tile == amd64.BadOp || !t.inPlace(s) {
		return nil
	}
	rows, cols, batch := dims(v.Type)
	p := &panel{size: t.size, row: t.size * room, k: t.size, right: t.line(s), down: tileRows * t.size * room}
	o := &operand{v: v, panel: p, loc: g.loc, left: true, along: cols}
	if g.windowOf(o, t, s) == nil {
		return nil
	}
	p.order = placed(cols, strand{-1, logOf(int64(room / s.k))}, rows, batch)
	p.off = g.alloc(p.bytes())
	return o
}

// bring brings k of a window's rows to the panel.
func (w *window) bring(g *generator, p *panel, rows rowsAt, k extent) {
	switch {
	case w.left:
		w.bringLeft(g, p, rows, k)
	case w.across:
		w.bringColumns(g, p, rows, k)
	default:
		w.bringRight(g, p, rows, k)
	}
}

// bringSeen brings k of a window's rows to its panel, if they are not packed there.
func (w *window) bringSeen(g *generator, rows rowsAt, k extent) {
	there := g.label()
	if w.to == w.o.panel {
		g.op3(amd64.CMP, w.panelAt(g), rows.first, none, 0)
		g.jcc(amd64.CCE, there)
	}
	w.bring(g, w.to, rows, k)
	g.bind(there)
}

// rowsAtOnce is how many rows of the left operand are copied side by side.
const rowsAtOnce = 4

// bringLeft copies rows to tiles.
func (w *window) bringLeft(g *generator, p *panel, rows rowsAt, k extent) {
	per := lineBytes / p.size
	from, to, three := g.copyG(rows.first), p.begin(g), g.threeTimes(rows.step)
	g.counted(1<<w.rows.n/tileRows, func() {
		g.counted(tileRows/rowsAtOnce, func() {
			at, place := g.copyG(from), g.copyG(to)
			g.eachK(extent{k.most, k.count, per}, per, func(int) {
				var lines [rowsAtOnce]reg
				for r := range lines {
					lines[r] = g.vec()
					g.load(amd64.VMOVUPS, lines[r], inRow(at, rows.step, three, r))
				}
				for r, v := range lines {
					g.store(amd64.VMOVUPSst, v, amd64.At(place, int32(r*p.row)))
				}
				g.op3(amd64.ADDI, at, none, none, lineBytes)
				g.op3(amd64.ADDI, place, none, none, int64(p.right))
			})
			g.load(amd64.LEA, from, amd64.Mem{Base: from, Index: rows.step, Scale: rowsAtOnce})
			g.op3(amd64.ADDI, to, none, none, int64(rowsAtOnce*p.row))
		})
		g.op3(amd64.ADDI, to, none, none, int64(p.down-tileRows*p.row))
	})
}

// vectors gives how many vectors of columns stand beside each other in a micro-panel; those of the next one are p.row on.
func (p *panel) vectors(g *generator) int { return p.k / (g.lanes * p.size) }

// bringRight interleaves the rows of a group: vectors of 16 columns.
func (w *window) bringRight(g *generator, p *panel, rows rowsAt, k extent) {
	group, all := 4/p.size, 1<<w.cols.n/g.lanes
	n, beside := min(all, maxUnrolled), p.vectors(g)
	load := ins(amd64.VMOVDQU16)
	load.L = amd64.Y
	if p.size == 1 {
		load.Op, load.L = amd64.VMOVDQU8, amd64.X
	}
	from, to, three := g.copyG(rows.first), p.begin(g), g.threeTimes(rows.step)
	order := g.interleaving(group)
	g.counted(all/n, func() {
		at, place := g.copyG(from), g.copyG(to)
		g.eachK(extent{k.most, k.count, group}, group, func(int) {
			for j := range n {
				strips := make([]reg, group)
				for r := range strips {
					i := load
					i.A, i.HasMem, i.M = g.vec(), true, inRow(at, rows.step, three, r)
					i.M.Disp = int32(j * g.lanes * p.size)
					g.emit(i)
					strips[r] = i.A
				}
				g.store(amd64.VMOVUPSst, g.interleaved(strips, order), amd64.At(place, int32(j/beside*p.row+j%beside*g.vectorBytes)))
			}
			g.load(amd64.LEA, at, amd64.Mem{Base: at, Index: rows.step, Scale: uint8(group)})
			g.op3(amd64.ADDI, place, none, none, int64(group*p.k))
		})
		g.op3(amd64.ADDI, from, none, none, int64(n*g.lanes*p.size))
		g.op3(amd64.ADDI, to, none, none, int64(n/beside*p.row))
	})
}

// bringColumns transposes lines of 16 columns that lie in memory as rows: vectors of 16 columns' groups.
func (w *window) bringColumns(g *generator, p *panel, rows rowsAt, k extent) {
	per, group, beside := lineBytes/p.size, 4/p.size, p.vectors(g)
	from, to, three := g.copyG(rows.first), p.begin(g), g.threeTimes(rows.step)
	columns := func(j int) {
		at, place := g.copyG(from), g.copyG(to)
		g.eachK(extent{k.most, k.count, per}, per, func(int) {
			lines, four := make([]reg, g.lanes), at
			for r := range lines {
				if r > 0 && r%4 == 0 {
					four = g.fourOn(four, rows.step)
				}
				lines[r] = g.vec()
				g.load(amd64.VMOVUPS, lines[r], inRow(four, rows.step, three, r%4))
			}
			for i, v := range g.transposed(lines) {
				g.store(amd64.VMOVUPSst, v, amd64.At(place, int32(i*group*p.k+j*g.vectorBytes)))
			}
			g.op3(amd64.ADDI, at, none, none, lineBytes)
			g.op3(amd64.ADDI, place, none, none, int64(per*p.k))
		})
		for range g.lanes / 4 {
			g.load(amd64.LEA, from, amd64.Mem{Base: from, Index: rows.step, Scale: 4})
		}
	}
	g.counted(1<<w.rows.n/(g.lanes*beside), func() {
		for j := range beside {
			columns(j)
		}
		g.op3(amd64.ADDI, to, none, none, int64(p.row))
	})
}

// fourOn gives the address four rows on.
func (g *generator) fourOn(at, step reg) reg {
	r := g.gpr()
	g.load(amd64.LEA, r, amd64.Mem{Base: at, Index: step, Scale: 4})
	return r
}

// threeTimes gives three steps, and inRow the place of one of four rows.
func (g *generator) threeTimes(step reg) reg {
	r := g.gpr()
	g.load(amd64.LEA, r, amd64.Mem{Base: step, Index: step, Scale: 2})
	return r
}

func inRow(base, step, three reg, row int) amd64.Mem {
	switch row {
	case 0:
		return amd64.At(base, 0)
	case 3:
		return amd64.Mem{Base: base, Index: three, Scale: 1}
	}
	return amd64.Mem{Base: base, Index: step, Scale: uint8(row)}
}

// base gives the address from which a panel's places are counted, begin that of the first one.
func (p *panel) base(g *generator) reg {
	r := g.pointer()
	if p.shift != nil {
		g.op3(amd64.ADD, r, *p.shift, none, 0)
	}
	return r
}

func (p *panel) begin(g *generator) reg {
	r := p.base(g)
	g.op3(amd64.ADDI, r, none, none, int64(p.off))
	return r
}
