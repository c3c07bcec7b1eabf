package cpu

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu/libm"
	"github.com/tegula-lang/tegula/internal/tile"
)

var floatElems = []tile.Elem{tile.F8E4M3, tile.F8E5M2, tile.F8E4B15, tile.F8E4M3FZ, tile.F8E5M2FZ, tile.BF16, tile.F16, tile.F32, tile.F64}

// floats gives n bit patterns of a float type: special numbers in all pairs, then random bits.
func floatBits(e tile.Elem, n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 2))
	mask := ^uint64(0) >> (64 - e.Bits())
	d := e.DType()
	var edges []uint64
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 1.5, -2.5, 0.1, 3, math.Inf(1), math.Inf(-1), math.NaN(), 1e-5, 60000, 1e30} {
		edges = append(edges, d.Encode(f))
	}
	edges = append(edges, 1, mask>>1+2) // the smallest numbers
	out := make([]uint64, n)
	for i := range out {
		switch {
		case i < len(edges)*len(edges) && seed == 1:
			out[i] = edges[i/len(edges)]
		case i < len(edges)*len(edges):
			out[i] = edges[i%len(edges)]
		default:
			out[i] = r.Uint64() & mask
			if r.IntN(2) == 0 { // of a common size, so that sums round
				out[i] = d.Encode(r.NormFloat64())
			}
		}
	}
	return out
}

// sameFloat compares bit patterns; any NaN is as good as another.
func sameFloat(e tile.Elem, x, y uint64) bool {
	d := e.DType()
	fx, fy := d.Decode(x), d.Decode(y)
	return x == y || fx != fx && fy != fy
}

// throughF32 says what arithmetic that is exact in float64 gives in a type: one rounding in f64 and
// f32, and through f32 in what is narrower.
func throughF32(e tile.Elem, f float64) uint64 {
	if e.Bits() < 32 {
		f = float64(float32(f))
	}
	return e.DType().Encode(f)
}

// operandOf gives that of the bits which is a number; which NaN is open, except that it is one of them.
func operandOf(t *testing.T, e tile.Elem, f float64, bits ...uint64) uint64 {
	t.Helper()
	for _, b := range bits {
		if v := e.DType().Decode(b); math.Float64bits(v) == math.Float64bits(f) || v != v && f != f {
			return b
		}
	}
	t.Fatalf("%v is none of %#x", f, bits)
	return 0
}

// TestFloat8Clamp: a clamped number is one of the operands, infinities too.
func TestFloat8Clamp(t *testing.T) {
	for _, e := range floatElems[:5] {
		for _, propagate := range []bool{false, true} {
			x, lo, hi, d := floatBits(e, 1024, 1), floatBits(e, 1024, 2), floatBits(e, 1024, 3), e.DType()
			got := apply(t, e, e, func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.Clamp(in[0], in[1], in[2], propagate) }, x, lo, hi)
			for i := range x {
				v := d.Decode(x[i])
				want := skipNaN(math.Min)(skipNaN(math.Max)(v, d.Decode(lo[i])), d.Decode(hi[i]))
				if propagate && v != v {
					want = v
				}
				if w := operandOf(t, e, want, x[i], lo[i], hi[i]); !sameFloat(e, got[i], w) {
					t.Fatalf("%s: clamp of %#x, %#x, %#x is %#x, want %#x", e, x[i], lo[i], hi[i], got[i], w)
				}
			}
		}
	}
}

// withNaN passes NaN on, which math.Min and math.Max do not do beside an infinity.
func withNaN(f func(x, y float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		if math.IsNaN(x) || math.IsNaN(y) {
			return math.NaN()
		}
		return f(x, y)
	}
}

func skipNaN(f func(x, y float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		if math.IsNaN(x) {
			return y
		}
		if math.IsNaN(y) {
			return x
		}
		return f(x, y)
	}
}

