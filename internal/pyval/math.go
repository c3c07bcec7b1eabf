package pyval

import (
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// LookupMath gives a constant or function of Python's math module.
func LookupMath(name string) (v Value, ok bool) {
	if c, ok := mathConstants[name]; ok {
		return c, true
	}
	if f, ok := mathFunctions[name]; ok {
		return &Builtin{Name: name, sig: f.sig, fn: f.fn}, true
	}
	return nil, false
}

var mathConstants = map[string]float64{
	"pi": math.Pi, "e": math.E, "tau": 2 * math.Pi, "inf": math.Inf(1), "nan": math.NaN(),
}

var mathFunctions = map[string]builtin{
	"sqrt": {"x", onReal(func(x float64) (float64, error) {
		if x < 0 {
			return 0, domainError()
		}
		return math.Sqrt(x), nil
	})},
	"exp": {"x", onReal(func(x float64) (float64, error) {
		if special(x) {
			return math.Exp(x), nil
		}
		return inRange(expNearest(x))
	})},
	"exp2": {"x", onReal(func(x float64) (float64, error) {
		if special(x) {
			return math.Exp2(x), nil
		}
		return inRange(powNearest(2, x))
	})},
	"log":   {"x base?", mathLog},
	"log2":  {"x", func(a arguments) (Value, error) { return logTo(a.get("x"), longOf(2)) }},
	"log10": {"x", func(a arguments) (Value, error) { return logTo(a.get("x"), longOf(10)) }},
	"pow": {"x y", func(a arguments) (Value, error) {
		x, err := toFloat(a.get("x"))
		if err != nil {
			return nil, err
		}
		y, err := toFloat(a.get("y"))
		if err != nil {
			return nil, err
		}
		if x == 0 && y < 0 && !math.IsInf(y, 0) || x < 0 && !special(x) && !special(y) && y != math.Trunc(y) {
			return nil, domainError()
		}
		v, err := floatPow(x, y)
		if err != nil {
			return nil, Errorf("OverflowError", "math range error")
		}
		return v, nil
	}},
	"ceil":  {"x", func(a arguments) (Value, error) { return toWhole(a.get("x"), math.Ceil) }},
	"floor": {"x", func(a arguments) (Value, error) { return toWhole(a.get("x"), math.Floor) }},
	"trunc": {"x", func(a arguments) (Value, error) { return toWhole(a.get("x"), math.Trunc) }},
	"fabs":  {"x", onReal(func(x float64) (float64, error) { return math.Abs(x), nil })},
	"fmod": {"x y", func(a arguments) (Value, error) {
		return onPair(a, func(x, y float64) (float64, error) {
			if math.IsInf(x, 0) && !math.IsNaN(y) || y == 0 && !math.IsNaN(x) {
				return 0, domainError()
			}
			return math.Mod(x, y), nil
		})
	}},
	"copysign": {"x y", func(a arguments) (Value, error) {
		return onPair(a, func(x, y float64) (float64, error) { return math.Copysign(x, y), nil })
	}},
	"ldexp": {"x y", func(a arguments) (Value, error) {
		x, err := toFloat(a.get("x"))
		if err != nil {
			return nil, err
		}
		n, ok := AsInt(a.get("y"))
		if !ok {
			return nil, typeError("Expected an int as second argument to ldexp.")
		}
		f, err := inRangeOf(x, math.Ldexp(x, int(max(-5000, min(n, 5000)))))
		return f, err
	}},
	"isnan":    {"x", onFloat(math.IsNaN)},
	"isinf":    {"x", onFloat(func(x float64) bool { return math.IsInf(x, 0) })},
	"isfinite": {"x", onFloat(func(x float64) bool { return !special(x) })},
	"gcd": {"*", onIntegers(0, func(x, y *big.Int) (*big.Int, error) {
		return new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y)), nil
	})},
	"lcm":       {"*", onIntegers(1, lcm)},
	"isqrt":     {"n", isqrt},
	"factorial": {"n", factorial},
	"comb":      {"n k", comb},
	"prod":      {"iterable * start", product},
	"sin":       {"x", onFinite(math.Sin)},
	"cos":       {"x", onFinite(math.Cos)},
	"tan":       {"x", onFinite(math.Tan)},
	"tanh":      {"x", onReal(func(x float64) (float64, error) { return math.Tanh(x), nil })},
	"atan":      {"x", onReal(func(x float64) (float64, error) { return math.Atan(x), nil })},
	"erf":       {"x", onReal(func(x float64) (float64, error) { return math.Erf(x), nil })},
	"log1p": {"x", onReal(func(x float64) (float64, error) {
		if x <= -1 {
			return 0, domainError()
		}
		return math.Log1p(x), nil
	})},
	"expm1":   {"x", onReal(func(x float64) (float64, error) { return inRangeOf(x, math.Expm1(x)) })},
	"radians": {"x", onReal(func(x float64) (float64, error) { return x * (math.Pi / 180), nil })},
	"degrees": {"x", onReal(func(x float64) (float64, error) { return x * (180 / math.Pi), nil })},
}

func domainError() error { return valueError("math domain error") }

