package compiler

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/mlir"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A Stage is a form that a kernel has on its way to code.
type Stage struct {
	Name  string
	File  string // the name of a file that holds it: .tile, .ptx
	About string
}

// The stages that every target has; a kernel that came as tile IR has no tree.
const (
	stageTree     = "ast"
	stageSema     = "sema"
	stageTile     = "tile"
	stageTTIR     = "ttir"
	stageMetadata = "metadata"
)

// stages are the stages that some target has, in their order.
var stages = []Stage{
	{stageTree, "ast.txt", "the syntax trees of the kernel and of the functions that it calls"},
	{stageSema, "sema.tile", "tile IR as the front end makes it: types are known, calls have happened in place"},
	{stageTile, "kernel.tile", "tile IR after the passes: what every back end begins with"},
	{stageTTIR, "kernel.ttir", "the same in Triton's dialects of MLIR"},
	{"layout", "layout.txt", "which thread holds which element of each tile"},
	{"lir", "kernel.lir", "what one thread does"},
	{"ttgir", "kernel.ttgir", "Triton's own IR with layouts"},
	{"llir", "kernel.llir", "Triton's LLVM IR"},
	{"ptx", "kernel.ptx", "NVIDIA's assembly"},
	{"cuda", "kernel.cu", "CUDA C++"},
	{"spirv", "kernel.spv", "a SPIR-V module"},
	{"spvasm", "kernel.spvasm", "the module's text"},
	{"asm", "kernel.s", "the CPU's machine code"},
	{stageMetadata, "metadata.json", "what a launcher has to know of the code"},
}

// AllStages lists the stages that some target has, in their order.
func AllStages() []Stage { return slices.Clone(stages) }

func stageNames() []string {
	names := make([]string, len(stages))
	for i, s := range stages {
		names[i] = s.Name
	}
	return names
}

// Stages gives the stages that Emit can give, in their order.
func (u *Unit) Stages() []string {
	have := append([]string{stageSema, stageTile, stageTTIR, stageMetadata}, u.backend.Emits()...)
	if len(u.funcs) > 0 {
		have = append(have, stageTree)
	}
	names := slices.DeleteFunc(stageNames(), func(s string) bool { return !slices.Contains(have, s) })
	for _, s := range have { // those of a backend that this package does not know of
		if !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

// Emit gives the text of a stage.
func (u *Unit) Emit(stage string) ([]byte, error) {
	have := u.Stages()
	known := stageNames()
	switch {
	case slices.Contains(have, stage):
	case stage == stageTree:
		return nil, diag.New(diag.Unsupported, "no-source", "%s has no %s: it came as an intermediate representation", u.Module.Funcs[0].Name, stage)
	case slices.Contains(known, stage):
		return nil, diag.New(diag.Unsupported, "emit", "target %s cannot emit %s; it can emit %s", u.request.Target, stage, strings.Join(have, ", "))
	default:
		return nil, diag.New(diag.Argument, "unknown-stage", "there is no stage %q; the stages are %s", stage, strings.Join(known, ", "))
	}
	if stage == stageSema {
		return u.beforePasses()
	}
	if stage == stageTree {
		return u.trees(), nil
	}
	u.simplify()
	if stage == stageMetadata {
		return u.metadataText()
	}
	defer u.lap("emit", time.Now())
	if stage == stageTile {
		return printed(u.Module)
	}
	if stage == stageTTIR {
		return mlir.Print(u.Module, mlir.Options{Locs: true, LineText: u.request.LineText})
	}
	job, err := u.job()
	if err != nil {
		return nil, err
	}
	return u.backend.Emit(stage, job)
}

func printed(m *tile.Module) ([]byte, error) {
	var b bytes.Buffer
	err := tile.Print(&b, m)
	return b.Bytes(), err
}

// beforePasses gives tile IR as the front end makes it. Once the passes have run, it is made anew.
func (u *Unit) beforePasses() ([]byte, error) {
	if !u.simple {
		return printed(u.Module)
	}
	r := u.request
	r.Spec.Options.Print = nil
	s, err := frontEnd(&r)
	if err != nil {
		return nil, err
	}
	return printed(s.Module)
}

// trees gives the syntax trees of the functions that the code was made of, but for those of the language's own library.
func (u *Unit) trees() []byte {
	var out []byte
	for _, f := range u.funcs {
		if f.Library {
			continue
		}
		var n syntax.Node = f.Lambda
		if f.Def != nil {
			n = f.Def
		}
		if len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, "# "+f.File.Name+"\n"...)
		out = append(out, syntax.Print(f.File, n)...)
	}
	return out
}

// metadataText gives the metadata as it is written beside a binary.
func (u *Unit) metadataText() ([]byte, error) {
	b, err := u.Build()
	if err != nil {
		return nil, err
	}
	text, err := b.Metadata.Encode()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
