package tegula_test

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula"
)

//go:embed testdata/*.py
var files embed.FS

var api = sync.OnceValue(func() *tegula.Module {
	mod, err := tegula.LoadFS(files, "testdata/api.py")
	if err != nil {
		panic(err)
	}
	return mod
})

func launch(t *testing.T, kernel string, grid tegula.GridSpec, args ...any) {
	t.Helper()
	if err := api().Kernel(kernel).Launch(t.Context(), tegula.CPU(), grid, args...); err != nil {
		t.Fatal(tegula.Detail(err))
	}
}

// A type that is defined from a number is that number to a kernel.
type metres float32

func TestSlices(t *testing.T) {
	from := func(f float32) [3]float32 { return [3]float32{f, -1, 0.5} }
	for _, test := range []struct{ slice, want any }{
		{[]int8{1, -2, 100}, []int8{2, -4, -56}},
		{[]int16{1, -2, 1000}, []int16{2, -4, 2000}},
		{[]int32{1, -2, 1 << 20}, []int32{2, -4, 1 << 21}},
		{[]int64{1, -2, 1 << 40}, []int64{2, -4, 1 << 41}},
		{[]int{1, -2, 1 << 40}, []int{2, -4, 1 << 41}},
		{[]uint8{1, 2, 200}, []uint8{2, 4, 144}},
		{[]uint16{1, 2, 1 << 15}, []uint16{2, 4, 0}},
		{[]uint32{1, 2, 1 << 30}, []uint32{2, 4, 1 << 31}},
		{[]uint64{1, 2, 1 << 62}, []uint64{2, 4, 1 << 63}},
		{[]uint{1, 2, 1 << 62}, []uint{2, 4, 1 << 63}},
		{[]float32{1, -2, 0.1}, []float32{2, -4, 0.2}},
		{[]float64{1, -2, 0.1}, []float64{2, -4, 0.2}},
		{[]metres{1, -2}, []metres{2, -4}},
		{numbers(tegula.Float16From, from(3)), numbers(tegula.Float16From, [3]float32{6, -2, 1})},
		{numbers(tegula.BFloat16From, from(3)), numbers(tegula.BFloat16From, [3]float32{6, -2, 1})},
		{numbers(tegula.Float8E4M3From, from(3)), numbers(tegula.Float8E4M3From, [3]float32{6, -2, 1})},
		{numbers(tegula.Float8E5M2From, from(3)), numbers(tegula.Float8E5M2From, [3]float32{6, -2, 1})},
	} {
		t.Run(fmt.Sprintf("%T", test.slice), func(t *testing.T) {
			n := reflect.ValueOf(test.slice).Len()
			launch(t, "twice", tegula.Grid{1}, test.slice, n, tegula.Const("BLOCK", 4))
			if d := cmp.Diff(test.want, test.slice); d != "" {
				t.Error(d)
			}
		})
	}
	bools := []bool{true, false, true, true}
	launch(t, "flip", tegula.Grid{1}, bools, tegula.Const("BLOCK", 4))
	if d := cmp.Diff([]bool{false, true, false, false}, bools); d != "" {
		t.Errorf("[]bool: %s", d)
	}
}

func numbers[T any](from func(float32) T, values [3]float32) []T {
	var out []T
	for _, v := range values {
		out = append(out, from(v))
	}
	return out
}

// A slice of a larger one is bounded by its own length, and the rest is left alone.
func TestSliceBounds(t *testing.T) {
	x := []int32{1, 2, 3, 4, 5, 6, 7, 8}
	launch(t, "twice", tegula.Grid{1}, x[2:5], 3, tegula.Const("BLOCK", 8))
	if d := cmp.Diff([]int32{1, 2, 6, 8, 10, 6, 7, 8}, x); d != "" {
		t.Error(d)
	}
	err := api().Kernel("twice").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, x[2:5], 4, tegula.Const("BLOCK", 8), tegula.Check())
	check(t, err, tegula.ErrCheck, "out-of-bounds")
}

