package tegula_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
)

// scaleTTIR is scale, below, as Triton prints it.
const scaleTTIR = `
#loc = loc("scale.py":6:0)
module {
  tt.func public @scale(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x_ptr"(#loc)), %factor: f32 loc("factor"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %c64_i32 = arith.constant 64 : i32 loc(#loc1)
    %pid = tt.get_program_id x : i32 loc(#loc1)
    %0 = arith.muli %pid, %c64_i32 : i32 loc(#loc1)
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32> loc(#loc1)
    %1 = tt.splat %0 : i32 -> tensor<64xi32> loc(#loc1)
    %2 = arith.addi %1, %i : tensor<64xi32> loc(#loc1)
    %3 = tt.splat %n : i32 -> tensor<64xi32> loc(#loc1)
    %4 = arith.cmpi slt, %2, %3 : tensor<64xi32> loc(#loc1)
    %5 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>> loc(#loc2)
    %6 = tt.addptr %5, %2 : tensor<64x!tt.ptr<f32>>, tensor<64xi32> loc(#loc2)
    %7 = tt.load %6, %4 : tensor<64x!tt.ptr<f32>> loc(#loc2)
    %8 = tt.splat %factor : f32 -> tensor<64xf32> loc(#loc2)
    %9 = arith.mulf %7, %8 : tensor<64xf32> loc(#loc2)
    tt.store %6, %9, %4 : tensor<64x!tt.ptr<f32>> loc(#loc2)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("scale.py":7:8)
#loc2 = loc("scale.py":8:13)
`

func TestTTIR(t *testing.T) {
	mod, err := tegula.Load("scale.ttir", scaleTTIR)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	if names := mod.Kernels(); len(names) != 1 || names[0] != "scale" {
		t.Errorf("kernels %v", names)
	}
	scale := mod.Kernel("scale")
	x := make([]float32, 100)
	for i := range x {
		x[i] = float32(i)
	}
	if err := scale.Launch(t.Context(), tegula.CPU(), tegula.Grid{2}, x, float32(3), tegula.Arg("n", 100)); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for i := range x {
		if x[i] != float32(3*i) {
			t.Fatalf("element %d is %v", i, x[i])
		}
	}
	for name, c := range map[string]struct {
		args     []any
		category error
		says     string
	}{
		"another type":       {[]any{make([]float64, 100), float32(3), 100}, tegula.ErrArgument, "'x_ptr'"},
		"a number":           {[]any{7, float32(3), 100}, tegula.ErrArgument, "'x_ptr'"},
		"None":               {[]any{nil, float32(3), 100}, tegula.ErrArgument, "'x_ptr'"},
		"too few":            {[]any{x, float32(3)}, tegula.ErrArgument, "'n'"},
		"too large":          {[]any{x, float32(3), 1 << 40}, tegula.ErrArgument, "'n'"},
		"beyond the array":   {[]any{tegula.Check(), x, float32(3), 101}, tegula.ErrCheck, "scale.py:8:13"},
		"a name that is not": {[]any{x, float32(3), 100, tegula.Arg("m", 1)}, tegula.ErrArgument, "'m'"},
	} {
		err := scale.Launch(t.Context(), tegula.CPU(), tegula.Grid{2}, c.args...)
		if !errors.Is(err, c.category) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := []float32{5, 7}
	if err := scale.Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, one, float32(2), 1); err != nil || one[0] != 10 || one[1] != 7 {
		t.Errorf("n is 1: %v, %v", err, one)
	}
}

func TestTTIRRefused(t *testing.T) {
	if _, err := tegula.Load("k.ttir", strings.Replace(scaleTTIR, "arith.mulf %7, %8", "arith.mulf %7, %3", 1)); !errors.Is(err, tegula.ErrSyntax) {
		t.Errorf("%v", err)
	}
	if _, err := tegula.Load("k.ttir", strings.Replace(scaleTTIR, "arith.mulf", "linalg.matmul", 1)); !errors.Is(err, tegula.ErrUnsupported) ||
		!strings.Contains(err.Error(), "k.ttir:17:10") {
		t.Errorf("%v", err)
	}
	if _, err := tegula.LoadFile("no/such/file.ttir"); !errors.Is(err, tegula.ErrArgument) {
		t.Errorf("%v", err)
	}
}

