package native_test

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/tile"
)

// examples are the examples with what they are compiled for here.
var examples = []struct{ name, sig string }{
	{"vector_add", "*fp32, *fp32, *fp32, i32, BLOCK=4096"},
	{"softmax", "*fp32, *fp32, i32, i32, i32, BLOCK=4096"},
	{"layer_norm", "*fp32, *fp32, *fp32, *fp32, *fp32, *fp32, i32, i32, fp32, BLOCK=1024"},
	{"dropout", "*fp32, *fp32, i32, fp32, i32, BLOCK=1024"},
	{"matmul", "a_ptr=*fp32, b_ptr=*fp32, c_ptr=*fp32, M=i32, N=i32, K=i32, stride_am=i32, stride_ak=i32:1, stride_bk=i32, stride_bn=i32:1, " +
		"stride_cm=i32, stride_cn=i32:1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, GROUP_M=4, ACTIVATION=''"},
	{"attention", "*fp32, *fp32, *fp32, *fp32, *fp32, fp32, i32, HEAD_DIM=64, BLOCK_M=128, BLOCK_N=64, CAUSAL=True"},
}

// exampleOf gives an example's tile IR after the passes.
func exampleOf(tb testing.TB, name, sig string) *tile.Module {
	tb.Helper()
	return tileOf(tb, "../../../../examples/"+name+".py", name, sig)
}

// tileOf gives the tile IR of a file's kernel after the passes.
func tileOf(tb testing.TB, path, name, sig string) *tile.Module {
	tb.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	mod, err := tegula.Load(path, src)
	if err != nil {
		tb.Fatal(tegula.Detail(err))
	}
	c, err := mod.Kernel(name).Compile(tegula.CompileOptions{Signature: sig})
	if err != nil {
		tb.Fatal(tegula.Detail(err))
	}
	text, err := c.Emit("tile")
	if err != nil {
		tb.Fatal(err)
	}
	m, err := tile.Parse(name, text)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// BenchmarkCompile goes from tile IR to machine code.
func BenchmarkCompile(b *testing.B) {
	for _, e := range examples {
		m := exampleOf(b, e.name, e.sig)
		for _, f := range native.Available() {
			b.Run(e.name+"/"+string(f), func(b *testing.B) {
				for b.Loop() {
					if _, err := native.Compile(m, native.Options{Features: f}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Every example becomes machine code that leaves nothing to the checked executor, in a few milliseconds: 5 where nothing
// else runs, and here thirty times as many.
func TestExamplesCompile(t *testing.T) {
	const limit = 150 * time.Millisecond
	runs := 30
	if testing.Short() || native.RaceDetector {
		runs = 1
	}
	for _, e := range examples {
		m := exampleOf(t, e.name, e.sig)
		for _, f := range native.Available() {
			best := time.Hour
			for run := 0; run < runs && best > limit/4; run++ { // the least of many, as others use the machine
				start := time.Now()
				p, err := native.Compile(m, native.Options{Features: f})
				if err != nil {
					t.Fatal(err)
				}
				best = min(best, time.Since(start))
				if p.ABI().NeedsGo {
					t.Fatalf("%s needs the checked executor", e.name)
				}
			}
			t.Logf("%s, %s: %v", e.name, f, best)
			if best > limit && runs > 1 {
				t.Errorf("%s takes %v to compile for %s", e.name, best, f)
			}
		}
	}
}

// Whole strips are loaded without masks in the loops of an example, and with them in what is left; products keep micro-panels from program to program.
func TestExamplesTakeTheFastWays(t *testing.T) {
	whole, masked := regexp.MustCompile(`zmm\d+,ZMMWORD PTR \[r([^d]|d[^i])`), regexp.MustCompile(`zmm\d+\{k\d\}\{z\},ZMMWORD PTR \[r`)
	for _, e := range examples {
		for _, f := range native.Available() {
			if f == native.AVX2 {
				continue
			}
			p, err := native.Compile(exampleOf(t, e.name, e.sig), native.Options{Features: f, Listing: true})
			if err != nil {
				t.Fatal(err)
			}
			switch e.name {
			case "matmul":
				if p.ABI().FrameBytes < 2<<20 {
					t.Errorf("%s for %s: a frame of %d bytes has no shelf", e.name, f, p.ABI().FrameBytes)
				}
			case "vector_add":
				if text := p.Listing(); !whole.MatchString(text) || !masked.MatchString(text) {
					t.Errorf("%s for %s loads %d strips whole, %d with masks", e.name, f, len(whole.FindAllString(text, -1)), len(masked.FindAllString(text, -1)))
				}
			}
		}
	}
}
