package sema

import "github.com/tegula-lang/tegula/internal/syntax"

// assignedIn gives the names that statements may bind or delete, in order of appearance; node
// is the statement that they are the body of.
func (g *gen) assignedIn(node syntax.Node, body []syntax.Stmt) []string {
	if names, ok := g.assigned[node]; ok {
		return names
	}
	var names syntax.Names
	walk := syntax.Binder{Bind: names.Add}
	walk.Stmts(body)
	if w, ok := node.(*syntax.While); ok {
		walk.Expr(w.Test)
	}
	if g.assigned == nil {
		g.assigned = make(map[syntax.Node][]string)
	}
	g.assigned[node] = names.List
	return names.List
}
