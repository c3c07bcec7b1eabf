package pyval

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// FuzzText puts any text to what reads text: format specs, % formats, str.format, number parsers
// and the methods of str. Nothing may panic or make more than the bounds allow.
func FuzzText(f *testing.F) {
	for _, s := range []string{"*^+#020_.3f", "%-5.2d|%%|%(a)s", "{0!r:>{1}} {a.b[0]}", " -0x_1F ", "1_0.5e-3", "a b\tc", "{:{}}", "é\xed\xa0\x80"} {
		f.Add(s, int64(-42), 0.1, "x y")
	}
	f.Fuzz(func(t *testing.T, text string, n int64, x float64, s string) {
		var results []Value
		keep := func(v Value, err error) {
			if err == nil {
				results = append(results, v)
			}
		}
		for _, v := range []Value{n, x, s, true, None} {
			keep(valueOrError(Format(v, -1, text)))
			keep(Binary(syntax.Mod, text, v))
		}
		keep(Binary(syntax.Mod, text, NewTuple(n, x, s)))
		keep(ParseInt(text, 0))
		keep(parseFloat(text))
		for name, m := range stringMethods {
			b := &Builtin{Name: name, sig: m.sig, fn: func(a arguments) (Value, error) { return m.fn(text, a) }}
			keep(b.Call(nil, nil))
			keep(b.Call([]Value{s}, nil))
			keep(b.Call([]Value{s, text}, nil))
			keep(b.Call([]Value{n % 5000, s}, nil))
		}
		for _, v := range results {
			if size := len(Repr(v)); size > 16*MaxLen {
				t.Errorf("a result of %d bytes", size)
			}
			keep(GetItem(v, Slice{None, None, int64(-1)}))
		}
	})
}
