package cpu

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// integers gives n bit patterns of a width: the edges and random ones.
func integers(width, n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	mask := ^uint64(0) >> (64 - width)
	edges := []uint64{0, 1, 2, 3, 7, mask, mask - 1, mask >> 1, mask>>1 + 1, mask>>1 + 2, uint64(width), uint64(width) - 1, uint64(width) + 1}
	out := make([]uint64, n)
	for i := range out {
		switch {
		case i < len(edges)*len(edges) && seed == 1:
			out[i] = edges[i/len(edges)] & mask
		case i < len(edges)*len(edges):
			out[i] = edges[i%len(edges)] & mask
		default:
			out[i] = r.Uint64() & mask >> (r.IntN(width))
		}
	}
	return out
}

// packed gives elements of a width as a slice of that width.
func packed(width int, x []uint64) any {
	switch width {
	case 1, 8:
		return narrowed[uint8](x)
	case 16:
		return narrowed[uint16](x)
	case 32:
		return narrowed[uint32](x)
	}
	return narrowed[uint64](x)
}

func narrowed[T unsigned](x []uint64) []T {
	out := make([]T, len(x))
	for i, v := range x {
		out[i] = T(v)
	}
	return out
}

func unpacked(s any) []uint64 {
	switch s := s.(type) {
	case []uint8:
		return widened(s)
	case []uint16:
		return widened(s)
	case []uint32:
		return widened(s)
	}
	return s.([]uint64)
}

func widened[T unsigned](x []T) []uint64 {
	out := make([]uint64, len(x))
	for i, v := range x {
		out[i] = uint64(v)
	}
	return out
}

var elemOfWidth = map[int]tile.Elem{1: tile.I1, 8: tile.I8, 16: tile.I16, 32: tile.I32, 64: tile.I64}

// apply runs one elementwise operation on tiles of bit patterns.
func apply(t *testing.T, from, to tile.Elem, op func(b *tile.Builder, in []*tile.Value) *tile.Value, in ...[]uint64) []uint64 {
	t.Helper()
	n := len(in[0])
	types := make([]tile.Type, len(in))
	args := make([]any, len(in), len(in)+1)
	for i, x := range in {
		types[i] = tileOf(from, n)
		args[i] = packed(from.Bits(), x)
	}
	out := packed(to.Bits(), make([]uint64, n))
	m := kernelOf(t, types, func(b *tile.Builder, in []*tile.Value) []*tile.Value { return []*tile.Value{op(b, in)} })
	run(t, m, arrays(append(args, out)...)...)
	return unpacked(out)
}

func signedBig(x uint64, width int) *big.Int { return big.NewInt(extend(x, uint(width))) }

func unsignedBig(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// wrapped gives the lower bits of a number of any size.
func wrapped(x *big.Int, width int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return new(big.Int).Mod(x, m).Uint64()
}

// integerOps says what each operation gives, in numbers without bounds. s is signed, u unsigned.
var integerOps = map[tile.Code]func(sx, sy, ux, uy *big.Int, width int) *big.Int{
	tile.OpAdd: func(sx, sy, _, _ *big.Int, _ int) *big.Int { return new(big.Int).Add(sx, sy) },
	tile.OpSub: func(sx, sy, _, _ *big.Int, _ int) *big.Int { return new(big.Int).Sub(sx, sy) },
	tile.OpMul: func(sx, sy, _, _ *big.Int, _ int) *big.Int { return new(big.Int).Mul(sx, sy) },
	tile.OpDivS: func(sx, sy, _, _ *big.Int, _ int) *big.Int {
		if sy.Sign() == 0 {
			return new(big.Int)
		}
		return new(big.Int).Quo(sx, sy)
	},
	tile.OpDivU: func(_, _, ux, uy *big.Int, _ int) *big.Int {
		if uy.Sign() == 0 {
			return new(big.Int)
		}
		return new(big.Int).Quo(ux, uy)
	},
	tile.OpRemS: func(sx, sy, _, _ *big.Int, _ int) *big.Int {
		if sy.Sign() == 0 {
			return new(big.Int)
		}
		return new(big.Int).Rem(sx, sy)
	},
	tile.OpRemU: func(_, _, ux, uy *big.Int, _ int) *big.Int {
		if uy.Sign() == 0 {
			return new(big.Int)
		}
		return new(big.Int).Rem(ux, uy)
	},
	tile.OpAnd: func(sx, sy, _, _ *big.Int, _ int) *big.Int { return new(big.Int).And(sx, sy) },
	tile.OpOr:  func(sx, sy, _, _ *big.Int, _ int) *big.Int { return new(big.Int).Or(sx, sy) },
	tile.OpXor: func(sx, sy, _, _ *big.Int, _ int) *big.Int { return new(big.Int).Xor(sx, sy) },
	tile.OpShl: func(_, _, ux, uy *big.Int, w int) *big.Int {
		return new(big.Int).Lsh(ux, uint(min(uy.Uint64(), uint64(w))))
	},
	tile.OpShrS: func(sx, _, _, uy *big.Int, w int) *big.Int {
		return new(big.Int).Rsh(sx, uint(min(uy.Uint64(), uint64(w))))
	},
	tile.OpShrU: func(_, _, ux, uy *big.Int, w int) *big.Int {
		return new(big.Int).Rsh(ux, uint(min(uy.Uint64(), uint64(w))))
	},
	tile.OpMinS: func(sx, sy, _, _ *big.Int, _ int) *big.Int { return least(sx, sy) },
	tile.OpMinU: func(_, _, ux, uy *big.Int, _ int) *big.Int { return least(ux, uy) },
	tile.OpMaxS: func(sx, sy, _, _ *big.Int, _ int) *big.Int { return greatest(sx, sy) },
	tile.OpMaxU: func(_, _, ux, uy *big.Int, _ int) *big.Int { return greatest(ux, uy) },
	tile.OpMulHiU: func(_, _, ux, uy *big.Int, w int) *big.Int {
		return new(big.Int).Rsh(new(big.Int).Mul(ux, uy), uint(w))
	},
}

func least(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

func greatest(x, y *big.Int) *big.Int {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}

func TestIntegerArithmetic(t *testing.T) {
	for code, want := range integerOps {
		for _, width := range []int{1, 8, 16, 32, 64} {
			t.Run(fmt.Sprintf("%s/i%d", code, width), func(t *testing.T) {
				e := elemOfWidth[width]
				x, y := integers(width, 512, 1), integers(width, 512, 2)
				got := apply(t, e, e, func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.Binary(code, in[0], in[1]) }, x, y)
				for i := range x {
					w := wrapped(want(signedBig(x[i], width), signedBig(y[i], width), unsignedBig(x[i]), unsignedBig(y[i]), width), width)
					if got[i] != w {
						t.Fatalf("%s of %#x, %#x is %#x, want %#x", code, x[i], y[i], got[i], w)
					}
				}
			})
		}
	}
}

func TestIntegerComparison(t *testing.T) {
	holds := map[tile.CmpI]func(s, u int) bool{
		tile.EQ: func(s, _ int) bool { return s == 0 }, tile.NE: func(s, _ int) bool { return s != 0 },
		tile.LTS: func(s, _ int) bool { return s < 0 }, tile.LES: func(s, _ int) bool { return s <= 0 },
		tile.GTS: func(s, _ int) bool { return s > 0 }, tile.GES: func(s, _ int) bool { return s >= 0 },
		tile.LTU: func(_, u int) bool { return u < 0 }, tile.LEU: func(_, u int) bool { return u <= 0 },
		tile.GTU: func(_, u int) bool { return u > 0 }, tile.GEU: func(_, u int) bool { return u >= 0 },
	}
	for pred, want := range holds {
		for _, width := range []int{1, 8, 16, 32, 64} {
			x, y := integers(width, 512, 1), integers(width, 512, 2)
			got := apply(t, elemOfWidth[width], tile.I1, func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.CmpI(pred, in[0], in[1]) }, x, y)
			for i := range x {
				w := want(signedBig(x[i], width).Cmp(signedBig(y[i], width)), unsignedBig(x[i]).Cmp(unsignedBig(y[i])))
				if got[i] != uint64(bit(w)) {
					t.Fatalf("predicate %d on i%d of %#x, %#x is %d, want %v", pred, width, x[i], y[i], got[i], w)
				}
			}
		}
	}
}

