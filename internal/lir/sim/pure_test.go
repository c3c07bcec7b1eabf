package sim

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// operation gives an operation on operands of types.
func operation(code lir.Code, mod uint8, result lir.Type, args ...lir.Type) *lir.Op {
	op := &lir.Op{Code: code, Mod: mod, Results: []*lir.Value{{Type: result}}}
	for _, t := range args {
		op.Args = append(op.Args, &lir.Value{Type: t})
	}
	return op
}

func f32(x float32) uint64 { return uint64(math.Float32bits(x)) }

func TestIntegers(t *testing.T) {
	for _, test := range []struct {
		code       lir.Code
		t          lir.Type
		x, y, want uint64
	}{
		{lir.OpAdd, lir.I32, 0xffffffff, 2, 1},
		{lir.OpMulHiU, lir.I32, 0xffffffff, 0xffffffff, 0xfffffffe},
		{lir.OpMulHiS, lir.I32, 0xffffffff, 0xffffffff, 0},
		{lir.OpMulHiS, lir.I64, math.MaxUint64, 5, math.MaxUint64},
		{lir.OpMulHiS, lir.I64, 1 << 63, 1 << 63, 1 << 62},
		{lir.OpMulHiU, lir.I64, 1 << 63, 6, 3},
		{lir.OpDivS, lir.I32, 0xfffffff9, 2, 0xfffffffd},
		{lir.OpRemS, lir.I32, 0xfffffff9, 2, 0xffffffff},
		{lir.OpDivS, lir.I32, 1 << 31, 0xffffffff, 1 << 31},
		{lir.OpDivU, lir.I32, 0xfffffff9, 2, 0x7ffffffc},
		{lir.OpShl, lir.I32, 1, 32, 0}, {lir.OpShl, lir.I32, 1, 31, 1 << 31},
		{lir.OpShrU, lir.I64, 1 << 63, 64, 0}, {lir.OpShrS, lir.I32, 1 << 31, 40, 0xffffffff},
		{lir.OpMinS, lir.I32, 0xffffffff, 1, 0xffffffff}, {lir.OpMinU, lir.I32, 0xffffffff, 1, 1},
		{lir.OpMaxS, lir.I64, math.MaxUint64, 1, 1}, {lir.OpXor, lir.I1, 1, 1, 0},
	} {
		op := operation(test.code, 0, test.t, test.t, test.t)
		if got := binary2(op)(test.x, test.y) & test.t.Mask(); got != test.want {
			t.Errorf("%s %s of %#x and %#x is %#x, want %#x", test.code, test.t, test.x, test.y, got, test.want)
		}
	}
	for _, test := range []struct {
		code     lir.Code
		from, to lir.Type
		x, want  uint64
	}{
		{lir.OpPopCount, lir.I32, lir.I32, 0xf0f, 8}, {lir.OpCLZ, lir.I32, lir.I32, 1, 31}, {lir.OpCLZ, lir.I64, lir.I32, 0, 64},
		{lir.OpBitRev, lir.I32, lir.I32, 1, 1 << 31}, {lir.OpExtS, lir.I1, lir.I32, 1, 0xffffffff}, {lir.OpExtU, lir.I8, lir.I32, 0xff, 0xff},
		{lir.OpTrunc, lir.I32, lir.I1, 6, 0}, {lir.OpExtS, lir.I16, lir.I64, 0x8000, 0xffffffffffff8000},
	} {
		if got := unary(operation(test.code, 0, test.to, test.from))(test.x) & test.to.Mask(); got != test.want {
			t.Errorf("%s of %#x is %#x, want %#x", test.code, test.x, got, test.want)
		}
	}
	if got := permute(0x33221100, 0x776655c4, 0x4d73); got != 0xc4007733 {
		t.Errorf("%#x", got)
	}
	if got := permute(0x80, 0, 0x8888); got != 0xffffffff {
		t.Errorf("%#x", got)
	}
}

