package lower

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Products that groups of four warps do together, out of shared memory. An instruction only begins; its sum is pending until it is waited for,
// which is done when somebody needs it for anything else than a further sum. A loop that only adds to a sum never waits for its last
// instruction: the sum flows from iteration to iteration.

// inGroups reports whether warp groups do a product.
func (p *product) inGroups() bool { return p.groups[0] > 0 }

// tiled reports whether matrix instructions read operand i out of shared memory, in the order that they prescribe.
func (p *product) tiled(i int) bool { return p.inGroups() && !(p.loaded && i == p.left) }

// groupInstruction decides whether warp groups do a product: if there are rows and columns enough for all groups. As many as possible are
// along rows: then the instructions have the most columns, and read the least of shared memory for each.
func (l *lowerer) groupInstruction(op *tile.Op, p *product) bool {
	groups := l.o.Warps / lir.GroupWarps
	if l.o.Warps%lir.GroupWarps != 0 || l.o.WarpSize != 32 || p.m < lir.GroupRows {
		return false
	}
	for _, c := range candidates(op, p.sum) {
		info := c.mma.Info()
		if !l.o.Can.GroupMMA.Has(c.mma) || p.k < info.K {
			continue
		}
		left, loaded := l.leftOperand(op, p, info)
		rows, cols := p.m, p.n
		if left == 1 {
			rows, cols = cols, rows
		}
		along := min(groups, rows/lir.GroupRows)
		across := groups / along
		x := layout.MMA{M: info.M, N: info.N, K: info.K, ElemBits: info.Bits}
		if width := cols / across * info.Bits / 8; across > 1 && width < rowBytes { // a group's part of B is whole rows
			return false
		}
		d, err := x.Groups(p.batch, rows, cols, p.k, along, across)
		if err != nil {
			continue
		}
		if left == 1 {
			d.B = d.A.Permute(layout.TransposedBits([]int{p.batch, rows, p.k}, []int{0, 2, 1}))
			d.C = d.C.Permute(layout.TransposedBits([]int{p.batch, rows, cols}, []int{0, 2, 1}))
		}
		p.hasMMA, p.mma, p.elems, p.layouts = true, c.mma, c.elems, d
		p.groups, p.rows, p.cols, p.left, p.loaded = [2]int{along, across}, rows, cols, left, loaded
		p.view = l.ofLayout(&d.C)
		return true
	}
	return false
}

// leftOperand chooses the operand whose rows or columns are the rows of what warp groups multiply, and whether it is loaded into registers. Elements of
// 32 bits lie along k in shared memory, but in registers they need not have: an operand that lies across k in memory is the left one, and the
// product is that of the transposed matrices if it is the second. Of two the larger one is, as the other has to be turned.
func (l *lowerer) leftOperand(op *tile.Op, p *product, info lir.MMAInfo) (left int, loaded bool) {
	across := func(i, low, size int) bool {
		home := l.likelyHome(op.Args[i])
		return home != nil && len(home.regs) > 0 && home.regs[0]>>low&uint32(size-1) != 0
	}
	if info.Bits != 32 {
		return 0, false
	}
	first, second := across(0, log2(p.k), p.m), p.n >= lir.GroupRows && across(1, 0, p.n)
	if second && (!first || p.n >= p.m) {
		return 1, true
	}
	return 0, first
}

// likelyHome gives a tile's home, or that which it will have if it comes from memory.
func (l *lowerer) likelyHome(v *tile.Value) *view {
	if h := l.homes[v.ID]; h != nil || v.Op == nil {
		return h
	}
	switch v.Op.Code {
	case tile.OpLoad:
		return l.homeOf(v.Op, 0)
	case tile.OpTrans:
		if h := l.likelyHome(v.Op.Args[0]); h != nil {
			return l.mapped(h, forwardTrans(v.Op.Args[0].Type, v.Op.Attr.(tile.PermAttr)))
		}
	case tile.OpReshape, tile.OpExpandDims, tile.OpHint:
		return l.likelyHome(v.Op.Args[0])
	}
	return nil
}

// The bytes of the widest and of the narrowest row of shared memory that is swizzled.
const (
	rowBytes = 128
	leastRow = 32
)

