package cpu

import (
	"context"
	"fmt"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// benchKernel builds a kernel that applies body to tiles of the given types, which it loads
// from one array each, and stores the result.
func benchKernel(tb testing.TB, types []tile.Type, body func(b *tile.Builder, in []*tile.Value) *tile.Value) *tile.Module {
	tb.Helper()
	m := &tile.Module{}
	f := &tile.Func{Name: "kernel"}
	m.Funcs = []*tile.Func{f}
	b := tile.NewBuilder(m, f)
	f.Body = b.NewBlock()
	b.SetBlock(f.Body)
	b.Loc = m.Locs.Add(tile.Location{File: "k.py", Line: 1, Col: 1})
	in := make([]*tile.Value, len(types))
	for i, t := range types {
		f.Params = append(f.Params, tile.Param{Name: fmt.Sprint("x", i)})
		p := f.Body.AddArg(f, tile.PtrTo(t.Scalar()), fmt.Sprint("x", i))
		in[i] = b.Load(pointers(b, p, t), nil, nil, tile.LoadAttr{})
	}
	out := f.Body.AddArg(f, tile.Scalar(tile.F32), "z")
	f.Params = append(f.Params, tile.Param{Name: "z"})
	z := body(b, in)
	out.Type = tile.PtrTo(z.Type.Scalar())
	b.Store(pointers(b, out, z.Type), z, nil, tile.StoreAttr{})
	b.Op(tile.OpReturn, nil, nil)
	return m
}

// pointers gives the addresses of a tile that lies in row-major order.
func pointers(b *tile.Builder, base *tile.Value, t tile.Type) *tile.Value {
	if t.IsScalar() {
		return base
	}
	n := t.NumElems()
	offs := b.Reshape(b.Range(0, int64(n)), t, false)
	return b.AddPtr(b.Splat(base, t), offs)
}

func tileOf(e tile.Elem, shape ...int) tile.Type {
	t, ok := tile.Scalar(e).WithShape(shape...)
	if !ok {
		panic("no such shape")
	}
	return t
}

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

func BenchmarkDot(b *testing.B) {
	const n = 128
	for _, e := range []tile.Elem{tile.F32, tile.F16, tile.I8} {
		b.Run(e.String(), func(b *testing.B) {
			acc := tile.F32
			if e.IsInt() {
				acc = tile.I32
			}
			m := benchKernel(b, []tile.Type{tileOf(e, n, n), tileOf(e, n, n), tileOf(acc, n, n)}, func(b *tile.Builder, in []*tile.Value) *tile.Value {
				return b.Dot(in[0], in[1], in[2], tile.DotAttr{})
			})
			x := make([]float32, n*n)
			benchRun(b, m, 16, arrayOf("x", x), arrayOf("y", x), arrayOf("c", x), arrayOf("z", make([]float32, n*n)))
			b.ReportMetric(float64(b.N)*16*2*n*n*n/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// combine makes the region of a reduction by one operation.
func combine(b *tile.Builder, e tile.Elem, code tile.Code) *tile.Block {
	blk := b.NewBlock(tile.Scalar(e), tile.Scalar(e))
	outer := b.SetBlock(blk)
	b.Yield(b.Binary(code, blk.Args[0], blk.Args[1]))
	b.SetBlock(outer)
	return blk
}

func BenchmarkReduce(b *testing.B) {
	for _, axis := range []int{0, 1} {
		for _, e := range []tile.Elem{tile.F32, tile.F16} {
			b.Run(fmt.Sprintf("%s/axis%d", e, axis), func(b *testing.B) {
				t := tileOf(e, 64, 1024)
				m := benchKernel(b, []tile.Type{t}, func(b *tile.Builder, in []*tile.Value) *tile.Value {
					return b.OpWithRegions(tile.OpReduce, tile.AxisAttr{Axis: axis}, in, []*tile.Block{combine(b, e, tile.OpFAdd)}, t.DropDim(axis)).Result()
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