func TestCompare(t *testing.T) {
	for p, want := range map[tile.CmpI]uint64{tile.EQ: 0, tile.NE: 1, tile.LTS: 1, tile.LES: 1, tile.GTS: 0, tile.GES: 0, tile.LTU: 0, tile.LEU: 0, tile.GTU: 1, tile.GEU: 1} {
		if got := compare(p, lir.I32)(0xffffffff, 1); got != want {
			t.Errorf("comparison %d of -1 and 1 is %d", p, got)
		}
	}
	nan := math.NaN()
	for p := tile.OEQ; p <= tile.UNO; p++ {
		if got, want := floatCompare(p)(nan, 1), p >= tile.UEQ && p != tile.ORD; got != want {
			t.Errorf("comparison %d of NaN is %t", p, got)
		}
	}
	for p, want := range map[tile.CmpF]bool{tile.OLT: true, tile.OGT: false, tile.ONE: true, tile.UNE: true, tile.ORD: true, tile.UGE: false, tile.ULE: true, tile.OEQ: false} {
		if got := floatCompare(p)(1, 2); got != want {
			t.Errorf("comparison %d of 1 and 2 is %t", p, got)
		}
	}
}

func TestConversions(t *testing.T) {
	for _, test := range []struct {
		name    string
		op      *lir.Op
		x, want uint64
	}{
		{"beyond", operation(lir.OpFToS, uint8(lir.Zero), lir.I32, lir.F32), f32(3e9), 1<<31 - 1},
		{"below", operation(lir.OpFToS, uint8(lir.Zero), lir.I32, lir.F32), f32(-3e9), 1 << 31},
		{"NaN", operation(lir.OpFToS, uint8(lir.Zero), lir.I32, lir.F32), f32(float32(math.NaN())), 0},
		{"to zero", operation(lir.OpFToS, uint8(lir.Zero), lir.I32, lir.F32), f32(-2.7), 0xfffffffe},
		{"to even", operation(lir.OpFToS, uint8(lir.Nearest), lir.I32, lir.F32), f32(2.5), 2},
		{"up", operation(lir.OpFToU, uint8(lir.Up), lir.I64, lir.F32), f32(2.1), 3},
		{"unsigned below", operation(lir.OpFToU, uint8(lir.Zero), lir.I32, lir.F32), f32(-5), 0},
		{"unsigned beyond", operation(lir.OpFToU, uint8(lir.Zero), lir.I64, lir.F32), f32(1e30), math.MaxUint64},
		{"an odd integer", operation(lir.OpSToF, uint8(lir.Nearest), lir.F32, lir.I32), 1<<24 + 1, f32(1 << 24)},
		{"up of it", operation(lir.OpSToF, uint8(lir.Up), lir.F32, lir.I32), 1<<24 + 1, f32(1<<24 + 2)},
		{"a negative one down", operation(lir.OpSToF, uint8(lir.Down), lir.F32, lir.I32), 1<<32 - (1<<24 + 1), f32(-(1<<24 + 2))},
		{"a wide one", operation(lir.OpUToF, uint8(lir.Nearest), lir.F32, lir.I64), 1<<63 + 1<<39 + 1, f32(1<<63 + 1<<40)},
		{"an exact half", operation(lir.OpUToF, uint8(lir.Nearest), lir.F32, lir.I64), 1<<63 + 1<<39, f32(1 << 63)},
		{"cut off", operation(lir.OpFTrunc, uint8(lir.Zero), lir.F16, lir.F32), f32(65535), 0x7bff},
		{"rounded", operation(lir.OpFTrunc, uint8(lir.Nearest), lir.F16, lir.F32), f32(65535), 0x7c00},
		{"bf16", operation(lir.OpFTrunc, uint8(lir.Nearest), lir.BF16, lir.F32), f32(1.00390625), 0x3f80},
		{"bf16 up", operation(lir.OpFTrunc, uint8(lir.Up), lir.BF16, lir.F32), f32(1.00390625), 0x3f81},
		{"bf16 of -0 up", operation(lir.OpFTrunc, uint8(lir.Up), lir.BF16, lir.F32), 1 << 31, 0x8000},
		{"widened", operation(lir.OpFExt, 0, lir.F64, lir.F16), 0x3c00, math.Float64bits(1)},
		{"two of 8 bits", operation(lir.OpFromF8, uint8(lir.E4M3), lir.I32, lir.I16), 0x3840, 0x3c004000},
		{"to an integer", operation(lir.OpFRound, uint8(lir.Down), lir.F32, lir.F32), f32(-0.5), f32(-1)},
	} {
		if got := unary(test.op)(test.x) & test.op.Results[0].Type.Mask(); got != test.want {
			t.Errorf("%s: %s of %#x is %#x, want %#x", test.name, test.op.Code, test.x, got, test.want)
		}
	}
	pack := binary2(operation(lir.OpPackF16, 0, lir.I32, lir.F32, lir.F32))
	if got := pack(f32(1), f32(-2)); got != 0xc0003c00 {
		t.Errorf("packed: %#x", got)
	}
	f8 := binary2(operation(lir.OpToF8, uint8(lir.E5M2), lir.I16, lir.F32, lir.F32))
	if got := f8(f32(1), f32(1e9)); got != 0x7b3c {
		t.Errorf("packed: %#x", got)
	}
}

