package sim

import (
	"math"
	"math/bits"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// pure makes the steps of operations that only compute.
func (m *machine) pure(op *lir.Op) step {
	switch op.Code {
	case lir.OpPack:
		return m.pack(op)
	case lir.OpUnpack:
		return m.unpack(op)
	}
	if len(op.Results) != 1 {
		return nil
	}
	d := m.reg(op.Result())
	in := m.regList(op.Args)
	mask := op.Result().Type.Mask()
	switch len(in) {
	case 1:
		if f := unary(op); f != nil {
			x := in[0]
			return func(threads []int32) {
				for _, t := range threads {
					d[t] = f(x[t]) & mask
				}
			}
		}
	case 2:
		if f := binary2(op); f != nil {
			x, y := in[0], in[1]
			return func(threads []int32) {
				for _, t := range threads {
					d[t] = f(x[t], y[t]) & mask
				}
			}
		}
	case 3:
		if f := ternary(op); f != nil {
			x, y, z := in[0], in[1], in[2]
			return func(threads []int32) {
				for _, t := range threads {
					d[t] = f(x[t], y[t], z[t]) & mask
				}
			}
		}
	}
	return nil
}

// pack puts narrow values side by side.
func (m *machine) pack(op *lir.Op) step {
	d, in := m.reg(op.Result()), m.regList(op.Args)
	width := op.Args[0].Type.Bits()
	return func(threads []int32) {
		for _, t := range threads {
			d[t] = 0
			for i, x := range in {
				d[t] |= x[t] & op.Args[0].Type.Mask() << (i * width)
			}
		}
	}
}

// unpack takes a word apart.
func (m *machine) unpack(op *lir.Op) step {
	x, out := m.reg(op.Args[0]), m.regList(op.Results)
	width := op.Results[0].Type.Bits()
	return func(threads []int32) {
		for _, t := range threads {
			for i, d := range out {
				d[t] = x[t] >> (i * width) & op.Results[0].Type.Mask()
			}
		}
	}
}

// unary gives what an operation of one operand makes of its bits; nil if it is none that is known.
func unary(op *lir.Op) func(x uint64) uint64 {
	from, to := op.Args[0].Type, op.Results[0].Type
	width := from.Bits()
	switch op.Code {
	case lir.OpPopCount:
		return func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) }
	case lir.OpCLZ:
		return func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x) - (64 - width)) }
	case lir.OpBitRev:
		return func(x uint64) uint64 { return bits.Reverse64(x) >> (64 - width) }
	case lir.OpTrunc, lir.OpExtU, lir.OpBitcast:
		return func(x uint64) uint64 { return x }
	case lir.OpExtS:
		return func(x uint64) uint64 { return uint64(signed(from, x)) }
	}
	return floatUnary(op, from, to)
}

// unlikely is what the results of operations are that the definition leaves open.
const unlikely = 0xdead_beef_dead_beef

// integers are the operations on two integers; nil for others. t is the type of both.
func integers(code lir.Code, t lir.Type) func(x, y uint64) uint64 {
	w := uint64(t.Bits())
	s := func(x uint64) int64 { return signed(t, x) }
	switch code {
	case lir.OpAdd:
		return func(x, y uint64) uint64 { return x + y }
	case lir.OpSub:
		return func(x, y uint64) uint64 { return x - y }
	case lir.OpMul:
		return func(x, y uint64) uint64 { return x * y }
	case lir.OpMulHiU:
		return func(x, y uint64) uint64 {
			if w < 64 {
				return x * y >> w
			}
			hi, _ := bits.Mul64(x, y)
			return hi
		}
	case lir.OpMulHiS:
		return func(x, y uint64) uint64 {
			if w < 64 {
				return uint64(s(x) * s(y) >> w)
			}
			hi, _ := bits.Mul64(x, y)
			return hi - uint64(s(x)>>63)&y - uint64(s(y)>>63)&x
		}
	case lir.OpDivU:
		return func(x, y uint64) uint64 {
			if y == 0 {
				return unlikely
			}
			return x / y
		}
	case lir.OpRemU:
		return func(x, y uint64) uint64 {
			if y == 0 {
				return unlikely
			}
			return x % y
		}
	case lir.OpDivS:
		return func(x, y uint64) uint64 {
			if y == 0 {
				return unlikely
			}
			return uint64(s(x) / s(y))
		}
	case lir.OpRemS:
		return func(x, y uint64) uint64 {
			if y == 0 {
				return unlikely
			}
			return uint64(s(x) % s(y))
		}
	case lir.OpAnd:
		return func(x, y uint64) uint64 { return x & y }
	case lir.OpOr:
		return func(x, y uint64) uint64 { return x | y }
	case lir.OpXor:
		return func(x, y uint64) uint64 { return x ^ y }
	case lir.OpShl:
		return func(x, n uint64) uint64 {
			if n >= w {
				return 0
			}
			return x << n
		}
	case lir.OpShrU:
		return func(x, n uint64) uint64 {
			if n >= w {
				return 0
			}
			return x >> n
		}
	case lir.OpShrS:
		return func(x, n uint64) uint64 { return uint64(s(x) >> min(n, 63)) }
	case lir.OpMinS:
		return func(x, y uint64) uint64 { return uint64(min(s(x), s(y))) }
	case lir.OpMaxS:
		return func(x, y uint64) uint64 { return uint64(max(s(x), s(y))) }
	case lir.OpMinU:
		return func(x, y uint64) uint64 { return min(x, y) }
	case lir.OpMaxU:
		return func(x, y uint64) uint64 { return max(x, y) }
	}
	return nil
}

