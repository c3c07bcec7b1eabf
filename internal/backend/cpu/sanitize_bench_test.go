package cpu

import (
	"context"
	"testing"
)

// BenchmarkSanitizer compares a vector addition with and without the sanitizer.
func BenchmarkSanitizer(b *testing.B) {
	const n = 1<<22 - 100
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	for _, sanitize := range []bool{false, true} {
		b.Run(map[bool]string{false: "off", true: "on"}[sanitize], func(b *testing.B) {
			p, err := Compile(vectorAdd(1024), Options{Sanitize: sanitize})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				err := p.Run(context.Background(), Launch{Grid: [3]int32{n/1024 + 1, 1, 1}, Args: []Arg{
					arrayOf("x", x), arrayOf("y", y), arrayOf("z", z), {Bits: n}}})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/elem")
		})
	}
}
