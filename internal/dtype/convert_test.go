package dtype

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"testing"

	"pgregory.net/rapid"
)

var narrowFormats = []DType{Float16, BFloat16, Float8E4M3, Float8E5M2, Float8E4B15, Float8E4M3FZ, Float8E5M2FZ}

// finite gives the non-negative finite numbers of a format in ascending order; a number's index is its encoding.
func finite(d DType) []float64 {
	var out []float64
	for b := range uint64(1) << (d.Bits() - 1) {
		f := d.Decode(b)
		if f-f != 0 {
			break
		}
		out = append(out, f)
	}
	return out
}

// largest is the largest number that a conversion to a format gives.
func largest(d DType) uint64 { return formats[d].max }

func TestEncodingsAreOrdered(t *testing.T) {
	limits := map[DType]struct{ smallest, largest float64 }{
		Float16: {0x1p-24, 65504}, BFloat16: {0x1p-133, 0x1.fep127}, Float8E4M3: {0x1p-9, 448}, Float8E5M2: {0x1p-16, 57344},
		Float8E4B15: {0x1p-17, 1.875}, Float8E4M3FZ: {0x1p-10, 240}, Float8E5M2FZ: {0x1p-17, 57344},
	}
	for d, want := range limits {
		f := finite(d)
		if f[0] != 0 || f[1] != want.smallest || f[len(f)-1] != want.largest {
			t.Errorf("%s goes from %g by %g to %g, want from 0 by %g to %g", d, f[0], f[1], f[len(f)-1], want.smallest, want.largest)
		}
		for i := 1; i < len(f); i++ {
			if f[i] <= f[i-1] {
				t.Errorf("%s: %#x is %g, the encoding before it %g", d, i, f[i], f[i-1])
			}
		}
	}
}

// Each number encodes to itself, what lies between two to the nearer, the middle to the even
// one; truncation gives the smaller. This covers every boundary that rounding has.
func TestEncodeEveryBoundary(t *testing.T) {
	for _, d := range narrowFormats {
		f := finite(d)
		sign := uint64(1) << (d.Bits() - 1)
		check := func(x float64, nearest, truncated uint64) {
			t.Helper()
			for range 2 {
				if got := d.Encode(x); got != nearest {
					t.Fatalf("%s: %g encodes to %#x, want %#x", d, x, got, nearest)
				}
				if got := d.EncodeRTZ(x); got != truncated {
					t.Fatalf("%s: %g truncates to %#x, want %#x", d, x, got, truncated)
				}
				x = -x
				nearest, truncated = negative(d, nearest, sign), negative(d, truncated, sign)
			}
		}
		for i := range largest(d) {
			lo, hi := f[i], f[i+1]
			mid := lo + (hi-lo)/2
			check(lo, i, i)
			check(mid, i+i&1, i)
			check(math.Nextafter(mid, 0), i, i)
			check(math.Nextafter(mid, hi), i+1, i)
			check(math.Nextafter(hi, 0), i+1, i)
		}
	}
}

func negative(d DType, b, sign uint64) uint64 {
	if b == 0 && formats[d].fnuz {
		return 0
	}
	return b | sign
}

func TestBeyondTheRange(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		d                DType
		last             float64 // the last that rounds to the largest number
		over, inf, trunc uint64  // what is larger, infinity, infinity truncated
	}{
		{Float16, math.Nextafter(65520, 0), 0x7c00, 0x7c00, 0x7c00},
		{BFloat16, math.Nextafter(0x1.ffp127, 0), 0x7f80, 0x7f80, 0x7f80},
		{Float8E4M3, 464, 0x7e, 0x7e, 0x7e},
		{Float8E5M2, 61440, 0x7b, 0x7b, 0x7c},
		{Float8E4B15, 1.8125, 0x7e, 0x7e, 0x7e},
		{Float8E4M3FZ, 248, 0x7f, 0x7f, 0x7f},
		{Float8E5M2FZ, 61440, 0x7f, 0x7f, 0x7f},
	}
	for _, tt := range tests {
		max := largest(tt.d)
		for _, c := range []struct {
			x    float64
			want uint64
		}{{tt.last, max}, {math.Nextafter(tt.last, inf), tt.over}, {1e300, tt.over}, {inf, tt.inf}} {
			if got := tt.d.Encode(c.x); got != c.want {
				t.Errorf("%s: %g encodes to %#x, want %#x", tt.d, c.x, got, c.want)
			}
		}
		if got := tt.d.EncodeRTZ(1e300); got != max {
			t.Errorf("%s: 1e300 truncates to %#x, want %#x", tt.d, got, max)
		}
		if got := tt.d.EncodeRTZ(inf); got != tt.trunc {
			t.Errorf("%s: infinity truncates to %#x, want %#x", tt.d, got, tt.trunc)
		}
	}
}

