package native

import "github.com/tegula-lang/tegula/internal/tile"

// The parts of random kernels that are more than operations on tiles: loops, branches, memory, and what works along an axis.

func isIntScalar(t tile.Type) bool { return t == tile.Scalar(tile.I32) }

func (g *grower) structure() {
	kind := g.draw(9, "structure")
	if kind < 3 && g.depth > 1 {
		kind += 3
	}
	switch kind {
	case 0:
		g.forLoop()
	case 1:
		g.whileLoop()
	case 2:
		g.branch()
	case 3:
		g.scalars()
	case 4:
		g.read()
	case 5:
		g.walk()
	case 6:
		g.scanOf()
	case 7:
		g.gatherOf()
	case 8:
		g.atomicOf()
	}
}

// inside grows a region and gives values of the wanted types to end it with.
func (g *grower) inside(b *tile.Block, want []*tile.Value, end func(vals []*tile.Value)) {
	scope, outer := len(g.scope), g.SetBlock(b)
	g.depth++
	g.scope = append(g.scope, b.Args...)
	for range g.draw(4, "ops") {
		g.grow()
	}
	vals := make([]*tile.Value, len(want))
	for i, v := range want {
		vals[i] = g.like(v.Type)
	}
	end(vals)
	g.depth--
	g.scope = g.scope[:scope]
	g.SetBlock(outer)
}

// carried picks values for a region to carry.
func (g *grower) carried() (vals []*tile.Value, types []tile.Type) {
	for range g.draw(3, "carried") + 1 {
		v := g.scope[g.draw(len(g.scope), "value")]
		vals, types = append(vals, v), append(types, v.Type)
	}
	return vals, types
}

func (g *grower) small(n int) *tile.Value {
	if g.draw(3, "known") == 0 {
		return g.n
	}
	return g.Const(tile.Scalar(tile.I32), uint64(g.draw(n, "small")))
}

func (g *grower) forLoop() {
	vals, types := g.carried()
	bounds := []*tile.Value{g.small(3), g.small(6), g.Const(tile.Scalar(tile.I32), uint64(g.draw(2, "step")+1))}
	b := g.NewBlock(append([]tile.Type{tile.Scalar(tile.I32)}, types...)...)
	g.inside(b, vals, func(next []*tile.Value) {
		for i, v := range next { // often one that goes up by a constant
			if v.Type.IsInt() && v.Type.IsTile() && !v.Type.IsBool() && g.draw(2, "goes up") == 0 {
				next[i] = g.Binary(tile.OpAdd, b.Args[1+i], g.Const(v.Type, uint64(g.draw(9, "by"))))
			}
		}
		g.Yield(next...)
	})
	op := g.OpWithRegions(tile.OpFor, tile.ForAttr{}, append(bounds, vals...), []*tile.Block{b}, types...)
	g.scope = append(g.scope, op.Results...)
}

func (g *grower) whileLoop() {
	vals, types := g.carried()
	i32 := tile.Scalar(tile.I32)
	types = append([]tile.Type{i32}, types...)
	vals = append([]*tile.Value{g.small(3)}, vals...)
	test, body := g.NewBlock(types...), g.NewBlock(types...)
	limit := g.small(5)
	g.inside(test, vals[1:], func(next []*tile.Value) {
		more := g.CmpI(tile.LTS, test.Args[0], limit)
		g.Op(tile.OpCondition, nil, append([]*tile.Value{more, test.Args[0]}, next...))
	})
	g.inside(body, vals[1:], func(next []*tile.Value) {
		g.Yield(append([]*tile.Value{g.Binary(tile.OpAdd, body.Args[0], g.Const(i32, 1))}, next...)...)
	})
	op := g.OpWithRegions(tile.OpWhile, nil, vals, []*tile.Block{test, body}, types...)
	g.scope = append(g.scope, op.Results...)
}

func (g *grower) branch() {
	vals, types := g.carried()
	cond := g.CmpI(tile.CmpI(g.draw(10, "pred")), g.pick(isIntScalar), g.small(4))
	then, els := g.NewBlock(), g.NewBlock()
	for _, b := range []*tile.Block{then, els} {
		g.inside(b, vals, func(next []*tile.Value) { g.Yield(next...) })
	}
	op := g.OpWithRegions(tile.OpIf, nil, []*tile.Value{cond}, []*tile.Block{then, els}, types...)
	g.scope = append(g.scope, op.Results...)
}

func (g *grower) scalars() {
	x := g.pick(isIntScalar)
	y := g.add(g.Binary(intCodes[g.draw(len(intCodes), "code")], x, g.pick(isIntScalar)))
	if v := g.pick(func(t tile.Type) bool { return t.IsTile() && t.Elem() == tile.I32 && !t.IsPtr() }); v != nil {
		g.add(g.Binary(intCodes[g.draw(len(intCodes), "code")], v, g.Splat(y, v.Type)))
	}
}

// shape gives the type of a new tile.
func (g *grower) shape(e tile.Elem) tile.Type {
	s, _ := tile.Scalar(e).WithShape(1 << g.draw(7, "log"))
	if g.draw(2, "rank") == 1 {
		s, _ = tile.Scalar(e).WithShape(1<<g.draw(4, "log"), 1<<g.draw(5, "log"))
	}
	return s
}

