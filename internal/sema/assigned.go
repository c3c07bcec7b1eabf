package sema

import "github.com/tegula-lang/tegula/internal/syntax"

// assignedIn gives the names that statements may bind or delete, in order of appearance; node
// is the statement that they are the body of.
func (g *gen) assignedIn(node syntax.Node, body []syntax.Stmt) []string {
	if names, ok := g.assigned[node]; ok {
		return names
	}
	var a assignments
	a.stmts(body)
	if w, ok := node.(*syntax.While); ok {
		a.expr(w.Test)
	}
	if g.assigned == nil {
		g.assigned = make(map[syntax.Node][]string)
	}
	g.assigned[node] = a.names
	return a.names
}

// assignments collects names.
type assignments struct {
	names []string
	seen  map[string]bool
}

func (a *assignments) add(name string) {
	if a.seen[name] {
		return
	}
	if a.seen == nil {
		a.seen = make(map[string]bool)
	}
	a.seen[name] = true
	a.names = append(a.names, name)
}

func (a *assignments) stmts(body []syntax.Stmt) {
	for _, s := range body {
		a.stmt(s)
	}
}

func (a *assignments) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Assign:
		a.expr(s.Value)
		for _, t := range s.Targets {
			a.target(t)
		}
	case *syntax.AugAssign:
		a.expr(s.Value)
		a.target(s.Target)
	case *syntax.AnnAssign:
		if s.Value != nil {
			a.expr(s.Value)
			a.target(s.Target)
		}
	case *syntax.For:
		a.expr(s.Iter)
		a.target(s.Target)
		a.stmts(s.Body)
		a.stmts(s.Orelse)
	case *syntax.While:
		a.expr(s.Test)
		a.stmts(s.Body)
		a.stmts(s.Orelse)
	case *syntax.If:
		a.expr(s.Test)
		a.stmts(s.Body)
		a.stmts(s.Orelse)
	case *syntax.FunctionDef:
		a.add(s.Name)
	case *syntax.Delete:
		for _, t := range s.Targets {
			a.target(t)
		}
	case *syntax.ExprStmt:
		a.expr(s.Value)
	case *syntax.Return:
		a.expr(s.Value)
	case *syntax.Assert:
		a.expr(s.Test)
	}
}

// target collects the names of an assignment's target.
func (a *assignments) target(t syntax.Expr) {
	switch t := t.(type) {
	case *syntax.Name:
		a.add(t.Id)
	case *syntax.Tuple:
		for _, e := range t.Elts {
			a.target(e)
		}
	case *syntax.List:
		for _, e := range t.Elts {
			a.target(e)
		}
	case *syntax.Starred:
		a.target(t.Value)
	}
}

// expr collects the names that := binds in an expression. Lambdas have a scope of their own.
func (a *assignments) expr(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.NamedExpr:
		a.expr(e.Value)
		a.add(e.Target.Id)
	case *syntax.BoolOp:
		a.exprs(e.Values)
	case *syntax.BinOp:
		a.expr(e.Left)
		a.expr(e.Right)
	case *syntax.UnaryOp:
		a.expr(e.Operand)
	case *syntax.IfExp:
		a.expr(e.Test)
		a.expr(e.Body)
		a.expr(e.Orelse)
	case *syntax.Compare:
		a.expr(e.Left)
		a.exprs(e.Comparators)
	case *syntax.Call:
		a.expr(e.Func)
		a.exprs(e.Args)
		for _, k := range e.Keywords {
			a.expr(k.Value)
		}
	case *syntax.Attribute:
		a.expr(e.Value)
	case *syntax.Subscript:
		a.expr(e.Value)
		a.expr(e.Slice)
	case *syntax.Starred:
		a.expr(e.Value)
	case *syntax.List:
		a.exprs(e.Elts)
	case *syntax.Tuple:
		a.exprs(e.Elts)
	case *syntax.Comp:
		a.expr(e.Elt)
		for _, g := range e.Generators {
			a.expr(g.Iter)
			a.exprs(g.Ifs)
		}
	}
}

func (a *assignments) exprs(list []syntax.Expr) {
	for _, e := range list {
		a.expr(e)
	}
}
