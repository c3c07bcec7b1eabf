package compiler

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// The compiler fills in what it knows, whatever the backend: name, target, options, the layout of
// the arguments and the constants, those in tuples too. What is emitted is read back as it was.
func TestContractMetadataIsFilled(t *testing.T) {
	m, err := module.Load("k.py", []byte(`import triton
import triton.language as tl
@triton.jit
def k(p, pair, flag, x: tl.float64, N: tl.constexpr, DT: tl.constexpr, FN: tl.constexpr, *rest):
    if flag:
        tl.store(p + pair[0], (x + pair[1]).to(DT))
`))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	i8, f16 := sema.ScalarType(dtype.Int8), sema.ScalarType(dtype.Float16)
	u, err := Compile(Request{
		Spec: sema.Spec{
			Fn: m.Kernel("k").Fn,
			Args: []sema.ArgSpec{
				{Type: sema.PointerTo(f16), Divisibility: 16}, {IsTuple: true, Tuple: []sema.ArgSpec{{Type: i8}, constant(int64(1))}},
				{Type: sema.ScalarType(dtype.Int1)}, {Type: sema.ScalarType(dtype.Float64)}, constant(int64(4)), constant(f16), constant(m.Kernel("k").Fn),
				{IsTuple: true, Tuple: []sema.ArgSpec{constant(pyval.None), constant("a"), constant(pyval.NewTuple(0.5)), constant(true)}},
			},
			Options: sema.Options{NumWarps: 8, NumStages: 2, NumCTAs: 1},
		},
		Target: target.Target{Backend: "cpu"}, Settings: target.Settings{CPU: target.Checked},
	})
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	text, err := u.Emit("metadata")
	if err != nil {
		t.Fatal(err)
	}
	got, err := driver.ParseKernelMetadata(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	want := &driver.KernelMetadata{
		Schema: driver.MetadataVersion, Name: "k", Target: "cpu", NumWarps: 8, NumStages: 2, NumCTAs: 1, ThreadsPerWarp: 1,
		Args: []driver.MetadataArg{
			{Name: "p", Type: "*fp16", Source: []int{0}, Size: 8, Offset: 0, Align: 8, DivisibleBy: 16},
			{Name: "pair[0]", Type: "i8", Source: []int{1, 0}, Size: 1, Offset: 8, Align: 1, DivisibleBy: 1},
			{Name: "flag", Type: "i1", Source: []int{2}, Size: 1, Offset: 9, Align: 1, DivisibleBy: 1},
			{Name: "x", Type: "fp64", Source: []int{3}, Size: 8, Offset: 16, Align: 8, DivisibleBy: 1},
		},
		Constants: []driver.MetadataConstant{
			{Name: "pair[1]", Source: []int{1, 1}, Kind: "int", Value: "1"},
			{Name: "N", Source: []int{4}, Kind: "int", Value: "4"},
			{Name: "DT", Source: []int{5}, Kind: "dtype", Value: "triton.language.float16"},
			{Name: "FN", Source: []int{6}, Kind: "function", Value: "k"},
			{Name: "rest[0]", Source: []int{7, 0}, Kind: "none", Value: "None"},
			{Name: "rest[1]", Source: []int{7, 1}, Kind: "str", Value: "'a'"},
			{Name: "rest[2]", Source: []int{7, 2}, Kind: "tuple", Value: "(0.5,)"},
			{Name: "rest[3]", Source: []int{7, 3}, Kind: "bool", Value: "True"},
		},
		Backends: driver.MetadataBackends{CPU: &driver.CPUMetadata{Executor: "checked", Frame: got.Backends.CPU.Frame, Features: []string{}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got.Backends.CPU.Frame == 0 {
		t.Error("no memory is needed")
	}
}

// wrongBackend makes metadata that its schema refuses.
type wrongBackend struct{ complete func(*driver.KernelMetadata) }

func (wrongBackend) Policy() target.Policy { return target.Policy{} }
func (wrongBackend) Version() string       { return "" }
func (wrongBackend) Keeps() bool           { return false }
func (wrongBackend) Emits() []string       { return nil }

func (wrongBackend) Emit(string, target.Job) ([]byte, error) { return nil, nil }

func (w wrongBackend) Compile(j target.Job) (*driver.Binary, error) {
	w.complete(j.Metadata)
	return &driver.Binary{Metadata: j.Metadata}, nil
}

var wrong = func() *wrongBackend {
	b := &wrongBackend{}
	target.Register("wrong", b, nil)
	return b
}()

// A backend that forgets a part of the metadata, or gets it wrong, is found out when it compiles,
// not when somebody launches.
func TestContractMetadataOfBackendsIsChecked(t *testing.T) {
	section := func(m *driver.KernelMetadata) {
		m.Backends.Other = map[string]json.RawMessage{"wrong": json.RawMessage("{}")}
	}
	backend := wrong
	for name, test := range map[string]struct {
		complete func(*driver.KernelMetadata)
		ok       bool
	}{
		"complete":             {func(m *driver.KernelMetadata) { section(m); m.ThreadsPerWarp = 32 }, true},
		"no threads":           {section, false},
		"no section":           {func(m *driver.KernelMetadata) { m.ThreadsPerWarp = 32 }, false},
		"negative shared":      {func(m *driver.KernelMetadata) { section(m); m.ThreadsPerWarp, m.Shared = 32, -1 }, false},
		"an argument moved":    {func(m *driver.KernelMetadata) { section(m); m.ThreadsPerWarp, m.Args[0].Offset = 32, 4 }, false},
		"another schema":       {func(m *driver.KernelMetadata) { section(m); m.ThreadsPerWarp, m.Schema = 32, 2 }, false},
		"an empty target name": {func(m *driver.KernelMetadata) { section(m); m.ThreadsPerWarp, m.Target = 32, "" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			backend.complete = test.complete
			u, err := Compile(request(t, "wrong"))
			if err != nil {
				t.Fatal(diag.Detail(err))
			}
			if _, err = u.Build(); (err == nil) != test.ok || err != nil && (!errors.Is(err, diag.Compile) || !errors.Is(err, diag.Schema)) {
				t.Error(err)
			}
		})
	}
}
