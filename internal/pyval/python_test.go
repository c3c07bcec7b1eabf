package pyval

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// A question is an expression as Python's source and as a computation here.
type question struct {
	src  string
	ask  func() (Value, error)
	ulps int // how many floats Python's answer may be away: its libm does not round to the nearest
}

// evaluator reads a JSON list of expressions and writes one of their answers: the type's name
// and the repr, or the exception's name. An older Python than those whose answers are given here writes null.
const evaluator = `
import json, math, sys
if sys.version_info < (3, 11):
    print("null")
    sys.exit()
sys.set_int_max_str_digits(0)
out = []
for src in json.load(sys.stdin):
    try:
        v = eval(src)
        out.append(type(v).__name__ + " " + repr(v))
    except Exception as e:
        out.append("!" + type(e).__name__)
json.dump(out, sys.stdout)
`

// python3 gives what Python answers to expressions; it skips the test where there is no Python of today.
func python3(t *testing.T, exprs []string) []string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: nothing to compare with")
	}
	in, err := json.Marshal(exprs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-X", "utf8", "-W", "ignore", "-c", evaluator)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, stderr.String())
	}
	var answers []string
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	if answers == nil {
		t.Skip("python3 is older than 3.11, which answers otherwise")
	}
	return answers
}

// answer gives a result as evaluator writes it.
func answer(v Value, err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return "!" + e.Type
	}
	if err != nil {
		return "!! " + err.Error()
	}
	return TypeName(v) + " " + Repr(v)
}

func compareWithPython(t *testing.T, questions []question) {
	t.Helper()
	exprs := make([]string, len(questions))
	for i, q := range questions {
		exprs[i] = q.src
	}
	wrong := 0
	for i, want := range python3(t, exprs) {
		v, err := questions[i].ask()
		got := answer(v, err)
		if got == want || got == "!MemoryError" || near(v, want, questions[i].ulps) {
			continue
		}
		if wrong++; wrong <= 20 {
			t.Errorf("%s\n got %s\nwant %s", exprs[i], got, want)
		}
	}
	if wrong > 20 {
		t.Errorf("and %d more of %d", wrong-20, len(questions))
	}
}

// near reports whether want is a float at most ulps floats away from v.
func near(v Value, want string, ulps int) bool {
	f, ok := v.(float64)
	text, isFloat := strings.CutPrefix(want, "float ")
	if !ok || !isFloat || ulps == 0 {
		return false
	}
	g, err := parseFloat(text)
	if err != nil {
		return false
	}
	d := int64(math.Float64bits(f)) - int64(math.Float64bits(g.(float64)))
	return max(d, -d) <= int64(ulps)
}

// pySource gives an expression that makes v.
func pySource(v Value) string {
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v):
			return "float('nan')"
		case math.IsInf(v, 0):
			return fmt.Sprintf("float('%s')", Repr(v))
		}
	case Tuple:
		parts := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			parts[i] = pySource(e) + ","
		}
		return "(" + strings.Join(parts, "") + ")"
	case *List:
		parts := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			parts[i] = pySource(e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return "(" + Repr(v) + ")"
}

func genInt() *rapid.Generator[Value] {
	edges := []int64{0, 1, -1, 2, -2, 3, 7, -7, 16, 31, 32, 63, 64, 255, 1 << 31, 1<<31 - 1, -1 << 31, 1 << 32, 1 << 53, 1<<53 + 1,
		math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	return rapid.Custom(func(t *rapid.T) Value {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom(edges).Draw(t, "edge")
		case 1:
			return rapid.Int64Range(-100, 100).Draw(t, "small")
		case 2:
			return rapid.Int64().Draw(t, "int64")
		}
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "negative") {
			n.Neg(n)
		}
		return Int(n)
	})
}

