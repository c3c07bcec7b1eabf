package lir

// A Type is the type of a value in one thread.
type Type uint8

// The types.
const (
	None Type = iota
	I1
	I8
	I16
	I32
	I64
	F16
	BF16
	F32
	F64
	numTypes
)

var typeInfo = [numTypes]struct {
	name string
	bits int
}{
	None: {"none", 0}, I1: {"i1", 1}, I8: {"i8", 8}, I16: {"i16", 16}, I32: {"i32", 32}, I64: {"i64", 64},
	F16: {"f16", 16}, BF16: {"bf16", 16}, F32: {"f32", 32}, F64: {"f64", 64},
}

// String gives the name in the text form.
func (t Type) String() string {
	if t >= numTypes {
		return "bad"
	}
	return typeInfo[t].name
}

// Bits gives the width.
func (t Type) Bits() int { return typeInfo[t].bits }

// Bytes gives the size in memory; 0 for I1, which lies in none.
func (t Type) Bytes() int { return typeInfo[t].bits / 8 }

// IsInt reports whether t is an integer type (I1 too).
func (t Type) IsInt() bool { return t >= I1 && t <= I64 }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t >= F16 && t < numTypes }

// Int gives the integer type of a width of 1, 8, 16, 32 or 64 bits.
func Int(bits int) Type {
	switch bits {
	case 1:
		return I1
	case 8:
		return I8
	case 16:
		return I16
	case 32:
		return I32
	case 64:
		return I64
	}
	return None
}

// Mask gives the bits that a value of the type has.
func (t Type) Mask() uint64 { return ^uint64(0) >> (64 - max(t.Bits(), 1)) }

// A Space is a kind of memory.
type Space uint8

// The spaces.
const (
	Global Space = iota // the device's; all programs see it
	Shared              // the CTA's
	Local               // the thread's own
)

var spaceNames = []string{Global: "global", Shared: "shared", Local: "local"}

// String gives the name in the text form.
func (s Space) String() string { return name(int(s), spaceNames) }

func name(i int, names []string) string {
	if i < 0 || i >= len(names) {
		return "?"
	}
	return names[i]
}
