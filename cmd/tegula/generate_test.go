package main

import (
	"testing"

	"github.com/tegula-lang/tegula"
)

func BenchmarkGenerate(b *testing.B) {
	for _, name := range []string{"zeros", "arange", "rand", "randn"} {
		b.Run(name, func(b *testing.B) {
			const n = 1 << 20
			b.SetBytes(4 * n)
			for b.Loop() {
				if _, err := generators[name](new(tegula.Arena))([]any{tegula.FP32, int64(n)}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
