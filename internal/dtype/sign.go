package dtype

// SignBit gives the bit that says that a number of the floating-point type d is negative.
func (d DType) SignBit() uint64 { return 1 << (d.Bits() - 1) }

// Negate gives the bits of -x. It flips the sign of every x, zeros and NaNs too; but the formats that have
// one zero and one NaN keep these.
func (d DType) Negate(bits uint64) uint64 {
	if d.keepsSign(bits) {
		return bits
	}
	return bits ^ d.SignBit()
}

// Abs gives the bits of |x|: x with its sign cleared, but the only NaN of a format stays.
func (d DType) Abs(bits uint64) uint64 {
	if d.keepsSign(bits) {
		return bits
	}
	return bits &^ d.SignBit()
}

// HasNegativeZero reports whether there is a -0 beside 0.
func (d DType) HasNegativeZero() bool { return !formats[d].fnuz }

// keepsSign reports whether the sign bit is no sign: of the zero and the NaN of formats with one of each.
func (d DType) keepsSign(bits uint64) bool { return formats[d].fnuz && bits&^d.SignBit() == 0 }