// binary2 gives what an operation of two operands makes of their bits.
func binary2(op *lir.Op) func(x, y uint64) uint64 {
	t := op.Args[0].Type
	if op.Code == lir.OpCmp {
		return compare(tile.CmpI(op.Mod), t)
	}
	if f := integers(op.Code, t); f != nil {
		return f
	}
	return floatBinary(op, t)
}

func compare(p tile.CmpI, t lir.Type) func(x, y uint64) uint64 {
	s := func(x uint64) int64 { return signed(t, x) }
	var holds func(x, y uint64) bool
	switch p {
	case tile.EQ:
		holds = func(x, y uint64) bool { return x == y }
	case tile.NE:
		holds = func(x, y uint64) bool { return x != y }
	case tile.LTS:
		holds = func(x, y uint64) bool { return s(x) < s(y) }
	case tile.LES:
		holds = func(x, y uint64) bool { return s(x) <= s(y) }
	case tile.GTS:
		holds = func(x, y uint64) bool { return s(x) > s(y) }
	case tile.GES:
		holds = func(x, y uint64) bool { return s(x) >= s(y) }
	case tile.LTU:
		holds = func(x, y uint64) bool { return x < y }
	case tile.LEU:
		holds = func(x, y uint64) bool { return x <= y }
	case tile.GTU:
		holds = func(x, y uint64) bool { return x > y }
	case tile.GEU:
		holds = func(x, y uint64) bool { return x >= y }
	default:
		return nil
	}
	return truth(holds)
}

// truth gives a test's result as a bit.
func truth[T any](holds func(x, y T) bool) func(x, y T) uint64 {
	return func(x, y T) uint64 {
		if holds(x, y) {
			return 1
		}
		return 0
	}
}

// ternary gives what an operation of three operands makes of their bits.
func ternary(op *lir.Op) func(x, y, z uint64) uint64 {
	switch op.Code {
	case lir.OpSelect:
		return func(c, x, y uint64) uint64 {
			if c&1 != 0 {
				return x
			}
			return y
		}
	case lir.OpPrmt:
		return permute
	case lir.OpFMA:
		return fma(op)
	case lir.OpFMASat:
		return saturated(fma(op))
	}
	return nil
}

// saturated keeps f's result, an f32, between 0 and 1; NaN becomes 0.
func saturated(f func(x, y, z uint64) uint64) func(x, y, z uint64) uint64 {
	return func(x, y, z uint64) uint64 {
		return uint64(math.Float32bits(float32(min(maxNum(float64(math.Float32frombits(uint32(f(x, y, z)))), 0), 1))))
	}
}

// permute chooses bytes of y·2³²+x, each by four bits of a selector: three for the byte, one to take its sign instead.
func permute(x, y, selector uint64) uint64 {
	both := x | y<<32
	var out uint64
	for i := range 4 {
		n := selector >> (4 * i) & 15
		b := both >> (8 * (n & 7)) & 0xff
		if n&8 != 0 {
			b = uint64(uint8(int8(b) >> 7))
		}
		out |= b << (8 * i)
	}
	return out
}
