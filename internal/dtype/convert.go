package dtype

import "math"

// A format is how the numbers of one floating-point type are laid out in bits: a sign, an
// exponent and mant mantissa bits. Numbers are held as a magnitude (all bits but the sign).
type format struct {
	sign uint64 // the sign bit
	mant uint   // explicit mantissa bits
	bias int
	max  uint64 // the largest finite magnitude that a conversion gives
	over uint64 // the magnitude that rounding to nearest gives beyond max
	inf  uint64 // the magnitude of infinity under rounding towards zero
	nan  uint64 // the magnitude that a NaN becomes
	fnuz bool   // 0x80 is NaN and there is no negative zero
}

// formats describes the types narrower than float32.
//
// The 8-bit types saturate: rounding to nearest turns what is too large, infinity included,
// into the largest finite number. That is what compiled Triton kernels do (PTX's
// cvt.rn.satfinite); PyTorch's casts give NaN or infinity instead. Float8E4B15 has neither
// infinity nor NaN, and Triton clamps to 1.75, one step below the largest encoding.
var formats = [numDTypes]format{
	Float16:      {sign: 0x8000, mant: 10, bias: 15, max: 0x7bff, over: 0x7c00, inf: 0x7c00, nan: 0x7e00},
	BFloat16:     {sign: 0x8000, mant: 7, bias: 127, max: 0x7f7f, over: 0x7f80, inf: 0x7f80, nan: 0x7fc0},
	Float8E4M3:   {sign: 0x80, mant: 3, bias: 7, max: 0x7e, over: 0x7e, inf: 0x7e, nan: 0x7f},
	Float8E5M2:   {sign: 0x80, mant: 2, bias: 15, max: 0x7b, over: 0x7b, inf: 0x7c, nan: 0x7f},
	Float8E4B15:  {sign: 0x80, mant: 3, bias: 15, max: 0x7e, over: 0x7e, inf: 0x7e, nan: 0x7e},
	Float8E4M3FZ: {sign: 0x80, mant: 3, bias: 8, max: 0x7f, over: 0x7f, inf: 0x7f, fnuz: true},
	Float8E5M2FZ: {sign: 0x80, mant: 2, bias: 16, max: 0x7f, over: 0x7f, inf: 0x7f, fnuz: true},
}

// Encode gives the bits of the number of type d that is nearest to f, ties to even, in one
// rounding. Beyond the range float16 and wider types give infinity and the 8-bit types
// their largest number; see formats. It gives 0 if d is no floating-point type.
func (d DType) Encode(f float64) uint64 {
	switch d {
	case Float64:
		return math.Float64bits(f)
	case Float32:
		return uint64(math.Float32bits(float32(f)))
	}
	if !d.IsFloat() {
		return 0
	}
	return formats[d].encode(f, false)
}

// EncodeRTZ is Encode rounding towards zero: a finite number stays finite.
func (d DType) EncodeRTZ(f float64) uint64 {
	switch d {
	case Float64:
		return math.Float64bits(f)
	case Float32:
		return uint64(math.Float32bits(truncF32(f)))
	}
	if !d.IsFloat() {
		return 0
	}
	return formats[d].encode(f, true)
}

// Clips reports whether the floating-point type d has numbers, perhaps infinities, beyond the largest that
// Encode gives.
func (d DType) Clips() bool { return d == Float8E5M2 || d == Float8E4B15 }

