package cpu

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// sourceF32 gives an operand of any float type but f64 as float32s, which hold all its values.
func sourceF32(e tile.Elem, s slot) source[float32] {
	return source[float32]{slot: s, load: loadF32(e), size: e.Bytes()}
}

func loadF32(e tile.Elem) func([]float32, unsafe.Pointer) {
	switch e {
	case tile.F32:
		return nil
	case tile.F16:
		return loadF16
	case tile.BF16:
		return loadBF16
	}
	t := e.DType().FP8ToF32()
	return loading(func(b uint8) float32 { return t[b] })
}

// The common conversions have loops of their own, in which the compiler puts the conversion itself.

func loadF16(dst []float32, src unsafe.Pointer) {
	for i, h := range unsafe.Slice((*uint16)(src), len(dst)) {
		dst[i] = dtype.F16ToF32(h)
	}
}

func loadBF16(dst []float32, src unsafe.Pointer) {
	for i, h := range unsafe.Slice((*uint16)(src), len(dst)) {
		dst[i] = dtype.BF16ToF32(h)
	}
}

func storeF16(dst unsafe.Pointer, src []float32) {
	out := unsafe.Slice((*uint16)(dst), len(src))
	for i, f := range src {
		out[i] = dtype.F32ToF16(f)
	}
}

func storeBF16(dst unsafe.Pointer, src []float32) {
	out := unsafe.Slice((*uint16)(dst), len(src))
	for i, f := range src {
		out[i] = dtype.F32ToBF16(f)
	}
}

// sinkF32 stores float32s as any float type but f64, rounding once.
func sinkF32(e tile.Elem, s slot) sink[float32] {
	return sink[float32]{slot: s, store: storeF32(e), size: e.Bytes()}
}

func storeF32(e tile.Elem) func(unsafe.Pointer, []float32) {
	d := e.DType()
	switch e {
	case tile.F32:
		return nil
	case tile.F16:
		return storeF16
	case tile.BF16:
		return storeBF16
	}
	return converting(func(f float32) uint8 { return uint8(d.Encode(float64(f))) })
}

// sourceF64 gives an operand of any float type as float64s.
func sourceF64(e tile.Elem, s slot) source[float64] {
	return source[float64]{slot: s, load: loadF64(e), size: e.Bytes()}
}

func loadF64(e tile.Elem) func([]float64, unsafe.Pointer) {
	switch e {
	case tile.F64:
		return nil
	case tile.F32:
		return loading(func(f float32) float64 { return float64(f) })
	case tile.F16:
		return loading(func(h uint16) float64 { return float64(dtype.F16ToF32(h)) })
	case tile.BF16:
		return loading(func(h uint16) float64 { return float64(dtype.BF16ToF32(h)) })
	}
	t := e.DType().FP8ToF32()
	return loading(func(b uint8) float64 { return float64(t[b]) })
}

// sinkF64 stores float64s as any float type, rounding once.
func sinkF64(e tile.Elem, r tile.Round, s slot) sink[float64] {
	return sink[float64]{slot: s, store: storeF64(e, r), size: e.Bytes()}
}

func storeF64(e tile.Elem, r tile.Round) func(unsafe.Pointer, []float64) {
	if e == tile.F64 {
		return nil
	}
	encode := e.DType().Encode
	if r == tile.TowardsZero {
		encode = e.DType().EncodeRTZ
	}
	switch e.Bytes() {
	case 4:
		if r == tile.NearestEven {
			return converting(func(f float64) float32 { return float32(f) })
		}
		return converting(func(f float64) uint32 { return uint32(encode(f)) })
	case 2:
		return converting(func(f float64) uint16 { return uint16(encode(f)) })
	}
	return converting(func(f float64) uint8 { return uint8(encode(f)) })
}

func loading[S, T any](f func(S) T) func([]T, unsafe.Pointer) {
	return func(dst []T, src unsafe.Pointer) {
		for i, x := range unsafe.Slice((*S)(src), len(dst)) {
			dst[i] = f(x)
		}
	}
}

func converting[S, T any](f func(T) S) func(unsafe.Pointer, []T) {
	return func(dst unsafe.Pointer, src []T) {
		out := unsafe.Slice((*S)(dst), len(src))
		for i, x := range src {
			out[i] = f(x)
		}
	}
}

// oddF64 gives an integer as a float64 that can be rounded to a narrower type as if it were
// exact: what float64 cannot hold is cut off and leaves its trace in the last bit.
func oddF64(neg bool, mag uint64) float64 {
	shift := max(bits.Len64(mag)-53, 0)
	cut := mag >> shift
	if cut<<shift != mag {
		cut |= 1
	}
	f := math.Ldexp(float64(cut), shift)
	if neg {
		return -f
	}
	return f
}
