package tile

import (
	"fmt"
	"math"
)

// axisOf checks that an axis is a dimension of t.
func axisOf(axis int, t Type) error {
	if axis < 0 || axis >= t.Rank() {
		return fmt.Errorf("axis %d of %s", axis, t)
	}
	return nil
}

// operandIsTile checks that operand i is a tile.
func operandIsTile(op *Op, i int) error {
	if t := op.Args[i].Type; !t.IsTile() {
		return fmt.Errorf("operand %d is %s, not a tile", i, t)
	}
	return nil
}

func splat(op *Op) error {
	x, y := op.Args[0].Type, op.Results[0].Type
	if !x.IsScalar() || !y.IsTile() || y.Scalar() != x {
		return fmt.Errorf("%s to %s; splat makes a tile of a scalar", x, y)
	}
	return nil
}

func broadcast(op *Op) error {
	x, y := op.Args[0].Type, op.Results[0].Type
	if err := operandIsTile(op, 0); err != nil {
		return err
	}
	if x.Rank() != y.Rank() || x.Scalar() != y.Scalar() {
		return fmt.Errorf("%s to %s; broadcast keeps the rank and the element", x, y)
	}
	for i := range x.Rank() {
		if d := x.Dim(i); d != 1 && d != y.Dim(i) {
			return fmt.Errorf("%s to %s; dimension %d is neither 1 nor %d", x, y, i, y.Dim(i))
		}
	}
	return nil
}

func expandDims(op *Op) error {
	x, axis := op.Args[0].Type, op.Attr.(AxisAttr).Axis
	if axis < 0 || axis > x.Rank() || x.Rank() == MaxRank {
		return fmt.Errorf("no dimension can go before axis %d of %s", axis, x)
	}
	return resultIs(op, 0, x.InsertDim(axis))
}

func reshape(op *Op) error {
	x, y := op.Args[0].Type, op.Results[0].Type
	if x.Scalar() != y.Scalar() || x.LogElems() != y.LogElems() {
		return fmt.Errorf("%s to %s; reshape keeps the elements", x, y)
	}
	return nil
}

func transpose(op *Op) error {
	x, order := op.Args[0].Type, op.Attr.(PermAttr).Order
	want, seen := x, uint32(0)
	for i, o := range order {
		if i >= x.Rank() {
			if o != 0 {
				return fmt.Errorf("the order has values beyond rank %d", x.Rank())
			}
			continue
		}
		if int(o) >= x.Rank() || seen&(1<<o) != 0 {
			return fmt.Errorf("the order %v is no permutation", order[:x.Rank()])
		}
		seen |= 1 << o
		want = want.WithDim(i, x.LogDim(int(o)))
	}
	return resultIs(op, 0, want)
}

func concatenate(op *Op) error {
	x, axis := op.Args[0].Type, op.Attr.(AxisAttr).Axis
	if err := first(axisOf(axis, x), equalOperands(op)); err != nil {
		return err
	}
	return resultIs(op, 0, x.WithDim(axis, x.LogDim(axis)+1))
}

func join(op *Op) error {
	x := op.Args[0].Type
	if x.Rank() == MaxRank {
		return fmt.Errorf("operand 0 has rank %d already", MaxRank)
	}
	if err := equalOperands(op); err != nil {
		return err
	}
	return resultIs(op, 0, x.AppendDim(1))
}

func split(op *Op) error {
	x := op.Args[0].Type
	last := x.Rank() - 1
	if last < 0 || x.LogDim(last) != 1 {
		return fmt.Errorf("operand 0 is %s; its last dimension must be 2", x)
	}
	half := x.DropDim(last)
	return first(resultIs(op, 0, half), resultIs(op, 1, half))
}

func rangeOf(op *Op) error {
	a, t := op.Attr.(RangeAttr), op.Results[0].Type
	if a.Start < math.MinInt32 || a.End > math.MaxInt32+1 || a.Start >= a.End {
		return fmt.Errorf("%d to %d is no range of i32", a.Start, a.End)
	}
	if t.Scalar() != Scalar(I32) || t.Rank() != 1 || int64(t.Dim(0)) != a.End-a.Start {
		return fmt.Errorf("the result is %s, not %dxi32", t, a.End-a.Start)
	}
	return nil
}

func gather(op *Op) error {
	src, index, axis := op.Args[0].Type, op.Args[1].Type, op.Attr.(AxisAttr).Axis
	if err := first(axisOf(axis, src), operand(op, 1, isInt)); err != nil {
		return err
	}
	if index.Rank() != src.Rank() || !index.WithDim(axis, 0).SameShape(src.WithDim(axis, 0)) {
		return fmt.Errorf("the index %s has not the shape of %s outside axis %d", index, src, axis)
	}
	return resultIs(op, 0, index.WithScalar(src))
}

