package tile

import (
	"io"
	"testing"
)

func BenchmarkVerify(b *testing.B) {
	m := everyOp(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := Verify(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClone(b *testing.B) {
	m := everyOp(b)
	b.ReportAllocs()
	for b.Loop() {
		Clone(m)
	}
}

func BenchmarkPrint(b *testing.B) {
	m := everyOp(b)
	b.SetBytes(int64(len(m.String())))
	b.ReportAllocs()
	for b.Loop() {
		if err := Print(io.Discard, m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte(everyOp(b).String())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("every.tile", text); err != nil {
			b.Fatal(err)
		}
	}
}
