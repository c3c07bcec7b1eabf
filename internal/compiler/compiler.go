package compiler

import (
	"bytes"
	"slices"
	"strings"
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
	Spec   sema.Spec
	Target target.Target
	// Check and Strict are the target's options of these names.
	Check, Strict bool
	// LineText gives a line of a source file for diagnostics at run time; it may be nil.
	LineText func(file string, line int) string
}

// A Unit is a kernel in tile IR, as every backend begins with it.
type Unit struct {
	Module  *tile.Module
	Params  []sema.ParamSource // where each parameter of the code comes from
	Globals []sema.GlobalUse   // the global values that the code depends on

	backend target.Backend
	target  target.Target
	options target.Options
	steps   []Step
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
	s, err := sema.Compile(r.Spec)
	if err != nil {
		return nil, err
	}
	u := &Unit{Module: s.Module, Params: s.Params, Globals: s.Globals, backend: backend, target: r.Target}
	o := r.Spec.Options
	u.options = target.Options{NumWarps: o.NumWarps, NumStages: o.NumStages, NumCTAs: o.NumCTAs, Check: r.Check, Strict: r.Strict, LineText: r.LineText}
	start = u.lap("sema", start)
	pass.Run(u.Module, pass.Options{Debug: o.Debug})
	u.lap("passes", start)
	return u, nil
}

// lap notes what a step took and gives the start of the next.
func (u *Unit) lap(name string, start time.Time) time.Time {
	now := time.Now()
	u.steps = append(u.steps, Step{name, now.Sub(start)})
	return now
}

// Steps gives what each step so far took, in order.
func (u *Unit) Steps() []Step { return u.steps }

// Build makes the code for the target.
func (u *Unit) Build() (*driver.Binary, error) {
	defer u.lap("backend", time.Now())
	return u.backend.Compile(u.Module, u.target, u.options)
}

// stages are the stages that some target has, in their order.
var stages = []string{"tile", "ttir", "layout", "lir", "ptx", "spirv", "cuda", "asm", "metadata"}

// Stages gives the stages that Emit can give.
func (u *Unit) Stages() []string { return append([]string{"tile"}, u.backend.Emits()...) }

// Emit gives the text of a stage.
func (u *Unit) Emit(stage string) ([]byte, error) {
	if !slices.Contains(stages, stage) {
		return nil, diag.New(diag.Argument, "unknown-stage", "there is no stage %q; the stages are %s", stage, strings.Join(stages, ", "))
	}
	if have := u.Stages(); !slices.Contains(have, stage) {
		return nil, diag.New(diag.Unsupported, "emit", "target %s cannot emit %s; it can emit %s", u.target, stage, strings.Join(have, ", "))
	}
	defer u.lap("emit", time.Now())
	if stage != "tile" {
		return u.backend.Emit(stage, u.Module, u.target, u.options)
	}
	var b bytes.Buffer
	err := tile.Print(&b, u.Module)
	return b.Bytes(), err
}
