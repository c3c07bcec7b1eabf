package cpu

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"

	"github.com/tegula-lang/tegula/internal/tile"
)

// arrayOf gives a slice, whatever its elements, as an argument.
func arrayOf(name string, s any) Arg {
	v := reflect.ValueOf(s)
	size := int(v.Type().Elem().Size())
	return Arg{Array: &Array{Name: name, Base: v.UnsafePointer(), Bytes: int64(v.Len() * size), ElemBytes: size, Keep: s}}
}

// arrays gives slices as arguments named a0, a1, ….
func arrays(slices ...any) []Arg {
	args := make([]Arg, len(slices))
	for i, s := range slices {
		args[i] = arrayOf(fmt.Sprint("a", i), s)
	}
	return args
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

// kernelOf builds a kernel that applies body to tiles of the given types, each loaded from an
// array of its own, and stores the results to further arrays. An i1 is a byte in memory.
func kernelOf(tb testing.TB, types []tile.Type, body func(b *tile.Builder, in []*tile.Value) []*tile.Value) *tile.Module {
	tb.Helper()
	m := &tile.Module{}
	f := &tile.Func{Name: "kernel"}
	m.Funcs = []*tile.Func{f}
	b := tile.NewBuilder(m, f)
	f.Body = b.NewBlock()
	b.SetBlock(f.Body)
	b.Loc = m.Locs.Add(tile.Location{File: "k.py", Line: 1, Col: 1})
	param := func(t tile.Type) *tile.Value {
		name := fmt.Sprint("a", len(f.Params))
		f.Params = append(f.Params, tile.Param{Name: name})
		return f.Body.AddArg(f, tile.PtrTo(memoryForm(t).Scalar()), name)
	}
	in := make([]*tile.Value, len(types))
	for i, t := range types {
		in[i] = b.Load(pointers(b, param(t), t), nil, nil, tile.LoadAttr{})
		if t.IsBool() {
			in[i] = b.CmpI(tile.NE, in[i], b.Const(in[i].Type, 0))
		}
	}
	for _, v := range body(b, in) {
		out := param(v.Type)
		if v.Type.IsBool() {
			v = b.Cast(tile.OpExtU, v, tile.Scalar(tile.I8))
		}
		b.Store(pointers(b, out, v.Type), v, nil, tile.StoreAttr{})
	}
	b.Op(tile.OpReturn, nil, nil)
	if err := tile.Verify(m); err != nil {
		tb.Fatalf("%v\n%v", err, m)
	}
	return m
}

func memoryForm(t tile.Type) tile.Type {
	if t.IsBool() {
		return t.WithElem(tile.I8)
	}
	return t
}

// pointers gives the addresses of a tile that lies in row-major order.
func pointers(b *tile.Builder, base *tile.Value, t tile.Type) *tile.Value {
	if t.IsScalar() {
		return base
	}
	offs := b.Reshape(b.Range(0, int64(t.NumElems())), t, false)
	return b.AddPtr(b.Splat(base, t), offs)
}

func tileOf(e tile.Elem, shape ...int) tile.Type {
	t, ok := tile.Scalar(e).WithShape(shape...)
	if !ok {
		panic("no such shape")
	}
	return t
}

// combine makes the region of a reduction by one operation.
func combine(b *tile.Builder, e tile.Elem, code tile.Code) *tile.Block {
	return inRegion(b, func(a []*tile.Value) []*tile.Value {
		return []*tile.Value{b.Binary(code, a[0], a[1])}
	}, tile.Scalar(e), tile.Scalar(e))
}

// inRegion makes a region that yields what build gives.
func inRegion(b *tile.Builder, build func(args []*tile.Value) []*tile.Value, types ...tile.Type) *tile.Block {
	blk := b.NewBlock(types...)
	outer := b.SetBlock(blk)
	b.Yield(build(blk.Args)...)
	b.SetBlock(outer)
	return blk
}

// parse reads a module in text form.
func parse(tb testing.TB, src string) *tile.Module {
	tb.Helper()
	m, err := tile.Parse("test.tile", []byte(src))
	if err != nil {
		tb.Fatal(diag.Detail(err))
	}
	if err := tile.Verify(m); err != nil {
		tb.Fatal(err)
	}
	return m
}

func compile(tb testing.TB, m *tile.Module) *Program {
	tb.Helper()
	p, err := Compile(m, Options{})
	if err != nil {
		tb.Fatal(diag.Detail(err))
	}
	return p
}

func launchOn(p *Program, programs int32, args ...Arg) error {
	return p.Run(context.Background(), Launch{Grid: [3]int32{programs, 1, 1}, Args: args})
}

// run runs one program instance, which must not fail.
func run(tb testing.TB, m *tile.Module, args ...Arg) {
	tb.Helper()
	if err := launchOn(compile(tb, m), 1, args...); err != nil {
		tb.Fatal(diag.Detail(err))
	}
}

// wantCheck tests that an error is a finding of the given code.
func wantCheck(tb testing.TB, err error, code string) *diag.Error {
	tb.Helper()
	var d *diag.Error
	if !errors.As(err, &d) || !errors.Is(err, diag.Check) || d.Code != code {
		tb.Fatalf("error is %v, want a CheckError %s", err, code)
	}
	return d
}
