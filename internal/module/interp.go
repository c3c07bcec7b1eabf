package module

import (
	"sync"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// The machine is what evaluation uses up. There is one for all modules, and one lock, because
// evaluation goes from a module to those that it imports, in any direction.
var machine struct {
	sync.Mutex
	steps int // left to the request that runs
	depth int // of host calls
}

const (
	maxSteps = 1 << 20 // for one request: a fraction of a second
	maxCalls = 100
)

// enter takes the machine for one request from outside the package; the result gives it back.
func enter() (leave func()) {
	machine.Lock()
	machine.steps, machine.depth = maxSteps, 0
	return machine.Unlock
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
	if machine.steps -= n; machine.steps < 0 {
		return f.mod.unsupported(at, "evaluating it takes more than %d steps", maxSteps).err()
	}
	return nil
}

// charge spends what a value cost to make.
func (f *frame) charge(v Value, at syntax.Node) error {
	switch v := v.(type) {
	case string:
		return f.spend(len(v)/64, at)
	case pyval.Tuple:
		return f.spend(len(v.Elems), at)
	case *pyval.List:
		return f.spend(len(v.Elems)/4, at)
	case *pyval.Dict:
		return f.spend(v.Len(), at)
	case int64, bool, float64, pyval.NoneType:
		return nil
	}
	return f.spend(16, at)
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
			c := copyContainers(v, 0)
			f.vars[name] = c
			return c
		}
	}
	return v
}

// copyContainers copies lists, dicts and sets, and those in them.
func copyContainers(v Value, depth int) Value {
	if depth > 16 {
		return v
	}
	switch v := v.(type) {
	case *pyval.List:
		out := &pyval.List{Elems: make([]Value, len(v.Elems))}
		for i, e := range v.Elems {
			out.Elems[i] = copyContainers(e, depth+1)
		}
		return out
	case *pyval.Dict:
		out := v.Copy()
		for k, e := range v.All() {
			_ = out.Set(k, copyContainers(e, depth+1)) // it has the key already
		}
		return out
	case *pyval.Set:
		out, err := pyval.NewSet(v.Elems(), v.Frozen)
		if err != nil {
			return v
		}
		return out
	}
	return v
}
