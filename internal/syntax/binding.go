package syntax

import (
	"slices"
	"strings"
)

// A Binder goes through statements and expressions of one scope and tells what they bind. What stands
// in a def, a class or a lambda has a scope of its own, and so have the targets of a comprehension.
type Binder struct {
	// Bind is told each name that is assigned to, defined, imported, caught, matched or deleted, in
	// order of appearance.
	Bind func(name string)
	// Change is told each expression that is changed in place: x[i] and x.a as a target, and the
	// target of x += 1. It may be nil.
	Change func(target Expr)
}

// Stmts goes through statements.
func (b *Binder) Stmts(body []Stmt) {
	for _, s := range body {
		b.Stmt(s)
	}
}

// Stmt goes through a statement.
func (b *Binder) Stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		b.Expr(s.Value)
		b.targets(s.Targets)
	case *AugAssign:
		b.Expr(s.Value)
		if n, ok := s.Target.(*Name); ok {
			b.change(n)
		}
		b.Target(s.Target)
	case *AnnAssign:
		if s.Value != nil {
			b.Expr(s.Value)
			b.Target(s.Target)
		}
	case *ExprStmt:
		b.Expr(s.Value)
	case *Return:
		b.Expr(s.Value)
	case *Raise:
		b.exprs(s.Exc, s.Cause)
	case *Assert:
		b.exprs(s.Test, s.Msg)
	case *Delete:
		b.targets(s.Targets)
	default:
		b.definition(s)
		b.compound(s)
	}
}

// definition goes through what names an object of its own.
func (b *Binder) definition(s Stmt) {
	switch s := s.(type) {
	case *FunctionDef:
		b.exprs(s.Decorators...)
		b.defaults(s.Args)
		b.Bind(s.Name)
	case *ClassDef:
		b.exprs(s.Decorators...)
		b.exprs(s.Bases...)
		b.keywords(s.Keywords)
		b.Bind(s.Name)
	case *TypeAlias:
		b.Bind(s.Name.Id)
	case *Import:
		for i := range s.Names {
			b.Bind(s.Names[i].Binds())
		}
	case *ImportFrom:
		for i := range s.Names {
			if s.Names[i].Name != "*" {
				b.Bind(s.Names[i].Binds())
			}
		}
	}
}

// compound goes through the statements that have blocks.
func (b *Binder) compound(s Stmt) {
	switch s := s.(type) {
	case *If:
		b.Expr(s.Test)
	case *While:
		b.Expr(s.Test)
	case *For:
		b.Expr(s.Iter)
		b.Target(s.Target)
	case *With:
		for _, item := range s.Items {
			b.Expr(item.Context)
			b.Target(item.Vars)
		}
	case *Match:
		b.Expr(s.Subject)
		for _, c := range s.Cases {
			b.pattern(c.Pattern)
			b.Expr(c.Guard)
		}
	case *Try:
		for _, h := range s.Handlers {
			b.Expr(h.Type)
			b.name(h.Name)
		}
	}
	for _, block := range Blocks(s) {
		b.Stmts(block)
	}
}

// Binds gives the name that an import binds.
func (a *Alias) Binds() string {
	if a.AsName != "" {
		return a.AsName
	}
	name, _, _ := strings.Cut(a.Name, ".")
	return name
}

// Blocks gives the blocks of a compound statement that open no scope.
func Blocks(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *If:
		return [][]Stmt{s.Body, s.Orelse}
	case *For:
		return [][]Stmt{s.Body, s.Orelse}
	case *While:
		return [][]Stmt{s.Body, s.Orelse}
	case *With:
		return [][]Stmt{s.Body}
	case *Try:
		out := [][]Stmt{s.Body}
		for _, h := range s.Handlers {
			out = append(out, h.Body)
		}
		return append(out, s.Orelse, s.Finally)
	case *Match:
		var out [][]Stmt
		for _, c := range s.Cases {
			out = append(out, c.Body)
		}
		return out
	}
	return nil
}

func (b *Binder) targets(list []Expr) {
	for _, t := range list {
		b.Target(t)
	}
}

// Target goes through the target of an assignment; nil has nothing.
func (b *Binder) Target(e Expr) {
	switch e := e.(type) {
	case *Name:
		b.Bind(e.Id)
	case *Tuple:
		b.targets(e.Elts)
	case *List:
		b.targets(e.Elts)
	case *Starred:
		b.Target(e.Value)
	case *Subscript:
		b.Expr(e)
		b.change(e)
	case *Attribute:
		b.Expr(e)
		b.change(e)
	}
}

