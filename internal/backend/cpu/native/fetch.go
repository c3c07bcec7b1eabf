package native

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A nest that computes much, or reads what is in the cache already, leaves the memory idle; and one behind it, which stores, waits for the lines
// that it stores to. So the first one asks for them, strip by strip. That is done in reductions, for the store that comes next over the same elements,
// and in loops, for the store of the next loop over the same range. To ask for memory that is not there does nothing.

// A fetch is a store whose lines are asked for before it is reached.
type fetch struct {
	store    *tile.Op
	from, to *tile.Value // the counter of the store's loop, and that of the loop where it is asked for; nil if they are in one block
}

// nextStore gives the store of a tile that comes next in a block, if nothing but arithmetic comes before.
func (g *generator) nextStore(op *tile.Op) *fetch {
	for _, o := range g.plan.home[op].Ops[g.plan.at[op]+1:] {
		switch {
		case o.Code == tile.OpStore && o.Args[0].Type.IsTile():
			return &fetch{store: o}
		case g.plan.isRoot(o):
			return nil
		}
	}
	return nil
}

// twinStore gives the first store of the next loop in a block that has the range of this one.
func (g *generator) twinStore(loop *tile.Op) *fetch {
	b := g.plan.home[loop]
	for _, o := range b.Ops[g.plan.at[loop]+1:] {
		if o.Code != tile.OpFor || !slices.Equal(o.Args[:3], loop.Args[:3]) {
			continue
		}
		for _, s := range o.Regions[0].Ops {
			if s.Code == tile.OpStore && s.Args[0].Type.IsTile() {
				return &fetch{s, o.Regions[0].Args[0], loop.Regions[0].Args[0]}
			}
		}
		return nil
	}
	return nil
}

// known reports whether a value can be computed here, from scalars alone.
func (f *fetch) known(g *generator, v *tile.Value) bool {
	if v.Type.IsScalar() {
		_, ok := g.env[v]
		return ok || v == f.from
	}
	if v.Op == nil || g.plan.isRoot(v.Op) || v.Op.Code == tile.OpLoad || g.plan.keep[v] || g.derived[v] != nil {
		return false
	}
	for _, a := range v.Op.Args {
		if !f.known(g, a) {
			return false
		}
	}
	return true
}

// ask asks for what a store writes to on the strips at some views of a nest over tiles of type t.
func (x *nest) ask(f *fetch, t tile.Type, at ...view) {
	g := x.g
	if f == nil || shapeOf(f.store.Args[0].Type) != shapeOf(t) || !f.known(g, f.store.Args[0]) {
		return
	}
	if f.from != nil {
		g.env[f.from] = g.env[f.to]
		defer delete(g.env, f.from)
	}
	lines := x.lines(f.store.Args[0], at)
	if lines == nil {
		return
	}
	cached := x.cached(f.store)
	x.on(x.depth(), func() {
		skip := g.label()
		if cached != none {
			g.op3(amd64.TESTL, cached, cached, none, 0)
			g.jcc(amd64.CCE, skip)
		}
		for _, p := range lines {
			i := ins(amd64.PREFETCHW)
			i.HasMem, i.M = true, p.operand(0)
			g.emit(i)
		}
		g.bind(skip)
	})
}

// inStrips reports whether pointers lead to elements beside each other, and change in the innermost loop.
func (x *nest) inStrips(p *val) bool {
	return p.affine && p.step == int64(p.t.Pointee().ElemBytes()) && p.level == x.depth()
}

// lines gives pointers to the lines that the strips at some views begin in, each once; nil if they are not beside each other.
func (x *nest) lines(ptr *tile.Value, at []view) []*val {
	var lines []*val
	for _, w := range at {
		p := x.eval(ptr, w)
		if !x.inStrips(p) {
			return nil
		}
		if n := len(lines); n > 0 && lines[n-1].g == p.g && lines[n-1].base == p.base && p.off-lines[n-1].off < lineBytes {
			continue
		}
		lines = append(lines, p)
	}
	return lines
}

// maxAsked is how many loads of the next program are asked for; farthest is how far away its tiles may be.
const (
	maxAsked = 2
	farthest = 1 << 22
)

