package sema

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// Check says what is wrong with a function before it is called: its parameters and what kind of function it is. The parser leaves both to others, as
// Python's does.
func (fn *Func) Check() error {
	if e := fn.defect(); e != nil {
		return e
	}
	return nil
}

func (fn *Func) defect() *diag.Error {
	args := fn.args()
	if d := fn.Def; d != nil && d.Async {
		return diag.At(diag.Compile, fn.File.Place(d.NameSpan), "'%s' is a coroutine, which a kernel cannot be or call: write def instead of async def", fn.Name).WithCode("async")
	}
	seen := map[string]bool{}
	for _, list := range [][]*syntax.Arg{args.PosOnly, args.Args, {args.VarArg}, args.KwOnly, {args.KwArg}} {
		for _, p := range list {
			if p == nil {
				continue
			}
			if seen[p.Name] {
				return diag.At(diag.Compile, fn.File.Place(p.Span), "duplicate argument '%s' in function definition", p.Name).WithCode("duplicate-parameter")
			}
			seen[p.Name] = true
		}
	}
	return nil
}

// args gives the parameters as written.
func (fn *Func) args() *syntax.Arguments {
	if fn.Lambda != nil {
		return fn.Lambda.Args
	}
	return fn.Def.Args
}
