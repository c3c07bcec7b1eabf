package sema

import (
	"strconv"
	"sync"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A signature is the parameters of a function: those given by position or name, then *args,
// then those given by name alone.
type signature struct {
	params []param
	byPos  int // parameters that may be given by position; *args follows if vararg
	vararg bool
	kwarg  bool // any other name may be given
}

type param struct {
	name     string
	node     *syntax.Arg
	def      syntax.Expr // nil if the parameter must be given
	value    Value       // def's, in signatures of builtins
	onlyPos  bool
	required bool
}

// newSignature makes a signature of a parameter list.
func newSignature(a *syntax.Arguments) *signature {
	s := &signature{byPos: len(a.PosOnly) + len(a.Args), vararg: a.VarArg != nil, kwarg: a.KwArg != nil}
	add := func(arg *syntax.Arg, def syntax.Expr) *param {
		s.params = append(s.params, param{name: arg.Name, node: arg, def: def, required: def == nil})
		return &s.params[len(s.params)-1]
	}
	first := s.byPos - len(a.Defaults)
	for i, arg := range append(a.PosOnly[:len(a.PosOnly):len(a.PosOnly)], a.Args...) {
		var def syntax.Expr
		if i >= first {
			def = a.Defaults[i-first]
		}
		add(arg, def).onlyPos = i < len(a.PosOnly)
	}
	if a.VarArg != nil {
		add(a.VarArg, nil).required = false
	}
	for i, arg := range a.KwOnly {
		add(arg, a.KwDefaults[i])
	}
	return s
}

// find gives the index of a parameter that can be given by name, or -1.
func (s *signature) find(name string) int {
	for i, p := range s.params {
		if p.name == name && !p.onlyPos && (i != s.byPos || !s.vararg) {
			return i
		}
	}
	return -1
}

func (s *signature) names() []string {
	out := make([]string, len(s.params))
	for i, p := range s.params {
		out[i] = p.name
	}
	return out
}

// builtinSignatures holds what Sig strings mean.
var builtinSignatures sync.Map // string → *signature

// signature parses b's parameter list, once.
func (b *Builtin) signature() *signature {
	if s, ok := builtinSignatures.Load(b.Sig); ok {
		return s.(*signature)
	}
	s := parseSignature(b.Sig)
	builtinSignatures.Store(b.Sig, s)
	return s
}

func parseSignature(sig string) *signature {
	f := syntax.NewFile(sig, []byte("lambda "+sig+": 0"))
	e, errs := syntax.ParseExpr(f)
	if errs != nil {
		panic("sema: bad signature of a builtin: " + errs.Error())
	}
	s := newSignature(e.(*syntax.Lambda).Args)
	for i := range s.params {
		if p := &s.params[i]; p.def != nil {
			p.value = literalDefault(p.def)
		}
	}
	return s
}

// literalDefault gives the value of a default in a builtin's signature.
func literalDefault(e syntax.Expr) Value {
	switch e := e.(type) {
	case *syntax.Constant:
		if v, err := pyval.Literal(e); err == nil {
			return v
		}
	case *syntax.Tuple:
		if len(e.Elts) == 0 {
			return pyval.Tuple{}
		}
	case *syntax.UnaryOp:
		if v, err := pyval.Unary(e.Op, literalDefault(e.Operand)); err == nil {
			return v
		}
	}
	panic("sema: the default of a builtin's parameter must be a literal or ()")
}

// An argList is the arguments of a call and where they stand.
type argList struct {
	pos   []Value
	posAt []syntax.Node
	kw    []Kwarg
	kwAt  []syntax.Node
}

// prepend adds a first argument: the value that a method is of.
func (a *argList) prepend(v Value, at syntax.Node) *argList {
	b := *a
	b.pos = append([]Value{v}, a.pos...)
	b.posAt = append([]syntax.Node{at}, a.posAt...)
	return &b
}

// A binding is the arguments by parameter; nil values are not given.
type binding struct {
	vals []Value
	at   []syntax.Node
	rest argList // named arguments without a parameter, where the signature takes them
}

// bindArgs matches arguments with parameters; name is the function's, for messages. *args
// becomes a tuple; defaults are left to the caller.
func (g *gen) bindArgs(name string, s *signature, a *argList, at syntax.Node) binding {
	b := binding{vals: make([]Value, len(s.params)), at: make([]syntax.Node, len(s.params))}
	n := min(len(a.pos), s.byPos)
	copy(b.vals, a.pos[:n])
	copy(b.at, a.posAt[:n])
	if s.vararg {
		b.vals[s.byPos] = pyval.Tuple{Elems: a.pos[n:]}
		b.at[s.byPos] = at
		if len(a.posAt) > n {
			b.at[s.byPos] = a.posAt[n]
		}
	} else if len(a.pos) > n {
		g.fail(a.posAt[n], "too-many-arguments", "%s takes %s, but %d are given", name, counted(s.byPos, "positional argument"), len(a.pos))
	}
	for i, k := range a.kw {
		j := s.find(k.Name)
		if j < 0 && s.kwarg {
			b.rest.kw, b.rest.kwAt = append(b.rest.kw, k), append(b.rest.kwAt, a.kwAt[i])
			continue
		}
		if j < 0 {
			g.unexpectedArgument(name, s, k.Name, a.kwAt[i])
		}
		if b.vals[j] != nil {
			g.fail(a.kwAt[i], "duplicate-argument", "%s is given argument '%s' twice", name, k.Name)
		}
		b.vals[j], b.at[j] = k.Value, a.kwAt[i]
		if kw, ok := a.kwAt[i].(*syntax.Keyword); ok && kw.Arg != "" {
			b.at[j] = kw.Value
		}
	}
	for i, p := range s.params {
		if p.required && b.vals[i] == nil {
			g.fail(at, "missing-argument", "%s is not given argument '%s'", name, p.name)
		}
	}
	return b
}

func (g *gen) unexpectedArgument(name string, s *signature, arg string, at syntax.Node) {
	if near := keywordInstead(arg, s.names()); near != "" {
		g.fail(at, "unexpected-argument", "%s has no argument '%s'; did you mean '%s'?", name, arg, near)
	}
	g.fail(at, "unexpected-argument", "%s has no argument '%s'", name, arg)
}

// counted gives a count with its noun.
func counted(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
