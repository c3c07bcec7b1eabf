package cpu

import (
	"context"
	"fmt"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

func benchRun(b *testing.B, m *tile.Module, programs int32, args ...Arg) {
	b.Helper()
	p, err := Compile(m, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := p.Run(context.Background(), Launch{Grid: [3]int32{programs, 1, 1}, Args: args}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVectorAdd(b *testing.B) {
	const n = 1 << 24
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	p, err := Compile(vectorAdd(1024), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(12 * n)
	for b.Loop() {
		err := p.Run(context.Background(), Launch{Grid: [3]int32{n / 1024, 1, 1}, Args: []Arg{
			arrayOf("x", x), arrayOf("y", y), arrayOf("z", z), {Bits: n}}})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDot(b *testing.B) {
	const n = 128
	for _, e := range []tile.Elem{tile.F32, tile.F16, tile.I8} {
		b.Run(e.String(), func(b *testing.B) {
			acc := tile.F32
			if e.IsInt() {
				acc = tile.I32
			}
			m := kernelOf(b, []tile.Type{tileOf(e, n, n), tileOf(e, n, n), tileOf(acc, n, n)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
				return []*tile.Value{b.Dot(in[0], in[1], in[2], tile.DotAttr{})}
			})
			x := make([]float32, n*n)
			benchRun(b, m, 16, arrayOf("x", x), arrayOf("y", x), arrayOf("c", x), arrayOf("z", make([]float32, n*n)))
			b.ReportMetric(float64(b.N)*16*2*n*n*n/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkReduce(b *testing.B) {
	for _, axis := range []int{0, 1} {
		for _, e := range []tile.Elem{tile.F32, tile.F16} {
			b.Run(fmt.Sprintf("%s/axis%d", e, axis), func(b *testing.B) {
				t := tileOf(e, 64, 1024)
				m := kernelOf(b, []tile.Type{t}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
					return b.OpWithRegions(tile.OpReduce, tile.AxisAttr{Axis: axis}, in, []*tile.Block{combine(b, e, tile.OpFAdd)}, t.DropDim(axis)).Results
				})
				benchRun(b, m, 16, arrayOf("x", make([]float32, 64*1024)), arrayOf("z", make([]float32, 1024)))
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/16/64/1024, "ns/elem")
			})
		}
	}
}

func BenchmarkLaunch(b *testing.B) {
	x := make([]float32, 1024)
	p, err := Compile(vectorAdd(1024), Options{})
	if err != nil {
		b.Fatal(err)
	}
	l := Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{arrayOf("x", x), arrayOf("y", x), arrayOf("z", x), {Bits: 1024}}}
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Run(context.Background(), l); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkElementwise(b *testing.B) {
	const n = 1 << 16
	ops := []struct {
		name string
		e    tile.Elem
		code tile.Code
	}{
		{"add", tile.I32, tile.OpAdd}, {"divs", tile.I32, tile.OpDivS}, {"shl", tile.I32, tile.OpShl},
		{"fadd", tile.F32, tile.OpFAdd}, {"fadd", tile.F16, tile.OpFAdd}, {"fadd", tile.BF16, tile.OpFAdd}, {"fadd", tile.F8E4M3, tile.OpFAdd},
		{"exp", tile.F32, tile.OpExp}, {"exp", tile.F16, tile.OpExp}, {"sqrt", tile.F32, tile.OpSqrt},
	}
	for _, op := range ops {
		b.Run(op.name+"/"+op.e.String(), func(b *testing.B) {
			const times = 16
			t := tileOf(op.e, n)
			m := kernelOf(b, []tile.Type{t}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
				v := in[0]
				for range times {
					if op.code >= tile.OpExp {
						v = b.Unary(op.code, v)
					} else {
						v = b.Binary(op.code, v, in[0])
					}
				}
				return []*tile.Value{v}
			})
			x := make([]float64, n)
			benchRun(b, m, 1, arrayOf("x", x), arrayOf("z", make([]float64, n)))
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/times/n, "ns/elem")
		})
	}
}
