package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A pending group is work over the elements of one shape that is done in one nest.
type pending struct {
	t       tile.Type
	jobs    []job
	reduces []*tile.Op
}

// block compiles the operations of a block but for its terminator. Scalars are computed where they
// stand; tiles where a root asks for them.
func (g *generator) block(b *tile.Block) {
	var p pending
	defer g.forget(len(g.spread))
	for _, op := range g.inTime(b) {
		if op.Code.IsTerminator() {
			break
		}
		g.loc, g.at = op.Loc, op
		g.op(op, &p)
	}
	g.flush(&p)
}

// inTime gives a block's operations in the order in which they are compiled: a reduction of what is kept in a buffer comes right after that, whatever else
// stands between, so that one nest does both.
func (g *generator) inTime(b *tile.Block) []*tile.Op {
	early := map[*tile.Op][]*tile.Op{}
	for i, op := range b.Ops {
		if op.Code != tile.OpReduce || len(op.Args) != 1 || g.plan.isOutlined(op) {
			continue
		}
		from := op.Args[0].Op
		if from == nil || g.plan.home[from] != b || !g.plan.keep[op.Args[0]] || g.plan.at[from] == i-1 || !g.closed(op.Regions[0]) {
			continue
		}
		early[from] = append(early[from], op)
	}
	if len(early) == 0 {
		return b.Ops
	}
	ops := make([]*tile.Op, 0, len(b.Ops))
	moved := map[*tile.Op]bool{}
	for _, op := range b.Ops {
		if moved[op] {
			continue
		}
		ops = append(append(ops, op), early[op]...)
		for _, r := range early[op] {
			moved[r] = true
		}
	}
	return ops
}

// closed reports whether a region uses nothing but its own values.
func (g *generator) closed(b *tile.Block) bool {
	own := true
	b.Walk(func(op *tile.Op) {
		for _, a := range op.Args {
			own = own && (a.Block != nil && a.Block == b || a.Op != nil && g.plan.home[a.Op] == b)
		}
	})
	return own
}

func (g *generator) flush(p *pending) {
	jobs, reduces := p.jobs, p.reduces
	t := p.t
	*p = pending{}
	for i := range jobs {
		g.place(&jobs[i], jobs, reduces)
	}
	if len(jobs)+len(reduces) > 0 {
		defer g.spreadOut(t, jobs, reduces)()
	}
	for _, op := range reduces {
		for _, v := range op.Results {
			if v.Type.IsTile() {
				g.bufs[v] = g.newBuffer(v.Type)
			}
		}
	}
	g.unmasked(jobs, reduces, func() {
		switch {
		case len(reduces) > 0:
			g.at = reduces[0]
			g.reduce(reduces, jobs)
		case len(jobs) > 0:
			g.elementwise(t, jobs)
		}
	})
	for _, j := range jobs {
		if j.to != nil && g.bufs[j.v] == nil {
			g.bufs[j.v] = j.to
		}
	}
	for _, j := range jobs {
		if j.v != nil {
			g.release(j.v)
		}
	}
}

// after writes an operation at its place, after the nests that are waiting.
func (g *generator) after(p *pending, op *tile.Op, write func(*tile.Op)) {
	g.flush(p)
	g.loc, g.at = op.Loc, op
	write(op)
}

func (g *generator) op(op *tile.Op, p *pending) {
	if g.plan.isOutlined(op) {
		g.after(p, op, g.outline)
		return
	}
	switch op.Code {
	case tile.OpReduce:
		g.joinReduce(op, p)
		return
	case tile.OpStore:
		g.after(p, op, g.storeOp)
		return
	case tile.OpFor:
		g.flush(p)
		g.loop(op)
		return
	case tile.OpWhile:
		g.flush(p)
		g.while(op)
		return
	case tile.OpIf:
		g.flush(p)
		g.branch(op)
		return
	case tile.OpDot:
		g.flush(p)
		g.dot(op)
		return
	case tile.OpAtomicRMW, tile.OpAtomicCAS, tile.OpAtomicLoad, tile.OpAtomicStore:
		g.after(p, op, g.atomic)
		return
	case tile.OpScan:
		g.after(p, op, g.scan)
		return
	case tile.OpGather:
		g.after(p, op, g.gather)
		return
	case tile.OpAssert:
		g.after(p, op, g.assert)
		return
	case tile.OpHistogram:
		g.after(p, op, g.histogram)
		return
	case tile.OpAssume, tile.OpBarrier:
		return
	}
	if g.plan.isRoot(op) {
		g.refuse("%s", op.Code)
	}
	for _, v := range op.Results {
		switch {
		case v.Type.IsScalar():
			if g.waitsFor(op.Args, p) {
				g.flush(p)
				g.loc, g.at = op.Loc, op
			}
			g.scalarOp(op)
		case g.plan.keep[v]:
			other := (p.jobs != nil || p.reduces != nil) && p.t != shapeOf(v.Type)
			if other || len(p.reduces) > 0 && !g.inOrder(p.reduces[0]) || g.waitsFor(op.Args, p) {
				g.flush(p)
			}
			p.t = shapeOf(v.Type)
			p.jobs = append(p.jobs, job{v: v, loc: op.Loc})
		}
	}
}

