package sema

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/tile"
)

const resultSource = `import triton
import triton.language as tl

WIDTH = tl.constexpr(4)
OTHER = tl.constexpr(5)


def inner(x, by=WIDTH):
    return x * by


def outer(x):
    return inner(x) + 1


def kernel(p, dims, n, *rest):
    tl.store(p, outer(dims[1]))
    if n > 3:
        tl.store(rest[1], n)
`

func resultSpec(t *testing.T) Spec {
	f := loadSource(t, "result.py", []byte(resultSource))
	return f.spec(t, "kernel", "p=*i32:16 dims=(3,i64:8) n=u32:4 rest=(None,*u8)")
}

// Parameters say which argument they are, and keep what is known of it.
func TestParams(t *testing.T) {
	res, err := Compile(resultSpec(t))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	want := []ParamSource{
		{Name: "p", Path: []int{0}, Type: PointerTo(ScalarType(dtype.Int32)), Written: true},
		{Name: "dims[1]", Path: []int{1, 1}, Type: ScalarType(dtype.Int64)},
		{Name: "n", Path: []int{2}, Type: ScalarType(dtype.Uint32)},
		{Name: "rest[1]", Path: []int{3, 1}, Type: PointerTo(ScalarType(dtype.Uint8)), Written: true},
	}
	if d := cmp.Diff(want, res.Params, cmp.Comparer(func(a, b Type) bool { return a == b })); d != "" {
		t.Error(d)
	}
	facts := []tile.Param{
		{Name: "p", Divisibility: 16},
		{Name: "dims[1]", Divisibility: 8},
		{Name: "n", Divisibility: 4, Unsigned: true},
		{Name: "rest[1]", Unsigned: true},
	}
	if d := cmp.Diff(facts, res.Module.Funcs[0].Params); d != "" {
		t.Error(d)
	}
}

// Globals are what was read, once each, in order, and nothing else.
func TestGlobals(t *testing.T) {
	res, err := Compile(resultSpec(t))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	var names []string
	for _, g := range res.Globals {
		names = append(names, g.Name)
		b, ok, err := g.Env.Lookup(g.Name)
		if !ok || err != nil || !pyval.Identical(b.Value, g.Value) {
			t.Errorf("%s is recorded as %v", g.Name, g.Value)
		}
	}
	if d := cmp.Diff([]string{"tl", "outer", "inner", "WIDTH"}, names); d != "" {
		t.Error(d)
	}
}

// Each operation has the place it came from, and the calls that it came through.
func TestLocations(t *testing.T) {
	res, err := Compile(resultSpec(t))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	m := res.Module
	m.Funcs[0].Body.Walk(func(op *tile.Op) {
		if m.Locs.At(op.Loc).Line == 0 {
			t.Errorf("%s has no location", op.Code)
		}
	})
	var mul *tile.Op
	m.Funcs[0].Body.Walk(func(op *tile.Op) {
		if op.Code == tile.OpMul {
			mul = op
		}
	})
	var got [][3]int32
	for loc := m.Locs.At(mul.Loc); loc.Line > 0; loc = m.Locs.At(loc.Parent) {
		got = append(got, [3]int32{loc.Line, loc.Col, loc.EndCol})
	}
	want := [][3]int32{{9, 12, 18}, {13, 12, 20}, {17, 17, 31}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// One Func may be compiled many times at once.
func TestConcurrentCompile(t *testing.T) {
	spec := resultSpec(t)
	var wg sync.WaitGroup
	texts := make([]string, 8)
	for i := range texts {
		wg.Go(func() {
			if res, err := Compile(spec); err == nil {
				texts[i] = res.Module.String()
			}
		})
	}
	wg.Wait()
	for _, text := range texts {
		if text == "" || text != texts[0] {
			t.Fatal("compilations at the same time differ")
		}
	}
}

// What a spec gets wrong is a diagnostic too.
func TestBadSpec(t *testing.T) {
	good := resultSpec(t)
	fewer := good
	fewer.Args = good.Args[:2]
	for name, s := range map[string]Spec{"no function": {}, "a lambda": {Fn: &Func{Name: "f"}}, "too few arguments": fewer} {
		_, err := Compile(s)
		var e *diag.Error
		if !errors.As(err, &e) || e.Category != diag.Compile || e.Code == "internal" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every builtin's parameter list can be read.
func TestSignatures(t *testing.T) {
	tb := tables()
	for _, table := range []map[string]Value{tb.lang, tb.triton, tb.libdevice, tb.cuda, tb.targetInfo, tb.methods} {
		for name, v := range table {
			if b, ok := v.(*Builtin); ok && len(b.signature().params) > 20 {
				t.Errorf("%s has %d parameters", name, len(b.signature().params))
			}
		}
	}
	for name, b := range pyBuiltins() {
		if b.Name != name || b.signature() == nil {
			t.Errorf("%s is entered as %s", b.Name, name)
		}
	}
}
