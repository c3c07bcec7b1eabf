package native

import (
	"context"
	"strings"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/tile"
)

// What is stored past the caches is there: wherever an array begins and ends, and where it is one that is read.
func TestStreams(t *testing.T) {
	needNative(t)
	opts := options()
	opts.streams, opts.Listing = 1, true
	p, err := Compile(parse(t, vectorAdd), opts)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Listing(), "vmovntps") || !strings.Contains(p.Listing(), "sfence") {
		t.Error("nothing is written past the caches")
	}
	const n = 5000
	for _, off := range []int{0, 4, 32, 64} {
		for _, inPlace := range []bool{false, true} {
			x, y, out := floats(n, 1).data, floats(n, 2).data, make([]byte, 4*n+256)
			start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(out)))&127) + off
			to := out[start : start+4*n]
			if inPlace {
				copy(to, x)
			}
			args := []Arg{{Base: pointerTo(x), Bytes: 4 * n}, {Base: pointerTo(y), Bytes: 4 * n}, {Base: pointerTo(to), Bytes: 4 * n}, {Bits: n}}
			if inPlace {
				args[0].Base = args[2].Base
			}
			if err := p.Run(context.Background(), Launch{Grid: [3]int32{5, 1, 1}, Args: args, Threads: 2}); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if got, want := f32At(to, 4*i), f32At(x, 4*i)+f32At(y, 4*i); got != want {
					t.Fatalf("%d bytes from a line, in place %v: element %d is %v, want %v", off, inPlace, i, got, want)
				}
			}
			for i := range out {
				if (i < start || i >= start+4*n) && out[i] != 0 {
					t.Fatalf("byte %d outside of the array is written", i-start)
				}
			}
		}
	}
}

// blockCopy copies n elements in blocks of 256, step elements apart.
const blockCopy = `
func @k(%x: ptr<f32>, %y: ptr<f32>, %n: i32, %step: i32) -> () {
  %pid = program_id {axis = 0} : i32
  %each = const 4096 : i32
  %first = mul %pid, %each : i32
  %end = add %first, %n : i32
  %i = range {start = 0, end = 256} : 256xi32
  %xs = splat %x : 256xptr<f32>
  %ys = splat %y : 256xptr<f32>
  %ends = splat %end : 256xi32
  for %first, %end, STEP (%at: i32) {
    %ats = splat %at : 256xi32
    %c = add %ats, %i : 256xi32
    %mask = cmpi %c, %ends {lts} : 256xi1
    %xp = addptr %xs, %c : 256xptr<f32>
    %v = load %xp, %mask : 256xf32
    %yp = addptr %ys, %c : 256xptr<f32>
    store %yp, %v, %mask
    yield
  }
  return
}
`

// Stores in loops count for as often as they are done, in a loop that has no iteration, one, or several, whatever the step; where they are done past the caches they are there.
func TestStreamsInLoops(t *testing.T) {
	needNative(t)
	for _, c := range []struct {
		elem tile.Elem
		step string
	}{{tile.F32, "%step"}, {tile.F32, "%size"}, {tile.F64, "%size"}, {tile.BF16, "%size"}, {tile.F16, "%step"}, {tile.I16, "%size"}, {tile.I8, "%size"}} {
		elem, step, size := c.elem, c.step, tile.Scalar(c.elem).ElemBytes()
		text := strings.ReplaceAll(strings.Replace(blockCopy, "STEP", step, 1), "f32", elem.String())
		if step == "%size" {
			text = strings.Replace(text, "  %each", "  %size = const 256 : i32\n  %each", 1)
		}
		m := parse(t, text)
		for _, bytes := range []int{1, 8 << 10, 1 << 30} {
			opts := options()
			opts.streams = bytes
			p, err := Compile(m, opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 1, 255, 256, 257, 1000, 4096} {
				for _, by := range []int{256, 300} {
					x, y := fillFor(elem, 3*4096, 1), fillFor(elem, 3*4096+128, 2)
					start := int(-uintptr(pointerTo(y))&63) + size*(n&1)
					got := []input{{data: x}, {data: y[start : start+size*3*4096]}, {bits: uint64(n)}, {bits: uint64(by)}}
					want := clone(got)
					runNative(t, p, [3]int32{3, 1, 1}, got)
					runChecked(t, m, [3]int32{3, 1, 1}, want)
					if string(got[1].data) != string(want[1].data) {
						t.Errorf("%s, step %s = %d, from %d bytes on: %d elements are not copied as they should be", elem, step, by, bytes, n)
					}
				}
			}
		}
	}
}
