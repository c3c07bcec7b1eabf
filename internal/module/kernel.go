package module

import (
	"maps"
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A Kernel is a kernel function and what its decorators say. It does not change.
type Kernel struct {
	Module *Module
	Name   string // with the class or function around it in front: A.f
	Fn     *sema.Func
	Params []Param
	At     diag.Place
	Err    error // why the kernel cannot be used; nil for most

	// From autotune. TuneErr says why they are not known, if so.
	Configs      []Config
	AutotuneKey  []string
	Pruned       bool // by prune_configs_by, which is not run
	ResetToZero  []string
	RestoreValue []string
	TuneErr      error

	Heuristics    []Heuristic // in the order in which they run
	HeuristicsErr error       // why they are not known, if so

	// From jit. OptionsErr says why they are not known, if so.
	NoInline                   bool
	Debug                      bool
	DoNotSpecialize            []string // parameters
	DoNotSpecializeOnAlignment []string
	OptionsErr                 error

	Wrappers []string // decorators that the loader does not know, as written, the outermost first
}

// A Param is a parameter of a kernel.
type Param struct {
	Name       string
	Constexpr  bool
	HasDefault bool
	Default    sema.Value // nil if there is none or DefaultErr says why it is not known
	DefaultErr error
	Variadic   bool   // *args
	KwOnly     bool   // after * or *args
	Annotation string // as written, or ""
	At         diag.Place
}

// A Heuristic computes an argument from the others.
type Heuristic struct {
	Name string
	Eval func(args map[string]sema.Value) (sema.Value, error)
}

func newKernelInfo(name string, k *kernel) *Kernel {
	info := &Kernel{Module: k.mod, Name: name, Fn: k.fn, At: k.mod.place(nameOf(k.host)), Wrappers: k.wrappers}
	k.params(info)
	if err := k.options(info); err != nil {
		info.OptionsErr = k.mod.failure("what jit is given", err, k.decoratorPlace(k.jit))
	}
	for _, d := range k.decorators {
		if d.kind == autotune {
			if err := k.tune(info, d); err != nil {
				info.Configs, info.TuneErr = nil, k.mod.failure("the set of configurations of '"+k.fn.Name+"'", err, k.decoratorPlace(d))
			}
			continue
		}
		if err := k.heuristics(info, d); err != nil {
			info.HeuristicsErr = k.mod.failure("the set of heuristics of '"+k.fn.Name+"'", err, k.decoratorPlace(d))
		}
	}
	return info
}

// decoratorPlace gives where a decorator of the kernel is.
func (k *kernel) decoratorPlace(d *decorator) diag.Place {
	if d.node == nil {
		return k.mod.place(nameOf(k.host))
	}
	return d.mod.place(d.node)
}

func (k *kernel) params(info *Kernel) {
	a := k.host.args
	positional := append(append([]*syntax.Arg(nil), a.PosOnly...), a.Args...)
	for i, p := range positional {
		var def syntax.Expr
		var v Value
		if d := i - (len(positional) - len(a.Defaults)); d >= 0 {
			def, v = a.Defaults[d], k.host.defaults[d]
		}
		info.Params = append(info.Params, k.param(p, def, v))
	}
	if a.VarArg != nil {
		p := k.param(a.VarArg, nil, nil)
		p.Variadic = true
		info.Params = append(info.Params, p)
	}
	for i, p := range a.KwOnly {
		q := k.param(p, a.KwDefaults[i], k.host.kwDefaults[i])
		q.KwOnly = true
		info.Params = append(info.Params, q)
	}
	if a.KwArg != nil {
		e := diag.At(diag.Compile, k.mod.place(a.KwArg), "a kernel cannot have a **%s parameter: name the parameters", a.KwArg.Name)
		info.Err = e.WithCode("keyword-parameters")
	}
	if err := k.fn.Check(); err != nil {
		info.Err = err
	}
}

// param describes a parameter with the expression of its default and what that was when the def ran.
func (k *kernel) param(p *syntax.Arg, def syntax.Expr, v Value) Param {
	out := Param{Name: p.Name, HasDefault: def != nil, At: k.mod.place(p)}
	if p.Annotation != nil {
		r := p.Annotation.Range()
		out.Annotation = string(k.mod.file.Src[r.Pos:r.End])
		out.Constexpr = isConstexprText(p.Annotation) || k.namesConstexpr(p.Annotation)
	}
	if def == nil {
		return out
	}
	var err error
	if u := isUnknown(k.mod.prog.seen(v, p.Name)); u != nil {
		err = u.err()
	} else {
		v, err = k.mod.export(p.Name, v, nil)
	}
	if err != nil {
		out.DefaultErr = k.mod.failure("the default of '"+p.Name+"'", err, k.mod.place(def))
		return out
	}
	out.Default = v
	return out
}

// namesConstexpr reports whether an annotation is constexpr under another name.
func (k *kernel) namesConstexpr(e syntax.Expr) bool {
	if s, ok := e.(*syntax.Subscript); ok {
		return k.namesConstexpr(s.Value)
	}
	v, err := k.evalOutside(e)
	_, ok := v.(*constantClass)
	return err == nil && ok
}

// evalOutside evaluates an annotation.
func (k *kernel) evalOutside(e syntax.Expr) (Value, error) {
	f := &frame{mod: k.mod, names: k.mod.newNames(), outer: k.host.frame}
	return f.eval(e)
}

// options reads the arguments of jit.
func (k *kernel) options(info *Kernel) error {
	_, kwargs, err := k.jit.arguments()
	if err != nil {
		return err
	}
	for _, kw := range kwargs {
		v := plain(kw.Value)
		switch kw.Name {
		case "noinline", "debug":
			if v == Value(pyval.None) {
				continue
			}
			if u := isUnknown(v); u != nil {
				return u.err()
			}
			t, err := pyval.Truth(v)
			if err != nil {
				return err
			}
			if kw.Name == "debug" {
				info.Debug = t
			} else {
				info.NoInline = t
			}
		case "do_not_specialize":
			info.DoNotSpecialize, err = k.paramNames(info, v)
		case "do_not_specialize_on_alignment":
			info.DoNotSpecializeOnAlignment, err = k.paramNames(info, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// paramNames reads a list of parameters, given by name or by index.
func (k *kernel) paramNames(info *Kernel, v Value) ([]string, error) {
	if v == Value(pyval.None) {
		return nil, nil
	}
	elems, err := k.mod.prog.iterable(v)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range elems {
		if u := isUnknown(e); u != nil {
			return nil, u.err()
		}
		if s, ok := plain(e).(string); ok {
			names = append(names, s)
			continue
		}
		i, ok := pyval.AsInt(e)
		if !ok || i < 0 || i >= int64(len(info.Params)) {
			return nil, pyval.Errorf("ValueError", "%s is no parameter of '%s'", pyval.Repr(e), k.fn.Name)
		}
		names = append(names, info.Params[i].Name)
	}
	return names, nil
}

var autotuneParams = []string{"configs", "key", "prune_configs_by", "reset_to_zero", "restore_value", "pre_hook", "post_hook", "warmup", "rep",
	"use_cuda_graph", "do_bench", "cache_results"}

// tune reads the arguments of autotune.
func (k *kernel) tune(info *Kernel, d *decorator) error {
	args, kwargs, err := d.arguments()
	if err != nil {
		return err
	}
	a, err := bindArgs("autotune", autotuneParams, 1, args, kwargs)
	if err != nil {
		return err
	}
	for i, to := range map[int]*[]string{1: &info.AutotuneKey, 3: &info.ResetToZero, 4: &info.RestoreValue} {
		if a[i] == nil {
			continue
		}
		if *to, err = k.paramNames(info, a[i]); err != nil {
			return err
		}
	}
	info.Pruned = a[2] != nil && a[2] != Value(pyval.None)
	configs, err := k.mod.prog.iterable(a[0])
	if err != nil {
		return err
	}
	for _, v := range configs {
		if u := isUnknown(k.mod.prog.seen(v, "a configuration")); u != nil {
			return u.err()
		}
		c, ok := v.(*config)
		if !ok {
			return pyval.Errorf("TypeError", "autotune takes Configs, not %s", pyval.TypeName(v))
		}
		out, err := c.export(k.mod)
		if err != nil {
			return err
		}
		info.Configs = append(info.Configs, out)
	}
	return nil
}

// heuristics reads the argument of heuristics.
func (k *kernel) heuristics(info *Kernel, d *decorator) error {
	args, kwargs, err := d.arguments()
	if err != nil {
		return err
	}
	a, err := bindArgs("heuristics", []string{"values"}, 1, args, kwargs)
	if err != nil {
		return err
	}
	if u := isUnknown(k.mod.prog.seen(a[0], "the dict")); u != nil {
		return u.err()
	}
	values, ok := a[0].(*pyval.Dict)
	if !ok {
		return pyval.Errorf("TypeError", "heuristics takes a dict, not %s", pyval.TypeName(a[0]))
	}
	for key, fn := range values.All() {
		name, ok := key.(string)
		if !ok {
			return pyval.Errorf("TypeError", "heuristics are for parameters by name, not %s", pyval.Repr(key))
		}
		info.Heuristics = append(info.Heuristics, Heuristic{name, func(args map[string]sema.Value) (sema.Value, error) {
			return k.heuristic(name, fn, args)
		}})
	}
	return nil
}

// heuristic computes one argument.
func (k *kernel) heuristic(name string, fn Value, args map[string]sema.Value) (v sema.Value, err error) {
	defer k.mod.enter()()
	d := &pyval.Dict{}
	for _, p := range k.paramOrder(args) {
		if err := d.Set(p, k.mod.takenIn(args[p])); err != nil {
			return nil, err
		}
	}
	v, err = call(fn, []Value{d}, nil)
	if u := isUnknown(v); err == nil && u != nil {
		err = u.err()
	}
	if err != nil {
		return nil, k.mod.failure("the heuristic of '"+name+"'", err, diag.Place{})
	}
	return k.mod.export(name, v, nil)
}

// paramOrder gives the names of arguments: parameters in their order, then others sorted.
func (k *kernel) paramOrder(args map[string]sema.Value) []string {
	a := k.host.args
	var names []string
	seen := map[string]bool{}
	for _, list := range [][]*syntax.Arg{a.PosOnly, a.Args, {a.VarArg}, a.KwOnly} {
		for _, p := range list {
			if p == nil {
				continue
			}
			if _, ok := args[p.Name]; ok {
				names, seen[p.Name] = append(names, p.Name), true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !seen[name] {
			names = append(names, name)
		}
	}
	return names
}