// groupStage plans how operand i lies in shared memory: in the order of the registers that come there, so that they are written in wide vectors; other
// types than those of 16 bits have to lie along k.
func (l *lowerer) groupStage(p *product, i int, t tile.Type, home *view) *staged {
	elem := p.elems[i]
	logK, low, outer := log2(p.k), 0, p.m
	if i == 1 {
		low, outer = log2(p.n), p.n
	}
	kBits := uint32(p.k-1) << low
	alongK := elem.Bits() != 16 || outer*2 < leastRow
	for _, list := range [...][]uint32{home.regs, home.lane} {
		if len(list) > 0 && !alongK {
			alongK = list[0]&kBits != 0
			break
		}
	}
	s := &staged{typ: l.typeOf(tile.Scalar(elem)), tile: lir.GroupTile{Rows: p.k, Columns: outer}}
	if alongK {
		s.tile = lir.GroupTile{Rows: outer, Columns: p.k, AlongK: true}
	}
	s.tile.Swizzle = min(rowBytes, s.tile.Columns*elem.Bits()/8)
	order := layout.Swizzled(s.tile.Rows, s.tile.Columns, elem.Bits(), s.tile.Swizzle)
	// The element's number with its row and column as they are stored.
	columns := make([]uint64, t.LogElems())
	for bit := range columns {
		number := uint64(1) << bit
		switch logOuter := log2(outer); {
		case bit >= logK+logOuter: // another matrix of the batch
			columns[bit] = number
			continue
		case alongK == (i == 0): // as they are
		case bit < log2(t.Dim(t.Rank()-1)):
			number <<= log2(t.Dim(t.Rank() - 2))
		default:
			number >>= log2(t.Dim(t.Rank() - 1))
		}
		columns[bit] = order.Apply(number)
	}
	m := layout.NewMatrix(t.LogElems(), columns...)
	s.offset = &m
	return s
}

// turnedView gives the view in which elements of 32 bits are copied that are next to each other in memory across k and in shared memory along k; nil
// if they are not so. Of a warp's lanes eight read a sector of memory, of four rows, and they write to all banks.
func (l *lowerer) turnedView(p *product, i int, t tile.Type, home *view) *view {
	k, outer := bitsOf(uint32(p.k-1)<<log2(p.n)), bitsOf(uint32(p.n-1))
	if i == 0 {
		k, outer = bitsOf(uint32(p.k-1)), bitsOf(uint32(p.m-1)<<log2(p.k))
	}
	if p.elems[i].Bits() != 32 || len(home.regs) == 0 || len(k) < 2 || len(outer) < 3 || home.regs[0] != outer[0] {
		return nil
	}
	batch := bitsOf(uint32(t.NumElems()-1) &^ uint32(t.NumElems()/p.batch-1))
	rest := slices.Concat(outer[3:], k[2:], batch)
	warps := log2(l.o.Warps)
	if len(rest) < warps {
		return nil
	}
	return l.intern(view{lane: slices.Concat(k[:2], outer[:3]), warp: rest[:warps:warps], regs: rest[warps:]})
}

// groupOperand gives operand i in shared memory.
func (l *lowerer) groupOperand(op *tile.Op, i int, p *product) *staged {
	if c := l.ahead[argument{op, i}]; c != nil {
		return c.s
	}
	v := op.Args[i]
	home, _ := l.distinct(l.home(v))
	plan := l.groupStage(p, i, v.Type, home)
	bring := func(vals []*lir.Value) []*lir.Value { return l.broughtAll(op, i, p, vals) }
	return l.staged(stageKey{v: v, elem: p.elems[i], tile: plan.tile, i: i}, bring, func(*view) *staged { return plan })
}

// broughtAll gives an operand's elements in the type in which they are multiplied.
func (l *lowerer) broughtAll(op *tile.Op, i int, p *product, vals []*lir.Value) []*lir.Value {
	out := make([]*lir.Value, len(vals))
	for r, x := range vals {
		out[r] = l.brought(x, op.Args[i].Type.Elem(), p.elems[i], op.Attr.(tile.DotAttr).Unsigned)
	}
	return out
}

// dotInGroups lowers a dot that warp groups do.
func (l *lowerer) dotInGroups(op *tile.Op, p *product) {
	if d := l.lateDots[op]; d != nil {
		d.prepare(l)
		return
	}
	l.beginDot(op, p)
	if l.pipeline != nil {
		l.pipeline.hasBegun(l, op)
	}
}

