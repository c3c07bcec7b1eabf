package tile

import "fmt"

// scaledElems holds the element that each format of a scaled operand is held in; E2M1 comes in
// pairs, the first of each in the lower half of a byte.
var scaledElems = [...]Elem{E2M1: I8, E4M3: F8E4M3, E5M2: F8E5M2, ScaledBF16: BF16, ScaledF16: F16}

// ScaledShape gives the logarithms of the rows and columns of a matrix operand of an OpDotScaled,
// whose elements may come in pairs along either dimension; packedRows says along which.
func ScaledShape(t Type, f ScaledFormat, packedRows bool) (rows, cols int) {
	rows, cols = t.LogDim(t.Rank()-2), t.LogDim(t.Rank()-1)
	switch {
	case f != E2M1:
	case packedRows:
		rows++
	default:
		cols++
	}
	return rows, cols
}

// dotScaled is the rule of OpDotScaled.
func dotScaled(op *Op) error {
	attr := op.Attr.(DotScaledAttr)
	if err := scaledOperands(op, attr); err != nil {
		return err
	}
	a, b, c := op.Args[0].Type, op.Args[1].Type, op.Args[2].Type
	m, k := ScaledShape(a, attr.A, attr.PackM)
	kb, n := ScaledShape(b, attr.B, !attr.PackN)
	batch := a.Rank() - 2
	if kb != k || c.LogDim(batch) != m || c.LogDim(batch+1) != n {
		return fmt.Errorf("the shapes of %s · %s + %s do not fit", a, b, c)
	}
	if err := countIs(op, 3+boolInt(attr.ScaleA)+boolInt(attr.ScaleB)); err != nil {
		return err
	}
	i := 3
	if attr.ScaleA {
		if err := scaleOf(op, i, a, m, k); err != nil {
			return err
		}
		i++
	}
	if attr.ScaleB {
		if err := scaleOf(op, i, b, n, k); err != nil {
			return err
		}
	}
	return resultIs(op, 0, c)
}

// scaledOperands checks the matrices' ranks, batches, elements and formats.
func scaledOperands(op *Op, attr DotScaledAttr) error {
	a, b, c := op.Args[0].Type, op.Args[1].Type, op.Args[2].Type
	r := a.Rank()
	if r != 2 && r != 3 || b.Rank() != r || c.Rank() != r || r == 3 && (a.LogDim(0) != b.LogDim(0) || a.LogDim(0) != c.LogDim(0)) {
		return fmt.Errorf("%s · %s + %s; dot_scaled takes three matrices, or batches of them", a, b, c)
	}
	for i, f := range [2]ScaledFormat{attr.A, attr.B} {
		if err := enumIn(f, scaledNames); err != nil {
			return err
		}
		if err := operandIs(op, i, op.Args[i].Type.WithElem(scaledElems[f])); err != nil {
			return err
		}
	}
	switch {
	case attr.PackM && attr.A != E2M1, attr.PackN && attr.B != E2M1:
		return fmt.Errorf("only pairs of e2m1 are packed along m or n")
	case !c.IsFloat() || c.Elem().IsFP8() || c.Elem() == F64:
		return fmt.Errorf("operand 2 is %s; dot_scaled accumulates in f32, f16 or bf16", c)
	}
	return nil
}

// scaleOf checks operand i: a scale for each group of elements along k of each of the rows of an
// operand that is like t. The groups are of 16 or 32.
func scaleOf(op *Op, i int, t Type, rows, k int) error {
	s := op.Args[i].Type
	r := t.Rank()
	switch {
	case s.Elem() != I8 && s.Elem() != F8E4M3 || s.IsPtr():
		return fmt.Errorf("operand %d is %s; scales are i8, powers of two, or f8e4m3", i, s)
	case s.Rank() != r || s.LogDim(r-2) != rows || r == 3 && s.LogDim(0) != t.LogDim(0):
		return fmt.Errorf("operand %d is %s; it has a row for each of the 2^%d rows or columns of %s", i, s, rows, t)
	case k-s.LogDim(r-1) != 4 && k-s.LogDim(r-1) != 5:
		return fmt.Errorf("operand %d is %s; a scale is for 16 or 32 elements along k, of which there are 2^%d", i, s, k)
	}
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
