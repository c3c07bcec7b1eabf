package sim

import (
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/lir"
)

// digits are what arithmetic with a rounding other than to nearest is done with. A sum of f64s needs up to 2,100 to be exact, a fused
// product 4,200; a quotient or a root is never exact but told from what is with far fewer.
const digits = 4300

// finite reports whether none of some numbers is infinite or NaN.
func finite(numbers ...float64) bool {
	for _, x := range numbers {
		if x-x != 0 {
			return false
		}
	}
	return true
}

func exactNumber(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

// exactly gives a root or a reciprocal that is rounded in a direction.
func exactly(op *lir.Op, t lir.Type) func(x uint64) uint64 {
	d := formatOf(t)
	return func(bits uint64) uint64 {
		x := d.Decode(bits)
		if !finite(x) || x == 0 || op.Code == lir.OpSqrt && x < 0 {
			if op.Code == lir.OpSqrt {
				return d.Encode(math.Sqrt(x))
			}
			return d.Encode(1 / x)
		}
		r := new(big.Float).SetPrec(digits)
		if op.Code == lir.OpSqrt {
			r.Sqrt(exactNumber(x))
		} else {
			r.Quo(exactNumber(1), exactNumber(x))
		}
		return d.Encode(roundBig(t, r, lir.Rounding(op.Mod)))
	}
}

// exactly2 gives arithmetic on two numbers that is rounded in a direction.
func exactly2(op *lir.Op, t lir.Type) func(x, y uint64) uint64 {
	d := formatOf(t)
	return func(xBits, yBits uint64) uint64 {
		x, y := d.Decode(xBits), d.Decode(yBits)
		if op.Code == lir.OpFSub {
			y = -y
		}
		r := new(big.Float).SetPrec(digits)
		var native float64
		switch op.Code {
		case lir.OpFMul:
			native = x * y
		case lir.OpFDiv:
			native = x / y
		default:
			native = x + y
		}
		if !finite(x, y) || op.Code == lir.OpFDiv && y == 0 {
			return d.Encode(native)
		}
		switch op.Code {
		case lir.OpFMul:
			r.Mul(exactNumber(x), exactNumber(y))
		case lir.OpFDiv:
			r.Quo(exactNumber(x), exactNumber(y))
		default:
			r.Add(exactNumber(x), exactNumber(y))
			if r.Sign() == 0 {
				return d.Encode(zeroOf(x, y, lir.Rounding(op.Mod)))
			}
		}
		return d.Encode(roundBig(t, r, lir.Rounding(op.Mod)))
	}
}

// exactly3 gives a fused product and sum that is rounded in a direction.
func exactly3(op *lir.Op, t lir.Type) func(x, y, z uint64) uint64 {
	d := formatOf(t)
	return func(xBits, yBits, zBits uint64) uint64 {
		x, y, z := d.Decode(xBits), d.Decode(yBits), d.Decode(zBits)
		if !finite(x, y, z) {
			return d.Encode(math.FMA(x, y, z))
		}
		r := new(big.Float).SetPrec(digits).Mul(exactNumber(x), exactNumber(y))
		product := x * y // its sign is right
		if r.Add(r, exactNumber(z)); r.Sign() == 0 {
			return d.Encode(zeroOf(math.Copysign(0, product), z, lir.Rounding(op.Mod)))
		}
		return d.Encode(roundBig(t, r, lir.Rounding(op.Mod)))
	}
}

// zeroOf gives the zero that is the sum of numbers, as IEEE 754 has it: of different signs it is -0 only when rounding down.
func zeroOf(x, y float64, mode lir.Rounding) float64 {
	switch {
	case math.Signbit(x) == math.Signbit(y):
		return x
	case mode == lir.Down:
		return math.Copysign(0, -1)
	}
	return 0
}

// roundTo gives the bits of a number in a narrower type.
func roundTo(t lir.Type, x float64, mod uint8) uint64 {
	d := formatOf(t)
	switch {
	case nearest(mod) || !finite(x) || x == 0:
		return encoder(t)(x)
	case lir.Rounding(mod) == lir.Zero:
		return d.EncodeRTZ(x)
	}
	return towards(t, x, lir.Rounding(mod))
}

// towards gives the bits of a number of a type that is not less than x, or not more.
func towards(t lir.Type, x float64, mode lir.Rounding) uint64 {
	d := formatOf(t)
	cut := d.EncodeRTZ(x)
	if away := x > 0 == (mode == lir.Up); away && d.Decode(cut) != x {
		cut++ // magnitudes are in the order of their bits, infinity after the largest number
	}
	return cut
}

// roundBig gives a number of a type next to r, which is not 0.
func roundBig(t lir.Type, r *big.Float, mode lir.Rounding) float64 {
	n, accuracy := r.Float64()
	if t == lir.F64 {
		if mode == lir.Zero {
			mode = lir.Down
			if r.Sign() < 0 {
				mode = lir.Up
			}
		}
		switch {
		case mode == lir.Down && accuracy == big.Above:
			return math.Nextafter(n, math.Inf(-1))
		case mode == lir.Up && accuracy == big.Below:
			return math.Nextafter(n, math.Inf(1))
		}
		return n
	}
	if accuracy != big.Exact { // to odd: then a further rounding is right
		if (accuracy == big.Above) == (n > 0) {
			n = math.Nextafter(n, 0)
		}
		n = math.Float64frombits(math.Float64bits(n) | 1)
	}
	return formatOf(t).Decode(roundTo(t, n, uint8(mode)))
}

// toFloat gives the conversion of integers.
func toFloat(op *lir.Op, from, to lir.Type) func(x uint64) uint64 {
	d := formatOf(to)
	isSigned := op.Code == lir.OpSToF
	return func(x uint64) uint64 {
		negative := isSigned && signed(from, x) < 0
		if negative {
			x = uint64(-signed(from, x))
		}
		if x == 0 {
			return 0
		}
		if to == lir.F64 || !nearest(op.Mod) {
			r := new(big.Float).SetPrec(64).SetUint64(x)
			if negative {
				r.Neg(r)
			}
			if nearest(op.Mod) {
				n, _ := r.Float64()
				return d.Encode(n)
			}
			return d.Encode(roundBig(to, r, lir.Rounding(op.Mod)))
		}
		// 53 digits, of which the last says whether there are more.
		n := float64(x)
		if x >= 1<<53 {
			n = float64(x >> 11 << 11)
			if x&(1<<11-1) != 0 {
				n = math.Float64frombits(math.Float64bits(n) | 1)
			}
		}
		if negative {
			n = -n
		}
		return d.Encode(n)
	}
}
