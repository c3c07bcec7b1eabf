package sim

import (
	"math"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// formatOf gives the number format of a type.
func formatOf(t lir.Type) dtype.DType {
	switch t {
	case lir.F16:
		return dtype.Float16
	case lir.BF16:
		return dtype.BFloat16
	case lir.F32:
		return dtype.Float32
	case lir.F64:
		return dtype.Float64
	}
	return dtype.Invalid
}

// nanOf are the NaNs that operations give, whatever their operands are: those of PTX. Those of f64 are open.
var nanOf = map[lir.Type]uint64{lir.F16: 0x7fff, lir.BF16: 0x7fff, lir.F32: 0x7fffffff}

// encoder gives the bits of results of a type.
func encoder(t lir.Type) func(x float64) uint64 {
	d := formatOf(t)
	nan, canonical := nanOf[t]
	return func(x float64) uint64 {
		if canonical && x != x {
			return nan
		}
		return d.Encode(x)
	}
}

// nearest reports whether a rounding is the usual one. What may be fused or approximate is the nearest number here.
func nearest(mod uint8) bool {
	return lir.Rounding(mod) == lir.Nearest || lir.Rounding(mod) == lir.Fused
}

// floatUnary gives what an operation on one float, or a conversion, makes of its bits.
func floatUnary(op *lir.Op, from, to lir.Type) func(x uint64) uint64 {
	d, encode := formatOf(from), encoder(to)
	sign := uint64(1) << (from.Bits() - 1)
	of := func(f func(float64) float64) func(uint64) uint64 {
		return func(x uint64) uint64 { return encode(f(d.Decode(x))) }
	}
	switch op.Code {
	case lir.OpFNeg:
		return func(x uint64) uint64 { return x ^ sign }
	case lir.OpFAbs:
		return func(x uint64) uint64 { return x &^ sign }
	case lir.OpSqrt, lir.OpRcp:
		if !nearest(op.Mod) {
			return exactly(op, from)
		}
		if op.Code == lir.OpRcp {
			return of(func(x float64) float64 { return 1 / x })
		}
		return of(math.Sqrt)
	case lir.OpRSqrt:
		return of(func(x float64) float64 { return 1 / math.Sqrt(x) })
	case lir.OpExp2:
		if op.Mod == 1 {
			return of(flushed(math.Exp2))
		}
		return of(math.Exp2)
	case lir.OpLog2:
		return of(math.Log2)
	case lir.OpSin:
		return of(math.Sin)
	case lir.OpCos:
		return of(math.Cos)
	case lir.OpTanh:
		return of(math.Tanh)
	case lir.OpFRound:
		return of(integral(op.Mod))
	case lir.OpFExt:
		return func(x uint64) uint64 { return encode(d.Decode(x)) }
	case lir.OpFTrunc:
		return func(x uint64) uint64 { return roundTo(to, d.Decode(x), op.Mod) }
	case lir.OpSToF, lir.OpUToF:
		return toFloat(op, from, to)
	case lir.OpFToS, lir.OpFToU:
		round := integral(op.Mod)
		return func(x uint64) uint64 { return saturate(round(d.Decode(x)), to.Bits(), op.Code == lir.OpFToS) }
	case lir.OpFromF8:
		f8 := formatOfF8(op.Mod)
		return func(x uint64) uint64 {
			return dtype.Float16.Encode(f8.Decode(x&0xff)) | dtype.Float16.Encode(f8.Decode(x>>8))<<16
		}
	}
	return nil
}

// flushed gives 0 where f's result is less than f32's normal numbers.
func flushed(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if y := f(x); y >= 0x1p-126 || y != y {
			return y
		}
		return 0
	}
}

func formatOfF8(mod uint8) dtype.DType {
	if lir.F8(mod) == lir.E5M2 {
		return dtype.Float8E5M2
	}
	return dtype.Float8E4M3
}

// integral gives the function that rounds to an integer.
func integral(mod uint8) func(float64) float64 {
	switch lir.Rounding(mod) {
	case lir.Zero:
		return math.Trunc
	case lir.Up:
		return math.Ceil
	case lir.Down:
		return math.Floor
	}
	return math.RoundToEven
}

