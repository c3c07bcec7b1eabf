package compiler

import (
	"time"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// A Request is what to compile.
type Request struct {
	// Tile, if not nil, is the kernel as tile IR, which is not changed; the Spec's function only names it then.
	Tile   *tile.Module
	Spec   sema.Spec
	Target target.Target
	// Check, Strict, Unfused and MaxRegisters are the target's options of these names.
	Check, Strict, Unfused bool
	MaxRegisters           int
	// Settings are the environment's.
	Settings target.Settings
	// LineText gives a line of a source file for diagnostics at run time; it may be nil.
	LineText func(file string, line int) string
	// Build is what identities have for the compiler's version; "" takes Build().
	Build string
}

// A Unit is a kernel in tile IR, as every backend begins with it.
type Unit struct {
	Module  *tile.Module
	Params  []sema.ParamSource // where each parameter of the code comes from
	Globals []sema.GlobalUse   // the global values that the code depends on

	request   Request
	funcs     []*sema.Func
	constants []driver.MetadataConstant
	backend   target.Backend
	simple    bool // the passes have run
	steps     []Step
}

// A Step is what a part of the work took.
type Step struct {
	Name string
	Took time.Duration
}

// Compile makes tile IR of a kernel. A target that has no compiler is refused first.
func Compile(r Request) (*Unit, error) {
	backend, err := r.Target.Compiler()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	s, err := frontEnd(&r)
	if err != nil {
		return nil, err
	}
	u := &Unit{
		Module: s.Module, Params: s.Params, Globals: s.Globals,
		request: r, funcs: s.Funcs, constants: constants(r.Spec), backend: backend,
	}
	u.lap("sema", start)
	return u, nil
}

// frontEnd makes tile IR of the kernel's source, unless it is there already.
func frontEnd(r *Request) (*sema.Result, error) {
	if r.Tile != nil {
		return fromTile(r)
	}
	return sema.Compile(r.Spec)
}

// lap notes what a step took since its start.
func (u *Unit) lap(name string, start time.Time) {
	u.steps = append(u.steps, Step{name, time.Since(start)})
}

// Steps gives what each step so far took, in order.
func (u *Unit) Steps() []Step { return u.steps }

// simplify runs the passes, once.
func (u *Unit) simplify() {
	if u.simple {
		return
	}
	defer u.lap("passes", time.Now())
	pass.Run(u.Module, pass.Options{Debug: u.request.Spec.Debug})
	u.simple = true
}

// Keeps reports whether binaries are worth keeping on disk.
func (u *Unit) Keeps() bool { return u.backend.Keeps() }

// Build makes the code for the target. Its metadata is complete.
func (u *Unit) Build() (*driver.Binary, error) {
	u.simplify()
	defer u.lap("backend", time.Now())
	job, err := u.job()
	if err != nil {
		return nil, err
	}
	b, err := u.backend.Compile(job)
	if err != nil {
		return nil, err
	}
	if _, err := b.Metadata.Encode(); err != nil {
		e := diag.New(diag.Compile, "internal", "the back end for %s made wrong metadata: %s", u.request.Target, err)
		e.Cause = err
		return nil, e
	}
	return b, nil
}

// job is the backend's input.
func (u *Unit) job() (target.Job, error) {
	m, err := u.metadata()
	r := &u.request
	return target.Job{
		Module: u.Module, Target: r.Target, Metadata: m, Check: r.Check, Strict: r.Strict, Settings: r.Settings, LineText: r.LineText,
		Unfused: r.Unfused, MaxRegisters: r.MaxRegisters,
	}, err
}