func genFloat() *rapid.Generator[Value] {
	edges := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 1.5, 2.5, -2.5, 1e16, 1e15, 1e-4, 1e-5, 0.1, 123456789.125,
		1 << 53, 1<<53 + 2, math.MaxFloat64, math.SmallestNonzeroFloat64, 2.2250738585072014e-308, math.Inf(1), math.Inf(-1), math.NaN(), math.Pi}
	return rapid.Custom(func(t *rapid.T) Value {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom(edges).Draw(t, "edge")
		case 1:
			return float64(rapid.Int64Range(-2000, 2000).Draw(t, "n")) / 16
		}
		return rapid.Float64().Draw(t, "float")
	})
}

func genNumber() *rapid.Generator[Value] {
	return rapid.OneOf(genInt(), genInt(), genFloat(), rapid.SampledFrom([]Value{true, false}))
}

func genString() *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		return rapid.StringOfN(rapid.SampledFrom([]rune("ab01 _.,'\"\\\n\té€😀A%{}")), 0, 8, -1).Draw(t, "string")
	})
}

func genValue() *rapid.Generator[Value] {
	flat := rapid.OneOf(genNumber(), genNumber(), genString(), rapid.Just[Value](None))
	return rapid.OneOf(flat, flat, flat, flat, rapid.Custom(func(t *rapid.T) Value {
		elems := rapid.SliceOfN(flat, 0, 3).Draw(t, "elems")
		if rapid.Bool().Draw(t, "tuple") {
			return Tuple{Elems: elems}
		}
		return &List{elems}
	}))
}

var thorough = flag.Bool("thorough", false, "compare four times as many samples with Python")

// samples gives how many samples to draw where n are enough for every day.
func samples(n int) int {
	if *thorough {
		n *= 4
	}
	return n
}

// sample draws n values.
func sample[T any](g *rapid.Generator[T], n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = g.Example(i)
	}
	return out
}

var binaryOps = map[syntax.Op]string{
	syntax.Add: "+", syntax.Sub: "-", syntax.Mult: "*", syntax.Div: "/", syntax.Mod: "%", syntax.FloorDiv: "//",
	syntax.LShift: "<<", syntax.RShift: ">>", syntax.BitOr: "|", syntax.BitXor: "^", syntax.BitAnd: "&",
}

var compareOps = map[syntax.Op]string{
	syntax.Eq: "==", syntax.NotEq: "!=", syntax.Lt: "<", syntax.LtE: "<=", syntax.Gt: ">", syntax.GtE: ">=",
	syntax.In: "in", syntax.NotIn: "not in",
}

func TestOperatorsAgainstPython(t *testing.T) {
	n := samples(300)
	var qs []question
	numbers := sample(genNumber(), 2*n)
	values := sample(genValue(), 2*n)
	for i := 0; i < 2*n; i += 2 {
		for op, name := range binaryOps {
			a, b := numbers[i], numbers[i+1]
			if i%8 == 0 {
				a, b = values[i], values[i+1]
			}
			if op == syntax.LShift || op == syntax.Mult {
				b = clip(b, 2000)
				if op == syntax.Mult && !isNumber(b) {
					a = clip(a, 2000)
				}
			}
			qs = append(qs, question{src: pySource(a) + name + pySource(b), ask: func() (Value, error) { return Binary(op, a, b) }})
		}
		for op, name := range compareOps {
			a, b := numbers[i], numbers[i+1]
			if i%4 == 0 {
				a, b = values[i], values[i+1]
			}
			qs = append(qs, question{src: pySource(a) + " " + name + " " + pySource(b), ask: func() (Value, error) {
				return boolOrError(Compare(op, a, b))
			}})
		}
	}
	for _, a := range values {
		for op, name := range map[syntax.Op]string{syntax.USub: "-", syntax.UAdd: "+", syntax.Invert: "~", syntax.Not: "not "} {
			qs = append(qs, question{src: name + pySource(a), ask: func() (Value, error) { return Unary(op, a) }})
		}
	}
	compareWithPython(t, qs)
}

