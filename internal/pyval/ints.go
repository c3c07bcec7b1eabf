package pyval

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// Int gives the one form of an integer: int64 if it fits, else the *big.Int itself, which must
// not change afterwards.
func Int(x *big.Int) Value {
	if x.IsInt64() {
		return x.Int64()
	}
	return x
}

// AsInt gives v as a small integer; ok is false if it is not an int or bool or does not fit.
func AsInt(v Value) (n int64, ok bool) {
	switch v := unbox(v).(type) {
	case int64:
		return v, true
	case bool:
		return boolInt(v), true
	}
	return 0, false
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// bigOf gives an int or bool as a *big.Int that must not be changed; nil for anything else.
func bigOf(v Value) *big.Int {
	switch v := v.(type) {
	case int64:
		return big.NewInt(v)
	case bool:
		return big.NewInt(boolInt(v))
	case *big.Int:
		return v
	}
	return nil
}

func isInt(v Value) bool {
	switch v.(type) {
	case int64, bool, *big.Int:
		return true
	}
	return false
}

// bounded gives an integer result, or an error if it is too long.
func bounded(x *big.Int) (Value, error) {
	if x.BitLen() > MaxIntBits {
		return nil, tooLarge("int")
	}
	return Int(x), nil
}

// intBinary does a op b for two ints (or bools).
func intBinary(op syntax.Op, a, b Value) (Value, error) {
	if x, ok := AsInt(a); ok {
		if y, ok := AsInt(b); ok {
			if v, ok := smallBinary(op, x, y); ok {
				return v, nil
			}
		}
	}
	x, y := bigOf(a), bigOf(b)
	switch op {
	case syntax.Add:
		return bounded(new(big.Int).Add(x, y))
	case syntax.Sub:
		return bounded(new(big.Int).Sub(x, y))
	case syntax.Mult:
		return bounded(new(big.Int).Mul(x, y))
	case syntax.BitAnd:
		return Int(new(big.Int).And(x, y)), nil
	case syntax.BitOr:
		return Int(new(big.Int).Or(x, y)), nil
	case syntax.BitXor:
		return Int(new(big.Int).Xor(x, y)), nil
	case syntax.Div:
		return intDiv(x, y)
	case syntax.FloorDiv:
		if y.Sign() == 0 {
			return nil, Errorf("ZeroDivisionError", "integer division or modulo by zero")
		}
		q, _ := floorDivMod(x, y)
		return Int(q), nil
	case syntax.Mod:
		if y.Sign() == 0 {
			return nil, Errorf("ZeroDivisionError", "integer modulo by zero")
		}
		_, r := floorDivMod(x, y)
		return Int(r), nil
	case syntax.Pow:
		return intPow(x, y)
	case syntax.LShift, syntax.RShift:
		return intShift(op, x, y)
	}
	return nil, binaryTypeError(op, a, b)
}

// smallBinary does a op b without big integers; ok is false where that is not possible.
func smallBinary(op syntax.Op, a, b int64) (v Value, ok bool) {
	switch op {
	case syntax.Add:
		s := a + b
		return s, (s^a)&(s^b) >= 0
	case syntax.Sub:
		s := a - b
		return s, (a^b)&(s^a) >= 0
	case syntax.Mult:
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		// The signed high word: the unsigned one less what the signs contributed.
		shi := int64(hi) - (a>>63)&b - (b>>63)&a
		return int64(lo), shi == int64(lo)>>63
	case syntax.FloorDiv, syntax.Mod:
		if b == 0 || a == math.MinInt64 && b == -1 {
			return nil, false
		}
		q, r := a/b, a%b
		if r != 0 && (r < 0) != (b < 0) {
			q, r = q-1, r+b
		}
		if op == syntax.Mod {
			return r, true
		}
		return q, true
	case syntax.BitAnd:
		return a & b, true
	case syntax.BitOr:
		return a | b, true
	case syntax.BitXor:
		return a ^ b, true
	case syntax.RShift:
		return a >> min(uint64(b), 63), b >= 0
	case syntax.LShift:
		if b < 0 || b > 62 {
			return nil, false
		}
		return a << b, a<<b>>b == a
	}
	return nil, false
}

// floorDivMod gives the quotient rounded down and the remainder with the divisor's sign.
func floorDivMod(x, y *big.Int) (q, r *big.Int) {
	q, r = new(big.Int).QuoRem(x, y, new(big.Int))
	if r.Sign() != 0 && r.Sign() != y.Sign() {
		q.Sub(q, big.NewInt(1))
		r.Add(r, y)
	}
	return q, r
}

// intDiv gives the float nearest to the exact quotient.
func intDiv(x, y *big.Int) (Value, error) {
	if y.Sign() == 0 {
		return nil, Errorf("ZeroDivisionError", "division by zero")
	}
	if x.Sign() == 0 {
		if y.Sign() < 0 {
			return math.Copysign(0, -1), nil
		}
		return 0.0, nil
	}
	f, _ := new(big.Rat).SetFrac(x, y).Float64()
	if math.IsInf(f, 0) {
		return nil, Errorf("OverflowError", "integer division result too large for a float")
	}
	if f == 0 && x.Sign() != y.Sign() {
		return math.Copysign(0, -1), nil
	}
	return f, nil
}

func intPow(x, y *big.Int) (Value, error) {
	if y.Sign() < 0 {
		if x.Sign() == 0 {
			return nil, Errorf("ZeroDivisionError", "0.0 cannot be raised to a negative power")
		}
		fx, err := toFloat(Int(x))
		if err != nil {
			return nil, err
		}
		fy, err := toFloat(Int(y))
		if err != nil {
			return nil, err
		}
		return floatPow(fx, fy)
	}
	if x.BitLen() <= 1 { // 0, 1 and -1 stay small
		return intUnitPow(x.Sign(), y), nil
	}
	if !y.IsInt64() || y.Int64() > MaxIntBits || int64(x.BitLen()-1)*y.Int64() > MaxIntBits {
		return nil, tooLarge("int")
	}
	return bounded(new(big.Int).Exp(x, y, nil))
}

// intUnitPow gives x ** y for x of -1, 0 or 1 and y >= 0.
func intUnitPow(x int, y *big.Int) Value {
	switch {
	case y.Sign() == 0 || x == 1:
		return int64(1)
	case x == 0:
		return int64(0)
	case y.Bit(0) == 0:
		return int64(1)
	}
	return int64(-1)
}

func intShift(op syntax.Op, x, y *big.Int) (Value, error) {
	if y.Sign() < 0 {
		return nil, valueError("negative shift count")
	}
	if x.Sign() == 0 {
		return int64(0), nil
	}
	far := !y.IsInt64() || y.Int64() > MaxIntBits
	switch {
	case op == syntax.LShift && far:
		return nil, tooLarge("int")
	case op == syntax.LShift:
		return bounded(new(big.Int).Lsh(x, uint(y.Int64())))
	case far:
		return int64(min(x.Sign(), 0)), nil
	}
	return Int(new(big.Int).Rsh(x, uint(y.Int64()))), nil
}

// intUnary does op a for an int or bool.
func intUnary(op syntax.Op, a Value) Value {
	x := bigOf(a)
	switch op {
	case syntax.USub:
		return Int(new(big.Int).Neg(x))
	case syntax.Invert:
		return Int(new(big.Int).Not(x))
	}
	return Int(x)
}
