package bridge

import (
	"slices"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/mlir"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/sema/std"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A Kernel is a kernel function of Python.
type Kernel struct {
	id     uint64 // by which C knows it, too
	name   string
	file   *syntax.File
	first  int // the lines that the file really has
	last   int
	fn     *sema.Func
	env    *env
	launch *launch.Kernel
	params []launch.Param
	err    error // why it cannot be used
}

// kernels are those that are alive.
var kernels struct {
	sync.RWMutex
	byID   map[uint64]*Kernel
	byFunc map[*sema.Func]*Kernel
	byFile map[string][]*Kernel
}

// kernelOf gives the kernel of a number, nil if there is none.
func kernelOf(id uint64) *Kernel {
	kernels.RLock()
	defer kernels.RUnlock()
	return kernels.byID[id]
}

func kernelOfFunc(f *sema.Func) *Kernel {
	kernels.RLock()
	defer kernels.RUnlock()
	return kernels.byFunc[f]
}

func (k *Kernel) enter() {
	kernels.Lock()
	defer kernels.Unlock()
	if kernels.byID == nil {
		kernels.byID, kernels.byFunc, kernels.byFile = map[uint64]*Kernel{}, map[*sema.Func]*Kernel{}, map[string][]*Kernel{}
	}
	kernels.byID[k.id] = k
	if k.fn != nil {
		kernels.byFunc[k.fn] = k
	}
	kernels.byFile[k.file.Name] = append(kernels.byFile[k.file.Name], k)
}

// dropKernel forgets a kernel that Python has no more.
func dropKernel(id uint64) {
	kernels.Lock()
	defer kernels.Unlock()
	k := kernels.byID[id]
	if k == nil {
		return
	}
	delete(kernels.byID, id)
	delete(kernels.byFunc, k.fn)
	left := slices.DeleteFunc(kernels.byFile[k.file.Name], func(o *Kernel) bool { return o == k })
	if len(left) == 0 {
		delete(kernels.byFile, k.file.Name)
		return
	}
	kernels.byFile[k.file.Name] = left
}

// lineText gives a line of a file that some kernel is in.
func lineText(file string, line int) string {
	if name, ok := strings.CutPrefix(file, "tegula/std/"); ok {
		return syntax.NewFile(file, std.Source(name)).Line(line)
	}
	kernels.RLock()
	defer kernels.RUnlock()
	for _, k := range kernels.byFile[file] {
		if line >= k.first && line <= k.last {
			return k.file.Line(line)
		}
	}
	return ""
}

// What the definition of a kernel says of a parameter.
const (
	paramConstexpr uint8 = 1 << iota
	paramDefault
	paramNoSpecialize
	paramNoAlign
)

// A said is what Python knows of a parameter.
type said struct {
	name       string
	annotation string
	flags      uint8
}

// load reads the definition of a kernel. What is wrong with it is the kernel's own error.
func load(r *reader) (*Kernel, error) {
	k := &Kernel{id: r.u64()}
	name, source, filename, first := r.str(), r.str(), r.str(), int(r.u32())
	debug := r.bool()
	warps, stages, ctas, lanes := int(r.u32()), int(r.u32()), int(r.u32()), int(r.u32())
	params := make([]said, r.count(9))
	for i := range params {
		params[i] = said{r.str(), r.str(), r.u8()}
	}
	if r.err != nil {
		return nil, r.err
	}
	k.name, k.env = name, &env{kernel: k}
	if strings.HasSuffix(filename, ".ttir") {
		k.read(source, filename)
		k.enter()
		return k, nil
	}
	k.parse(source, filename, first)
	if k.err == nil {
		k.define(params, debug, launch.Config{NumWarps: warps, NumStages: stages, NumCTAs: ctas, ThreadsPerWarp: lanes})
	}
	k.enter()
	return k, nil
}

// read takes a kernel in Triton's intermediate representation.
func (k *Kernel) read(source, filename string) {
	k.file = syntax.NewFile(filename, []byte(source))
	k.first, k.last = 1, 1+strings.Count(source, "\n")
	m, err := mlir.Parse(filename, []byte(source))
	if err != nil {
		k.err = err
		return
	}
	k.name = m.Funcs[0].Name
	k.launch = launch.FromTile(m, lineText)
	k.params = make([]launch.Param, len(k.launch.Params()))
	for i, p := range k.launch.Params() {
		k.params[i].Name = p.Name
	}
}

// maxLines bounds the numbers of lines.
const maxLines = 1 << 20

// parse makes a file of the def's text in which it has its own lines and columns.
func (k *Kernel) parse(source, filename string, first int) {
	first = min(max(first, 1), maxLines)
	front := strings.Repeat("\n", first-1)
	if indent := source[:len(source)-len(strings.TrimLeft(source, " \t\f"))]; indent != "" {
		if first == 1 {
			first, front = 2, "\n"
		}
		front = strings.Repeat("\n", first-2) + "if 1:\n" // the statement that the indentation needs
	}
	k.file = syntax.NewFile(filename, []byte(front+source))
	k.first, k.last = first, first+strings.Count(source, "\n")
	tree, errs := syntax.Parse(k.file)
	if len(errs) > 0 {
		k.err = errs
		return
	}
	def := findDef(tree.Body, k.name)
	if def == nil {
		k.err = diag.New(diag.Unsupported, "not-a-def", "the source of %s is no def, which a kernel has to be: %s:%d", k.name, filename, first)
		return
	}
	k.fn = &sema.Func{Name: k.name, File: k.file, Def: def, Env: k.env}
}

// findDef finds the function of a name; the only one there is will do, too.
func findDef(body []syntax.Stmt, name string) *syntax.FunctionDef {
	var only *syntax.FunctionDef
	n := 0
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.FunctionDef:
			if s.Name == name {
				return s
			}
			only, n = s, n+1
		case *syntax.If:
			if d := findDef(s.Body, name); d != nil {
				return d
			}
		}
	}
	if n == 1 {
		return only
	}
	return nil
}

