package native

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A left operand of narrow elements that lies in memory column by column, as x.T does where x lies row by row: strips of 16 rows are read for each of the
// k of a group and interleaved, so that each lane is a row's group; then 16 such vectors are transposed, and each is 64 bytes of a row.
//
//	k, k+1 (bf16)  ─ interleave ─▶  16 rows' pairs  ┐
//	k+2, k+3       ─ interleave ─▶  16 rows' pairs  ┼─ transpose ─▶  row r: k, k+1, k+2, … k+31
//	…                                               ┘

// maxColumnStrips is how many strips of rows are done for the same k: those of a line of memory, if its elements have two bytes.
const maxColumnStrips = 2

// packColumns fills the panel of such an operand.
func (g *generator) packColumns(o *operand, base reg) {
	v, p := o.v, o.panel
	rows, cols, _ := dims(v.Type)
	group := logOf(int64(4 / p.size))
	low, square := cols.low(group), cols.high(group).low(g.laneBits)
	strips := rows.high(g.laneBits).low(logOf(maxColumnStrips))
	k := g.startPacking(v.Type, p, base, rows, low, square, strips)
	for s := range 1 << strips.n {
		first := k.at(k.first, strips, s)
		k.groupsAcross(first, rows, square, func(at view) reg {
			var of []reg
			for r := range 1 << group {
				of = append(of, k.narrowStrip(v, k.at(at, low, r)))
			}
			r := none
			k.on(k.depth(), func() { r = g.interleaved(of, g.interleaving(len(of))) })
			return r
		})
	}
	k.end()
}

// stepOf gives how far apart in a panel elements are that differ in a bit of their numbers.
func (p *panel) stepOf(bit int) int { return p.size << slices.Index(p.order, int8(bit)) }

// groupsAcross reads vectors of 16 rows' groups, as many as a square has, and stores each row's groups one after another.
func (k *packing) groupsAcross(first view, rows, square strand, get func(at view) reg) {
	g := k.g
	of := make([]reg, g.lanes)
	for n := range of {
		if n < 1<<square.n {
			of[n] = get(k.at(first, square, n))
		} else {
			of[n] = of[n%(1<<square.n)] // what comes of it is not stored
		}
	}
	k.on(k.depth(), func() {
		m, line := k.place(first), k.p.stepOf(rows.at)
		for r, v := range g.transposed(of) {
			at := m
			at.Disp += int32(r * line)
			g.storeGroups(v, at, 1<<square.n)
		}
	})
}

// groupsDown reads vectors of groups, one of each of 16 columns, and stores the first n groups of all columns, step bytes apart.
func (k *packing) groupsDown(square strand, n int, get func(at view) reg, step int) {
	g := k.g
	of := make([]reg, g.lanes)
	for c := range of {
		of[c] = get(k.at(k.first, square, c))
	}
	k.on(k.depth(), func() {
		m := k.place(k.first)
		for i, v := range g.transposed(of)[:n] {
			at := m
			at.Disp += int32(i * step)
			g.store(amd64.VMOVUPSst, v, at)
		}
	})
}

// storeGroups stores the first n lanes of a vector.
func (g *generator) storeGroups(v reg, at amd64.Mem, n int) {
	i := ins(amd64.VMOVUPSst)
	i.A, i.HasMem, i.M = v, true, at
	switch {
	case n == 16:
	case n == 8:
		i.L = amd64.Y
	case n == 4:
		i.L = amd64.X
	default:
		i.K = g.lanesIn(1<<n - 1)
	}
	g.emit(i)
}

// source gives the value whose elements, in another order, are those of v, and the view of it.
func (g *generator) source(v *tile.Value, at view) (*tile.Value, view) {
	for v.Op != nil && g.bufs[v] == nil {
		of, from, ok := moved(v, at)
		if !ok {
			break
		}
		v, at = of, from
	}
	return v, at
}
