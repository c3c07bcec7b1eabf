package native

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// chosenKernel computes from those elements of x whose columns are below n, and MORE, what is their largest one in each row, and how many steps from there they are.
const chosenKernel = `
func @k(%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %n: i32) -> () {
  %i = range {start = 0, end = 2048} : 2048xi32
  %e = reshape %i : 32x64xi32
  %xs = splat %x : 32x64xptr<f32>
  %xp = addptr %xs, %e : 32x64xptr<f32>
  %a = load %xp : 32x64xf32
  %c = range {start = 0, end = 64} : 64xi32
  %ns = splat %n : 64xi32
  %in = cmpi %c, %ns {lts} : 64xi1
  %row = expand_dims %in {axis = 0} : 1x64xi1
  %rows = broadcast %row : 32x64xi1
  %r = range {start = 0, end = 32} : 32xi32
  %r1 = expand_dims %r {axis = 1} : 32x1xi32
  %c1 = expand_dims %c {axis = 0} : 1x64xi32
  %rb = broadcast %r1 : 32x64xi32
  %cb = broadcast %c1 : 32x64xi32
  %least = const -8.0 : 32x64xf32
  %zero = const 0.0 : 32x64xf32
  MORE
  %b = select %m, %a, %least : 32x64xf32
  %d = dot %b, %sq, %zero {ieee} : 32x64xf32
  %s = select %m, %d, %least : 32x64xf32
  %top = reduce %s {axis = 1} : 32xf32 (%p: f32, %q: f32) {
    %l = fmax %p, %q : f32
    yield %l
  }
  %t1 = expand_dims %top {axis = 1} : 32x1xf32
  %tb = broadcast %t1 : 32x64xf32
  %o = fsub %s, %tb : 32x64xf32
  %zs = splat %z : 32xptr<f32>
  %zp = addptr %zs, %r : 32xptr<f32>
  store %zp, %top
  %ys = splat %y : 32x64xptr<f32>
  %yp = addptr %ys, %e : 32x64xptr<f32>
  store %yp, %o
  return
}
`

// A nest whose elements are chosen by masks of columns is there once more for masks that hold everywhere, and gives the same.
func TestNestsWithoutMasks(t *testing.T) {
	needNative(t)
	r := rand.New(rand.NewPCG(4, 4))
	x := make([]byte, 4*2048)
	for i := range 2048 {
		binary.LittleEndian.PutUint32(x[4*i:], math.Float32bits(float32(r.IntN(5)-2)))
	}
	out := func(n int) input { return input{data: make([]byte, 4*n)} }
	jumps := map[string]int{}
	for name, more := range map[string]string{
		"columns":  "%m = and %rows, %rows : 32x64xi1",
		"triangle": "%below = cmpi %rb, %cb {ges} : 32x64xi1\n  %m = and %rows, %below : 32x64xi1",
	} {
		square := `
  %f = range {start = 0, end = 4096} : 4096xi32
  %g = reshape %f : 64x64xi32
  %h = const 65 : 64x64xi32
  %u = rems %g, %h : 64x64xi32
  %v = const 0 : 64x64xi32
  %w = cmpi %u, %v {eq} : 64x64xi1
  %one = const 1.0 : 64x64xf32
  %none = const 0.0 : 64x64xf32
  %sq = select %w, %one, %none : 64x64xf32`
		text := strings.Replace(chosenKernel, "MORE", more+square, 1)
		for _, n := range []int32{64, 63, 17, 0, 100, -1} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				equal(t, parse(t, text), [3]int32{1, 1, 1}, input{data: x}, out(2048), out(32), input{bits: uint64(uint32(n))})
			})
		}
		p, err := Compile(parse(t, text), Options{Features: Features(*features), Listing: true})
		if err != nil {
			t.Fatal(err)
		}
		jumps[name] = strings.Count(p.Listing(), "vrange") + strings.Count(p.Listing(), "vmaxps")
	}
	if jumps["columns"] <= jumps["triangle"] {
		t.Errorf("so many maxima are in the code: %v; those of columns are there twice", jumps)
	}
}
