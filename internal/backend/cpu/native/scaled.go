package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An accumulator whose rows are multiplied by a number each before products are added up, as in
//
//	acc = dot(weights, v, acc * shrink[:, None])
//
// is multiplied where blocks of it are loaded.

// rowScale gives a buffer with the numbers that the rows of a product's accumulator, which is in place, are multiplied by; nil if it is none such.
func (g *generator) rowScale(op *tile.Op, t arithmetic, sum *buffer) *buffer {
	by := op.Args[2].Op
	if by == nil || by.Code != tile.OpFMul || g.plan.isOutlined(by) || t.tile != amd64.BadOp || !t.elem.IsFloat() || sum.t != op.Results[0].Type {
		return nil
	}
	acc, rows := by.Args[0], by.Args[1]
	if g.bufs[acc] != sum {
		acc, rows = rows, acc
	}
	if g.bufs[acc] != sum || rows.Op == nil || rows.Op.Code != tile.OpBroadcast || g.bufs[rows] != nil {
		return nil
	}
	v := rows.Op.Args[0]
	if v.Type.NumElems()*sum.t.Dim(sum.t.Rank()-1) != sum.t.NumElems() || v.Type.Dim(v.Type.Rank()-1) != 1 {
		return nil
	}
	for v.Op != nil && g.bufs[v] == nil && (v.Op.Code == tile.OpExpandDims || v.Op.Code == tile.OpReshape) {
		v = v.Op.Args[0]
	}
	return g.inBuffer(v, op.Loc)
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
