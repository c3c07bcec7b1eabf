package pass

import (
	"time"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A Pass rewrites one function in place.
type Pass struct {
	Name string
	Run  func(*tile.Func)
}

// The passes.
var (
	Canonicalize = Pass{"canonicalize", canonicalize}
	CSE          = Pass{"cse", cse}
	LICM         = Pass{"licm", licm}
	Dots         = Pass{"dots", sumsOfDots}
	Bounds       = Pass{"bounds", bounds}
	DCE          = Pass{"dce", dce}
	DebugDCE     = Pass{"dce", debugDCE}
	Renumber     = Pass{"renumber", (*tile.Func).Renumber}
)

// Default gives the passes between the front end and every back end, in order. Merging and
// hoisting bring equal operands together and constants out of branches, so that the first
// two passes find work a second time; bounds is the first one's second time.
func Default() []Pass { return defaults(DCE) }

func defaults(dce Pass) []Pass {
	return []Pass{
		Canonicalize,
		CSE,
		LICM,
		Bounds,
		CSE,
		Dots,
		dce,
		Renumber,
	}
}

// Options direct Run. The zero Options run the default passes.
type Options struct {
	// Debug keeps accesses that nobody needs the result of, so that a checked run sees whether they are in bounds.
	Debug bool
	// Passes, if not nil, are run instead of Default.
	Passes []Pass
	// After, if not nil, is called after each pass has run over all functions.
	After func(p Pass, took time.Duration)
}

// Run runs the passes over every function of m.
func Run(m *tile.Module, opts Options) {
	passes := opts.Passes
	switch {
	case passes == nil && opts.Debug:
		passes = defaults(DebugDCE)
	case passes == nil:
		passes = Default()
	}
	for _, p := range passes {
		start := time.Now()
		for _, f := range m.Funcs {
			p.Run(f)
		}
		if opts.After != nil {
			opts.After(p, time.Since(start))
		}
	}
}