// beginDot begins a dot, and ends it if its sum is not what instructions give.
func (l *lowerer) beginDot(op *tile.Op, p *product) {
	result := op.Results[0]
	if p.loaded {
		l.set(result, held{in: p.view, regs: l.multiplyLoaded(op, p)})
		l.pend(result)
		return
	}
	words := l.wordsOfA(op, p)
	var a *staged
	if words == nil {
		a = l.groupOperand(op, 0, p)
	}
	b := l.groupOperand(op, 1, p)
	if n := l.impreciseK(op, p); n > 0 {
		l.setSum(result, p, l.dotInParts(op, p, n, words, a, b))
		return
	}
	l.set(result, held{in: p.view, regs: l.beginProduct(p, words, a, b, l.sumsBefore(op.Args[2], p))})
	l.pend(result)
	if result.Type.Elem() != tile.F32 && result.Type.Elem() != tile.I32 {
		l.settle()
		l.setSum(result, p, l.vals[result.ID].regs)
	}
}

// beginProduct begins a whole product.
func (l *lowerer) beginProduct(p *product, words []*lir.Value, a, b *staged, sums []*lir.Value) []*lir.Value {
	var out []*lir.Value
	for batch := range p.batch {
		g := groupProduct{product: p, batch: batch, rows: p.blocks(), columns: p.cols / p.groups[1], k: p.k, a: a, b: b}
		out = append(out, l.multiplyGroups(g, share(words, batch, p.batch), share(sums, batch, p.batch))...)
	}
	return out
}

// instructions gives how many instructions a product is begun in.
func (p *product) instructions() int {
	if p.loaded {
		return p.batch * p.blocks() * p.k / p.mma.Info().K
	}
	return p.batch
}

// blocks gives how many times 64 rows of a product a warp group has.
func (p *product) blocks() int { return p.rows / (lir.GroupRows * p.groups[0]) }

// multiplyLoaded begins a whole product whose left operand is loaded into registers: step by step along k, so that a loop can load a step's words
// again as soon as the instruction that read them in the iteration before is done, while others are at work.
func (l *lowerer) multiplyLoaded(op *tile.Op, p *product) []*lir.Value {
	a, b := l.operand(op, p.left, p), l.groupOperand(op, 1-p.left, p)
	sums := slices.Clone(l.sumsBefore(op.Args[2], p))
	k := p.mma.Info().K
	parts, steps := p.batch*p.blocks(), p.k/k
	perStep := len(a.words) / (parts * steps)
	out := make([][]*lir.Value, parts)
	for step := range steps {
		for i := range parts {
			if step == 0 {
				out[i] = share(sums, i, parts)
			}
			words := l.fragment(a, (i*steps+step)*perStep, perStep)
			g := groupProduct{product: p, batch: i / p.blocks(), row: i % p.blocks(), rows: 1, columns: p.cols / p.groups[1], first: step * k, k: k, b: b}
			out[i] = l.multiplyGroups(g, words, out[i])
		}
	}
	return slices.Concat(out...)
}

// impreciseK gives how many products of 8-bit floats may be added up in the instruction's own precision, which is less than f32's; 0 if there
// is no limit.
func (l *lowerer) impreciseK(op *tile.Op, p *product) int {
	most := op.Attr.(tile.DotAttr).MaxImprecise
	if !p.elems[0].IsFP8() || most > p.k {
		return 0
	}
	info := p.mma.Info()
	return max(info.K, 1<<log2(max(1, most)))
}

// mostParts is how many sums of a thread are added up in parts at a time: more would take as many registers again.
const mostParts = 64

// dotInParts adds the products of n elements along k at a time to the sum, in f32: for 64 rows, and as many columns as few registers hold, after each
// other.
func (l *lowerer) dotInParts(op *tile.Op, p *product, n int, words []*lir.Value, a, b *staged) []*lir.Value {
	sums := l.sumsOf(op.Args[2], p)
	blocks, all := p.blocks(), p.cols/p.groups[1]
	columns := min(all, 2*mostParts)
	for i := range p.batch * blocks {
		of := share(words, i, p.batch*blocks)
		for column := 0; column < all; column += columns {
			own := share(share(sums, i, p.batch*blocks), column/columns, all/columns)
			for k := 0; k < p.k; k += n {
				g := groupProduct{product: p, batch: i / blocks, row: i % blocks, rows: 1, column: column, columns: columns, first: k, k: n, a: a, b: b}
				part := l.b.GroupWait(0, l.multiplyGroups(g, share(of, k/n, p.k/n), nil))
				for r, x := range part {
					own[r] = l.b.Pure(lir.OpFAdd, uint8(lir.Nearest), lir.F32, 0, own[r], x)
				}
			}
		}
	}
	return sums
}

// A groupProduct is what one instruction does of a product: of a matrix of the batch, some of a group's 64 rows, some of its columns, some elements along k.
type groupProduct struct {
	*product
	batch           int
	row, rows       int // in 64 rows
	column, columns int
	first, k        int
	a, b            *staged // a: nil if it is in registers
}