func TestNaN(t *testing.T) {
	for _, d := range narrowFormats {
		for _, b := range []uint64{d.Encode(math.NaN()), d.EncodeRTZ(math.NaN())} {
			if f := d.Decode(b); d != Float8E4B15 && f == f || d == Float8E4B15 && f != 1.75 {
				t.Errorf("%s: NaN encodes to %#x, which is %g", d, b, f)
			}
		}
	}
	for d, n := range map[DType]int{Float16: 2046, BFloat16: 254, Float8E4M3: 2, Float8E5M2: 6, Float8E4B15: 0, Float8E4M3FZ: 1, Float8E5M2FZ: 1} {
		got := 0
		for b := range uint64(1) << d.Bits() {
			if f := d.Decode(b); f != f {
				got++
			}
		}
		if got != n {
			t.Errorf("%s has %d NaNs, want %d", d, got, n)
		}
	}
}

// Numbers of float64 that lie between a float32 and a boundary must not be rounded twice.
func TestOneRounding(t *testing.T) {
	x := 1 + 0x1p-11 + 0x1p-40 // float32 drops the last bit, which leaves a tie of float16
	if got := Float16.Encode(x); got != 0x3c01 {
		t.Errorf("%v encodes to %#x, want 0x3c01", x, got)
	}
	if got := F32ToF16(float32(x)); got != 0x3c00 {
		t.Errorf("a tie encodes to %#x, want the even 0x3c00", got)
	}
}

// The fast conversions of float32 agree with the general ones.
func TestF32Conversions(t *testing.T) {
	for b := range 1 << 16 {
		h := uint16(b)
		if f, g := float64(F16ToF32(h)), Float16.Decode(uint64(h)); f != g && (f == f || g == g) {
			t.Fatalf("float16 %#x is %g, want %g", h, f, g)
		}
		if f, g := float64(BF16ToF32(h)), BFloat16.Decode(uint64(h)); f != g && (f == f || g == g) {
			t.Fatalf("bfloat16 %#x is %g, want %g", h, f, g)
		}
	}
	check := func(f float32) {
		t.Helper()
		if got, want := uint64(F32ToF16(f)), Float16.Encode(float64(f)); got != want {
			t.Fatalf("%g as float16 is %#x, want %#x", f, got, want)
		}
		if got, want := uint64(F32ToBF16(f)), BFloat16.Encode(float64(f)); got != want {
			t.Fatalf("%g as bfloat16 is %#x, want %#x", f, got, want)
		}
	}
	for b := uint64(0); b < 1<<32; b += 16381 {
		check(math.Float32frombits(uint32(b)))
	}
	for _, b := range sampledPatterns() {
		check(math.Float32frombits(b))
	}
	rapid.Check(t, func(t *rapid.T) { check(rapid.Float32().Draw(t, "f")) })
}

