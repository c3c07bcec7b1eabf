package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// constant plans OpConst: one element, whatever the shape.
func (p *planner) constant(op *tile.Op) error {
	bits := op.Attr.(tile.ConstAttr).Bits
	d := p.out(op.Result(), 1)
	p.emit(op, setStep(op.Result().Type.ElemBytes(), d, func(*machine) uint64 { return bits }))
	return nil
}

// setStep sets the one element of a slot.
func setStep(size int, d slot, f func(*machine) uint64) func(*machine) error {
	switch size {
	case 1:
		return setElem[uint8](d, f)
	case 2:
		return setElem[uint16](d, f)
	case 4:
		return setElem[uint32](d, f)
	}
	return setElem[uint64](d, f)
}

func setElem[T unsigned](d slot, f func(*machine) uint64) func(*machine) error {
	return func(m *machine) error {
		*one[T](m, d) = T(f(m))
		return nil
	}
}

func (p *planner) programID(op *tile.Op) error {
	axis := op.Attr.(tile.AxisAttr).Axis
	p.emit(op, setStep(4, p.out(op.Result(), 1), func(m *machine) uint64 { return uint64(m.pid[axis]) }))
	return nil
}

func (p *planner) numPrograms(op *tile.Op) error {
	axis := op.Attr.(tile.AxisAttr).Axis
	p.emit(op, setStep(4, p.out(op.Result(), 1), func(m *machine) uint64 { return uint64(m.grid[axis]) }))
	return nil
}

// iota plans OpRange.
func (p *planner) iota(op *tile.Op) error {
	start := int32(op.Attr.(tile.RangeAttr).Start)
	d := p.out(op.Result(), op.Result().Type.NumElems())
	p.emit(op, func(m *machine) error {
		for i, out := 0, view[int32](m, d); i < len(out); i++ {
			out[i] = start + int32(i)
		}
		return nil
	})
	return nil
}
