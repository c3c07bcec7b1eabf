package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/tile"
)

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

type signed interface {
	int8 | int16 | int32 | int64
}

type float interface{ float32 | float64 }

type number interface{ unsigned | float }

// integerBinary plans integer arithmetic.
func (p *planner) integerBinary(op *tile.Op) error {
	d, in := p.elementwise(op)
	switch op.Result().Type.ElemBits() {
	case 1:
		p.emit(op, binary(storing[uint8](d), stored[uint8](in[0]), stored[uint8](in[1]), bitKernel(op.Code)))
	case 8:
		emitInteger[uint8, int8](p, op, d, in)
	case 16:
		emitInteger[uint16, int16](p, op, d, in)
	case 32:
		emitInteger[uint32, int32](p, op, d, in)
	default:
		emitInteger[uint64, int64](p, op, d, in)
	}
	return nil
}

func emitInteger[U unsigned, S signed](p *planner, op *tile.Op, d slot, in []slot) {
	switch op.Code {
	case tile.OpMinS:
		p.emit(op, binary(storing[S](d), stored[S](in[0]), stored[S](in[1]), minOf[S]))
	case tile.OpMaxS:
		p.emit(op, binary(storing[S](d), stored[S](in[0]), stored[S](in[1]), maxOf[S]))
	default:
		p.emit(op, binary(storing[U](d), stored[U](in[0]), stored[U](in[1]), integerKernel[U, S](op.Code)))
	}
}

// integerKernel gives an operation's loop; U and S are its element's width without and with sign.
func integerKernel[U unsigned, S signed](c tile.Code) func(d, x, y []U) {
	switch c {
	case tile.OpAdd:
		return add[U]
	case tile.OpSub:
		return sub[U]
	case tile.OpMul:
		return mul[U]
	case tile.OpAnd:
		return and[U]
	case tile.OpOr:
		return or[U]
	case tile.OpXor:
		return xor[U]
	case tile.OpMinU:
		return minOf[U]
	case tile.OpMaxU:
		return maxOf[U]
	case tile.OpShl:
		return shl[U]
	case tile.OpShrU:
		return shr[U, U]
	case tile.OpShrS:
		return shr[U, S]
	case tile.OpMulHiU:
		return mulHi[U]
	}
	return each2(integerScalar[U, S](c))
}

// integerScalar gives the rarer operations, one element at a time.
func integerScalar[U unsigned, S signed](c tile.Code) func(x, y U) U {
	switch c {
	case tile.OpDivS:
		return func(x, y U) U {
			if y == 0 {
				return 0
			}
			return U(S(x) / S(y))
		}
	case tile.OpDivU:
		return func(x, y U) U {
			if y == 0 {
				return 0
			}
			return x / y
		}
	case tile.OpRemS:
		return func(x, y U) U {
			if y == 0 {
				return 0
			}
			return U(S(x) % S(y))
		}
	case tile.OpRemU:
		return func(x, y U) U {
			if y == 0 {
				return 0
			}
			return x % y
		}
	case tile.OpMinS:
		return func(x, y U) U { return U(min(S(x), S(y))) }
	case tile.OpMaxS:
		return func(x, y U) U { return U(max(S(x), S(y))) }
	}
	return nil
}

// bitKernel gives an operation on i1 as a table: a signed true is -1.
func bitKernel(c tile.Code) func(d, x, y []uint8) {
	var table [4]uint8
	for i := range table {
		x, y := uint8(i>>1), uint8(i&1)
		switch c {
		case tile.OpDivS, tile.OpRemS, tile.OpMinS, tile.OpMaxS, tile.OpShrS:
			x = -x
			if c != tile.OpShrS {
				y = -y
			}
		}
		table[i] = bitOp(c, x, y) & 1
	}
	return func(d, x, y []uint8) {
		x, y = x[:len(d)], y[:len(d)]
		for i := range d {
			d[i] = table[(x[i]<<1|y[i])&3]
		}
	}
}

func bitOp(c tile.Code, x, y uint8) uint8 {
	var d [1]uint8
	switch c {
	case tile.OpMulHiU: // the upper bit of a two-bit product
		return 0
	case tile.OpShl, tile.OpShrU: // by the width or more: nothing is left
		return x &^ y
	}
	integerKernel[uint8, int8](c)(d[:], []uint8{x}, []uint8{y})
	return d[0]
}

func add[T number](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] + y[i]
	}
}

func sub[T number](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] - y[i]
	}
}

func mul[T number](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] * y[i]
	}
}

func and[T unsigned](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] & y[i]
	}
}

func or[T unsigned](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] | y[i]
	}
}

func xor[T unsigned](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] ^ y[i]
	}
}

func minOf[T unsigned | signed](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = min(x[i], y[i])
	}
}

func maxOf[T unsigned | signed](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = max(x[i], y[i])
	}
}

// Go's shifts by the width or more leave nothing, or the sign.
func shl[U unsigned](d, x, y []U) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] << y[i]
	}
}

// shr shifts x as an S.
func shr[U unsigned, S unsigned | signed](d, x, y []U) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = U(S(x[i]) >> y[i])
	}
}

func mulHi[U unsigned](d, x, y []U) {
	x, y = x[:len(d)], y[:len(d)]
	width := unsafe.Sizeof(U(0)) * 8
	for i := range d {
		hi, lo := bits.Mul64(uint64(x[i]), uint64(y[i]))
		if width < 64 {
			hi = lo >> width
		}
		d[i] = U(hi)
	}
}

// absI plans OpAbsI.
func (p *planner) absI(op *tile.Op) error {
	d, in := p.elementwise(op)
	switch op.Result().Type.ElemBits() {
	case 1:
		p.emit(op, copyStep(1, d, in[0]))
	case 8:
		p.emit(op, unary(storing[int8](d), stored[int8](in[0]), absOf[int8]))
	case 16:
		p.emit(op, unary(storing[int16](d), stored[int16](in[0]), absOf[int16]))
	case 32:
		p.emit(op, unary(storing[int32](d), stored[int32](in[0]), absOf[int32]))
	default:
		p.emit(op, unary(storing[int64](d), stored[int64](in[0]), absOf[int64]))
	}
	return nil
}

func absOf[T signed](d, x []T) {
	x = x[:len(d)]
	for i := range d {
		d[i] = max(x[i], -x[i]) // the smallest number wraps to itself
	}
}
