package module

import (
	"math/big"
	"sync"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A program is the modules that import one another. Evaluation goes from one to the next in any
// direction, so they have one lock. It is held while names and expressions are evaluated, never
// while functions from outside the program run (foreign.go).
type program struct {
	mu      sync.Mutex
	request // that holds the lock
}

// A request is what is asked from outside the package at a time.
type request struct {
	steps  int // left
	calls  int // of host functions, inside one another
	nest   int // of expressions, inside one another
	inside int // statements of scopes, inside one another
}

const (
	maxCalls = 100
	maxNest  = 20_000 // keeps Go's stack below some ten megabytes
)

// stepLimit bounds one request to a fraction of a second. A step is an expression, a statement,
// or as much work on large values as takes as long. Only tests change it.
var stepLimit = 1 << 20

// enter takes the program for one request from outside the package; the result gives it back.
func (p *program) enter() (leave func()) {
	p.mu.Lock()
	p.request = request{steps: stepLimit}
	return p.mu.Unlock
}

// A frame is where statements and expressions run: a call of a host function, or one statement
// of a scope.
type frame struct {
	mod   *Module
	vars  map[string]Value
	outer *frame          // the function around this one, or nil
	scope *scope          // where names that no frame has are found
	entry *entry          // the statement of the scope that runs, or nil in a function
	rest  map[string]bool // names that global or nonlocal says are elsewhere

	result Value    // of return
	yields *[]Value // of yield, in a generator
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
	for g := f; g != nil; g = g.outer {
		if v, ok := g.vars[name]; ok {
			return v, true, nil
		}
	}
	if f.scope != nil {
		found, ok, err := f.scope.lookup(name)
		if err != nil {
			return nil, false, err
		}
		if ok {
			return f.own(name, found.value), true, nil
		}
	}
	v, ok = lookupBuiltin(name)
	return v, ok, nil
}

// own gives the value of a name of the scope; what the running statement changes in place it
// gets a copy of, so that the value stays as it was for what comes before.
func (f *frame) own(name string, v Value) Value {
	if f.entry == nil {
		return v
	}
	for _, a := range f.entry.alters {
		if a == name {
			c := f.mod.prog.copied(v)
			f.vars[name] = c
			return c
		}
	}
	return v
}
