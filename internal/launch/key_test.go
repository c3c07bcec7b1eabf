package launch

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/exact"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// deviceWith makes a device of this process's memory with a policy.
func deviceWith(p target.Policy) *onDevice {
	on := &onDevice{policy: p}
	on.facts = factsOf(p)
	return on
}

var everyFact = target.Policy{EqualOne: true, Divisibility: 16}

// keyOf gives the key of arguments.
func keyOf(t interface{ Fatal(...any) }, k *Kernel, on *onDevice, values ...Value) string {
	o := Options{NumWarps: 4, NumStages: 3, NumCTAs: 1}
	key, hash, err := k.appendKey(nil, &o, values, on)
	if err != nil {
		t.Fatal(err)
	}
	if _, again, _ := k.appendKey(make([]byte, 0, 500), &o, values, on); again != hash {
		t.Fatal("a key has two hashes")
	}
	return string(key)
}

// Every two of these are different to a compiler, so their keys differ; each is equal to itself.
func TestKeysTell(t *testing.T) {
	memory := make([]byte, 64)
	for i := range memory {
		if v := Array(dtype.Int8, memory[i:]); v.Bits%16 == 0 {
			memory = memory[i:]
			break
		}
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	constant := func(v pyval.Value) Value { return fixed(FromPython(v)) }
	values := []Value{
		Int(0), Int(2), Int(1), Int(1 << 40), Int(1<<40 + 1), Uint(1 << 63), Uint(1<<63 + 1), Float(1), FloatOf(dtype.Float16, 1), Bool(true), None,
		Array(dtype.Float32, memory), Array(dtype.Float32, memory[4:]), Array(dtype.Int32, memory),
		constant(true), constant(false), constant(int64(0)), constant(int64(-1)), constant(int64(2)), constant(1.0), constant(0.0),
		constant(math.Copysign(0, -1)), constant(math.NaN()), constant(math.Inf(1)), Const("1"), Const(""), Const("a"), Const(huge),
		fixed(Uint(1 << 63)), fixed(Uint(1<<63 + 1)),
		Const(sema.ScalarType(dtype.Int32)), Const(sema.PointerTo(sema.ScalarType(dtype.Int32))), Const(sema.LangModule("triton")),
		Const(&sema.Func{Name: "f"}), Const(&sema.Func{Name: "f"}), Const(pyval.NewList(int64(1))), Const(pyval.NewTuple()), Const(ints(1, 2)),
		Const(pyval.NewTuple(ints(1), int64(2))), Const(pyval.NewTuple(int64(1), ints(2))), Const(pyval.NewTuple("ab", "c")), Const(pyval.NewTuple("a", "bc")),
		Const(pyval.Tuple{Elems: []pyval.Value{int64(1)}, Names: []string{"x"}}),
		tupleOf(), tupleOf(Int(2)), tupleOf(Int(1)), tupleOf(Int(16)), tupleOf(Int(2), Int(2)), tupleOf(tupleOf(Int(2)), Int(2)), tupleOf(Int(2), tupleOf(Int(2))),
		{Kind: KindTuple, Const: &Tuple{Elems: []Value{Int(2)}, Names: []string{"x"}}},
	}
	k, on := kernelOf(Param{Name: "a"}), deviceWith(everyFact)
	seen := map[string]int{}
	for i := range values {
		if values[i].Const == pyval.Value(huge) {
			values[i].Fix() // it is an argument as a constant only
		}
		key := keyOf(t, k, on, values[i])
		if j, taken := seen[key]; taken {
			t.Errorf("values %d (%s) and %d (%s) have one key", i, pyval.Repr(values[i].Python()), j, pyval.Repr(values[j].Python()))
		}
		seen[key] = i
	}
}

// Options are part of the key, each of them.
func TestKeysTellOptions(t *testing.T) {
	k, on := kernelOf(), deviceWith(everyFact)
	seen := map[string]Options{}
	for _, o := range []Options{
		{4, 3, 1, 0, 0, false, false, false, false}, {8, 3, 1, 0, 0, false, false, false, false}, {4, 2, 1, 0, 0, false, false, false, false}, {4, 3, 2, 0, 0, false, false, false, false},
		{4, 3, 1, 1, 0, false, false, false, false}, {4, 3, 1, 16, 0, false, false, false, false}, {4, 3, 1, 64, 0, false, false, false, false},
		{4, 3, 1, 0, 0, true, false, false, false}, {4, 3, 1, 0, 0, true, true, false, false}, {4, 3, 1, 0, 0, true, true, true, false},
		{4, 3, 1, 0, 0, false, false, false, true},
		{4, 3, 1, 0, 32, false, false, false, false}, {4, 3, 1, 0, 255, false, false, false, false},
	} {
		key, _, err := k.appendKey(nil, &o, nil, on)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := seen[string(key)]; taken {
			t.Errorf("%+v and %+v have one key", o, other)
		}
		seen[string(key)] = o
	}
}

// A number that is 1 and the constant 1 are the same to the compiler where the device asks for such numbers, and only there.
func TestKeyOfOne(t *testing.T) {
	k := kernelOf(Param{Name: "a"})
	for _, policy := range []target.Policy{{EqualOne: true}, {}} {
		on := deviceWith(policy)
		if same := keyOf(t, k, on, Int(1)) == keyOf(t, k, on, fixed(Int(1))); same != policy.EqualOne {
			t.Errorf("%+v: same key: %v", policy, same)
		}
	}
}

// Two lists of arguments have the same key exactly if the compiler is told the same of them: the
// key is made in one way and what the compiler is told in another.
func TestKeyIsWhatTheCompilerKnows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := target.Policy{EqualOne: rapid.Bool().Draw(t, "one"), Divisibility: rapid.SampledFrom([]int64{0, 8, 16}).Draw(t, "divisibility")}
		on := deviceWith(policy)
		params := make([]Param, rapid.IntRange(0, 6).Draw(t, "params"))
		for i := range params {
			params[i] = rapid.SampledFrom([]Param{
				{}, {}, {Constexpr: true}, {NoSpecialize: true}, {NoAlign: true},
				{Type: sema.ScalarType(dtype.Int64)}, {Type: sema.ScalarType(dtype.Float64)}, {Type: sema.ScalarType(dtype.Uint8)},
			}).Draw(t, "param")
			params[i].Name = string(rune('a' + i))
		}
		k := kernelOf(params...)
		a, b := drawValues(t, k), drawValues(t, k)
		if rapid.Bool().Draw(t, "alike") {
			copy(b, a[:rapid.IntRange(0, len(a)).Draw(t, "same")])
		}
		sameKey := keyOf(t, k, on, a...) == keyOf(t, k, on, b...)
		if sameSpecs := specsOf(k, a, policy) == specsOf(k, b, policy); sameKey != sameSpecs {
			t.Fatalf("same key: %v, same to the compiler: %v", sameKey, sameSpecs)
		}
	})
}

