package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// cmpI plans OpCmpI; a signed i1 that is true is -1.
func (p *planner) cmpI(op *tile.Op) error {
	pred := op.Attr.(tile.CmpIAttr).Pred
	d, in := p.elementwise(op)
	x, y := in[0], in[1]
	switch op.Args[0].Type.ElemBits() {
	case 1:
		p.emit(op, binary(storing[uint8](d), stored[uint8](x), stored[uint8](y), compare[uint8](unsignedBits[pred])))
	case 8:
		emitCompare[uint8, int8](p, op, pred, d, x, y)
	case 16:
		emitCompare[uint16, int16](p, op, pred, d, x, y)
	case 32:
		emitCompare[uint32, int32](p, op, pred, d, x, y)
	default:
		emitCompare[uint64, int64](p, op, pred, d, x, y)
	}
	return nil
}

// unsignedBits gives the unsigned comparison that orders i1s as a comparison does.
var unsignedBits = [...]tile.CmpI{
	tile.EQ: tile.EQ, tile.NE: tile.NE,
	tile.LTS: tile.GTU, tile.LES: tile.GEU, tile.GTS: tile.LTU, tile.GES: tile.LEU,
	tile.LTU: tile.LTU, tile.LEU: tile.LEU, tile.GTU: tile.GTU, tile.GEU: tile.GEU,
}

func emitCompare[U unsigned, S signed](p *planner, op *tile.Op, pred tile.CmpI, d, x, y slot) {
	switch pred {
	case tile.LTS, tile.LES, tile.GTS, tile.GES:
		p.emit(op, binary(storing[uint8](d), stored[S](x), stored[S](y), compare[S](pred)))
	default:
		p.emit(op, binary(storing[uint8](d), stored[U](x), stored[U](y), compare[U](pred)))
	}
}

// cmpF plans OpCmpF.
func (p *planner) cmpF(op *tile.Op) error {
	e := op.Args[0].Type.Elem()
	d, in := p.elementwise(op)
	pred := op.Attr.(tile.CmpFAttr).Pred
	if e == tile.F64 {
		p.emit(op, binary(storing[uint8](d), stored[float64](in[0]), stored[float64](in[1]), compareFloat[float64](pred)))
		return nil
	}
	p.emit(op, binary(storing[uint8](d), sourceF32(e, in[0]), sourceF32(e, in[1]), compareFloat[float32](pred)))
	return nil
}

// compareFloat gives the loop of a comparison. The unordered ones are the opposites of ordered ones.
func compareFloat[T float](pred tile.CmpF) func(d []uint8, x, y []T) {
	switch pred {
	case tile.OEQ:
		return equal[T]
	case tile.UNE:
		return notEqual[T]
	case tile.OLT:
		return less[T]
	case tile.OLE:
		return lessEqual[T]
	case tile.OGT:
		return func(d []uint8, x, y []T) { less(d, y, x) }
	case tile.OGE:
		return func(d []uint8, x, y []T) { lessEqual(d, y, x) }
	case tile.ULT:
		return each2(func(x, y T) uint8 { return bit(!(x >= y)) })
	case tile.ULE:
		return each2(func(x, y T) uint8 { return bit(!(x > y)) })
	case tile.UGT:
		return each2(func(x, y T) uint8 { return bit(!(x <= y)) })
	case tile.UGE:
		return each2(func(x, y T) uint8 { return bit(!(x < y)) })
	case tile.ONE:
		return each2(func(x, y T) uint8 { return bit(x < y || x > y) })
	case tile.UEQ:
		return each2(func(x, y T) uint8 { return bit(!(x < y || x > y)) })
	case tile.ORD:
		return each2(func(x, y T) uint8 { return bit(x == x && y == y) })
	}
	return each2(func(x, y T) uint8 { return bit(x != x || y != y) })
}

type ordered interface{ unsigned | signed | float }

// compare gives the loop of a comparison in T's own order.
func compare[T ordered](pred tile.CmpI) func(d []uint8, x, y []T) {
	switch pred {
	case tile.EQ:
		return equal[T]
	case tile.NE:
		return notEqual[T]
	case tile.LTS, tile.LTU:
		return less[T]
	case tile.LES, tile.LEU:
		return lessEqual[T]
	case tile.GTS, tile.GTU:
		return func(d []uint8, x, y []T) { less(d, y, x) }
	}
	return func(d []uint8, x, y []T) { lessEqual(d, y, x) }
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func equal[T ordered](d []uint8, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = bit(x[i] == y[i])
	}
}

func notEqual[T ordered](d []uint8, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = bit(x[i] != y[i])
	}
}

func less[T ordered](d []uint8, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = bit(x[i] < y[i])
	}
}

func lessEqual[T ordered](d []uint8, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = bit(x[i] <= y[i])
	}
}

// sel plans OpSelect. Only the width of the elements matters.
func (p *planner) sel(op *tile.Op) error {
	d, in := p.elementwise(op)
	switch op.Result().Type.ElemBytes() {
	case 1:
		emitSelect[uint8](p, op, d, in)
	case 2:
		emitSelect[uint16](p, op, d, in)
	case 4:
		emitSelect[uint32](p, op, d, in)
	default:
		emitSelect[uint64](p, op, d, in)
	}
	return nil
}

func emitSelect[T unsigned](p *planner, op *tile.Op, d slot, in []slot) {
	p.emit(op, ternary(storing[T](d), stored[uint8](in[0]), stored[T](in[1]), stored[T](in[2]), choose[T]))
}

func choose[T any](d []T, c []uint8, x, y []T) {
	c, x, y = c[:len(d)], x[:len(d)], y[:len(d)]
	for i := range d {
		v := y[i]
		if c[i] != 0 {
			v = x[i]
		}
		d[i] = v
	}
}
