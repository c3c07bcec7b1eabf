package exact

import (
	"bytes"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

func dict(pairs ...pyval.Value) *pyval.Dict {
	d := &pyval.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		if err := d.Set(pairs[i], pairs[i+1]); err != nil {
			panic(err)
		}
	}
	return d
}

func set(elems ...pyval.Value) *pyval.Set {
	s := &pyval.Set{}
	for _, e := range elems {
		if err := s.Add(e); err != nil {
			panic(err)
		}
	}
	return s
}

// A boxed value behaves as a number, but is none.
type boxed struct{ v pyval.Value }

func (b *boxed) Unbox() pyval.Value { return b.v }

// An object has nothing but its identity.
type object struct{ _ int }

func (*object) TypeName() string { return "object" }

// function parses a def.
func function(name, src string) *sema.Func {
	f := syntax.NewFile(name, []byte(src))
	m, errs := syntax.Parse(f)
	if errs != nil {
		panic(errs)
	}
	def := m.Body[len(m.Body)-1].(*syntax.FunctionDef)
	return &sema.Func{Name: def.Name, File: f, Def: def}
}

// Every two of these differ to a compiler.
func different() []pyval.Value {
	frozen := set(int64(1))
	frozen.Frozen = true
	return []pyval.Value{
		pyval.None, true, false, int64(0), int64(1), int64(-1), int64(math.MinInt64), 0.0, math.Copysign(0, -1), 1.0, math.NaN(),
		math.Float64frombits(0x7ff8_0000_0000_0002), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64,
		"", "1", "a", "ab", "None", new(big.Int).Lsh(big.NewInt(1), 64), new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 64)),
		pyval.NewTuple(), pyval.NewTuple(int64(1)), pyval.NewTuple(1.0), pyval.NewTuple(int64(1), int64(2)), pyval.NewTuple(pyval.NewTuple(int64(1)), int64(2)),
		pyval.NewTuple(int64(1), pyval.NewTuple(int64(2))), pyval.NewTuple("ab", "c"), pyval.NewTuple("a", "bc"),
		pyval.Tuple{Elems: []pyval.Value{int64(1)}, Names: []string{"x"}}, pyval.Tuple{Elems: []pyval.Value{int64(1)}, Names: []string{"y"}},
		pyval.NewList(), pyval.NewList(int64(1)), pyval.NewList(true), dict(), dict("a", int64(1)), dict("a", 1.0), dict("b", int64(1)),
		dict("a", int64(1), "b", int64(2)), dict("b", int64(2), "a", int64(1)), set(), set(int64(1)), frozen,
		pyval.Range{Start: 0, Stop: 1, Step: 1}, pyval.Range{Start: 0, Stop: 2, Step: 1}, pyval.Slice{Start: int64(0), Stop: pyval.None, Step: pyval.None}, pyval.Ellipsis,
		sema.ScalarType(dtype.Int32), sema.ScalarType(dtype.Uint32), sema.PointerTo(sema.ScalarType(dtype.Int32)), sema.LangModule("triton"), sema.LangModule("triton.language"),
		&sema.Builtin{Name: "load"}, &sema.Builtin{Name: "store"}, &boxed{int64(1)}, &boxed{int64(2)},
		function("a.py", "def f(): pass"), function("a.py", "def f(): return"), function("b.py", "def f(): pass"), function("a.py", "\ndef f(): pass"),
	}
}

// What differs to a compiler has encodings that differ, by identity and by content; none begins
// another; and each value has one.
func TestEncodingsTell(t *testing.T) {
	for name, encode := range map[string]func(pyval.Value) []byte{
		"identity": func(v pyval.Value) []byte {
			b, ok := AppendIdentity(nil, v)
			if !ok {
				t.Errorf("%v has no identity", v)
			}
			return b
		},
		"content": func(v pyval.Value) []byte { return AppendContent(nil, v) },
	} {
		t.Run(name, func(t *testing.T) {
			values := different()
			encodings := make([][]byte, len(values))
			for i, v := range values {
				encodings[i] = encode(v)
				if again := encode(v); !bytes.Equal(again, encodings[i]) {
					t.Errorf("%s has two encodings", pyval.Repr(v))
				}
			}
			for i, a := range encodings {
				for j, b := range encodings {
					if i != j && bytes.HasPrefix(b, a) {
						t.Errorf("the encoding of %s begins that of %s", pyval.Repr(values[i]), pyval.Repr(values[j]))
					}
				}
			}
		})
	}
}

// What is made anew with the same content has the same encoding by content; functions and objects
// are told by identity if that is asked for.
func TestContentAndIdentity(t *testing.T) {
	first, second := different(), different()
	for i := range first {
		if !bytes.Equal(AppendContent(nil, first[i]), AppendContent(nil, second[i])) {
			t.Errorf("%s: the same content has two encodings", pyval.Repr(first[i]))
		}
	}
	f, g := function("a.py", "def f(): pass"), function("a.py", "def f(): pass")
	for _, pair := range [][2]pyval.Value{{f, g}, {&object{}, &object{1}}} {
		a, okA := AppendIdentity(nil, pair[0])
		b, okB := AppendIdentity(nil, pair[1])
		if bytes.Equal(a, b) || !okA || !okB {
			t.Errorf("two of type %s have one identity", pyval.TypeName(pair[0]))
		}
		if !bytes.Equal(AppendContent(nil, pair[0]), AppendContent(nil, pair[1])) {
			t.Errorf("two of type %s have two contents", pyval.TypeName(pair[0]))
		}
	}
	if _, ok := AppendIdentity(nil, pyval.NewTuple(struct{}{})); ok {
		t.Error("what has no identity has one")
	}
}

// A list that holds itself ends.
func TestEndless(t *testing.T) {
	list := pyval.NewList()
	list.Elems = append(list.Elems, list)
	if b, ok := AppendIdentity(nil, list); !ok || len(b) > 1000 {
		t.Errorf("%d bytes, %v", len(b), ok)
	}
}

// Numbers have the same encoding however it is asked for.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, f, s, b := rapid.Int64().Draw(t, "n"), rapid.Float64().Draw(t, "f"), rapid.String().Draw(t, "s"), rapid.Bool().Draw(t, "b")
		for _, pair := range [][2][]byte{
			{AppendInt(nil, n), AppendContent(nil, n)}, {AppendFloat(nil, f), AppendContent(nil, f)},
			{AppendStr(nil, s), AppendContent(nil, s)}, {AppendBool(nil, b), AppendContent(nil, b)},
		} {
			if !bytes.Equal(pair[0], pair[1]) {
				t.Fatalf("%x and %x", pair[0], pair[1])
			}
		}
	})
}
