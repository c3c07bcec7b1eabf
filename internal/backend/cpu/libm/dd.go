package libm

import "math"

// A dd is a number as the sum of two float64s that do not overlap: hi is the float64 nearest to it.
// It has at least 104 bits. (T. J. Dekker, "A floating-point technique for extending the
// available precision", Numer. Math. 18, 1971; with fused multiplication as in M. Joldes et al.,
// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS
// 44, 2017.)
type dd struct{ hi, lo float64 }

// The conversions to float64 keep the compiler from fusing operations.

func twoSum(a, b float64) dd {
	s := a + b
	t := float64(s - a)
	return dd{s, float64(a-float64(s-t)) + float64(b-t)}
}

// quickSum is twoSum for |a| >= |b|.
func quickSum(a, b float64) dd {
	s := a + b
	return dd{s, b - float64(s-a)}
}

func twoProd(a, b float64) dd {
	p := a * b
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func (a dd) neg() dd { return dd{-a.hi, -a.lo} }

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) mul(b dd) dd {
	p := twoProd(a.hi, b.hi)
	low := math.FMA(a.hi, b.lo, float64(a.lo*b.hi))
	return quickSum(p.hi, p.lo+low)
}

func (a dd) scale(f float64) dd {
	p := twoProd(a.hi, f)
	return quickSum(p.hi, math.FMA(a.lo, f, p.lo))
}

func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.sub(b.scale(q))
	q2 := r.hi / b.hi
	r = r.sub(b.scale(q2))
	return quickSum(q, q2).add(dd{r.hi / b.hi, 0})
}

func (a dd) sqrt() dd {
	if a.hi <= 0 {
		return dd{math.Sqrt(a.hi), 0}
	}
	s := math.Sqrt(a.hi)
	r := a.sub(twoProd(s, s))
	return quickSum(s, r.hi/(2*s))
}

// ldexp multiplies by a power of two.
func (a dd) ldexp(n int) dd { return dd{math.Ldexp(a.hi, n), math.Ldexp(a.lo, n)} }

func (a dd) float() float64 { return a.hi + a.lo }

// of makes a dd of a float64.
func of(x float64) dd { return dd{x, 0} }

// poly gives the polynomial with the coefficients c, the constant first.
func poly(x dd, c []dd) dd {
	sum := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		sum = sum.mul(x).add(c[i])
	}
	return sum
}

// Constants with their lower halves.
var (
	ddLn2       = dd{math.Ln2, 2.3190468138462996e-17}
	ddLn10      = dd{math.Ln10, -2.1707562233822494e-16}
	ddPi        = dd{math.Pi, 1.2246467991473532e-16}
	ddHalfPi    = dd{math.Pi / 2, 6.123233995736766e-17}
	ddSqrtHlf   = dd{math.Sqrt2 / 2, -4.833646656726457e-17}
	ddLogTwoPi2 = dd{0.9189385332046728, -3.8782941580672414e-17} // ln(2π)/2
)

// inverseFactorials are 1/n!.
var inverseFactorials = func() []dd {
	c := make([]dd, 30)
	c[0] = of(1)
	for n := 1; n < len(c); n++ {
		c[n] = c[n-1].div(of(float64(n)))
	}
	return c
}()