func TestArray(t *testing.T) {
	s := []uint16{0x3f80, 0x4000} // 1 and 2 in bfloat16
	a, err := tegula.View(s)
	if err != nil {
		t.Fatal(err)
	}
	a.DType = tegula.BF16
	launch(t, "twice", tegula.GridExpr("len(x_ptr) - 1"), a, 2, tegula.Const("BLOCK", 2))
	if d := cmp.Diff([]uint16{0x4000, 0x4080}, s); d != "" {
		t.Error(d)
	}
	for name, a := range map[string]*tegula.Array{
		"no type":       {Shape: []int{1}, Data: make([]byte, 4)},
		"short":         {DType: tegula.FP32, Shape: []int{2}, Data: make([]byte, 4)},
		"long":          {DType: tegula.FP32, Shape: []int{1}, Data: make([]byte, 8)},
		"negative":      {DType: tegula.FP32, Shape: []int{-1}},
		"not aligned":   {DType: tegula.FP32, Shape: []int{1}, Data: make([]byte, 16)[1:5]},
		"overflowing":   {DType: tegula.FP32, Shape: []int{math.MaxInt, math.MaxInt}},
		"many, but one": {DType: tegula.FP32, Shape: []int{0, math.MaxInt, math.MaxInt}},
	} {
		t.Run(name, func(t *testing.T) {
			err := api().Kernel("twice").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, a, 1, tegula.Const("BLOCK", 1))
			check(t, err, tegula.ErrArgument, "array")
		})
	}
}

// Integers are i32 if they fit, else i64 or u64, whatever their Go type; floats are fp32.
func TestScalars(t *testing.T) {
	out := make([]int32, 5)
	for _, test := range []struct {
		args []any
		want []int32
	}{
		{[]any{int8(5), int64(5), 1 << 31, uint64(1 << 63), uint16(7)}, []int32{32, 32, 64, 64, 32}},
		{[]any{float32(5), 5.0, tegula.Float16From(5), tegula.BFloat16From(5), nil}, []int32{-32, -32, -16, -16, 0}},
		{[]any{true, uint32(1 << 31), math.MinInt32, math.MinInt32 - 1, metres(3)}, []int32{1, 64, 32, 64, -32}},
	} {
		launch(t, "widths", tegula.Grid{1}, append([]any{out}, test.args...)...)
		if d := cmp.Diff(test.want, out); d != "" {
			t.Errorf("%v: %s", test.args, d)
		}
	}
	launch(t, "declared", tegula.Grid{1}, out, 5, 6, 7, 8)
	if d := cmp.Diff([]int32{64, 8, -64, 32}, out[:4]); d != "" {
		t.Errorf("declared: %s", d)
	}
}

func TestScalarsRefused(t *testing.T) {
	out := make([]int32, 5)
	for name, test := range map[string]struct {
		args []any
		code string
	}{
		"too large for its type":  {[]any{5, 128, 7, 8}, "out-of-range"},
		"negative, but unsigned":  {[]any{5, 6, 7, -1}, "out-of-range"},
		"a float for an integer":  {[]any{5.0, 6, 7, 8}, "dtype"},
		"an array for an integer": {[]any{out, 6, 7, 8}, "dtype"},
		"a map":                   {[]any{map[string]int{}, 6, 7, 8}, "dtype"},
		"strings":                 {[]any{[]string{"a"}, 6, 7, 8}, "dtype"},
		"a function":              {[]any{func() {}, 6, 7, 8}, "dtype"},
		"a pointer":               {[]any{new(int), 6, 7, 8}, "dtype"},
	} {
		t.Run(name, func(t *testing.T) {
			err := api().Kernel("declared").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, append([]any{out}, test.args...)...)
			check(t, err, tegula.ErrArgument, test.code)
		})
	}
}

func TestConstants(t *testing.T) {
	out := make([]int32, 3)
	launch(t, "constants", tegula.Grid{1}, out, "on", tegula.Const("PAIR", []int{3, 4}), tegula.Const("FLAG", true),
		tegula.Const("DTYPE", tegula.FP16), tegula.Const("FN", api().Kernel("add_first")))
	if d := cmp.Diff([]int32{7, 300, 12}, out); d != "" {
		t.Error(d)
	}
}

func TestTuples(t *testing.T) {
	out, x := make([]float32, 3), []float32{0.5}
	launch(t, "tuples", tegula.Grid{1}, out, tegula.Tuple{2, x}, 10, 3)
	if d := cmp.Diff([]float32{2.5, 7, 1}, out); d != "" {
		t.Error(d)
	}
	launch(t, "tuples", tegula.Grid{1}, out, tegula.Tuple{2, x}, 10, 3, tegula.Arg("last", 9))
	if out[2] != 9 {
		t.Errorf("last = %v", out[2])
	}
}