// meaning is what operations that only the reader knows compute of two numbers, as texts of %r in terms of %a and %b.
var meaning = map[string]struct {
	text string
	want func(i int, a, b int32) int32
}{
	"signed product": {"%l, %r = arith.mulsi_extended %a, %b : T", func(_ int, a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) }},
	"lower half":     {"%r, %h = arith.mulsi_extended %a, %b : T", func(_ int, a, b int32) int32 { return a * b }},
	"unsigned product": {"%p:2 = arith.mului_extended %a, %b : T\n%r = arith.addi %p#1, %p#0 : T", func(_ int, a, b int32) int32 {
		wide := uint64(uint32(a)) * uint64(uint32(b))
		return int32(wide>>32) + int32(wide)
	}},
	"carry": {"%s, %o = arith.addui_extended %a, %b : T, tensor<16xi1>\n%r = arith.extui %o : tensor<16xi1> to T", func(_ int, a, b int32) int32 {
		return int32((uint64(uint32(a)) + uint64(uint32(b))) >> 32)
	}},
	"borrow": {"%s, %o = arith.subui_extended %a, %b : T, tensor<16xi1>\n%r = arith.extui %o : tensor<16xi1> to T", func(_ int, a, b int32) int32 {
		if uint32(a) < uint32(b) {
			return 1
		}
		return 0
	}},
	"rounded down": {"%ones = arith.constant dense<1> : T\n%d = arith.ori %b, %ones : T\n%r = arith.floordivsi %a, %d : T", func(_ int, a, b int32) int32 {
		return int32(math.Floor(float64(a) / float64(b|1)))
	}},
	"rounded up": {"%ones = arith.constant dense<1> : T\n%d = arith.ori %b, %ones : T\n%r = arith.ceildivsi %a, %d : T", func(_ int, a, b int32) int32 {
		return int32(math.Ceil(float64(a) / float64(b|1)))
	}},
	"unsigned rounded up": {"%ones = arith.constant dense<1> : T\n%d = arith.ori %b, %ones : T\n%r = arith.ceildivui %a, %d : T", func(_ int, a, b int32) int32 {
		return int32(uint32(math.Ceil(float64(uint32(a)) / float64(uint32(b|1)))))
	}},
	"list":          {"%r = arith.constant dense<[0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, -225]> : T", func(i int, _, _ int32) int32 { return []int32{int32(i * i), -225}[i/15] }},
	"list of lists": {"%t = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<2x8xi32>\n%r = tt.reshape %t : tensor<2x8xi32> -> T", func(i int, _, _ int32) int32 { return int32(i % 8) }},
	"list of one":   {"%t = arith.constant dense<[-7]> : tensor<1xi32>\n%r = tt.broadcast %t : tensor<1xi32> -> T", func(int, int32, int32) int32 { return -7 }},
	"bytes":         {`%t = arith.constant dense<"0x01000200FFFF0400"> : tensor<4xi16>` + "\n%u = arith.extsi %t : tensor<4xi16> to tensor<4xi32>\n%v = tt.expand_dims %u {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>\n%w = tt.broadcast %v : tensor<4x1xi32> -> tensor<4x4xi32>\n%r = tt.reshape %w : tensor<4x4xi32> -> T", func(i int, _, _ int32) int32 { return []int32{1, 2, -1, 4}[i/4] }},
	"truth values":  {"%t = arith.constant dense<[true, false, false, true]> : tensor<4xi1>\n%u = arith.extui %t : tensor<4xi1> to tensor<4xi32>\n%v = tt.expand_dims %u {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>\n%w = tt.broadcast %v : tensor<4x1xi32> -> tensor<4x4xi32>\n%r = tt.reshape %w : tensor<4x4xi32> -> T", func(i int, _, _ int32) int32 { return []int32{1, 0, 0, 1}[i/4] }},
	"library":       {"%f = arith.sitofp %a : T to tensor<16xf32>\n%g = math.copysign %c, %f : tensor<16xf32>\n%h = math.trunc %g : tensor<16xf32>\n%r = arith.fptosi %h : tensor<16xf32> to T", func(_ int, a, _ int32) int32 { return []int32{2, -2}[uint32(a)>>31] }},
	"groups of two": {`%r = "tt.map_elementwise"(%a) <{pack = 2 : i32}> ({
		^bb0(%x0: i32, %x1: i32):
		tt.map_elementwise.return %x1, %x0 : i32, i32
		}) : (T) -> T`, func(i int, a, _ int32) int32 { return meaningA[i^1] }},
	"goto forwards":  {"cf.br ^last(%a : T)\n^last(%r: T):", func(_ int, a, _ int32) int32 { return a }},
	"goto backwards": {"cf.br ^second\n^first(%r: T):\ncf.br ^third\n^second:\n%s = arith.addi %a, %b : T\ncf.br ^first(%s : T)\n^third:", func(_ int, a, b int32) int32 { return a + b }},
	"a loop of jumps": {"cf.br ^head(%zero, %a : i32, T)\n^head(%k: i32, %s: T):\n%more = arith.cmpi slt, %k, %five : i32\n%u = arith.addi %s, %b : T\n" +
		"cf.cond_br %more, ^next, ^out\n^next:\n%j = arith.addi %k, %one : i32\ncf.br ^head(%j, %u : i32, T)\n^out:\n%r = arith.xori %s, %u : T", func(_ int, a, b int32) int32 {
		return (a + 5*b) ^ (a + 6*b)
	}},
	"a switch":     {"cf.switch %five : i32, [\ndefault: ^other(%a : T),\n4: ^other(%a : T),\n5: ^it(%b : T)\n]\n^other(%x: T):\ncf.br ^it(%x : T)\n^it(%r: T):", func(_ int, _, b int32) int32 { return b }},
	"an assertion": {`%ok = arith.cmpi eq, %five, %five : i32` + "\n" + `cf.assert %ok, "no"` + "\n%r = arith.addi %a, %zeros : T", func(_ int, a, _ int32) int32 { return a }},
}

