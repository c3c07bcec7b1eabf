package native

import "github.com/tegula-lang/tegula/internal/tile"

// The parts of random kernels that are more than operations on tiles: loops, branches, memory, and what works along an axis.

func isIntScalar(t tile.Type) bool { return t == tile.Scalar(tile.I32) }

func (g *grower) structure() {
	kind := g.draw(14, "structure")
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
	case 9:
		g.write()
	case 10:
		g.dotOf()
	case 11:
		g.argmaxOf()
	case 12:
		g.histogramOf()
	case 13:
		g.reshaped()
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
	index := x.Type.WithElem([]tile.Elem{tile.I32, tile.I64, tile.I16, tile.I8}[g.draw(4, "index")])
	axis := g.draw(x.Type.Rank(), "axis")
	i := g.like(index)
	if i == nil || x.Type.Dim(axis) > 128 {
		index = x.Type.WithElem(tile.I32)
		i = g.offsets(index)
	}
	g.add(g.Gather(x, g.Binary(tile.OpAnd, i, g.Const(index, uint64(x.Type.Dim(axis)-1))), axis))
}

var atomicKinds = []tile.Atomic{tile.AtomicAdd, tile.AtomicAnd, tile.AtomicOr, tile.AtomicXor, tile.AtomicMaxS, tile.AtomicMinU, tile.AtomicXchg}

// atomicOf works on one of the counters; those of floats, whose NaNs are open, take numbers alone.
func (g *grower) atomicOf() {
	count := g.counts[g.draw(len(g.counts), "counter")]
	e := count.Type.Pointee()
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
	kind := atomicKinds[g.draw(len(atomicKinds), "kind")]
	switch {
	case e.IsFloat():
		kind = []tile.Atomic{tile.AtomicFAdd, tile.AtomicFMax, tile.AtomicFMin, tile.AtomicXchg}[g.draw(4, "float kind")]
		small := g.Binary(tile.OpAnd, v, g.Const(v.Type, 31))
		v = g.Cast(tile.OpSToF, small, e)
	case e.ElemBits() == 64:
		v = g.Cast(tile.OpExtS, v, e)
	case e.ElemBits() < 32:
		v = g.Cast(tile.OpTrunc, v, e)
	}
	g.add(g.AtomicRMW(g.AddPtr(g.Splat(count, v.Type), off), v, mask, tile.AtomicAttr{Kind: kind}))
}

// write stores integers to a table, which other operations read: their order must be kept. (Which NaN a float operation gives is open.)
func (g *grower) write() {
	table := g.tables[g.draw(len(g.tables), "table")]
	v := g.pick(func(t tile.Type) bool {
		return isIntTile(t) && t.Scalar() == table.Type.Pointee() && t.NumElems() <= 1024
	})
	if v == nil {
		return
	}
	off := g.offsets(v.Type.WithElem(tile.I32))
	if g.draw(2, "step") == 0 {
		off = g.Binary(tile.OpMul, off, g.Const(off.Type, 3))
	}
	off = g.Binary(tile.OpAdd, off, g.Splat(g.n, off.Type))
	g.Store(g.AddPtr(g.Splat(table, v.Type), off), v, g.like(v.Type.WithElem(tile.I1)), tile.StoreAttr{})
}

// dotOf multiplies matrices of bytes: products and sums are exact in all types.
func (g *grower) dotOf() {
	byteTile := func(rows, cols int) *tile.Value {
		t, _ := tile.Scalar(tile.I32).WithShape(1<<rows, 1<<cols)
		v := g.like(t)
		if v == nil {
			v = g.Binary(tile.OpMul, g.offsets(t), g.Const(t, 37))
		}
		return g.Cast(tile.OpTrunc, v, tile.Scalar(tile.I8))
	}
	m, n, k := g.draw(5, "m"), g.draw(6, "n"), g.draw(5, "k")
	a, b := byteTile(m, k), byteTile(k, n)
	acc := []tile.Elem{tile.I32, tile.F32, tile.F64}[g.draw(3, "acc")]
	t, _ := tile.Scalar(acc).WithShape(1<<m, 1<<n)
	attr := tile.DotAttr{Unsigned: g.draw(2, "unsigned") == 0}
	if acc != tile.I32 {
		in := []tile.Elem{tile.BF16, tile.F32}[g.draw(2, "in")]
		if acc == tile.F64 {
			in = tile.F64
		}
		a, b = g.Cast(tile.OpSToF, a, tile.Scalar(in)), g.Cast(tile.OpSToF, b, tile.Scalar(in))
		attr = tile.DotAttr{}
	}
	g.add(g.Dot(a, b, g.Const(t, 0), attr))
}

// argmaxOf finds the largest element of an axis and where it is, the first of equal ones.
func (g *grower) argmaxOf() {
	x := g.pick(isIntTile)
	if x == nil {
		return
	}
	i32 := tile.Scalar(tile.I32)
	e := x.Type.Scalar()
	region := g.NewBlock(e, i32, e, i32)
	outer := g.SetBlock(region)
	a := region.Args
	left := g.CmpI(tile.GTS, a[0], a[2])
	same, first := g.CmpI(tile.EQ, a[0], a[2]), g.CmpI(tile.LTS, a[1], a[3])
	left = g.Binary(tile.OpOr, left, g.Binary(tile.OpAnd, same, first))
	g.Yield(g.Select(left, a[0], a[2]), g.Select(left, a[1], a[3]))
	g.SetBlock(outer)
	axis := g.draw(x.Type.Rank(), "axis")
	index := g.offsets(x.Type.WithElem(tile.I32))
	t := x.Type.DropDim(axis)
	op := g.OpWithRegions(tile.OpReduce, tile.AxisAttr{Axis: axis}, []*tile.Value{x, index}, []*tile.Block{region}, t, t.WithElem(tile.I32))
	for _, v := range op.Results {
		if t.IsTile() || isIntScalar(v.Type) {
			g.add(v)
		}
	}
}

func (g *grower) histogramOf() {
	v := g.pick(func(t tile.Type) bool { return t.Rank() == 1 && t.IsInt() && t.Elem() == tile.I32 })
	if v == nil {
		return
	}
	bins, _ := tile.Scalar(tile.I32).WithShape(1 << g.draw(7, "bins"))
	small := g.Binary(tile.OpAnd, v, g.Const(v.Type, 127))
	args := []*tile.Value{small}
	if mask := g.like(v.Type.WithElem(tile.I1)); mask != nil {
		args = append(args, mask)
	}
	g.add(g.Op(tile.OpHistogram, nil, args, bins).Results[0])
}

// reshaped takes a tile to another shape, and apart.
func (g *grower) reshaped() {
	x := g.pick(tile.Type.IsTile)
	flat, _ := x.Type.Scalar().WithShape(x.Type.NumElems())
	if x.Type.Rank() != 1 {
		g.add(g.Reshape(x, flat, false))
		return
	}
	if x.Type.NumElems() < 4 {
		return
	}
	rows := 1 + g.draw(x.Type.LogElems()-1, "rows")
	t, _ := x.Type.Scalar().WithShape(1<<rows, x.Type.NumElems()>>rows)
	y := g.add(g.Reshape(x, t, false))
	if t.Dim(1) == 2 {
		lo, hi := g.Split(y)
		g.add(lo)
		g.add(hi)
	}
}