var someMemory = make([]byte, 128)

// drawValues draws arguments that the parameters take.
func drawValues(t *rapid.T, k *Kernel) []Value {
	values := make([]Value, len(k.params))
	for i := range values {
		values[i] = drawValue(t, &k.params[i])
	}
	return values
}

func drawValue(t *rapid.T, p *Param) Value {
	n := rapid.SampledFrom([]int64{0, 1, 2, 8, 16, 100, 1 << 33}).Draw(t, "n")
	if p.declared() {
		return Int(n % 200)
	}
	kinds := []string{"int", "float", "bool", "None", "uint", "str", "fixed", "half"}
	if !p.Constexpr {
		kinds = append(kinds, "array", "tuple")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "float":
		return Float(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, math.NaN()}).Draw(t, "f"))
	case "half":
		return FloatOf(dtype.Float16, 1)
	case "bool":
		return Bool(rapid.Bool().Draw(t, "b"))
	case "None":
		return None
	case "uint":
		return Uint(1<<63 + uint64(n))
	case "str":
		return Const(rapid.SampledFrom([]string{"", "a", "ab"}).Draw(t, "s"))
	case "fixed":
		return fixed(Int(n))
	case "array":
		d := rapid.SampledFrom([]dtype.DType{dtype.Int8, dtype.Float32}).Draw(t, "dtype")
		return Array(d, someMemory[rapid.IntRange(0, 16).Draw(t, "offset"):])
	case "tuple":
		elems := make([]Value, rapid.IntRange(0, 2).Draw(t, "elems"))
		for i := range elems {
			elems[i] = drawValue(t, &Param{})
		}
		return tupleOf(elems...)
	}
	return Int(n)
}

// specsOf gives what the compiler is told of arguments, as a text.
func specsOf(k *Kernel, values []Value, p target.Policy) string {
	var b []byte
	for i := range values {
		b = appendSpec(b, k.specialise(i, &values[i], p))
	}
	return string(b)
}

func appendSpec(b []byte, s sema.ArgSpec) []byte {
	switch {
	case s.IsConst:
		b, _ = exact.AppendIdentity(append(b, 'c'), s.Const)
	case s.IsTuple:
		b = binary.AppendUvarint(append(b, 't'), uint64(len(s.Tuple)))
		for _, e := range s.Tuple {
			b = appendSpec(b, e)
		}
	default:
		b = append(append(b, 'r'), s.Type.String()...)
		b = binary.AppendVarint(b, s.Divisibility)
	}
	return b
}