// Every coordinate of a grid occurs once, num_programs gives the counts, and it makes no
// difference how the grid is said.
func TestGridContract(t *testing.T) {
	for _, dims := range []tegula.Grid{{7}, {7, 3}, {7, 3, 2}} {
		want := []int32{1, 1, 1}
		total := 1
		for axis, n := range dims {
			want[axis] = int32(n)
			total *= n
		}
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(dims)), " ", ","), "[]")
		for name, grid := range map[string]tegula.GridSpec{
			"literal":    dims,
			"function":   tegula.GridFunc(func(tegula.Args) tegula.Grid { return dims }),
			"expression": tegula.GridExpr(text),
			"tuple":      tegula.GridExpr("(" + text + ",)"),
			"lambda":     tegula.GridExpr("lambda args: (" + text + ",)"),
		} {
			t.Run(text+" as a "+name, func(t *testing.T) {
				visits, counts := make([]int32, total), make([]int32, 3)
				launch(t, "coordinates", grid, visits, counts)
				if d := cmp.Diff(want, counts); d != "" {
					t.Error(d)
				}
				for i, n := range visits {
					if n != 1 {
						t.Errorf("program %d ran %d times", i, n)
					}
				}
			})
		}
	}
}

func TestGridFunc(t *testing.T) {
	x := make([]float32, 100)
	var got string
	launch(t, "twice", tegula.GridFunc(func(a tegula.Args) tegula.Grid {
		got = fmt.Sprint(a.Int("n"), a.Int("BLOCK"), a.Len("x_ptr"), a.Shape("x_ptr"))
		return tegula.Grid{tegula.Cdiv(a.Int("n"), a.Int("BLOCK"))}
	}), x, 100, tegula.Const("BLOCK", 16))
	if want := "100 16 100 [100]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A grid that is refused is refused before anything runs, and no argument is touched.
func TestGridRefused(t *testing.T) {
	for name, test := range map[string]struct {
		grid     tegula.GridSpec
		category error
		code     string
	}{
		"nil":                {nil, tegula.ErrGrid, "empty"},
		"empty":              {tegula.Grid{}, tegula.ErrGrid, "empty"},
		"zero":               {tegula.Grid{1, 0}, tegula.ErrGrid, "zero"},
		"negative":           {tegula.Grid{-1}, tegula.ErrGrid, "negative"},
		"four":               {tegula.Grid{1, 1, 1, 1}, tegula.ErrGrid, "too-many-dimensions"},
		"too large":          {tegula.Grid{1 << 31}, tegula.ErrGrid, "too-large"},
		"a nil function":     {tegula.GridFunc(nil), tegula.ErrGrid, "failed"},
		"an empty function":  {tegula.GridFunc(func(tegula.Args) tegula.Grid { return nil }), tegula.ErrGrid, "empty"},
		"no such argument":   {tegula.GridFunc(func(a tegula.Args) tegula.Grid { return tegula.Grid{a.Int("N")} }), tegula.ErrArgument, "unknown-argument"},
		"no int":             {tegula.GridFunc(func(a tegula.Args) tegula.Grid { return tegula.Grid{a.Int("x_ptr")} }), tegula.ErrGrid, "failed"},
		"no array":           {tegula.GridFunc(func(a tegula.Args) tegula.Grid { return tegula.Grid{a.Len("n")} }), tegula.ErrGrid, "failed"},
		"an empty text":      {tegula.GridExpr(" "), tegula.ErrGrid, "empty"},
		"a float":            {tegula.GridExpr("n / 2"), tegula.ErrGrid, "not-integer"},
		"a bool":             {tegula.GridExpr("n == 4"), tegula.ErrGrid, "not-integer"},
		"a name too much":    {tegula.GridExpr("m"), tegula.ErrGrid, "undefined-name"},
		"no expression":      {tegula.GridExpr("n +"), tegula.ErrSyntax, ""},
		"a division by zero": {tegula.GridExpr("1 // 0"), tegula.ErrGrid, "host-error"},
	} {
		t.Run(name, func(t *testing.T) {
			x := []float32{1, 2, 3, 4}
			err := api().Kernel("twice").Launch(t.Context(), tegula.CPU(), test.grid, x, 4, tegula.Const("BLOCK", 4))
			check(t, err, test.category, test.code)
			if d := cmp.Diff([]float32{1, 2, 3, 4}, x); d != "" {
				t.Errorf("touched: %s", d)
			}
		})
	}
}

func TestStreamRefused(t *testing.T) {
	cpu := tegula.CPU()
	for name, test := range map[string]struct {
		stream   tegula.Stream
		category error
		code     string
	}{
		"none":            {tegula.Stream{}, tegula.ErrStream, "no-stream"},
		"null":            {tegula.Stream{Backend: "cpu"}, tegula.ErrStream, "null-handle"},
		"another backend": {tegula.Stream{Backend: "cuda", Handle: 1}, tegula.ErrUnsupported, "no-driver"},
		"another device":  {tegula.Stream{Backend: "cpu", Device: 1, Handle: cpu.Handle}, tegula.ErrDriver, "no-device"},
	} {
		t.Run(name, func(t *testing.T) {
			err := api().Kernel("twice").Launch(t.Context(), test.stream, tegula.Grid{1}, []float32{1}, 1, tegula.Const("BLOCK", 1))
			check(t, err, test.category, test.code)
		})
	}
}

// Nothing panics: not a kernel that is not there, not a nil one, not a nil context.
func TestNothingPanics(t *testing.T) {
	var nilKernel *tegula.Kernel
	var nilModule *tegula.Module
	for name, test := range map[string]struct {
		kernel *tegula.Kernel
		code   string
	}{
		"no such kernel": {api().Kernel("thrice"), "no-kernel"},
		"a nil kernel":   {nilKernel, "no-kernel"},
		"a nil module":   {nilModule.Kernel("twice"), "no-module"},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, test.kernel.Launch(t.Context(), tegula.CPU(), tegula.Grid{1}), tegula.ErrArgument, test.code)
			_, err := test.kernel.Compile(tegula.CompileOptions{})
			check(t, err, tegula.ErrArgument, test.code)
			check(t, test.kernel.Err(), tegula.ErrArgument, test.code)
		})
	}
	check(t, api().Kernel("twice").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, (*tegula.Kernel)(nil)), tegula.ErrArgument, "no-kernel")
	if _, err := nilModule.Eval("1", nil); !errors.Is(err, tegula.ErrArgument) {
		t.Error(err)
	}
	if names := nilModule.Kernels(); names != nil {
		t.Error(names)
	}
	var noContext context.Context
	if err := api().Kernel("twice").Launch(noContext, tegula.CPU(), tegula.Grid{1}, []float32{1}, 1, tegula.Const("BLOCK", 1)); err != nil {
		t.Error(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	_, err := tegula.Load("k.py", "def f(:\n    pass\nx = = 1\n")
	var list tegula.ErrorList
	if !errors.Is(err, tegula.ErrSyntax) || !errors.As(err, &list) || len(list) < 2 {
		t.Errorf("%v is no list of syntax errors", err)
	}
	if text := tegula.Detail(err); !strings.Contains(text, "k.py:3:5: SyntaxError: invalid syntax\n    x = = 1\n        ^\n") {
		t.Error(text)
	}
	_, err = tegula.LoadFile("testdata/none.py")
	check(t, err, tegula.ErrArgument, "file")
	_, err = tegula.LoadFS(files, "none.py")
	check(t, err, tegula.ErrArgument, "file")
	if _, err := tegula.Load("bytes.py", []byte("x = 1")); err != nil {
		t.Error(err)
	}
}

// A context that ends stops a kernel that would not.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := api().Kernel("forever").Launch(ctx, tegula.CPU(), tegula.Grid{1}, make([]int32, 2))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestPrints(t *testing.T) {
	mod, err := tegula.LoadFS(files, "testdata/api.py") // its own: what static_print says comes once a variant
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := mod.Kernel("says").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, []int32{5}, tegula.Stdout(&b)); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for _, want := range []string{"compiled for", "x: 5\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q, want … %s …", b.String(), want)
		}
	}
}

