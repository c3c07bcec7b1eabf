package native

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// scaledKernel adds products to an accumulator that is multiplied by SCALED before each.
const scaledKernel = `
func @k(%x: ptr<f32>, %y: ptr<f32>, %s: ptr<f32>, %z: ptr<f32>) -> () {
  %n = range {start = 0, end = 1024} : 1024xi32
  %i = reshape %n : 32x32xi32
  %xs = splat %x : 32x32xptr<f32>
  %xp = addptr %xs, %i : 32x32xptr<f32>
  %a = load %xp : 32x32xf32
  %ys = splat %y : 32x32xptr<f32>
  %yp = addptr %ys, %i : 32x32xptr<f32>
  %b = load %yp : 32x32xf32
  %l = range {start = 0, end = 32} : 32xi32
  %ss = splat %s : 32xptr<f32>
  %sp = addptr %ss, %l : 32xptr<f32>
  %one = const 1.0 : 32x32xf32
  %c0 = const 0 : i32
  %c1 = const 1 : i32
  %c3 = const 3 : i32
  %sum = for %c0, %c3, %c1, %one : 32x32xf32 (%j: i32, %acc: 32x32xf32) {
    %f = load %sp : 32xf32
    %row = expand_dims %f {axis = 1} : 32x1xf32
    %col = expand_dims %f {axis = 0} : 1x32xf32
    %rows = broadcast %row : 32x32xf32
    %cols = broadcast %col : 32x32xf32
    SCALED
    %next = dot %a, %b, %m {ieee} : 32x32xf32
    yield %next
  }
  %zs = splat %z : 32x32xptr<f32>
  %zp = addptr %zs, %i : 32x32xptr<f32>
  store %zp, %sum
  return
}
`

// Numbers of rows are multiplied where the accumulator is loaded, those of columns are not; whichever operand they are, the sums are the same.
func TestScaledAccumulators(t *testing.T) {
	needNative(t)
	small := func(n int, seed uint64) input {
		r := rand.New(rand.NewPCG(seed, 9))
		b := make([]byte, 4*n)
		for i := range n {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(r.IntN(5)-2)))
		}
		return input{data: b}
	}
	jumps := map[string]int{}
	for name, scaled := range map[string]string{
		"rows":       "%m = fmul %acc, %rows : 32x32xf32",
		"rows first": "%m = fmul %rows, %acc : 32x32xf32",
		"columns":    "%m = fmul %acc, %cols : 32x32xf32",
		"both":       "%h = fmul %acc, %cols : 32x32xf32\n    %m = fmul %h, %rows : 32x32xf32",
		"sum":        "%m = fadd %acc, %rows : 32x32xf32",
	} {
		text := strings.Replace(scaledKernel, "SCALED", scaled, 1)
		equal(t, parse(t, text), [3]int32{1, 1, 1}, small(1024, 1), small(1024, 2), small(32, 3), input{data: make([]byte, 4*1024)})
		p, err := Compile(parse(t, text), Options{Features: Features(*features), Listing: true})
		if err != nil {
			t.Fatal(err)
		}
		jumps[name] = strings.Count(p.Listing(), "\tj")
	}
	if jumps["rows"] >= jumps["columns"] || jumps["rows first"] != jumps["rows"] {
		t.Errorf("loops and branches: %v; those of columns have a nest more", jumps)
	}
}