// Decode gives the number that bits stand for in type d; the conversion is exact. It gives
// 0 if d is no floating-point type.
func (d DType) Decode(bits uint64) float64 {
	switch d {
	case Float64:
		return math.Float64frombits(bits)
	case Float32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	if !d.IsFloat() {
		return 0
	}
	return formats[d].decode(bits)
}

// Of float64.
const (
	mant64 = 52
	bias64 = 1023
)

func (t *format) encode(f float64, towardsZero bool) uint64 {
	b := math.Float64bits(f)
	var sign uint64
	if b>>63 != 0 {
		sign = t.sign
	}
	b &^= 1 << 63
	switch {
	case f != f:
		if t.fnuz {
			return t.sign
		}
		return sign | t.nan
	case math.IsInf(f, 0):
		if towardsZero {
			return sign | t.inf
		}
		return sign | t.over
	}
	mag := t.round(b, towardsZero)
	if mag > t.max {
		mag = t.over
		if towardsZero {
			mag = t.max
		}
	}
	if t.fnuz && mag == 0 {
		return 0
	}
	return sign | mag
}

// round gives the magnitude nearest to a finite float64 of magnitude b, as if the exponent
// had no upper end. Exponent and mantissa are rounded as one integer, so that a carry out
// of the mantissa raises the exponent.
func (t *format) round(b uint64, towardsZero bool) uint64 {
	exp := int(b>>mant64) - bias64 + t.bias // in t, unless subnormal there
	m := b&(1<<mant64-1) | 1<<mant64
	if b>>mant64 == 0 {
		return 0 // a subnormal float64 is far below half of any format's smallest number
	}
	shift := mant64 - t.mant
	var mag uint64
	if exp >= 1 {
		mag = uint64(exp-1) << t.mant // the mantissa's leading one adds the last 1
	} else {
		shift += uint(min(1-exp, mant64))
		if shift > mant64+2 {
			return 0
		}
	}
	mag += m >> shift
	if towardsZero {
		return mag
	}
	rest, half := m&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && mag&1 != 0 {
		mag++
	}
	return mag
}

func (t *format) decode(bits uint64) float64 {
	mag := bits & (t.sign - 1)
	neg := bits&t.sign != 0
	if t.fnuz && neg && mag == 0 {
		return math.NaN()
	}
	f := t.magnitude(mag)
	if neg {
		return math.Copysign(f, -1)
	}
	return f
}

func (t *format) magnitude(mag uint64) float64 {
	special := mag > t.max && t.nan > t.max // above max lie infinity and the NaNs, if there are any
	if special && mag == t.inf && t.inf > t.max {
		return math.Inf(1)
	}
	if special {
		return math.NaN()
	}
	m := float64(mag & (1<<t.mant - 1))
	exp := int(mag >> t.mant)
	if exp == 0 {
		return math.Ldexp(m, 1-t.bias-int(t.mant))
	}
	return math.Ldexp(m+float64(uint64(1)<<t.mant), exp-t.bias-int(t.mant))
}

// truncF32 rounds towards zero.
func truncF32(f float64) float32 {
	r := float32(f)
	if math.Abs(float64(r)) > math.Abs(f) { // also a finite f that became infinite
		return math.Float32frombits(math.Float32bits(r) - 1)
	}
	return r
}

// F16ToF32 converts a float16; it is exact.
func F16ToF32(h uint16) float32 {
	b := uint32(h&0x7fff) << 13 // a float32 whose exponent is too small by the biases' difference, also if subnormal
	f := math.Float32frombits(b) * 0x1p112
	if b >= 0x7c00<<13 { // infinity, NaN
		f = math.Float32frombits(b | 0x7f800000)
	}
	return math.Float32frombits(math.Float32bits(f) | uint32(h&0x8000)<<16)
}

// F32ToF16 converts to float16, nearest even; what is too large becomes infinity.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x47800000: // 65536 and more, infinity
		return sign | 0x7c00
	case b < 0x38800000: // subnormal in float16: adding 0.5 leaves units of 2^-24 at the end of the mantissa
		m := math.Float32bits(math.Float32frombits(b) + 0.5)
		return sign | uint16(m-math.Float32bits(0.5))
	}
	b += 0xfff + b>>13&1 // half of the last place, less one if even: a carry raises the exponent
	return sign | uint16((b-(127-15)<<23)>>13)
}

// BF16ToF32 converts a bfloat16; it is exact.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 converts to bfloat16, nearest even; what is too large becomes infinity.
func F32ToBF16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16)&0x8000 | 0x7fc0
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// FP8ToF32 gives the numbers that the 256 encodings of an 8-bit floating-point type stand
// for. It gives nil if d is none.
func (d DType) FP8ToF32() *[256]float32 {
	if !d.IsFP8() {
		return nil
	}
	return &fp8Values[d-Float8E4M3]
}

var fp8Values = func() (t [Float8E5M2FZ - Float8E4M3 + 1][256]float32) {
	for i := range t {
		for b := range 256 {
			t[i][b] = float32((Float8E4M3 + DType(i)).Decode(uint64(b)))
		}
	}
	return t
}()