// askForNext asks, in the last reduction before a store, for what the next program will load: the tiles that this one has loaded, which are taken
// to lie as far from its own as those are from the last program's. Where that is wrong nothing is lost but the time.
func (x *nest) askForNext(op *tile.Op, first, at view) {
	g := x.g
	f, asked := g.nextStore(op), 0
	if f == nil || x.depth() != 1 || g.plan.home[op] != g.fn.Body {
		return
	}
	for _, o := range g.fn.Body.Ops[:g.plan.at[op]] {
		if o.Code != tile.OpLoad || asked == maxAsked || shapeOf(o.Args[0].Type) != shapeOf(op.Args[0].Type) || !f.known(g, o.Args[0]) {
			continue
		}
		p, begin := x.eval(o.Args[0], at), x.eval(o.Args[0], first)
		if !x.inStrips(p) || !begin.affine || begin.level != 0 {
			continue
		}
		asked++
		var away reg
		x.on(0, func() { away = g.sinceLastProgram(g.addImm(8, begin.g, begin.off)) })
		x.askFor(p, away)
	}
}

// askFor asks for the line that lies so far from where pointers lead to.
func (x *nest) askFor(p *val, away reg) {
	at := amd64.Mem{Base: p.g, Index: away, Scale: 1, Disp: int32(p.off)}
	if p.base != none {
		at = p.operand(0)
		x.on(p.baseAt, func() { at.Base = x.sum(p.base, away, 1) })
	}
	x.on(x.depth(), func() {
		i := ins(amd64.PREFETCHT1)
		i.HasMem, i.M = true, at
		x.g.emit(i)
	})
}

// A following is a load of a loop that the next program does, too, so far from this one's.
type following struct {
	load *tile.Op
	away reg
}

// followingLoads gives the loads of the last loop of a program, the one that stores, whose pointers go out from one that is computed for each
// program. They are asked for on behalf of the next program.
func (g *generator) followingLoads(loop *tile.Op) []following {
	body := loop.Regions[0]
	if g.plan.home[loop] != g.fn.Body || !slices.ContainsFunc(body.Ops, func(op *tile.Op) bool { return op.Code == tile.OpStore && op.Args[0].Type.IsTile() }) {
		return nil
	}
	var out []following
	for _, op := range body.Ops {
		if op.Code != tile.OpLoad || len(out) == maxAsked {
			continue
		}
		base := baseOf(op.Args[0])
		if at, ok := g.env[base]; ok && base.Op != nil {
			out = append(out, following{op, g.sinceLastProgram(g.straight().asGPR(at))})
		}
	}
	return out
}

// baseOf gives the scalar that pointers go out from.
func baseOf(v *tile.Value) *tile.Value {
	for v.Type.IsTile() && v.Op != nil {
		switch v.Op.Code {
		case tile.OpAddPtr, tile.OpSplat, tile.OpBroadcast, tile.OpExpandDims, tile.OpHint:
			v = v.Op.Args[0]
		default:
			return v
		}
	}
	return v
}

// askForFollowing asks for the next program's loads on the strips at some views.
func (x *nest) askForFollowing(loads []following, t tile.Type, at ...view) {
	for _, f := range loads {
		if shapeOf(f.load.Args[0].Type) != shapeOf(t) || !x.g.fromScalars(f.load.Args[0]) {
			continue
		}
		for _, p := range x.lines(f.load.Args[0], at) {
			x.askFor(p, f.away)
		}
	}
}

// sinceLastProgram gives how far an address is from where the same one was in the program before; 0 if that is farther than farthest.
func (g *generator) sinceLastProgram(addr reg) reg {
	last := amd64.At(amd64.RDI, int32(g.alloc(8)))
	away := g.copyG(addr)
	g.load(amd64.SUB, away, last)
	g.store(amd64.MOVst, addr, last)
	zero := g.gpr()
	g.op3(amd64.XORL, zero, zero, none, 0)
	g.op3(amd64.CMPI, g.addImm(8, away, farthest), none, none, 2*farthest)
	g.cmov(amd64.CCA, away, zero)
	return away
}
