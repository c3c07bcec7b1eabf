package syntax

import (
	"os"
	"testing"
)

// BenchmarkParse reads the library of the CPython that is found, finding the
// lines of each file included.
func BenchmarkParse(b *testing.B) {
	py := findPython(b)
	var sources [][]byte
	total := 0
	for _, path := range sourceFiles(b, py.stdlib, false) {
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		sources = append(sources, src)
		total += len(src)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range sources {
			Parse(NewFile("", src))
		}
	}
}
