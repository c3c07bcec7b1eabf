package launch

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/pyval"
)

const kernels = `
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

@triton.autotune(configs=[triton.Config({"L": 1, "M": 2})], key=[])
@triton.jit
def misfit(out_ptr, K: tl.constexpr, M: tl.constexpr):
    tl.store(out_ptr, K + M)
`

// Each argument list that differs to the compiler makes a variant, others do not.
func TestVariants(t *testing.T) {
	k := kernelFrom(t, kernels, "store")
	i32 := Array(dtype.Int32, make([]byte, 256))
	i64 := Array(dtype.Int64, make([]byte, 256))
	for i, test := range []struct {
		request request
		want    int // variants so far
	}{
		{args(i32, Int(2), Int(5)), 1},
		{args(i32, Int(3), Int(-7)), 1},
		{args(i32, Int(16), Int(32)), 1}, // nothing is faster on the CPU for multiples of 16
		{args(i64, Int(3), Int(5)), 2},
		{args(i32, Int(1), Int(5)), 3},
		{args(i32, Int(3), Int(1)), 4},
		{args(i32, Int(3), Int(1<<40)), 5},
		{args(i32, Int(3), Float(5)), 6},
		{args(i32, None, Int(5)), 7},
		{args(i32, Int(3), Int(5), Int(1)), 7}, // what the default is
		{args(i32, Int(3), Int(5), Int(2)), 8},
		{args(i32, Int(3), Int(5), Bool(true)), 9}, // True is not 1
		{args(i32, Int(3), Int(5), Float(1)), 10},
		{args(i32, Int(2), Int(5)), 10},
	} {
		if err := test.request.launch(t.Context(), k); err != nil {
			t.Fatalf("%d: %s", i, diag.Detail(err))
		}
		if got := k.Variants(); got != test.want {
			t.Errorf("%d: %d variants, want %d", i, got, test.want)
		}
	}
	r := args(i32, Int(2), Int(5))
	r.options.NumWarps = 8
	if err := r.launch(t.Context(), k); err != nil || k.Variants() != 11 {
		t.Errorf("another num_warps: %v, %d variants", err, k.Variants())
	}
}

// However many ask for a variant at once, it is compiled once: they all get the same.
func TestVariantOnce(t *testing.T) {
	k := kernelFrom(t, kernels, "store")
	prepared := make([]*Prepared, 16)
	var wg sync.WaitGroup
	for i := range prepared {
		wg.Go(func() {
			var err error
			prepared[i], err = args(Array(dtype.Int32, make([]byte, 64)), Int(2), Int(5)).prepare(k)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range prepared {
		if prepared[i] == nil || prepared[i].variant != prepared[0].variant {
			t.Errorf("launch %d has a kernel of its own", i)
		}
	}
	if k.Variants() != 1 {
		t.Errorf("%d variants", k.Variants())
	}
}

// A compile error is the same each time.
func TestVariantError(t *testing.T) {
	k := kernelFrom(t, kernels, "store")
	for range 2 {
		err := args(Int(3), Int(2), Int(5)).launch(t.Context(), k)
		if !errors.Is(err, diag.Compile) {
			t.Error(err)
		}
	}
}

// What is not known of a decorator matters once an argument is missing.
func TestDoubts(t *testing.T) {
	k := kernelFrom(t, kernels, "doubtful")
	out := Array(dtype.Int32, make([]byte, 4))
	err := args(out).launch(t.Context(), k)
	checkError(t, err, diag.Argument, "missing-argument", "'K'")
	if e := err.(*diag.Error); len(e.Notes) != 2 {
		t.Errorf("%s", e.Detail())
	}
	if err := args(out, Int(1)).launch(t.Context(), k); err != nil {
		t.Error(diag.Detail(err))
	}
}

// A configuration that sets what is no parameter is an error once something of it is needed, and
// not before.
func TestMisfit(t *testing.T) {
	k := kernelFrom(t, kernels, "misfit")
	out := Array(dtype.Int32, make([]byte, 4))
	if err := args(out, Int(1), Int(2)).launch(t.Context(), k); err != nil {
		t.Errorf("it is not needed: %s", diag.Detail(err))
	}
	checkError(t, args(out, Int(1)).launch(t.Context(), k), diag.Compile, "config", "sets 'L', which is none of its parameters")
	r := args(out)
	r.named = []Named{named("M", Int(2))}
	err := r.launch(t.Context(), k)
	checkError(t, err, diag.Argument, "missing-argument", "'K'")
	if e := err.(*diag.Error); len(e.Notes) != 2 || !strings.Contains(e.Notes[1].Msg, "sets 'L'") {
		t.Errorf("%s", e.Detail())
	}
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
