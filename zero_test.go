package tegula_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
)

// Files, readers and functions that are not as they should be.
type (
	noFile       struct{}
	panickingFS  struct{}
	stuck        struct{}
	generous     struct{}
	panicsOnCall struct{}
)

func (noFile) Open(string) (fs.File, error)      { return nil, nil }
func (panickingFS) Open(string) (fs.File, error) { panic("the disk is on fire") }
func (stuck) Read([]byte) (int, error)           { return 0, nil }
func (generous) Read(p []byte) (int, error)      { return len(p) + 5, nil }
func (panicsOnCall) Write(p []byte) (int, error) { panic("no paper") }

// TestBadValues: what nobody made, what is nil, and what panics is an error, and nothing waits.
func TestBadValues(t *testing.T) {
	ctx, cpu, grid := context.Background(), tegula.CPU(), tegula.Grid{1}
	m, err := tegula.Load("k.py", `
import triton
import triton.language as tl
@triton.jit
def one(o, v):
    tl.store(o, 1)
@triton.jit
def says(o):
    tl.static_print("hello")
    tl.store(o, 1)
`)
	if err != nil {
		t.Fatal(err)
	}
	one, o := m.Kernel("one"), make([]int32, 1)
	self := tegula.Tuple{nil}
	self[0] = self
	wide := tegula.Tuple{1}
	for range 60 {
		wide = tegula.Tuple{wide, wide}
	}
	second := func(_ any, err error) error { return err }
	var kept tegula.Args
	if err := one.Launch(ctx, cpu, tegula.GridFunc(func(a tegula.Args) tegula.Grid { kept = a; return grid }), o, 1); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() error{
		"a module nobody loaded":    func() error { return new(tegula.Module).Kernel("x").Launch(ctx, cpu, grid) },
		"a nil module":              func() error { return (*tegula.Module)(nil).Kernel("x").Err() },
		"its expression":            func() error { return second(new(tegula.Module).Eval("1", nil)) },
		"a kernel nobody made":      func() error { return new(tegula.Kernel).Launch(ctx, cpu, grid) },
		"its compilation":           func() error { return second(new(tegula.Kernel).Compile(tegula.CompileOptions{})) },
		"such a kernel as argument": func() error { return one.Launch(ctx, cpu, grid, o, new(tegula.Kernel)) },
		"a launch nobody prepared":  func() error { return new(tegula.Prepared).Launch(ctx) },
		"a nil launch":              func() error { return (*tegula.Prepared)(nil).LaunchOn(ctx, cpu) },
		"code nobody compiled":      func() error { return second(new(tegula.Compiled).Emit("tile")) },
		"its metadata":              func() error { return second((*tegula.Compiled)(nil).Metadata()) },
		"a nil array written":       func() error { return (*tegula.Array)(nil).WriteNPY(t.TempDir() + "/x.npy") },
		"a type there is not":       func() error { return second(tegula.NewArray(tegula.DType(250), 1)) },
		"an array of it": func() error {
			return one.Launch(ctx, cpu, grid, tegula.Array{DType: 250, Shape: []int{1}, Data: []byte{1}}, 1)
		},
		"a nil reader":               func() error { return second(tegula.DecodeNPY(nil, 0)) },
		"a reader that is stuck":     func() error { return second(tegula.DecodeNPY(stuck{}, 0)) },
		"a reader that gives more":   func() error { return second(tegula.DecodeNPY(generous{}, 0)) },
		"a nil file system":          func() error { return second(tegula.LoadFS(nil, "k.py")) },
		"a file system without file": func() error { return second(tegula.LoadFS(noFile{}, "k.py")) },
		"a file system that panics":  func() error { return second(tegula.LoadFS(panickingFS{}, "k.py")) },
		"a nil function":             func() error { return second(m.Eval("f(1)", map[string]any{"f": tegula.Func(nil)})) },
		"a function that panics": func() error {
			return second(m.Eval("f(1)", map[string]any{"f": tegula.Func(func([]any, map[string]any) (any, error) { panic("no") })}))
		},
		"a grid that panics": func() error {
			return one.Launch(ctx, cpu, tegula.GridFunc(func(tegula.Args) tegula.Grid { panic("no") }), o, 1)
		},
		"a tuple that holds itself": func() error { return one.Launch(ctx, cpu, grid, o, self) },
		"a tuple that shares parts": func() error { return one.Launch(ctx, cpu, grid, o, wide) },
		"an error nobody filled in": func() error {
			return errors.New(new(tegula.Error).Error() + tegula.Detail((*tegula.Error)(nil)) + tegula.ErrorList{}.Error())
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := do(); err == nil || strings.Contains(err.Error(), "internal error") {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if new(tegula.Module).Kernels() != nil || new(tegula.Module).EntryKernels() != nil || (*tegula.Module)(nil).Steps() != nil {
		t.Error("a module that nobody loaded has something")
	}
	if new(tegula.Prepared).Grid() != (driver.Grid{}) || new(tegula.Prepared).Metadata() != nil || new(tegula.Compiled).Steps() != nil || new(tegula.Compiled).Stages() != nil {
		t.Error("a launch that nobody prepared has something")
	}
	if (*tegula.Array)(nil).Len() != 0 || (*tegula.Array)(nil).Float64s() != nil || tegula.DType(250).Bytes() != 0 {
		t.Error("an array that is nil has something")
	}
	if kept.Int("v") != 0 || kept.Len("o") != 0 || (tegula.Args{}).Int("v") != 0 {
		t.Error("arguments of no launch have something")
	}
	// A writer that panics leaves the variant as it is for the next launch.
	says := m.Kernel("says")
	if err := says.Launch(ctx, cpu, grid, o, tegula.Stdout(panicsOnCall{})); err != nil {
		t.Errorf("with a writer that panics: %v", err)
	}
	if err := says.Launch(ctx, cpu, grid, o); err != nil {
		t.Errorf("the launch after it: %v", err)
	}
}