func shapeOf(t tile.Type) tile.Type { return t.WithElem(tile.I1) }

// joinReduce adds a reduction to the pending group if it goes over the same elements in their order.
func (g *generator) joinReduce(op *tile.Op, p *pending) {
	t := shapeOf(op.Args[0].Type)
	fits := p.t == t && !g.waitsFor(op.Args, p) && g.inOrder(op)
	for _, r := range p.reduces {
		fits = fits && r.Attr == op.Attr && commutes([]*tile.Op{r}) == commutes([]*tile.Op{op})
	}
	if !fits {
		g.flush(p)
	}
	p.t = t
	p.reduces = append(p.reduces, op)
}

// inOrder reports whether a reduction takes strips of neighbouring elements.
func (m *isa) inOrder(op *tile.Op) bool {
	t, axis := op.Args[0].Type, op.Attr.(tile.AxisAttr).Axis
	below := 0
	for i := axis + 1; i < t.Rank(); i++ {
		below += t.LogDim(i)
	}
	return below >= m.laneBits || below == 0 && t.LogDim(axis) >= m.laneBits && commutes([]*tile.Op{op})
}

// waitsFor reports whether values depend on what a pending group will give, other than element by element on its
// kept values.
func (g *generator) waitsFor(vals []*tile.Value, p *pending) bool {
	if p.jobs == nil && p.reduces == nil {
		return false
	}
	type visit struct {
		v     *tile.Value
		moved bool
	}
	seen := map[visit]bool{}
	var walk func(v *tile.Value, moved bool) bool
	walk = func(v *tile.Value, moved bool) bool {
		if v.Op == nil || g.bufs[v] != nil || seen[visit{v, moved}] {
			return false
		}
		seen[visit{v, moved}] = true
		if g.plan.isRoot(v.Op) {
			for _, r := range p.reduces {
				if r == v.Op {
					return true
				}
			}
			return false
		}
		if v.Type.IsTile() && g.plan.keep[v] {
			return moved
		}
		if v.Type.IsScalar() {
			if _, ok := g.env[v]; ok {
				return false
			}
		}
		if !v.Op.Code.IsElementwise() {
			moved = true
		}
		for _, a := range v.Op.Args {
			if walk(a, moved) {
				return true
			}
		}
		return false
	}
	for _, v := range vals {
		if walk(v, false) {
			return true
		}
	}
	return false
}

func (g *generator) storeOp(op *tile.Op) {
	if t := op.Args[1].Type; t.IsTile() {
		g.elementwise(t, []job{{op: op, loc: op.Loc}})
		return
	}
	x := g.straight()
	args := append(x.evalAll(op.Args, view{}), nil)
	x.storeOne(op.Args[1].Type, args[0], args[1], args[2])
}

// scalarOp computes a scalar where it stands.
func (g *generator) scalarOp(op *tile.Op) {
	x := g.straight()
	var d *val
	switch op.Code {
	case tile.OpConst:
		d = constVal(op.Results[0].Type, op.Attr.(tile.ConstAttr).Bits)
	case tile.OpProgramID, tile.OpNumPrograms:
		d = newVal(op.Results[0].Type)
		off := pidOff
		if op.Code == tile.OpNumPrograms {
			off = gridOff
		}
		d.uni, d.g = true, g.frameLoad(amd64.MOVL, off+4*op.Attr.(tile.AxisAttr).Axis)
	case tile.OpLoad:
		args := append(x.evalAll(op.Args, view{}), nil, nil)
		d = x.loadTile(op.Results[0].Type, args[0], args[1], args[2])
	default:
		if !op.Code.IsElementwise() {
			g.refuse("%s of scalars", op.Code)
		}
		d = x.apply(op, x.evalAll(op.Args, view{}))
	}
	out := *d
	out.shared, out.level = true, 0
	g.env[op.Results[0]] = &out
}
