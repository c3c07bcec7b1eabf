package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// A fold is a combiner that is one operation, such as an addition: its loop works on the tile
// itself. The order of combination is the same as with any other region.
type fold interface {
	// pairs combines neighbouring rows of src into n elements of dst.
	pairs(m *machine, src, dst slot, row, n int)
	// prefixes combines along an axis.
	prefixes(m *machine, src, dst slot, a axis, reverse bool)
}

// foldOf gives the fold of a reduction or scan, nil if its region is anything else.
func foldOf(op *tile.Op) fold {
	only := single(op)
	if only == nil || only.Result().Type.IsPtr() {
		return nil
	}
	switch only.Code {
	case tile.OpFAdd, tile.OpFMul, tile.OpFMax, tile.OpFMin:
		switch only.Result().Type.Elem() {
		case tile.F32:
			return folding[float32]{floatKernel[float32](only)}
		case tile.F64:
			return folding[float64]{floatKernel[float64](only)}
		}
	case tile.OpAdd, tile.OpMul, tile.OpAnd, tile.OpOr, tile.OpXor, tile.OpMaxU, tile.OpMinU, tile.OpMaxS, tile.OpMinS:
		switch only.Result().Type.Elem() {
		case tile.I8:
			return integerFold[uint8, int8](only.Code)
		case tile.I16:
			return integerFold[uint16, int16](only.Code)
		case tile.I32:
			return integerFold[uint32, int32](only.Code)
		case tile.I64:
			return integerFold[uint64, int64](only.Code)
		}
	}
	return nil
}

func integerFold[U unsigned, S signed](c tile.Code) fold {
	switch c {
	case tile.OpMaxS:
		return folding[S]{maxOf[S]}
	case tile.OpMinS:
		return folding[S]{minOf[S]}
	}
	return folding[U]{integerKernel[U, S](c)}
}

// single gives the operation of a region that only combines its two arguments by it, in their
// order, or nil.
func single(op *tile.Op) *tile.Op {
	b := op.Regions[0]
	if len(op.Args) != 1 || len(b.Ops) != 2 {
		return nil
	}
	only, end := b.Ops[0], b.Ops[1]
	if len(only.Args) != 2 || only.Args[0] != b.Args[0] || only.Args[1] != b.Args[1] || end.Args[0] != only.Result() {
		return nil
	}
	return only
}

type folding[T any] struct{ kernel func(d, x, y []T) }

func (f folding[T]) pairs(m *machine, src, dst slot, row, n int) {
	s, d := memory[T](m, src.off, 2*n), memory[T](m, dst.off, n)
	if row > 1 {
		for lo := 0; lo < n; lo += row {
			f.kernel(d[lo:lo+row], s[2*lo:2*lo+row], s[2*lo+row:2*lo+2*row])
		}
		return
	}
	x, y := buffer[T](m, 0), buffer[T](m, 1)
	for lo := 0; lo < n; lo += chunk {
		k := min(chunk, n-lo)
		x, y := x[:k], y[:k]
		for i := range x {
			x[i], y[i] = s[2*(lo+i)], s[2*(lo+i)+1]
		}
		f.kernel(d[lo:lo+k], x, y)
	}
}

func (f folding[T]) prefixes(m *machine, src, dst slot, a axis, reverse bool) {
	n := a.outer * a.size * a.inner
	s, d := memory[T](m, src.off, n), memory[T](m, dst.off, n)
	for o := range a.outer {
		var before []T
		for j := range a.size {
			at := a.plane(j, reverse)
			lo := o*at.stride + at.base
			row := d[lo : lo+a.inner]
			if j == 0 {
				copy(row, s[lo:])
			} else {
				f.kernel(row, before, s[lo:lo+a.inner])
			}
			before = row
		}
	}
}
