package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// A shade is where the taints of a value lie in the frame: a word that is 0 if no element has one, and after it a
// taint for each of n elements, which only then are set. A shade of n = 0 does not exist: the value never has taints. One of
// n = 1 is of all elements.
type shade struct{ off, n int }

const (
	shadeHead = 8
	taintSize = 2
)

func (s shade) bytes() int { return shadeHead + taintSize*s.n }

// taints are the elements' part.
func (s shade) elements() slot { return slot{s.off + shadeHead, s.n} }

// shaded reports whether an element has a taint.
func (m *machine) shaded(s shade) bool { return s.n != 0 && *(*uint64)(m.at(s.off)) != 0 }

func (m *machine) setShaded(s shade, shaded bool) { *(*uint64)(m.at(s.off)) = uint64(bit(shaded)) }

func (m *machine) taints(s shade) []taint { return view[taint](m, s.elements()) }

// taintAt gives the taint of an element.
func (m *machine) taintAt(s shade, i int) taint {
	if !m.shaded(s) {
		return 0
	}
	if s.n == 1 {
		i = 0
	}
	return m.taints(s)[i]
}

// shadow gives the taints of all n elements to write to, which are 0 at first.
func (m *machine) shadow(s shade) []taint {
	ts := m.taints(s)
	if !m.shaded(s) {
		clear(ts)
		m.setShaded(s, true)
	}
	return ts
}

func (p *planner) shadeOf(v *tile.Value) shade { return p.sanitizer.shades[v.ID] }

// shade gives a value that can have taints a shade of n elements. Values that share their memory share it too.
func (p *planner) shade(v *tile.Value, n int) shade {
	s := p.sanitizer
	if s.of(v) == 0 {
		return shade{}
	}
	r := p.live.root[v.ID]
	if s.held[r].size == 0 {
		size := shade{n: n}.bytes()
		s.held[r] = extent{p.assign(size, p.fixed[r]), size}
	}
	s.shades[v.ID] = shade{s.held[r].off, n}
	return s.shades[v.ID]
}

// releaseShade gives back the memory of a root's taints.
func (p *planner) releaseShade(root int32) {
	s := p.sanitizer
	if s == nil || s.held[root].size == 0 || p.fixed[root] {
		return
	}
	p.arena.release(s.held[root].off, s.held[root].size)
	s.held[root] = extent{}
}

// shadeCarried gives the carried values of a loop shades, which begin as those of what they begin with. The results of the loop
// have them too where they share the values' memory.
func (p *planner) shadeCarried(op *tile.Op, carried, init []*tile.Value) {
	if p.sanitizer == nil || p.sanitizer.quiet > 0 {
		return
	}
	p.shadeAll(carried)
	p.moveShades(op, carried, init)
}

// shadeParams gives the parameters of a function that is called shades, which its callers set.
func (p *planner) shadeParams(f *tile.Func) {
	p.shadeAll(f.Body.Args)
	p.fn.shadeArgs = p.shadesOf(f.Body.Args)
}

func (p *planner) shadesOf(vals []*tile.Value) []shade {
	if p.sanitizer == nil {
		return nil
	}
	shades := make([]shade, len(vals))
	for i, v := range vals {
		shades[i] = p.shadeOf(v)
	}
	return shades
}

// shadeAll gives values shades of all their elements.
func (p *planner) shadeAll(vals []*tile.Value) {
	if p.sanitizer == nil || p.sanitizer.quiet > 0 {
		return
	}
	for _, v := range vals {
		p.shade(v, v.Type.NumElems())
	}
}

// sameShades lets values share others' taints, as they share their memory.
func (p *planner) sameShades(vals, others []*tile.Value) {
	if p.sanitizer == nil {
		return
	}
	for i, v := range vals {
		p.sanitizer.shades[v.ID] = p.sanitizer.shades[others[i].ID]
	}
}

// moveShades copies taints as if all were copied at once.
func (p *planner) moveShades(op *tile.Op, to, from []*tile.Value) {
	if p.sanitizer == nil || p.sanitizer.quiet > 0 {
		return
	}
	type shadeMove struct{ dst, src shade }
	var ms []shadeMove
	for i := range to {
		if d, s := p.shadeOf(to[i]), p.shadeOf(from[i]); d.n > 0 && d != s {
			ms = append(ms, shadeMove{d, s})
		}
	}
	for i := range ms {
		for j := range ms[:i] {
			if ms[i].src.n == 0 || ms[j].dst.off != ms[i].src.off {
				continue
			}
			t := shade{p.temp(1, ms[i].src.bytes()).off, ms[i].src.n}
			p.emit(op, copyShade(t, ms[i].src))
			ms[i].src = t
			break
		}
	}
	for _, mv := range ms {
		p.emit(op, copyShade(mv.dst, mv.src))
	}
}

// copyShade copies taints, repeating one element's where d has more.
func copyShade(d, s shade) func(*machine) error {
	return func(m *machine) error {
		if !m.shaded(s) {
			m.setShaded(d, false)
			return nil
		}
		m.setShaded(d, true)
		to := m.taints(d)
		if k := copy(to, m.taints(s)); k < len(to) {
			repeat(to)
		}
		return nil
	}
}
