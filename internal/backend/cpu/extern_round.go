package cpu

import (
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/tile"
)

// suffixes are libdevice's names of the rounding modes.
var suffixes = map[string]big.RoundingMode{
	"_rn": big.ToNearestEven,
	"_rz": big.ToZero,
	"_rd": big.ToNegativeInf,
	"_ru": big.ToPositiveInf,
}

// roundedExterns is arithmetic with a rounding mode in its name.
func roundedExterns() map[string]extern {
	m := map[string]extern{"rsqrt_rn": extern1(func(x float64) float64 { return 1 / math.Sqrt(x) })}
	for suffix, mode := range suffixes {
		for name, f := range exactArithmetic {
			m[name+suffix] = func(op *tile.Op) elementFunc { return f.rounded(op, mode) }
		}
	}
	return m
}

// An exact is arithmetic whose error is known. native is in float64; it decides wherever something is not
// finite. rest is the sign of the exact result less the native one, or of something of that sign; it
// holds where no part of it underflows. big computes with many more digits than any result has.
type exact struct {
	arity  int
	native func(x, y, z float64) float64
	rest   func(n, x, y, z float64) float64
	big    func(r, x, y, z *big.Float) *big.Float
}

// A sum of float64s needs up to 2,100 bits to be exact, a fused product up to 4,200. Quotients and roots
// are not exact, but never so near to a float64, or to a point halfway between two, that
// this many digits do not tell the side.
const exactBits = 4300

var exactArithmetic = map[string]exact{
	"add": {2, func(x, y, _ float64) float64 { return x + y }, sumRest,
		func(r, x, y, _ *big.Float) *big.Float { return bigSum(r, x, y) }},
	"sub": {2, func(x, y, _ float64) float64 { return x - y }, func(n, x, y, z float64) float64 { return sumRest(n, x, -y, z) },
		func(r, x, y, _ *big.Float) *big.Float { return bigSum(r, x, y.Neg(y)) }},
	"mul": {2, func(x, y, _ float64) float64 { return x * y }, func(n, x, y, _ float64) float64 { return math.FMA(x, y, -n) },
		func(r, x, y, _ *big.Float) *big.Float { return r.Mul(x, y) }},
	"div": {2, func(x, y, _ float64) float64 { return x / y }, func(n, x, y, _ float64) float64 { return math.Copysign(1, y) * math.FMA(-n, y, x) },
		func(r, x, y, _ *big.Float) *big.Float { return r.Quo(x, y) }},
	"fma": {3, math.FMA, nil,
		func(r, x, y, z *big.Float) *big.Float {
			return bigSum(r, new(big.Float).SetPrec(exactBits).Mul(x, y), z)
		}},
	"sqrt": {1, func(x, _, _ float64) float64 { return math.Sqrt(x) }, func(n, x, _, _ float64) float64 { return math.FMA(-n, n, x) },
		func(r, x, _, _ *big.Float) *big.Float { return r.Sqrt(x) }},
	"rcp": {1, func(x, _, _ float64) float64 { return 1 / x }, func(n, x, _, _ float64) float64 { return math.Copysign(1, x) * math.FMA(-n, x, 1) },
		func(r, x, _, _ *big.Float) *big.Float { return r.Quo(big.NewFloat(1), x) }},
}

// bigSum is r.Add, and gives -0 for zeros of different signs when rounding down, as IEEE 754 has it.
func bigSum(r, x, y *big.Float) *big.Float {
	zero := x.Sign() == 0 && y.Sign() == 0 && x.Signbit() != y.Signbit()
	if r.Add(x, y); zero && r.Mode() == big.ToNegativeInf && !r.Signbit() {
		r.Neg(r)
	}
	return r
}

// sumRest is what x + y lost (Knuth).
func sumRest(n, x, y, _ float64) float64 {
	t := n - x
	return (x - (n - t)) + (y - t)
}

// within reports whether numbers are of a size at which rest holds.
func within(numbers ...float64) bool {
	for _, x := range numbers {
		if a := math.Abs(x); a < 0x1p-400 || a > 0x1p400 {
			return false
		}
	}
	return true
}