// Facts that the policy does not ask for make no variants; those that it asks for do.
func TestSpecialise(t *testing.T) {
	memory := make([]byte, 64)
	for Array(dtype.Int8, memory).Bits%16 != 0 {
		memory = memory[1:]
	}
	array, shifted := Array(dtype.Float32, memory), Array(dtype.Float32, memory[4:8])
	i64 := sema.ScalarType(dtype.Int64)
	for name, test := range map[string]struct {
		param  Param
		value  Value
		policy target.Policy
		want   string
	}{
		"equal to one":              {Param{}, Int(1), everyFact, "1"},
		"equal to one, not asked":   {Param{}, Int(1), target.Policy{}, "int32"},
		"equal to one, not allowed": {Param{NoSpecialize: true}, Int(1), everyFact, "int32"},
		"divisible":                 {Param{}, Int(32), everyFact, "int32:16"},
		"divisible, not asked":      {Param{}, Int(32), target.Policy{EqualOne: true}, "int32"},
		"divisible, not allowed":    {Param{NoAlign: true}, Int(32), everyFact, "int32"},
		"not divisible":             {Param{}, Int(33), everyFact, "int32"},
		"one, alignment excluded":   {Param{NoAlign: true}, Int(1), everyFact, "1"},
		"long":                      {Param{}, Int(1 << 40), everyFact, "int64:16"},
		"pointer, aligned":          {Param{}, array, everyFact, "pointer<float32>:16"},
		"pointer, not aligned":      {Param{}, shifted, everyFact, "pointer<float32>"},
		"pointer, not asked":        {Param{}, array, target.Policy{}, "pointer<float32>"},
		"pointer, not allowed":      {Param{NoSpecialize: true}, array, everyFact, "pointer<float32>"},
		"float":                     {Param{}, Float(1), everyFact, "float32"},
		"half":                      {Param{}, FloatOf(dtype.Float16, 1), everyFact, "float16"},
		"bool":                      {Param{}, Bool(true), everyFact, "int1"},
		"None":                      {Param{}, None, everyFact, "None"},
		"constexpr":                 {Param{Constexpr: true}, Int(32), everyFact, "32"},
		"fixed":                     {Param{}, fixed(Int(32)), everyFact, "32"},
		"declared":                  {Param{Type: i64}, Int(5), everyFact, "int64"},
		"declared, one":             {Param{Type: i64}, Int(1), everyFact, "1"},
		"declared float":            {Param{Type: sema.ScalarType(dtype.Float64)}, Float(1), everyFact, "float64"},
		"declared float, int given": {Param{Type: sema.ScalarType(dtype.Float64)}, Int(16), everyFact, "float64"},
	} {
		t.Run(name, func(t *testing.T) {
			test.param.Name = "x"
			if got := describe(kernelOf(test.param).specialise(0, &test.value, test.policy)); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// What no variant takes is refused with the key, so before anything is compiled.
func TestKeyRefuses(t *testing.T) {
	elsewhere, another := driver.PlaceOf("somewhere", 0), driver.PlaceOf("somewhere", 1)
	at := func(p driver.Place) Value {
		v := Array(dtype.Int8, nil)
		v.Place = p
		return v
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 100)
	declared := Param{Type: sema.ScalarType(dtype.Int8)}
	for name, test := range map[string]struct {
		params []Param
		values []Value
		code   string
		msg    string
	}{
		"a constexpr array":        {[]Param{{Constexpr: true}}, []Value{Array(dtype.Int8, nil)}, "constexpr-array", "argument 'a' of k is a constant and cannot be an array of int8"},
		"a constexpr tuple of it":  {[]Param{{Constexpr: true}}, []Value{tupleOf(Array(dtype.Int8, nil))}, "constexpr-array", "cannot be a tuple"},
		"a huge integer":           {[]Param{{}}, []Value{Const(huge)}, "integer-too-large", "argument 'a' of k does not fit 64 bits: 1267650600228229401496703205376"},
		"more than its type holds": {[]Param{declared}, []Value{Int(128)}, "out-of-range", "argument 'a' of k is declared int8, which does not hold 128"},
		"another type":             {[]Param{declared}, []Value{Float(1)}, "dtype", "argument 'a' of k is declared int8 and cannot be a float"},
		"no constant":              {[]Param{{}}, []Value{Const(struct{}{})}, "constant", "argument 'a' of k: a value of type"},
		"another device":           {[]Param{{}}, []Value{at(elsewhere)}, "wrong-device", "argument 'a' of k is in the memory of somewhere:0, but the launch is on cpu"},
		"CPU and GPU":              {[]Param{{}, {}}, []Value{at(driver.Place{}), at(elsewhere)}, "mixed-devices", "argument 'b' of k is in the memory of somewhere:0, but 'a' is in that of cpu"},
		"two devices":              {[]Param{{}, {}, {}}, []Value{at(elsewhere), Int(1), at(another)}, "multiple-devices", "argument 'c' of k is on somewhere:1, but 'a' is on somewhere:0"},
		"in a tuple":               {[]Param{{}, {}}, []Value{Array(dtype.Int8, nil), tupleOf(at(elsewhere))}, "mixed-devices", "argument 'b'"},
		"not specialised":          {[]Param{{NoSpecialize: true}}, []Value{at(elsewhere)}, "wrong-device", "argument 'a'"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range test.params {
				test.params[i].Name = string(rune('a' + i))
			}
			_, _, err := kernelOf(test.params...).appendKey(nil, &Options{}, test.values, deviceWith(everyFact))
			checkError(t, err, diag.Argument, test.code, test.msg)
		})
	}
}
