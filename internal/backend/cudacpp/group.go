package cudacpp

import (
	"cmp"
	"slices"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A group is nodes of one block that do the same to different values: what an operation on a tile does for each register of a
// thread. Their results are one array.
type group struct {
	nodes  []*node
	v      *variable // of the results; nil if there are none or they are updates of another variable
	spans  []span    // see spans
	inline bool      // printed where it is used
	first  int       // the place of the first node in the block
	effect int       // the number of what orders memory; 0: none
	reads  bool      // memory: between two that order it
	closed bool      // nothing more may be added
}

// A span is some nodes of a group that one loop prints.
type span struct{ lo, hi int }

// A groupKey tells apart what cannot be one group.
type groupKey struct {
	code    lir.Code
	mod     uint8
	results int
	typ     lir.Type
	imm     int64
	loc     tile.Loc
	epoch   int
	height  int
	into    *variable
	mem     memKey
	indexed bool
	args    string // the families of the operands
}

// A memKey is what accesses of a group have in common.
type memKey struct {
	space      lir.Space
	buffer     int
	pred, els  bool
	cache      tile.Cache
	evict      tile.Evict
	vol, ro    bool
	kind       tile.Atomic
	sem        tile.MemSem
	scope      tile.MemScope
	fromOffset int64
}

func memKeyOf(n *node) memKey {
	m := n.Mem
	if m == nil {
		return memKey{}
	}
	k := memKey{m.Space, m.Buffer, m.Pred, m.Else, m.Cache, m.Evict, m.Volatile, m.ReadOnly, m.Kind, m.Sem, m.Scope, 0}
	if n.From != nil {
		k.fromOffset = n.From.Offset
	}
	return k
}

// A grouper finds a block's groups.
type grouper struct {
	p      *printer
	b      *block
	known  map[groupKey]*group
	last   *group // that orders memory
	number int    // of those
	read   bool   // memory was read since the last
}

// group divides a block, and those in it, into groups and gives all values their homes.
func (p *printer) group(b *block) {
	p.sums(b)
	p.together(b)
	g := &grouper{p: p, b: b, known: map[groupKey]*group{}}
	for i, n := range b.nodes {
		g.node(i, n)
	}
	for _, x := range b.groups {
		x.sort(p)
		p.settleHomes(x)
	}
	b.groups = g.order()
}

func (g *grouper) node(i int, n *node) {
	p := g.p
	for _, a := range n.Args {
		if d := p.def(a); d != nil && d.block == g.b {
			n.height, n.epoch = max(n.height, d.height), max(n.epoch, d.epoch)
		}
	}
	for _, r := range n.regions {
		g.needs(n, r)
	}
	n.height++
	if len(n.regions) > 0 {
		p.structure(n)
	}
	if n.Code == lir.OpGroupWait {
		p.waitInPlace(n)
	}
	reads := n.effect() == lir.Reads || n.Code == lir.OpLoadMatrix
	if reads {
		n.epoch, g.read = g.number, true
	}
	move := reads || n.movable()
	k := g.key(n)
	if move && alike(n) {
		if old := g.known[k]; old != nil && !old.closed {
			g.add(old, n)
			return
		}
	} else if !move && g.joins(k, n) {
		g.add(g.last, n)
		n.epoch = g.last.effect
		return
	}
	made := &group{first: i, reads: reads}
	if !move {
		g.number++
		made.effect, n.epoch, g.last, g.read = g.number, g.number, made, false
		g.known[effectKey(k)] = made
	} else {
		g.known[k] = made
	}
	if len(n.Results) > 0 && len(n.regions) == 0 && n.Code != lir.OpAsm && p.into[n.Results[0].ID].of == nil {
		made.v = p.newVariable(p.hintOf(n.Results[0]), 0)
	}
	b := g.b
	b.groups = append(b.groups, made)
	g.add(made, n)
}

// needs adds what a region depends on of the block around it.
func (g *grouper) needs(n *node, r *block) {
	r.walk(func(inner *node) {
		for _, a := range inner.Args {
			if d := g.p.def(a); d != nil && d.block == g.b {
				n.height, n.epoch = max(n.height, d.height), max(n.epoch, d.epoch)
			}
		}
	})
}

// effectKey is the key of accesses: they come one after another, so the epoch says nothing.
func effectKey(k groupKey) groupKey {
	k.epoch, k.height = 0, 0
	return k
}

// joins reports whether an access can be in the group of the last effect: it is of the same kind and does not depend on it.
func (g *grouper) joins(k groupKey, n *node) bool {
	switch n.Code {
	case lir.OpStore, lir.OpCopyAsync:
	default:
		return false
	}
	return !g.read && g.last != nil && g.known[effectKey(k)] == g.last && n.epoch < g.last.effect
}

// alike reports whether a node may be in a group with others.
func alike(n *node) bool { return n.Code != lir.OpParam && n.Code != lir.OpAsm && len(n.Results) > 0 }

func (g *grouper) add(to *group, n *node) {
	n.group, n.lane = to, len(to.nodes)
	to.nodes = append(to.nodes, n)
	if len(n.regions) > 0 {
		return
	}
	for _, r := range n.Results {
		if n.Code == lir.OpAsm { // its results are of several types
			g.p.homes[r.ID] = home{g.p.newVariable("t", 1), 0}
			continue
		}
		if in := g.p.into[r.ID]; in.of != nil {
			g.p.homes[r.ID] = in
			continue
		}
		g.p.homes[r.ID] = home{to.v, to.v.size} // until the group is whole
		to.v.size++
	}
}

// sort puts the nodes of a group in the order in which what they update lies, or what they read.
func (g *group) sort(p *printer) {
	n := g.nodes[0]
	if len(g.nodes) == 1 || g.closed {
		return
	}
	var place func(n *node) int64
	switch {
	case g.reads:
		place = func(n *node) int64 { return n.Mem.Offset }
	case len(n.Results) > 0 && p.into[n.Results[0].ID].of != nil:
		place = func(n *node) int64 { return int64(p.into[n.Results[0].ID].at) }
	case n.plus != nil || g.nodes[1].plus != nil:
		place = func(n *node) (sum int64) {
			for i := range n.Args {
				sum += max(n.added(i), -n.added(i))
			}
			return sum
		}
	default:
		return
	}
	slices.SortStableFunc(g.nodes, func(a, b *node) int { return cmp.Compare(place(a), place(b)) })
	for i, n := range g.nodes {
		n.lane = i
	}
}

// settleHomes numbers the results of a group in its order.
func (p *printer) settleHomes(g *group) {
	if g.v == nil || g.closed {
		return
	}
	at := 0
	for _, n := range g.nodes {
		for _, r := range n.Results {
			if p.into[r.ID].of == nil {
				p.homes[r.ID] = home{g.v, at}
				at++
			}
		}
	}
}

func (g *grouper) key(n *node) groupKey {
	k := groupKey{code: n.Code, mod: n.Mod, results: len(n.Results), imm: n.Imm, loc: n.Loc, epoch: n.epoch, height: n.height, mem: memKeyOf(n), indexed: g.p.indexed[n]}
	if len(n.Results) > 0 {
		k.typ = n.Results[0].Type
		k.into = g.p.into[n.Results[0].ID].of
	} else if len(n.Args) > 0 {
		k.typ = n.Args[len(n.Args)-1].Type
	}
	text := make([]byte, 0, 4*len(n.Args))
	for _, a := range n.Args {
		f := -1 - int(a.Type)
		if a.IsConst() { // what registers add to something is not among the operands
			f = int(a.Bits ^ a.Bits>>32)
		}
		if !a.IsConst() {
			f = g.p.homes[a.ID].of.number
		}
		text = append(text, byte(f), byte(f>>8), byte(f>>16), byte(f>>24))
	}
	k.args = string(text)
	return k
}

// order sorts the groups so that all that a group depends on comes before it, and otherwise as they were; groups that one loop can print
// come together.
func (g *grouper) order() []*group {
	waits := make(map[*group]int, len(g.b.groups))
	users := make(map[*group][]*group, len(g.b.groups))
	depend := func(on, who *group) {
		if on != who && on != nil {
			users[on] = append(users[on], who)
			waits[who]++
		}
	}
	var ordering []*group // by number
	for _, who := range g.b.groups {
		if who.effect != 0 {
			ordering = append(ordering, who)
		}
	}
	for _, who := range g.b.groups {
		switch {
		case who.effect > 1:
			depend(ordering[who.effect-2], who)
		case who.reads:
			if e := who.nodes[0].epoch; e > 0 {
				depend(ordering[e-1], who)
			}
			if e := who.nodes[0].epoch; e < len(ordering) {
				depend(who, ordering[e])
			}
		}
		for _, n := range who.nodes {
			g.dependencies(n, func(d *node) { depend(d.group, who) })
		}
	}
	var ready []*group
	for _, x := range g.b.groups {
		if waits[x] == 0 {
			ready = append(ready, x)
		}
	}
	var out []*group
	size := 1
	for len(ready) > 0 {
		best := 0
		for i, x := range ready {
			if better(x, ready[best], size) {
				best = i
			}
		}
		x := ready[best]
		ready = append(ready[:best], ready[best+1:]...)
		out = append(out, x)
		size = len(x.nodes)
		for _, u := range users[x] {
			if waits[u]--; waits[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	return out
}

// better reports whether x is to be printed before y, after a group of a size.
func better(x, y *group, size int) bool {
	if size > 1 {
		a, b := x.effect == 0 && !x.reads && len(x.nodes) == size, y.effect == 0 && !y.reads && len(y.nodes) == size
		if a != b {
			return a
		}
	}
	return x.first < y.first
}

// dependencies calls f for the nodes of the block that a node, or what is in it, depends on.
func (g *grouper) dependencies(n *node, f func(*node)) {
	for _, a := range n.Args {
		if d := g.p.def(a); d != nil && d.block == g.b {
			f(d)
		}
	}
	for _, r := range n.regions {
		r.walk(func(inner *node) {
			for _, a := range inner.Args {
				if d := g.p.def(a); d != nil && d.block == g.b {
					f(d)
				}
			}
		})
	}
}