// saturate gives an integer as near to a whole number as there is; NaN gives 0.
func saturate(x float64, bits int, isSigned bool) uint64 {
	least, beyond := 0.0, math.Ldexp(1, bits)
	if isSigned {
		least, beyond = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	switch {
	case x != x:
		return 0
	case x < least:
		return uint64(int64(least))
	case x >= beyond && isSigned:
		return 1<<(bits-1) - 1
	case x >= beyond:
		return 1<<bits - 1
	case isSigned:
		return uint64(int64(x))
	}
	return uint64(x)
}

// floatBinary gives what an operation on two floats makes of their bits.
func floatBinary(op *lir.Op, t lir.Type) func(x, y uint64) uint64 {
	d, encode := formatOf(t), encoder(t)
	of := func(f func(x, y float64) float64) func(x, y uint64) uint64 {
		return func(x, y uint64) uint64 { return encode(f(d.Decode(x), d.Decode(y))) }
	}
	switch op.Code {
	case lir.OpFCmp:
		holds := floatCompare(tile.CmpF(op.Mod))
		if holds == nil {
			return nil
		}
		test := truth(holds)
		return func(x, y uint64) uint64 { return test(d.Decode(x), d.Decode(y)) }
	case lir.OpFMin:
		if op.Mod == 1 {
			return of(func(x, y float64) float64 { return min(x, y) })
		}
		return of(minNum)
	case lir.OpFMax:
		if op.Mod == 1 {
			return of(func(x, y float64) float64 { return max(x, y) })
		}
		return of(maxNum)
	case lir.OpToF8:
		f8 := formatOfF8(op.Mod)
		return func(x, y uint64) uint64 { return f8.Encode(d.Decode(x)) | f8.Encode(d.Decode(y))<<8 }
	case lir.OpPackF16:
		half := dtype.Float16
		if op.Mod == 1 {
			half = dtype.BFloat16
		}
		return func(x, y uint64) uint64 { return half.Encode(d.Decode(x)) | half.Encode(d.Decode(y))<<16 }
	case lir.OpFAdd, lir.OpFSub, lir.OpFMul, lir.OpFDiv:
		if !nearest(op.Mod) {
			return exactly2(op, t)
		}
	}
	switch op.Code {
	case lir.OpFAdd:
		return of(sum(t))
	case lir.OpFSub:
		add := sum(t)
		return of(func(x, y float64) float64 { return add(x, -y) })
	case lir.OpFMul: // products of what is narrower than f64 are exact in it
		return of(func(x, y float64) float64 { return x * y })
	case lir.OpFDiv: // so many digits more than f32 has do not change how a quotient is rounded
		return of(func(x, y float64) float64 { return x / y })
	}
	return nil
}

// sum gives addition, after which rounding to a type is as if it were the only one.
func sum(t lir.Type) func(x, y float64) float64 {
	if t == lir.F64 {
		return func(x, y float64) float64 { return x + y }
	}
	return sumToOdd
}

// sumToOdd adds, and rounds to odd: where the sum is not exact its last digit is 1, so that rounding it to fewer digits
// is right. The operands are of fewer digits and a smaller range than f64, so that what the sum lacks is known (Knuth).
func sumToOdd(x, y float64) float64 {
	n := x + y
	if n-n != 0 {
		return n
	}
	t := n - x
	rest := (x - (n - t)) + (y - t)
	if rest == 0 {
		return n
	}
	if (rest > 0) == (n < 0) {
		n = math.Nextafter(n, 0)
	}
	return math.Float64frombits(math.Float64bits(n) | 1)
}

// fma gives the fused product and sum.
func fma(op *lir.Op) func(x, y, z uint64) uint64 {
	t := op.Results[0].Type
	d, encode := formatOf(t), encoder(t)
	if !nearest(op.Mod) {
		return exactly3(op, t)
	}
	if t == lir.F64 {
		return func(x, y, z uint64) uint64 { return encode(math.FMA(d.Decode(x), d.Decode(y), d.Decode(z))) }
	}
	return func(x, y, z uint64) uint64 { return encode(sumToOdd(d.Decode(x)*d.Decode(y), d.Decode(z))) }
}

// minNum and maxNum give the other operand where one is NaN.
func minNum(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return min(x, y)
}

func maxNum(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return max(x, y)
}

// floatCompare gives a comparison; those that begin with U hold of NaN, too.
func floatCompare(p tile.CmpF) func(x, y float64) bool {
	nan := func(x, y float64) bool { return x != x || y != y }
	switch p {
	case tile.OEQ:
		return func(x, y float64) bool { return x == y }
	case tile.ONE:
		return func(x, y float64) bool { return x < y || x > y }
	case tile.OLT:
		return func(x, y float64) bool { return x < y }
	case tile.OLE:
		return func(x, y float64) bool { return x <= y }
	case tile.OGT:
		return func(x, y float64) bool { return x > y }
	case tile.OGE:
		return func(x, y float64) bool { return x >= y }
	case tile.UEQ:
		return func(x, y float64) bool { return nan(x, y) || x == y }
	case tile.UNE:
		return func(x, y float64) bool { return x != y }
	case tile.ULT:
		return func(x, y float64) bool { return nan(x, y) || x < y }
	case tile.ULE:
		return func(x, y float64) bool { return nan(x, y) || x <= y }
	case tile.UGT:
		return func(x, y float64) bool { return nan(x, y) || x > y }
	case tile.UGE:
		return func(x, y float64) bool { return nan(x, y) || x >= y }
	case tile.ORD:
		return func(x, y float64) bool { return !nan(x, y) }
	case tile.UNO:
		return nan
	}
	return nil
}
