package cache

import (
	"fmt"
	"strconv"
	"testing"
)

// BenchmarkGet finds values of the sizes that kernels compile to.
func BenchmarkGet(b *testing.B) {
	for _, size := range []int{1 << 10, 16 << 10, 128 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			c, k := Open(Options{Dir: b.TempDir()}), keyOf("k")
			if err := c.Put(k, make([]byte, size)); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := c.Get(k); !ok {
					b.Fatal("a miss")
				}
			}
		})
	}
}

func BenchmarkMiss(b *testing.B) {
	c, k := Open(Options{Dir: b.TempDir()}), keyOf("k")
	for b.Loop() {
		if _, ok := c.Get(k); ok {
			b.Fatal("a hit")
		}
	}
}

func BenchmarkPut(b *testing.B) {
	c, value := Open(Options{Dir: b.TempDir(), MaxBytes: 64 << 20}), make([]byte, 16<<10)
	b.SetBytes(int64(len(value)))
	i := 0
	for b.Loop() {
		i++
		if err := c.Put(keyOf(strconv.Itoa(i%1000)), value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		Open(Options{Dir: dir})
	}
}

func BenchmarkKey(b *testing.B) {
	source := make([]byte, 4<<10)
	b.ReportAllocs()
	for b.Loop() {
		NewKey().Str("target", "cuda:90a").Int("num_warps", 4).Int("num_stages", 3).
			Bool("debug", false).Bytes("source", source).Sum()
	}
}
