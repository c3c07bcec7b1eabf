package module

import (
	"maps"
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// A journal notes what names and objects were before they changed, so that what a branch does can
// be taken back: where it is not known which branch runs all do, one after the other, and what
// they leave is joined (branch.go).
type journal struct {
	slots   map[place]slot
	places  []place      // the keys of slots, in order
	objects map[any]any  // of lists, dicts and other things that change: what they held
	changed []any        // the keys of objects, in order
	fresh   map[any]bool // objects that were made since
	lost    []any        // keys of program.lost that are new
	wild    []place      // keys of program.wild that are new
}

// A place is a name in a name space.
type place struct {
	names *names
	name  string
}

// A delta is what a branch left.
type delta struct {
	slots   map[place]slot
	places  []place
	objects map[any]any
	changed []any
	lost    []lostObject
	wild    []wildPlace
}

type lostObject struct {
	obj any
	why *unknown
}

type wildPlace struct {
	at   place
	leak *leak
}

func (p *program) begin() { p.journals = append(p.journals, &journal{}) }

// commit keeps what was done since begin.
func (p *program) commit() {
	j := p.pop()
	n := len(p.journals)
	if n == 0 {
		return
	}
	outer := p.journals[n-1]
	for _, at := range j.places {
		outer.saveSlot(at, j.slots[at], n-1)
	}
	for _, obj := range j.changed {
		outer.saveObject(obj, j.objects[obj])
	}
	for obj := range j.fresh {
		outer.made(obj)
	}
	outer.lost = append(outer.lost, j.lost...)
	outer.wild = append(outer.wild, j.wild...)
}

func (p *program) pop() *journal {
	n := len(p.journals)
	j := p.journals[n-1]
	p.journals = p.journals[:n-1]
	return j
}

// rollback takes back what was done since begin.
func (p *program) rollback() {
	j := p.pop()
	for at, s := range j.slots {
		at.names.slots[at.name] = s
	}
	for obj, old := range j.objects {
		restore(obj, old)
	}
	for _, obj := range j.lost {
		delete(p.lost, obj)
	}
	for _, at := range j.wild {
		delete(p.wild, at)
	}
}

// capture gives what was done since begin.
func (p *program) capture() *delta {
	j := p.journals[len(p.journals)-1]
	p.steps -= len(j.places) / 4
	d := &delta{places: j.places, changed: j.changed, slots: make(map[place]slot, len(j.slots)), objects: make(map[any]any, len(j.objects))}
	for _, at := range j.places {
		d.slots[at] = at.names.slots[at.name]
	}
	for _, obj := range j.changed {
		p.steps -= 1 + cost(obj)
		d.objects[obj] = snapshot(obj)
	}
	for _, obj := range j.lost {
		d.lost = append(d.lost, lostObject{obj, p.lost[obj]})
	}
	for _, at := range j.wild {
		if l := p.wild[at]; l != nil {
			d.wild = append(d.wild, wildPlace{at, l})
		}
	}
	return d
}

// savingSlot is called before a name is bound anew.
func (p *program) savingSlot(n *names, name string) {
	if k := len(p.journals); k > 0 {
		at := place{n, name}
		p.journals[k-1].saveSlot(at, n.slots[name], k-1)
	}
}

// saveSlot keeps what a name was bound to, unless the name space is younger than the journal,
// which is the one of that depth.
func (j *journal) saveSlot(at place, s slot, depth int) {
	if at.names.depth > depth {
		return
	}
	if _, ok := j.slots[at]; ok {
		return
	}
	if j.slots == nil {
		j.slots = map[place]slot{}
	}
	j.slots[at] = s
	j.places = append(j.places, at)
}

// changing is called before an object changes.
func (p *program) changing(obj any) {
	if k := len(p.journals); k > 0 {
		j := p.journals[k-1]
		if _, ok := j.objects[obj]; !ok && !j.fresh[obj] {
			p.steps -= cost(obj)
			j.saveObject(obj, snapshot(obj))
		}
	}
}

func (j *journal) saveObject(obj, old any) {
	if _, ok := j.objects[obj]; ok || j.fresh[obj] {
		return
	}
	if j.objects == nil {
		j.objects = map[any]any{}
	}
	j.objects[obj] = old
	j.changed = append(j.changed, obj)
}

// born notes an object that a display has just made.
func (p *program) born(v Value) {
	k := len(p.journals)
	if k == 0 {
		return
	}
	switch v.(type) {
	case *pyval.List, *pyval.Dict, *pyval.Set, *config, *iterator:
		p.journals[k-1].made(v)
	}
}

func (j *journal) made(obj any) {
	if j.fresh == nil {
		j.fresh = map[any]bool{}
	}
	j.fresh[obj] = true
}

// snapshot gives what an object holds, as a value of its own.
func snapshot(obj any) any {
	switch o := obj.(type) {
	case *pyval.List:
		return slices.Clone(o.Elems)
	case *pyval.Dict:
		return o.Copy()
	case *pyval.Set:
		return o.Copy()
	case *config:
		return config{kwargs: o.kwargs, options: maps.Clone(o.options)}
	case *iterator:
		return *o
	}
	return nil
}

func restore(obj, old any) {
	switch o := obj.(type) {
	case *pyval.List:
		o.Elems = slices.Clone(old.([]Value))
	case *pyval.Dict:
		*o = *old.(*pyval.Dict).Copy()
	case *pyval.Set:
		*o = *old.(*pyval.Set).Copy()
	case *config:
		*o = config{kwargs: old.(config).kwargs, options: maps.Clone(old.(config).options)}
	case *iterator:
		*o = old.(iterator)
	}
}

// sameState reports whether an object holds the very same in two snapshots.
func sameState(x, y any) bool {
	switch x := x.(type) {
	case []Value:
		return slices.EqualFunc(x, y.([]Value), pyval.Identical)
	case *pyval.Dict:
		z := y.(*pyval.Dict)
		return slices.EqualFunc(x.Keys(), z.Keys(), pyval.Identical) && slices.EqualFunc(x.Values(), z.Values(), pyval.Identical)
	case *pyval.Set:
		return slices.EqualFunc(x.Elems(), y.(*pyval.Set).Elems(), pyval.Identical)
	case config:
		z := y.(config)
		return x.kwargs == z.kwargs && maps.EqualFunc(x.options, z.options, pyval.Identical)
	case iterator:
		return x.at == y.(iterator).at
	}
	return true
}

// held gives the values in a snapshot.
func held(state any) []Value {
	switch s := state.(type) {
	case []Value:
		return s
	case *pyval.Dict:
		return slices.Concat(s.Keys(), s.Values())
	case *pyval.Set:
		return s.Elems()
	case config:
		return append(slices.Collect(maps.Values(s.options)), s.kwargs)
	case iterator:
		return s.elems
	}
	return nil
}

// join makes of the state before some branches what holds after one of them ran, which one being
// unknown.
func (p *program) join(branches []*delta, why *unknown) {
	slots, objects := map[place]bool{}, map[any]bool{}
	var places []place
	var changed []any
	for _, d := range branches {
		for _, at := range d.places {
			if !slots[at] {
				slots[at] = true
				places = append(places, at)
			}
		}
		for _, obj := range d.changed {
			if !objects[obj] {
				objects[obj] = true
				changed = append(changed, obj)
			}
		}
		for _, l := range d.lost {
			p.lose(l.obj, l.why)
		}
		for _, w := range d.wild {
			p.setWild(w.at, w.leak)
		}
	}
	for _, at := range places {
		all := make([]slot, len(branches))
		for i, d := range branches {
			s, ok := d.slots[at]
			if !ok {
				s = at.names.slots[at.name]
			}
			all[i] = s
		}
		at.names.set(at.name, at.names.joined(at.name, all, why))
	}
	for _, obj := range changed {
		p.joinObject(obj, branches, why)
	}
}

func (p *program) joinObject(obj any, branches []*delta, why *unknown) {
	base := snapshot(obj)
	state := func(d *delta) any {
		if s, ok := d.objects[obj]; ok {
			return s
		}
		return base
	}
	first := state(branches[0])
	for _, d := range branches[1:] {
		if sameState(first, state(d)) {
			continue
		}
		p.lose(obj, why)
		for _, d := range branches {
			for _, v := range held(state(d)) {
				p.escape(v, why)
			}
		}
		return
	}
	p.changing(obj)
	restore(obj, first)
}
