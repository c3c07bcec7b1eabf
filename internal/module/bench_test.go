package module

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLoad loads a file of some 1,200 lines and asks for one of its kernels and a name that
// it uses.
func BenchmarkLoad(b *testing.B) {
	var src strings.Builder
	src.WriteString(header)
	for i := range 60 {
		fmt.Fprintf(&src, "BLOCK%d = tl.constexpr(%d)\n@triton.autotune([triton.Config({'B': b}, num_warps=w) for b in (1, 2, 4) for w in (4, 8)], ['n'])\n@triton.jit\ndef k%d(x, n, B: tl.constexpr):\n", i, i, i)
		for j := range 16 {
			fmt.Fprintf(&src, "    y%d = tl.load(x + %d + tl.arange(0, B), mask=tl.arange(0, B) < n)\n", j, j)
		}
	}
	text := []byte(src.String())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m, err := Load("bench.py", text)
		if err != nil {
			b.Fatal(err)
		}
		if k := m.Kernel("k30"); len(k.Configs) != 6 {
			b.Fatal(k)
		}
		if _, ok, err := m.Env().Lookup("BLOCK30"); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