func TestFloatArithmetic(t *testing.T) {
	ops := []struct {
		name string
		code tile.Code
		attr tile.Attr
		want func(x, y float64) float64
	}{
		{"fadd", tile.OpFAdd, nil, func(x, y float64) float64 { return x + y }},
		{"fsub", tile.OpFSub, nil, func(x, y float64) float64 { return x - y }},
		{"fmul", tile.OpFMul, nil, func(x, y float64) float64 { return x * y }},
		{"fdiv", tile.OpFDiv, nil, func(x, y float64) float64 { return x / y }},
		{"frem", tile.OpFRem, nil, math.Mod},
		{"fmin", tile.OpFMin, tile.NaNAttr{}, skipNaN(math.Min)},
		{"fmax", tile.OpFMax, tile.NaNAttr{}, skipNaN(math.Max)},
		{"fmin nan", tile.OpFMin, tile.NaNAttr{Propagate: true}, withNaN(math.Min)},
		{"fmax nan", tile.OpFMax, tile.NaNAttr{Propagate: true}, withNaN(math.Max)},
	}
	for _, op := range ops {
		for _, e := range floatElems {
			t.Run(fmt.Sprintf("%s/%s", op.name, e), func(t *testing.T) {
				x, y, d := floatBits(e, 1024, 1), floatBits(e, 1024, 2), e.DType()
				got := apply(t, e, e, func(b *tile.Builder, in []*tile.Value) *tile.Value {
					return b.Op(op.code, op.attr, in, in[0].Type).Result()
				}, x, y)
				for i := range x {
					f := op.want(d.Decode(x[i]), d.Decode(y[i]))
					w := throughF32(e, f)
					if op.code == tile.OpFMin || op.code == tile.OpFMax {
						w = operandOf(t, e, f, x[i], y[i])
					}
					if !sameFloat(e, got[i], w) {
						t.Fatalf("%v, %v gives %v (%#x), want %v (%#x)", d.Decode(x[i]), d.Decode(y[i]), d.Decode(got[i]), got[i], d.Decode(w), w)
					}
				}
			})
		}
	}
}

func TestFloatComparison(t *testing.T) {
	preds := map[tile.CmpF]struct{ less, equal, greater, unordered bool }{
		tile.OEQ: {equal: true}, tile.ONE: {less: true, greater: true},
		tile.OLT: {less: true}, tile.OLE: {less: true, equal: true},
		tile.OGT: {greater: true}, tile.OGE: {greater: true, equal: true},
		tile.UEQ: {equal: true, unordered: true}, tile.UNE: {less: true, greater: true, unordered: true},
		tile.ULT: {less: true, unordered: true}, tile.ULE: {less: true, equal: true, unordered: true},
		tile.UGT: {greater: true, unordered: true}, tile.UGE: {greater: true, equal: true, unordered: true},
		tile.ORD: {less: true, equal: true, greater: true}, tile.UNO: {unordered: true},
	}
	for pred, want := range preds {
		for _, e := range []tile.Elem{tile.F8E5M2, tile.F16, tile.F32, tile.F64} {
			x, y, d := floatBits(e, 512, 1), floatBits(e, 512, 2), e.DType()
			got := apply(t, e, tile.I1, func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.CmpF(pred, in[0], in[1]) }, x, y)
			for i := range x {
				fx, fy := d.Decode(x[i]), d.Decode(y[i])
				w := want.unordered
				switch {
				case fx < fy:
					w = want.less
				case fx == fy:
					w = want.equal
				case fx > fy:
					w = want.greater
				}
				if got[i] != uint64(bit(w)) {
					t.Fatalf("predicate %d on %s of %v, %v is %d, want %v", pred, e, fx, fy, got[i], w)
				}
			}
		}
	}
}

func TestClamp(t *testing.T) {
	x := []float32{-3, 0.25, 7, float32(math.NaN())}
	for _, propagate := range []bool{false, true} {
		got := make([]float32, len(x))
		m := kernelOf(t, []tile.Type{tileOf(tile.F32, 4)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
			lo, hi := b.Const(in[0].Type, uint64(math.Float32bits(-1))), b.Const(in[0].Type, uint64(math.Float32bits(2)))
			return []*tile.Value{b.Clamp(in[0], lo, hi, propagate)}
		})
		run(t, m, arrays(x, got)...)
		want := []float32{-1, 0.25, 2}
		for i, w := range want {
			if got[i] != w {
				t.Errorf("clamp of %v is %v, want %v", x[i], got[i], w)
			}
		}
		if isNaN := got[3] != got[3]; isNaN != propagate {
			t.Errorf("clamp of NaN is %v where propagation is %v", got[3], propagate)
		}
	}
}

func TestSignBit(t *testing.T) {
	for _, e := range floatElems {
		x := floatBits(e, 256, 1)
		sign := uint64(1) << (e.Bits() - 1)
		neg := apply(t, e, e, func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.Unary(tile.OpFNeg, in[0]) }, x)
		abs := apply(t, e, e, func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.Unary(tile.OpAbsF, in[0]) }, x)
		for i := range x {
			v := e.DType().Decode(x[i])
			wantNeg, wantAbs := x[i]^sign, x[i]&^sign
			if !e.DType().HasNegativeZero() && (v == 0 || v != v) {
				wantNeg, wantAbs = x[i], x[i]
			}
			if neg[i] != wantNeg || abs[i] != wantAbs {
				t.Fatalf("%s: of %#x, -x is %#x and |x| is %#x", e, x[i], neg[i], abs[i])
			}
		}
	}
}

