package lower

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
	"github.com/tegula-lang/tegula/internal/tile"
)

// extremaKernel computes the minimum and maximum of all pairs of 8-bit floats, and the second one clamped between the first and itself.
func extremaKernel(e tile.Elem, propagate bool) *lir.Func {
	f := lir.NewFunc("extrema", 32, 32)
	f.Params = []lir.Param{{Name: "out", Type: lir.I64, Pointer: true, Align: 16}}
	l := &lowerer{o: Options{Warps: 32, WarpSize: 32}, b: lir.NewBuilder(f), memo: []map[asked][]*lir.Value{{}}}
	b := l.b
	number := b.Pure(lir.OpAdd, 0, lir.I32, 0, l.thread(), l.shl(b.Pure(lir.OpProgramID, 0, lir.I32, 0), 10))
	x, y := l.narrow(number, lir.I8), l.narrow(l.shr(number, 8), lir.I8)
	at := b.Pure(lir.OpAdd, 0, lir.I64, 0, b.Pure(lir.OpParam, 0, lir.I64, 0), b.Pure(lir.OpExtU, 0, lir.I64, 0, l.shl(number, 2)))
	least, most := l.extremumF8(lir.OpFMin, e, propagate, x, y), l.extremumF8(lir.OpFMax, e, propagate, x, y)
	b.Store(lir.Mem{Space: lir.Global, Origin: 1}, at, nil, least, most, l.clampF8(e, propagate, []*lir.Value{y, x, x}), x)
	b.Return()
	lir.Finish(f)
	return f
}

// TestExtremaOfF8 holds the extrema of all pairs to an operand's bits: numbers by their order, -0 before 0, and NaN as asked for.
func TestExtremaOfF8(t *testing.T) {
	for e := range f8Formats {
		for _, propagate := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %v", e, propagate), func(t *testing.T) {
				out := make([]byte, 4<<16)
				f := extremaKernel(e, propagate)
				if _, err := sim.Run(context.Background(), f, sim.Launch{Grid: [3]uint32{64, 1, 1}, Args: []sim.Arg{{Array: out}}}); err != nil {
					t.Fatal(err)
				}
				for i := range 1 << 16 {
					x, y := byte(i), byte(i>>8)
					got, want := [3]byte(out[4*i:]), wantExtrema(e, propagate, x, y)
					if got != want {
						t.Fatalf("of %#x, %#x the extrema and the clamped are %#x, want %#x", x, y, got, want)
					}
				}
			})
		}
	}
}

func wantExtrema(e tile.Elem, propagate bool, x, y byte) [3]byte {
	a, b := e.DType().Decode(uint64(x)), e.DType().Decode(uint64(y))
	clamped := x
	if a != a || propagate && b != b { // no bounds, or a NaN that stays
		clamped = y
	}
	switch {
	case a != a && b != b, a != a && propagate, b != b && !propagate:
		return [3]byte{x, x, clamped}
	case a != a || b != b:
		return [3]byte{y, y, clamped}
	case a < b || a == b && math.Signbit(a):
		return [3]byte{x, y, clamped}
	}
	return [3]byte{y, x, clamped}
}
