package native_test

import (
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
)

// blockKernels are kernels that go over rows or columns in blocks, with their arguments: x and o are matrices, w a row, r a column, s the stride, c and n how many
// columns and rows, e what keeps a root from being 0.
var blockKernels = []struct{ file, name, sig, args string }{
	{"../../../../examples/layer_norm.py", "layer_norm", "*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, fp32, BLOCK=1024", "xwworrsce"},
	{"testdata/blocks.py", "rms_norm", "*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, fp32, BLOCK=1024", "xwosce"},
	{"testdata/blocks.py", "softmax", "*fp32:16, *fp32:16, i32:16, i32:16, BLOCK=1024", "xosc"},
	{"testdata/blocks.py", "cross_entropy", "*fp32:16, *i32:16, *fp32:16, i32:16, i32:16, BLOCK=1024", "xrrsc"},
	{"testdata/blocks.py", "column_sums", "*fp32:16, *fp32:16, i32:16, i32:16, i32:16, BLOCK=1024", "xwsnc"},
}

// What kernels cost that go over rows in blocks, 16 of them, which stay in the second cache: a row of 4096 elements on one thread.
func BenchmarkBlocks(b *testing.B) {
	if why := native.Supported(); why != "" {
		b.Skip(why)
	}
	const rows, cols = 16, 4096
	for _, k := range blockKernels {
		b.Run(k.name, func(b *testing.B) {
			p, err := native.Compile(tileOf(b, k.file, k.name, k.sig), native.Options{Features: native.Features(flag.Lookup("features").Value.String())})
			if err != nil {
				b.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			array := func(n int) native.Arg {
				data := make([]byte, 4*n+64)
				data = data[-uintptr(unsafe.Pointer(unsafe.SliceData(data)))&63:]
				for i := range n {
					binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(r.Float32()))
				}
				return native.Arg{Base: unsafe.Pointer(unsafe.SliceData(data)), Bytes: int64(4 * n)}
			}
			var args []native.Arg
			for _, c := range k.args {
				switch c {
				case 'x', 'o':
					args = append(args, array(rows*cols))
				case 'w':
					args = append(args, array(cols))
				case 'r':
					args = append(args, native.Arg{Base: unsafe.Pointer(new([rows]int32)), Bytes: 4 * rows})
				case 's', 'c':
					args = append(args, native.Arg{Bits: cols})
				case 'n':
					args = append(args, native.Arg{Bits: rows})
				case 'e':
					args = append(args, native.Arg{Bits: uint64(math.Float32bits(1e-5))})
				}
			}
			grid := int32(rows)
			if k.name == "column_sums" {
				grid = cols / 1024
			}
			for b.Loop() {
				if err := p.Run(b.Context(), native.Launch{Grid: [3]int32{grid, 1, 1}, Args: args, Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
