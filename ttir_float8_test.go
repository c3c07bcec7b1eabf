package tegula_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/tegula-lang/tegula"
)

// TestTTIRFloat8 runs conversions of 8-bit floats as they are, and as what their text in Triton's dialects says: bit by bit the same, at every
// boundary between two numbers of the narrow format.
func TestTTIRFloat8(t *testing.T) {
	formats := []tegula.DType{tegula.FP8E4NV, tegula.FP8E5, tegula.FP8E4B8, tegula.FP8E5B16}
	wide := []tegula.DType{tegula.FP16, tegula.BF16, tegula.FP32, tegula.FP64}
	for _, narrow := range formats {
		for _, other := range append(wide, formats...) {
			if narrow == other {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", narrow, other), func(t *testing.T) {
				sameAsText(t, "x", other, around(t, other, narrow), narrow)
				sameAsText(t, "x", narrow, everyByte(t, narrow), other)
				if other == tegula.FP16 || other == tegula.FP32 {
					sameAsText(t, "rtz", other, around(t, other, narrow), narrow)
				}
			})
		}
		t.Run(narrow.String()+"/negated", func(t *testing.T) { sameAsText(t, "minus", narrow, everyByte(t, narrow), narrow) })
	}
}

// sameAsText converts in both ways.
func sameAsText(t *testing.T, how string, from tegula.DType, x *tegula.Array, to tegula.DType) {
	t.Helper()
	value := map[string]string{"x": "x.to(Y.dtype.element_ty)", "rtz": `x.to(Y.dtype.element_ty, fp_downcast_rounding="rtz")`, "minus": "-x"}[how]
	mod, err := tegula.Load("convert.py", "import triton\nimport triton.language as tl\n\n@triton.jit\ndef convert(X, Y, N: tl.constexpr):\n"+
		"    i = tl.program_id(0) * N + tl.arange(0, N)\n    x = tl.load(X + i)\n    tl.store(Y + i, "+value+")\n")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	const block = 256
	kernel := mod.Kernel("convert")
	k, err := kernel.Compile(tegula.CompileOptions{Signature: fmt.Sprintf("*%s, *%s, N=%d", from, to, block)})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	text, err := k.Emit("ttir")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	read, err := tegula.Load("convert.ttir", text)
	if err != nil {
		t.Fatalf("%s\n%s", tegula.Detail(err), text)
	}
	run := func(k *tegula.Kernel, options ...any) []byte {
		y, err := tegula.NewArray(to, x.Len())
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Launch(t.Context(), tegula.CPU(), tegula.Grid{x.Len() / block}, append([]any{x, y}, options...)...); err != nil {
			t.Fatal(tegula.Detail(err))
		}
		return y.Data
	}
	want, got := run(kernel, tegula.Const("N", block)), run(read.Kernel("convert"))
	if bytes.Equal(want, got) {
		return
	}
	size := len(want) / x.Len()
	for i := range x.Len() {
		if w, g := want[i*size:(i+1)*size], got[i*size:(i+1)*size]; !bytes.Equal(w, g) {
			t.Fatalf("%s: %v of %s becomes %x as %s, and as text %x\n%s", how, x.Float64s()[i], from, w, to, g, text)
		}
	}
}

// everyByte has all numbers of a format.
func everyByte(t *testing.T, d tegula.DType) *tegula.Array {
	t.Helper()
	a, err := tegula.NewArray(d, 256)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Data {
		a.Data[i] = byte(i)
	}
	return a
}

// around has numbers of type d: all of a narrow format, the middles between them, what is next to these, and what is far off.
func around(t *testing.T, d, narrow tegula.DType) *tegula.Array {
	t.Helper()
	if d.Bytes() == 1 {
		return everyByte(t, d)
	}
	var list []float64
	numbers := everyByte(t, narrow).Float64s()
	for i, x := range numbers {
		middle := (x + numbers[(i+1)%len(numbers)]) / 2
		for _, y := range []float64{x, middle} {
			list = append(list, y, math.Nextafter(y, 0), math.Nextafter(y, 2*y), float64(math.Nextafter32(float32(y), 0)), float64(math.Nextafter32(float32(y), float32(2*y))), y*(1+1.0/1024))
		}
	}
	for _, x := range []float64{0, 1e-320, 1e-46, 1e-40, 3e-8, 1e5, 3.4e38, 1e39, 1e300, math.Inf(1), math.NaN()} {
		list = append(list, x, -x)
	}
	for len(list)%256 != 0 {
		list = append(list, 0)
	}
	a, err := tegula.NewArray(d, len(list))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range list {
		bits := d.Encode(x)
		for j := range d.Bytes() {
			a.Data[i*d.Bytes()+j] = byte(bits >> (8 * j))
		}
	}
	return a
}
