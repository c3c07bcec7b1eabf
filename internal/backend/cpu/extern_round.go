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
			m[name+suffix] = extern{f.arity, func(op *tile.Op) elementFunc { return f.rounded(op, mode) }}
		}
	}
	return m
}

// An exact is arithmetic that is computed with many more digits than any result has, and then
// rounded. native is the same in float64; it decides wherever something is not finite.
type exact struct {
	arity  int
	native func(x, y, z float64) float64
	big    func(r, x, y, z *big.Float) *big.Float
}

// A sum of float64s needs up to 2,100 bits to be exact, a fused product up to 4,200. Quotients and roots
// are not exact, but never so near to a float64, or to a point halfway between two, that
// this many digits do not tell the side.
const exactBits = 4300

var exactArithmetic = map[string]exact{
	"add": {2, func(x, y, _ float64) float64 { return x + y },
		func(r, x, y, _ *big.Float) *big.Float { return r.Add(x, y) }},
	"sub": {2, func(x, y, _ float64) float64 { return x - y },
		func(r, x, y, _ *big.Float) *big.Float { return r.Sub(x, y) }},
	"mul": {2, func(x, y, _ float64) float64 { return x * y },
		func(r, x, y, _ *big.Float) *big.Float { return r.Mul(x, y) }},
	"div": {2, func(x, y, _ float64) float64 { return x / y },
		func(r, x, y, _ *big.Float) *big.Float { return r.Quo(x, y) }},
	"fma": {3, math.FMA,
		func(r, x, y, z *big.Float) *big.Float { return r.Add(new(big.Float).SetPrec(exactBits).Mul(x, y), z) }},
	"sqrt": {1, func(x, _, _ float64) float64 { return math.Sqrt(x) },
		func(r, x, _, _ *big.Float) *big.Float { return r.Sqrt(x) }},
	"rcp": {1, func(x, _, _ float64) float64 { return 1 / x },
		func(r, x, _, _ *big.Float) *big.Float { return r.Quo(big.NewFloat(1), x) }},
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
		r := new(big.Float).SetPrec(exactBits).SetMode(mode)
		f.big(r, big.NewFloat(x), big.NewFloat(y), big.NewFloat(z))
		return d.Encode(roundBig(r, e, mode))
	}
}

// roundBig rounds to f32 or f64.
func roundBig(r *big.Float, e tile.Elem, mode big.RoundingMode) float64 {
	nearest, side := r.Float64()
	next := func(to float64) float64 { return math.Nextafter(nearest, to) }
	if e == tile.F32 {
		n, s := r.Float32()
		nearest, side = float64(n), s
		next = func(to float64) float64 { return float64(math.Nextafter32(n, float32(to))) }
	}
	if mode == big.ToZero {
		mode = big.ToNegativeInf
		if r.Sign() < 0 {
			mode = big.ToPositiveInf
		}
	}
	switch {
	case mode == big.ToNegativeInf && side == big.Above:
		return next(math.Inf(-1))
	case mode == big.ToPositiveInf && side == big.Below:
		return next(math.Inf(1))
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
		"hiloint2double":     {2, bitsTo(tile.I32, tile.F64, func(a *[4]uint64) uint64 { return a[0]<<32 | a[1] }).of},
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
			m[n.name+"2double"+suffix] = integerToFloat(n.bits, n.isSigned, tile.F64, mode)
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
	return extern{1, func(op *tile.Op) elementFunc {
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
	}}
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
	return extern{1, func(op *tile.Op) elementFunc {
		for _, v := range op.Args {
			if v.Type.Scalar() != tile.Scalar(from) {
				return nil
			}
		}
		if op.Result().Type.Scalar() != tile.Scalar(to) {
			return nil
		}
		return f
	}}
}
