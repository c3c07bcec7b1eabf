package cpu

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/tile"
)

// integerExterns are functions of integers of 32 or 64 bits.
func integerExterns() map[string]extern {
	return map[string]extern{
		"brev": of64(func(a *[4]uint64, w uint) uint64 { return bits.Reverse64(a[0]) >> (64 - w) }),
		"clz":  of64(func(a *[4]uint64, w uint) uint64 { return uint64(bits.LeadingZeros64(a[0])) - uint64(64-w) }),
		"ffs": of64(func(a *[4]uint64, _ uint) uint64 {
			if a[0] == 0 {
				return 0
			}
			return uint64(bits.TrailingZeros64(a[0])) + 1
		}),
		"popc": of64(func(a *[4]uint64, _ uint) uint64 { return uint64(bits.OnesCount64(a[0])) }),

		"mulhi":  of64(mulHiS),
		"umulhi": of64(mulHiU),
		"mul24":  of32(func(a *[4]uint64, _ uint) uint64 { return low24S(a[0]) * low24S(a[1]) }),
		"umul24": of32(func(a *[4]uint64, _ uint) uint64 { return low24U(a[0]) * low24U(a[1]) }),

		// (x+y)/2 without overflow, rounded down or up.
		"hadd":   of32(func(a *[4]uint64, w uint) uint64 { return uint64((extend(a[0], w) + extend(a[1], w)) >> 1) }),
		"rhadd":  of32(func(a *[4]uint64, w uint) uint64 { return uint64((extend(a[0], w) + extend(a[1], w) + 1) >> 1) }),
		"uhadd":  of32(func(a *[4]uint64, _ uint) uint64 { return (a[0] + a[1]) >> 1 }),
		"urhadd": of32(func(a *[4]uint64, _ uint) uint64 { return (a[0] + a[1] + 1) >> 1 }),

		// |x-y| + z
		"sad": of32(func(a *[4]uint64, w uint) uint64 {
			x, y := extend(a[0], w), extend(a[1], w)
			return uint64(max(x-y, y-x)) + a[2]
		}),
		"usad": of32(func(a *[4]uint64, _ uint) uint64 { return max(a[0], a[1]) - min(a[0], a[1]) + a[2] }),

		"byte_perm": of32(func(a *[4]uint64, _ uint) uint64 { return bytePerm(a[1]<<32|a[0], a[2]) }),
	}
}

// of32 is a function of i32s, of the width 32.
func of32(f func(a *[4]uint64, width uint) uint64) extern {
	return ofIntegers(32, f)
}

// of64 is a function of i32s or i64s and their width.
func of64(f func(a *[4]uint64, width uint) uint64) extern {
	return ofIntegers(64, f)
}

// ofIntegers is a function of integers of one type; the result is cut to its own width.
func ofIntegers(widest uint, f func(a *[4]uint64, width uint) uint64) extern {
	return func(op *tile.Op) elementFunc {
		t := op.Args[0].Type
		w, to := uint(t.ElemBits()), uint(op.Result().Type.ElemBits())
		if !t.IsInt() || !op.Result().Type.IsInt() || w < 32 || w > widest {
			return nil
		}
		for _, v := range op.Args {
			if v.Type != t {
				return nil
			}
		}
		return func(a *[4]uint64) uint64 { return f(a, w) << (64 - to) >> (64 - to) }
	}
}

// extend gives the signed value of the lower w bits.
func extend(x uint64, w uint) int64 { return int64(x<<(64-w)) >> (64 - w) }

func low24S(x uint64) uint64 { return uint64(extend(x, 24)) }
func low24U(x uint64) uint64 { return x & (1<<24 - 1) }

func mulHiU(a *[4]uint64, w uint) uint64 {
	hi, lo := bits.Mul64(a[0], a[1])
	if w == 64 {
		return hi
	}
	return lo >> w
}

func mulHiS(a *[4]uint64, w uint) uint64 {
	x, y := extend(a[0], w), extend(a[1], w)
	if w < 64 {
		return uint64(x * y >> w)
	}
	hi, _ := bits.Mul64(uint64(x), uint64(y)) // less what a set sign bit stands for too much
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return hi
}

// bytePerm picks four of eight bytes; each of the selector's lower four hexadecimal digits names one.
func bytePerm(from, selector uint64) uint64 {
	var r uint64
	for i := range 4 {
		n := selector >> (4 * i) & 7
		r |= from >> (8 * n) & 0xff << (8 * i)
	}
	return r
}
