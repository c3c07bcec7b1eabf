package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// squareOf fills places of a panel whose vectors lie across the strips: the strips of as many neighbours as there are vectors in a square are
// read, transposed, and stored step bytes apart.
func (k *packing) squareOf(square strand, get func(at view) [2]reg, step int) {
	g, per := k.g, 1<<square.n
	var rows [2][]reg // of the lower and the upper elements of strips
	k.on(k.depth(), func() {
		for n := range per {
			vs := get(k.at(k.first, square, n))
			for h := range g.lanes / per {
				rows[h] = append(rows[h], vs[h])
			}
		}
	})
	k.on(k.depth(), func() {
		m := k.place(k.first)
		for h := range g.lanes / per {
			for i, v := range g.transposed(rows[h]) {
				at := m
				at.Disp += int32((h*per + i) * step)
				g.store(amd64.VMOVUPSst, v, at)
			}
		}
	})
}

// transposed gives the columns of a square of 16 vectors of 16 elements, or 8 of 8.
func (g *generator) transposed(rows []reg) []reg {
	if len(rows) == 8 {
		return g.transposed8(rows)
	}
	// Within each quarter of a vector, 4 rows become 4 columns.
	var quads [4][4]reg
	for j := range quads {
		r := rows[4*j:]
		lo, hi := g.rvm(amd64.VUNPCKLPS, r[0], r[1]), g.rvm(amd64.VUNPCKHPS, r[0], r[1])
		lo2, hi2 := g.rvm(amd64.VUNPCKLPS, r[2], r[3]), g.rvm(amd64.VUNPCKHPS, r[2], r[3])
		quads[j] = [4]reg{
			g.rvm(amd64.VUNPCKLPD, lo, lo2), g.rvm(amd64.VUNPCKHPD, lo, lo2),
			g.rvm(amd64.VUNPCKLPD, hi, hi2), g.rvm(amd64.VUNPCKHPD, hi, hi2),
		}
	}
	out := make([]reg, 16)
	for c := range 4 {
		cols := g.quarters(amd64.VSHUFF32X4, quads[0][c], quads[1][c], quads[2][c], quads[3][c])
		for l, v := range cols {
			out[4*l+c] = v
		}
	}
	return out
}

func (g *generator) transposed8(rows []reg) []reg {
	var even, odd [4]reg
	for j := range even {
		even[j] = g.rvm(amd64.VUNPCKLPD, rows[2*j], rows[2*j+1])
		odd[j] = g.rvm(amd64.VUNPCKHPD, rows[2*j], rows[2*j+1])
	}
	out := make([]reg, 8)
	for l, v := range g.quarters(amd64.VSHUFF64X2, even[0], even[1], even[2], even[3]) {
		out[2*l] = v
	}
	for l, v := range g.quarters(amd64.VSHUFF64X2, odd[0], odd[1], odd[2], odd[3]) {
		out[2*l+1] = v
	}
	return out
}

// quarters transposes 4 vectors of 4 quarters.
func (g *generator) quarters(op amd64.Op, a, b, c, d reg) [4]reg {
	const even, odd = 0x88, 0xdd // quarters 0 and 2 of both operands, 1 and 3
	ab, cd := g.rvmi(op, a, b, even), g.rvmi(op, c, d, even)
	ab1, cd1 := g.rvmi(op, a, b, odd), g.rvmi(op, c, d, odd)
	return [4]reg{g.rvmi(op, ab, cd, even), g.rvmi(op, ab1, cd1, even), g.rvmi(op, ab, cd, odd), g.rvmi(op, ab1, cd1, odd)}
}
