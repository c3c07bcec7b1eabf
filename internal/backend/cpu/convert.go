package cpu

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// convertInt plans OpTrunc, OpExtS and OpExtU.
func (p *planner) convertInt(op *tile.Op) error {
	d, in := p.elementwise(op)
	switch op.Args[0].Type.ElemBits() {
	case 1:
		p.emitExtendBit(op, d, in[0])
	case 8:
		emitResize[uint8, int8](p, op, d, in[0])
	case 16:
		emitResize[uint16, int16](p, op, d, in[0])
	case 32:
		emitResize[uint32, int32](p, op, d, in[0])
	default:
		emitResize[uint64, int64](p, op, d, in[0])
	}
	return nil
}

func emitResize[U unsigned, S signed](p *planner, op *tile.Op, d, x slot) {
	bits := op.Result().Type.ElemBits()
	if op.Code == tile.OpExtS {
		p.emit(op, resize[S](bits, d, x))
		return
	}
	p.emit(op, resize[U](bits, d, x))
}

func resize[S unsigned | signed](bits int, d, x slot) func(*machine) error {
	switch bits {
	case 1:
		return unary(storing[uint8](d), stored[S](x), each1(func(x S) uint8 { return uint8(x & 1) }))
	case 8:
		return unary(storing[uint8](d), stored[S](x), resizeLoop[uint8, S])
	case 16:
		return unary(storing[uint16](d), stored[S](x), resizeLoop[uint16, S])
	case 32:
		return unary(storing[uint32](d), stored[S](x), resizeLoop[uint32, S])
	}
	return unary(storing[uint64](d), stored[S](x), resizeLoop[uint64, S])
}

func resizeLoop[D unsigned, S unsigned | signed](d []D, x []S) {
	x = x[:len(d)]
	for i := range d {
		d[i] = D(x[i])
	}
}

// emitExtendBit extends an i1: true is 1, or -1 as a signed number.
func (p *planner) emitExtendBit(op *tile.Op, d, x slot) {
	bits := op.Result().Type.ElemBits()
	if op.Code != tile.OpExtS {
		p.emit(op, resize[uint8](bits, d, x))
		return
	}
	switch bits {
	case 8:
		p.emit(op, unary(storing[uint8](d), stored[uint8](x), negateBits[uint8]))
	case 16:
		p.emit(op, unary(storing[uint16](d), stored[uint8](x), negateBits[uint16]))
	case 32:
		p.emit(op, unary(storing[uint32](d), stored[uint8](x), negateBits[uint32]))
	default:
		p.emit(op, unary(storing[uint64](d), stored[uint8](x), negateBits[uint64]))
	}
}

func negateBits[D unsigned](d []D, x []uint8) {
	x = x[:len(d)]
	for i := range d {
		d[i] = -D(x[i])
	}
}

// convertFloat plans OpFTrunc and OpFExt.
func (p *planner) convertFloat(op *tile.Op) error {
	from, to := op.Args[0].Type.Elem(), op.Result().Type.Elem()
	round := tile.NearestEven
	if a, ok := op.Attr.(tile.RoundAttr); ok {
		round = a.Mode
	}
	d, in := p.elementwise(op)
	if from == tile.F64 || to == tile.F64 || round != tile.NearestEven {
		p.emit(op, unary(sinkF64(to, round, d), sourceF64(from, in[0]), copyLoop[float64]))
		return nil
	}
	p.emit(op, unary(sinkF32(to, d), sourceF32(from, in[0]), copyLoop[float32]))
	return nil
}

func copyLoop[T any](d, x []T) { copy(d, x) }

// intToFloat plans OpSToF and OpUToF.
func (p *planner) intToFloat(op *tile.Op) error {
	d, in := p.elementwise(op)
	isSigned := op.Code == tile.OpSToF
	switch op.Args[0].Type.ElemBits() {
	case 1:
		one := int8(1)
		if isSigned {
			one = -1
		}
		p.emit(op, unary(sinkF64(op.Result().Type.Elem(), tile.NearestEven, d), stored[uint8](in[0]),
			each1(func(x uint8) float64 { return float64(one * int8(x)) })))
	case 8:
		emitIntToFloat[uint8, int8](p, op, d, in[0])
	case 16:
		emitIntToFloat[uint16, int16](p, op, d, in[0])
	case 32:
		emitIntToFloat[uint32, int32](p, op, d, in[0])
	default:
		emitIntToFloat[uint64, int64](p, op, d, in[0])
	}
	return nil
}

func emitIntToFloat[U unsigned, S signed](p *planner, op *tile.Op, d, x slot) {
	if op.Code == tile.OpSToF {
		p.emit(op, toFloat(op.Result().Type.Elem(), d, x, func(x S) float64 {
			if x < 0 {
				return oddF64(true, -uint64(x))
			}
			return oddF64(false, uint64(x))
		}))
		return
	}
	p.emit(op, toFloat(op.Result().Type.Elem(), d, x, func(x U) float64 { return oddF64(false, uint64(x)) }))
}

