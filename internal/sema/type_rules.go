package sema

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// The type rules are pure functions over element types; LANGUAGE.md, "Meaning", states them.

// errNoPromotion says that two types have no common type; callers name them.
var errNoPromotion = errors.New("no common type")

// errSignedness says that a division's operands differ in signedness.
var errSignedness = errors.New("different signedness")

// literalType gives the type that a number has when it becomes a tensor: the first of i32,
// u32, i64, u64 that holds an int; f32 for a float unless only f64 has its magnitude as a
// normal number. It reports false for an int that no type holds and for what is no number.
func literalType(v Value) (dtype.DType, bool) {
	switch v := v.(type) {
	case bool:
		return dtype.Int1, true
	case int64:
		return intLiteralType(v), true
	case *big.Int:
		return dtype.Uint64, v.IsUint64()
	case float64:
		return floatLiteralType(v), true
	}
	return dtype.Invalid, false
}

func intLiteralType(n int64) dtype.DType {
	switch {
	case n >= math.MinInt32 && n <= math.MaxInt32:
		return dtype.Int32
	case n > 0 && n <= math.MaxUint32:
		return dtype.Uint32
	}
	return dtype.Int64
}

func floatLiteralType(f float64) dtype.DType {
	a := math.Abs(f)
	if a == 0 || math.IsInf(f, 0) || math.IsNaN(f) || a >= 0x1p-126 && a <= math.MaxFloat32 {
		return dtype.Float32
	}
	return dtype.Float64
}

// An operandType is an operand's element type, and whether the operand is a number of the
// source text (a constant) rather than a tensor.
type operandType struct {
	dtype  dtype.DType
	number bool
}

// promote gives the type in which an operation on x and y is done. A number whose kind is not
// higher than a tensor's takes no part. div is set for /, // and %, which work in f32 at
// least if an operand is a float, and refuse integers of different signedness.
func promote(x, y operandType, div bool) (dtype.DType, error) {
	a, b := x.dtype, y.dtype
	switch {
	case x.number && !y.number && a.Kind() <= b.Kind():
		a = b
	case y.number && !x.number && b.Kind() <= a.Kind():
		b = a
	}
	if a.IsFloat() || b.IsFloat() {
		return promoteFloat(a, b, div)
	}
	if !a.IsInt() || !b.IsInt() {
		return dtype.Invalid, errNoPromotion
	}
	if div && a.IsSigned() != b.IsSigned() {
		return dtype.Invalid, errSignedness
	}
	return promoteInt(a, b), nil
}

// floatOrder lists the rows of the promotion table that an operand of either side decides,
// strongest first.
var floatOrder = [...]dtype.DType{dtype.Float64, dtype.Float32, dtype.Float16}

// promoteFloat gives the common type where at least one of a and b is a float.
func promoteFloat(a, b dtype.DType, div bool) (dtype.DType, error) {
	for _, d := range floatOrder {
		if a == d || b == d {
			if div && d == dtype.Float16 {
				return dtype.Float32, nil
			}
			return d, nil
		}
	}
	switch {
	case div:
		return dtype.Float32, nil
	case a == b:
		return a, nil
	case a == dtype.BFloat16 || b == dtype.BFloat16:
		return dtype.Float32, nil
	case a.IsFP8() && b.IsFP8():
		return dtype.Float16, nil
	}
	return dtype.Invalid, errNoPromotion // fp8 and an integer
}

// promoteInt gives the wider integer type; unsigned wins at equal width.
func promoteInt(a, b dtype.DType) dtype.DType {
	switch {
	case a.Bits() > b.Bits():
		return a
	case b.Bits() > a.Bits():
		return b
	case a.IsSigned():
		return b
	}
	return a
}

// intRange gives the smallest and largest value of an integer type.
func intRange(d dtype.DType) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if !d.IsSigned() {
		hi = new(big.Int).Lsh(one, uint(d.Bits()))
		return new(big.Int), hi.Sub(hi, one)
	}
	hi = new(big.Int).Lsh(one, uint(d.Bits()-1))
	lo = new(big.Int).Neg(hi)
	return lo, hi.Sub(hi, one)
}

// numberBits gives the bits of a number in type d. A float is no integer, except 0.0;
// an integer must be in range; anything is a bool.
func numberBits(v Value, d dtype.DType) (uint64, error) {
	switch {
	case d.IsBool():
		return boolBits(v), nil
	case d.IsInt():
		return intBits(v, d)
	}
	f, err := numberFloat(v)
	if err != nil {
		return 0, err
	}
	if d != dtype.Float64 && d != dtype.BFloat16 {
		f = float64(float32(f)) // constants of the narrow types come through f32, as Triton's do
	}
	return d.Encode(f), nil
}

// filledBits is numberBits for full, where an integer that is too large wraps: a mask such as 0xffffffff fills an
// int32. Only a negative one has no place in an unsigned type.
func filledBits(v Value, d dtype.DType) (uint64, error) {
	n := intOf(v)
	if n == nil || !d.IsInt() || d.IsBool() || n.Sign() < 0 && !d.IsSigned() {
		return numberBits(v, d)
	}
	switch {
	case n.IsInt64():
		return uint64(n.Int64()), nil
	case n.IsUint64() && !d.IsSigned():
		return n.Uint64(), nil
	}
	return numberBits(v, d)
}

func boolBits(v Value) uint64 {
	if f, err := numberFloat(v); err == nil && f == 0 {
		return 0
	}
	return 1
}

func intBits(v Value, d dtype.DType) (uint64, error) {
	n := intOf(v)
	if n == nil {
		return 0, fmt.Errorf("%s is no integer", describe(v))
	}
	lo, hi := intRange(d)
	if n.Cmp(lo) < 0 || n.Cmp(hi) > 0 {
		return 0, fmt.Errorf("%v is out of range for %s, which holds %v to %v", n, d.Attr(), lo, hi)
	}
	if n.Sign() < 0 {
		return uint64(n.Int64()), nil
	}
	return n.Uint64(), nil
}

// intOf gives an int, a bool or 0.0 as a big integer; nil for anything else.
func intOf(v Value) *big.Int {
	switch v := v.(type) {
	case bool:
		return big.NewInt(int64(boolBits(v)))
	case int64:
		return big.NewInt(v)
	case *big.Int:
		return v
	case float64:
		if v == 0 {
			return new(big.Int)
		}
	}
	return nil
}

func numberFloat(v Value) (float64, error) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case int64:
		return float64(v), nil
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f, nil
	case float64:
		return v, nil
	}
	return 0, fmt.Errorf("%s is no number", describe(v))
}

// isNegative reports whether a number is below zero.
func isNegative(v Value) bool {
	switch v := v.(type) {
	case int64:
		return v < 0
	case *big.Int:
		return v.Sign() < 0
	case float64:
		return v < 0
	}
	return false
}
