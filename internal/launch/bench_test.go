package launch

import (
	"testing"

	"github.com/tegula-lang/tegula/driver/cpu"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// BenchmarkPrepare is a launch of a known variant but its submission.
func BenchmarkPrepare(b *testing.B) {
	k := mustLoad(b, "store")
	r := request(Array(dtype.Int32, make([]byte, 64), 16), Int(2), Int(5))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Prepare(r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLaunch is a launch of a kernel of one program that does next to nothing.
func BenchmarkLaunch(b *testing.B) {
	k := mustLoad(b, "store")
	r := request(Array(dtype.Int32, make([]byte, 64), 16), Int(2), Int(5))
	r.Stream = cpu.Stream()
	b.ReportAllocs()
	for b.Loop() {
		if err := k.Launch(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func mustLoad(tb testing.TB, name string) *Kernel {
	tb.Helper()
	k, err := load(tb, name)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}