func (f exact) rounded(op *tile.Op, mode big.RoundingMode) elementFunc {
	e := op.Result().Type.Elem()
	if !floats(op) || e != tile.F32 && e != tile.F64 {
		return nil
	}
	d := e.DType()
	return func(a *[4]uint64) uint64 {
		x, y, z := d.Decode(a[0]), 1.0, 1.0
		if f.arity > 1 {
			y = d.Decode(a[1])
		}
		if f.arity > 2 {
			z = d.Decode(a[2])
		}
		n := f.native(x, y, z)
		if x-x != 0 || y-y != 0 || z-z != 0 || n != n || f.arity != 3 && y == 0 && math.IsInf(n, 0) || f.arity == 1 && (x == 0) {
			return d.Encode(n)
		}
		if f.rest != nil && within(n, x, y) {
			return d.Encode(roundRest(n, f.rest(n, x, y, z), e, mode))
		}
		r := new(big.Float).SetPrec(exactBits).SetMode(mode)
		f.big(r, big.NewFloat(x), big.NewFloat(y), big.NewFloat(z))
		return d.Encode(roundBig(r, e, mode))
	}
}

// roundRest rounds a float64 and a rest of which only the sign counts to f32 or f64.
func roundRest(n, rest float64, e tile.Elem, mode big.RoundingMode) float64 {
	if e == tile.F64 {
		return directed(n, n < 0, sign(rest), e, mode)
	}
	if mode == big.ToNearestEven && rest != 0 {
		// Beyond 53 digits only the side counts: an odd last digit says that there is more. This is
		// rounding to odd, after which rounding to fewer digits is as if it were the only one.
		if rest > 0 == (n < 0) {
			n = math.Nextafter(n, 0)
		}
		n = math.Float64frombits(math.Float64bits(n) | 1)
	}
	near := float64(float32(n))
	side := sign(n - near)
	if side == 0 {
		side = sign(rest)
	}
	return directed(near, n < 0, side, e, mode)
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// roundBig rounds to f32 or f64.
func roundBig(r *big.Float, e tile.Elem, mode big.RoundingMode) float64 {
	nearest, accuracy := r.Float64()
	if e == tile.F32 {
		var n float32
		n, accuracy = r.Float32()
		nearest = float64(n)
	}
	return directed(nearest, r.Sign() < 0, -int(accuracy), e, mode)
}

// directed gives a result from the float nearest to it, and the side of that float on which it lies.
func directed(nearest float64, negative bool, side int, e tile.Elem, mode big.RoundingMode) float64 {
	if mode == big.ToZero {
		mode = big.ToNegativeInf
		if negative {
			mode = big.ToPositiveInf
		}
	}
	to := math.Inf(side)
	if mode == big.ToNegativeInf && side < 0 || mode == big.ToPositiveInf && side > 0 {
		if e == tile.F32 {
			return float64(math.Nextafter32(float32(nearest), float32(to)))
		}
		return math.Nextafter(nearest, to)
	}
	return nearest
}

// integral rounds to an integer.
var integral = map[string]func(float64) float64{
	"_rn": math.RoundToEven,
	"_rz": math.Trunc,
	"_rd": math.Floor,
	"_ru": math.Ceil,
}

// conversionExterns are conversions between numbers, and between the bits of one and another.
func conversionExterns() map[string]extern {
	m := map[string]extern{
		"llrint":  floatToInteger(math.RoundToEven, 64, true),
		"llround": floatToInteger(math.Round, 64, true),
		"ilogb":   floatToInteger(ilogb, 32, true),

		"float_as_int":       sameBits(tile.F32, tile.I32),
		"float_as_uint":      sameBits(tile.F32, tile.I32),
		"int_as_float":       sameBits(tile.I32, tile.F32),
		"uint_as_float":      sameBits(tile.I32, tile.F32),
		"double_as_longlong": sameBits(tile.F64, tile.I64),
		"longlong_as_double": sameBits(tile.I64, tile.F64),
		"double2hiint":       bitsTo(tile.F64, tile.I32, func(a *[4]uint64) uint64 { return a[0] >> 32 }),
		"double2loint":       bitsTo(tile.F64, tile.I32, func(a *[4]uint64) uint64 { return a[0] & (1<<32 - 1) }),
		"hiloint2double":     bitsTo(tile.I32, tile.F64, func(a *[4]uint64) uint64 { return a[0]<<32 | a[1] }),
	}
	integers := []struct {
		name     string
		bits     int
		isSigned bool
	}{{"int", 32, true}, {"uint", 32, false}, {"ll", 64, true}, {"ull", 64, false}}
	for suffix, mode := range suffixes {
		m["double2float"+suffix] = bitsTo(tile.F64, tile.F32, func(a *[4]uint64) uint64 {
			return roundFloat(math.Float64frombits(a[0]), tile.F32, mode)
		})
		for _, n := range integers {
			m["float2"+n.name+suffix] = floatToInteger(integral[suffix], n.bits, n.isSigned)
			m["double2"+n.name+suffix] = floatToInteger(integral[suffix], n.bits, n.isSigned)
			m[n.name+"2float"+suffix] = integerToFloat(n.bits, n.isSigned, tile.F32, mode)
			if n.bits == 64 || suffix == "_rn" { // a float64 holds every 32-bit integer
				m[n.name+"2double"+suffix] = integerToFloat(n.bits, n.isSigned, tile.F64, mode)
			}
		}
	}
	return m
}

func roundFloat(f float64, e tile.Elem, mode big.RoundingMode) uint64 {
	if f-f != 0 || f == 0 {
		return e.DType().Encode(f)
	}
	return e.DType().Encode(roundBig(big.NewFloat(f), e, mode))
}

// floatToInteger saturates. NaN becomes 0, or the sign bit where either type has 64 bits, as
// PTX's cvt has it.
func floatToInteger(round func(float64) float64, bits int, isSigned bool) extern {
	return func(op *tile.Op) elementFunc {
		from := op.Args[0].Type
		if !from.IsFloat() || !op.Result().Type.IsInt() || op.Result().Type.ElemBits() != bits {
			return nil
		}
		var nan uint64
		if from.ElemBits() == 64 || bits == 64 {
			nan = 1 << (bits - 1)
		}
		d := from.Elem().DType()
		convert := saturate[uint64](bits, isSigned, 1<<bits-1)
		return func(a *[4]uint64) uint64 {
			x := round(d.Decode(a[0]))
			if x != x {
				return nan
			}
			return convert(x)
		}
	}
}

func integerToFloat(bits int, isSigned bool, to tile.Elem, mode big.RoundingMode) extern {
	from := tile.I32
	if bits == 64 {
		from = tile.I64
	}
	return bitsTo(from, to, func(a *[4]uint64) uint64 {
		if a[0] == 0 {
			return 0
		}
		r := new(big.Float).SetPrec(64)
		if isSigned {
			r.SetInt64(int64(a[0]<<(64-bits)) >> (64 - bits))
		} else {
			r.SetUint64(a[0])
		}
		return to.DType().Encode(roundBig(r, to, mode))
	})
}

// ilogb gives the exponent; for 0 and NaN it is the smallest int32, for infinity the largest.
func ilogb(x float64) float64 {
	switch {
	case x == 0 || x != x:
		return math.MinInt32
	case math.IsInf(x, 0):
		return math.MaxInt32
	}
	return math.Logb(x)
}

func sameBits(from, to tile.Elem) extern {
	return bitsTo(from, to, func(a *[4]uint64) uint64 { return a[0] })
}

// bitsTo is a function of one element type's bits to another's.
func bitsTo(from, to tile.Elem, f elementFunc) extern {
	return func(op *tile.Op) elementFunc {
		for _, v := range op.Args {
			if v.Type.Scalar() != tile.Scalar(from) {
				return nil
			}
		}
		if op.Result().Type.Scalar() != tile.Scalar(to) {
			return nil
		}
		return f
	}
}
