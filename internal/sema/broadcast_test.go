package sema

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// randomShape draws a type of at most 4 dimensions of 1, 2, 4 or 8.
func randomShape(t *rapid.T, label string) tile.Type {
	var dims []int
	for range rapid.IntRange(0, 4).Draw(t, label+" rank") {
		dims = append(dims, 1<<rapid.IntRange(0, 3).Draw(t, label))
	}
	ty, _ := tile.Scalar(tile.F32).WithShape(dims...)
	return ty
}

// numpyShape broadcasts two shapes by NumPy's rule: align at the right, equal or 1. It gives nil where they do not match.
func numpyShape(x, y []int) []int {
	if len(x) < len(y) {
		x, y = y, x
	}
	out := append([]int{}, x...)
	for i := range y {
		a, b := x[len(x)-1-i], y[len(y)-1-i]
		if a != b && a != 1 && b != 1 {
			return nil
		}
		out[len(x)-1-i] = max(a, b)
	}
	return out
}

// Broadcasting is NumPy's, in every number of operands and any order, and what it makes has the common shape.
func TestBroadcastIsNumPys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := newTestGen()
		x, y := randomShape(t, "x"), randomShape(t, "y")
		want := numpyShape(x.Shape(), y.Shape())
		var a, b Tensor
		err := attempt(func() {
			a, b = g.broadcast2(g.blockArg(x), g.blockArg(y), syntax.Span{})
		})
		if (err == nil) != (want != nil) {
			t.Fatalf("%v and %v: %v, NumPy has %v", x, y, err, want)
		}
		if err != nil {
			return
		}
		shape, _ := tile.Scalar(tile.F32).WithShape(want...)
		if a.V.Type != shape || b.V.Type != shape {
			t.Fatalf("%v and %v become %v and %v, NumPy has %v", x, y, a.V.Type, b.V.Type, want)
		}
		for _, all := range [][]Tensor{{a, g.blockArg(x), g.blockArg(y)}, {g.blockArg(y), g.blockArg(x), b}} {
			for _, c := range g.broadcastAll(all, syntax.Span{}) {
				if c.V.Type != shape {
					t.Fatalf("%v among %v and %v becomes %v", c.V.Type, x, y, shape)
				}
			}
		}
	})
}

// blockArg gives a tensor of float32 that nothing is known of.
func (g *gen) blockArg(t tile.Type) Tensor {
	return Tensor{g.b.Block().AddArg(g.b.Func, t, ""), dtype.Float32}
}
