package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

func needNative(tb testing.TB) {
	tb.Helper()
	if why := Supported(); why != "" {
		tb.Skip(why)
	}
}

// An input is an argument for both executors: bytes of an array, or a scalar's bits.
type input struct {
	data []byte
	bits uint64
}

func parse(tb testing.TB, text string) *tile.Module {
	tb.Helper()
	m, err := tile.Parse("k.tile", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func pointerTo(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func runNative(tb testing.TB, p *Program, grid [3]int32, in []input) {
	tb.Helper()
	if err := p.Run(context.Background(), Launch{Grid: grid, Args: nativeArgs(in), Threads: 1}); err != nil {
		tb.Fatal(err)
	}
}

func runChecked(tb testing.TB, m *tile.Module, grid [3]int32, in []input) {
	tb.Helper()
	p, err := cpu.Compile(m, cpu.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if err := p.Run(context.Background(), cpu.Launch{Grid: grid, Args: checkedArgs(in), Threads: 1}); err != nil {
		tb.Fatal(err)
	}
}

func clone(in []input) []input {
	out := make([]input, len(in))
	for i, a := range in {
		out[i] = a
		if a.data != nil {
			out[i].data = bytes.Clone(a.data)
		}
	}
	return out
}

// bothRun runs a module on both and gives what each made of the arrays. It skips what native code refuses.
func bothRun(tb testing.TB, m *tile.Module, grid [3]int32, in []input) (got, want []input) {
	tb.Helper()
	needNative(tb)
	p, err := Compile(m, options())
	if errors.Is(err, diag.Unsupported) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	want = clone(in)
	runChecked(tb, m, grid, want)
	got = clone(in)
	runNative(tb, p, grid, got)
	return got, want
}

// equal runs a module on both and demands equal bits.
func equal(tb testing.TB, m *tile.Module, grid [3]int32, in ...input) {
	tb.Helper()
	got, want := bothRun(tb, m, grid, in)
	for i := range in {
		if !bytes.Equal(got[i].data, want[i].data) {
			n := 0
			for n < len(got[i].data) && got[i].data[n] == want[i].data[n] {
				n++
			}
			tb.Errorf("argument %d differs at byte %d: native % x, checked % x", i, n, got[i].data[n:min(n+8, len(got[i].data))], want[i].data[n:min(n+8, len(want[i].data))])
		}
	}
}

// A failer is a test, of package testing or of rapid.
type failer interface {
	Fatal(args ...any)
}

func runNativeIn(t failer, p *Program, in []input) {
	runNativeGrid(t, p, in, [3]int32{instances, 1, 1})
}

func runNativeGrid(t failer, p *Program, in []input, grid [3]int32) {
	if err := p.Run(context.Background(), Launch{Grid: grid, Args: nativeArgs(in), Threads: 1}); err != nil {
		t.Fatal(err)
	}
}

func runCheckedIn(t failer, m *tile.Module, in []input) {
	runCheckedGrid(t, m, in, [3]int32{instances, 1, 1})
}

func runCheckedGrid(t failer, m *tile.Module, in []input, grid [3]int32) {
	p, err := cpu.Compile(m, cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(context.Background(), cpu.Launch{Grid: grid, Args: checkedArgs(in), Threads: 1}); err != nil {
		t.Fatal(err)
	}
}

func nativeArgs(in []input) []Arg {
	args := make([]Arg, len(in))
	for i, a := range in {
		args[i] = Arg{Bits: a.bits}
		if a.data != nil {
			args[i].Base, args[i].Bytes = pointerTo(a.data), int64(len(a.data))
		}
	}
	return args
}

func checkedArgs(in []input) []cpu.Arg {
	args := make([]cpu.Arg, len(in))
	for i, a := range in {
		args[i] = cpu.Arg{Bits: a.bits}
		if a.data != nil {
			args[i].Array = &cpu.Array{Name: fmt.Sprint("a", i), Base: pointerTo(a.data), Bytes: int64(len(a.data)), ElemBytes: 1, Keep: a.data}
		}
	}
	return args
}