// meaningA is %a.
var meaningA = []int32{0, 1, -1, 7, -7, math.MaxInt32, math.MinInt32, 12345, -98765, 1 << 16, 3, 100, -100, 255, -256, 6}

func TestTTIRMeans(t *testing.T) {
	for name, c := range meaning {
		src := strings.ReplaceAll(`tt.func public @k(%pa: !tt.ptr<i32>, %pb: !tt.ptr<i32>, %pr: !tt.ptr<i32>) {
			%i = tt.make_range {end = 16 : i32, start = 0 : i32} : T
			%one = arith.constant 1 : i32
			%zero = arith.constant 0 : i32
			%five = arith.constant 5 : i32
			%c = arith.constant dense<2.5> : tensor<16xf32>
			%zeros = arith.constant dense<0> : T
			%sa = tt.splat %pa : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
			%aa = tt.addptr %sa, %i : tensor<16x!tt.ptr<i32>>, T
			%a = tt.load %aa : tensor<16x!tt.ptr<i32>>
			%sb = tt.splat %pb : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
			%ab = tt.addptr %sb, %i : tensor<16x!tt.ptr<i32>>, T
			%b = tt.load %ab : tensor<16x!tt.ptr<i32>>
			`+c.text+`
			%sr = tt.splat %pr : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
			%ar = tt.addptr %sr, %i : tensor<16x!tt.ptr<i32>>, T
			tt.store %ar, %r : tensor<16x!tt.ptr<i32>>
			tt.return
		}`, " T", " tensor<16xi32>")
		src = strings.ReplaceAll(strings.ReplaceAll(src, "(T)", "(tensor<16xi32>)"), ", T", ", tensor<16xi32>")
		mod, err := tegula.Load("k.ttir", src)
		if err != nil {
			t.Errorf("%s: %s", name, tegula.Detail(err))
			continue
		}
		a := slices.Clone(meaningA)
		b := []int32{0, -1, -1, 2, 2, math.MaxInt32, 3, -54321, -77777, 1 << 16, -4, 7, 7, math.MinInt32, 16, 5}
		r := make([]int32, 16)
		if err := mod.Kernel("k").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, tegula.Check(), a, b, r); err != nil {
			t.Errorf("%s: %s", name, tegula.Detail(err))
			continue
		}
		for i := range r {
			if want := c.want(i, a[i], b[i]); r[i] != want {
				t.Errorf("%s of %d and %d: %d, want %d", name, a[i], b[i], r[i], want)
			}
		}
	}
}

