package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// dot compiles OpDot. Both operands are brought to buffers in the type that it accumulates in, row by row, which is the form that
// the kernel wants: rows of b are read as vectors, elements of a are repeated on the way from memory. A block
// of the result stays in registers while k runs, and is added to in the result's buffer.
func (g *generator) dot(op *tile.Op) {
	t := op.Results[0].Type
	arith, ok := arithmeticOf(t)
	if !ok {
		g.refuse("dot of %s and %s to %s", op.Args[0].Type, op.Args[1].Type, t)
	}
	unsigned := op.Attr.(tile.DotAttr).Unsigned
	sum := g.inPlace[op]
	if sum == nil || t.Elem() != arith.elem {
		sum = g.newBuffer(t.WithElem(arith.elem))
		g.elementwise(t, []job{{v: converted(op, op.Args[2], arith.elem, unsigned), to: sum, loc: op.Loc}})
	}
	x := g.inBuffer(converted(op, op.Args[0], arith.elem, unsigned), op.Loc)
	y := g.inBuffer(converted(op, op.Args[1], arith.elem, unsigned), op.Loc)
	g.loc = op.Loc
	g.multiply(arith, matmulOf(op), x, y, sum)
	g.bufs[op.Results[0]] = sum
	if t.Elem() != arith.elem { // rounded at the end
		wide := &tile.Value{Type: sum.t, Name: "sum"}
		g.bufs[wide] = sum
		result := g.newBuffer(t)
		g.elementwise(t, []job{{v: converted(op, wide, t.Elem(), unsigned), to: result, loc: op.Loc}})
		g.bufs[op.Results[0]] = result
	}
}

// arithmetic is what a dot accumulates in. It is where kernels for other types, or that use other units, have their place.
type arithmetic struct {
	elem tile.Elem
	size int
	mul  amd64.Op // acc += x·y, or with add the product
	add  amd64.Op // BadOp if mul adds
}

func arithmeticOf(t tile.Type) (arithmetic, bool) {
	switch t.Elem() {
	case tile.F32, tile.F16, tile.BF16:
		return arithmetic{tile.F32, 4, amd64.VFMADD231PS, amd64.BadOp}, true
	case tile.F64:
		return arithmetic{tile.F64, 8, amd64.VFMADD231PD, amd64.BadOp}, true
	case tile.I32:
		return arithmetic{tile.I32, 4, amd64.VPMULLD, amd64.VPADDD}, true
	}
	return arithmetic{}, false
}

// lanes gives the elements of a vector.
func (g *generator) dotLanes(a arithmetic) int { return g.vectorBytes / a.size }

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

// inBuffer gives a buffer with a tile.
func (g *generator) inBuffer(v *tile.Value, loc tile.Loc) *buffer {
	if b := g.bufs[v]; b != nil {
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

// multiply adds a·b to c. Blocks have dotBlock registers: as many columns as give dotCols of them, and rows.
func (g *generator) multiply(t arithmetic, s matmul, a, b, c *buffer) {
	n, k := s.n, s.k
	cols := max(1, min(g.dotCols, n/g.dotLanes(t)))
	rows := min(s.m, g.dotBlock/cols)
	unroll := min(k, 4)
	rowBytes := func(n int) int { return n * t.size }
	pa, pbs, pc := g.pointer(), g.pointer(), g.pointer()
	g.counted(s.batch, func() {
		g.counted(s.m/rows, func() {
			pb, pcn := g.copyG(pbs), g.copyG(pc)
			g.counted(max(1, n/(g.dotLanes(t)*cols)), func() {
				acc := make([]reg, rows*cols)
				at := func(r, j int) amd64.Mem { return amd64.At(pcn, int32(c.off+r*rowBytes(n)+g.vectorBytes*j)) }
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
							g.load(amd64.VMOVUPS, vs[j], amd64.At(pbk, int32(b.off+u*rowBytes(n)+g.vectorBytes*j)))
						}
						for r := range rows {
							g.multiplyRow(t, acc[r*cols:][:cols], vs, amd64.At(pak, int32(a.off+r*rowBytes(k)+t.size*u)))
						}
					}
					g.op3(amd64.ADDI, pak, none, none, int64(t.size*unroll))
					g.op3(amd64.ADDI, pbk, none, none, int64(unroll*rowBytes(n)))
				})
				for r := range rows {
					for j := range cols {
						g.storePart(t, acc[r*cols+j], at(r, j), n)
					}
				}
				g.op3(amd64.ADDI, pb, none, none, int64(g.vectorBytes*cols))
				g.op3(amd64.ADDI, pcn, none, none, int64(g.vectorBytes*cols))
			})
			g.op3(amd64.ADDI, pa, none, none, int64(rows*rowBytes(k)))
			g.op3(amd64.ADDI, pc, none, none, int64(rows*rowBytes(n)))
		})
		g.op3(amd64.ADDI, pbs, none, none, int64(k*rowBytes(n)))
	})
}

// multiplyRow adds an element of a times a row of b to the accumulators of a row.
func (g *generator) multiplyRow(t arithmetic, acc, vs []reg, a amd64.Mem) {
	if len(vs) == 1 && t.add == amd64.BadOp {
		i := ins(t.mul)
		i.A, i.B, i.HasMem, i.M, i.Bcast = acc[0], vs[0], true, a, true
		g.emit(i)
		return
	}
	e := g.vec()
	g.load(pick(t.size, amd64.VPBROADCASTD, amd64.VPBROADCASTQ), e, a)
	for j, v := range vs {
		if t.add == amd64.BadOp {
			g.op3(t.mul, acc[j], v, e, 0)
			continue
		}
		g.op3(t.add, acc[j], acc[j], g.rvm(t.mul, v, e), 0)
	}
}

// storePart stores a vector of a row of n elements; a row may be shorter than a vector.
func (g *generator) storePart(t arithmetic, v reg, m amd64.Mem, n int) {
	i := ins(pick(t.size, amd64.VMOVUPSst, amd64.VMOVUPDst))
	i.A, i.HasMem, i.M = v, true, m
	if n < g.dotLanes(t) {
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
