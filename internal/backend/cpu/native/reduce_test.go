package native

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// reductions are regions that combine, of f32.
var reductions = []struct{ name, op string }{
	{"sum", "%c = fadd %a, %b : f32\n    yield %c"},
	{"max", "%c = fmax %a, %b : f32\n    yield %c"},
}

// reduceKernel combines n elements, times times over.
func reduceKernel(op string, n int) string {
	return strings.NewReplacer("N", fmt.Sprint(n), "REGION", op).Replace(`
func @k(%x: ptr<f32>, %y: ptr<f32>, %times: i32) -> () {
  %i = range {start = 0, end = N} : Nxi32
  %p = splat %x : Nxptr<f32>
  %at = addptr %p, %i : Nxptr<f32>
  %zero = const 0 : i32
  %one = const 1 : i32
  for %zero, %times, %one (%t: i32) {
    %v = load %at : Nxf32
    %r = reduce %v {axis = 0} : f32 (%a: f32, %b: f32) {
    REGION
    }
    store %y, %r
    yield
  }
  return
}
`)
}

// What combining elements costs that are in the first cache.
func BenchmarkReduce(b *testing.B) {
	needNative(b)
	const n = 4096
	for _, r := range reductions {
		b.Run(r.name, func(b *testing.B) {
			p, err := Compile(parse(b, reduceKernel(r.op, n)), options())
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(4 * n)
			runNative(b, p, [3]int32{1, 1, 1}, []input{floats(n, 1), {data: make([]byte, 4)}, {bits: uint64(b.N)}})
		})
	}
}

// Reductions of all shapes, along both axes, keep the order of the elements where that counts: of functions i·x + j that are put into one
// another, and of the first and the last element.
func TestReductionsKeepTheOrder(t *testing.T) {
	needOwnCode(t)
	for rows := range 8 {
		for cols := range 10 {
			for axis := range 2 {
				equal(t, parse(t, composition(1<<rows, 1<<cols, axis)), [3]int32{1, 1, 1},
					ints(1<<(rows+cols), 1), ints(1<<(rows+cols), 2), input{data: make([]byte, 4<<(rows+cols))}, input{data: make([]byte, 4<<(rows+cols))},
					input{data: make([]byte, 4<<(rows+cols))})
			}
		}
	}
}

func ints(n int, seed uint64) input {
	return input{data: fillFor(tile.I32, n, seed)}
}

func composition(rows, cols, axis int) string {
	left := cols
	if axis == 1 {
		left = rows
	}
	return strings.NewReplacer("ALL", fmt.Sprint(rows*cols), "SHAPE", fmt.Sprintf("%dx%d", rows, cols), "LEFT", fmt.Sprint(left), "AXIS", fmt.Sprint(axis)).Replace(`
func @k(%x: ptr<i32>, %y: ptr<i32>, %u: ptr<i32>, %v: ptr<i32>, %w: ptr<i32>) -> () {
  %n = range {start = 0, end = ALL} : ALLxi32
  %i = reshape %n : SHAPExi32
  %xs = splat %x : SHAPExptr<i32>
  %xp = addptr %xs, %i : SHAPExptr<i32>
  %a = load %xp : SHAPExi32
  %ys = splat %y : SHAPExptr<i32>
  %yp = addptr %ys, %i : SHAPExptr<i32>
  %b = load %yp : SHAPExi32
  %p, %q = reduce %a, %b {axis = AXIS} : LEFTxi32, LEFTxi32 (%a1: i32, %b1: i32, %a2: i32, %b2: i32) {
    %s = mul %a1, %a2 : i32
    %t = mul %b1, %a2 : i32
    %r = add %t, %b2 : i32
    yield %s, %r
  }
  %z = reduce %a {axis = AXIS} : LEFTxi32 (%c1: i32, %c2: i32) {
    yield %c2
  }
  %l = range {start = 0, end = LEFT} : LEFTxi32
  %us = splat %u : LEFTxptr<i32>
  %up = addptr %us, %l : LEFTxptr<i32>
  store %up, %p
  %vs = splat %v : LEFTxptr<i32>
  %vp = addptr %vs, %l : LEFTxptr<i32>
  store %vp, %q
  %ws = splat %w : LEFTxptr<i32>
  %wp = addptr %ws, %l : LEFTxptr<i32>
  store %wp, %z
  return
}
`)
}
