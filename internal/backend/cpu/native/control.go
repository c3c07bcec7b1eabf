package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// variable makes a scalar that is assigned to: in a general register, or a vector register for floats.
func (g *generator) variable(t tile.Type) *val {
	d := newVal(t)
	d.uni, d.shared = true, true
	if isInt(t) {
		d.g = g.gpr()
	} else {
		r := g.vec()
		d.v = [2]reg{r, r}
	}
	return d
}

// assign gives variables new values, all at once.
func (g *generator) assign(vars []*val, vals []*tile.Value) {
	x := g.straight()
	temps := make([]reg, len(vars))
	for i, v := range vals {
		d := x.imported(v)
		switch {
		case vars[i].g == none:
			temps[i] = x.asVec(d)[0]
			if len(vars) > 1 {
				temps[i] = g.move(temps[i])
			}
		default:
			temps[i] = x.asGPR(d)
			if len(vars) > 1 {
				temps[i] = g.copyG(temps[i])
			}
		}
	}
	for i, d := range vars {
		if d.g == none {
			g.op3(amd64.VMOVAPS, d.v[0], temps[i], none, 0)
			continue
		}
		g.op3(amd64.MOV, d.g, temps[i], none, 0)
	}
}

// A carry is what a region yields: scalars in variables and tiles in buffers.
type carry struct {
	vars    []*val
	scalars []int // which of the values they are
	tiles   []int
	bufs    []*buffer
}

func (g *generator) carryOf(results []*tile.Value) *carry {
	c := &carry{}
	for i, v := range results {
		if v.Type.IsScalar() {
			c.vars, c.scalars = append(c.vars, g.variable(v.Type)), append(c.scalars, i)
			continue
		}
		c.tiles, c.bufs = append(c.tiles, i), append(c.bufs, g.newBuffer(v.Type))
	}
	return c
}

// bind lets values be what the carry holds.
func (c *carry) bind(g *generator, vals []*tile.Value) {
	for k, i := range c.scalars {
		g.env[vals[i]] = c.vars[k]
	}
	for k, i := range c.tiles {
		g.bufs[vals[i]] = c.bufs[k]
	}
}

// take puts values into the carry, all at once. old are the values that the carry held so far, which
// the new ones may be computed from.
func (c *carry) take(g *generator, vals, old []*tile.Value) {
	var scalars []*tile.Value
	for _, i := range c.scalars {
		scalars = append(scalars, vals[i])
	}
	c.takeTiles(g, vals, old)
	g.assign(c.vars, scalars)
}

func (c *carry) takeTiles(g *generator, vals, old []*tile.Value) {
	var jobs []job
	oneShape := true
	for k, i := range c.tiles {
		v := vals[i]
		if g.bufs[v] == c.bufs[k] {
			continue
		}
		jobs = append(jobs, job{v: v, to: c.bufs[k], loc: g.loc})
		oneShape = oneShape && shapeOf(v.Type) == shapeOf(jobs[0].v.Type)
	}
	if len(jobs) == 0 {
		return
	}
	if oneShape && !g.readsMoved(jobs, old) {
		g.elementwise(jobs[0].v.Type, jobs)
		return
	}
	g.throughTemps(jobs, old)
}

// throughTemps does jobs each by way of a buffer of its own, as they read what others write.
func (g *generator) throughTemps(jobs []job, old []*tile.Value) {
	from := make([]*buffer, len(jobs))
	for i, j := range jobs {
		from[i] = g.bufs[j.v]
		if from[i] != nil && !g.isOld(j.v, old) {
			continue
		}
		from[i] = g.newBuffer(j.v.Type)
		g.elementwise(j.v.Type, []job{{v: j.v, to: from[i], loc: j.loc}})
	}
	for i, j := range jobs {
		was := g.bufs[j.v]
		g.bufs[j.v] = from[i]
		g.elementwise(j.v.Type, []job{j})
		g.bufs[j.v] = was
	}
}

func (g *generator) isOld(v *tile.Value, old []*tile.Value) bool {
	for _, o := range old {
		if o == v {
			return true
		}
	}
	return false
}