// share gives the registers of one matrix of a batch.
func share(vals []*lir.Value, batch, of int) []*lir.Value {
	if vals == nil {
		return nil
	}
	n := len(vals) / of
	return vals[batch*n : (batch+1)*n]
}

// wordsOfA gives the words of the left operand if the threads hold them; else nil.
func (l *lowerer) wordsOfA(op *tile.Op, p *product) []*lir.Value {
	if words := l.fixed[op]; words != nil {
		return words
	}
	w, v := l.ofLayout(&p.layouts.A), op.Args[0]
	if l.vals[v.ID].regs == nil || !l.isNear(v, w) {
		return nil
	}
	return l.packedA(op, p)
}

// packedA gives the words of A, wherever its elements are.
func (l *lowerer) packedA(op *tile.Op, p *product) []*lir.Value {
	w, v := l.ofLayout(&p.layouts.A), op.Args[0]
	perWord := max(1, 32/p.elems[0].Bits())
	vals := l.broughtAll(op, 0, p, l.eval(v, w))
	words := make([]*lir.Value, len(vals)/perWord)
	for r := range words {
		words[r] = l.packed(vals[r*perWord : (r+1)*perWord])
	}
	return words
}

// sumsBefore gives what a product is added to: nil if that is nothing. It may be pending.
func (l *lowerer) sumsBefore(c *tile.Value, p *product) []*lir.Value {
	if isZero(c) {
		return nil
	}
	if h := l.vals[c.ID]; h.in == p.view && l.isPending(c) && len(l.traits.users[c.ID]) == 1 {
		l.pending = slices.DeleteFunc(slices.Clone(l.pending), func(p pendingSum) bool { return p.v == c }) // becomes this one's
		return h.regs
	}
	return l.sumsOf(c, p)
}

// sumsOf gives a value's elements as what is added to them is held.
func (l *lowerer) sumsOf(c *tile.Value, p *product) []*lir.Value {
	sums := append([]*lir.Value(nil), l.eval(c, p.view)...)
	for i, x := range sums {
		sums[i] = l.toSum(x, c.Type.Elem(), p)
	}
	return sums
}

// multiplyGroups begins a product.
func (l *lowerer) multiplyGroups(p groupProduct, words, sums []*lir.Value) []*lir.Value {
	l.begun++
	info := p.mma.Info()
	size := info.Bits / 8
	along, across := p.groups[0], p.groups[1]
	g := lir.GroupMMA{Kind: p.mma, M: lir.GroupRows * p.rows, N: p.columns, FirstK: p.first, K: p.k, B: p.b.tile}
	mem := lir.Mem{Space: lir.Shared, Buffer: p.b.buffer, Group: p.b.group}
	mem.Offset = int64(p.batch*p.product.k*p.cols*size + p.b.tile.At(p.column, 0, size))
	addr := l.groupPlace(p.b, l.shr(l.groupIndex(), log2(along)), across, p.b.tile.At(p.cols/across, 0, size))
	if words != nil {
		return l.b.GroupMMA(g, mem, addr, nil, words, sums)
	}
	g.A, g.RowStep = p.a.tile, lir.GroupRows*along
	from := lir.Mem{Space: lir.Shared, Buffer: p.a.buffer, Group: p.a.group}
	from.Offset = int64(p.batch*p.product.rows*p.product.k*size + p.a.tile.At(p.row*g.RowStep, 0, size))
	at := l.groupPlace(p.a, l.and(l.groupIndex(), along-1), along, p.a.tile.At(lir.GroupRows, 0, size))
	return l.b.GroupMMA(g, mem, addr, &from, []*lir.Value{at}, sums)
}

// groupPlace gives where a group's part of an operand begins: of so many groups, of which each is so many bytes further than the one before.
func (l *lowerer) groupPlace(s *staged, index *lir.Value, groups, step int) *lir.Value {
	at := l.b.I32(0)
	if groups > 1 {
		at = l.b.Pure(lir.OpMul, 0, lir.I32, 0, index, l.b.I32(step))
	}
	if s.add != nil {
		at = l.b.Pure(lir.OpAdd, 0, lir.I32, 0, at, s.add)
	}
	return at
}

