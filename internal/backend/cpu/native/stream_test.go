package native

import (
	"context"
	"strings"
	"testing"
	"unsafe"
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
