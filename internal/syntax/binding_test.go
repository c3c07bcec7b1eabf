package syntax

import (
	"strings"
	"testing"
)

// TestBinder goes through statements of every kind; a name that begins with b is bound, one that begins with c
// is the root of what is changed in place, and o is another.
func TestBinder(t *testing.T) {
	for _, src := range []string{
		"b1 = b2 = o",
		"b1, [b2, *b3], c1[o], c2.x.y = o",
		"c1[b1 := o] = b2 = o",
		"b1 += o",
		"c1.x += (b1 := o)",
		"b1: o = o",
		"o: o",
		"c1.x: o = (b1 := o)",
		"del b1, (b2, c1[o])",
		"type b1[o] = o",
		"import b1, b2.o, o.o as b3",
		"from o import b1, o as b2",
		"from o import *",
		"@(b1 := o)\ndef b2(o, /, o1=(b3 := o), *o2, o3=(b4 := o), **o4):\n  o5 = o",
		"@(b1 := o)\nclass b2(b3 := o, o=(b4 := o)):\n  o5 = o",
		"for b1, c1.x in (b2 := o):\n  b3 = o\nelse:\n  b4 = o",
		"while (b1 := o):\n  b2 = o\nelse:\n  b3 = o",
		"if (b1 := o):\n  b2 = o\nelif (b3 := o):\n  b4 = o\nelse:\n  b5 = o",
		"with (b1 := o), o as b2, o as (b3, c1[o]):\n  b4 = o",
		"try:\n  b1 = o\nexcept (b2 := o):\n  b3 = o\nexcept o as b4:\n  b5 = o\nelse:\n  b6 = o\nfinally:\n  b7 = o",
		"match (b1 := o):\n  case [b2, *b3] | {'x': b4, **b5}:\n    b6 = o\n  case o.x(b7, x=b8) as b9 if (b10 := o):\n    pass\n  case [1, None, *_] | _:\n    pass",
		"return (b1 := o)",
		"raise (b1 := o) from (b2 := o)",
		"assert (b1 := o), (b2 := o)",
		"global o; nonlocal o1; pass; break; continue",
		"o((b1 := o), *(b2 := o), o=(b3 := o), **(b4 := o)).x[(b5 := o):(b6 := o):(b7 := o)]",
		"o + (b1 := o), -(b2 := o), o and (b3 := o), o < (b4 := o), ((b5 := o) if (b6 := o) else (b7 := o))",
		"[(b1 := o), *(b2 := o)], {(b3 := o)}, {(b4 := o): (b5 := o), **(b6 := o)}",
		"lambda o, o1=(b1 := o), *, o2=(b2 := o): (o3 := o)",
		"f'{(b1 := o)!r:{(b2 := o)}}'",
		"[(b1 := o) for o1, o2 in o if (b2 := o)], {(b3 := o): (b4 := o) for o3 in o}",
		"await (b1 := o)",
		"yield (b1 := o)",
		"yield from (b1 := o)",
	} {
		tree, errs := Parse(NewFile("t.py", []byte(src)))
		if errs != nil && !strings.Contains(errs.Error(), "outside") {
			t.Errorf("%q: %v", src, errs)
			continue
		}
		var bound, changed Names
		b := Binder{Bind: bound.Add, Change: func(e Expr) { changed.Add(root(e)) }}
		b.Stmts(tree.Body)
		for _, name := range bound.List {
			if name[0] != 'b' {
				t.Errorf("%q binds %s", src, name)
			}
		}
		for word := range strings.FieldsFuncSeq(src, func(r rune) bool { return !strings.ContainsRune("bcdefghijklmnopqrstuvwxyz_0123456789", r) }) {
			isMark := len(word) > 1 && strings.Trim(word[1:], "0123456789") == ""
			switch {
			case isMark && word[0] == 'b' && !bound.Has(word):
				t.Errorf("%q binds %s, which is not found", src, word)
			case isMark && word[0] == 'c' && !changed.Has(word):
				t.Errorf("%q changes %s, which is not found", src, word)
			}
		}
		for _, name := range changed.List {
			if name[0] != 'c' && !strings.Contains(src, name+" +=") {
				t.Errorf("%q changes %s", src, name)
			}
		}
	}
}

// root gives x of x.a[i].
func root(e Expr) string {
	switch e := e.(type) {
	case *Name:
		return e.Id
	case *Attribute:
		return root(e.Value)
	case *Subscript:
		return root(e.Value)
	}
	return "?"
}

// TestNames: a long list works as a short one.
func TestNames(t *testing.T) {
	var n Names
	for i := range 100 {
		for range 2 {
			n.Add(strings.Repeat("x", 1+i))
		}
	}
	if len(n.List) != 100 || n.List[40] != strings.Repeat("x", 41) || !n.Has("xxx") || n.Has("y") {
		t.Errorf("%d names: %.100q", len(n.List), n.List)
	}
}
