package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An accumulator whose rows are multiplied by a number each before products are added up, as in
//
//	acc = dot(weights, v, acc * shrink[:, None])
//
// is multiplied where blocks of it are loaded, or right before, if those are tiles.

// rowScale gives a buffer with the numbers that the rows of a product's accumulator, which is in place, are multiplied by; nil if it is none such.
func (g *generator) rowScale(op *tile.Op, t arithmetic, sum *buffer) *buffer {
	by := op.Args[2].Op
	if by == nil || by.Code != tile.OpFMul || sum.t != op.Results[0].Type {
		return nil
	}
	acc := by.Args[0]
	if g.bufs[acc] != sum {
		acc = by.Args[1]
	}
	v := g.scaledBy(op, acc, t)
	if g.bufs[acc] != sum || v == nil {
		return nil
	}
	for v.Op != nil && g.bufs[v] == nil && (v.Op.Code == tile.OpExpandDims || v.Op.Code == tile.OpReshape) {
		v = v.Op.Args[0]
	}
	return g.inBuffer(v, op.Loc)
}

// scaledBy gives what the rows of acc are multiplied by before a product is added, a number for each; nil if they are not.
func (g *generator) scaledBy(op *tile.Op, acc *tile.Value, t arithmetic) *tile.Value {
	by := op.Args[2].Op
	if by == nil || by.Code != tile.OpFMul || g.plan.isOutlined(by) || !t.elem.IsFloat() || t.elem != acc.Type.Elem() {
		return nil
	}
	rows := by.Args[0]
	if rows == acc {
		rows = by.Args[1]
	}
	if rows == acc || rows.Op == nil || rows.Op.Code != tile.OpBroadcast || g.bufs[rows] != nil {
		return nil
	}
	v, last := rows.Op.Args[0], acc.Type.Rank()-1
	if v.Type.NumElems()*acc.Type.Dim(last) != acc.Type.NumElems() || v.Type.Dim(last) != 1 {
		return nil
	}
	return v
}

// begin gives a register that points to the numbers of the first rows.
func (b *buffer) begin(g *generator) reg {
	if b == nil {
		return none
	}
	return g.addImm(8, amd64.RDI, int64(b.off))
}

// goOn gives a register of its own that points there.
func (b *buffer) goOn(g *generator, at reg) reg {
	if b == nil {
		return none
	}
	return g.copyG(at)
}

// advance goes on by some rows.
func (b *buffer) advance(g *generator, at reg, rows int) {
	if b != nil {
		g.op3(amd64.ADDI, at, none, none, int64(rows*b.size))
	}
}

// multiply multiplies the rows of a block by the numbers from at on.
func (b *buffer) multiply(g *generator, acc []reg, shape block, at reg) {
	if b == nil {
		return
	}
	for r := range shape.rows {
		e := g.vec()
		g.load(pick(b.size, amd64.VPBROADCASTD, amd64.VPBROADCASTQ), e, amd64.At(at, int32(r*b.size)))
		for j := range shape.cols {
			c := acc[r*shape.cols+j]
			g.op3(pick(b.size, amd64.VMULPS, amd64.VMULPD), c, c, e, 0)
		}
	}
}
