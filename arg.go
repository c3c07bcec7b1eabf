package tegula

import (
	"io"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/launch"
)

// A Named is an argument given by name, as Arg and Const make it. It holds what the launcher is
// given, not what the caller gave: that would escape.
type Named struct {
	name  string
	value launch.Value
	err   error // why value is none
}

// Arg gives an argument by the name of its parameter.
func Arg(name string, value any) (n Named) {
	n.name = name
	n.err = setValue(&n.value, value)
	return n
}

// Const gives an argument by name and makes it a constant of the compiled kernel, as parameters
// declared tl.constexpr need. A slice is a tuple of constants.
func Const(name string, value any) (n Named) {
	n.name = name
	n.err = setConstant(&n.value, value)
	return n
}

// A Tuple is a tuple argument.
type Tuple []any

// An Option changes how a kernel is compiled or launched. Options stand among the arguments.
type Option struct {
	kind     optionKind
	n        int
	stdout   io.Writer
	notes    func(string)
	metadata LaunchMetadata
	arrays   []any
}

type optionKind uint8

const (
	optionWarps optionKind = iota
	optionStages
	optionCTAs
	optionLanes
	optionCheck
	optionDebug
	optionStdout
	optionNotes
	optionMetadata
	optionReach
	optionUnfused
	optionRegisters
)

// choose makes the choice, if it is one among the compiler's options.
func (o *Option) choose(c *launch.Options) bool {
	switch o.kind {
	case optionWarps:
		c.NumWarps = orInvalid(o.n)
	case optionStages:
		c.NumStages = orInvalid(o.n)
		if o.n == 0 {
			c.NumStages = 1
		}
	case optionCTAs:
		c.NumCTAs = orInvalid(o.n)
	case optionLanes:
		c.ThreadsPerWarp = orInvalid(o.n)
	case optionCheck:
		c.Check = true
	case optionDebug:
		c.Debug = true
	case optionRegisters:
		c.MaxRegisters = orInvalid(o.n)
	case optionUnfused:
		c.Unfused = true
	default:
		return false
	}
	return true
}

// apply makes the choice in a call.
func (o *Option) apply(c *launch.Call) {
	if o.choose(&c.Options) {
		return
	}
	c.Apart()
	switch o.kind {
	case optionStdout:
		c.Stdout = o.stdout
	case optionNotes:
		c.Note = o.notes
	case optionMetadata:
		c.Meta = o.metadata.forLaunch()
	case optionReach:
		for _, a := range o.arrays {
			var v launch.Value
			if err := setValue(&v, a); err != nil {
				c.Fail(err)
				continue
			}
			c.Reach(&v)
		}
	}
}

// NumWarps chooses the number of warps of a program instance, a power of two. The CPU has none
// and ignores it.
func NumWarps(n int) Option { return Option{kind: optionWarps, n: n} }

// NumStages chooses the number of stages of software pipelines; with 0, as with 1, there are none.
func NumStages(n int) Option { return Option{kind: optionStages, n: n} }

// NumCTAs chooses the number of CTAs of a program instance, its cluster; a power of two. Only
// devices that have clusters take more than one.
func NumCTAs(n int) Option { return Option{kind: optionCTAs, n: n} }

// ThreadsPerWarp chooses the number of threads of a warp where the target has a choice: the size of the sub-groups on xpu, 16 or
// 32.
func ThreadsPerWarp(n int) Option { return Option{kind: optionLanes, n: n} }

// MaxRegisters bounds the registers of a thread on NVIDIA GPUs, so that more threads run at once; what does not fit is kept in memory. It is
// Triton's maxnreg.
func MaxRegisters(n int) Option { return Option{kind: optionRegisters, n: n} }

// Unfused has every product and every sum of floats rounded for itself, as the CPU does. Without it a GPU may compute x * y + z with one
// rounding: faster, and at most as far off, but other bits. It is Triton's enable_fp_fusion=False.
func Unfused() Option { return Option{kind: optionUnfused} }

// orInvalid keeps a zero from meaning the default.
func orInvalid(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// Check runs the kernel under the sanitizer of the CPU's checked executor, with its assertions
// (tl.device_assert): uninitialised values, races, offsets that wrap around and false hints are errors, too. So does
// the environment variable TEGULA_CHECK=1 for every launch; docs/checker.md says what is found. A launch on another
// device that has the option is an error.
func Check() Option { return Option{kind: optionCheck} }

// Debug compiles the kernel's assertions in, assert and tl.device_assert, on every target; one that does not hold is an error. It is Triton's
// debug=True. What a kernel on a GPU asserts is seen by Wait, or whatever waits for the stream.
func Debug() Option { return Option{kind: optionDebug} }

// Reach names arrays that the kernel may reach besides its arguments: those whose addresses are in a table that it loads
// pointers from, as grouped matrix products and optimisers of many tensors do. The checked executor refuses access to any other
// memory, and the launch keeps them alive.
func Reach(arrays ...any) Option { return Option{kind: optionReach, arrays: arrays} }

// Stdout takes what the kernel prints with tl.device_print and tl.static_print; without it
// os.Stdout does. What a kernel prints on an NVIDIA GPU its driver writes to the process's standard output.
func Stdout(w io.Writer) Option { return Option{kind: optionStdout, stdout: w} }

// Notes is told, in a line each, which arguments were filled in from a configuration or a
// heuristic of the file.
func Notes(f func(string)) Option { return Option{kind: optionNotes, notes: f} }

// A LaunchMetadata makes what hooks are told of a launch beyond what they can see, such as how
// many bytes it moves. It is called when a hook asks for it, at most once a launch; if there is
// no hook, never.
type LaunchMetadata func(grid driver.Grid, kernel *driver.KernelMetadata, args Args) (map[string]any, error)

// WithMetadata gives a launch the function that makes its metadata, in place of the kernel's.
func WithMetadata(f LaunchMetadata) Option { return Option{kind: optionMetadata, metadata: f} }

// forLaunch gives the function as the launcher calls it.
func (f LaunchMetadata) forLaunch() launch.MetadataFunc {
	if f == nil {
		return nil
	}
	return func(g driver.Grid, m *driver.KernelMetadata, b *launch.Bound) (map[string]any, error) {
		out, err := f(g, m, Args{bound: b})
		if err == nil {
			err = b.Err()
		}
		return out, err
	}
}
