package tegula

import (
	"io"

	"github.com/tegula-lang/tegula/internal/launch"
)

// A Named is an argument given by name, as Arg and Const make it.
type Named struct {
	name     string
	value    any
	constant bool
}

// Arg gives an argument by the name of its parameter.
func Arg(name string, value any) Named { return Named{name: name, value: value} }

// Const gives an argument by name and makes it a constant of the compiled kernel, as parameters
// declared tl.constexpr need. A slice is a tuple of constants.
func Const(name string, value any) Named { return Named{name: name, value: value, constant: true} }

// A Tuple is a tuple argument.
type Tuple []any

// An Option changes how a kernel is compiled or launched. Options stand among the arguments.
type Option interface{ apply(*launch.Request) }

type option func(*launch.Request)

func (o option) apply(r *launch.Request) { o(r) }

// NumWarps chooses the number of warps of a program instance, a power of two. The CPU has none
// and ignores it.
func NumWarps(n int) Option { return option(func(r *launch.Request) { r.NumWarps = orInvalid(n) }) }

// NumStages chooses the number of stages of software pipelines.
func NumStages(n int) Option { return option(func(r *launch.Request) { r.NumStages = orInvalid(n) }) }

// orInvalid keeps a zero from meaning the default.
func orInvalid(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// Check runs the kernel under the sanitizer of the CPU's checked executor, with its assertions
// (tl.device_assert): uninitialised values, races, offsets that wrap around and false hints are errors, too. So does
// the environment variable TEGULA_CHECK=1 for every launch; docs/checker.md says what is found.
func Check() Option { return option(func(r *launch.Request) { r.Check = true }) }

// Stdout takes what the kernel prints with tl.device_print and tl.static_print; without it
// os.Stdout does.
func Stdout(w io.Writer) Option { return option(func(r *launch.Request) { r.Stdout = w }) }

// Notes is told, in a line each, which arguments were filled in from a configuration or a
// heuristic of the file.
func Notes(f func(string)) Option { return option(func(r *launch.Request) { r.Note = f }) }