// define makes the kernel of its def and what Python says of the parameters.
func (k *Kernel) define(said []said, debug bool, defaults launch.Config) {
	a := k.fn.Def.Args
	if a.KwArg != nil {
		k.err = diag.At(diag.Compile, k.file.Place(a.KwArg.Span), "a kernel cannot have a **%s parameter: name the parameters", a.KwArg.Name).WithCode("keyword-parameters")
		return
	}
	if err := k.fn.Check(); err != nil {
		k.err = err
		return
	}
	add := func(list []*syntax.Arg, kind launch.ParamKind) {
		for _, p := range list {
			if p != nil {
				k.params = append(k.params, k.param(p, kind, said))
			}
		}
	}
	add(a.PosOnly, launch.PositionalOnly)
	add(a.Args, launch.Ordinary)
	add([]*syntax.Arg{a.VarArg}, launch.Variadic)
	add(a.KwOnly, launch.KeywordOnly)
	d := launch.Definition{Fn: k.fn, Params: k.params, Debug: debug, LineText: lineText}
	if defaults.NumWarps != 0 || defaults.NumStages != 0 || defaults.NumCTAs != 0 || defaults.ThreadsPerWarp != 0 {
		d.Configs = []launch.Config{defaults}
	}
	k.launch = launch.New(d)
}

func (k *Kernel) param(p *syntax.Arg, kind launch.ParamKind, all []said) launch.Param {
	out := launch.Param{Name: p.Name, Kind: kind, Place: k.file.Place(p.Span)}
	i := slices.IndexFunc(all, func(s said) bool { return s.name == p.Name })
	if i < 0 {
		return out
	}
	s := all[i]
	out.Constexpr = s.flags&paramConstexpr != 0
	if !out.Constexpr {
		out.Type = launch.DeclaredType(s.annotation)
	}
	if s.flags&paramDefault != 0 {
		// C fills in the default that the function has; this one says that there is one.
		out.Default = func() (pyval.Value, error) { return pyval.None, nil }
	}
	out.NoSpecialize, out.NoAlign = s.flags&paramNoSpecialize != 0, s.flags&paramNoAlign != 0
	return out
}

// How C tells parameters.
const (
	kindPositionalOnly uint8 = iota
	kindOrdinary
	kindVariadic
	kindKeywordOnly
)

var kindNumbers = map[launch.ParamKind]uint8{
	launch.PositionalOnly: kindPositionalOnly, launch.Ordinary: kindOrdinary, launch.Variadic: kindVariadic, launch.KeywordOnly: kindKeywordOnly,
}

// table writes what C has to know of the parameters.
func (k *Kernel) table(w *writer) {
	list := k.launch.Params()
	w.u32(uint32(len(list)))
	for _, p := range list {
		w.str(p.Name)
		w.u8(kindNumbers[p.Kind])
		w.u8(facts(p))
		w.i64(p.Low)
		w.u64(p.High)
	}
}

// facts gives the bits of C's table: those of enum TG_FACT_… in bridge.h.
func facts(p launch.ParamFacts) (bits uint8) {
	for i, is := range [...]bool{p.Constexpr, p.NoSpecialize, p.NoAlign, p.Declared, p.DeclaredInt} {
		if is {
			bits |= 1 << i
		}
	}
	return bits
}
