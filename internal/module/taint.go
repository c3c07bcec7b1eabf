package module

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// What code that is not known may do. Such code — a library's, a branch that may run or not — can
// change every object that it can reach: what it is given, what that holds, and what the functions
// that it may call change. All of these are lost: asked for, they are unknown, for ever, since the code may keep
// them and come back to them.

// A leak says that code which is not known may reach what a name is bound to, now and later.
type leak struct {
	why   *unknown
	parts bool // only what the value holds
}

// lose marks an object as not known any more.
func (p *program) lose(obj any, why *unknown) {
	if _, ok := p.lost[obj]; ok {
		return
	}
	if p.lost == nil {
		p.lost = map[any]*unknown{}
	}
	p.lost[obj] = why
	if k := len(p.journals); k > 0 {
		p.journals[k-1].lost = append(p.journals[k-1].lost, obj)
	}
}

func (p *program) setWild(at place, l *leak) {
	if old, ok := p.wild[at]; ok && (l.parts || !old.parts) {
		return
	} else if !ok {
		if k := len(p.journals); k > 0 {
			p.journals[k-1].wild = append(p.journals[k-1].wild, at)
		}
	}
	if p.wild == nil {
		p.wild = map[place]*leak{}
	}
	p.wild[at] = l
}

// seen gives a value as it may be used: one that was lost is unknown.
func (p *program) seen(v Value, name string) Value {
	if len(p.lost) == 0 {
		return v
	}
	switch o := v.(type) {
	case *pyval.List, *pyval.Dict, *pyval.Set, *config, *iterator, *class:
		if u, ok := p.lost[v]; ok {
			return u.changed(name)
		}
	case *constant:
		if u := isUnknown(p.seen(o.v, name)); u != nil {
			return u
		}
	}
	return v
}

// escapeAs lets code that is not known reach a value, as a leak says.
func (p *program) escapeAs(v Value, l *leak) {
	if l.parts {
		for _, e := range partsOf(v) {
			p.escape(e, l.why)
		}
		return
	}
	p.escape(v, l.why)
}

// partsOf gives what a value holds.
func partsOf(v Value) []Value {
	switch v := plain(v).(type) {
	case pyval.Tuple:
		return v.Elems
	case *class:
		var all []Value
		for _, s := range v.names.slots {
			all = append(all, s.value)
		}
		return all
	case *pyval.List, *pyval.Dict, *pyval.Set, *config, *iterator:
		return held(snapshot(v))
	}
	return nil
}

// escape lets code that is not known reach a value.
func (p *program) escape(v Value, why *unknown) {
	if p.escaping++; p.escaping == 1 {
		clear(p.visited)
	}
	p.reach(v, why)
	p.escaping--
}

func (p *program) reach(v Value, why *unknown) {
	switch v := v.(type) {
	case nil, int64, float64, string, bool, pyval.NoneType, *unknown, *kernel:
		return
	case *constant:
		p.escape(v.v, why)
	case pyval.Tuple:
		if len(v.Elems) == 0 || p.visited[&v.Elems[0]] {
			return
		}
		if p.visited == nil {
			p.visited = map[*Value]bool{}
		}
		p.visited[&v.Elems[0]] = true
		for _, e := range v.Elems {
			p.reach(e, why)
		}
	case *pyval.List, *pyval.Dict, *pyval.Set, *config, *iterator:
		if _, gone := p.lost[v]; gone {
			return
		}
		p.steps -= cost(v)
		p.lose(v, why)
		for _, e := range held(snapshot(v)) {
			p.escape(e, why)
		}
	case *method:
		p.escape(v.Self, why)
	default:
		p.escapeObject(v, why)
	}
}

