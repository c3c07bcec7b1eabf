package sema

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// What libdevice's functions give of the inputs k = 37i mod 101 (see testInput).
func TestLibdeviceValues(t *testing.T) {
	at := func(i int) (k int, f float64) {
		k = i * 37 % 101
		return k, float64(k-50) / 8
	}
	f32 := func(f func(k int, x float64) float64) func(int) uint64 {
		return func(i int) uint64 { return dtype.Float32.Encode(f(at(i))) }
	}
	for _, tt := range []struct {
		expr string
		d    dtype.DType
		want func(i int) uint64
	}{
		{"libdevice.rint(t_fp32)", dtype.Float32, f32(func(_ int, x float64) float64 { return math.RoundToEven(x) })},
		{"libdevice.round(t_fp32)", dtype.Float32, f32(func(_ int, x float64) float64 { return math.Round(x) })},
		{"libdevice.trunc(t_fp32)", dtype.Float32, f32(func(_ int, x float64) float64 { return math.Trunc(x) })},
		{"libdevice.copysign(t_fp32, 0.0)", dtype.Float32, f32(func(_ int, x float64) float64 { return math.Abs(x) })},
		{"libdevice.mul_rn(t_fp32, t_fp32)", dtype.Float32, f32(func(_ int, x float64) float64 { return x * x })},
		{"libdevice.isnan(t_fp32)", dtype.Int1, func(int) uint64 { return 0 }},
		{"libdevice.isnan(t_fp32 * float('nan'))", dtype.Int1, func(int) uint64 { return 1 }},
		{"libdevice.isinf(t_fp32 / 0)", dtype.Int1, func(i int) uint64 { k, _ := at(i); return boolBits(k != 50) }},
		{"libdevice.finitef(t_fp32)", dtype.Int1, func(int) uint64 { return 1 }},
		{"libdevice.signbit(t_fp32) != 0", dtype.Int1, func(i int) uint64 { _, x := at(i); return boolBits(x < 0) }},
		{"libdevice.popc(t_i32)", dtype.Int32, func(i int) uint64 { k, _ := at(i); return uint64(bits.OnesCount32(uint32(k - 50))) }},
		{"libdevice.clz(t_i64)", dtype.Int32, func(i int) uint64 { k, _ := at(i); return uint64(bits.LeadingZeros64(uint64(k - 50))) }},
		{"libdevice.float2int_rn(t_fp32)", dtype.Int32, func(i int) uint64 { _, x := at(i); return uint64(uint32(int32(math.RoundToEven(x)))) }},
		{"libdevice.mulhi(t_i32, t_i32)", dtype.Int32, func(i int) uint64 { k, _ := at(i); n := int64(k - 50); return uint64(uint32(n * n >> 32)) }},
		{"libdevice.mulhi(t_u32 - 1, t_u32 - 1)", dtype.Uint32, func(i int) uint64 {
			k, _ := at(i)
			n := uint64(uint32(k - 1))
			return n * n >> 32
		}},
		{"tl.math.pow(t_fp32, 2)", dtype.Float32, f32(func(_ int, x float64) float64 { return x * x })},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			got := expressionValue(t, tt.expr, tt.d, "8", 8*tt.d.Bytes())
			for i := range 8 {
				var b [8]byte
				copy(b[:], got[i*tt.d.Bytes():][:tt.d.Bytes()])
				if g, w := binary.LittleEndian.Uint64(b[:]), tt.want(i); g != w {
					t.Errorf("element %d is %#x, want %#x", i, g, w)
				}
			}
		})
	}
}
