package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
)

// roundedKernel computes an operation of three numbers of each thread, which lie side by side.
func roundedKernel(code lir.Code, r lir.Rounding, t lir.Type, arity int, can Capabilities) *lir.Func {
	f := lir.NewFunc("rounded", 1, 32)
	f.Params = []lir.Param{{Name: "in", Type: lir.I64, Pointer: true}, {Name: "out", Type: lir.I64, Pointer: true}}
	l := &lowerer{o: Options{Warps: 1, WarpSize: 32, Can: can}, b: lir.NewBuilder(f), memo: []map[asked][]*lir.Value{{}}}
	b := l.b
	number := b.Pure(lir.OpAdd, 0, lir.I32, 0, l.thread(), l.shl(b.Pure(lir.OpProgramID, 0, lir.I32, 0), 5))
	at := func(param int64, count int) *lir.Value {
		offset := b.Pure(lir.OpMul, 0, lir.I32, 0, number, b.I32(count*t.Bytes()))
		return b.Pure(lir.OpAdd, 0, lir.I64, 0, b.Pure(lir.OpParam, 0, lir.I64, param), b.Pure(lir.OpExtU, 0, lir.I64, 0, offset))
	}
	args := make([]*lir.Value, arity)
	for i := range args {
		args[i] = b.Load(lir.Mem{Space: lir.Global, Origin: 1, Offset: int64(i * t.Bytes())}, t, 1, at(0, 3), nil, nil)[0]
	}
	b.Store(lir.Mem{Space: lir.Global, Origin: 2}, at(1, 1), nil, l.rounded(code, r, t, args...))
	b.Return()
	lir.Finish(f)
	return f
}

// floats draws bits of floats: special ones, ones that are near to each other, and any.
func floats(random *rand.Rand, t lir.Type) func() uint64 {
	width, mantissa := t.Bits(), map[lir.Type]int{lir.F32: 23, lir.F64: 52}[t]
	exponents := uint64(1)<<(width-1-mantissa) - 1
	special := []uint64{0, 1, 2, 1<<mantissa - 1, 1 << mantissa, exponents << mantissa, exponents<<mantissa - 1, exponents<<mantissa | 1<<(mantissa-1), (exponents >> 1) << mantissa}
	return func() uint64 {
		sign := random.Uint64() & 1 << (width - 1)
		fraction := random.Uint64() & (1<<mantissa - 1)
		if random.IntN(3) == 0 { // few bits: sums and products are exact, or ties
			fraction &= ^uint64(0) << (mantissa - 4)
		}
		switch random.IntN(6) {
		case 0:
			return sign | special[random.IntN(len(special))]
		case 1:
			return sign | random.Uint64N(exponents)<<mantissa | fraction
		case 2: // small
			return sign | random.Uint64N(30)<<mantissa | fraction
		case 3: // large
			return sign | (exponents-1-random.Uint64N(30))<<mantissa | fraction
		}
		return sign | (exponents>>1-uint64(mantissa)+random.Uint64N(uint64(2*mantissa)))<<mantissa | fraction
	}
}

// Without the hardware for it, arithmetic rounds in each direction as with it.
func TestRounded(t *testing.T) {
	const programs = 64
	arity := map[lir.Code]int{lir.OpFAdd: 2, lir.OpFSub: 2, lir.OpFMul: 2, lir.OpFDiv: 2, lir.OpRcp: 1, lir.OpSqrt: 1, lir.OpFMA: 3}
	if len(arity) != len(remainders) {
		t.Errorf("%d operations of %d are tested", len(arity), len(remainders))
	}
	for code, n := range arity {
		for _, typ := range []lir.Type{lir.F32, lir.F64} {
			for _, r := range []lir.Rounding{lir.Up, lir.Down, lir.Zero} {
				t.Run(fmt.Sprintf("%s %s %s", code, typ, r), func(t *testing.T) {
					t.Parallel()
					draw := floats(rand.New(rand.NewPCG(1, uint64(code))), typ)
					in := make([]byte, 0, programs*32*3*typ.Bytes())
					for len(in) < cap(in) {
						x := binary.LittleEndian.AppendUint64(nil, draw())
						in = append(in, x[:typ.Bytes()]...)
					}
					run := func(can Capabilities) []byte {
						f := roundedKernel(code, r, typ, n, can)
						if err := lir.Verify(f); err != nil {
							t.Fatal(err)
						}
						out := make([]byte, programs*32*typ.Bytes())
						if _, err := sim.Run(context.Background(), f, sim.Launch{Grid: [3]uint32{programs, 1, 1}, Args: []sim.Arg{{Array: in}, {Array: out}}}); err != nil {
							t.Fatal(err)
						}
						return out
					}
					compareRounded(t, typ, n, in, run(Capabilities{}), run(Capabilities{Directed: true}))
				})
			}
		}
	}
}

// compareRounded compares results bit by bit, but for the bits of NaN.
func compareRounded(t *testing.T, typ lir.Type, arity int, in, got, want []byte) {
	t.Helper()
	number := func(list []byte, i int) float64 {
		if typ == lir.F32 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(list[4*i:])))
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(list[8*i:]))
	}
	wrong := 0
	for i := range len(got) / typ.Bytes() {
		x, y := number(got, i), number(want, i)
		if math.Float64bits(x) == math.Float64bits(y) || x != x && y != y {
			continue
		}
		if wrong++; wrong <= 3 {
			var args []float64
			for j := range arity {
				args = append(args, number(in, 3*i+j))
			}
			t.Errorf("of %v: %v, not %v", args, x, y)
		}
	}
	if wrong > 0 {
		t.Errorf("%d are wrong", wrong)
	}
}