// escapeObject is escape for what has code.
func (p *program) escapeObject(v Value, why *unknown) {
	switch v := v.(type) {
	case *function:
		if _, gone := p.lost[v]; !gone {
			p.lose(v, why)
			v.leak(why)
		}
	case *constexprFunction:
		p.escape(v.fn, why)
	case *native:
		for _, h := range v.holds {
			p.escape(h, why)
		}
	case *class:
		if _, gone := p.lost[v]; gone {
			return
		}
		p.lose(v, why)
		for _, name := range v.names.order {
			p.escape(v.names.slots[name].value, why)
		}
		for _, b := range v.bases {
			p.escape(b, why)
		}
	case *exception:
		for _, a := range v.args {
			p.escape(a, why)
		}
	case *userModule:
		v.mod.names.expose(why)
	case *nsDict:
		v.names.lose(why)
	case *environment:
		v.names.lose(why)
	}
}

// expose lets code that is not known reach what the names of a module are bound to, now and later. That it
// binds the names anew is not taken into account: any library may do that to any module.
func (n *names) expose(why *unknown) {
	if n.exposed != nil {
		return
	}
	n.exposed = why
	for _, name := range n.order {
		n.prog.escape(n.slots[name].value, why)
	}
}

// lose makes all names of a name space unknown.
func (n *names) lose(why *unknown) {
	if n.lost != nil {
		return
	}
	n.lost = why
	for _, name := range n.order {
		n.prog.escape(n.slots[name].value, why)
	}
}

// doubtful gives what is not known in a value or in what it holds, or nil.
func (p *program) doubtful(v Value) *unknown {
	d := doubts{prog: p}
	return d.in(v, 0)
}

// doubts looks for what is not known, in each object once.
type doubts struct {
	prog *program
	seen map[any]bool
}

func (d *doubts) in(v Value, depth int) *unknown {
	const deepest = 200
	var elems []Value
	switch v := v.(type) {
	case *unknown:
		return v
	case *constant:
		return d.in(v.v, depth)
	case pyval.Tuple:
		if len(v.Elems) == 0 || d.again(&v.Elems[0]) {
			return nil
		}
		elems = v.Elems
	case *pyval.List, *pyval.Dict, *pyval.Set:
		if u, ok := d.prog.lost[v]; ok {
			return u.changed("an object")
		}
		if d.again(v) {
			return nil
		}
		elems = elemsOf(v)
	case *config, *iterator, *class:
		if u, ok := d.prog.lost[v]; ok {
			return u.changed("an object")
		}
		return nil
	default:
		return nil
	}
	if d.prog.steps -= len(elems) / 4; d.prog.steps < 0 || depth > deepest {
		return &unknown{path: "a value", why: "it is too large or nested too deeply"}
	}
	for _, e := range elems {
		if u := d.in(e, depth+1); u != nil {
			return u
		}
	}
	return nil
}

// again reports whether an object was looked at before.
func (d *doubts) again(obj any) bool {
	if d.seen[obj] {
		return true
	}
	if d.seen == nil {
		d.seen = map[any]bool{}
	}
	d.seen[obj] = true
	return false
}

func elemsOf(v Value) []Value {
	switch v := v.(type) {
	case *pyval.List:
		return v.Elems
	case *pyval.Dict:
		all := v.Keys()
		return append(all, v.Values()...)
	case *pyval.Set:
		return v.Elems()
	}
	return nil
}

// mayRaise notes that the code that runs may have failed here, or not.
func (p *program) mayRaise(u *unknown) {
	p.raises++
	p.raiser = u
}

// given is what becomes of the arguments of a call that is not known.
func (f *frame) given(args []Value, kwargs []pyval.Kwarg, at syntax.Node, u *unknown) {
	for _, k := range kwargs {
		args = append(slices.Clip(args), k.Value)
	}
	if u.harmless { // but it may call the functions that it is given
		args = slices.DeleteFunc(slices.Clone(args), func(v Value) bool { return !hasCode(v) })
	}
	f.gone(at, u, args...)
}

// gone is what becomes of values that code which is not known has.
func (f *frame) gone(at syntax.Node, u *unknown, values ...Value) {
	f.mod.prog.mayRaise(u)
	why := &unknown{path: f.mod.text(at), why: u.why, at: f.mod.place(at)}
	for _, v := range values {
		f.mod.prog.escape(v, why)
	}
}

func hasCode(v Value) bool {
	switch v.(type) {
	case *function, *constexprFunction, *class, *native, *method:
		return true
	}
	return false
}
