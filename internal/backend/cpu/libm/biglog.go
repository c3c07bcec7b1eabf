package libm

import (
	"math/big"
	"sync"
)

// bigLn2 is ln 2 = 2·artanh(1/3).
var bigLn2 = sync.OnceValue(func() *big.Float {
	r := artanh(newBig().Quo(bigOf(1), bigOf(3)))
	return r.Mul(r, bigOf(2))
})

// bigLog gives the logarithm of x > 0 as e·ln 2 + 2·artanh((m-1)/(m+1)), m from 3/4 to 3/2.
func bigLog(x *big.Float) *big.Float {
	m := newBig()
	e := x.MantExp(m)
	if m.Cmp(big.NewFloat(0.75)) < 0 {
		m.Mul(m, bigOf(2))
		e--
	}
	t := newBig().Sub(m, bigOf(1))
	t.Quo(t, newBig().Add(m, bigOf(1)))
	r := artanh(t)
	r.Mul(r, bigOf(2))
	return r.Add(r, newBig().Mul(newBig().SetInt64(int64(e)), bigLn2()))
}

// artanh sums t + t³/3 + t⁵/5 + …
func artanh(t *big.Float) *big.Float {
	power, t2, sum := newBig().Set(t), newBig().Mul(t, t), newBig()
	for k := int64(1); power.Sign() != 0 && (sum.Sign() == 0 || power.MantExp(nil) > sum.MantExp(nil)-besselDigits-8); k += 2 {
		sum.Add(sum, newBig().Quo(power, newBig().SetInt64(k)))
		power.Mul(power, t2)
	}
	return sum
}

// euler is Euler's constant γ (R. P. Brent, E. M. McMillan, "Some new algorithms for high-precision
// computation of Euler's constant", Math. Comp. 34, 1980): A/B - ln n with A = Σ (n^k/k!)² H_k and
// B = Σ (n^k/k!)², which is off by about e^(-4n).
var euler = sync.OnceValue(func() *big.Float {
	const n = 64
	a, b, term, harmonic := newBig(), bigOf(1), bigOf(1), newBig()
	for k := int64(1); k < 8*n; k++ {
		term.Mul(term, bigOf(n*n))
		term.Quo(term, newBig().SetInt64(k*k))
		harmonic.Add(harmonic, inverse(k))
		b.Add(b, term)
		a.Add(a, newBig().Mul(term, harmonic))
	}
	a.Quo(a, b)
	return a.Sub(a, bigLog(bigOf(n)))
})
