package dtype

// A DType is an element type. The zero value is Invalid.
type DType uint8

// The element types.
const (
	Invalid DType = iota
	Void
	Int1
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float8E4M3   // float8e4nv: 1-4-3, bias 7, NaN S.1111.111, no infinity
	Float8E5M2   // float8e5: 1-5-2, IEEE-like
	Float8E4B15  // float8e4b15: 1-4-3, bias 15, neither NaN nor infinity
	Float8E4M3FZ // float8e4b8: 1-4-3, bias 8, NaN 0x80, no negative zero
	Float8E5M2FZ // float8e5b16: 1-5-2, bias 16, NaN 0x80, no negative zero
	BFloat16
	Float16
	Float32
	Float64
	numDTypes
)

// A Kind orders types for promotion: bool < integer < float.
type Kind uint8

// The kinds.
const (
	KindVoid Kind = iota
	KindBool
	KindInt
	KindFloat
)

type info struct {
	name   string // Triton's short name, as in signatures: fp32, i32, u8
	attr   string // the name in the language: tl.float32
	numpy  string // NumPy's name, or ml_dtypes' where NumPy has none
	bits   uint8  // significant bits of a value
	bytes  uint8  // bytes in memory
	kind   Kind
	signed bool
	mant   uint8 // explicit mantissa bits
}

var table = [numDTypes]info{
	Invalid:      {name: "invalid", attr: "invalid", numpy: "invalid"},
	Void:         {name: "void", attr: "void", numpy: "void"},
	Int1:         {"i1", "int1", "bool", 1, 1, KindBool, false, 0},
	Int8:         {"i8", "int8", "int8", 8, 1, KindInt, true, 0},
	Int16:        {"i16", "int16", "int16", 16, 2, KindInt, true, 0},
	Int32:        {"i32", "int32", "int32", 32, 4, KindInt, true, 0},
	Int64:        {"i64", "int64", "int64", 64, 8, KindInt, true, 0},
	Uint8:        {"u8", "uint8", "uint8", 8, 1, KindInt, false, 0},
	Uint16:       {"u16", "uint16", "uint16", 16, 2, KindInt, false, 0},
	Uint32:       {"u32", "uint32", "uint32", 32, 4, KindInt, false, 0},
	Uint64:       {"u64", "uint64", "uint64", 64, 8, KindInt, false, 0},
	Float8E4M3:   {"fp8e4nv", "float8e4nv", "float8_e4m3fn", 8, 1, KindFloat, true, 3},
	Float8E5M2:   {"fp8e5", "float8e5", "float8_e5m2", 8, 1, KindFloat, true, 2},
	Float8E4B15:  {"fp8e4b15", "float8e4b15", "float8_e4m3b15", 8, 1, KindFloat, true, 3},
	Float8E4M3FZ: {"fp8e4b8", "float8e4b8", "float8_e4m3fnuz", 8, 1, KindFloat, true, 3},
	Float8E5M2FZ: {"fp8e5b16", "float8e5b16", "float8_e5m2fnuz", 8, 1, KindFloat, true, 2},
	BFloat16:     {"bf16", "bfloat16", "bfloat16", 16, 2, KindFloat, true, 7},
	Float16:      {"fp16", "float16", "float16", 16, 2, KindFloat, true, 10},
	Float32:      {"fp32", "float32", "float32", 32, 4, KindFloat, true, 23},
	Float64:      {"fp64", "float64", "float64", 64, 8, KindFloat, true, 52},
}

// row gives what is known of d; of a number that is no type, what is known of Invalid.
func (d DType) row() *info {
	if int(d) >= len(table) {
		d = Invalid
	}
	return &table[d]
}

// String gives Triton's short name, as in a signature: fp32, i32.
func (d DType) String() string { return d.row().name }

// Attr gives the name in the language: float32 of tl.float32.
func (d DType) Attr() string { return d.row().attr }

// NumPy gives NumPy's (or ml_dtypes') name.
func (d DType) NumPy() string { return d.row().numpy }

// Bits gives the number of significant bits: 1 for int1.
func (d DType) Bits() int { return int(d.row().bits) }

// Bytes gives the size in memory; int1 takes a byte.
func (d DType) Bytes() int { return int(d.row().bytes) }

// Kind gives the kind.
func (d DType) Kind() Kind { return d.row().kind }

// IsInt reports whether d is an integer type; int1 counts as one.
func (d DType) IsInt() bool { return d.row().kind == KindInt || d.row().kind == KindBool }

// IsBool reports whether d is int1.
func (d DType) IsBool() bool { return d == Int1 }

// IsFloat reports whether d is a floating-point type.
func (d DType) IsFloat() bool { return d.row().kind == KindFloat }

// IsFP8 reports whether d is one of the 8-bit floating-point types.
func (d DType) IsFP8() bool { return d >= Float8E4M3 && d <= Float8E5M2FZ }

// IsSigned reports whether d is a signed integer or a float.
func (d DType) IsSigned() bool { return d.row().signed }

// MantissaBits gives the number of explicit mantissa bits of a float, else 0.
func (d DType) MantissaBits() int { return int(d.row().mant) }

var byName = func() map[string]DType {
	m := make(map[string]DType, 3*numDTypes)
	for d := Void; d < numDTypes; d++ {
		for _, n := range []string{d.row().name, d.row().attr, d.row().numpy} {
			if _, taken := m[n]; !taken {
				m[n] = d
			}
		}
	}
	m["fp8e4"] = Float8E4M3
	m["B"] = Int1
	return m
}()

// Lookup finds a type by any of its names; Invalid if there is none.
func Lookup(name string) DType { return byName[name] }