// readsMoved reports whether jobs read old tiles in another order than element by element.
func (g *generator) readsMoved(jobs []job, old []*tile.Value) bool {
	type visit struct {
		v     *tile.Value
		moved bool
	}
	seen := map[visit]bool{}
	var walk func(v *tile.Value, moved bool) bool
	walk = func(v *tile.Value, moved bool) bool {
		if g.isOld(v, old) && v.Type.IsTile() {
			return moved
		}
		if v.Op == nil || g.bufs[v] != nil || v.Type.IsScalar() || seen[visit{v, moved}] {
			return false
		}
		seen[visit{v, moved}] = true
		moved = moved || !v.Op.Code.IsElementwise()
		for _, a := range v.Op.Args {
			if walk(a, moved) {
				return true
			}
		}
		return false
	}
	for _, j := range jobs {
		if walk(j.v, false) {
			return true
		}
	}
	return false
}

// loop compiles OpFor. Narrow counters count in 64 bits.
func (g *generator) loop(op *tile.Op) {
	body, t := op.Regions[0], op.Args[0].Type
	unsigned := op.Attr.(tile.ForAttr).Unsigned
	w := d8(t)
	if t.ElemBits() < 32 {
		w = 8
	}
	x := g.straight()
	bound := func(v *tile.Value) reg {
		if t.ElemBits() < 32 {
			return x.widen(x.imported(v), !unsigned)
		}
		return x.asGPR(x.imported(v))
	}
	lower, upper, step := bound(op.Args[0]), bound(op.Args[1]), bound(op.Args[2])
	if !positive(op.Args[2]) {
		g.checkStep(op, w, step)
	}
	steps := make(map[*derived]*tile.Op)
	inits, nexts, args, results := g.splitCarried(op, steps)
	c := g.carryOf(results)
	g.reuse(body, nexts, args, c)
	c.take(g, inits, nil)
	deferrals := g.deferDots(body, nexts, results)
	g.packAhead(body)
	g.countParts(body)
	g.loc, g.at = op.Loc, op
	following := g.followingLoads(op)
	leave := g.enter(op, w, lower, upper, step)
	counter := g.variable(t)
	g.op3(amd64.MOV, counter.g, lower, none, 0)
	end, top := g.label(), g.label()
	past := amd64.CCGE
	if unsigned {
		past = amd64.CCAE
	}
	cmp := pair{amd64.CMP, amd64.CMPL}.of(w)
	g.op3(cmp, counter.g, upper, none, 0)
	g.jcc(past, end)
	g.bind(top)
	m := g.cur.mark()
	number := *counter
	number.g = x.trim(t, counter.g)
	g.env[body.Args[0]] = &number
	c.bind(g, args)
	around, after := g.fetch, g.following
	g.fetch, g.following = g.twinStore(op), following
	g.block(body)
	g.loc, g.at = op.Loc, op
	c.take(g, nexts, args)
	g.fetch, g.following = around, after
	for _, i := range op.Regions[0].Args[1:] {
		if d := g.derived[i]; d != nil {
			g.step(d, steps[d])
		}
	}
	g.backEdge(m)
	left := g.copyG(upper)
	g.op3(pair{amd64.SUB, amd64.SUBL}.of(w), left, counter.g, none, 0)
	g.op3(cmp, left, step, none, 0)
	g.jcc(amd64.CCBE, end)
	g.op3(pair{amd64.ADD, amd64.ADDL}.of(w), counter.g, step, none, 0)
	g.jmp(top)
	g.bind(end)
	leave()
	for _, d := range deferrals {
		d.finish(g, op)
	}
	c.bind(g, results)
}

// checkStep has the executor look at a step that is not above 0, which it has an error for.
func (g *generator) checkStep(op *tile.Op, w int, step reg) {
	good := g.label()
	g.op3(pair{amd64.CMPI, amd64.CMPLI}.of(w), step, none, none, 0)
	g.jcc(amd64.CCG, good)
	counter := &tile.Value{Type: op.Args[0].Type}
	empty := &tile.Block{Args: []*tile.Value{counter}, Ops: []*tile.Op{{Code: tile.OpYield, Loc: op.Loc}}}
	counter.Block = empty
	g.outline(&tile.Op{Code: tile.OpFor, Args: op.Args[:3], Attr: op.Attr, Regions: []*tile.Block{empty}, Loc: op.Loc})
	g.bind(good)
}

