package tile

import (
	"math"
	"strconv"
)

// A narrowFormat is a float format of at most 16 bits: a sign, an exponent and a mantissa
// with subnormals. Special values are given as bits without the sign.
type narrowFormat struct {
	width, man, bias int
	largest          uint64 // the largest finite number
	inf              uint64 // 0: there is none
	nan              uint64 // the one called nan, sign included; 0: there is none
}

var narrowFormats = [numElems]narrowFormat{
	F16:      {width: 16, man: 10, bias: 15, largest: 0x7bff, inf: 0x7c00, nan: 0x7e00},
	BF16:     {width: 16, man: 7, bias: 127, largest: 0x7f7f, inf: 0x7f80, nan: 0x7fc0},
	F8E4M3:   {width: 8, man: 3, bias: 7, largest: 0x7e, nan: 0x7f},
	F8E5M2:   {width: 8, man: 2, bias: 15, largest: 0x7b, inf: 0x7c, nan: 0x7e},
	F8E4B15:  {width: 8, man: 3, bias: 15, largest: 0x7f},
	F8E4M3FZ: {width: 8, man: 3, bias: 8, largest: 0x7f, nan: 0x80},
	F8E5M2FZ: {width: 8, man: 2, bias: 16, largest: 0x7f, nan: 0x80},
}

// finite gives the number that bits stand for; false for infinities and NaNs.
func (f *narrowFormat) finite(bits uint64) (float64, bool) {
	sign := bits >> (f.width - 1)
	mag := bits & mask(f.width-1)
	if mag > f.largest || f.nan == 0x80 && bits == f.nan {
		return 0, false
	}
	exp, n := int(mag>>f.man), mag&mask(f.man)
	if exp > 0 {
		n |= 1 << f.man
	}
	x := math.Ldexp(float64(n), max(exp, 1)-f.bias-f.man)
	if sign != 0 {
		x = math.Copysign(x, -1)
	}
	return x, true
}

// round gives the bits of the number nearest to x, ties to even; false if x is too large.
func (f *narrowFormat) round(x float64) (uint64, bool) {
	var sign uint64
	if math.Signbit(x) {
		sign, x = 1<<(f.width-1), -x
	}
	_, exp := math.Frexp(x)
	biased := max(exp-1+f.bias, 1)
	// The implicit bit of n adds one to the exponent field; so does a carry out of the
	// mantissa, and a subnormal that rounds up to a normal number.
	n := math.RoundToEven(math.Ldexp(x, f.man+f.bias-biased))
	mag := uint64(biased-1)<<f.man + uint64(n)
	if mag > f.largest {
		return 0, false
	}
	if mag == 0 && f.nan == 0x80 {
		sign = 0 // these formats have no negative zero
	}
	return sign | mag, true
}

// appendNarrowFloat appends a constant of a format of at most 16 bits.
func appendNarrowFloat(b []byte, e Elem, bits uint64) []byte {
	f := &narrowFormats[e]
	x, ok := f.finite(bits)
	switch {
	case !ok && f.inf != 0 && bits&mask(f.width-1) == f.inf:
		return appendInf(b, bits != f.inf)
	case !ok:
		return appendNaN(b, bits, f.nan)
	}
	// Few digits tell the numbers of a narrow format apart.
	for digits := 1; ; digits++ {
		s := strconv.AppendFloat(b, x, 'g', digits, 64)
		if got, ok := f.parse(string(s[len(b):])); ok && got == bits || digits == 17 {
			return s
		}
	}
}

func (f *narrowFormat) parse(s string) (uint64, bool) {
	if s == "nan" {
		return f.nan, f.nan != 0
	}
	x, ok := parseDecimal(s, 64)
	if !ok {
		return 0, false
	}
	if math.IsInf(x, 0) {
		if x < 0 {
			return 1<<(f.width-1) | f.inf, f.inf != 0
		}
		return f.inf, f.inf != 0
	}
	return f.round(x)
}