// clip makes a number that would give huge results small; bool and float stay.
func clip(v Value, most int64) Value {
	if !isInt(v) {
		return v
	}
	if n, ok := AsInt(v); ok && n < most {
		return v
	}
	return most
}

func TestPowAgainstPython(t *testing.T) {
	var qs []question
	ask := func(a, b Value) {
		qs = append(qs, question{pySource(a) + "**" + pySource(b), func() (Value, error) { return Binary(syntax.Pow, a, b) }, 1})
	}
	n := samples(500)
	bases, exps := sample(genNumber(), n), sample(rapid.Int64Range(-40, 40), n)
	for i, a := range bases {
		ask(a, exps[i])
	}
	for i, f := range sample(genFloat(), n) {
		ask(math.Abs(f.(float64)), float64(exps[i])/8)
	}
	for n := int64(1); n < 400; n++ { // results exactly between two floats occur here
		ask(float64(n*n), 1.5)
		ask(float64(n), 0.5)
		ask(float64(n)/1024, 7.0)
	}
	compareWithPython(t, qs)
}

// TestFunctionsAgainstPython asks for builtins, methods and math over sampled arguments.
func TestFunctionsAgainstPython(t *testing.T) {
	var qs []question
	ulps := map[string]int{"math.log": 1, "math.log2": 1, "math.log10": 2, "math.exp": 1}
	askCall := func(src string, f Value, ok bool, args ...Value) {
		t.Helper()
		if !ok {
			t.Fatalf("%s is not defined", src)
		}
		parts := make([]string, len(args))
		for i, a := range args {
			parts[i] = pySource(a)
		}
		qs = append(qs, question{src + "(" + strings.Join(parts, ", ") + ")", func() (Value, error) { return f.(Callable).Call(args, nil) }, ulps[src]})
	}
	values := sample(genValue(), samples(100))
	for _, name := range []string{"abs", "bool", "int", "float", "str", "repr", "ascii", "len", "round", "tuple", "list", "sum", "min", "max", "any",
		"all", "sorted", "hex", "oct", "bin"} {
		f, ok := LookupBuiltin(name)
		for _, v := range values {
			askCall(name, f, ok, v)
		}
	}
	numbers := sample(genNumber(), samples(150))
	for _, name := range []string{"log2", "log10", "log", "exp", "sqrt", "ceil", "floor", "trunc", "fabs", "isnan", "isinf", "isfinite", "isqrt"} {
		f, ok := LookupMath(name)
		for _, v := range numbers {
			askCall("math."+name, f, ok, v)
		}
	}
	digits := sample(rapid.Int64Range(-25, 25), len(numbers))
	round, _ := LookupBuiltin("round")
	pairs := []string{"divmod", "max", "min"}
	for i, v := range numbers {
		askCall("round", round, true, v, digits[i])
		f, ok := LookupBuiltin(pairs[i%3])
		askCall(pairs[i%3], f, ok, v, numbers[len(numbers)-1-i])
	}
	texts := sample(genString(), samples(150))
	for i, v := range texts {
		for _, name := range []string{"lower", "upper", "capitalize", "title", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "isdigit",
			"isalpha", "isalnum", "isupper", "islower", "isspace", "isidentifier"} {
			m, ok := Attr(v, name)
			askCall(pySource(v)+"."+name, m, ok)
		}
		other := texts[(i+1)%len(texts)]
		for _, name := range []string{"startswith", "endswith", "find", "rfind", "index", "count", "partition", "rpartition", "split", "strip", "join",
			"removeprefix"} {
			m, ok := Attr(v, name)
			askCall(pySource(v)+"."+name, m, ok, other)
		}
		for _, name := range []string{"zfill", "center", "ljust", "rjust"} {
			m, ok := Attr(v, name)
			askCall(pySource(v)+"."+name, m, ok, int64(i%12))
		}
		m, ok := Attr(v, "replace")
		askCall(pySource(v)+".replace", m, ok, other, texts[(i+2)%len(texts)])
		m, ok = Attr(v, "rsplit")
		askCall(pySource(v)+".rsplit", m, ok, None, int64(i%3))
		m, ok = Attr(v, "split")
		askCall(pySource(v)+".split", m, ok, None, int64(i%3))
		f, ok := LookupBuiltin("int")
		askCall("int", f, ok, v)
		f, ok = LookupBuiltin("float")
		askCall("float", f, ok, v)
	}
	compareWithPython(t, qs)
}

