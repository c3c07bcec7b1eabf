package native

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

const vectorAdd = `
func @vector_add(%x_ptr: ptr<f32>, %y_ptr: ptr<f32>, %out_ptr: ptr<f32>, %n: i32) -> () {
  %0 = program_id {axis = 0} : i32
  %1 = const 1024 : i32
  %2 = mul %0, %1 : i32
  %3 = range {start = 0, end = 1024} : 1024xi32
  %4 = splat %2 : 1024xi32
  %offsets = add %4, %3 : 1024xi32
  %5 = splat %n : 1024xi32
  %mask = cmpi %offsets, %5 {lts} : 1024xi1
  %6 = splat %x_ptr : 1024xptr<f32>
  %7 = addptr %6, %offsets : 1024xptr<f32>
  %x = load %7, %mask : 1024xf32
  %8 = splat %y_ptr : 1024xptr<f32>
  %9 = addptr %8, %offsets : 1024xptr<f32>
  %y = load %9, %mask : 1024xf32
  %10 = splat %out_ptr : 1024xptr<f32>
  %11 = addptr %10, %offsets : 1024xptr<f32>
  %12 = fadd %x, %y : 1024xf32
  store %11, %12, %mask
  return
}
`

func floats(n int, seed uint64) input {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(r.Float32()*4-2))
	}
	return input{data: b}
}

func TestVectorAdd(t *testing.T) {
	const n = 5000
	equal(t, parse(t, vectorAdd), [3]int32{5, 1, 1}, floats(n, 1), floats(n, 2), floats(n, 3), input{bits: n})
}

func BenchmarkVectorAdd(b *testing.B) {
	needNative(b)
	const n = 1 << 24
	p, err := Compile(parse(b, vectorAdd), options())
	if err != nil {
		b.Fatal(err)
	}
	in := []input{floats(n, 1), floats(n, 2), floats(n, 3), {bits: n}}
	args := make([]Arg, len(in))
	for i, a := range in {
		args[i] = Arg{Bits: a.bits}
		if a.data != nil {
			args[i].Base, args[i].Bytes = pointerTo(a.data), int64(len(a.data))
		}
	}
	b.SetBytes(3 * 4 * n)
	for b.Loop() {
		if err := p.Run(b.Context(), Launch{Grid: [3]int32{n / 1024, 1, 1}, Args: args}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileAttention(b *testing.B) {
	needNative(b)
	text, err := os.ReadFile("testdata/attention.tile")
	if err != nil {
		b.Fatal(err)
	}
	m := parse(b, string(text))
	for b.Loop() {
		if _, err := Compile(m, options()); err != nil {
			b.Fatal(err)
		}
	}
}
