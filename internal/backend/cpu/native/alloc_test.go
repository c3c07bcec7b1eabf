package native

import (
	"fmt"
	"strings"
	"testing"
)

// pressure is a kernel whose values all live at once: v0 op (v1 op (v2 op …)), each from an array of its
// own, with a mask of its own.
func pressure(n int) string {
	var b strings.Builder
	b.WriteString("func @k(%out: ptr<f32>")
	for i := range n {
		fmt.Fprintf(&b, ", %%p%d: ptr<f32>, %%n%d: i32", i, i)
	}
	b.WriteString(") -> () {\n  %i = range {start = 0, end = 64} : 64xi32\n  %zero = const 0 : 64xf32\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%q%d = splat %%p%d : 64xptr<f32>\n  %%a%d = addptr %%q%d, %%i : 64xptr<f32>\n", i, i, i, i)
		fmt.Fprintf(&b, "  %%v%d = load %%a%d : 64xf32\n", i, i)
		fmt.Fprintf(&b, "  %%l%d = splat %%n%d : 64xi32\n  %%m%d = cmpi %%i, %%l%d {lts} : 64xi1\n", i, i, i, i)
	}
	fmt.Fprintf(&b, "  %%s%d = fadd %%zero, %%zero : 64xf32\n", n)
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "  %%t%d = fsub %%v%d, %%s%d : 64xf32\n", i, i, i+1)
		fmt.Fprintf(&b, "  %%s%d = select %%m%d, %%t%d, %%v%d : 64xf32\n", i, i, i, i)
	}
	b.WriteString("  %o = splat %out : 64xptr<f32>\n  %oo = addptr %o, %i : 64xptr<f32>\n  store %oo, %s0\n  return\n}\n")
	return b.String()
}

func TestMoreValuesThanRegisters(t *testing.T) {
	for _, n := range []int{3, 12, 40} {
		in := []input{floats(64, 99)}
		for i := range n {
			in = append(in, floats(64, uint64(i)), input{bits: uint64(i * 5 % 64)})
		}
		equal(t, parse(t, pressure(n)), [3]int32{1, 1, 1}, in...)
	}
}
