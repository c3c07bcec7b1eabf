package module

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A names is what the names of a module, a class or a call are bound to at a time.
type names struct {
	prog    *program
	mod     *Module // whose statements bind them
	slots   map[string]slot
	order   []string     // the names, by their first binding
	defs    []definition // what its statements defined, in order
	depth   int          // journals that were open when it was made
	lost    *unknown     // why nothing of it is known any more, or nil
	exposed *unknown     // why code that is not known may reach what it holds, or nil
	stars   []star       // the import * of modules whose names are not listed
}

// A slot is what a name is bound to.
type slot struct {
	value     Value       // nil where it is bound to nothing
	annotated bool        // as tl.constexpr
	doubt     *unknown    // why it may be bound to nothing, or nil
	at        syntax.Node // the statement that bound it, or nil
}

// A star is an import * of a module that can only be asked for names, or that is not there.
type star struct {
	find  func(name string) (Value, bool)
	doubt *unknown // why nothing is known of it, or nil
	at    syntax.Node
}

// A definition is a function or class that a statement made, or a kernel that it assigned.
type definition struct {
	name string
	node syntax.Node
	made Value // a *function, *class or *kernel, before decorators that are not known
}

func (m *Module) newNames() *names {
	return &names{prog: m.prog, mod: m, slots: map[string]slot{}, depth: len(m.prog.journals)}
}

// set binds a name.
func (n *names) set(name string, s slot) {
	n.prog.savingSlot(n, name)
	if _, known := n.slots[name]; !known {
		n.order = append(n.order, name)
	}
	n.slots[name] = s
	if w := n.prog.wild[place{n, name}]; w != nil && s.value != nil {
		n.prog.escapeAs(s.value, w)
	}
	if n.exposed != nil {
		n.prog.escape(s.value, n.exposed)
	}
}

// drop binds a name to nothing.
func (n *names) drop(name string) {
	if _, ok := n.slots[name]; ok {
		n.set(name, slot{})
	}
}

// get gives what a name is bound to; ok is false if that is nothing.
func (n *names) get(name string) (s slot, ok bool) {
	s = n.slots[name]
	if s.value == nil {
		return s, false
	}
	if n.lost != nil && !isModule(s.value) {
		s.value = n.lost.named(name)
	}
	return s, true
}

// define notes what a statement made.
func (n *names) define(name string, node syntax.Node, v Value) {
	for i := range n.defs {
		if n.defs[i].node == node {
			n.defs[i].made = v
			return
		}
	}
	n.defs = append(n.defs, definition{name, node, v})
}

// joined gives what a name is bound to after one of several things happened; why says what
// decides which one.
func (n *names) joined(name string, all []slot, why *unknown) slot {
	var bound []slot
	unbound := false
	for _, s := range all {
		if s.value == nil {
			unbound = true
			continue
		}
		bound = append(bound, s)
	}
	if len(bound) == 0 {
		return slot{}
	}
	out := bound[len(bound)-1]
	for _, s := range bound {
		if !pyval.Identical(s.value, out.value) || s.annotated != out.annotated {
			return slot{value: n.ambiguous(name, bound, why), at: out.at}
		}
		if s.doubt != nil {
			out.doubt = s.doubt
		}
	}
	if unbound {
		out.doubt = why
	}
	return out
}

// ambiguous is a name that has one of several values. Nobody can tell any more who uses these.
func (n *names) ambiguous(name string, all []slot, why *unknown) *unknown {
	slices.SortStableFunc(all, func(x, y slot) int { return cmp.Compare(startOf(x.at), startOf(y.at)) })
	lines, last := "", 0
	u := &unknown{path: name}
	for _, s := range all {
		n.prog.escape(s.value, why)
		u.choices = append(u.choices, s.value)
		if inner := isUnknown(s.value); inner != nil {
			u.choices = append(u.choices, inner.choices...)
		}
		if s.at == nil {
			continue
		}
		line, _ := n.mod.file.Position(s.at.Range().Pos)
		if line == last {
			continue
		}
		if last = line; lines != "" {
			lines += " or "
		}
		lines += fmt.Sprint(line)
		u.at = n.mod.place(s.at)
	}
	if lines == "" {
		u.why, u.at = fmt.Sprintf("it depends on %s, and %s", why.path, why.why), why.at
		return u
	}
	u.why = fmt.Sprintf("which of its definitions holds (line %s) depends on %s, and %s", lines, why.path, why.why)
	return u
}

func startOf(n syntax.Node) int32 {
	if n == nil {
		return -1
	}
	return n.Range().Pos
}
