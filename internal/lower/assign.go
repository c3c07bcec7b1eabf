package lower

import (
	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Homes: in which view a tile is best held. Memory decides first: loads and stores of one shape agree on one view, in which
// accesses are wide and coalesced. From there homes spread to what is computed from a tile, then to what it is computed
// from; what is left takes a view that only depends on its shape.

// assign gives the values of a block and its regions their homes.
func (l *lowerer) assign(b *tile.Block) {
	l.forward(b)
	l.backward(b)
}

func (l *lowerer) forward(b *tile.Block) {
	for _, op := range b.Ops {
		switch op.Code {
		case tile.OpFor:
			l.forwardLoop(op)
		case tile.OpWhile:
			l.forwardWhile(op)
		case tile.OpIf:
			for _, r := range op.Regions {
				l.forward(r)
			}
			for i, v := range op.Results {
				l.prefer(v, l.homes[op.Regions[0].Terminator().Args[i].ID])
				l.prefer(v, l.homes[op.Regions[1].Terminator().Args[i].ID])
			}
		default:
			for i, v := range op.Results {
				if v.Type.IsTile() {
					l.prefer(v, l.homeOf(op, i))
				}
			}
		}
	}
}

// prefer sets a value's home if it has none.
func (l *lowerer) prefer(v *tile.Value, home *view) {
	if home != nil && v.Type.IsTile() && l.homes[v.ID] == nil {
		l.homes[v.ID] = home
	}
}

// forwardLoop finds out what the body gives before it decides where what it carries is at home.
func (l *lowerer) forwardLoop(op *tile.Op) {
	body := op.Regions[0]
	carried, inits, yields := body.Args[1:], op.Args[3:], body.Terminator().Args
	for i, v := range carried {
		if y := yields[i].Op; y != nil && y.Code == tile.OpDot { // brought there once, rather than in each iteration
			l.prefer(v, l.productOf(y).view)
		}
		l.prefer(v, l.homes[inits[i].ID])
	}
	l.forward(body)
	news := false
	for i, v := range carried {
		before := l.homes[v.ID]
		l.prefer(v, l.homes[yields[i].ID])
		news = news || l.homes[v.ID] != before
	}
	if news {
		l.forward(body) // what depends on what has been found now
	}
	for i, v := range op.Results {
		l.prefer(v, l.homes[carried[i].ID])
	}
}

func (l *lowerer) forwardWhile(op *tile.Op) {
	before, after := op.Regions[0], op.Regions[1]
	for i, v := range before.Args {
		l.prefer(v, l.homes[op.Args[i].ID])
	}
	for news := true; news; {
		news = false
		l.forward(before)
		for i, v := range after.Args {
			l.prefer(v, l.homes[before.Terminator().Args[i+1].ID])
		}
		l.forward(after)
		for i, v := range before.Args {
			had := l.homes[v.ID]
			l.prefer(v, l.homes[after.Terminator().Args[i].ID])
			news = news || l.homes[v.ID] != had
		}
	}
	for i, v := range op.Results {
		l.prefer(v, l.homes[before.Terminator().Args[i+1].ID])
	}
}

// homeOf gives the home that follows from an operation's operands, or nil.
func (l *lowerer) homeOf(op *tile.Op, i int) *view {
	arg := func(i int) *view { return l.homes[op.Args[i].ID] }
	t := op.Results[i].Type
	switch op.Code {
	case tile.OpConst, tile.OpRange, tile.OpSplat, tile.OpBroadcast, tile.OpHistogram:
		return nil
	case tile.OpLoad, tile.OpAtomicRMW, tile.OpAtomicCAS, tile.OpAtomicLoad, tile.OpAtomicPoll:
		if l.scattered(op.Args[0]) {
			return l.firstHome(op.Args)
		}
		return l.memoryView(op.Args[0], at(op.Args, 1))
	case tile.OpReshape, tile.OpExpandDims, tile.OpHint:
		return arg(0)
	case tile.OpTrans:
		if arg(0) == nil {
			return nil
		}
		return l.mapped(arg(0), forwardTrans(op.Args[0].Type, op.Attr.(tile.PermAttr)))
	case tile.OpSplit:
		if arg(0) == nil {
			return nil
		}
		half := l.mapped(arg(0), func(e uint32) uint32 { return e >> 1 })
		half, _ = l.distinct(half)
		return half
	case tile.OpJoin:
		if h := l.firstHome(op.Args); h != nil {
			return l.grown(h, 1)
		}
		return nil
	case tile.OpCat:
		if h := l.firstHome(op.Args); h != nil {
			axis := op.Attr.(tile.AxisAttr).Axis
			return l.grown(h, 1<<(lowBit(t, axis)+t.LogDim(axis)-1))
		}
		return nil
	case tile.OpGather:
		return arg(1)
	case tile.OpReduce:
		if h := l.firstHome(op.Args); h != nil {
			keep := ^dimBits(op.Args[0].Type, op.Attr.(tile.AxisAttr).Axis)
			slice := l.mapped(h, func(e uint32) uint32 { return layout.Extract(e, keep) })
			slice, _ = l.distinct(slice)
			return slice
		}
		return nil
	case tile.OpScan:
		a := op.Attr.(tile.ScanAttr)
		return l.scanView(t, a.Axis, a.Reverse)
	case tile.OpDot:
		return l.productOf(op).view
	}
	return l.firstHome(op.Args)
}

// firstHome gives the home of the first operand that has one; rather one in which no threads hold the same.
func (l *lowerer) firstHome(args []*tile.Value) *view {
	var found *view
	for _, a := range args {
		h := l.homes[a.ID]
		if h == nil || !a.Type.IsTile() {
			continue
		}
		if found == nil || replicates(found) && !replicates(h) {
			found = h
		}
	}
	return found
}

func replicates(v *view) bool {
	for _, list := range [...][]uint32{v.lane, v.warp} {
		for _, x := range list {
			if x == 0 {
				return true
			}
		}
	}
	return false
}

// grown gives the view of a tile with one bit more in its element numbers: threads that held the same take a half each, or there are twice
// as many registers.
func (l *lowerer) grown(h *view, bit uint32) *view {
	insert := func(e uint32) uint32 { return layout.Deposit(e, ^bit) }
	g := *l.mapped(h, insert)
	g.lane, g.warp = append([]uint32(nil), g.lane...), append([]uint32(nil), g.warp...)
	for _, list := range [...][]uint32{g.lane, g.warp} {
		for i, x := range list {
			if x == 0 {
				list[i] = bit
				return l.intern(g)
			}
		}
	}
	g.regs = append([]uint32{bit}, g.regs...)
	return l.intern(g)
}

// forwardTrans maps numbers of a tile's elements to those of the transposed tile.
func forwardTrans(from tile.Type, p tile.PermAttr) func(uint32) uint32 {
	back := transBits(from, p)
	return func(e uint32) uint32 {
		var out uint32
		for i := range from.LogElems() {
			if back(1<<i)&e != 0 {
				out |= 1 << i
			}
		}
		return out
	}
}

// backward gives homes to operands of what has a home.
func (l *lowerer) backward(b *tile.Block) {
	for i := len(b.Ops) - 1; i >= 0; i-- {
		op := b.Ops[i]
		l.backwardInto(op)
		for j := len(op.Regions) - 1; j >= 0; j-- {
			l.backward(op.Regions[j])
		}
	}
}

func (l *lowerer) backwardInto(op *tile.Op) {
	switch op.Code {
	case tile.OpStore, tile.OpAtomicStore:
		if op.Args[0].Type.IsTile() {
			home := l.memoryView(op.Args[0], at(op.Args, 2))
			if l.scattered(op.Args[0]) {
				if h := l.firstHome(op.Args); h != nil {
					home = h
				}
			}
			for _, a := range op.Args {
				l.prefer(a, home)
			}
		}
	case tile.OpFor:
		l.preferAll(op.Regions[0].Terminator().Args, op.Results)
		l.preferAll(op.Regions[0].Args[1:], op.Results)
		l.preferAll(op.Args[3:], op.Regions[0].Args[1:])
	case tile.OpIf:
		l.preferAll(op.Regions[0].Terminator().Args, op.Results)
		l.preferAll(op.Regions[1].Terminator().Args, op.Results)
	case tile.OpReshape, tile.OpExpandDims, tile.OpHint:
		l.prefer(op.Args[0], l.homes[op.Results[0].ID])
	case tile.OpTrans:
		if h := l.homes[op.Results[0].ID]; h != nil {
			l.prefer(op.Args[0], l.mapped(h, transBits(op.Args[0].Type, op.Attr.(tile.PermAttr))))
		}
	case tile.OpBroadcast:
		if h := l.homes[op.Results[0].ID]; h != nil {
			slice, _ := l.distinct(l.mapped(h, broadcastBits(op.Args[0].Type, op.Results[0].Type)))
			l.prefer(op.Args[0], slice)
		}
	case tile.OpGather:
		l.prefer(op.Args[1], l.homes[op.Results[0].ID])
	case tile.OpDot:
		l.prefer(op.Args[2], l.homes[op.Results[0].ID])
	case tile.OpReduce, tile.OpMap:
		if h := l.firstHome(op.Args); h != nil {
			for _, a := range op.Args {
				l.prefer(a, h)
			}
		}
	default:
		if !op.Code.IsElementwise() {
			return
		}
		h := l.firstHome(op.Results)
		if h == nil {
			h = l.firstHome(op.Args)
		}
		for _, a := range op.Args {
			l.prefer(a, h)
		}
	}
}

func (l *lowerer) preferAll(vals, like []*tile.Value) {
	for i, v := range vals {
		l.prefer(v, l.homes[like[i].ID])
	}
}

// home gives a tile's home.
func (l *lowerer) home(v *tile.Value) *view {
	if h := l.homes[v.ID]; h != nil {
		return h
	}
	h := l.defaultView(v.Type)
	l.homes[v.ID] = h
	return h
}

// defaultView gives the view of tiles that nothing else decides on.
func (l *lowerer) defaultView(t tile.Type) *view {
	shape := t.Shape()
	near := make([]int, len(shape))
	for d := range near {
		near[d] = 1
	}
	near[len(near)-1] = shape[len(shape)-1]
	lay := layout.Coalesced(shape, near, near, max(32, t.ElemBits()), l.o.WarpSize, l.o.Warps)
	return l.ofLayout(&lay)
}

// scattered reports whether nothing is known of where pointers point, so that no view is better than another.
func (l *lowerer) scattered(ptr *tile.Value) bool {
	info := l.axes.Of(ptr)
	for d := range ptr.Type.Rank() {
		if info.Contiguity(d) > 1 {
			return false
		}
	}
	return true
}

// memoryView gives the view in which memory is best read or written through pointers. All accesses of one shape whose fastest dimension is the
// same use vectors of as many elements.
func (l *lowerer) memoryView(ptr, mask *tile.Value) *view {
	t := ptr.Type
	info := l.axes.Of(ptr)
	shape := t.Shape()
	contiguity, aligned := make([]int, len(shape)), make([]int, len(shape))
	for d := range shape {
		contiguity[d], aligned[d] = info.Contiguity(d), info.AlignedRun(d)
	}
	fast := layout.FastestFirst(contiguity)[0]
	if n := l.vectorFor(t, fast); n > 0 {
		aligned[fast] = n
		contiguity[fast] = max(contiguity[fast], n)
	}
	elem := max(8, min(t.Pointee().ElemBits(), 8*maxAccess/max(1, aligned[fast])))
	lay := layout.Coalesced(shape, contiguity, aligned, elem, l.o.WarpSize, l.o.Warps)
	return l.ofLayout(&lay)
}

// vectorFor gives how many elements accesses of a shape along a dimension move: as many as is known to be possible for one of them, but of the
// widest type not more than one access can move. Lanes whose elements were not next to each other would fill parts of sectors.
func (l *lowerer) vectorFor(t tile.Type, fast int) int {
	if l.wide == nil {
		l.wide = map[wideKey]vectors{}
		l.f.Body.Walk(l.noteVectors)
	}
	v := l.wide[wideKey{t.WithElem(tile.I1), fast}]
	return min(v.run, maxAccess/max(1, v.size))
}

// noteVectors notes what an access can move.
func (l *lowerer) noteVectors(op *tile.Op) {
	if op.Code != tile.OpLoad && op.Code != tile.OpStore || !op.Args[0].Type.IsTile() {
		return
	}
	ptr, mask := op.Args[0], at(op.Args, 1)
	if op.Code == tile.OpStore {
		mask = at(op.Args, 2)
	}
	info := l.axes.Of(ptr)
	contiguity := make([]int, ptr.Type.Rank())
	for d := range contiguity {
		contiguity[d] = info.Contiguity(d)
	}
	d := layout.FastestFirst(contiguity)[0]
	k := wideKey{ptr.Type.WithElem(tile.I1), d}
	v := l.wide[k]
	size := ptr.Type.Pointee().ElemBytes()
	v.run = max(v.run, l.maskRun(mask, d, min(info.AlignedRun(d), max(1, maxAccess/size))))
	if contiguity[d] > 1 {
		v.size = max(v.size, size)
	}
	l.wide[k] = v
}

// A wideKey is a shape and a dimension.
type wideKey struct {
	shape tile.Type
	fast  int
}

// vectors are what accesses of a shape along a dimension can move.
type vectors struct {
	run  int // elements, of one of them
	size int // bytes of the widest element
}