func (b *Binder) name(name string) {
	if name != "" {
		b.Bind(name)
	}
}

func (b *Binder) change(e Expr) {
	if b.Change != nil {
		b.Change(e)
	}
}

// pattern goes through what a case matches.
func (b *Binder) pattern(p Pattern) {
	var inside []Pattern
	switch p := p.(type) {
	case *MatchSequence:
		inside = p.Patterns
	case *MatchMapping:
		inside = p.Patterns
		defer b.name(p.Rest)
	case *MatchClass:
		inside = slices.Concat(p.Patterns, p.KwdPatterns)
	case *MatchStar:
		b.name(p.Name)
	case *MatchAs:
		if p.Pattern != nil {
			inside = []Pattern{p.Pattern}
		}
		defer b.name(p.Name)
	case *MatchOr:
		inside = p.Patterns
	}
	for _, q := range inside {
		b.pattern(q)
	}
}

func (b *Binder) exprs(list ...Expr) {
	for _, e := range list {
		b.Expr(e)
	}
}

func (b *Binder) keywords(list []Keyword) {
	for i := range list {
		b.Expr(list[i].Value)
	}
}

func (b *Binder) defaults(a *Arguments) {
	b.exprs(a.Defaults...)
	b.exprs(a.KwDefaults...)
}

// Expr goes through an expression, in which := binds; nil has nothing.
func (b *Binder) Expr(e Expr) {
	switch e := e.(type) {
	case nil, *Name, *Constant, *BadExpr:
	case *NamedExpr:
		b.Expr(e.Value)
		b.Bind(e.Target.Id)
	case *Call:
		b.Expr(e.Func)
		b.exprs(e.Args...)
		b.keywords(e.Keywords)
	case *Attribute:
		b.Expr(e.Value)
	case *Subscript:
		b.exprs(e.Value, e.Slice)
	case *BinOp:
		b.exprs(e.Left, e.Right)
	case *UnaryOp:
		b.Expr(e.Operand)
	case *BoolOp:
		b.exprs(e.Values...)
	case *Compare:
		b.Expr(e.Left)
		b.exprs(e.Comparators...)
	case *IfExp:
		b.exprs(e.Test, e.Body, e.Orelse)
	case *Lambda:
		b.defaults(e.Args)
	default:
		b.display(e)
	}
}

// display goes through what makes a new object, and what is rare.
func (b *Binder) display(e Expr) {
	switch e := e.(type) {
	case *Tuple:
		b.exprs(e.Elts...)
	case *List:
		b.exprs(e.Elts...)
	case *Set:
		b.exprs(e.Elts...)
	case *Dict:
		for i, k := range e.Keys {
			b.exprs(k, e.Values[i])
		}
	case *Comp:
		for _, c := range e.Generators {
			b.Expr(c.Iter)
			b.exprs(c.Ifs...)
		}
		b.exprs(e.Elt, e.Value)
	case *Slice:
		b.exprs(e.Lower, e.Upper, e.Step)
	case *Starred:
		b.Expr(e.Value)
	case *JoinedStr:
		b.exprs(e.Values...)
	case *FormattedValue:
		b.Expr(e.Value)
		if e.FormatSpec != nil {
			b.Expr(e.FormatSpec)
		}
	case *Await:
		b.Expr(e.Value)
	case *Yield:
		b.Expr(e.Value)
	case *YieldFrom:
		b.Expr(e.Value)
	}
}

// Names is a list of names, each once, in the order in which they were added.
type Names struct {
	List []string
	seen map[string]bool // made when the list grows long
}

// Add adds a name that is not there.
func (n *Names) Add(name string) {
	const long = 16
	switch {
	case n.seen != nil:
		if n.seen[name] {
			return
		}
		n.seen[name] = true
	case slices.Contains(n.List, name):
		return
	case len(n.List) == long:
		n.seen = map[string]bool{name: true}
		for _, old := range n.List {
			n.seen[old] = true
		}
	}
	n.List = append(n.List, name)
}

// Has reports whether a name is there.
func (n *Names) Has(name string) bool {
	if n.seen != nil {
		return n.seen[name]
	}
	return slices.Contains(n.List, name)
}
