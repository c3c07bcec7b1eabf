package dtype

import (
	"math"
	"testing"
)

// TestSign compares -x and |x| of all numbers of the narrow formats with what they are.
func TestSign(t *testing.T) {
	for _, d := range narrowFormats {
		for bits := range uint64(1) << d.Bits() {
			x, neg, abs := d.Decode(bits), d.Decode(d.Negate(bits)), d.Decode(d.Abs(bits))
			if x != x {
				if neg == neg || abs == abs {
					t.Errorf("%v: of NaN %#x, -x is %v and |x| is %v", d, bits, neg, abs)
				}
				continue
			}
			if neg != -x || abs != math.Abs(x) || math.Signbit(abs) || math.Signbit(neg) == math.Signbit(x) && d.HasNegativeZero() {
				t.Errorf("%v: of %v, -x is %v and |x| is %v", d, x, neg, abs)
			}
		}
		if z := d.Decode(d.SignBit()); z == 0 != d.HasNegativeZero() {
			t.Errorf("%v: the sign bit alone is %v", d, z)
		}
	}
}