// groupIndex gives the number of the thread's warp group. It comes from the warp's first lane, so that a target sees that all lanes
// have the same.
func (l *lowerer) groupIndex() *lir.Value {
	if l.o.Warps == lir.GroupWarps {
		return l.b.I32(0)
	}
	if l.warpGroup == nil {
		l.b.At(0, func() {
			l.warpGroup = l.shuffle(l.shr(l.thread(), log2(lir.GroupWarps*l.o.WarpSize)), l.b.I32(0))
		})
	}
	return l.warpGroup
}

// mayPend are the operations in front of which sums need not be waited for: they make no regions in which that would be done too late for what
// follows.
var mayPend = map[tile.Code]bool{tile.OpConst: true, tile.OpDot: true, tile.OpLoad: true, tile.OpAssume: true, tile.OpFor: true, tile.OpReduce: true}

// A pendingSum is a sum that nobody has waited for, and which of all matrix instructions is the last that adds to it. They are in the
// order in which they were begun, which is that in which they are done.
type pendingSum struct {
	v    *tile.Value
	last int
}

// isPending reports whether a value is a sum that nobody has waited for.
func (l *lowerer) isPending(v *tile.Value) bool {
	for _, p := range l.pending {
		if p.v == v {
			return true
		}
	}
	return false
}

// pend says that a value's sum is pending, of an instruction that was just begun.
func (l *lowerer) pend(v *tile.Value) { l.pending = append(l.pending, pendingSum{v, l.begun}) }

// settleIf waits for a sum that is to be used, and not for what was begun after it.
func (l *lowerer) settleIf(v *tile.Value) {
	for i, p := range l.pending {
		if p.v == v {
			l.settleFirst(i+1, l.begun-p.last)
			return
		}
	}
}

// settle waits for all matrix instructions of the warp group.
func (l *lowerer) settle() {
	if n := len(l.pending); n > 0 {
		l.settleFirst(n, 0)
	}
}

// settleFirst waits for the first sums that are pending, and leaves so many instructions.
func (l *lowerer) settleFirst(n, left int) {
	if l.pipeline != nil {
		l.pipeline.beforeWait(l, l.pending[:n:n])
	}
	first := l.pending[:n:n]
	l.pending = l.pending[n:]
	var all []*lir.Value
	for _, p := range first {
		all = append(all, l.vals[p.v.ID].regs...)
	}
	all = l.b.GroupWait(left, all)
	for _, p := range first {
		h := &l.vals[p.v.ID]
		n := len(h.regs)
		h.regs, all = all[:n:n], all[n:]
	}
}

// findFlows finds the sums that a loop carries from one product to the same of the next iteration.
func (l *lowerer) findFlows(op *tile.Op, cs []carrier) {
	body := op.Regions[0]
	for i := range cs {
		c := &cs[i]
		y := body.Terminator().Args[i]
		if c.home == nil || c.local != 0 || y.Op == nil || y.Op.Code != tile.OpDot || l.traits.home[y.Op] != body || len(l.traits.users[y.ID]) != 1 {
			continue
		}
		p := l.productOf(y.Op)
		c.flows, c.sum = p.inGroups() && c.home == p.view && l.typeOf(y.Type) == p.sum && l.impreciseK(y.Op, p) == 0, y.Op
	}
}

// flowing says that what flows in may be pending. As many instructions were begun for it at least, in the order of the loop's products, and none
// after them.
func (l *lowerer) flowing(cs []carrier, vals []*tile.Value) {
	var flows []int
	for i := range cs {
		if cs[i].flows {
			flows = append(flows, i)
		}
	}
	slices.SortFunc(flows, func(i, j int) int { return l.traits.order[cs[i].sum] - l.traits.order[cs[j].sum] })
	for _, i := range flows {
		l.begun += l.productOf(cs[i].sum).instructions()
		l.pend(vals[i])
	}
}

// settleRest waits for what is pending at the end of a loop's body and does not flow on.
func (l *lowerer) settleRest(cs []carrier, yields []*tile.Value) {
	for i := len(l.pending) - 1; i >= 0; i-- {
		v := l.pending[i].v
		flows := false
		for j := range cs {
			flows = flows || cs[j].flows && yields[j] == v
		}
		if !flows {
			l.settleIf(v)
			return
		}
	}
}

// flow puts what flows on in its place among what is carried on.
func (l *lowerer) flow(cs []carrier, yields []*tile.Value, out []*lir.Value) {
	at := 0
	for i := range cs {
		c := &cs[i]
		switch {
		case c.stride != nil, c.home == nil:
			at++
		case c.local != 0:
		default:
			if c.flows {
				copy(out[at:], l.vals[yields[i].ID].regs)
			}
			at += c.home.size()
		}
	}
}
