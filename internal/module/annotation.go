package module

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/syntax"
)

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