// while compiles OpWhile.
func (g *generator) while(op *tile.Op) {
	test, body := op.Regions[0], op.Regions[1]
	before, after := g.carryOf(test.Args), g.carryOf(op.Results)
	before.take(g, op.Args, nil)
	top, end := g.label(), g.label()
	g.bind(top)
	m := g.cur.mark()
	before.bind(g, test.Args)
	g.block(test)
	g.loc, g.at = op.Loc, op
	holds := test.Terminator().Args
	after.take(g, holds[1:], nil)
	x := g.straight()
	cond := x.asGPR(x.imported(holds[0]))
	g.op3(amd64.TESTL, cond, cond, none, 0)
	g.jcc(amd64.CCE, end)
	after.bind(g, body.Args)
	g.block(body)
	g.loc, g.at = op.Loc, op
	before.take(g, body.Terminator().Args, test.Args)
	g.backEdge(m)
	g.jmp(top)
	g.bind(end)
	after.bind(g, op.Results)
}

// backEdge lets the end of a loop of the kernel pause, whatever it costs: how often it runs is not known.
func (g *generator) backEdge(m mark) int64 {
	cost, _ := g.cur.since(m)
	cost = max(1, min(cost, maxCharge))
	g.poll(cost)
	g.cur.polled = true
	return cost
}

// splitCarried takes the derived values out of what a loop carries.
func (g *generator) splitCarried(op *tile.Op, steps map[*derived]*tile.Op) (inits, nexts, args, results []*tile.Value) {
	body := op.Regions[0]
	for i, arg := range body.Args[1:] {
		init, next := op.Args[3+i], body.Terminator().Args[i]
		if by, ok := g.advances(arg, next, init); ok {
			d := g.startDerived(arg, init)
			g.derived[op.Results[i]] = d
			steps[d] = by
			continue
		}
		inits, nexts = append(inits, init), append(nexts, next)
		args, results = append(args, arg), append(results, op.Results[i])
	}
	return inits, nexts, args, results
}

// reuse lets a dot product work in the place of a carried accumulator that nothing else reads: as it is, or computed from
// element by element, as in dot(x, y, acc * scale).
func (g *generator) reuse(body *tile.Block, nexts, args []*tile.Value, c *carry) {
	for k, i := range c.tiles {
		v, arg := nexts[i], args[i]
		if v.Op == nil || v.Op.Code != tile.OpDot || g.plan.block[v] != body || v.Type != arg.Type || g.uses(body, v) != 1 {
			continue
		}
		if g.uses(body, arg) == 1 && g.onlyThrough(body, v.Op.Args[2], arg) {
			g.inPlace[v.Op] = c.bufs[k]
			if t, ok := g.arithmeticOf(v.Op); ok && t.tile != amd64.BadOp && t.elem == v.Type.Elem() && (v.Op.Args[2] == arg || g.scaledBy(v.Op, arg, t) != nil) {
				c.bufs[k].order = inTiles(v.Type)
			}
		}
	}
}

// onlyThrough reports whether v is arg, or is computed from it element by element, for one user.
func (g *generator) onlyThrough(body *tile.Block, v, arg *tile.Value) bool {
	if v == arg {
		return true
	}
	if v.Op == nil || !v.Op.Code.IsElementwise() || v.Op.Code.Effect() > tile.Pure || g.plan.isOutlined(v.Op) || len(v.Op.Results) != 1 || g.uses(body, v) != 1 {
		return false
	}
	for _, a := range v.Op.Args {
		if g.onlyThrough(body, a, arg) {
			return true
		}
	}
	return false
}

func (g *generator) uses(b *tile.Block, v *tile.Value) int {
	n := 0
	b.Walk(func(op *tile.Op) {
		for _, a := range op.Args {
			if a == v {
				n++
			}
		}
	})
	return n
}

// positive reports whether an integer is known to be above 0.
func positive(v *tile.Value) bool {
	if v.Op == nil {
		return false
	}
	switch v.Op.Code {
	case tile.OpConst:
		return signExtend(v.Op.Attr.(tile.ConstAttr).Bits, v.Type.ElemBits()) > 0
	case tile.OpNumPrograms:
		return true
	case tile.OpMul:
		return positive(v.Op.Args[0]) && positive(v.Op.Args[1])
	}
	return false
}

// branch compiles OpIf.
func (g *generator) branch(op *tile.Op) {
	x := g.straight()
	cond := x.asGPR(x.imported(op.Args[0]))
	c := g.carryOf(op.Results)
	els, end := g.label(), g.label()
	g.op3(amd64.TESTL, cond, cond, none, 0)
	g.jcc(amd64.CCE, els)
	g.block(op.Regions[0])
	c.take(g, op.Regions[0].Terminator().Args, nil)
	g.jmp(end)
	g.bind(els)
	g.block(op.Regions[1])
	c.take(g, op.Regions[1].Terminator().Args, nil)
	g.bind(end)
	c.bind(g, op.Results)
}