func histogram(op *Op) error {
	x, y := op.Args[0].Type, op.Results[0].Type
	switch {
	case x.Scalar() != Scalar(I32) || x.Rank() != 1:
		return fmt.Errorf("operand 0 is %s, not a 1-D tile of i32", x)
	case y.Scalar() != Scalar(I32) || y.Rank() != 1:
		return fmt.Errorf("the result is %s, not a 1-D tile of i32", y)
	case len(op.Args) == 2:
		return operandIs(op, 1, x.WithElem(I1))
	}
	return nil
}

// sameShapeTiles checks that all operands are tiles of one shape.
func sameShapeTiles(op *Op) error {
	for i := range op.Args {
		if err := operandIsTile(op, i); err != nil {
			return err
		}
	}
	return operandsInShape(op)
}

// operandsInShape checks that all operands have the shape of the first.
func operandsInShape(op *Op) error {
	for i, v := range op.Args {
		if !v.Type.SameShape(op.Args[0].Type) {
			return fmt.Errorf("operand %d is %s; its shape is not that of %s", i, v.Type, op.Args[0].Type)
		}
	}
	return nil
}

// resultsFrom checks that there is a result per operand, of the type that f makes of the operand's.
func resultsFrom(op *Op, f func(Type) Type) error {
	if len(op.Results) != len(op.Args) {
		return fmt.Errorf("%d results of %d operands", len(op.Results), len(op.Args))
	}
	for i, v := range op.Args {
		if want := f(v.Type); op.Results[i].Type != want {
			return fmt.Errorf("result %d is %s, not %s", i, op.Results[i].Type, want)
		}
	}
	return nil
}

func reduce(op *Op) error {
	axis := op.Attr.(AxisAttr).Axis
	if err := first(sameShapeTiles(op), axisOf(axis, op.Args[0].Type)); err != nil {
		return err
	}
	return resultsFrom(op, func(t Type) Type { return t.DropDim(axis) })
}

func scan(op *Op) error {
	axis := op.Attr.(ScanAttr).Axis
	if err := first(sameShapeTiles(op), axisOf(axis, op.Args[0].Type)); err != nil {
		return err
	}
	return resultsFrom(op, func(t Type) Type { return t })
}

func mapElements(op *Op) error {
	return oneShape(op)
}

func dot(op *Op) error {
	a, b, c := op.Args[0].Type, op.Args[1].Type, op.Args[2].Type
	r := a.Rank()
	if r != 2 && r != 3 || b.Rank() != r || c.Rank() != r {
		return fmt.Errorf("%s · %s + %s; dot takes three matrices, or batches of them", a, b, c)
	}
	batch := r - 2
	m, k, n := a.LogDim(batch), a.LogDim(batch+1), b.LogDim(batch+1)
	if b.LogDim(batch) != k || c.LogDim(batch) != m || c.LogDim(batch+1) != n ||
		batch == 1 && (b.LogDim(0) != a.LogDim(0) || c.LogDim(0) != a.LogDim(0)) {
		return fmt.Errorf("the shapes of %s · %s + %s do not fit", a, b, c)
	}
	if err := dotElems(a, b, c); err != nil {
		return err
	}
	attr := op.Attr.(DotAttr)
	switch {
	case attr.MaxImprecise < 0:
		return fmt.Errorf("max_imprecise is %d; the least is 0", attr.MaxImprecise)
	case attr.Unsigned && !a.IsInt():
		return fmt.Errorf("the operands %s have no sign to leave out", a)
	}
	return first(enumIn(attr.Precision, precisionNames), resultIs(op, 0, c))
}

// dotElems checks the element types of a dot: equal ones (float8 formats mix); floats
// accumulate in a float that is no float8 and no narrower, integers in i32.
func dotElems(a, b, c Type) error {
	if a.IsPtr() || b.IsPtr() || c.IsPtr() || a.IsBool() {
		return fmt.Errorf("%s · %s + %s; dot takes numbers", a, b, c)
	}
	if x, y := a.Elem(), b.Elem(); x != y && !(x.IsFP8() && y.IsFP8()) {
		return fmt.Errorf("the operands' elements are %s and %s", x, y)
	}
	if a.IsInt() {
		if c.Elem() != I32 {
			return fmt.Errorf("integers accumulate in i32, not %s", c.Elem())
		}
		return nil
	}
	if !c.IsFloat() || c.Elem().IsFP8() || c.ElemBits() < a.ElemBits() {
		return fmt.Errorf("%s does not accumulate in %s", a.Elem(), c.Elem())
	}
	return nil
}
