package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// The minimum and the maximum of float8 are one of the operands, bit by bit: rounding them back from f32 would make the largest finite number of an
// infinity.

// extremumFP8 gives OpFMin or OpFMax on the bits of a float8 format. -0 is below +0; of equal numbers no other bits differ. A NaN that is
// passed on is the first; or else the other operand is.
func extremumFP8(code tile.Code, e tile.Elem, propagate bool) func(x, y uint8) uint8 {
	numbers, largest := e.DType().FP8ToF32(), code == tile.OpFMax
	return func(x, y uint8) uint8 {
		a, b := numbers[x], numbers[y]
		switch {
		case a == b && largest:
			return x & y
		case a == b:
			return x | y
		case propagate && a != a, !propagate && b != b, largest && a > b, !largest && a < b:
			return x
		}
		return y
	}
}

// clampFP8 gives OpClamp on bits, by what clampNum and clampNaN say.
func clampFP8(e tile.Elem, propagate bool) func(x, lo, hi uint8) uint8 {
	numbers := e.DType().FP8ToF32()
	larger, smaller := extremumFP8(tile.OpFMax, e, false), extremumFP8(tile.OpFMin, e, false)
	return func(x, lo, hi uint8) uint8 {
		if propagate && numbers[x] != numbers[x] {
			return x
		}
		return smaller(larger(x, lo), hi)
	}
}
