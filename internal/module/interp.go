package module

import (
	"math/big"
	"sync"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A program is the modules that import one another. Evaluation goes from one to the next in any
// direction, so they have one lock. It is held while modules run and expressions are evaluated,
// never while functions from outside the program run (foreign.go).
type program struct {
	mu      sync.Mutex
	request // that holds the lock

	total   int              // steps that modules have taken
	lost    map[any]*unknown // objects that are not known any more, and functions that others may call
	wild    map[place]*leak  // names whose values code that is not known may reach
	modules []*Module
	environ *names // os.environ
	target  Target // what it is told
	asked   bool   // it was told
}

// A request is what is asked from outside the package at a time.
type request struct {
	steps int // left
	calls int // of host functions, inside one another
	nest  int // of expressions, inside one another

	running  int // modules that run, inside one another
	journals []*journal
	raises   int      // operations that may have failed
	trying   int      // try statements whose bodies run
	raiser   *unknown // the last of these
	escaping int
	visited  map[*Value]bool
}

const (
	maxCalls = 100
	maxNest  = 20_000 // keeps Go's stack below some ten megabytes
)

// stepLimit bounds one request, and one statement of a module, to a fraction of a second. A step is an
// expression, a statement, or as much work on large values as takes as long. Only tests change it.
var stepLimit = 1 << 20

// maxTotal bounds what all modules of a program may take together, in multiples of stepLimit.
const maxTotal = 16

// enter takes the program for one request from outside the package; the result gives it back. What
// the request changes is as it was afterwards.
func (p *program) enter() (leave func()) {
	p.mu.Lock()
	p.request = request{steps: stepLimit}
	return p.mu.Unlock
}

// enter takes the module's program, with the module having run.
func (m *Module) enter() (leave func()) {
	p := m.prog
	p.mu.Lock()
	p.request = request{steps: stepLimit}
	m.run()
	p.request = request{steps: stepLimit}
	p.begin()
	return func() {
		for len(p.journals) > 0 {
			p.rollback()
		}
		p.mu.Unlock()
	}
}

// A frameKind says what a frame is of.
type frameKind uint8

const (
	callFrame frameKind = iota
	compFrame           // a comprehension
	moduleFrame
	classFrame
)

// A frame is where statements and expressions run.
type frame struct {
	mod   *Module
	kind  frameKind
	name  string // of a class or function whose body is only looked at, with those around it
	names *names
	outer *frame            // the function or class around this one, or nil
	rest  map[string]*names // where names are that global or nonlocal says are elsewhere; nil if nowhere
	looks bool              // the body of a function that nobody calls is looked at
	at    syntax.Stmt       // the statement that runs

	result Value    // of return
	yields *[]Value // of yield, in a generator
	caught []error  // the exceptions that are being handled, the innermost last; nil for one that is not known
}

// spend takes steps from the budget.
func (f *frame) spend(n int, at syntax.Node) error {
	p := f.mod.prog
	if p.steps -= n; p.steps < 0 {
		return f.mod.unsupported(at, "evaluating it takes more than %d steps", stepLimit).err()
	}
	return nil
}

// charge spends what it costs to make a value, or to go through it once.
func (f *frame) charge(v Value, at syntax.Node) error { return f.spend(cost(v), at) }

func cost(v Value) int {
	switch v := v.(type) {
	case string:
		return len(v) / 64
	case pyval.Tuple:
		return len(v.Elems) / 4
	case *pyval.List:
		return len(v.Elems) / 4
	case *pyval.Dict:
		return v.Len() / 2
	case *pyval.Set:
		return v.Len() / 2
	case *big.Int:
		return 16 + v.BitLen()/16
	}
	return 0
}

// lookup finds a name.
func (f *frame) lookup(n *syntax.Name) (Value, error) {
	v, ok, err := f.find(n.Id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, f.mod.raise(n, pyval.Errorf("NameError", "name '%s' is not defined", n.Id))
	}
	return v, nil
}

func (f *frame) find(name string) (v Value, ok bool, err error) {
	s, ok := f.slot(name)
	if ok {
		return s.value, true, nil
	}
	v, ok = lookupBuiltin(name)
	return v, ok, nil
}

// slot finds what a name is bound to, but for builtins.
func (f *frame) slot(name string) (slot, bool) {
	for g := f; g != nil; g = g.outer {
		if g.kind == classFrame && g != f {
			continue // functions do not see the names of the class around them
		}
		if s, ok := g.names.get(name); ok {
			return f.usable(s, name), true
		}
	}
	return f.global(name)
}

// global finds what a name of the module is bound to.
func (f *frame) global(name string) (slot, bool) {
	s, ok := f.mod.global(name)
	if !ok {
		return s, false
	}
	return f.usable(s, name), true
}

// usable gives a slot as an expression may use it: what was lost is unknown, and a name that may be
// bound to nothing may fail.
func (f *frame) usable(s slot, name string) slot {
	s.value = f.mod.prog.seen(s.value, name)
	if s.doubt == nil {
		return s
	}
	f.mod.prog.mayRaise(s.doubt)
	if _, builtin := lookupBuiltin(name); builtin {
		s.value = &unknown{path: name, why: "whether it is bound depends on " + s.doubt.path + ", and " + s.doubt.why, at: s.doubt.at}
	}
	return s
}
