package syntax

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A treeChecker walks a tree by reflection, so that no field is left out.
type treeChecker struct {
	t    *testing.T
	bads int // BadStmt and BadExpr nodes
}

var nodeType = reflect.TypeFor[Node]()

// check looks at a value of a tree: the spans of nodes are in order and lie
// within that of the node they belong to.
func (c *treeChecker) check(v reflect.Value, within Span) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			c.check(v.Elem(), within)
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.check(v.Index(i), within)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Span]() {
			return
		}
		if v.CanAddr() && v.Addr().Type().Implements(nodeType) {
			within = c.node(v, within)
		}
		for i := range v.NumField() {
			in := within
			if v.Type().Field(i).Name == "Decorators" {
				in = Span{0, within.End}
			}
			c.check(v.Field(i), in)
		}
	}
}

func (c *treeChecker) node(v reflect.Value, within Span) Span {
	n := v.Addr().Interface().(Node)
	s := n.Range()
	if s.Pos < within.Pos || s.End > within.End || s.Pos > s.End {
		c.t.Errorf("%T: span %v is not within %v", n, s, within)
	}
	switch n.(type) {
	case *BadStmt, *BadExpr:
		c.bads++
	}
	return s
}

// checkResult checks a tree, its spans and its diagnostics.
func checkResult(t *testing.T, f *File, tree any, errs diag.List) {
	c := treeChecker{t: t}
	c.check(reflect.ValueOf(tree), Span{0, int32(len(f.Src))})
	if errs == nil && c.bads > 0 {
		t.Errorf("%d bad nodes without a diagnostic", c.bads)
	}
	if errs != nil && len(errs) == 0 {
		t.Error("an empty list of diagnostics")
	}
	for _, e := range errs {
		if e.Place.Line < 1 || e.Place.Col < 1 || e.Place.Col > len(e.Place.Text)+1 || e.Code == "" || e.Msg == "" {
			t.Errorf("diagnostic %#v", e)
		}
		_ = e.Detail()
	}
}

func addSeeds(f *testing.F) {
	for _, src := range slices.Concat(snippets(f), rejects(f)) {
		f.Add([]byte(src))
	}
	for _, src := range []string{
		"", "\xef\xbb\xbfx", "\xff", "\x00", "\r\r\n\n", "\f x", "\\\n", "x\\\n\\\n", "# coding: latin-1\né",
		"if x:\n\ty\n        z", "ªº℘ = 1", "'\\N{", "f'{'", "f'{a:{", "f\"{f'{", "(((((", "f(**{", "\u00a0",
	} {
		f.Add([]byte(src))
	}
}

func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		file := NewFile("fuzz.py", src)
		m, errs := Parse(file)
		checkResult(t, file, m, errs)
		again, errsAgain := Parse(NewFile("fuzz.py", src))
		if !reflect.DeepEqual(m, again) || !reflect.DeepEqual(errs, errsAgain) {
			t.Error("a second reading gives something else")
		}
		_ = dump(file, m)
	})
}

func FuzzParseExpr(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		file := NewFile("", src)
		e, errs := ParseExpr(file)
		if e == nil {
			t.Fatal("no expression")
		}
		checkResult(t, file, &ExprStmt{e.Range(), e}, errs)
		again, errsAgain := ParseExpr(NewFile("", src))
		if !reflect.DeepEqual(e, again) || !reflect.DeepEqual(errs, errsAgain) {
			t.Error("a second reading gives something else")
		}
	})
}
