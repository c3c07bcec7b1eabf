package native

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// replacedKernel computes 2^(a·b), whose rows' largest elements and whose product with b it stores; LATER is what else the first product is needed for.
const replacedKernel = `
func @k(%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %r: ptr<f32>, %w: ptr<f32>) -> () {
  %n = range {start = 0, end = 1024} : 1024xi32
  %i = reshape %n : 32x32xi32
  %xs = splat %x : 32x32xptr<f32>
  %xp = addptr %xs, %i : 32x32xptr<f32>
  %a = load %xp : 32x32xf32
  %ys = splat %y : 32x32xptr<f32>
  %yp = addptr %ys, %i : 32x32xptr<f32>
  %b = load %yp : 32x32xf32
  %zero = const 0.0 : 32x32xf32
  %d = dot %a, %b, %zero {ieee} : 32x32xf32
  %two = const 2.0 : 32x32xf32
  %e = fmin %d, %two : 32x32xf32
  %p = exp2 %e : 32x32xf32
  %s = reduce %p {axis = 1} : 32xf32 (%c1: f32, %c2: f32) {
    %m = fmax %c1, %c2 : f32
    yield %m
  }
  %q = dot %p, %b, %zero {ieee} : 32x32xf32
  LATER
  %zs = splat %z : 32x32xptr<f32>
  %zp = addptr %zs, %i : 32x32xptr<f32>
  store %zp, %q
  %l = range {start = 0, end = 32} : 32xi32
  %rs = splat %r : 32xptr<f32>
  %rp = addptr %rs, %l : 32xptr<f32>
  store %rp, %s
  %ws = splat %w : 32x32xptr<f32>
  %wp = addptr %ws, %i : 32x32xptr<f32>
  store %wp, %f
  return
}
`

// A value takes the place of the product that it is computed from only if nothing else needs that: neither as it is, nor another element of it.
func TestProductsAreReplacedWhenDone(t *testing.T) {
	needNative(t)
	small := func(seed uint64) input {
		r := rand.New(rand.NewPCG(seed, 5))
		b := make([]byte, 4*1024)
		for i := range 1024 {
			v := float32(0)
			if r.IntN(4) == 0 {
				v = float32(r.IntN(3) - 1)
			}
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
		}
		return input{data: b}
	}
	frames := map[string]int{}
	for name, later := range map[string]string{
		"done":   "%f = fadd %q, %q : 32x32xf32",
		"stored": "%f = fadd %d, %q : 32x32xf32",
		"turned": "%g = trans %d {order = [1, 0]} : 32x32xf32\n  %f = fadd %g, %q : 32x32xf32",
	} {
		text := strings.Replace(replacedKernel, "LATER", later, 1)
		out := func(n int) input { return input{data: make([]byte, 4*n)} }
		equal(t, parse(t, text), [3]int32{1, 1, 1}, small(1), small(2), out(1024), out(32), out(1024))
		p, err := Compile(parse(t, text), options())
		if err != nil {
			t.Fatal(err)
		}
		frames[name] = p.FrameBytes()
	}
	if frames["done"] >= frames["stored"] {
		t.Errorf("%d bytes of memory where nothing else needs the product, %d where something does", frames["done"], frames["stored"])
	}
}
