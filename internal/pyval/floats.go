package pyval

import (
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// toFloat converts a number; an int rounds to the nearest float.
func toFloat(v Value) (float64, error) {
	switch v := unbox(v).(type) {
	case float64:
		return v, nil
	case int64:
		return float64(v), nil
	case bool:
		return float64(boolInt(v)), nil
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		if math.IsInf(f, 0) {
			return 0, Errorf("OverflowError", "int too large to convert to float")
		}
		return f, nil
	}
	return 0, typeError("must be real number, not %s", TypeName(v))
}

func isNumber(v Value) bool {
	_, ok := v.(float64)
	return ok || isInt(v)
}

// floatBinary does a op b for two numbers of which one is a float.
func floatBinary(op syntax.Op, a, b Value) (Value, error) {
	x, err := toFloat(a)
	if err != nil {
		return nil, err
	}
	y, err := toFloat(b)
	if err != nil {
		return nil, err
	}
	switch op {
	case syntax.Add:
		return x + y, nil
	case syntax.Sub:
		return x - y, nil
	case syntax.Mult:
		return x * y, nil
	case syntax.Div:
		if y == 0 {
			return nil, Errorf("ZeroDivisionError", "float division by zero")
		}
		return x / y, nil
	case syntax.FloorDiv:
		if y == 0 {
			return nil, Errorf("ZeroDivisionError", "float floor division by zero")
		}
		q, _ := floatDivMod(x, y)
		return q, nil
	case syntax.Mod:
		if y == 0 {
			return nil, Errorf("ZeroDivisionError", "float modulo")
		}
		_, r := floatDivMod(x, y)
		return r, nil
	case syntax.Pow:
		return floatPow(x, y)
	}
	return nil, binaryTypeError(op, a, b)
}

// floatDivMod gives the quotient rounded down and the remainder with the divisor's sign, zeros
// signed as Python signs them; y is not 0.
func floatDivMod(x, y float64) (q, r float64) {
	r = math.Mod(x, y)
	d := (x - r) / y // an integer up to rounding
	switch {
	case r == 0:
		r = math.Copysign(0, y)
	case (r < 0) != (y < 0):
		r, d = r+y, d-1
	}
	if d == 0 {
		return math.Copysign(0, x/y), r
	}
	q = math.Floor(d)
	if d-q > 0.5 {
		q++
	}
	return q, r
}

// floatPow is x ** y, rounded to the nearest float; the special cases are C's pow.
func floatPow(x, y float64) (Value, error) {
	switch {
	case y == 0 || x == 1:
		return 1.0, nil
	case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Pow(x, y), nil
	case x == 0 && y < 0:
		return nil, Errorf("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	case x == 0:
		return math.Pow(x, y), nil
	case x < 0 && y != math.Trunc(y):
		return nil, valueError("a negative number to a fractional power is complex, which is not supported")
	}
	f := powNearest(math.Abs(x), y)
	if x < 0 && math.Mod(y, 2) != 0 {
		f = -f
	}
	if math.IsInf(f, 0) {
		return nil, Errorf("OverflowError", "(34, 'Numerical result out of range')")
	}
	return f, nil
}

// floatInt gives a float's integer part.
func floatInt(f float64) (Value, error) {
	switch {
	case math.IsNaN(f):
		return nil, valueError("cannot convert float NaN to integer")
	case math.IsInf(f, 0):
		return nil, Errorf("OverflowError", "cannot convert float infinity to integer")
	}
	n, _ := big.NewFloat(f).Int(nil)
	return Int(n), nil
}
