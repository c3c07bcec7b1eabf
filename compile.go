package tegula

import (
	"time"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/target"
)

// CompileOptions say what a kernel is compiled for. No device and no array is needed.
type CompileOptions struct {
	// Target is "cpu", "cuda", "cuda:90a" or "xpu"; empty means "cpu".
	Target string
	// Signature describes the arguments, such as "x=*fp32:16, n=i32, BLOCK=1024": types as Triton
	// names them, ":16" for a multiple of 16, ":1" for the number 1; a Python literal makes a
	// constant. Parameters that are left out take their defaults.
	Signature string
	// Constexprs are further constants, by name.
	Constexprs map[string]any
	// NumWarps, NumStages, NumCTAs and ThreadsPerWarp are options of the compiler; 0 takes the default.
	NumWarps, NumStages, NumCTAs, ThreadsPerWarp int
	// MaxRegisters bounds the registers of a thread, where a target has that; 0 leaves it to the compiler.
	MaxRegisters int
	// Debug compiles the kernel's assertions in.
	Debug bool
	// Unfused has x * y + z rounded twice, where a GPU would round once; see Unfused.
	Unfused bool
	// Notes is told what was filled in; it may be nil.
	Notes func(string)
}

// A Step is what a part of the work took.
type Step struct {
	Name string
	Took time.Duration
}

// A Compiled is a kernel compiled for a target.
type Compiled struct{ unit *compiler.Unit }

// Compile compiles the kernel without launching it.
func (k *Kernel) Compile(o CompileOptions) (*Compiled, error) {
	if err := k.Err(); err != nil {
		return nil, err
	}
	if o.Target == "" {
		o.Target = "cpu"
	}
	t, err := target.Parse(o.Target)
	if err != nil {
		return nil, err
	}
	s := launch.Signature{
		Text: o.Signature,
		Eval: func(expr string) (pyval.Value, error) { return k.module.eval("<signature>", expr, nil) },
		Note: o.Notes,
	}
	for name, v := range o.Constexprs {
		var c launch.Value
		if err := setConstant(&c, v); err != nil {
			return nil, err
		}
		s.Constants = append(s.Constants, launch.Named{Name: name, Value: c})
	}
	unit, err := k.launch.Compile(s, t, launch.Options{NumWarps: o.NumWarps, NumStages: o.NumStages, NumCTAs: o.NumCTAs, ThreadsPerWarp: o.ThreadsPerWarp, Debug: o.Debug, Unfused: o.Unfused, MaxRegisters: o.MaxRegisters})
	if err != nil {
		return nil, err
	}
	return &Compiled{unit}, nil
}

// Stages names the texts that Emit can give, in the order that the compiler makes them.
func (c *Compiled) Stages() []string {
	if c.err() != nil {
		return nil
	}
	return c.unit.Stages()
}

// err is the error of a kernel that Compile did not make.
func (c *Compiled) err() error {
	if c == nil || c.unit == nil {
		return diag.New(diag.Argument, "not-compiled", "the kernel was not compiled")
	}
	return nil
}

// Metadata gives what a launcher has to know of the kernel besides its code.
func (c *Compiled) Metadata() (*driver.KernelMetadata, error) {
	if err := c.err(); err != nil {
		return nil, err
	}
	b, err := c.unit.Build()
	if err != nil {
		return nil, err
	}
	return b.Metadata, nil
}

// Emit gives the text of a stage. A stage that the target has not is an ErrUnsupported.
func (c *Compiled) Emit(stage string) ([]byte, error) {
	if err := c.err(); err != nil {
		return nil, err
	}
	return c.unit.Emit(stage)
}

// A StageText is a form that a kernel had on its way to code.
type StageText struct {
	Name  string // as Emit takes it
	File  string // a name for a file that holds it, such as kernel.ptx
	About string // what it is
	Text  []byte
	Err   error // why there is no text: the target has no such stage, or it cannot be made of this kernel
}

// EmitAll gives every stage that some target has, in the order in which the compiler makes them.
func (c *Compiled) EmitAll() []StageText {
	if c.err() != nil {
		return nil
	}
	var list []StageText
	for _, s := range compiler.AllStages() {
		text, err := c.unit.Emit(s.Name)
		list = append(list, StageText{s.Name, s.File, s.About, text, err})
	}
	return list
}

// Steps gives what each step took so far, in order.
func (c *Compiled) Steps() []Step {
	if c.err() != nil {
		return nil
	}
	steps := make([]Step, 0, 4)
	for _, s := range c.unit.Steps() {
		steps = append(steps, Step(s))
	}
	return steps
}
