package tile

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyType draws a well-formed type.
func anyType(t *rapid.T) Type {
	typ := Scalar(Elem(rapid.IntRange(int(NoElem)+1, int(numElems)-1).Draw(t, "elem")))
	for range rapid.IntRange(0, MaxPtrDepth).Draw(t, "ptr") {
		typ = PtrTo(typ)
	}
	left := MaxLogElems
	for range rapid.IntRange(0, MaxRank).Draw(t, "rank") {
		log := rapid.IntRange(0, min(left, 4)).Draw(t, "log")
		left -= log
		typ = typ.AppendDim(log)
	}
	return typ
}

// check runs a property of types.
func check(t *testing.T, name string, property func(*rapid.T, Type)) {
	t.Run(name, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { property(t, anyType(t)) })
	})
}

func TestTypeAlgebra(t *testing.T) {
	check(t, "well formed", func(t *rapid.T, x Type) {
		if err := wellFormed(x); err != nil {
			t.Error(err)
		}
	})
	check(t, "parse of String", func(t *rapid.T, x Type) {
		if y, err := ParseType(x.String()); err != nil || y != x {
			t.Errorf("%v gives %v, %v", x, y, err)
		}
	})
	check(t, "WithShape of Shape", func(t *rapid.T, x Type) {
		if y, ok := x.Scalar().WithShape(x.Shape()...); !ok || y != x {
			t.Errorf("%v gives %v, %v", x, y, ok)
		}
	})
	check(t, "sizes", func(t *rapid.T, x Type) {
		n := 1
		for i, d := range x.Shape() {
			n *= d
			if d != x.Dim(i) || d != 1<<x.LogDim(i) {
				t.Errorf("dimension %d of %v is %d", i, x, d)
			}
		}
		if n != x.NumElems() || n != 1<<x.LogElems() {
			t.Errorf("%v has %d elements", x, x.NumElems())
		}
		if x.IsScalar() == x.IsTile() || x.IsTile() != (x.Rank() > 0) {
			t.Errorf("%v is both a scalar and a tile, or neither", x)
		}
	})
	check(t, "DropDim undoes InsertDim", func(t *rapid.T, x Type) {
		if x.Rank() == MaxRank {
			return
		}
		axis := rapid.IntRange(0, x.Rank()).Draw(t, "axis")
		y := x.InsertDim(axis)
		if y.Rank() != x.Rank()+1 || y.Dim(axis) != 1 || y.NumElems() != x.NumElems() || wellFormed(y) != nil {
			t.Errorf("%v gives %v", x, y)
		}
		if z := y.DropDim(axis); z != x {
			t.Errorf("%v gives %v gives %v", x, y, z)
		}
	})
	check(t, "InsertDim undoes DropDim", func(t *rapid.T, x Type) {
		if x.Rank() == 0 {
			return
		}
		axis := rapid.IntRange(0, x.Rank()-1).Draw(t, "axis")
		y := x.DropDim(axis)
		if wellFormed(y) != nil || y.LogElems()+x.LogDim(axis) != x.LogElems() {
			t.Errorf("%v gives %v", x, y)
		}
		if z := y.InsertDim(axis).WithDim(axis, x.LogDim(axis)); z != x {
			t.Errorf("%v gives %v gives %v", x, y, z)
		}
	})
	check(t, "AppendDim is InsertDim at the end", func(t *rapid.T, x Type) {
		if x.Rank() == MaxRank {
			return
		}
		if y, z := x.AppendDim(3), x.InsertDim(x.Rank()).WithDim(x.Rank(), 3); y != z {
			t.Errorf("%v gives %v and %v", x, y, z)
		}
	})
	check(t, "pointers", func(t *rapid.T, x Type) {
		p := PtrTo(x)
		if !p.IsPtr() || p.Pointee() != x || p.ElemBits() != 64 || !p.SameShape(x) || p.IsInt() || p.IsFloat() {
			t.Errorf("a pointer to %v is %v", x, p)
		}
	})
	check(t, "elements and shapes", func(t *rapid.T, x Type) {
		y := anyType(t)
		z := x.WithScalar(y)
		if !z.SameShape(x) || z.Scalar() != y.Scalar() || y.WithShapeOf(x) != z || z.WithScalar(x) != x {
			t.Errorf("%v with the element of %v is %v", x, y, z)
		}
		if x.SameShape(y) != (x == y.WithScalar(x)) {
			t.Errorf("%v and %v: SameShape is %v", x, y, x.SameShape(y))
		}
	})
	check(t, "classes", func(t *rapid.T, x Type) {
		n := 0
		for _, is := range []bool{x.IsPtr(), x.IsInt(), x.IsFloat()} {
			if is {
				n++
			}
		}
		if n != 1 || x.IsBool() && !x.IsInt() || x.IsZero() {
			t.Errorf("%v is of %d classes", x, n)
		}
		if b := x.ElemBytes(); 8*b != max(x.ElemBits(), 8) {
			t.Errorf("%v has %d bytes", x, b)
		}
	})
}

// A descriptor is of no other class, and has its block back.
func TestDescriptors(t *testing.T) {
	check(t, "descriptors", func(t *rapid.T, x Type) {
		k := DescKind{NaN: rapid.Bool().Draw(t, "nan"), TF32: rapid.Bool().Draw(t, "tf32")}
		d := DescOf(x, k)
		if !d.IsDesc() || d.Block() != x || d.DescKind() != k || d.IsTile() || d.IsScalar() && x.IsTile() || d.IsInt() || d.IsFloat() || d == x || d.SameShape(x) {
			t.Errorf("a descriptor of %v is %v", x, d)
		}
		good := !x.IsPtr() && !x.IsBool() && x.Rank() >= 1 && x.Rank() <= maxDescRank && (!k.NaN || x.IsFloat()) && (!k.TF32 || x.Elem() == F32)
		y, err := ParseType(d.String())
		if (err == nil) != good || good && y != d || (wellFormed(d) == nil) != good {
			t.Errorf("%v gives %v, %v", d, y, err)
		}
	})
}

func TestWithShapeRefuses(t *testing.T) {
	for _, shape := range [][]int{
		{0}, {-1}, {-8}, {3}, {2, 6}, {1 << 21}, {1 << 20, 2}, {1 << 40}, {-1 << 63}, make24ones(MaxRank + 1),
	} {
		if got, ok := Scalar(F32).WithShape(shape...); ok || got != (Type{}) {
			t.Errorf("%v gives %v", shape, got)
		}
	}
	if _, ok := Scalar(F32).WithShape(make24ones(MaxRank)...); !ok {
		t.Error("the largest rank is refused")
	}
}

func make24ones(n int) []int {
	ones := make([]int, n)
	for i := range ones {
		ones[i] = 1
	}
	return ones
}

func TestParseTypeRefuses(t *testing.T) {
	for _, s := range []string{
		"", "x", "f32x", "4x", "4", "0xf32", "3xf32", "4 xf32", "4xx8xf32", "none", "bad", "4xnone", "ptr", "ptr<>", "ptr<f32",
		"ptr<f32>>", "ptr<4xf32>", "4xptr<ptr<ptr<f32>>>", "-4xf32", "+4xf32", "04x", strings.Repeat("1x", MaxRank+1) + "i8",
		"desc<", "desc<>", "desc<8xf32", "desc<8xf32>x", "desc<8xf32>nannan", "desc<8xf32>tf32nan", "desc<f32>", "8xdesc<f32>", "desc<desc<8xf32>>",
	} {
		if got, err := ParseType(s); err == nil {
			t.Errorf("%q gives %v", s, got)
		}
	}
}