// reference computes with as many digits as an exact result has, and rounds once.
func reference(code lir.Code, x, y, z float64, mode big.RoundingMode, prec uint) float64 {
	r := new(big.Float).SetPrec(digits)
	switch code {
	case lir.OpFAdd:
		r.Add(exactNumber(x), exactNumber(y))
	case lir.OpFSub:
		r.Sub(exactNumber(x), exactNumber(y))
	case lir.OpFMul:
		r.Mul(exactNumber(x), exactNumber(y))
	case lir.OpFDiv:
		r.Quo(exactNumber(x), exactNumber(y))
	case lir.OpFMA:
		r.Mul(exactNumber(x), exactNumber(y))
		r.Add(r, exactNumber(z))
	}
	out, _ := new(big.Float).SetMode(mode).SetPrec(prec).Set(r).Float64()
	return out
}

// Arithmetic is rounded once, whatever the type and the direction. The numbers are such that no result is subnormal.
func TestArithmeticIsRoundedOnce(t *testing.T) {
	modes := map[lir.Rounding]big.RoundingMode{lir.Fused: big.ToNearestEven, lir.Nearest: big.ToNearestEven, lir.Zero: big.ToZero, lir.Up: big.ToPositiveInf, lir.Down: big.ToNegativeInf}
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]lir.Type{lir.BF16, lir.F32, lir.F64}).Draw(t, "type")
		prec := map[lir.Type]uint{lir.BF16: 8, lir.F32: 24, lir.F64: 53}[typ]
		code := rapid.SampledFrom([]lir.Code{lir.OpFAdd, lir.OpFSub, lir.OpFMul, lir.OpFDiv, lir.OpFMA}).Draw(t, "operation")
		mode := rapid.SampledFrom([]lir.Rounding{lir.Fused, lir.Nearest, lir.Zero, lir.Up, lir.Down}).Draw(t, "rounding")
		number := func(name string) float64 {
			m := rapid.Uint64Range(1<<(prec-1), 1<<prec-1).Draw(t, name)
			if rapid.Bool().Draw(t, name+" has few digits") {
				m &^= 1<<(prec/2) - 1
			}
			x := math.Ldexp(float64(m), rapid.IntRange(-25, 25).Draw(t, name+"'s exponent")-int(prec))
			if rapid.Bool().Draw(t, name+" is negative") {
				return -x
			}
			return x
		}
		x, y, z := number("x"), number("y"), number("z")
		d := formatOf(typ)
		a, b, c := d.Encode(x), d.Encode(y), d.Encode(z)
		var got float64
		if code == lir.OpFMA {
			got = d.Decode(fma(operation(code, uint8(mode), typ, typ, typ, typ))(a, b, c))
		} else {
			got = d.Decode(binary2(operation(code, uint8(mode), typ, typ, typ))(a, b))
		}
		if want := reference(code, x, y, z, modes[mode], prec); got != want {
			t.Fatalf("%s %s %s of %g, %g, %g is %g, want %g", code, typ, mode, x, y, z, got, want)
		}
	})
}

