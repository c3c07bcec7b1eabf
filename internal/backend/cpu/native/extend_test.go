package native

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
)

// Scalars that are cut, extended and extended again, with and without their signs: what is above a number's width does not come back.
func TestExtendedScalars(t *testing.T) {
	widths := []int{8, 16, 32, 64}
	cut := func(x int64, bits int, signed bool) int64 {
		x <<= 64 - bits
		if signed {
			return x >> (64 - bits)
		}
		return int64(uint64(x) >> (64 - bits))
	}
	extend := map[bool]string{true: "exts", false: "extu"}
	for i, narrow := range widths[:3] {
		for _, middle := range widths[i+1 : 3] {
			for _, first := range []bool{true, false} {
				for _, second := range []bool{true, false} {
					p := compileText(t, fmt.Sprintf("func @k(%%out: ptr<i64>, %%x: i64) -> () {\n  %%a = trunc %%x : i%d\n  %%b = %s %%a : i%d\n  %%c = %s %%b : i64\n  store %%out, %%c\n  return\n}\n",
						narrow, extend[first], middle, extend[second]))
					for _, x := range []int64{-1, 5, 0x7fff_8080_8080_8080, 0x7f7f_7f7f} {
						out := make([]byte, 8)
						if err := p.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{{Base: pointerTo(out), Bytes: 8}, {Bits: uint64(x)}}}); err != nil {
							t.Fatal(err)
						}
						want := cut(cut(cut(x, narrow, first), middle, second), 64, true)
						if got := int64(binary.LittleEndian.Uint64(out)); got != want {
							t.Errorf("%#x to i%d, %s to i%d, %s to i64 is %#x, want %#x", x, narrow, extend[first], middle, extend[second], got, want)
						}
					}
				}
			}
		}
	}
}