// Many goroutines launch one kernel; run it with -race.
func TestConcurrent(t *testing.T) {
	mod, err := tegula.LoadFS(files, "testdata/api.py")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for block := 1; block <= 8; block *= 2 {
				x, y := []float32{1, 2, 3}, []int64{1, 2, 3}
				for _, s := range []any{x, y} {
					err := mod.Kernel("twice").Launch(t.Context(), tegula.CPU(), tegula.Grid{tegula.Cdiv(3, block)}, s, 3, tegula.Const("BLOCK", block))
					if err != nil {
						t.Error(err)
					}
				}
				if x[2] != 6 || y[2] != 6 {
					t.Errorf("goroutine %d, block %d: %v, %v", i, block, x, y)
				}
			}
		})
	}
	wg.Wait()
}

func TestPrepared(t *testing.T) {
	x := []int32{1, 2}
	p, err := api().Kernel("twice").Prepare(tegula.CPU(), tegula.GridExpr("cdiv(n, BLOCK)"), x, 2, tegula.Const("BLOCK", 1), tegula.NumWarps(1), tegula.NumStages(2))
	if err != nil {
		t.Fatal(err)
	}
	if g := p.Grid(); g != [3]uint32{2, 1, 1} {
		t.Error(g)
	}
	for range 3 {
		if err := p.Launch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]int32{8, 16}, x); d != "" {
		t.Error(d)
	}
}

