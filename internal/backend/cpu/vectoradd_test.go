package cpu

import (
	"context"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/tile"
)

// arrayOf gives a slice as an argument.
func arrayOf[T any](name string, s []T) Arg {
	size := int(unsafe.Sizeof(*new(T)))
	return Arg{Array: &Array{Name: name, Base: unsafe.Pointer(unsafe.SliceData(s)), Bytes: int64(len(s) * size), ElemBytes: size, Keep: s}}
}

// vectorAdd builds z[i] = x[i] + y[i] for i < n.
func vectorAdd(block int) *tile.Module {
	m := &tile.Module{}
	f := &tile.Func{Name: "vector_add"}
	m.Funcs = []*tile.Func{f}
	b := tile.NewBuilder(m, f)
	ptr := tile.PtrTo(tile.Scalar(tile.F32))
	f.Body = b.NewBlock(ptr, ptr, ptr, tile.Scalar(tile.I32))
	b.SetBlock(f.Body)
	for i, name := range []string{"x", "y", "z", "n"} {
		f.Params = append(f.Params, tile.Param{Name: name})
		f.Body.Args[i].Name = name
	}
	b.Loc = m.Locs.Add(tile.Location{File: "add.py", Line: 3, Col: 5, EndCol: 9})
	shape, _ := tile.Scalar(tile.I32).WithShape(block)
	args := f.Body.Args
	base := b.Binary(tile.OpMul, b.ProgramID(0), b.Const(tile.Scalar(tile.I32), uint64(block)))
	offs := b.Binary(tile.OpAdd, b.Splat(base, shape), b.Range(0, int64(block)))
	mask := b.CmpI(tile.LTS, offs, b.Splat(args[3], shape))
	at := func(i int) *tile.Value { return b.AddPtr(b.Splat(args[i], shape), offs) }
	x := b.Load(at(0), mask, nil, tile.LoadAttr{})
	y := b.Load(at(1), mask, nil, tile.LoadAttr{})
	b.Store(at(2), b.Binary(tile.OpFAdd, x, y), mask, tile.StoreAttr{})
	b.Op(tile.OpReturn, nil, nil)
	return m
}

func TestVectorAdd(t *testing.T) {
	const n = 5000
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n+8)
	for i := range x {
		x[i], y[i] = float32(i), float32(i)*0.5
	}
	p, err := Compile(vectorAdd(1024), Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = p.Run(context.Background(), Launch{Grid: [3]int32{5, 1, 1}, Args: []Arg{
		arrayOf("x", x), arrayOf("y", y), arrayOf("z", z), {Bits: n}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range z {
		want := float32(0)
		if i < n {
			want = x[i] + y[i]
		}
		if v != want {
			t.Fatalf("z[%d] = %v, want %v", i, v, want)
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
