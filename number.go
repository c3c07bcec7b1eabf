package tegula

import (
	"strconv"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// The number types that Go lacks. A slice of them is an array argument, like a slice of float32.
type (
	Float16        uint16 // IEEE 754 binary16: tl.float16
	BFloat16       uint16 // the upper half of a float32: tl.bfloat16
	Float8E4M3     uint8  // tl.float8e4nv, OCP's and ml_dtypes' e4m3fn
	Float8E5M2     uint8  // tl.float8e5
	Float8E4B15    uint8  // tl.float8e4b15
	Float8E4M3FNUZ uint8  // tl.float8e4b8
	Float8E5M2FNUZ uint8  // tl.float8e5b16
)

// Float16From gives the nearest Float16, ties to even; what is too large becomes infinite.
func Float16From(f float32) Float16 { return Float16(dtype.F32ToF16(f)) }

// BFloat16From gives the nearest BFloat16, ties to even; what is too large becomes infinite.
func BFloat16From(f float32) BFloat16 { return BFloat16(dtype.F32ToBF16(f)) }

// Float8E4M3From gives the nearest Float8E4M3, ties to even; what is too large becomes the largest.
func Float8E4M3From(f float32) Float8E4M3 {
	return Float8E4M3(dtype.Float8E4M3.Encode(float64(f)))
}

// Float8E5M2From gives the nearest Float8E5M2, ties to even; what is too large becomes the largest.
func Float8E5M2From(f float32) Float8E5M2 {
	return Float8E5M2(dtype.Float8E5M2.Encode(float64(f)))
}

// Float8E4B15From gives the nearest Float8E4B15, ties to even; what is too large becomes the largest.
func Float8E4B15From(f float32) Float8E4B15 {
	return Float8E4B15(dtype.Float8E4B15.Encode(float64(f)))
}

// Float8E4M3FNUZFrom gives the nearest Float8E4M3FNUZ, ties to even; what is too large becomes the largest.
func Float8E4M3FNUZFrom(f float32) Float8E4M3FNUZ {
	return Float8E4M3FNUZ(dtype.Float8E4M3FZ.Encode(float64(f)))
}

// Float8E5M2FNUZFrom gives the nearest Float8E5M2FNUZ, ties to even; what is too large becomes the largest.
func Float8E5M2FNUZFrom(f float32) Float8E5M2FNUZ {
	return Float8E5M2FNUZ(dtype.Float8E5M2FZ.Encode(float64(f)))
}

// Float32 gives the value; it is exact.
func (x Float16) Float32() float32 { return dtype.F16ToF32(uint16(x)) }

// Float32 gives the value; it is exact.
func (x BFloat16) Float32() float32 { return dtype.BF16ToF32(uint16(x)) }

// Float32 gives the value; it is exact.
func (x Float8E4M3) Float32() float32 { return dtype.Float8E4M3.FP8ToF32()[x] }

// Float32 gives the value; it is exact.
func (x Float8E5M2) Float32() float32 { return dtype.Float8E5M2.FP8ToF32()[x] }

// Float32 gives the value; it is exact.
func (x Float8E4B15) Float32() float32 { return dtype.Float8E4B15.FP8ToF32()[x] }

// Float32 gives the value; it is exact.
func (x Float8E4M3FNUZ) Float32() float32 { return dtype.Float8E4M3FZ.FP8ToF32()[x] }

// Float32 gives the value; it is exact.
func (x Float8E5M2FNUZ) Float32() float32 { return dtype.Float8E5M2FZ.FP8ToF32()[x] }

// String gives the value in decimal.
func (x Float16) String() string { return decimal(x.Float32()) }

// String gives the value in decimal.
func (x BFloat16) String() string { return decimal(x.Float32()) }

// String gives the value in decimal.
func (x Float8E4M3) String() string { return decimal(x.Float32()) }

// String gives the value in decimal.
func (x Float8E5M2) String() string { return decimal(x.Float32()) }

// String gives the value in decimal.
func (x Float8E4B15) String() string { return decimal(x.Float32()) }

// String gives the value in decimal.
func (x Float8E4M3FNUZ) String() string { return decimal(x.Float32()) }

// String gives the value in decimal.
func (x Float8E5M2FNUZ) String() string { return decimal(x.Float32()) }

func decimal(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// A DType is an element type. String gives its name in signatures: fp32, i32, u8.
type DType = dtype.DType

// The element types.
const (
	I1       = dtype.Int1
	I8       = dtype.Int8
	I16      = dtype.Int16
	I32      = dtype.Int32
	I64      = dtype.Int64
	U8       = dtype.Uint8
	U16      = dtype.Uint16
	U32      = dtype.Uint32
	U64      = dtype.Uint64
	FP8E4NV  = dtype.Float8E4M3
	FP8E5    = dtype.Float8E5M2
	FP8E4B15 = dtype.Float8E4B15
	FP8E4B8  = dtype.Float8E4M3FZ
	FP8E5B16 = dtype.Float8E5M2FZ
	BF16     = dtype.BFloat16
	FP16     = dtype.Float16
	FP32     = dtype.Float32
	FP64     = dtype.Float64
)

// ParseDType finds an element type by its name in signatures (fp32), in the language (float32)
// or in NumPy. ok is false if it is none.
func ParseDType(name string) (d DType, ok bool) {
	d = dtype.Lookup(name)
	return d, d.Bytes() > 0
}
