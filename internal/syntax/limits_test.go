package syntax

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// deep repeats parts n times around a middle.
func deep(open, middle, close string) func(n int) string {
	return func(n int) string { return strings.Repeat(open, n) + middle + strings.Repeat(close, n) }
}

// deepInputs are inputs whose trees, or whose reading, would nest without bound.
var deepInputs = map[string]func(n int) string{
	"parentheses":   deep("(", "x", ")"),
	"unclosed":      deep("(", "", ""),
	"lists":         deep("[", "x", "]"),
	"dicts":         deep("{1:", "x", "}"),
	"sets":          deep("{", "x", "}"),
	"calls":         deep("f(", "x", ")"),
	"call chain":    deep("", "f", "()"),
	"subscripts":    deep("", "a", "[0]"),
	"attributes":    deep("", "a", ".b"),
	"inner slices":  deep("a[", "x", "]"),
	"unary":         deep("-", "x", ""),
	"not":           deep("not ", "x", ""),
	"await":         deep("await (", "x", ")"),
	"power":         deep("x**", "x", ""),
	"sum":           deep("x+", "x", ""),
	"sum of tuples": deep("(x,)+", "x", ""),
	"or and":        deep("x or x and ", "x", ""),
	"lambda":        deep("lambda:", "x", ""),
	"lambda args":   deep("lambda x=", "x", ":x"),
	"ternary":       deep("x if x else ", "x", ""),
	"ternary test":  deep("x if (", "x", ") else x"),
	"walrus":        deep("(x:=", "x", ")"),
	"yield":         deep("(yield ", "x", ")"),
	"star":          deep("*", "x", ""),
	"comprehension": deep("[x for x in ", "x", "]"),
	"f-strings":     deep(`f"{`, "x", `}"`),
	"inner specs":   func(n int) string { return `f"` + deep("{x:", "", "}")(n) + `"` },
	"targets":       func(n int) string { return deep("[", "x", "]")(n) + " = 1" },
	"for targets":   func(n int) string { return "for " + deep("(", "x", ",)")(n) + " in y: pass" },
	"patterns":      func(n int) string { return "match x:\n case " + deep("[", "x", "]")(n) + ": pass" },
	"class pattern": func(n int) string { return "match x:\n case " + deep("a(", "x", ")")(n) + ": pass" },
	"key pattern":   func(n int) string { return "match x:\n case " + deep("", "a", ".b")(n) + ": pass" },
	"elif":          func(n int) string { return "if x: pass\n" + strings.Repeat("elif x: pass\n", n) },
	"blocks": func(n int) string {
		var b strings.Builder
		for i := range min(n, 5000) {
			b.WriteString(strings.Repeat(" ", i) + "if x:\n")
		}
		return b.String()
	},
	"indents": func(n int) string {
		var b strings.Builder
		for i := range min(n, 5000) {
			b.WriteString(strings.Repeat(" ", i) + "x\n")
		}
		return b.String()
	},
	"annotations": deep("x: ", "x", ""),
	"assignments": deep("x = ", "x", ""),
	"decorators":  func(n int) string { return strings.Repeat("@x\n", n) + "def f(): pass" },
	"with":        func(n int) string { return "with " + deep("(", "x", ")")(n) + ": pass" },
}

// slow is far more than any of these inputs takes, and
// far less than they would take if the time were quadratic in the length.
const slow = 10 * time.Second

// quick fails where something is slow each time: once may be the machine's doing.
func quick(t *testing.T, what string, do func()) {
	t.Helper()
	var took time.Duration
	for range 4 {
		start := time.Now()
		do()
		if took = time.Since(start); took <= slow {
			return
		}
	}
	t.Errorf("%s: %v", what, took)
}

// TestDeep reads inputs that nest far deeper than any program: nothing overflows
// and what is too deep is said to be so.
func TestDeep(t *testing.T) {
	for name, input := range deepInputs {
		t.Run(name, func(t *testing.T) {
			src := []byte(input(100_000))
			quick(t, fmt.Sprintf("%d bytes", len(src)), func() {
				m, errs := Parse(NewFile("deep.py", src))
				if len(errs) > maxErrors {
					t.Errorf("%d diagnostics", len(errs))
				}
				if h := height(m); h > maxDepth+10 {
					t.Errorf("the tree is %d high", h)
				}
			})
			ParseExpr(NewFile("deep.py", src))
		})
	}
}

// TestShallow reads the same inputs at a depth that programs may have.
func TestShallow(t *testing.T) {
	wrong := map[string]bool{"unclosed": true, "star": true, "blocks": true, "indents": true, "annotations": true}
	for name, input := range deepInputs {
		if _, errs := Parse(NewFile("deep.py", []byte(input(30)))); errs != nil && !wrong[name] {
			t.Errorf("%s: %v", name, errs)
		}
	}
}

// TestLinear reads inputs on which a careless parser takes quadratic time.
func TestLinear(t *testing.T) {
	const n = 100_000
	for name, src := range map[string]string{
		"open brackets, lines": strings.Repeat("f(\n", n),
		"bad lines":            strings.Repeat("x y\n", n),
		"bad brackets":         strings.Repeat("f(x y\n", n),
		"strings":              strings.Repeat("'a' ", n),
		"quotes":               strings.Repeat("'", n),
		"quotes, lines":        strings.Repeat("'\n", n),
		"triple":               strings.Repeat("'''", n+1),
		"f-quotes":             strings.Repeat("f'{", n),
		"braces":               strings.Repeat("f'{{' ", n),
		"names":                strings.Repeat(`'\N{DIGIT ONE}' `, n/10),
		"match":                strings.Repeat("match(x)\n", n),
		"with":                 strings.Repeat("with (x): y\n", n),
		"blank":                strings.Repeat(" \n", n),
		"continued":            strings.Repeat("\\\n", n),
		"comments":             "f'{" + strings.Repeat("#\n", n) + "x=}'",
		"returns":              strings.Repeat("\r", n),
		"flat list":            "x = [" + strings.Repeat("a.b(c), ", n) + "]",
		"flat dict":            "x = {" + strings.Repeat("a: -b, ", n) + "}",
		"unfinished escapes":   "f'" + strings.Repeat(`\N{`, n) + "'",
		"beyond ASCII":         strings.Repeat("é", n),
	} {
		quick(t, fmt.Sprintf("%s, %d bytes", name, len(src)), func() { Parse(NewFile("long.py", []byte(src))) })
	}
}
