package module

import (
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// A binder collects the names that a statement binds in its scope, and those of the lists and
// dicts that it changes in place.
type binder struct{ names, alters names }

// names is a list without repetition.
type names struct {
	list []string
	seen map[string]bool // made when the list grows long
}

func (n *names) add(name string) {
	const long = 16
	switch {
	case n.seen != nil:
		if n.seen[name] {
			return
		}
		n.seen[name] = true
	case slices.Contains(n.list, name):
		return
	case len(n.list) == long:
		n.seen = map[string]bool{name: true}
		for _, old := range n.list {
			n.seen[old] = true
		}
	}
	n.list = append(n.list, name)
}

func (b *binder) bind(name string) { b.names.add(name) }

func (b *binder) alter(e syntax.Expr) {
	if name := rootName(e); name != "" {
		b.alters.add(name)
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

func (b *binder) stmts(body []syntax.Stmt) {
	for _, s := range body {
		b.stmt(s)
	}
}

func (b *binder) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.FunctionDef:
		b.bind(s.Name)
	case *syntax.ClassDef:
		b.bind(s.Name)
	case *syntax.Assign:
		for _, t := range s.Targets {
			b.target(t)
		}
		b.walrus(s.Value)
	case *syntax.AnnAssign:
		if s.Value != nil {
			b.target(s.Target)
		}
	case *syntax.AugAssign:
		b.target(s.Target)
		b.alter(s.Target) // += changes a list in place
	case *syntax.Delete:
		for _, t := range s.Targets {
			b.target(t)
		}
	case *syntax.TypeAlias:
		b.bind(s.Name.Id)
	case *syntax.Import:
		for _, a := range s.Names {
			b.bind(importedName(a))
		}
	case *syntax.ImportFrom:
		for _, a := range s.Names {
			if a.Name != "*" {
				b.bind(importedName(a))
			}
		}
	case *syntax.ExprStmt:
		b.walrus(s.Value)
		b.methodCall(s.Value)
	default:
		b.compound(s)
	}
}

// compound collects from the statements that have blocks.
func (b *binder) compound(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.For:
		b.target(s.Target)
	case *syntax.With:
		for _, item := range s.Items {
			if item.Vars != nil {
				b.target(item.Vars)
			}
		}
	}
	for _, block := range blocks(s) {
		b.stmts(block)
	}
}

// importedName gives the name that an import binds.
func importedName(a syntax.Alias) string {
	if a.AsName != "" {
		return a.AsName
	}
	name, _, _ := strings.Cut(a.Name, ".")
	return name
}

func (b *binder) target(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Name:
		b.bind(e.Id)
	case *syntax.Tuple:
		for _, x := range e.Elts {
			b.target(x)
		}
	case *syntax.List:
		for _, x := range e.Elts {
			b.target(x)
		}
	case *syntax.Starred:
		b.target(e.Value)
	case *syntax.Subscript, *syntax.Attribute:
		b.alter(e)
	}
}

// walrus collects name := value at the top of an expression.
func (b *binder) walrus(e syntax.Expr) {
	if n, ok := e.(*syntax.NamedExpr); ok {
		b.bind(n.Target.Id)
	}
}

// mutators are the methods that change what they are called on.
var mutators = []string{"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort", "update"}

func (b *binder) methodCall(e syntax.Expr) {
	call, ok := e.(*syntax.Call)
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
		for _, block := range blocks(s) {
			globals(block, fn, found)
		}
	}
}

// blocks gives the blocks of a compound statement that open no scope.
func blocks(s syntax.Stmt) [][]syntax.Stmt {
	switch s := s.(type) {
	case *syntax.If:
		return [][]syntax.Stmt{s.Body, s.Orelse}
	case *syntax.For:
		return [][]syntax.Stmt{s.Body, s.Orelse}
	case *syntax.While:
		return [][]syntax.Stmt{s.Body, s.Orelse}
	case *syntax.With:
		return [][]syntax.Stmt{s.Body}
	case *syntax.Try:
		out := [][]syntax.Stmt{s.Body, s.Orelse, s.Finally}
		for _, h := range s.Handlers {
			out = append(out, h.Body)
		}
		return out
	case *syntax.Match:
		var out [][]syntax.Stmt
		for _, c := range s.Cases {
			out = append(out, c.Body)
		}
		return out
	}
	return nil
}
