package sema

import (
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A seq is what remains to be done in a region: statements, then further iterations of the
// unrolled loop that they are the body of, then the next seq. It is done once.
type seq struct {
	stmts []syntax.Stmt
	loop  *unrolled // nil if the statements are no loop's body
	end   bool      // the end of the function is reached
	next  *seq
}

// wholeBody gives a function's body as a seq.
func wholeBody(body []syntax.Stmt) *seq { return &seq{stmts: body, next: &seq{end: true}} }

// An outcome says how a seq ended.
type outcome struct {
	kind  outcomeKind
	flag  *tile.Value // for mayReturn: whether it returned (i1)
	value Value       // what it returned, if it did
	at    syntax.Node // the return, for diagnostics; nil at the function's end
}

type outcomeKind uint8

const (
	falls     outcomeKind = iota // the end was reached
	returns                      // a return was reached on every path
	mayReturn                    // a return was reached on some paths
)

// exec does a seq.
func (g *gen) exec(s *seq) outcome {
	out, at, rest := g.begin(s)
	for rest != nil {
		out = g.unlessReturned(at, out, func() (o outcome) {
			o, at, rest = g.begin(rest)
			return o
		})
	}
	return out
}

// begin does a seq, or some of it: where control flow is nested deeply it stops after an if that may
// return. at is that if then, and rest what is left.
func (g *gen) begin(s *seq) (out outcome, at syntax.Node, rest *seq) {
	for s != nil {
		if s.end {
			return outcome{kind: returns, value: pyval.None}, nil, nil
		}
		if len(s.stmts) == 0 {
			s = g.iterate(s)
			continue
		}
		st := s.stmts[0]
		s.stmts = s.stmts[1:]
		g.step(st)
		switch st := st.(type) {
		case *syntax.Return:
			return g.returnStmt(st), nil, nil
		case *syntax.If:
			body, out, done := g.ifStmt(st, s)
			switch {
			case done:
				return out, nil, nil
			case out.kind == mayReturn:
				return out, st, s.trim()
			}
			s = push(body, s)
		case *syntax.For:
			s = g.forStmt(st, s)
		case *syntax.While:
			s = g.whileStmt(st, s)
		case *syntax.Break:
			s = g.leaveLoop(st, "break", s)
			s = s.next
		case *syntax.Continue:
			s = g.leaveLoop(st, "continue", s)
			s.stmts = nil
		default:
			g.simple(st)
		}
	}
	return outcome{kind: falls}, nil, nil
}

// push puts statements before a seq.
func push(stmts []syntax.Stmt, s *seq) *seq {
	if len(stmts) == 0 {
		return s
	}
	return &seq{stmts: stmts, next: s}
}

// trim drops what is done from a seq.
func (s *seq) trim() *seq {
	for s != nil && len(s.stmts) == 0 && s.loop == nil && !s.end {
		s = s.next
	}
	return s
}

// leaveLoop finds the innermost unrolled loop of the current region.
func (g *gen) leaveLoop(st syntax.Stmt, what string, s *seq) *seq {
	for s != nil && s.loop == nil {
		s = s.next
	}
	if s == nil {
		g.unsupported(st, "'%s' here; it is possible only in a loop that is unrolled (tl.static_range) "+
			"and under conditions known at compile time", what)
	}
	return s
}

// returnStmt does a return.
func (g *gen) returnStmt(st *syntax.Return) outcome {
	if g.frame.loop != nil {
		g.unsupported(st, "'return' inside a loop that runs on the device; set a variable there and return after the loop")
	}
	out := outcome{kind: returns, value: pyval.None, at: st}
	if st.Value != nil {
		out.value = g.eval(st.Value)
	}
	return out
}

// simple does a statement without control flow.
func (g *gen) simple(st syntax.Stmt) {
	switch st := st.(type) {
	case *syntax.Assign:
		g.assignStmt(st)
	case *syntax.AugAssign:
		g.augAssign(st)
	case *syntax.AnnAssign:
		g.annAssign(st)
	case *syntax.ExprStmt:
		if _, ok := st.Value.(*syntax.Constant); !ok {
			g.eval(st.Value)
		}
	case *syntax.Pass:
	case *syntax.Assert:
		g.assertStmt(st)
	case *syntax.Raise:
		g.raiseStmt(st)
	case *syntax.FunctionDef:
		g.functionDef(st)
	case *syntax.Delete:
		for _, t := range st.Targets {
			g.deleteTarget(t)
		}
	default:
		g.notAllowed(st)
	}
}

// statementName names a statement that kernels may not have.
func statementName(st syntax.Stmt) string {
	switch st.(type) {
	case *syntax.ClassDef:
		return "a class definition"
	case *syntax.TypeAlias:
		return "a type alias"
	case *syntax.With:
		return "a 'with' statement"
	case *syntax.Match:
		return "a 'match' statement"
	case *syntax.Try:
		return "a 'try' statement"
	case *syntax.Import, *syntax.ImportFrom:
		return "an import"
	case *syntax.Global:
		return "a 'global' statement"
	case *syntax.Nonlocal:
		return "a 'nonlocal' statement"
	}
	return "this statement"
}

func (g *gen) notAllowed(st syntax.Stmt) {
	if _, ok := st.(*syntax.BadStmt); ok {
		g.fail(st, "bad-syntax", "this statement could not be read")
	}
	g.unsupported(st, "%s inside a kernel", statementName(st))
}

// raiseStmt fails the compilation: the raise is reached by code that is compiled.
func (g *gen) raiseStmt(st *syntax.Raise) {
	if st.Exc == nil {
		g.fail(st, "raised", "this 'raise' is reached")
	}
	exc := st.Exc
	if call, ok := exc.(*syntax.Call); ok && len(call.Args) > 0 {
		if msg, ok := g.eval(call.Args[0]).(string); ok {
			g.fail(st, "raised", "%s: %s", g.source(call.Func), msg)
		}
		exc = call.Func
	}
	g.fail(st, "raised", "%s is raised here", g.source(exc))
}

// source gives the text of a node, shortened.
func (g *gen) source(n syntax.Node) string {
	const limit = 60
	r := n.Range()
	src := g.frame.fn.File.Src
	if r.Pos < 0 || r.End > int32(len(src)) || r.Pos > r.End {
		return ""
	}
	text := src[r.Pos:r.End]
	for i, c := range text {
		if c == '\n' || i >= limit {
			return string(text[:i]) + "…"
		}
	}
	return string(text)
}

// assertStmt checks a constant condition now and a run-time one when the kernel runs in debug mode.
func (g *gen) assertStmt(st *syntax.Assert) {
	test := g.eval(st.Test)
	var msg Value = ""
	if st.Msg != nil {
		msg = g.eval(st.Msg)
	}
	if _, ok := test.(Tensor); ok {
		device, _ := LangAttr(modLang, "device_assert")
		g.callFunc(device, []Value{test, msg}, nil, st)
		return
	}
	if g.truthOf(test, st.Test) {
		return
	}
	if text := pyval.Str(msg); text != "" {
		g.fail(st, "assertion-failed", "assertion failed: %s", text)
	}
	g.fail(st, "assertion-failed", "assertion failed: %s", g.source(st.Test))
}

// functionDef binds a nested function. What it does not define it takes from this one.
func (g *gen) functionDef(st *syntax.FunctionDef) {
	switch {
	case st.Async:
		g.unsupported(st, "an async function inside a kernel")
	case len(st.Decorators) > 0:
		g.unsupported(st.Decorators[0], "a decorator on a nested function")
	}
	env := &closure{frame: g.frame, defaults: g.evalDefaults(st.Args)}
	fn := &Func{Name: st.Name, File: g.frame.fn.File, Def: st, Env: env, Library: g.frame.fn.Library}
	g.frame.set(st.Name, fn, nameNode{st.NameSpan})
}

// evalDefaults evaluates the defaults of a nested function's parameters.
func (g *gen) evalDefaults(args *syntax.Arguments) map[syntax.Expr]Value {
	if len(args.Defaults) == 0 && len(args.KwDefaults) == 0 {
		return nil
	}
	vals := make(map[syntax.Expr]Value)
	for _, list := range [][]syntax.Expr{args.Defaults, args.KwDefaults} {
		for _, e := range list {
			if e != nil {
				vals[e] = g.eval(e)
			}
		}
	}
	return vals
}

// A nameNode is a span as a node.
type nameNode struct{ syntax.Span }

func (g *gen) deleteTarget(t syntax.Expr) {
	switch t := t.(type) {
	case *syntax.Name:
		if l, ok := g.frame.vars[t.Id]; !ok || l.val == nil {
			g.lookup(t)
			g.fail(t, "undefined-name", "'%s' is not a local name", t.Id)
		}
		g.frame.remove(t.Id, &absence{kind: deleted, at: t})
	case *syntax.Tuple:
		for _, e := range t.Elts {
			g.deleteTarget(e)
		}
	default:
		g.unsupported(t, "'del' of anything but a local name")
	}
}

// truthOf gives the truth of a constant.
func (g *gen) truthOf(v Value, at syntax.Node) bool {
	switch v.(type) {
	case *Method, *Builtin, *Func:
		g.fail(at, "not-a-condition", "%s is no condition; it must be called", describe(v))
	case LangModule, Type, FullSlice, *loopRange, *staticRange:
		g.fail(at, "not-a-condition", "%s is no condition", describe(v))
	}
	b, err := pyval.Truth(v)
	g.check(at, err)
	return b
}
