package module

import "github.com/tegula-lang/tegula/internal/pyval"

// A rebuilder goes through a value and what it contains. Lists, dicts and sets, which may contain
// themselves, are copied, each once; a tuple is itself if its elements are.
type rebuilder struct {
	prog   *program
	tuples bool              // tuples are gone through
	leaf   func(Value) Value // what becomes of everything else
	copies map[Value]Value   // of lists, dicts and sets
}

// rebuilt gives v with its leaves replaced.
func (p *program) rebuilt(v Value, leaf func(Value) Value) Value {
	r := rebuilder{prog: p, tuples: true, leaf: leaf}
	return r.value(v)
}

func (r *rebuilder) value(v Value) Value {
	if c, ok := v.(pyval.Tuple); ok && r.tuples {
		return r.tuple(c)
	}
	switch v.(type) {
	case *pyval.List, *pyval.Dict, *pyval.Set:
		if u, ok := r.prog.lost[v]; ok {
			return u.changed("an object")
		}
		return r.container(v)
	}
	return r.leaf(v)
}

func (r *rebuilder) tuple(t pyval.Tuple) Value {
	if r.prog.steps -= 1 + len(t.Elems)/4; r.prog.steps < 0 {
		return t // whatever comes next will say so
	}
	elems := make([]Value, len(t.Elems))
	for i, e := range t.Elems {
		elems[i] = r.value(e)
	}
	return pyval.Tuple{Elems: elems, Names: t.Names}
}

func (r *rebuilder) container(v Value) Value {
	if c, ok := r.copies[v]; ok {
		return c
	}
	if r.prog.steps -= 1 + cost(v); r.prog.steps < 0 {
		return v
	}
	if r.copies == nil {
		r.copies = map[Value]Value{}
	}
	switch v := v.(type) {
	case *pyval.List:
		out := &pyval.List{Elems: make([]Value, len(v.Elems))}
		r.copies[v] = out
		for i, e := range v.Elems {
			out.Elems[i] = r.value(e)
		}
		return out
	case *pyval.Dict:
		return r.dict(v)
	case *pyval.Set:
		elems := v.Elems()
		for i, e := range elems {
			elems[i] = r.value(e)
		}
		if out, err := pyval.NewSet(elems, v.Frozen); err == nil {
			r.copies[v] = out
			return out
		}
	}
	return v
}

func (r *rebuilder) dict(d *pyval.Dict) Value {
	out := &pyval.Dict{}
	r.copies[d] = out
	for k, e := range d.All() {
		if err := out.Set(r.value(k), r.value(e)); err != nil {
			r.copies[d] = d // a key's replacement is no key
			return d
		}
	}
	return out
}