func TestAbsI(t *testing.T) {
	for _, width := range []int{1, 8, 16, 32, 64} {
		x := integers(width, 256, 1)
		got := apply(t, elemOfWidth[width], elemOfWidth[width], func(b *tile.Builder, in []*tile.Value) *tile.Value { return b.Unary(tile.OpAbsI, in[0]) }, x)
		for i := range x {
			if w := wrapped(new(big.Int).Abs(signedBig(x[i], width)), width); got[i] != w {
				t.Fatalf("abs of %#x as i%d is %#x, want %#x", x[i], width, got[i], w)
			}
		}
	}
}

func TestIntegerResize(t *testing.T) {
	for _, from := range []int{1, 8, 16, 32, 64} {
		for _, to := range []int{1, 8, 16, 32, 64} {
			codes := []tile.Code{tile.OpExtS, tile.OpExtU}
			if to < from {
				codes = []tile.Code{tile.OpTrunc}
			}
			if to == from {
				continue
			}
			for _, code := range codes {
				x := integers(from, 256, 1)
				got := apply(t, elemOfWidth[from], elemOfWidth[to], func(b *tile.Builder, in []*tile.Value) *tile.Value {
					return b.Cast(code, in[0], tile.Scalar(elemOfWidth[to]))
				}, x)
				for i := range x {
					w := unsignedBig(x[i])
					if code == tile.OpExtS {
						w = signedBig(x[i], from)
					}
					if got[i] != wrapped(w, to) {
						t.Fatalf("%s of %#x from i%d to i%d is %#x, want %#x", code, x[i], from, to, got[i], wrapped(w, to))
					}
				}
			}
		}
	}
}

// An operand that is the same everywhere is held as one element; results are the same.
func TestUniformOperands(t *testing.T) {
	const n = 1024
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	out := [4][]int32{make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)}
	m := kernelOf(t, []tile.Type{tileOf(tile.I32, n), tile.Scalar(tile.I32)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		five := b.Splat(in[1], in[0].Type)
		cond := b.CmpI(tile.LTS, in[0], five)
		return []*tile.Value{
			b.Binary(tile.OpSub, in[0], five),
			b.Binary(tile.OpSub, five, in[0]),
			b.Binary(tile.OpAdd, five, five),
			b.Select(cond, five, in[0]),
		}
	})
	run(t, m, arrays(x, []int32{5}, out[0], out[1], out[2], out[3])...)
	for i := range x {
		want := [4]int32{x[i] - 5, 5 - x[i], 10, max(x[i], 5)}
		for k := range want {
			if out[k][i] != want[k] {
				t.Fatalf("result %d at %d is %d, want %d", k, i, out[k][i], want[k])
			}
		}
	}
}