// exactFMA rounds x*y+z once, by way of numbers of any length.
func exactFMA(x, y, z float32) float32 {
	f := func(v float32) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(float64(v)) }
	r, _ := f(0).Add(f(0).Mul(f(x), f(y)), f(z)).Float32()
	return r
}

func TestFMARoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n = 4096
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		switch i % 3 {
		case 0: // a sum near a tie of float32
			x[i], y[i] = float32(1+r.IntN(1<<12))/4096, 1+float32(r.IntN(1<<12))/4096
			z[i] = float32(math.Ldexp(r.Float64(), r.IntN(60)-30))
		case 1: // cancellation
			z[i] = -x[i] * y[i]
		case 2:
			z[i] = math.Float32frombits(r.Uint32())
		}
	}
	// The double rounding that float64 alone would give.
	x[0], y[0], z[0] = 1+0x1p-12, 1+0x1p-12, 0x1p-60
	x[1], y[1], z[1] = 1+0x1p-23, 1+0x1p-1, 0x1p-80
	got := make([]float32, n)
	m := kernelOf(t, []tile.Type{tileOf(tile.F32, n), tileOf(tile.F32, n), tileOf(tile.F32, n)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		return []*tile.Value{b.FMA(in[0], in[1], in[2])}
	})
	run(t, m, arrays(x, y, z, got)...)
	for i := range x {
		if v := float64(x[i])*float64(y[i]) + float64(z[i]); v-v != 0 {
			if w := float32(v); math.Float32bits(w) != math.Float32bits(got[i]) && !(w != w && got[i] != got[i]) {
				t.Fatalf("fma(%v, %v, %v) is %v, want %v", x[i], y[i], z[i], got[i], w)
			}
			continue
		}
		if w := exactFMA(x[i], y[i], z[i]); w != got[i] {
			t.Fatalf("fma(%v, %v, %v) is %v, want %v", x[i], y[i], z[i], got[i], w)
		}
	}
}

func TestFMAInOtherTypes(t *testing.T) {
	fma := func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.FMA(in[0], in[1], in[2]) }
	for _, e := range []tile.Elem{tile.F8E4M3, tile.BF16, tile.F16, tile.F64} {
		x, y, z, d := floatBits(e, 1024, 1), floatBits(e, 1024, 2), floatBits(e, 1024, 3), e.DType()
		got := apply(t, e, e, fma, x, y, z)
		for i := range x {
			if w := throughF32(e, math.FMA(d.Decode(x[i]), d.Decode(y[i]), d.Decode(z[i]))); !sameFloat(e, got[i], w) {
				t.Fatalf("%s: fma(%v, %v, %v) is %v, want %v", e, d.Decode(x[i]), d.Decode(y[i]), d.Decode(z[i]), d.Decode(got[i]), d.Decode(w))
			}
		}
	}
}

func TestMathFunctions(t *testing.T) {
	want := map[tile.Code]func(float64) float64{
		tile.OpExp: math.Exp, tile.OpExp2: math.Exp2, tile.OpLog: libm.Log, tile.OpLog2: math.Log2,
		tile.OpSin: math.Sin, tile.OpCos: math.Cos, tile.OpSqrt: math.Sqrt, tile.OpSqrtRN: math.Sqrt,
		tile.OpRSqrt: func(x float64) float64 { return 1 / math.Sqrt(x) }, tile.OpErf: math.Erf,
		tile.OpFloor: math.Floor, tile.OpCeil: math.Ceil,
	}
	for code, f := range want {
		for _, e := range []tile.Elem{tile.F16, tile.F32, tile.F64} {
			if wide, ok := wideMathFuncs[code]; ok && e == tile.F64 {
				f = wide // libm tests these against many more digits
			}
			x, d := floatBits(e, 512, 1), e.DType()
			got := apply(t, e, e, func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.Unary(code, in[0]) }, x)
			for i := range x {
				if w := throughF32(e, f(d.Decode(x[i]))); !sameFloat(e, got[i], w) {
					t.Fatalf("%s of %v in %s is %v, want %v", code, d.Decode(x[i]), e, d.Decode(got[i]), d.Decode(w))
				}
			}
		}
	}
}
