package syntax

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkParse reads the library of the CPython that is found, finding the
// lines of each file included.
func BenchmarkParse(b *testing.B) {
	py := findPython(b)
	var sources [][]byte
	total := 0
	for _, path := range sourceFiles(b, py.stdlib, "most") {
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

// BenchmarkParseKernel reads a small file, as most kernels are.
func BenchmarkParseKernel(b *testing.B) {
	src, err := os.ReadFile(filepath.Join("testdata", "kernel.py"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(NewFile("", src))
	}
}