// read loads from a table: in order, with a step, or from anywhere; sometimes masked.
func (g *grower) read() {
	table := g.tables[g.draw(len(g.tables), "table")]
	e := table.Type.Pointee().Elem()
	t := g.shape(e)
	index := t.WithElem(tile.I32)
	off := g.offsets(index)
	if g.draw(3, "step") == 0 {
		off = g.Binary(tile.OpMul, off, g.Const(index, uint64(g.draw(5, "by"))))
	}
	switch {
	case g.draw(3, "anywhere") == 0:
		if v := g.like(index); v != nil {
			off = g.Binary(tile.OpAnd, v, g.Const(index, tableSize-1))
		}
	case g.draw(2, "base") == 0:
		off = g.Binary(tile.OpAdd, off, g.Splat(g.n, index))
	default:
		off = g.Binary(tile.OpAdd, off, g.Const(index, uint64(g.draw(100, "base"))))
	}
	var mask, other *tile.Value
	if g.draw(2, "masked") == 0 {
		mask = g.like(t.WithElem(tile.I1))
		if mask == nil || g.draw(2, "bound") == 0 {
			mask = g.CmpI(tile.LTS, off, g.Splat(g.pick(isIntScalar), index))
		}
		if g.draw(2, "other") == 0 {
			other = g.like(t)
		}
	}
	g.add(g.Load(g.AddPtr(g.Splat(table, t), off), mask, other, tile.LoadAttr{}))
}

// walk sums up what a pointer that goes along a table finds.
func (g *grower) walk() {
	table := g.tables[g.draw(len(g.tables), "table")]
	t := g.shape(table.Type.Pointee().Elem())
	ptrs := g.AddPtr(g.Splat(table, t), g.offsets(t))
	first := g.Load(ptrs, nil, nil, tile.LoadAttr{})
	i32 := tile.Scalar(tile.I32)
	b := g.NewBlock(i32, ptrs.Type, t)
	outer := g.SetBlock(b)
	v := g.Load(b.Args[1], nil, nil, tile.LoadAttr{})
	var next *tile.Value
	if t.IsInt() {
		next = g.Binary(tile.OpXor, b.Args[2], v)
	} else {
		next = g.MinMaxF(tile.OpFMax, b.Args[2], v, false)
	}
	by := g.Const(t.WithElem(tile.I32), uint64(g.draw(64, "by")))
	if g.draw(2, "known") == 0 {
		by = g.Splat(g.n, t.WithElem(tile.I32))
	}
	g.Yield(g.AddPtr(b.Args[1], by), next)
	g.SetBlock(outer)
	args := []*tile.Value{g.Const(i32, 0), g.small(6), g.Const(i32, 1), ptrs, first}
	op := g.OpWithRegions(tile.OpFor, tile.ForAttr{}, args, []*tile.Block{b}, ptrs.Type, t)
	g.add(op.Results[1])
}

func (g *grower) scanOf() {
	x := g.pick(isIntTile)
	if x == nil {
		return
	}
	e := x.Type.Scalar()
	region := g.NewBlock(e, e)
	outer := g.SetBlock(region)
	g.Yield(g.Binary(reduceCodes[g.draw(len(reduceCodes), "code")], region.Args[0], region.Args[1]))
	g.SetBlock(outer)
	attr := tile.ScanAttr{Axis: g.draw(x.Type.Rank(), "axis"), Reverse: g.draw(2, "reverse") == 0}
	g.add(g.OpWithRegions(tile.OpScan, attr, []*tile.Value{x}, []*tile.Block{region}, x.Type).Results[0])
}

func (g *grower) gatherOf() {
	x := g.pick(tile.Type.IsTile)
	index := x.Type.WithElem(tile.I32)
	i := g.like(index)
	if i == nil {
		i = g.offsets(index)
	}
	axis := g.draw(x.Type.Rank(), "axis")
	g.add(g.Gather(x, g.Binary(tile.OpAnd, i, g.Const(index, uint64(x.Type.Dim(axis)-1))), axis))
}

var atomicKinds = []tile.Atomic{tile.AtomicAdd, tile.AtomicAnd, tile.AtomicOr, tile.AtomicXor, tile.AtomicMaxS, tile.AtomicMinU, tile.AtomicXchg}

func (g *grower) atomicOf() {
	v := g.pick(func(t tile.Type) bool { return t.IsTile() && t.Elem() == tile.I32 })
	if v == nil {
		return
	}
	off := g.offsets(v.Type)
	if w := g.like(v.Type); g.draw(2, "anywhere") == 0 {
		off = g.Binary(tile.OpAnd, w, g.Const(v.Type, tableSize-1))
	} else if v.Type.NumElems() > tableSize {
		return
	}
	mask := g.like(v.Type.WithElem(tile.I1))
	attr := tile.AtomicAttr{Kind: atomicKinds[g.draw(len(atomicKinds), "kind")]}
	g.add(g.AtomicRMW(g.AddPtr(g.Splat(g.count, v.Type), off), v, mask, attr))
}
