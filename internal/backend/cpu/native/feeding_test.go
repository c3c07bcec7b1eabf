package native

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// feedingKernel multiplies 2·x, rounded, with y, and reduces it along both axes.
const feedingKernel = `
func @k(%x: ptr<f32>, %y: ptr<bf16>, %z: ptr<f32>, %r: ptr<f32>) -> () {
  %n = range {start = 0, end = ALL} : ALLxi32
  %i = reshape %n : AxKxi32
  %xs = splat %x : AxKxptr<f32>
  %xp = addptr %xs, %i : AxKxptr<f32>
  %xl = load %xp : AxKxf32
  %two = const 2.0 : AxKxf32
  %w = fmul %xl, %two : AxKxf32
  %m = range {start = 0, end = SQUARE} : SQUARExi32
  %j = reshape %m : KxKxi32
  %ys = splat %y : KxKxptr<bf16>
  %yp = addptr %ys, %j : KxKxptr<bf16>
  %b = load %yp : KxKxbf16
  %t = ftrunc %w {MODE} : AxKxbf16
  %zero = const 0.0 : AxKxf32
  %d = dot %t, %b, %zero {ieee} : AxKxf32
  %zs = splat %z : AxKxptr<f32>
  %zp = addptr %zs, %i : AxKxptr<f32>
  store %zp, %d
  %s = reduce %w {axis = AXIS} : LEFTxf32 (%c: f32, %e: f32) {
    %o = fmax %c, %e : f32
    yield %o
  }
  %l = range {start = 0, end = LEFT} : LEFTxi32
  %rs = splat %r : LEFTxptr<f32>
  %rp = addptr %rs, %l : LEFTxptr<f32>
  store %rp, %s
  return
}
`

// A product's operand that is computed in the nest of a reduction is the same as elsewhere: times the unit matrix it is itself, rounded.
func TestReductionsFeedProducts(t *testing.T) {
	needNative(t)
	for _, shape := range [][2]int{{16, 32}, {32, 64}, {64, 32}, {128, 128}} {
		for axis := range 2 {
			rows, cols := shape[0], shape[1]
			x, y := input{data: make([]byte, 4*rows*cols)}, input{data: make([]byte, 2*cols*cols)}
			r := rand.New(rand.NewPCG(3, 4))
			for i := range rows * cols {
				bits := r.Uint32()&0x807fffff | uint32(100+r.IntN(60))<<23
				if i%5 == 0 {
					bits = bits&^0xffff | 0x8000 // half way
				}
				binary.LittleEndian.PutUint32(x.data[4*i:], bits)
			}
			for i := range cols {
				binary.LittleEndian.PutUint16(y.data[2*(i*cols+i):], 0x3f80)
			}
			text := strings.NewReplacer("ALL", fmt.Sprint(rows*cols), "AxK", fmt.Sprintf("%dx%d", rows, cols), "SQUARE", fmt.Sprint(cols*cols), "KxK", fmt.Sprintf("%dx%d", cols, cols),
				"AXIS", fmt.Sprint(axis), "LEFT", fmt.Sprint(shape[1-axis]), " {MODE}", "").Replace(feedingKernel)
			equal(t, parse(t, text), [3]int32{1, 1, 1}, x, y, input{data: make([]byte, 4*rows*cols)}, input{data: make([]byte, 4*max(rows, cols))})
		}
	}
}

// … and where there are instructions for it, one of them rounds.
func TestFedPanelsAreRoundedAtOnce(t *testing.T) {
	needNative(t)
	f := options().Features
	if f != AMX && f != Pairs {
		t.Skip("bf16 is multiplied as f32")
	}
	text := strings.NewReplacer("ALL", "1024", "AxK", "32x32", "SQUARE", "1024", "KxK", "32x32", "AXIS", "1", "LEFT", "32", " {MODE}", "").Replace(feedingKernel)
	opts, n := options(), 0
	opts.see = func(i *amd64.Inst) {
		if i.Op == amd64.VCVTNEPS2BF16 {
			n++
		}
	}
	if _, err := Compile(parse(t, text), opts); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Error("no vcvtneps2bf16")
	}
}
