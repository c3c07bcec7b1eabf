package module

import (
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// A binder collects the names that a statement binds in its scope, and those of the lists and
// dicts that it changes in place.
type binder struct{ names, alters syntax.Names }

func (b *binder) stmt(s syntax.Stmt) {
	walk := syntax.Binder{Bind: b.names.Add, Change: b.alter}
	walk.Stmt(s)
	b.methodCalls(s)
}

func (b *binder) alter(e syntax.Expr) {
	if name := rootName(e); name != "" {
		b.alters.Add(name)
	}
}

// rootName gives x of x, x.a, x[i].b and so on, or "".
func rootName(e syntax.Expr) string {
	for {
		switch x := e.(type) {
		case *syntax.Name:
			return x.Id
		case *syntax.Attribute:
			e = x.Value
		case *syntax.Subscript:
			e = x.Value
		default:
			return ""
		}
	}
}

// mutators are the methods that change what they are called on.
var mutators = []string{"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort", "update"}

// methodCalls finds the calls of these that are statements, at any depth.
func (b *binder) methodCalls(s syntax.Stmt) {
	for _, block := range syntax.Blocks(s) {
		for _, inner := range block {
			b.methodCalls(inner)
		}
	}
	e, ok := s.(*syntax.ExprStmt)
	if !ok {
		return
	}
	call, ok := e.Value.(*syntax.Call)
	if !ok {
		return
	}
	if attr, ok := call.Func.(*syntax.Attribute); ok && slices.Contains(mutators, attr.Attr) {
		b.alter(attr.Value)
	}
}

// isConstAnnotated reports whether the statement is x: tl.constexpr = …
func isConstAnnotated(s syntax.Stmt) bool {
	a, ok := s.(*syntax.AnnAssign)
	return ok && isConstexprText(a.Annotation)
}

// isConstexprText reports whether an annotation names constexpr, as Triton decides it for
// parameters: by the text, so that strings and tl.constexpr[int] count.
func isConstexprText(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Name:
		return strings.Contains(e.Id, "constexpr")
	case *syntax.Attribute:
		return strings.Contains(e.Attr, "constexpr")
	case *syntax.Subscript:
		return isConstexprText(e.Value) || isConstexprText(e.Slice)
	case *syntax.BinOp:
		return isConstexprText(e.Left) || isConstexprText(e.Right)
	case *syntax.Constant:
		return e.Kind == syntax.ConstStr && strings.Contains(e.Text, "constexpr")
	}
	return false
}

// globals collects the names that functions in a body declare global, with the functions.
func globals(body []syntax.Stmt, fn string, found map[string]string) {
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.Global:
			for _, name := range s.Names {
				if _, ok := found[name]; !ok && fn != "" {
					found[name] = fn
				}
			}
		case *syntax.FunctionDef:
			globals(s.Body, s.Name, found)
		case *syntax.ClassDef:
			globals(s.Body, fn, found)
		}
		for _, block := range syntax.Blocks(s) {
			globals(block, fn, found)
		}
	}
}