// toFloat converts integers; narrow converts one in preparation for another rounding.
func toFloat[S unsigned | signed](to tile.Elem, d, x slot, narrow func(S) float64) func(*machine) error {
	switch to {
	case tile.F64:
		return unary(storing[float64](d), stored[S](x), floatLoop[float64, S])
	case tile.F32:
		return unary(storing[float32](d), stored[S](x), floatLoop[float32, S])
	}
	return unary(sinkF64(to, tile.NearestEven, d), stored[S](x), each1(narrow))
}

func floatLoop[D float, S unsigned | signed](d []D, x []S) {
	x = x[:len(d)]
	for i := range d {
		d[i] = D(x[i])
	}
}

// floatToInt plans OpFToS and OpFToU: towards zero, saturating, NaN is 0.
func (p *planner) floatToInt(op *tile.Op) error {
	d, in := p.elementwise(op)
	x := sourceF64(op.Args[0].Type.Elem(), in[0])
	isSigned := op.Code == tile.OpFToS
	bits := op.Result().Type.ElemBits()
	switch bits {
	case 1:
		p.emit(op, unary(storing[uint8](d), x, each1(saturate[uint8](bits, isSigned, 1))))
	case 8:
		p.emit(op, unary(storing[uint8](d), x, each1(saturate[uint8](bits, isSigned, 1<<8-1))))
	case 16:
		p.emit(op, unary(storing[uint16](d), x, each1(saturate[uint16](bits, isSigned, 1<<16-1))))
	case 32:
		p.emit(op, unary(storing[uint32](d), x, each1(saturate[uint32](bits, isSigned, 1<<32-1))))
	default:
		p.emit(op, unary(storing[uint64](d), x, each1(saturate[uint64](bits, isSigned, 1<<64-1))))
	}
	return nil
}

// saturate converts to an integer of the given width, of which mask are the bits.
func saturate[U unsigned](bits int, isSigned bool, mask uint64) func(float64) U {
	if !isSigned {
		limit := math.Ldexp(1, bits)
		return func(x float64) U {
			switch {
			case !(x > 0): // NaN too
				return 0
			case x >= limit:
				return U(mask)
			}
			return U(uint64(x))
		}
	}
	limit := math.Ldexp(1, bits-1)
	return func(x float64) U {
		switch {
		case x != x:
			return 0
		case x >= limit:
			return U(mask >> 1)
		case x < -limit:
			return U(mask>>1 + 1)
		}
		return U(uint64(int64(x)) & mask)
	}
}

// intToPtr plans OpIntToPtr: an address that lies in an array becomes a pointer into that array.
func (p *planner) intToPtr(op *tile.Op) error {
	d, in := p.elementwise(op)
	p.emit(op, mapAddrs(d, in[0], (*space).tag))
	return nil
}

// ptrToInt plans OpPtrToInt, which gives real addresses.
func (p *planner) ptrToInt(op *tile.Op) error {
	d, in := p.elementwise(op)
	p.emit(op, mapAddrs(d, in[0], (*space).untag))
	return nil
}

// addPtr plans OpAddPtr.
func (p *planner) addPtr(op *tile.Op) error {
	size := uint64(op.Result().Type.Pointee().ElemBytes())
	d, in := p.elementwise(op)
	switch op.Args[1].Type.ElemBits() {
	case 8:
		emitAddPtr[int8](p, op, size, d, in)
	case 16:
		emitAddPtr[int16](p, op, size, d, in)
	case 32:
		emitAddPtr[int32](p, op, size, d, in)
	case 64:
		emitAddPtr[int64](p, op, size, d, in)
	default:
		return p.unsupported(op, "type", "a pointer offset of type %s", op.Args[1].Type)
	}
	return nil
}

func emitAddPtr[S signed](p *planner, op *tile.Op, size uint64, d slot, in []slot) {
	ptr, off := in[0], in[1]
	if off.n != d.n {
		off = p.full(op, op.Args[1])
	}
	if ptr.n != d.n {
		p.emit(op, func(m *machine) error {
			out, base, offs := view[uint64](m, d), *one[uint64](m, ptr), view[S](m, off)
			offs = offs[:len(out)]
			for i := range out {
				out[i] = moved(base, int64(offs[i]), size)
			}
			return nil
		})
		return
	}
	p.emit(op, func(m *machine) error {
		out, ptrs, offs := view[uint64](m, d), view[uint64](m, ptr), view[S](m, off)
		ptrs, offs = ptrs[:len(out)], offs[:len(out)]
		for i := range out {
			out[i] = moved(ptrs[i], int64(offs[i]), size)
		}
		return nil
	})
}