func special(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// inRange refuses the overflow of a finite operand.
func inRange(f float64) (float64, error) {
	if math.IsInf(f, 0) {
		return 0, Errorf("OverflowError", "math range error")
	}
	return f, nil
}

func inRangeOf(x, f float64) (float64, error) {
	if special(x) {
		return f, nil
	}
	return inRange(f)
}

func floatOrError(f float64, err error) (Value, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func onReal(f func(float64) (float64, error)) func(arguments) (Value, error) {
	return func(a arguments) (Value, error) {
		x, err := toFloat(a.get("x"))
		if err != nil {
			return nil, err
		}
		return floatOrError(f(x))
	}
}

// onFinite makes a function that infinities are outside the domain of.
func onFinite(f func(float64) float64) func(arguments) (Value, error) {
	return onReal(func(x float64) (float64, error) {
		if math.IsInf(x, 0) {
			return 0, domainError()
		}
		return f(x), nil
	})
}

func onFloat(is func(float64) bool) func(arguments) (Value, error) {
	return func(a arguments) (Value, error) {
		x, err := toFloat(a.get("x"))
		return is(x), err
	}
}

func onPair(a arguments, f func(x, y float64) (float64, error)) (Value, error) {
	x, err := toFloat(a.get("x"))
	if err != nil {
		return nil, err
	}
	y, err := toFloat(a.get("y"))
	if err != nil {
		return nil, err
	}
	return floatOrError(f(x, y))
}

// logTo gives the logarithm of any positive number, also of an int that no float holds; a nil
// base is e.
func logTo(v Value, base *big.Float) (Value, error) {
	v = unbox(v)
	if isInt(v) {
		n := bigOf(v)
		if n.Sign() <= 0 {
			return nil, domainError()
		}
		return logNearest(long().SetInt(n), base), nil
	}
	x, err := toFloat(v)
	switch {
	case err != nil:
		return nil, err
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x, nil
	case x <= 0:
		return nil, domainError()
	}
	return logNearest(longOf(x), base), nil
}

// mathLog is log(x) or log(x, base), which divides two rounded logarithms.
func mathLog(a arguments) (Value, error) {
	x, err := logTo(a.get("x"), nil)
	if err != nil || a.get("base") == nil {
		return x, err
	}
	base, err := logTo(a.get("base"), nil)
	if err != nil {
		return nil, err
	}
	if base == 0.0 {
		return nil, Errorf("ZeroDivisionError", "float division by zero")
	}
	return x.(float64) / base.(float64), nil
}

func toWhole(v Value, f func(float64) float64) (Value, error) {
	v = unbox(v)
	if isInt(v) {
		return Int(bigOf(v)), nil
	}
	x, err := toFloat(v)
	if err != nil {
		return nil, err
	}
	return floatInt(f(x))
}

func integer(v Value) (*big.Int, error) {
	if n := bigOf(unbox(v)); n != nil {
		return n, nil
	}
	return nil, typeError("'%s' object cannot be interpreted as an integer", TypeName(v))
}

// onIntegers folds integers.
func onIntegers(unit int64, f func(x, y *big.Int) (*big.Int, error)) func(arguments) (Value, error) {
	return func(a arguments) (Value, error) {
		total := big.NewInt(unit)
		for _, v := range a.rest {
			n, err := integer(v)
			if err != nil {
				return nil, err
			}
			if total, err = f(total, n); err != nil {
				return nil, err
			}
		}
		return Int(total), nil
	}
}

func lcm(x, y *big.Int) (*big.Int, error) {
	if x.Sign() == 0 || y.Sign() == 0 {
		return new(big.Int), nil
	}
	g := new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y))
	r := new(big.Int).Mul(new(big.Int).Quo(x, g), y)
	if r.BitLen() > MaxIntBits {
		return nil, tooLarge("int")
	}
	return r.Abs(r), nil
}

func isqrt(a arguments) (Value, error) {
	n, err := integer(a.get("n"))
	if err != nil {
		return nil, err
	}
	if n.Sign() < 0 {
		return nil, valueError("isqrt() argument must be nonnegative")
	}
	return Int(new(big.Int).Sqrt(n)), nil
}

// maxFactorial keeps factorials below MaxIntBits.
const maxFactorial = 1500

func factorial(a arguments) (Value, error) {
	n, err := integer(a.get("n"))
	if err != nil {
		return nil, err
	}
	switch {
	case n.Sign() < 0:
		return nil, valueError("factorial() not defined for negative values")
	case n.Cmp(big.NewInt(maxFactorial)) > 0:
		return nil, tooLarge("factorial()")
	}
	return bounded(new(big.Int).MulRange(1, n.Int64()))
}

func comb(a arguments) (Value, error) {
	n, ok1 := AsInt(a.get("n"))
	k, ok2 := AsInt(a.get("k"))
	switch {
	case !ok1 || !ok2:
		return nil, typeError("comb() takes two integers")
	case n < 0 || k < 0:
		return nil, valueError("k must be a non-negative integer")
	case k > n:
		return int64(0), nil
	case min(k, n-k) > maxFactorial:
		return nil, tooLarge("comb()")
	}
	return bounded(new(big.Int).Binomial(n, min(k, n-k)))
}

func product(a arguments) (Value, error) {
	elems, err := Iter(a.get("iterable"))
	if err != nil {
		return nil, err
	}
	total := a.or("start", int64(1))
	for _, e := range elems {
		if total, err = Binary(syntax.Mult, total, e); err != nil {
			return nil, err
		}
	}
	return total, nil
}
