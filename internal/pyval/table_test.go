package pyval

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/syntax"
)

func pow2(n uint) Value { return Int(new(big.Int).Lsh(big.NewInt(1), n)) }

// TestBinary holds answers of CPython 3.11, so that they are checked where there is no Python.
func TestBinary(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		a    Value
		op   syntax.Op
		b    Value
		want string
	}{
		{int64(math.MaxInt64), syntax.Add, int64(1), "int 9223372036854775808"},
		{int64(math.MinInt64), syntax.Sub, int64(1), "int -9223372036854775809"},
		{pow2(63), syntax.Sub, int64(1), "int 9223372036854775807"},
		{int64(math.MinInt64), syntax.Mult, int64(-1), "int 9223372036854775808"},
		{int64(1 << 32), syntax.Mult, int64(1 << 31), "int 9223372036854775808"},
		{int64(math.MinInt64), syntax.FloorDiv, int64(-1), "int 9223372036854775808"},
		{int64(-7), syntax.FloorDiv, int64(2), "int -4"},
		{int64(7), syntax.FloorDiv, int64(-2), "int -4"},
		{int64(-7), syntax.Mod, int64(2), "int 1"},
		{int64(7), syntax.Mod, int64(-2), "int -1"},
		{int64(-6), syntax.Mod, int64(2), "int 0"},
		{pow2(70), syntax.Mod, int64(-3), "int -2"},
		{int64(1), syntax.Div, int64(3), "float 0.3333333333333333"},
		{int64(9007199254740993), syntax.Div, int64(1), "float 9007199254740992.0"},
		{int64(0), syntax.Div, int64(-5), "float -0.0"},
		{pow2(2000), syntax.Div, pow2(1990), "float 1024.0"},
		{pow2(2000), syntax.Div, int64(1), "!OverflowError"},
		{int64(1), syntax.Div, pow2(1074), "float 5e-324"},
		{int64(1), syntax.Div, int64(0), "!ZeroDivisionError"},
		{int64(-2), syntax.Pow, int64(3), "int -8"},
		{int64(2), syntax.Pow, int64(-1), "float 0.5"},
		{int64(0), syntax.Pow, int64(-1), "!ZeroDivisionError"},
		{int64(-1), syntax.Pow, pow2(70), "int 1"},
		{int64(10), syntax.Pow, int64(25), "int 10000000000000000000000000"},
		{int64(10), syntax.Pow, pow2(40), "!MemoryError"},
		{2.0, syntax.Pow, 0.5, "float 1.4142135623730951"},
		{-8.0, syntax.Pow, 3.0, "float -512.0"},
		{10.0, syntax.Pow, int64(400), "!OverflowError"},
		{int64(1), syntax.LShift, int64(63), "int 9223372036854775808"},
		{int64(1), syntax.LShift, int64(-1), "!ValueError"},
		{int64(1), syntax.LShift, pow2(40), "!MemoryError"},
		{int64(-1), syntax.RShift, pow2(40), "int -1"},
		{int64(-5), syntax.RShift, int64(1), "int -3"},
		{int64(-1), syntax.BitAnd, pow2(64), "int 18446744073709551616"},
		{true, syntax.BitXor, true, "bool False"},
		{true, syntax.BitOr, int64(2), "int 3"},
		{true, syntax.Add, true, "int 2"},
		{-7.5, syntax.FloorDiv, 2.0, "float -4.0"},
		{-7.5, syntax.Mod, 2.0, "float 0.5"},
		{7.5, syntax.Mod, -2.0, "float -0.5"},
		{negZero, syntax.Mod, 3.0, "float 0.0"},
		{4.0, syntax.Mod, -2.0, "float -0.0"},
		{negZero, syntax.FloorDiv, 3.0, "float -0.0"},
		{1.0, syntax.FloorDiv, inf, "float 0.0"},
		{-1.0, syntax.FloorDiv, inf, "float -1.0"},
		{-1.0, syntax.Mod, inf, "float inf"},
		{inf, syntax.Sub, inf, "float nan"},
		{nan, syntax.Mult, int64(0), "float nan"},
		{1.0, syntax.Add, pow2(2000), "!OverflowError"},
		{1.5, syntax.BitAnd, int64(1), "!TypeError"},
		{"ab", syntax.Add, "c", "str 'abc'"},
		{"ab", syntax.Add, int64(1), "!TypeError"},
		{"ab", syntax.Mult, int64(-1), "str ''"},
		{int64(2), syntax.Mult, NewTuple(int64(1), "x"), "tuple (1, 'x', 1, 'x')"},
		{NewList(int64(1)), syntax.Add, NewList(2.0), "list [1, 2.0]"},
		{NewList(int64(1)), syntax.Add, NewTuple(), "!TypeError"},
		{NewList(int64(1)), syntax.Mult, int64(1 << 40), "!MemoryError"},
		{"%s is %05.1f", syntax.Mod, NewTuple("x", 2.25), "str 'x is 002.2'"},
		{None, syntax.Add, int64(1), "!TypeError"},
	} {
		if got := answer(Binary(c.op, c.a, c.b)); got != c.want {
			t.Errorf("%s %s %s is %s, want %s", Repr(c.a), opNames[c.op], Repr(c.b), got, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		a    Value
		op   syntax.Op
		b    Value
		want string
	}{
		{int64(1), syntax.Eq, 1.0, "bool True"},
		{true, syntax.Eq, 1.0, "bool True"},
		{int64(1<<53 + 1), syntax.Eq, float64(1 << 53), "bool False"},
		{int64(1<<53 + 1), syntax.Gt, float64(1 << 53), "bool True"},
		{pow2(2000), syntax.Gt, math.MaxFloat64, "bool True"},
		{pow2(2000), syntax.Lt, math.Inf(1), "bool True"},
		{nan, syntax.Eq, nan, "bool False"},
		{nan, syntax.NotEq, nan, "bool True"},
		{nan, syntax.Is, nan, "bool True"},
		{int64(1), syntax.Lt, nan, "bool False"},
		{0.0, syntax.Eq, math.Copysign(0, -1), "bool True"},
		{int64(1), syntax.Lt, "a", "!TypeError"},
		{int64(1), syntax.Eq, "a", "bool False"},
		{"a", syntax.Lt, "b", "bool True"},
		{NewTuple(int64(1), "a"), syntax.Lt, NewTuple(1.0, "b"), "bool True"},
		{NewTuple(int64(1)), syntax.Lt, NewTuple(int64(1), nan), "bool True"},
		{NewTuple(int64(1)), syntax.Eq, NewList(int64(1)), "bool False"},
		{NewList(int64(1), NewTuple(true)), syntax.Eq, NewList(1.0, NewTuple(int64(1))), "bool True"},
		{int64(2), syntax.In, NewTuple(int64(1), 2.0), "bool True"},
		{"bc", syntax.In, "abcd", "bool True"},
		{int64(1), syntax.In, "abcd", "!TypeError"},
		{2.0, syntax.In, Range{0, 10, 2}, "bool True"},
		{int64(3), syntax.NotIn, Range{0, 10, 2}, "bool True"},
		{int64(1), syntax.In, int64(1), "!TypeError"},
		{None, syntax.Is, None, "bool True"},
		{int64(1), syntax.Is, true, "bool False"},
		{None, syntax.IsNot, int64(0), "bool True"},
		{NewList(), syntax.Is, NewList(), "bool False"},
		{Range{0, 3, 2}, syntax.Eq, Range{0, 4, 2}, "bool True"},
	} {
		if got := answer(boolOrError(Compare(c.op, c.a, c.b))); got != c.want {
			t.Errorf("%s %s %s is %s, want %s", Repr(c.a), opNames[c.op], Repr(c.b), got, c.want)
		}
	}
}

func TestIdentical(t *testing.T) {
	object := new(int)
	distinct := []Value{
		int64(0), int64(1), 1.0, true, false, 0.0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(0x7ff8000000000002), "", "1", None,
		pow2(64), NewTuple(), NewTuple(int64(1)), NewTuple(1.0), NewTuple(true), Tuple{Elems: []Value{int64(1)}, Names: []string{"a"}},
		Tuple{Elems: []Value{int64(1)}, Names: []string{"b"}}, NewList(), NewList(int64(1)), Range{0, 1, 1}, Range{0, 1, 2}, object, new(int),
		NewTuple(NewTuple(int64(1))), Ellipsis, &Dict{}, &Set{}, &Set{Frozen: true},
	}
	for i, a := range distinct {
		for j, b := range distinct {
			if got := Identical(a, b); got != (i == j) {
				t.Errorf("Identical(%s, %s) is %v", Repr(a), Repr(b), got)
			}
		}
	}
	for _, pair := range [][2]Value{
		{pow2(64), pow2(64)}, {math.NaN(), math.NaN()}, {NewTuple(pow2(64), NewList(math.NaN())), NewTuple(pow2(64), NewList(math.NaN()))},
	} {
		if !Identical(pair[0], pair[1]) {
			t.Errorf("%s is not identical to itself", Repr(pair[0]))
		}
	}
}

// TestBounds: values that contain themselves, or share so much that walking them would not end.
func TestBounds(t *testing.T) {
	loop := NewList()
	loop.Elems = append(loop.Elems, loop)
	twin := NewList()
	twin.Elems = append(twin.Elems, twin)
	var wide, wide2 Value = NewTuple(int64(1)), NewTuple(int64(1))
	for range 60 {
		wide, wide2 = NewTuple(wide, wide), NewTuple(wide2, wide2)
	}
	if _, err := Equal(loop, twin); err == nil {
		t.Error("two lists that contain themselves can be compared")
	}
	if _, err := Compare(syntax.Lt, wide, wide2); err == nil {
		t.Error("two huge tuples can be compared")
	}
	if Identical(wide, wide2) {
		t.Error("huge tuples are identical without a look at all elements")
	}
	if !Identical(wide, wide) || !Identical(loop, loop) {
		t.Error("a value is not identical to itself")
	}
	if err := (&Dict{}).Set(wide, None); err == nil {
		t.Error("a huge tuple can be a key")
	}
	for _, v := range []Value{loop, wide} {
		if s := Repr(v); len(s) > 2*MaxLen || !strings.Contains(s, "...") {
			t.Errorf("a repr of %d bytes", len(s))
		}
	}
}

func TestDict(t *testing.T) {
	d := &Dict{}
	keys := []Value{int64(1), "a", NewTuple(int64(1), NewTuple("x", 2.5)), None, pow2(70), 0.5}
	for i, k := range keys {
		if err := d.Set(k, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	for i, same := range []Value{1.0, "a", NewTuple(true, NewTuple("x", 2.5)), None, math.Exp2(70), 0.5} {
		if v, ok, err := d.Get(same); v != Value(int64(i)) || !ok || err != nil {
			t.Errorf("d[%s] is %v (%v, %v), want %d", Repr(same), v, ok, err, i)
		}
	}
	for _, bad := range []Value{NewList(), &Dict{}, &Set{}, NewTuple(NewList())} {
		if _, _, err := d.Get(bad); answer(nil, err) != "!TypeError" {
			t.Errorf("d[%s]: %v", Repr(bad), err)
		}
	}
	if _, ok, err := d.Delete("a"); !ok || err != nil {
		t.Error(ok, err)
	}
	if err := d.Set("a", "again"); err != nil {
		t.Fatal(err)
	}
	const want = "{1: 0, (1, ('x', 2.5)): 2, None: 3, 1180591620717411303424: 4, 0.5: 5, 'a': 'again'}"
	if got := Repr(d); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i := range int64(1000) { // deleting keeps the order and the memory small
		if err := d.Set(i, i); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := d.Delete(i); !ok || err != nil {
			t.Fatal(i, ok, err)
		}
	}
	if len(d.entries) > 40 {
		t.Errorf("%d places for %d keys", len(d.entries), d.Len())
	}
}

func TestLiteral(t *testing.T) {
	for _, c := range []struct {
		kind syntax.ConstKind
		text string
		want string
	}{
		{syntax.ConstInt, "1_000", "int 1000"},
		{syntax.ConstInt, "0xFF_ff", "int 65535"},
		{syntax.ConstInt, "0b1010", "int 10"},
		{syntax.ConstInt, "0o17", "int 15"},
		{syntax.ConstInt, "00", "int 0"},
		{syntax.ConstInt, "0x8000000000000000", "int 9223372036854775808"},
		{syntax.ConstInt, "9" + strings.Repeat("0", 30), "int 9000000000000000000000000000000"},
		{syntax.ConstInt, strings.Repeat("9", 100000), "!MemoryError"},
		{syntax.ConstFloat, "1e-3", "float 0.001"},
		{syntax.ConstFloat, "1_0.5", "float 10.5"},
		{syntax.ConstFloat, ".5", "float 0.5"},
		{syntax.ConstFloat, "5.", "float 5.0"},
		{syntax.ConstFloat, "1e400", "float inf"},
		{syntax.ConstFloat, "1e22", "float 1e+22"},
		{syntax.ConstFloat, "123456789012345680.0", "float 1.2345678901234568e+17"},
		{syntax.ConstImag, "1j", "!TypeError"},
		{syntax.ConstBytes, "x", "!TypeError"},
		{syntax.ConstStr, "a'b\n", `str "a'b\n"`},
		{syntax.ConstTrue, "", "bool True"},
		{syntax.ConstNone, "", "NoneType None"},
		{syntax.ConstEllipsis, "", "ellipsis Ellipsis"},
	} {
		if got := answer(Literal(&syntax.Constant{Kind: c.kind, Text: c.text})); got != c.want {
			t.Errorf("%.40s is %s, want %s", c.text, got, c.want)
		}
	}
}

// TestSurrogates: a lone surrogate, which is no UTF-8, is one character of a str.
func TestSurrogates(t *testing.T) {
	s := "a\xed\xa0\x80b"
	if n, err := Len(s); n != 3 || err != nil {
		t.Errorf("len is %d, %v", n, err)
	}
	if got := Repr(s); got != `'a\ud800b'` {
		t.Errorf("repr is %s", got)
	}
	if v, err := GetItem(s, Slice{None, None, int64(-1)}); v != Value("b\xed\xa0\x80a") || err != nil {
		t.Errorf("reversed it is %q, %v", v, err)
	}
	if got := Repr("\xff"); got != `'ÿ'` {
		t.Errorf("a stray byte is %s", got)
	}
}
