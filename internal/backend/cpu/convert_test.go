package cpu

import (
	"math"
	"math/big"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

func TestFloatConversion(t *testing.T) {
	for _, from := range floatElems {
		for _, to := range floatElems {
			if from == to {
				continue
			}
			x, in, out := floatBits(from, 1024, 1), from.DType(), to.DType()
			for _, round := range []tile.Round{tile.NearestEven, tile.TowardsZero} {
				encode := out.Encode
				if round == tile.TowardsZero {
					encode = out.EncodeRTZ
				}
				if to.Bits() > from.Bits() && round == tile.TowardsZero {
					continue
				}
				got := apply(t, from, to, func(b *tile.Builder, v []*tile.Value) *tile.Value {
					if to.Bits() > from.Bits() {
						return b.Cast(tile.OpFExt, v[0], tile.Scalar(to))
					}
					return b.FTrunc(v[0], to, round)
				}, x)
				for i := range x {
					if w := encode(in.Decode(x[i])); !sameFloat(to, got[i], w) {
						t.Fatalf("%s to %s (rounding %d): %v is %v, want %v", from, to, round, in.Decode(x[i]), out.Decode(got[i]), out.Decode(w))
					}
				}
			}
		}
	}
}

// nearest gives the number of a type that is nearest to an integer, found among neighbours.
func nearest(e tile.Elem, x *big.Int) float64 {
	d := e.DType()
	f, _ := new(big.Float).SetInt(x).Float64()
	b := d.Encode(f)
	if limit := d.Decode(d.Encode(math.MaxFloat64)); math.Abs(d.Decode(b)) == limit { // at the end of the range
		return math.Copysign(limit, f)
	}
	best, bestDistance := b, (*big.Float)(nil)
	for k := -1; k <= 1; k++ {
		c := b + uint64(k)
		v := d.Decode(c)
		if b == 0 && k < 0 || v-v != 0 {
			continue
		}
		dist := new(big.Float).SetPrec(200).SetFloat64(v)
		dist.Sub(dist, new(big.Float).SetInt(x)).Abs(dist)
		if bestDistance == nil || dist.Cmp(bestDistance) < 0 || dist.Cmp(bestDistance) == 0 && c&1 == 0 {
			best, bestDistance = c, dist
		}
	}
	return d.Decode(best)
}

func TestIntegerToFloat(t *testing.T) {
	for _, width := range []int{1, 8, 16, 32, 64} {
		x := integers(width, 1024, 1)
		if width == 64 { // halfway between two bfloat16s but for the last bit, which float64 drops
			x[1000], x[1001], x[1002] = 1<<62|1<<54|1, 1<<62|1<<54, 1<<62|1<<55|1<<54-1
		}
		for _, to := range floatElems {
			for _, code := range []tile.Code{tile.OpSToF, tile.OpUToF} {
				got := apply(t, elemOfWidth[width], to, func(b *tile.Builder, in []*tile.Value) *tile.Value {
					return b.Cast(code, in[0], tile.Scalar(to))
				}, x)
				for i := range x {
					v := unsignedBig(x[i])
					if code == tile.OpSToF {
						v = signedBig(x[i], width)
					}
					if g, w := to.DType().Decode(got[i]), nearest(to, v); g != w || math.Signbit(g) != math.Signbit(w) {
						t.Fatalf("%s of %v (i%d) to %s is %v, want %v", code, v, width, to, g, w)
					}
				}
			}
		}
	}
}

func TestFloatToInteger(t *testing.T) {
	for _, width := range []int{8, 16, 32, 64} {
		for _, from := range floatElems {
			x, d := floatBits(from, 512, 1), from.DType()
			for _, code := range []tile.Code{tile.OpFToS, tile.OpFToU} {
				got := apply(t, from, elemOfWidth[width], func(b *tile.Builder, in []*tile.Value) *tile.Value {
					return b.Cast(code, in[0], tile.Scalar(elemOfWidth[width]))
				}, x)
				for i := range x {
					if w := saturated(d.Decode(x[i]), width, code == tile.OpFToS); got[i] != w {
						t.Fatalf("%s of %v to i%d is %#x, want %#x", code, d.Decode(x[i]), width, got[i], w)
					}
				}
			}
		}
	}
}

func saturated(f float64, width int, isSigned bool) uint64 {
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if isSigned {
		lo.Rsh(hi, 1).Neg(lo)
		hi.Rsh(hi, 1)
	}
	hi.Sub(hi, big.NewInt(1))
	switch {
	case math.IsNaN(f):
		return 0
	case math.IsInf(f, 1):
		return wrapped(hi, width)
	case math.IsInf(f, -1):
		return wrapped(lo, width)
	}
	v, _ := big.NewFloat(f).Int(nil)
	return wrapped(least(greatest(v, lo), hi), width)
}

func TestBitcast(t *testing.T) {
	x := floatBits(tile.F32, 64, 1)
	got := apply(t, tile.F32, tile.I32, func(b *tile.Builder, in []*tile.Value) *tile.Value {
		return b.Cast(tile.OpBitcast, in[0], tile.Scalar(tile.I32))
	}, x)
	for i := range x {
		if got[i] != x[i] {
			t.Fatalf("the bits %#x became %#x", x[i], got[i])
		}
	}
}