func TestCompile(t *testing.T) {
	c, err := api().Kernel("twice").Compile(tegula.CompileOptions{Signature: "x_ptr=*fp16:16, n=i32", Constexprs: map[string]any{"BLOCK": 4}})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	text, err := c.Emit("tile")
	if err != nil || !strings.HasPrefix(string(text), "func @twice(%x_ptr: ptr<f16> {div = 16}, %n: i32)") {
		t.Errorf("%s, %v", text, err)
	}
	if d := cmp.Diff([]string{"ast", "sema", "tile", "ttir", "asm", "metadata"}, c.Stages()); d != "" {
		t.Error(d)
	}
	if _, err := c.Emit("ptx"); !errors.Is(err, tegula.ErrUnsupported) {
		t.Error(err)
	}
	_, err = api().Kernel("twice").Compile(tegula.CompileOptions{Target: "npu", Signature: "*fp16, i32, 4"})
	check(t, err, tegula.ErrArgument, "unknown-target")
	_, err = api().Kernel("twice").Compile(tegula.CompileOptions{Signature: "*fp16, i32, 4", Constexprs: map[string]any{"BLOCK": 4}})
	check(t, err, tegula.ErrArgument, "duplicate-argument")
	_, err = api().Kernel("twice").Compile(tegula.CompileOptions{Signature: "*fp16, i32, 3"})
	if !errors.Is(err, tegula.ErrCompile) {
		t.Error(err)
	}
}

func TestEval(t *testing.T) {
	mod, err := tegula.Load("m.py", "import triton.language as tl\nimport torch\nN = 3\nT = tl.float16\n")
	if err != nil {
		t.Fatal(err)
	}
	array, err := tegula.View([]float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]any{"x": array, "k": 2, "f": tegula.Func(func(args []any, kwargs map[string]any) (any, error) {
		if len(args) == 0 {
			return nil, errors.New("f wants an argument")
		}
		return args[0], nil
	})}
	for expr, want := range map[string]any{
		"None": nil, "True": true, "N + k": int64(5), "1.5": 1.5, "'s'": "s", "(1, [2])": tegula.Tuple{int64(1), tegula.Tuple{int64(2)}},
		"T": tegula.FP16, "x": array, "f(x)": array, "x.shape": tegula.Tuple{int64(2)}, "cdiv(7, k)": int64(4), "x.dtype": tegula.FP32,
		"x.stride(0), x.size(-1), x.ndim, x.element_size()": tegula.Tuple{int64(1), int64(2), int64(1), int64(4)},
	} {
		got, err := mod.Eval(expr, vars)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s = %#v, %v, want %#v", expr, got, err, want)
		}
	}
	for expr, want := range map[string]error{
		"torch.zeros(3)": tegula.ErrUnsupported, "y": tegula.ErrCompile, "f()": tegula.ErrArgument, "x.size(1)": tegula.ErrCompile, "(": tegula.ErrSyntax,
		"x[0]": tegula.ErrCompile, "x.elephants": tegula.ErrCompile, "list(x)": tegula.ErrCompile,
		"x.numel": tegula.ErrArgument,
	} {
		if _, err := mod.Eval(expr, vars); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", expr, err, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, f := range []float32{0, 1, -1.5, 0.25} {
		for name, got := range map[string]interface {
			Float32() float32
			String() string
		}{
			"Float16": tegula.Float16From(f), "BFloat16": tegula.BFloat16From(f), "Float8E4M3": tegula.Float8E4M3From(f), "Float8E5M2": tegula.Float8E5M2From(f),
			"Float8E4B15": tegula.Float8E4B15From(f), "Float8E4M3FNUZ": tegula.Float8E4M3FNUZFrom(f), "Float8E5M2FNUZ": tegula.Float8E5M2FNUZFrom(f),
		} {
			if got.Float32() != f || got.String() != fmt.Sprint(f) {
				t.Errorf("%s of %v is %v, %s", name, f, got.Float32(), got)
			}
		}
	}
	if d, ok := tegula.ParseDType("float8_e4m3fn"); !ok || d != tegula.FP8E4NV {
		t.Error(d, ok)
	}
	if d, ok := tegula.ParseDType("void"); ok {
		t.Error(d)
	}
}