func TestItemsAgainstPython(t *testing.T) {
	var qs []question
	bound := rapid.OneOf(rapid.Just[Value](None), rapid.Custom(func(t *rapid.T) Value { return rapid.Int64Range(-12, 12).Draw(t, "i") }))
	for i := range samples(400) {
		var seq Value
		switch i % 4 {
		case 0:
			seq = genString().Example(i)
		case 1:
			seq = Tuple{Elems: rapid.SliceOfN(genInt(), 0, 8).Example(i)}
		case 2:
			seq = &List{rapid.SliceOfN(genInt(), 0, 8).Example(i)}
		case 3:
			seq = Range{rapid.Int64Range(-9, 9).Example(i), rapid.Int64Range(-9, 9).Example(i + 1), int64(i%5) - 7}
		}
		s := Slice{bound.Example(i), bound.Example(i + 1), bound.Example(i + 2)}
		qs = append(qs, question{src: fmt.Sprintf("%s[%s:%s:%s]", pySource(seq), Repr(s.Start), Repr(s.Stop), Repr(s.Step)), ask: func() (Value, error) {
			return GetItem(seq, s)
		}})
		index := bound.Example(i + 3)
		qs = append(qs, question{src: pySource(seq) + "[" + Repr(index) + "]", ask: func() (Value, error) { return GetItem(seq, index) }})
	}
	compareWithPython(t, qs)
}

func TestFormatAgainstPython(t *testing.T) {
	var qs []question
	aligns := rapid.SampledFrom([]string{"", "<", ">", "^", "=", "*<", "0>", "é^", "x="})
	flags := rapid.SampledFrom([]string{"", "", "+", "-", " ", "#", "0", "+#0", "z"})
	widths := rapid.SampledFrom([]string{"", "1", "8", "12", "20"})
	groups := rapid.SampledFrom([]string{"", "", ",", "_"})
	precisions := rapid.SampledFrom([]string{"", "", ".0", ".1", ".3", ".10"})
	types := rapid.SampledFrom([]string{"", "d", "b", "o", "x", "X", "e", "E", "f", "F", "g", "G", "%", "s", "c", "q"})
	values := rapid.OneOf(genNumber(), genFloat(), genString())
	printfTypes := rapid.SampledFrom([]string{"d", "i", "s", "r", "x", "X", "o", "e", "f", "g", "G", "c", "a", "%", "q"})
	printfFlags := rapid.SampledFrom([]string{"", "", "-", "+", " ", "0", "#", "-0", "+ ", "#0"})
	for i := range samples(800) {
		spec := aligns.Example(i) + flags.Example(i) + widths.Example(i) + groups.Example(i) + precisions.Example(i) + types.Example(i)
		v := values.Example(i)
		qs = append(qs, question{src: fmt.Sprintf("format(%s, %s)", pySource(v), Repr(spec)), ask: func() (Value, error) {
			return valueOrError(Format(v, -1, spec))
		}})
		old := "<%" + printfFlags.Example(i) + widths.Example(i+1) + precisions.Example(i+1) + printfTypes.Example(i) + ">"
		qs = append(qs, question{src: fmt.Sprintf("%s %% (%s,)", Repr(old), pySource(v)), ask: func() (Value, error) {
			return Binary(syntax.Mod, old, NewTuple(v))
		}})
	}
	compareWithPython(t, qs)
}
