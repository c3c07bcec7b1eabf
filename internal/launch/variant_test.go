package launch

import (
	"sync"
	"testing"

	"github.com/tegula-lang/tegula/driver/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

const source = `
import triton
import triton.language as tl

@triton.jit
def store(out_ptr, n, value, K: tl.constexpr = 1):
    if n is None:
        tl.store(out_ptr, 0)
    else:
        tl.store(out_ptr + n, value + K)

@triton.autotune(configs=torch.configs, key=[])
@triton.jit
def doubtful(out_ptr, K: tl.constexpr):
    tl.store(out_ptr, K)

@triton.autotune(configs=[triton.Config({"L": 1})], key=[])
@triton.jit
def misfit(out_ptr, K: tl.constexpr):
    tl.store(out_ptr, K)
`

// load finds a kernel of source.
func load(t testing.TB, name string) (*Kernel, error) {
	t.Helper()
	mod, err := module.Load("kernels.py", []byte(source))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	return FromModule(mod.Kernel(name), func(string) *syntax.File { return nil })
}

func request(out Value, args ...Value) Request {
	return Request{Stream: cpu.Stream(), Grid: Ints{1}, Call: Call{Positional: append([]Value{out}, args...)}}
}

// Each argument list that differs to the compiler makes a variant, others do not.
func TestVariants(t *testing.T) {
	k, err := load(t, "store")
	if err != nil {
		t.Fatal(err)
	}
	i32 := Array(dtype.Int32, make([]byte, 256), 64)
	i64 := Array(dtype.Int64, make([]byte, 256), 32)
	for i, test := range []struct {
		request Request
		want    int // variants so far
	}{
		{request(i32, Int(2), Int(5)), 1},
		{request(i32, Int(3), Int(-7)), 1},
		{request(i32, Int(16), Int(32)), 1}, // nothing is faster on the CPU for multiples of 16
		{request(i64, Int(3), Int(5)), 2},
		{request(i32, Int(1), Int(5)), 3},
		{request(i32, Int(3), Int(1)), 4},
		{request(i32, Int(3), Int(1<<40)), 5},
		{request(i32, Int(3), Float(5)), 6},
		{request(i32, None, Int(5)), 7},
		{request(i32, Int(3), Int(5), Int(1)), 7}, // what the default is
		{request(i32, Int(3), Int(5), Int(2)), 8},
		{request(i32, Int(3), Int(5), Bool(true)), 9}, // True is not 1
		{request(i32, Int(3), Int(5), Float(1)), 10},
		{request(i32, Int(2), Int(5)), 10},
	} {
		if err := k.Launch(t.Context(), test.request); err != nil {
			t.Fatalf("%d: %s", i, diag.Detail(err))
		}
		if got := k.Variants(); got != test.want {
			t.Errorf("%d: %d variants, want %d", i, got, test.want)
		}
	}
	r := request(i32, Int(2), Int(5))
	r.NumWarps = 8
	if err := k.Launch(t.Context(), r); err != nil || k.Variants() != 11 {
		t.Errorf("another num_warps: %v, %d variants", err, k.Variants())
	}
}

// However many ask for a variant at once, it is compiled once: they all get the same.
func TestVariantOnce(t *testing.T) {
	k, err := load(t, "store")
	if err != nil {
		t.Fatal(err)
	}
	prepared := make([]*Prepared, 16)
	var wg sync.WaitGroup
	for i := range prepared {
		wg.Go(func() {
			var err error
			prepared[i], err = k.Prepare(request(Array(dtype.Int32, make([]byte, 64), 16), Int(2), Int(5)))
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range prepared {
		if prepared[i] == nil || prepared[i].kernel != prepared[0].kernel {
			t.Errorf("launch %d has a kernel of its own", i)
		}
	}
	if k.Variants() != 1 {
		t.Errorf("%d variants", k.Variants())
	}
}

// A compile error is the same each time.
func TestVariantError(t *testing.T) {
	k, err := load(t, "store")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := k.Launch(t.Context(), request(Int(3), Int(2), Int(5)))
		checkCategory(t, err, diag.Compile)
	}
}

func checkCategory(t *testing.T, err error, c *diag.Category) {
	t.Helper()
	e, ok := err.(*diag.Error)
	if !ok || e.Category != c {
		t.Errorf("error %v, want %s", err, c)
	}
}

// What is not known of a decorator matters once an argument is missing.
func TestDoubts(t *testing.T) {
	k, err := load(t, "doubtful")
	if err != nil {
		t.Fatal(err)
	}
	out := Array(dtype.Int32, make([]byte, 4), 1)
	err = k.Launch(t.Context(), request(out))
	checkError(t, err, diag.Argument, "missing-argument", "'K'")
	if e := err.(*diag.Error); len(e.Notes) != 2 {
		t.Errorf("%s", e.Detail())
	}
	if err := k.Launch(t.Context(), request(out, Int(1))); err != nil {
		t.Error(diag.Detail(err))
	}
	_, err = load(t, "misfit")
	checkError(t, err, diag.Compile, "config", "sets 'L', which is none of its parameters")
}

func TestDeclared(t *testing.T) {
	for annotation, want := range map[string]string{
		"": "", "tl.constexpr": "", "tl.tensor": "", "int": "", "tl.int64": "int64", "triton.language.int8": "int8", `"i32"`: "int32", "'*fp16'": "pointer<float16>",
		`"*k u8"`: "", "'*ku8'": "pointer<uint8>", "tl.void": "", "list[int]": "", "'***i8'": "",
	} {
		got := declared(annotation)
		text := ""
		if !got.Tile.IsZero() {
			text = got.String()
		}
		if text != want {
			t.Errorf("%s declares %q, want %q", annotation, text, want)
		}
	}
}

func TestEntries(t *testing.T) {
	mod, err := module.Load("k.py", []byte(`
import triton
@triton.jit
def leaf(x): return x
@triton.jit
def middle(x): return leaf(x)
@triton.jit
def top(x): middle(x)
@triton.jit
def loop(x): loop(x)
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := Entries(mod.Kernels()); pyval.Repr(strs(got)) != "('top', 'loop')" {
		t.Error(got)
	}
}

func strs(list []string) pyval.Value {
	t := pyval.Tuple{}
	for _, s := range list {
		t.Elems = append(t.Elems, s)
	}
	return t
}
