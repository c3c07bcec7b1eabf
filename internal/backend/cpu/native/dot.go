package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// dot compiles OpDot of f32, or of f16 and bf16 into f32. Both operands lie in buffers as f32, row by row, which is the form that
// the kernel wants: rows of b are read as vectors, elements of a are repeated on the way from memory. A block
// of the result stays in 16 registers while k runs, and is added to in the result's buffer.
func (g *generator) dot(op *tile.Op) {
	a, b, t := op.Args[0].Type, op.Args[1].Type, op.Results[0].Type
	if t.Rank() != 2 || t.Elem() != tile.F32 || !asF32(a) || !asF32(b) {
		g.refuse("dot of %s and %s to %s", a, b, t)
	}
	result := g.inPlace[op]
	if result == nil {
		result = g.newBuffer(t)
		g.elementwise(t, []job{{v: op.Args[2], to: result, loc: op.Loc}})
	}
	x, y := g.inBuffer(op.Args[0], op.Loc), g.inBuffer(op.Args[1], op.Loc)
	g.bufs[op.Results[0]] = result
	g.loc = op.Loc
	g.multiply(x, y, result, t.Dim(0), t.Dim(1), a.Dim(1))
}

func asF32(t tile.Type) bool {
	switch t.Elem() {
	case tile.F32, tile.F16, tile.BF16:
		return true
	}
	return false
}

// inBuffer gives a buffer with a tile.
func (g *generator) inBuffer(v *tile.Value, loc tile.Loc) *buffer {
	if b := g.bufs[v]; b != nil {
		return b
	}
	b := g.newBuffer(v.Type)
	g.elementwise(v.Type, []job{{v: v, to: b, loc: loc}})
	return b
}

// multiply adds a·b to c, [m,k]·[k,n]. Blocks have 16 registers: as many columns as give 4 of them, and rows.
func (g *generator) multiply(a, b, c *buffer, m, n, k int) {
	cols := max(1, min(4, n/lanes))
	rows := min(m, 16/cols)
	unroll := min(k, 4)
	rowBytes := func(n int) int { return n * 4 }
	pa, pc := g.pointer(), g.pointer()
	g.counted(m/rows, func() {
		pb, pcn := g.pointer(), g.copyG(pc)
		g.counted(max(1, n/(lanes*cols)), func() {
			acc := make([]reg, rows*cols)
			at := func(r, j int) amd64.Mem { return amd64.At(pcn, int32(c.off+r*rowBytes(n)+64*j)) }
			for r := range rows {
				for j := range cols {
					acc[r*cols+j] = g.vec()
					g.load(amd64.VMOVUPS, acc[r*cols+j], at(r, j))
				}
			}
			pak, pbk := g.copyG(pa), g.copyG(pb)
			g.counted(k/unroll, func() {
				for u := range unroll {
					vs := make([]reg, cols)
					for j := range vs {
						vs[j] = g.vec()
						g.load(amd64.VMOVUPS, vs[j], amd64.At(pbk, int32(b.off+u*rowBytes(n)+64*j)))
					}
					for r := range rows {
						g.multiplyRow(acc[r*cols:][:cols], vs, amd64.At(pak, int32(a.off+r*rowBytes(k)+4*u)))
					}
				}
				g.op3(amd64.ADDI, pak, none, none, int64(4*unroll))
				g.op3(amd64.ADDI, pbk, none, none, int64(unroll*rowBytes(n)))
			})
			for r := range rows {
				for j := range cols {
					g.storePart(acc[r*cols+j], at(r, j), n)
				}
			}
			g.op3(amd64.ADDI, pb, none, none, int64(64*cols))
			g.op3(amd64.ADDI, pcn, none, none, int64(64*cols))
		})
		g.op3(amd64.ADDI, pa, none, none, int64(rows*rowBytes(k)))
		g.op3(amd64.ADDI, pc, none, none, int64(rows*rowBytes(n)))
	})
}

// multiplyRow adds an element of a times a row of b to the accumulators of a row.
func (g *generator) multiplyRow(acc, vs []reg, a amd64.Mem) {
	if len(vs) == 1 {
		g.fmaFrom(acc[0], vs[0], a)
		return
	}
	e := g.vec()
	g.load(amd64.VPBROADCASTD, e, a)
	for j, v := range vs {
		g.op3(amd64.VFMADD231PS, acc[j], v, e, 0)
	}
}

// fmaFrom adds v times an element in memory to acc.
func (g *generator) fmaFrom(acc, v reg, m amd64.Mem) {
	i := ins(amd64.VFMADD231PS)
	i.A, i.B, i.HasMem, i.M, i.Bcast = acc, v, true, m, true
	g.emit(i)
}

// storePart stores a vector of a row of n elements; a row may be shorter than a vector.
func (g *generator) storePart(v reg, m amd64.Mem, n int) {
	i := ins(amd64.VMOVUPSst)
	i.A, i.HasMem, i.M = v, true, m
	if n < lanes {
		i.K = g.mask()
		bits := 1<<n - 1
		g.load(amd64.KMOVld, i.K, g.constant(2, []byte{byte(bits), byte(bits >> 8)}))
	}
	g.emit(i)
}

// pointer gives a register that points to the frame.
func (g *generator) pointer() reg {
	r := g.gpr()
	g.op3(amd64.MOV, r, amd64.RDI, none, 0)
	return r
}

// counted emits a loop of n iterations.
func (g *generator) counted(n int, body func()) {
	if n == 1 {
		body()
		return
	}
	left := g.gpr()
	g.movImm(left, uint64(n))
	top := g.label()
	g.bind(top)
	m := g.cur.mark()
	body()
	g.loopEnd(m, n)
	g.op3(amd64.ADDLI, left, none, none, -1)
	g.jcc(amd64.CCNE, top)
}
