package syntax

import (
	"os"
	"path/filepath"
	"testing"
)

func TestParseExpr(t *testing.T) {
	for src, want := range map[string]string{
		"1":                          "Constant",
		"  \n\t x + 1  # one\n\n#\n": "BinOp",
		"(1,\n 2)":                   "Tuple",
		"1, 2,":                      "Tuple",
		"lambda m: (m['n'],)":        "Lambda",
		"not a":                      "UnaryOp",
		"[i for i in x]":             "ListComp",
		"\xef\xbb\xbfx":              "Name",
		"f\"{x}\"":                   "JoinedStr",
		"(yield)":                    "Yield",
		"x\\\n.y":                    "Attribute",
	} {
		e, errs := ParseExpr(NewFile("", []byte(src)))
		if errs != nil || exprKind(e) != want {
			t.Errorf("%q: got %s, %v; want %s", src, exprKind(e), errs, want)
		}
	}
	for src, want := range map[string]string{
		"":          ":1:1: SyntaxError: invalid syntax",
		" \n# only": ":2:7: SyntaxError: invalid syntax",
		"1 2":       ":1:3: SyntaxError: invalid syntax",
		"x = 1":     ":1:3: SyntaxError: invalid syntax",
		"x; y":      ":1:2: SyntaxError: invalid syntax",
		"x\ny":      ":2:1: SyntaxError: invalid syntax",
		"x\n  y":    ":2:3: SyntaxError: invalid syntax",
		"*x":        ":1:1: SyntaxError: invalid syntax",
		"x := 1":    ":1:3: SyntaxError: invalid syntax",
		"yield":     ":1:1: SyntaxError: invalid syntax",
		"(1, 2":     ":1:1: SyntaxError: '(' was never closed",
		"f(a b)":    ":1:5: SyntaxError: invalid syntax. Perhaps you forgot a comma?",
		"pass":      ":1:1: SyntaxError: invalid syntax",
		"1 +":       ":1:4: SyntaxError: invalid syntax",
		"x if y":    ":1:1: SyntaxError: expected 'else' after 'if' expression",
		"'abc":      ":1:1: SyntaxError: unterminated string literal",
		"\x00":      ":1:1: SyntaxError: source code cannot contain null bytes",
	} {
		e, errs := ParseExpr(NewFile("", []byte(src)))
		if _, bad := e.(*BadExpr); !bad || errs == nil || errs[0].Error() != want {
			t.Errorf("%q: got %s, %v; want %s", src, exprKind(e), errs, want)
		}
	}
}

// TestDump shows the tree of a kernel.
func TestDump(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "kernel.py"))
	if err != nil {
		t.Fatal(err)
	}
	f := NewFile("kernel.py", src)
	m, errs := Parse(f)
	if errs != nil {
		t.Fatal(errs.Detail())
	}
	golden(t, "kernel.golden", dump(f, m))
}

// TestRecovery shows what is kept of a file with errors: what stands around them.
func TestRecovery(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "broken.py"))
	if err != nil {
		t.Fatal(err)
	}
	f := NewFile("broken.py", src)
	m, errs := Parse(f)
	if errs == nil {
		t.Fatal("no errors")
	}
	golden(t, "broken.golden", dump(f, m)+errs.Detail())
}
