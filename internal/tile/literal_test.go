package tile

import (
	"testing"

	"pgregory.net/rapid"
)

// TestLiteralNarrow round-trips every constant of the types of at most 16 bits.
func TestLiteralNarrow(t *testing.T) {
	for e := I1; e < numElems; e++ {
		if e.Bits() > 16 {
			continue
		}
		for bits := range uint64(1) << e.Bits() {
			s := string(appendLiteral(nil, Scalar(e), bits))
			got, err := parseLiteral(s, Scalar(e))
			if err != nil || got != bits {
				t.Fatalf("%#x of %s prints as %s, which reads as %#x, %v", bits, e, s, got, err)
			}
			if e.IsFloat() && len(s) > len("-1.2345e-41") {
				t.Errorf("%#x of %s prints as %s", bits, e, s)
			}
		}
	}
}

func TestLiteralWide(t *testing.T) {
	for _, typ := range []Type{Scalar(I32), Scalar(I64), Scalar(F32), Scalar(F64), PtrTo(Scalar(I8))} {
		t.Run(typ.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				bits := rapid.Uint64().Draw(t, "bits") & mask(typ.ElemBits())
				s := string(appendLiteral(nil, typ, bits))
				if got, err := parseLiteral(s, typ); err != nil || got != bits {
					t.Errorf("%#x prints as %s, which reads as %#x, %v", bits, s, got, err)
				}
			})
		})
	}
}

func TestLiteralText(t *testing.T) {
	for _, tt := range []struct {
		typ  Type
		bits uint64
		want string
	}{
		{Scalar(I1), 0, "false"},
		{Scalar(I8), 0xff, "-1"},
		{Scalar(I32), 0x80000000, "-2147483648"},
		{Scalar(F32), 0x3f800000, "1"},
		{Scalar(F32), 0x3eaaaaab, "0.33333334"},
		{Scalar(F32), 0x00000001, "1e-45"},
		{Scalar(F32), 0x7f800000, "inf"},
		{Scalar(F32), 0x7fc00000, "nan"},
		{Scalar(F32), 0xffc00000, "0xffc00000"},
		{Scalar(F64), 0x3fd5555555555555, "0.3333333333333333"},
		{Scalar(F64), 0xfff0000000000000, "-inf"},
		{Scalar(F16), 0x3555, "0.3333"},
		{Scalar(F16), 0x7bff, "65504"},
		{Scalar(F16), 0x7c01, "0x7c01"},
		{Scalar(BF16), 0x3dcd, "0.1"},
		{Scalar(BF16), 0x8000, "-0"},
		{Scalar(F8E4M3), 0x7e, "448"},
		{Scalar(F8E4M3), 0x7f, "nan"},
		{Scalar(F8E5M2), 0xfc, "0xfc"},
		{Scalar(F8E4M3FZ), 0x80, "nan"},
		{PtrTo(Scalar(F32)), 0, "null"},
		{PtrTo(Scalar(F32)), 16, "0x10"},
		{Scalar(I8), 0x100, "0x100"}, // not of the type
	} {
		if got := string(appendLiteral(nil, tt.typ, tt.bits)); got != tt.want {
			t.Errorf("%#x of %s prints as %s, not %s", tt.bits, tt.typ, got, tt.want)
		}
	}
}
