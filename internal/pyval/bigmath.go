package pyval

import (
	"math"
	"math/big"
	"sync"
)

// Elementary functions to the nearest float, by series over long floats: Go's own are good to a
// few units in the last place only, and a constant must not depend on who computed it. The
// error of each function here is below 2**-workBits, so that the result after one rounding
// differs from the exact one's only where that is within 2**-60 of the middle of two floats.

const (
	longBits = 256 // precision of the intermediate values
	workBits = 180 // what is kept of them before the last rounding, so that exact middles are seen
)

func long() *big.Float { return new(big.Float).SetPrec(longBits) }

func longOf(f float64) *big.Float { return long().SetFloat64(f) }

// nearest rounds to a float; overflow gives an infinity, underflow a denormal or 0.
func nearest(x *big.Float) float64 {
	f, _ := new(big.Float).SetPrec(workBits).Set(x).Float64()
	return f
}

var ln2 = sync.OnceValue(func() *big.Float {
	// ln 2 = 2 atanh(1/3)
	third := long().Quo(longOf(1), longOf(3))
	t := atanhSeries(third)
	return t.Add(t, t)
})

// atanhSeries sums z + z³/3 + z⁵/5 + … for |z| <= 1/3.
func atanhSeries(z *big.Float) *big.Float {
	sum, power, square := long().Set(z), long().Set(z), long().Mul(z, z)
	for k := int64(3); power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-longBits; k += 2 {
		power.Mul(power, square)
		sum.Add(sum, long().Quo(power, long().SetInt64(k)))
	}
	return sum
}

// logLong is the natural logarithm of x > 0.
func logLong(x *big.Float) *big.Float {
	m := long()
	e := x.MantExp(m) // x = m 2**e with m in [1/2, 1)
	if m.Cmp(longOf(0.75)) < 0 {
		m.Add(m, m) // [3/4, 3/2), so that a logarithm near 0 has no cancellation
		e--
	}
	z := long().Quo(long().Sub(m, longOf(1)), long().Add(m, longOf(1)))
	t := atanhSeries(z)
	t.Add(t, t)
	return t.Add(t, long().Mul(ln2(), long().SetInt64(int64(e))))
}

// expLong is e**x for |x| < 2**20.
func expLong(x *big.Float) *big.Float {
	const halvings = 16
	q, _ := long().Quo(x, ln2()).Float64()
	k := int64(math.Round(q))
	r := long().Sub(x, long().Mul(ln2(), long().SetInt64(k)))
	r.SetMantExp(r, -halvings)
	sum, term := longOf(1), longOf(1)
	for n := int64(1); term.Sign() != 0 && term.MantExp(nil) > -longBits; n++ {
		term.Mul(term, r)
		term.Quo(term, long().SetInt64(n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(k))
}

// powNearest is x**y for finite x > 0 and finite y.
func powNearest(x, y float64) float64 {
	if x == 1 {
		return 1
	}
	t := long().Mul(longOf(y), logLong(longOf(x)))
	switch f, _ := t.Float64(); {
	case f > 1000:
		return math.Inf(1)
	case f < -1000:
		return 0
	}
	return nearest(expLong(t))
}

// expNearest is e**x for finite x.
func expNearest(x float64) float64 {
	switch {
	case x > 1000:
		return math.Inf(1)
	case x < -1000:
		return 0
	}
	return nearest(expLong(longOf(x)))
}

// logNearest is the logarithm of x > 0 to a base; nil is e.
func logNearest(x *big.Float, base *big.Float) float64 {
	t := logLong(x)
	if base != nil {
		t.Quo(t, logLong(base))
	}
	return nearest(t)
}
