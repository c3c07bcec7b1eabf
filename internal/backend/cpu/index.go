package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// gather plans OpGather. An index outside the source is an error.
func (p *planner) gather(op *tile.Op) error {
	switch op.Result().Type.ElemBytes() {
	case 1:
		return gatherOf[uint8](p, op)
	case 2:
		return gatherOf[uint16](p, op)
	case 4:
		return gatherOf[uint32](p, op)
	}
	return gatherOf[uint64](p, op)
}

func gatherOf[T any](p *planner, op *tile.Op) error {
	switch op.Args[1].Type.ElemBits() {
	case 1:
		emitGather[T, uint8](p, op)
	case 8:
		emitGather[T, int8](p, op)
	case 16:
		emitGather[T, int16](p, op)
	case 32:
		emitGather[T, int32](p, op)
	default:
		emitGather[T, int64](p, op)
	}
	return nil
}

func emitGather[T any, I signed | uint8](p *planner, op *tile.Op) {
	x, index := op.Args[0], op.Args[1].Type
	dim := op.Attr.(tile.AxisAttr).Axis
	from, to := axisOf(x.Type, dim), axisOf(index, dim)
	src, at := p.full(op, x), p.full(op, op.Args[1])
	d := p.out(op.Result(), index.NumElems())
	p.emit(op, func(m *machine) error {
		out, in := view[T](m, d), view[T](m, src)
		for i, k := range view[I](m, at) {
			if int64(k) < 0 || int64(k) >= int64(from.size) {
				return m.check("index-out-of-range", op, "gather index %d is outside of a dimension of size %d,%s", k, from.size, element(index, i))
			}
			outer, inner := i/(to.size*to.inner), i%to.inner
			out[i] = in[(outer*from.size+int(k))*from.inner+inner]
		}
		return nil
	})
}

// histogram plans OpHistogram.
func (p *planner) histogram(op *tile.Op) error {
	in := p.operands(op, op.Args[0].Type.NumElems())
	bins := op.Result().Type.NumElems()
	d := p.out(op.Result(), bins)
	p.emit(op, func(m *machine) error {
		out := view[int32](m, d)
		clear(out)
		var mask []uint8
		if len(in) > 1 {
			mask = view[uint8](m, in[1])
		}
		for i, v := range view[int32](m, in[0]) {
			if uint32(v) < uint32(bins) && (mask == nil || mask[i] != 0) {
				out[v]++
			}
		}
		return nil
	})
	return nil
}