func TestCdiv(t *testing.T) {
	for _, test := range [][3]int{{0, 4, 0}, {1, 4, 1}, {4, 4, 1}, {5, 4, 2}, {5, 0, 0}, {-5, 4, -1}} {
		if got := tegula.Cdiv(test[0], test[1]); got != test[2] {
			t.Errorf("Cdiv(%d, %d) = %d, want %d", test[0], test[1], got, test[2])
		}
	}
	for n, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 2, 3: 4, 1000: 1024, 1 << 40: 1 << 40} {
		if got := tegula.NextPowerOf2(n); got != want {
			t.Errorf("NextPowerOf2(%d) = %d, want %d", n, got, want)
		}
	}
}

// check checks an error's category and code.
func check(t *testing.T, err, category error, code string) {
	t.Helper()
	if !errors.Is(err, category) {
		t.Fatalf("error %v, want a %v", err, category)
	}
	var e *tegula.Error
	if !errors.As(err, &e) || e.Code != code && code != "" {
		t.Errorf("error %v of code %q, want %q", err, e.Code, code)
	}
}

// Who asks for the checker gets it, whatever the executor is.
func TestCheckWins(t *testing.T) {
	for _, env := range []map[string]string{{"TEGULA_CHECK": "1"}, {"TEGULA_CHECK": "1", "TEGULA_CPU": "native"}, {"TEGULA_CPU": "checked"}} {
		for _, k := range []string{"TEGULA_CHECK", "TEGULA_CPU"} {
			t.Setenv(k, env[k])
		}
		x := []int32{1, 2, 3}
		mod, err := tegula.Load("k.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x_ptr):\n    tl.store(x_ptr + 1, 7)\n")
		if err != nil {
			t.Fatal(err)
		}
		err = mod.Kernel("k").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, x[:1])
		check(t, err, tegula.ErrCheck, "out-of-bounds")
	}
}

// A kernel may call functions of files beside its own; what goes wrong there is shown there.
func TestImports(t *testing.T) {
	mod, err := tegula.LoadFS(fstest.MapFS{
		"ops/kernel.py": {Data: []byte("import triton\nfrom .helper import put\n@triton.jit\ndef k(x_ptr):\n    put(x_ptr, 7)\n")},
		"ops/helper.py": {Data: []byte("import triton\nimport triton.language as tl\n@triton.jit\ndef put(ptr, v):\n    tl.store(ptr + 1, v)\n")},
	}, "ops/kernel.py")
	if err != nil {
		t.Fatal(err)
	}
	x := []int32{0, 0}
	if err := mod.Kernel("k").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, x); err != nil || x[1] != 7 {
		t.Errorf("%v, %v", x, err)
	}
	err = mod.Kernel("k").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, x[:1], tegula.Check())
	check(t, err, tegula.ErrCheck, "out-of-bounds")
	if text := tegula.Detail(err); !strings.Contains(text, "ops/helper.py:5:5: CheckError") || !strings.Contains(text, "\n        tl.store(ptr + 1, v)\n        ^~") ||
		!strings.Contains(text, "ops/kernel.py:5:5: note: called from here\n        put(x_ptr, 7)\n") {
		t.Error(text)
	}
}