// TestTTIRKernel takes the first public function, wherever it stands, and calls the others.
func TestTTIRKernel(t *testing.T) {
	mod, err := tegula.Load("k.ttir", `tt.func private @twice(%x: i32) -> i32 {
		%0 = arith.addi %x, %x : i32
		tt.return %0 : i32
	}
	tt.func public @first(%p: !tt.ptr<i32>, %n: i32) {
		%0 = tt.call @twice(%n) : (i32) -> i32
		tt.store %p, %0 : !tt.ptr<i32>
		tt.return
	}
	tt.func public @second(%p: !tt.ptr<i32>) {
		tt.return
	}`)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	if names := mod.Kernels(); !slices.Equal(names, []string{"first"}) {
		t.Fatal(names)
	}
	out := []int32{0}
	if err := mod.Kernel("first").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, out, 21); err != nil || out[0] != 42 {
		t.Errorf("%v, %v", out, err)
	}
}

// TestTTIRDescriptor gives a descriptor for the parameters that Triton makes of one.
func TestTTIRDescriptor(t *testing.T) {
	params := func(x string) string {
		return "%" + x + ": !tt.tensordesc<2x8xf32>, %" + x + ".shape.0: i32, %" + x + ".shape.1: i32, %" + x + ".stride.0: i64, %" + x + ".stride.1: i64"
	}
	mod, err := tegula.Load("move.ttir", `tt.func public @move(`+params("X")+`, %n: i32, `+params("O")+`) {
		%zero = arith.constant 0 : i32
		%x = tt.descriptor_load %X[%n, %zero] : !tt.tensordesc<2x8xf32> -> tensor<2x8xf32>
		tt.descriptor_store %O[%zero, %n], %x : !tt.tensordesc<2x8xf32>, tensor<2x8xf32>
		tt.return
	}`)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	move := mod.Kernel("move")
	x, out := make([]float32, 64), make([]float32, 64)
	for i := range x {
		x[i] = float32(i)
	}
	desc := func(a []float32, block ...int) tegula.Descriptor {
		return tegula.Descriptor{Array: a, Shape: []int{4, 12}, Strides: []int{16, 1}, Block: block}
	}
	if err := move.Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, tegula.Check(), desc(x, 2, 8), int32(3), desc(out, 2, 8)); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for i, got := range out {
		want := float32(0)
		if row, col := i/16, i%16; row == 0 && col >= 3 && col < 11 { // row 4 of x is outside, and so zero
			want = x[3*16+col-3]
		}
		if got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	for name, args := range map[string][]any{
		"another block": {desc(x, 4, 8), int32(3), desc(out, 2, 8)},
		"an array":      {x, int32(3), desc(out, 2, 8)},
		"too few":       {desc(x, 2, 8), int32(3)},
		"not a number":  {desc(x, 2, 8), desc(x, 2, 8), desc(out, 2, 8)},
	} {
		if err := move.Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, args...); !errors.Is(err, tegula.ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
