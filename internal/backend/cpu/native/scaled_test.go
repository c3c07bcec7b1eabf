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
func @k(%x: ptr<TYPE>, %y: ptr<TYPE>, %s: ptr<f32>, %z: ptr<f32>) -> () {
  %n = range {start = 0, end = 1024} : 1024xi32
  %i = reshape %n : 32x32xi32
  %xs = splat %x : 32x32xptr<TYPE>
  %xp = addptr %xs, %i : 32x32xptr<TYPE>
  %a = load %xp : 32x32xTYPE
  %ys = splat %y : 32x32xptr<TYPE>
  %yp = addptr %ys, %i : 32x32xptr<TYPE>
  %b = load %yp : 32x32xTYPE
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
	small := func(n, size int, seed uint64) input {
		r := rand.New(rand.NewPCG(seed, 9))
		var b []byte
		for range n {
			f := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(r.IntN(5)-2)))
			b = append(b, f[4-size:]...)
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
		for elem, size := range map[string]int{"bf16": 2, "f32": 4} {
			m := parse(t, strings.ReplaceAll(text, "TYPE", elem))
			equal(t, m, [3]int32{1, 1, 1}, small(1024, size, 1), small(1024, size, 2), small(32, 4, 3), input{data: make([]byte, 4*1024)})
		}
		text = strings.ReplaceAll(text, "TYPE", "f32")
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
