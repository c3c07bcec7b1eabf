package native

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// quotients divides 4096 numbers by each of n others.
const quotients = `
func @k(%x: ptr<f32>, %y: ptr<f32>, %d: ptr<f32>, %n: i32) -> () {
  %zero = const 0 : i32
  %one = const 1 : i32
  %size = const 4096 : i32
  %i = range {start = 0, end = 4096} : 4096xi32
  %xs = splat %x : 4096xptr<f32>
  %xp = addptr %xs, %i : 4096xptr<f32>
  for %zero, %n, %one (%k: i32) {
    %v = load %xp : 4096xf32
    %dp = addptr %d, %k : ptr<f32>
    %b = load %dp : f32
    %bs = splat %b : 4096xf32
    %q = fdiv %v, %bs : 4096xf32
    %off = mul %k, %size : i32
    %out = addptr %y, %off : ptr<f32>
    %ys = splat %out : 4096xptr<f32>
    %yp = addptr %ys, %i : 4096xptr<f32>
    store %yp, %q
    yield
  }
  return
}
`

// hard gives numbers whose quotients are near the middle between two numbers, at the bounds of what is divided by way of a reciprocal, and others of all kinds.
func hard(r *rand.Rand) float32 {
	ends := []float32{0, 1, 2, 3, 0x1p-60, 0x1p60, 0x1p-126, 0x1p-149, math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN()), 0x1.fffffep0, 0x1.000002p0}
	switch r.IntN(6) {
	case 0:
		return math.Float32frombits(r.Uint32())
	case 1:
		v := math.Float32bits(ends[r.IntN(len(ends))]) + uint32(r.IntN(5)) - 2
		return math.Float32frombits(v ^ uint32(r.IntN(2))<<31)
	case 2: // few bits
		return float32(math.Ldexp(float64(r.IntN(1<<12)-1<<11), r.IntN(120)-60))
	}
	return float32(math.Ldexp(1+float64(r.IntN(1<<23))/(1<<23), r.IntN(124)-62)) * float32(1-2*r.IntN(2))
}

// Quotients are those that the processor gives, in every bit.
func TestQuotients(t *testing.T) {
	needNative(t)
	const elems, divisors = 4096, 256
	p, err := Compile(parse(t, quotients), options())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	x, y, d := make([]byte, 4*elems), make([]byte, 4*elems*divisors), make([]byte, 4*divisors)
	for i := range elems {
		binary.LittleEndian.PutUint32(x[4*i:], math.Float32bits(hard(r)))
	}
	for round := range 4 {
		for i := range divisors {
			binary.LittleEndian.PutUint32(d[4*i:], math.Float32bits(hard(r)))
		}
		if round > 0 { // strips in which nothing has to be divided otherwise
			for i := range elems {
				v := float32(math.Ldexp(1+float64(r.IntN(1<<23))/(1<<23), r.IntN(120)-60)) * float32(1-2*r.IntN(2))
				if r.IntN(50) == 0 {
					v = float32(math.Copysign(0, float64(v)))
				}
				binary.LittleEndian.PutUint32(x[4*i:], math.Float32bits(v))
			}
		}
		runNative(t, p, [3]int32{1, 1, 1}, []input{{data: x}, {data: y}, {data: d}, {bits: divisors}})
		for k := range divisors {
			b := f32At(d, 4*k)
			for i := range elems {
				a := f32At(x, 4*i)
				got, want := f32At(y, 4*(k*elems+i)), a/b
				if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
					t.Fatalf("%x / %x is %x, want %x", a, b, got, want)
				}
			}
		}
	}
}

// What dividing 4096 numbers in the first cache by one number costs.
func BenchmarkQuotients(b *testing.B) {
	needNative(b)
	p, err := Compile(parse(b, quotients), options())
	if err != nil {
		b.Fatal(err)
	}
	const divisors = 64
	d := make([]byte, 4*divisors)
	for i := range divisors {
		binary.LittleEndian.PutUint32(d[4*i:], math.Float32bits(float32(i+1)))
	}
	in := []input{floats(4096, 1), {data: make([]byte, 4*4096*divisors)}, {data: d}, {bits: divisors}}
	for b.Loop() {
		runNative(b, p, [3]int32{1, 1, 1}, in)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/divisors, "ns/4096")
}
