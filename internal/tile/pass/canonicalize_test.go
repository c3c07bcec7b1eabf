package pass_test

import (
	"math"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// newFunction makes a function and a builder in its body.
func newFunction(params ...tile.Type) *tile.Builder {
	f := &tile.Func{Name: "f", Body: &tile.Block{}, Params: make([]tile.Param, len(params))}
	for _, t := range params {
		f.Body.AddArg(f, t, "")
	}
	b := tile.NewBuilder(&tile.Module{Funcs: []*tile.Func{f}}, f)
	b.SetBlock(f.Body)
	return b
}

func returnAll(b *tile.Builder, results []*tile.Value) {
	for _, v := range results {
		b.Func.Results = append(b.Func.Results, v.Type)
	}
	b.Op(tile.OpReturn, nil, results)
}

// TestFoldCorners folds each integer operation on the corners of each type; all are defined,
// so all must become constants, and the right ones.
func TestFoldCorners(t *testing.T) {
	codes := []tile.Code{tile.OpAdd, tile.OpSub, tile.OpMul, tile.OpDivS, tile.OpDivU, tile.OpRemS, tile.OpRemU, tile.OpAnd, tile.OpOr,
		tile.OpXor, tile.OpMinS, tile.OpMinU, tile.OpMaxS, tile.OpMaxU, tile.OpMulHiU, tile.OpAbsI}
	for _, e := range []tile.Elem{tile.I8, tile.I16, tile.I32, tile.I64} {
		b := newFunction()
		typ := tile.Scalar(e)
		min := uint64(1) << (e.Bits() - 1)
		var results []*tile.Value
		corners := []uint64{1, 2, 3, 7, min - 1, min, min + 1, -(min / 3), ^uint64(0), ^uint64(1)}
		for _, x := range append(corners, 0) {
			for _, y := range corners {
				cx, cy := b.Const(typ, x), b.Const(typ, y)
				for _, c := range codes {
					if c == tile.OpAbsI {
						results = append(results, b.Unary(c, cx))
						continue
					}
					results = append(results, b.Binary(c, cx, cy))
				}
				for p := tile.EQ; p <= tile.GEU; p++ {
					results = append(results, b.CmpI(p, cx, cy))
				}
				shift := b.Const(typ, y%uint64(e.Bits()))
				for _, c := range []tile.Code{tile.OpShl, tile.OpShrS, tile.OpShrU} {
					results = append(results, b.Binary(c, cx, shift))
				}
			}
		}
		returnAll(b, results)
		_, want := evaluate(b.Func, nil, nil)
		runVerified(t, b.Module, []pass.Pass{pass.Canonicalize})
		for i, v := range b.Func.Body.Terminator().Args {
			if v.Op.Code != tile.OpConst {
				t.Fatalf("%s %s is not folded", e, v.Op.Code)
			}
			if got := v.Op.Attr.(tile.ConstAttr).Bits; got != want[i][0] {
				t.Errorf("%s result %d, of %s, is %x, not %x", e, i, results[i].Op.Code, got, want[i][0])
			}
		}
	}
}

// TestNegatedComparison checks that !(x p y) becomes one comparison with the same value, also
// for NaN.
func TestNegatedComparison(t *testing.T) {
	f32 := tile.Scalar(tile.F32)
	for p := tile.OEQ; p <= tile.UNO; p++ {
		b := newFunction(f32, f32)
		x, y := b.Func.Body.Args[0], b.Func.Body.Args[1]
		lt := b.CmpF(p, x, y)
		returnAll(b, []*tile.Value{b.Binary(tile.OpXor, lt, b.Const(lt.Type, 1))})
		before := tile.Clone(b.Module)
		runVerified(t, b.Module, []pass.Pass{pass.Canonicalize, pass.DCE})
		if n := len(b.Func.Body.Ops); n != 2 {
			t.Errorf("predicate %d: %d operations are left, not a comparison and a return", p, n)
		}
		numbers := []float64{math.NaN(), math.Inf(-1), -1, 0, math.Copysign(0, -1), 2}
		for _, u := range numbers {
			for _, v := range numbers {
				d := tile.F32.DType()
				args := [][]uint64{{d.Encode(u)}, {d.Encode(v)}}
				_, want := evaluate(before.Funcs[0], args, nil)
				_, got := evaluate(b.Func, args, nil)
				if got[0][0] != want[0][0] {
					t.Errorf("predicate %d of %v and %v, negated: %d, not %d", p, u, v, got[0][0], want[0][0])
				}
			}
		}
	}
}

// TestSharedOperands makes two operations that share their list of operands; exchanging those
// of one must not exchange the other's.
func TestSharedOperands(t *testing.T) {
	i32 := tile.Scalar(tile.I32)
	b := newFunction(i32)
	args := []*tile.Value{b.Const(i32, 5), b.Func.Body.Args[0]}
	cmp := b.Op(tile.OpCmpI, tile.CmpIAttr{Pred: tile.LTS}, args, tile.Scalar(tile.I1))
	sub := b.Op(tile.OpSub, nil, args, i32)
	add := b.Op(tile.OpAdd, nil, args, i32)
	returnAll(b, []*tile.Value{cmp.Result(), sub.Result(), add.Result()})
	runVerified(t, b.Module, []pass.Pass{pass.Canonicalize})
	_, got := evaluate(b.Func, [][]uint64{{7}}, nil)
	if got[0][0] != 1 || got[1][0] != 0xfffffffe || got[2][0] != 12 {
		t.Errorf("5 < 7, 5 - 7, 5 + 7 = %x", got)
	}
}
