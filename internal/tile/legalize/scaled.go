package legalize

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// dotScaled is a dot of the operands in a format of 16 bits: f16 if one of them is f16, else
// bf16, which has room for every product of a narrow float and a scale.
func (e *expander) dotScaled(op *tile.Op) *tile.Value {
	attr := op.Attr.(tile.DotScaledAttr)
	to := tile.BF16
	if attr.A == tile.ScaledF16 || attr.B == tile.ScaledF16 {
		to = tile.F16
	}
	a := scaledOperand{format: attr.A, rows: attr.PackM, fast: attr.FastMath}
	b := scaledOperand{format: attr.B, rows: !attr.PackN, fast: attr.FastMath, right: true}
	scales := op.Args[3:]
	if attr.ScaleA {
		a.scale, scales = scales[0], scales[1:]
	}
	if attr.ScaleB {
		b.scale = scales[0]
	}
	x := e.scaled(op.Args[0], a, to)
	y := e.scaled(op.Args[1], b, to)
	return e.dot(x, y, op.Args[2])
}

// dot accumulates in f32 at least, as OpDot wants it of bf16.
func (e *expander) dot(x, y, acc *tile.Value) *tile.Value {
	attr := tile.DotAttr{Precision: tile.IEEE}
	if acc.Type.Elem() == tile.F32 {
		return e.b.Dot(x, y, acc, attr)
	}
	wide := e.b.Cast(tile.OpFExt, acc, tile.Scalar(tile.F32))
	return e.b.FTrunc(e.b.Dot(x, y, wide, attr), acc.Type.Elem(), tile.NearestEven)
}

// A scaledOperand is what is known of a matrix besides its elements.
type scaledOperand struct {
	format tile.ScaledFormat
	rows   bool        // pairs are packed along the rows
	right  bool        // it is the right operand: k runs along its rows
	scale  *tile.Value // [rows or columns, k/group], or nil
	fast   bool
}

// scaled gives a matrix in the format to, multiplied by its scale.
func (e *expander) scaled(v *tile.Value, o scaledOperand, to tile.Elem) *tile.Value {
	if o.format == tile.E2M1 {
		v = e.unpack(v, o.rows, to)
	}
	v = e.float(v, to)
	if o.scale == nil {
		return v
	}
	product := e.b.Binary(tile.OpFMul, v, e.spread(e.scaleFactor(o.scale, to), o, v.Type))
	if o.fast || o.scale.Type.IsFloat() {
		return product
	}
	invalid := e.b.CmpI(tile.EQ, o.scale, e.b.Const(o.scale.Type, math.MaxUint8))
	nan := e.b.Const(product.Type, to.DType().Encode(math.NaN()))
	return e.b.Select(e.spread(invalid, o, v.Type), nan, product)
}

// float converts between floats of 8 and 16 bits.
func (e *expander) float(v *tile.Value, to tile.Elem) *tile.Value {
	switch {
	case v.Type.Elem() == to:
		return v
	case v.Type.ElemBits() < to.Bits():
		return e.b.Cast(tile.OpFExt, v, tile.Scalar(to))
	}
	return e.b.FTrunc(v, to, tile.NearestEven)
}

// unpack gives the two numbers of each byte, along the rows or the columns.
func (e *expander) unpack(v *tile.Value, rows bool, to tile.Elem) *tile.Value {
	four := e.b.Const(v.Type, 4)
	low := e.e2m1(e.b.Binary(tile.OpAnd, v, e.b.Const(v.Type, 15)), to)
	high := e.e2m1(e.b.Binary(tile.OpShrU, v, four), to)
	axis := v.Type.Rank() - 1
	pairs := e.b.Join(low, high) // [..., m, n, 2]
	if rows {
		axis--
		order := make([]int, pairs.Type.Rank())
		for i := range order {
			order[i] = i
		}
		n := len(order)
		order[n-2], order[n-1] = n-1, n-2
		pairs = e.b.Trans(pairs, order) // [..., m, 2, n]
	}
	return e.b.Reshape(pairs, v.Type.WithDim(axis, v.Type.LogDim(axis)+1), false)
}

// e2m1 gives codes of four bits as floats: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives. From 1 on a
// code's lower bits are the end of the exponent and the beginning of the mantissa.
func (e *expander) e2m1(code *tile.Value, to tile.Elem) *tile.Value {
	mantissa := uint64(to.DType().MantissaBits())
	wide := e.b.Cast(tile.OpExtU, code, tile.Scalar(tile.I16))
	constant := func(n uint64) *tile.Value { return e.b.Const(wide.Type, n) }
	half := constant(to.DType().Encode(0.5))
	magnitude := e.b.Binary(tile.OpAnd, wide, constant(7))
	normal := e.b.Binary(tile.OpAdd, e.b.Binary(tile.OpShl, magnitude, constant(mantissa-1)), half)
	subnormal := e.b.Binary(tile.OpMul, magnitude, half)
	bits := e.b.Select(e.b.CmpI(tile.LTU, magnitude, constant(2)), subnormal, normal)
	sign := e.b.Binary(tile.OpShl, e.b.Binary(tile.OpAnd, wide, constant(8)), constant(12))
	return e.b.Cast(tile.OpBitcast, e.b.Binary(tile.OpOr, sign, bits), tile.Scalar(to))
}

// scaleFactor gives scales as floats. An i8 is an exponent with the bias of bf16, so it becomes one by
// a shift; 0, which would be zero, stands for 2^-127.
func (e *expander) scaleFactor(s *tile.Value, to tile.Elem) *tile.Value {
	if s.Type.IsFloat() {
		return e.float(s, to)
	}
	wide := e.b.Cast(tile.OpExtU, s, tile.Scalar(tile.I16))
	bits := e.b.Binary(tile.OpShl, wide, e.b.Const(wide.Type, 7))
	bits = e.b.Binary(tile.OpMaxU, bits, e.b.Const(wide.Type, 0x40))
	return e.float(e.b.Cast(tile.OpBitcast, bits, tile.Scalar(tile.BF16)), to)
}

// spread repeats what there is for each group along k for each element of a matrix like t.
func (e *expander) spread(s *tile.Value, o scaledOperand, t tile.Type) *tile.Value {
	last := s.Type.Rank() - 1
	k := t.LogDim(last)
	if o.right {
		k = t.LogDim(last - 1)
	}
	group := k - s.Type.LogDim(last)
	s = e.b.ExpandDims(s, last+1)
	s = e.b.Broadcast(s, s.Type.WithDim(last+1, group))
	s = e.b.Reshape(s, s.Type.DropDim(last+1).WithDim(last, k), false)
	if !o.right {
		return s
	}
	order := make([]int, last+1)
	for i := range order {
		order[i] = i
	}
	order[last-1], order[last] = last, last-1
	return e.b.Trans(s, order)
}
