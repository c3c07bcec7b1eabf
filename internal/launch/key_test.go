package launch

import (
	"math"
	"math/big"
	"testing"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// Every two of these are different to a compiler, so their keys differ; each is equal to itself.
func TestKeysTell(t *testing.T) {
	fp32 := sema.ScalarType(dtype.Float32)
	i32 := sema.ScalarType(dtype.Int32)
	constant := func(v pyval.Value) sema.ArgSpec { return sema.ArgSpec{IsConst: true, Const: v} }
	specs := []sema.ArgSpec{
		{Type: fp32}, {Type: i32}, {Type: sema.ScalarType(dtype.Uint32)}, {Type: sema.PointerTo(fp32)}, {Type: sema.PointerTo(sema.PointerTo(fp32))},
		{Type: sema.PointerTo(fp32), Divisibility: 16}, {Type: i32, Divisibility: 16}, {Type: i32, Divisibility: 8},
		constant(pyval.None), constant(true), constant(false), constant(int64(1)), constant(1.0), constant(int64(0)), constant(0.0),
		constant(math.Copysign(0, -1)), constant(math.NaN()), constant(math.Inf(1)), constant("1"), constant(""), constant("a"),
		constant(new(big.Int).Lsh(big.NewInt(1), 70)), constant(fp32), constant(i32), constant(sema.LangModule("triton")),
		constant(pyval.NewTuple()), constant(ints(1)), constant(ints(1, 2)), constant(pyval.NewTuple(ints(1), int64(2))),
		constant(pyval.NewTuple(int64(1), ints(2))), constant(pyval.NewList(int64(1))), constant(pyval.NewTuple("ab", "c")),
		constant(pyval.NewTuple("a", "bc")), constant(pyval.Tuple{Elems: []pyval.Value{int64(1)}, Names: []string{"x"}}),
		constant(&sema.Func{Name: "f"}), constant(&sema.Func{Name: "f"}),
		{IsTuple: true}, {IsTuple: true, Tuple: []sema.ArgSpec{{Type: i32}}}, {IsTuple: true, Tuple: []sema.ArgSpec{{Type: i32}}, Names: []string{"x"}},
		{IsTuple: true, Tuple: []sema.ArgSpec{{Type: i32}, {Type: i32}}},
		{IsTuple: true, Tuple: []sema.ArgSpec{{IsTuple: true, Tuple: []sema.ArgSpec{{Type: i32}}}, {Type: i32}}},
	}
	seen := map[string]int{}
	for i := range specs {
		key, err := appendSpec(nil, &specs[i])
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if j, taken := seen[string(key)]; taken {
			t.Errorf("specs %d (%s) and %d (%s) have one key", i, describe(specs[i]), j, describe(specs[j]))
		}
		seen[string(key)] = i
		again, _ := appendSpec(nil, &specs[i])
		if string(again) != string(key) {
			t.Errorf("spec %d has two keys", i)
		}
	}
	// No key is the beginning of another, so that keys of lists of arguments cannot run together.
	for a := range seen {
		for b := range seen {
			if a != b && len(a) < len(b) && b[:len(a)] == a {
				t.Errorf("the key of spec %d begins that of %d", seen[a], seen[b])
			}
		}
	}
}

// Facts that the policy does not ask for make no variants; those that it asks for do.
func TestSpecialise(t *testing.T) {
	aligned := make([]byte, 64)
	array := Array(dtype.Float32, aligned, 16)
	for uintptr(array.address())%16 != 0 {
		aligned = aligned[1:]
		array = Array(dtype.Float32, aligned[:len(aligned)&^3], 0)
	}
	shifted := Array(dtype.Float32, array.Host[4:8], 1)
	all := target.Policy{EqualOne: true, Divisibility: 16}
	i64 := sema.ScalarType(dtype.Int64)
	for name, test := range map[string]struct {
		param  Param
		value  Value
		policy target.Policy
		want   string
	}{
		"equal to one":              {Param{}, Int(1), all, "1"},
		"equal to one, not asked":   {Param{}, Int(1), target.Policy{}, "int32"},
		"equal to one, not allowed": {Param{NoSpecialize: true}, Int(1), all, "int32"},
		"divisible":                 {Param{}, Int(32), all, "int32:16"},
		"divisible, not asked":      {Param{}, Int(32), target.Policy{EqualOne: true}, "int32"},
		"divisible, not allowed":    {Param{NoAlign: true}, Int(32), all, "int32"},
		"not divisible":             {Param{}, Int(33), all, "int32"},
		"one, alignment excluded":   {Param{NoAlign: true}, Int(1), all, "1"},
		"long":                      {Param{}, Int(1 << 40), all, "int64:16"},
		"pointer, aligned":          {Param{}, array, all, "pointer<float32>:16"},
		"pointer, not aligned":      {Param{}, shifted, all, "pointer<float32>"},
		"pointer, not asked":        {Param{}, array, target.Policy{}, "pointer<float32>"},
		"float":                     {Param{}, Float(1), all, "float32"},
		"half":                      {Param{}, FloatOf(dtype.Float16, 1), all, "float16"},
		"bool":                      {Param{}, Bool(true), all, "int1"},
		"None":                      {Param{}, None, all, "None"},
		"constexpr":                 {Param{Constexpr: true}, Int(32), all, "32"},
		"declared":                  {Param{Type: i64}, Int(5), all, "int64"},
		"declared, one":             {Param{Type: i64}, Int(1), all, "1"},
		"declared float":            {Param{Type: sema.ScalarType(dtype.Float64)}, Float(1), all, "float64"},
		"declared float, int given": {Param{Type: sema.ScalarType(dtype.Float64)}, Int(16), all, "float64"},
	} {
		t.Run(name, func(t *testing.T) {
			test.param.Name = "x"
			got, err := kernelOf(test.param).specialise(0, &test.value, test.policy)
			if err != nil || describe(got) != test.want {
				t.Errorf("%s, %v, want %s", describe(got), err, test.want)
			}
		})
	}
}
