package pass_test

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// BenchmarkDefault runs the default passes over the attention example.
func BenchmarkDefault(b *testing.B) { benchmarkPasses(b, pass.Default()) }

// BenchmarkPass runs each pass alone over what the front end gives.
func BenchmarkPass(b *testing.B) {
	for _, p := range []pass.Pass{pass.Canonicalize, pass.CSE, pass.LICM, pass.DCE, pass.Renumber} {
		b.Run(p.Name, func(b *testing.B) { benchmarkPasses(b, []pass.Pass{p}) })
	}
}

func benchmarkPasses(b *testing.B, passes []pass.Pass) {
	m := parseFile(b, "testdata/default/attention.tile")
	ops := 0
	m.Funcs[0].Body.Walk(func(*tile.Op) { ops++ })
	b.ReportAllocs()
	for range b.N {
		b.StopTimer()
		c := tile.Clone(m)
		b.StartTimer()
		pass.Run(c, pass.Options{Passes: passes})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(ops), "ns/operation")
}

// BenchmarkAnalyzeAxes analyses the attention example after the default passes.
func BenchmarkAnalyzeAxes(b *testing.B) {
	m := parseFile(b, "testdata/default/attention.tile")
	pass.Run(m, pass.Options{})
	b.ReportAllocs()
	for b.Loop() {
		pass.AnalyzeAxes(m.Funcs[0])
	}
}
