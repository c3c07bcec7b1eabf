package launch

import (
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/sema/std"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/target"
)

// FromModule makes a Kernel of one that was found in a module file. file gives the files that the
// kernel may be made of, for diagnostics at run time; nil for those it has not.
func FromModule(k *module.Kernel, file func(name string) *syntax.File) (*Kernel, error) {
	if k.Err != nil {
		return nil, k.Err
	}
	d := Definition{Fn: k.Fn, Debug: k.Debug, LineText: lines(file), Pruned: k.Pruned, LoadedFor: func(t target.Target) error { return loadedFor(k, t) }}
	posOnly := 0
	if k.Fn.Def != nil {
		posOnly = len(k.Fn.Def.Args.PosOnly)
	}
	for i := range k.Params {
		p := param(&k.Params[i])
		if i < posOnly {
			p.Kind = PositionalOnly
		}
		p.NoSpecialize = slices.Contains(k.DoNotSpecialize, p.Name)
		p.NoAlign = slices.Contains(k.DoNotSpecializeOnAlignment, p.Name)
		d.Params = append(d.Params, p)
	}
	for _, c := range k.Configs {
		d.Configs = append(d.Configs, config(k, c))
	}
	for _, h := range k.Heuristics {
		d.Heuristics = append(d.Heuristics, Heuristic(h))
	}
	doubts := []error{k.TuneErr, k.HeuristicsErr, k.OptionsErr}
	if len(d.Configs) > 0 {
		doubts = append(doubts, d.Configs[0].Misfit)
	}
	for _, err := range doubts {
		if err != nil {
			d.Doubts = append(d.Doubts, err)
		}
	}
	return New(d), nil
}

// loadedFor reports an error if the module was told another target than t.
func loadedFor(k *module.Kernel, t target.Target) error {
	told, asked := k.Module.Asked()
	if !asked || told.Backend == t.Backend && (told.Arch == t.Arch || told.Arch == "") {
		return nil
	}
	return diag.At(diag.Unsupported, k.At, "the module of %s asks what it is compiled for, and was told %s; it has to be loaded for %s to be compiled for that",
		k.Name, target.Target{Backend: told.Backend, Arch: told.Arch}, t).WithCode("target")
}

func param(p *module.Param) Param {
	out := Param{Name: p.Name, Constexpr: p.Constexpr, Place: p.At, Type: declared(p.Annotation)}
	switch {
	case p.Variadic:
		out.Kind = Variadic
	case p.KwOnly:
		out.Kind = KeywordOnly
	}
	if p.HasDefault {
		v, err := p.Default, p.DefaultErr
		out.Default = func() (pyval.Value, error) { return v, err }
	}
	return out
}

// declared gives the type that a parameter's annotation says, as Triton reads it: the name of an
// element type, plain, in a string or below any module; with "*" in front a pointer to it. Other
// annotations say nothing.
func declared(annotation string) sema.Type {
	text := strings.TrimSpace(strings.Trim(annotation, `"'`))
	elem := strings.TrimLeft(text, "*")
	depth := len(text) - len(elem)
	if depth > 0 {
		elem = strings.TrimPrefix(elem, "k")
	}
	elem = elem[strings.LastIndexByte(elem, '.')+1:]
	d := dtype.Lookup(elem)
	if d.Bytes() == 0 || depth > 2 {
		return sema.Type{}
	}
	t := sema.ScalarType(d)
	for range depth {
		t = sema.PointerTo(t)
	}
	return t
}

// lines gives the lines of a kernel's files and of the language's library.
func lines(file func(name string) *syntax.File) func(file string, line int) string {
	return func(name string, line int) string {
		if name, ok := strings.CutPrefix(name, "tegula/std/"); ok {
			return syntax.NewFile(name, std.Source(name)).Line(line)
		}
		if f := file(name); f != nil {
			return f.Line(line)
		}
		return ""
	}
}

// NoKernel is the error of a kernel that a file has not.
func NoKernel(file, name string, have []string) error {
	if len(have) == 0 {
		return diag.New(diag.Argument, "no-kernel", "%s has no kernel '%s': no function of it is decorated with triton.jit or tegula.jit", file, name)
	}
	list := strings.Join(have, ", ")
	return diag.New(diag.Argument, "no-kernel", "%s has no kernel '%s'%s; it has %s", file, name, suggest(name, have), list)
}