func TestFloat32AndFloat64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		if Float64.Encode(f) != math.Float64bits(f) || Float64.EncodeRTZ(f) != math.Float64bits(f) || Float64.Decode(math.Float64bits(f)) != f {
			t.Fatalf("%g changes as float64", f)
		}
		near, cut := Float32.Decode(Float32.Encode(f)), Float32.Decode(Float32.EncodeRTZ(f))
		if near != float64(float32(f)) {
			t.Fatalf("%g as float32 is %g", f, near)
		}
		want, _ := new(big.Float).SetMode(big.ToZero).SetPrec(24).SetFloat64(f).Float64()
		if math.Abs(f) >= 0x1p-126 && math.Abs(f) <= math.MaxFloat32 && cut != want {
			t.Fatalf("%g truncated is %g, want %g", f, cut, want)
		}
		if math.Abs(cut) > math.Abs(f) || math.Abs(cut) > math.MaxFloat32 {
			t.Fatalf("%g truncated is %g", f, cut)
		}
	})
}

func TestOtherTypesHaveNoFormat(t *testing.T) {
	for _, d := range []DType{Invalid, Void, Int1, Int32, Uint64} {
		if d.Encode(1) != 0 || d.EncodeRTZ(1) != 0 || d.Decode(1) != 0 || d.FP8ToF32() != nil {
			t.Errorf("%s is taken for a floating-point type", d)
		}
	}
}

// sampledPatterns is samples() of testdata/formats.py.
func sampledPatterns() []uint32 {
	var out []uint32
	for _, c := range []struct {
		widen func(uint16) float32
		half  uint32
	}{{F16ToF32, 1 << 12}, {BF16ToF32, 1 << 15}} {
		for _, d := range []uint32{0, 1, c.half - 1, c.half, c.half + 1} {
			for b := range 1 << 16 {
				out = append(out, math.Float32bits(c.widen(uint16(b)))+d)
			}
		}
	}
	x := uint32(12345)
	for range 100000 {
		x = x*1664525 + 1013904223
		out = append(out, x)
	}
	return out
}

// What PyTorch gives, made by testdata/formats.py.
func TestAgainstPyTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/formats.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Widen, Narrow map[string]string }
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for name, digest := range want.Widen {
		d := Lookup(name)
		var buf []byte
		for b := range uint64(1) << d.Bits() {
			buf = binary.LittleEndian.AppendUint32(buf, oneNaN(float32(d.Decode(b))))
		}
		compareDigest(t, "from "+name, buf, digest)
	}
	for name, digest := range want.Narrow {
		compareDigest(t, "to "+name, narrowed(Lookup(name)), digest)
	}
}

func oneNaN(f float32) uint32 {
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(f)
}

func narrowed(d DType) []byte {
	var buf []byte
	if d.IsFP8() {
		limit := d.Decode(largest(d))
		for b := range uint64(1) << 16 {
			if f := Float16.Decode(b); math.Abs(f) <= limit {
				buf = append(buf, byte(d.Encode(f)))
			}
		}
		return buf
	}
	for _, b := range sampledPatterns() {
		f := math.Float32frombits(b)
		bits := uint16(d.Encode(float64(f)))
		if f != f {
			bits &= 0x7fff
		}
		buf = binary.LittleEndian.AppendUint16(buf, bits)
	}
	return buf
}

func compareDigest(t *testing.T, what string, data []byte, want string) {
	t.Helper()
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("conversions %s differ from PyTorch's: digest %s of %d bytes, want %s", what, got, len(data), want)
	}
}

func TestFP8ToF32(t *testing.T) {
	for _, d := range []DType{Float8E4M3, Float8E5M2, Float8E4B15, Float8E4M3FZ, Float8E5M2FZ} {
		for b, f := range d.FP8ToF32() {
			if g := d.Decode(uint64(b)); float64(f) != g && (f == f || g == g) {
				t.Errorf("%s: %#x is %g, want %g", d, b, f, g)
			}
		}
	}
}

func BenchmarkF32ToF16(b *testing.B) {
	x := uint32(0)
	for b.Loop() {
		x += 1234567
		F32ToF16(math.Float32frombits(x))
	}
}

// TestClips encodes every number of a format again.
func TestClips(t *testing.T) {
	for _, d := range narrowFormats {
		clips := false
		for bits := range uint64(1) << d.Bits() {
			if x := d.Decode(bits); x == x && d.Encode(x) != bits {
				clips = true
			}
		}
		if clips != d.Clips() {
			t.Errorf("%v: Clips is %v", d, d.Clips())
		}
	}
}