// Zeros and what is not finite.
func TestArithmeticOfSpecials(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		code       lir.Code
		mode       lir.Rounding
		x, y, want float64
	}{
		{lir.OpFAdd, lir.Up, 1, -1, 0}, {lir.OpFAdd, lir.Down, 1, -1, math.Copysign(0, -1)}, {lir.OpFSub, lir.Down, 0, 0, math.Copysign(0, -1)},
		{lir.OpFAdd, lir.Nearest, inf, -inf, nan}, {lir.OpFDiv, lir.Zero, 1, 0, inf}, {lir.OpFMul, lir.Down, inf, 0, nan},
		{lir.OpFDiv, lir.Nearest, -1, 0, -inf}, {lir.OpFMul, lir.Up, -0.5, 0, math.Copysign(0, -1)}, {lir.OpFMin, 0, nan, 2, 2},
		{lir.OpFMin, 1, nan, 2, nan}, {lir.OpFMax, 0, -1, nan, -1}, {lir.OpFMax, 1, 1, 2, 2}, {lir.OpFMul, lir.Zero, math.MaxFloat32, 2, math.MaxFloat32},
		{lir.OpFMul, lir.Up, math.MaxFloat32, 2, inf},
	} {
		got := formatOf(lir.F32).Decode(binary2(operation(test.code, uint8(test.mode), lir.F32, lir.F32, lir.F32))(f32(float32(test.x)), f32(float32(test.y))))
		if got != test.want && (got == got || test.want == test.want) || math.Signbit(got) != math.Signbit(test.want) && got == got {
			t.Errorf("%s %s of %g and %g is %g, want %g", test.code, test.mode, test.x, test.y, got, test.want)
		}
	}
	for _, test := range []struct {
		code    lir.Code
		mode    lir.Rounding
		x, want float64
	}{
		{lir.OpSqrt, lir.Down, 2, 1.4142135}, {lir.OpSqrt, lir.Up, 2, 1.4142137}, {lir.OpSqrt, lir.Up, -1, nan}, {lir.OpSqrt, lir.Up, 0, 0},
		{lir.OpRcp, lir.Zero, 3, 0.3333333}, {lir.OpRcp, lir.Up, 0, inf}, {lir.OpRcp, lir.Nearest, 4, 0.25}, {lir.OpRSqrt, 0, 4, 0.5},
	} {
		got := formatOf(lir.F32).Decode(unary(operation(test.code, uint8(test.mode), lir.F32, lir.F32))(f32(float32(test.x))))
		if float32(got) != float32(test.want) && got == got {
			t.Errorf("%s %s of %g is %v, want %v", test.code, test.mode, test.x, float32(got), float32(test.want))
		}
	}
}

// TestMagnitudes: the number of x or ~x, whichever is not negative, is found another way, and is the same.
func TestMagnitudes(t *testing.T) {
	for _, typ := range []lir.Type{lir.I32, lir.I64} {
		k := newKernel(1)
		in, out := k.pointer("x"), k.pointer("out")
		x := k.Load(lir.Mem{Space: lir.Global}, typ, 1, k.at(in, k.thread(), typ.Bytes()), nil, nil)[0]
		not := k.do(lir.OpXor, x, k.Const(typ, typ.Mask()))
		least := k.Pure(lir.OpSelect, 0, typ, 0, k.less(x, k.Const(typ, 0)), not, x)
		k.Store(lir.Mem{Space: lir.Global}, k.at(out, k.thread(), 4), nil, k.Pure(lir.OpSToF, 0, lir.F32, 0, least))
		f := k.finish(t, true)
		f.Body.Walk(func(op *lir.Op) {
			if op.Code == lir.OpSelect {
				t.Errorf("a selection is left\n%s", f)
			}
		})
		xs, got := words(64), words(32)
		numbers := []int64{0, -1, 1, math.MinInt32, math.MaxInt32, 0x1000000, -0x1000001, 0x1000001, -0x1000002, -0x1000004, 0x7fffffbf, -0x7fffffc0, math.MinInt64, math.MaxInt64}
		want := make([]float32, 32)
		for i := range want {
			n := numbers[i%len(numbers)] + int64(i/len(numbers)*3)
			if typ == lir.I32 {
				n = int64(int32(n))
				binary.LittleEndian.PutUint32(xs[4*i:], uint32(n))
			} else {
				binary.LittleEndian.PutUint64(xs[8*i:], uint64(n))
			}
			if n < 0 {
				n = ^n
			}
			want[i] = float32(n)
		}
		run(t, f, Arg{Array: xs}, Arg{Array: got})
		for i, w := range want {
			if g := math.Float32frombits(get(got, i)); g != w {
				t.Errorf("%s %d: %g, want %g", typ, i, g, w)
			}
		}
	}
}
