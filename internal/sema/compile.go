package sema

import (
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Compile gives the meaning of a kernel for given arguments. Errors are *diag.Error.
func Compile(s Spec) (res *Result, err error) {
	if s.Fn == nil || s.Fn.Def == nil {
		return nil, diag.New(diag.Compile, "not-a-kernel", "a kernel must be a function made with def")
	}
	m := &tile.Module{}
	f := &tile.Func{Name: s.Fn.Name, Body: &tile.Block{}}
	m.Funcs = []*tile.Func{f}
	g := &gen{
		b:          tile.NewBuilder(m, f),
		opts:       s.Options,
		limit:      defaultLimits,
		sizes:      make(map[tupleKey]int),
		known:      make(map[globalKey]Binding),
		signatures: make(map[syntax.Node]*signature),
		frame:      &frame{fn: s.Fn, vars: make(map[string]local)},
	}
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, g.failure(p)
		}
	}()
	return g.compile(s), nil
}

// failure gives the error that a panic carried. Any panic but a bail is a mistake in the
// compiler.
func (g *gen) failure(p any) error {
	if b, ok := p.(bail); ok {
		return b.err
	}
	f := g.frame
	e := diag.At(diag.Compile, f.fn.File.Place(f.locSpan), "internal error: %v", p).WithCode("internal")
	e.Cause = fmt.Errorf("%v\n%s", p, debug.Stack())
	return e
}

func (g *gen) compile(s Spec) *Result {
	def := s.Fn.Def
	f := g.b.Func
	g.b.SetBlock(f.Body)
	g.at(nameNode{def.NameSpan})
	f.Loc = g.b.Loc
	g.uses(s.Fn)
	res := &Result{Module: g.b.Module, Params: g.parameters(s)}
	g.returned(g.exec(wholeBody(def.Body)))
	g.at(nameNode{def.NameSpan})
	g.b.Op(tile.OpReturn, nil, nil)
	res.Globals, res.Funcs = g.globals, g.funcs
	g.checkReadOnly()
	if err := tile.Verify(g.b.Module); err != nil {
		g.invalid(err)
	}
	for i, written := range f.Written() {
		res.Params[i].Written = written
	}
	return res
}

// checkReadOnly checks that nothing is written through a pointer to constants.
func (g *gen) checkReadOnly() {
	f := g.b.Func
	f.Body.Walk(func(op *tile.Op) {
		p := f.ReadOnly(op)
		if p == nil {
			return
		}
		e := diag.At(diag.Compile, g.place(op.Loc), "cannot write through '%s', which is declared to point to constants", p.Name)
		e.Code = "const-pointer"
		for at := g.b.Module.Locs.At(op.Loc).Parent; at != 0; at = g.b.Module.Locs.At(at).Parent {
			e.Notes = append(e.Notes, diag.Note{Place: g.place(at), Msg: "called from here"})
		}
		panic(bail{e})
	})
}

// returned checks what the kernel returns.
func (g *gen) returned(out outcome) {
	if len(tensorsIn(out.value, nil)) > 0 {
		g.fail(out.at, "kernel-returns", "a kernel cannot return a value (%s); store it to memory", describe(out.value))
	}
}

// invalid reports that the module breaks the rules of tile IR: a mistake in this package.
func (g *gen) invalid(err error) {
	e := g.errorAt(diag.Compile, nameNode{g.frame.fn.Def.NameSpan}, "internal", "internal error: %v", err)
	e.Cause = err
	panic(bail{e})
}

// parameters makes the parameters of the module's function and binds those of the kernel.
func (g *gen) parameters(s Spec) []ParamSource {
	sig, _ := s.Fn.signature(g, s.Fn.Def)
	if len(s.Args) != len(sig.params) {
		g.fail(nameNode{s.Fn.Def.NameSpan}, "argument-count", "'%s' has %s, but %d are described",
			s.Fn.Name, counted(len(sig.params), "parameter"), len(s.Args))
	}
	var sources []ParamSource
	for i, p := range sig.params {
		spec := s.Args[i]
		if p.node.Annotation != nil && g.isConstPointer(p.node.Annotation) && spec.Type.IsPtr() {
			spec.ReadOnly = true
		}
		v := g.argument(spec, ParamSource{Name: p.name, Path: []int{i}}, &sources)
		g.bindParam(p, v)
	}
	return sources
}

// argument gives the value of an argument; run-time ones become parameters of the function.
func (g *gen) argument(a ArgSpec, src ParamSource, sources *[]ParamSource) Value {
	switch {
	case a.IsConst:
		return a.Const
	case a.IsTuple:
		elems := make([]Value, len(a.Tuple))
		for i, e := range a.Tuple {
			path := append(src.Path[:len(src.Path):len(src.Path)], i)
			elems[i] = g.argument(e, ParamSource{Name: src.Name + "[" + strconv.Itoa(i) + "]", Path: path}, sources)
		}
		return pyval.Tuple{Elems: elems, Names: a.Names}
	case a.Desc != nil:
		return g.descArgument(a.Desc, src, sources)
	}
	f := g.b.Func
	src.Type = a.Type
	*sources = append(*sources, src)
	f.Params = append(f.Params, tile.Param{
		Name:         src.Name,
		Divisibility: a.Divisibility,
		Unsigned:     a.Type.DType.IsInt() && !a.Type.DType.IsBool() && !a.Type.DType.IsSigned(),
		ReadOnly:     a.ReadOnly,
	})
	return Tensor{f.Body.AddArg(f, a.Type.Tile, src.Name), a.Type.DType}
}
