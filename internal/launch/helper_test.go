package launch

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// Arguments as tests write them.

func Int(n int64) (v Value) {
	v.SetInt(n)
	return v
}

func Uint(n uint64) (v Value) {
	v.SetUint(n)
	return v
}

func Float(f float64) Value { return FloatOf(dtype.Float32, f) }

func FloatOf(d dtype.DType, f float64) (v Value) {
	v.SetFloat(d, f)
	return v
}

func Bool(b bool) (v Value) {
	v.SetBool(b)
	return v
}

func Array(d dtype.DType, host []byte) (v Value) {
	v.SetHost(d, host, nil)
	return v
}

func tupleOf(elems ...Value) (v Value) {
	v.SetTuple(&Tuple{Elems: elems})
	return v
}

// fixed makes a constant, as tegula.Const does.
func fixed(v Value) Value {
	v.Fix()
	return v
}

func named(name string, v Value) Named { return Named{name, v} }

// A request is a launch as tests write it.
type request struct {
	stream     driver.Stream // the zero Stream is the CPU's
	grid       []int         // nil is one program
	positional []Value
	named      []Named
	options    Options
	meta       MetadataFunc
}

// args makes a request of positional arguments.
func args(positional ...Value) request { return request{positional: positional} }

// begin collects the arguments of a request.
func (r request) begin(k *Kernel) *Call {
	c := k.Begin()
	for _, v := range r.positional {
		*c.Next() = v
	}
	for _, n := range r.named {
		*c.Named(n.Name) = n.Value
	}
	c.Options, c.Meta = r.options, r.meta
	if r.grid == nil {
		r.grid = []int{1}
	}
	c.SetGrid(r.grid)
	return c
}

func (r request) on() driver.Stream {
	if r.stream == (driver.Stream{}) {
		return cpu.Stream()
	}
	return r.stream
}

// launch launches.
func (r request) launch(ctx context.Context, k *Kernel) error {
	c := r.begin(k)
	defer c.End()
	if err := c.Bind(); err != nil {
		return err
	}
	return c.Launch(ctx, r.on())
}

// prepare prepares.
func (r request) prepare(k *Kernel) (*Prepared, error) {
	c := r.begin(k)
	defer c.End()
	if err := c.Bind(); err != nil {
		return nil, err
	}
	return c.Prepare(r.on())
}

// kernelFrom gives a kernel of a source text.
func kernelFrom(t testing.TB, src, name string) *Kernel {
	t.Helper()
	mod, err := module.Load("kernels.py", []byte("import torch, triton\nimport triton.language as tl\n"+src))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	info := mod.Kernel(name)
	if info == nil {
		t.Fatalf("no kernel %s", name)
	}
	k, err := FromModule(info, func(string) *syntax.File { return mod.File() })
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	return k
}

// checkError checks an error's category, code and parts of its message.
func checkError(t *testing.T, err error, category *diag.Category, code string, parts ...string) {
	t.Helper()
	var e *diag.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want %s: %s", err, category, code)
	}
	if e.Category != category || e.Code != code {
		t.Errorf("%s: %s, want %s: %s (%s)", e.Category, e.Code, category, code, e.Msg)
	}
	for _, p := range parts {
		if !strings.Contains(e.Msg, p) {
			t.Errorf("message %q, want … %s …", e.Msg, p)
		}
	}
}
