package cpu

import (
	"sync"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/legalize"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// Options are what a caller may say about a program.
type Options struct {
	// LineText gives a line of a source file for diagnostics, "" if unknown. It may be nil.
	LineText func(file string, line int) string
	// Sanitize looks for uninitialised values, races, offsets that wrap around and false hints, too. Strict
	// counts it as a race, too, that programs store the same.
	Sanitize, Strict bool
}

// maxFrame bounds the memory of one program instance: all tiles that live at once.
const maxFrame = 1 << 30

// A Program is a kernel ready to run. It is immutable; Run may be called concurrently.
type Program struct {
	module *tile.Module
	opts   Options
	kernel *function
	params []slot // where the arguments go, in order
	frame  int    // bytes that an instance needs, called functions included

	sanitizing

	machines sync.Pool // of *machine with a frame of this program
}

// A function is the plan of one tile.Func. It runs in a frame of its own, which follows its
// caller's. Functions do not recurse, so one plan serves every call.
type function struct {
	invariant []step // of the kernel: what no program instance changes; run once per worker and launch
	body      []step
	args      []slot
	results   []slot
	frame     int // bytes of its own values
	deepest   int // bytes of its own values and of the calls in it

	shadeArgs, shadeResults []shade // the taints of args and results
}

// Compile plans the kernel of a verified module, m.Funcs[0]. It does not change the module,
// which the program keeps using.
func Compile(m *tile.Module, opts Options) (*Program, error) {
	if len(m.Funcs) == 0 {
		return nil, diag.New(diag.Compile, "no-kernel", "the module has no function")
	}
	m = withoutUnits(m)
	p := &Program{module: m, opts: opts}
	p.survey()
	c := compiler{program: p, done: make(map[string]*function), active: make(map[string]bool)}
	fn, err := c.function(m.Funcs[0])
	if err != nil {
		return nil, err
	}
	p.kernel, p.params, p.frame = fn, fn.args, fn.deepest
	return p, nil
}

// withoutUnits gives a module without the operations that other processors have units for:
// descriptors and scaled dots.
func withoutUnits(m *tile.Module) *tile.Module {
	legal := legalize.Module(m, legalize.Native{})
	if legal != m {
		pass.Run(legal, pass.Options{Debug: true}) // a load that is still there is to be checked
	}
	return legal
}

// FrameBytes gives the memory that one program instance needs for its tiles.
func (p *Program) FrameBytes() int { return p.frame }
