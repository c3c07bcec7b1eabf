package lower

import (
	"math/bits"
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An accessPlan says how the registers of a view are read or written: which of them together, and which addresses have to be computed.
type accessPlan struct {
	vector  int  // registers that one access moves
	inRun   int  // mask of register bits whose addresses differ by a constant
	low     int  // lowest bit of the coordinate along the dimension of the run
	size    int  // of an element, in bytes
	edge    edge // of the mask within what one access moves
	ptrView *view
	w       *view
}

// plan finds the widest accesses that the facts about pointers allow, and of the mask, that it is the same for what one access moves.
func (l *lowerer) plan(ptr, mask *tile.Value, w *view) accessPlan {
	d := l.fastest(ptr, w)
	same := l.axes.Of(ptr).AlignedRun(d)
	if mask != nil {
		same = min(same, l.axes.Of(mask).Constancy(d))
	}
	return l.planAlong(ptr, w, d, log2(same))
}

// planCut finds the widest accesses that pointers allow and that the mask has an edge in at most.
func (l *lowerer) planCut(ptr, mask *tile.Value, w *view) accessPlan {
	d := l.fastest(ptr, w)
	p := l.planAlong(ptr, w, d, log2(l.maskRun(mask, d, min(l.axes.Of(ptr).AlignedRun(d), maxAccess))))
	p.edge = never
	if mask != nil && p.vector > 1 {
		p.edge = l.edgeOf(mask, d, p.vector)
	}
	return p
}

// maxAccess is how many bytes one access moves at most.
const maxAccess = 16

// planAlong plans accesses along dimension d, of at most 1<<same elements.
func (l *lowerer) planAlong(ptr *tile.Value, w *view, d, same int) accessPlan {
	t := ptr.Type
	p := accessPlan{vector: 1, size: t.Pointee().ElemBytes(), w: w, low: lowBit(t, d)}
	runBits := uint32(1<<l.evenRun(ptr, d)-1) << p.low
	for i, x := range w.regs {
		others := w.threadBits() | w.base
		for j, y := range w.regs {
			if j != i {
				others |= y
			}
		}
		if x == 0 || x&^runBits != 0 || x&others != 0 {
			continue
		}
		p.inRun |= 1 << i
		if 1<<i == p.vector && x == 1<<(p.low+i) && i < same && 2*p.vector*p.size <= maxAccess {
			p.vector *= 2
		}
	}
	p.ptrView = l.onlyRegs(w, ^p.inRun&(w.size()-1))
	return p
}

// fastest gives the dimension along which the registers' neighbours lie in memory.
func (l *lowerer) fastest(ptr *tile.Value, w *view) int {
	info, t := l.axes.Of(ptr), ptr.Type
	dim, best := t.Rank()-1, -1
	for d := t.Rank() - 1; d >= 0; d-- {
		score := log2(info.Contiguity(d))
		if len(w.regs) > 0 && w.regs[0] != 0 && dimBits(t, d)&w.regs[0] == w.regs[0] {
			score += 32
		}
		if score > best {
			dim, best = d, score
		}
	}
	return dim
}

// evenRun gives the logarithm of the size of groups along dimension d in which pointers certainly go up by an element from one to the
// next. It says nothing of their alignment.
func (l *lowerer) evenRun(ptr *tile.Value, d int) int {
	info := l.axes.Of(ptr)
	run := log2(info.AlignedRun(d))
	op := ptr.Op
	if op == nil || op.Code != tile.OpAddPtr {
		return run
	}
	base, offset := l.axes.Of(op.Args[0]), l.axes.Of(op.Args[1])
	switch steps := op.Args[1]; {
	case offset.Constancy(d) > 1:
		return max(run, min(log2(offset.Constancy(d)), l.evenRun(op.Args[0], d)))
	case steps.Type.ElemBits() == 64:
		return max(run, min(log2(base.Constancy(d)), l.evenSteps(steps, d)))
	default: // aligned groups do not wrap around
		return max(run, log2(min(base.Constancy(d), offset.AlignedRun(d))))
	}
}

// evenSteps gives the logarithm of the size of groups along dimension d in which numbers of 64 bits certainly go up by one. Numbers that were made wider may have
// wrapped around before, where something was subtracted: of i - 3 below n, unsigned, lanes below 3 are masked off.
func (l *lowerer) evenSteps(v *tile.Value, d int) int {
	info := l.axes.Of(v)
	run, most := log2(info.AlignedRun(d)), log2(info.Contiguity(d))
	op := v.Op
	if op == nil || most <= run {
		return run
	}
	switch op.Code {
	case tile.OpRange, tile.OpHint:
		return most
	case tile.OpExtS, tile.OpExtU:
		if op.Args[0].Type.ElemBits() == 1 || !l.axes.Of(op.Args[0]).NonNegative() {
			return run
		}
		return most
	case tile.OpBroadcast:
		return max(run, min(most, l.evenSteps(op.Args[0], d)))
	case tile.OpExpandDims:
		axis := op.Attr.(tile.AxisAttr).Axis
		if d == axis {
			return run
		}
		if d > axis {
			d--
		}
		return max(run, min(most, l.evenSteps(op.Args[0], d)))
	case tile.OpAdd, tile.OpSub:
		x, y := op.Args[0], op.Args[1]
		even := min(l.evenSteps(x, d), log2(l.axes.Of(y).Constancy(d)))
		if op.Code == tile.OpAdd {
			even = max(even, min(l.evenSteps(y, d), log2(l.axes.Of(x).Constancy(d))))
		}
		return max(run, min(most, even))
	}
	return run
}

// address gives the address of register r: a value, and bytes to add.
func (p *accessPlan) address(addrs []*lir.Value, r int) (*lir.Value, int64) {
	rest := (p.w.size() - 1) &^ p.inRun
	var delta uint32
	for i, x := range p.w.regs {
		if p.inRun>>i&1 != 0 && r>>i&1 != 0 {
			delta |= x
		}
	}
	return addrs[layout.Extract(uint32(r), uint32(rest))], int64(delta>>p.low) * int64(p.size)
}

// masks gives the mask of each group of registers that one access moves; nil if there is none.
func (l *lowerer) masks(mask *tile.Value, p *accessPlan) []*lir.Value {
	if mask == nil {
		return nil
	}
	if mask.Type.IsScalar() {
		return repeat(l.scalar(mask), p.w.size()/p.vector)
	}
	return l.eval(mask, l.onlyRegs(p.w, (p.w.size()-1)&^(p.vector-1)))
}

// A groupKey tells accesses through pointers of a function, where it is called, in a view.
type groupKey struct {
	in   *traits
	ptr  *tile.Value // nil: what the first thread accesses
	view int
}

// belongs says of accesses through pointers in a view that each address belongs to one thread, if no two threads have the same element, and pointers
// point apart; and for how long.
func (l *lowerer) belongs(m *lir.Mem, ptr *tile.Value, w *view) {
	m.Group, m.Turns = 0, 0
	if replicates(w) || !l.pointsApart(ptr) {
		return
	}
	whole := *w
	whole.regs = append(append([]uint32(nil), w.regs...), w.loop...)
	whole.loop, whole.counter = nil, nil
	m.Group, m.Turns = l.group(groupKey{l.traits, ptr, l.intern(whole).id}), l.turns(ptr)
}

// belongsToFirst says that the first thread alone accesses something.
func (l *lowerer) belongsToFirst(m *lir.Mem) { m.Group = l.group(groupKey{}) }

func (l *lowerer) group(k groupKey) int {
	if l.groups[k] == 0 {
		l.groups[k] = len(l.groups) + 1
	}
	return l.groups[k]
}

// readsOnly reports whether what pointers point to does not change while the kernel runs.
func (l *lowerer) readsOnly(origin int) bool {
	return origin >= 0 && l.kernelParams && l.f.Params[origin].ReadOnly
}

func at(args []*tile.Value, i int) *tile.Value {
	if i < len(args) {
		return args[i]
	}
	return nil
}

func (l *lowerer) loadMem(op *tile.Op) lir.Mem {
	a := op.Attr.(tile.LoadAttr)
	origin := l.traits.originOf(op.Args[0])
	return lir.Mem{
		Space: lir.Global, Cache: a.Cache, Evict: a.Evict, Volatile: a.Volatile,
		Origin: l.originNumber(origin), ReadOnly: l.readsOnly(origin) && !a.Volatile,
	}
}

// originNumber gives the number that accesses carry: in an inlined function parameters are not the kernel's.
func (l *lowerer) originNumber(origin int) int {
	if origin < 0 || !l.kernelParams {
		return 0
	}
	return origin + 1
}

// load reads the elements that a view asks for.
func (l *lowerer) load(op *tile.Op, w *view) []*lir.Value {
	if better := l.detour(op, w); better != nil {
		return l.handedOver(op, l.load(op, better), better, w)
	}
	ptr, mask, other := op.Args[0], at(op.Args, 1), at(op.Args, 2)
	p := l.planCut(ptr, mask, w)
	addrs := l.eval(ptr, p.ptrView)
	var others []*lir.Value
	if other != nil {
		others = l.eval(other, w)
	}
	m := l.loadMem(op)
	l.belongs(&m, ptr, w)
	t := l.typeOf(op.Results[0].Type)
	if p.edge != never {
		return l.loadCut(m, t, &p, addrs, l.cutBy(mask, &p), others)
	}
	preds := l.masks(mask, &p)
	out := make([]*lir.Value, w.size())
	for r := 0; r < len(out); r += p.vector {
		addr, off := p.address(addrs, r)
		m.Offset = off
		copy(out[r:], l.b.Load(m, t, p.vector, addr, slot(preds, r/p.vector), part(others, r, p.vector)))
	}
	return out
}

func slot(vals []*lir.Value, i int) *lir.Value {
	if vals == nil {
		return nil
	}
	return vals[i]
}

func part(vals []*lir.Value, from, n int) []*lir.Value {
	if vals == nil || allZero(vals[from:from+n]) {
		return nil
	}
	return vals[from : from+n]
}

// allZero reports whether values are what a load gives that does not happen.
func allZero(vals []*lir.Value) bool {
	for _, v := range vals {
		if !v.IsConstBits(0) {
			return false
		}
	}
	return true
}

// loadScalar reads one value, in all threads.
func (l *lowerer) loadScalar(op *tile.Op) {
	t := l.typeOf(op.Results[0].Type)
	var mask *lir.Value
	var other []*lir.Value
	if len(op.Args) > 1 {
		mask = l.scalar(op.Args[1])
	}
	if len(op.Args) > 2 {
		other = part([]*lir.Value{l.scalar(op.Args[2])}, 0, 1)
	}
	m := l.loadMem(op)
	v := l.b.Load(m, t, 1, l.scalar(op.Args[0]), mask, other)[0]
	if m.Volatile { // another program may be writing: threads must not go different ways on what they see
		v = l.fromFirst(v)
	}
	l.setScalars(op, []*lir.Value{v})
}

// store writes a tile; each element is written by one thread.
func (l *lowerer) store(op *tile.Op) {
	ptr, val, mask := op.Args[0], op.Args[1], at(op.Args, 2)
	a := op.Attr.(tile.StoreAttr)
	m := lir.Mem{Space: lir.Global, Cache: a.Cache, Evict: a.Evict, Origin: l.originNumber(l.traits.originOf(ptr))}
	if ptr.Type.IsScalar() {
		l.belongsToFirst(&m)
		pred := l.first()
		if mask != nil {
			pred = l.both(l.scalar(mask), pred)
		}
		l.b.Store(m, l.scalar(ptr), pred, l.scalar(val))
		return
	}
	home, _ := l.distinct(l.storeView(ptr, val, mask))
	whole := l.mustWhole(val, home) || l.mustWhole(ptr, home) || l.mustWhole(mask, home)
	l.rolled(home, widest(ptr.Type.Pointee(), val.Type), whole, nil, func(w *view, _ []*lir.Value) []*lir.Value {
		p := l.planCut(ptr, mask, w)
		vals := l.eval(val, w)
		addrs := l.eval(ptr, p.ptrView)
		owner := l.owner(home)
		l.belongs(&m, ptr, w)
		if p.edge != never {
			l.storeCut(m, &p, addrs, l.cutBy(mask, &p), owner, vals)
			return nil
		}
		preds := l.masks(mask, &p)
		for r := 0; r < len(vals); r += p.vector {
			addr, off := p.address(addrs, r)
			m.Offset = off
			l.b.Store(m, addr, l.both(slot(preds, r/p.vector), owner), vals[r:r+p.vector]...)
		}
		return nil
	})
}

// widest gives the type of a tile's elements by which its registers are counted.
func widest(t, u tile.Type) tile.Type {
	if u.ElemBits() > t.ElemBits() {
		return u
	}
	return t
}

// first tells one thread of the program.
func (l *lowerer) first() *lir.Value {
	return l.b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, l.thread(), l.b.I32(0))
}

// storeView chooses how a tile is written: as memory likes it, unless the value lies otherwise and is so small that converting costs more.
func (l *lowerer) storeView(ptr, val, mask *tile.Value) *view {
	best := l.memoryView(ptr, mask)
	h := l.vals[val.ID]
	if h.regs == nil {
		if home := l.homes[val.ID]; home != nil && words(val.Type, best) > maxHeld &&
			bits.OnesCount32(home.threadBits()) == bits.OnesCount32(best.threadBits()) && (l.fillsSectors(ptr, mask, home) || l.stuck(val)) {
			return home
		}
		return best
	}
	have, _ := l.distinct(h.in)
	if have.size() <= maxScattered && have.size() <= 2*best.size() && l.planCut(ptr, mask, have).vector >= l.planCut(ptr, mask, best).vector {
		return have
	}
	if have.size() <= maxScattered/2 && best.size() <= 1 || l.fillsSectors(ptr, mask, have) {
		return have
	}
	if !l.hasRoomFor(val.Type) && l.relayed(val.Type, h.in, best) == nil {
		return have
	}
	return best
}

// hasRoomFor reports whether all of a tile can be in shared memory, on its way to other threads.
func (l *lowerer) hasRoomFor(t tile.Type) bool {
	limit := l.o.Can.SharedMax
	return limit == 0 || t.NumElems()*max(8, t.ElemBits())/8 <= limit
}

// stuck reports whether a tile is computed from one in local memory that is too large to be brought to other threads.
func (l *lowerer) stuck(v *tile.Value) bool {
	if h := &l.vals[v.ID]; h.local != 0 {
		return !l.hasRoomFor(v.Type)
	}
	if v.Op == nil || !v.Type.IsTile() || !moves(v.Op.Code) && !v.Op.Code.IsElementwise() {
		return false
	}
	return slices.ContainsFunc(v.Op.Args, l.stuck)
}

// sectorBytes is what memory moves at least.
const sectorBytes = 32

// fillsSectors reports whether what a warp moves of a view at once is made of whole sectors, or of runs so long that it does not matter where they begin.
func (l *lowerer) fillsSectors(ptr, mask *tile.Value, w *view) bool {
	aligned, run := l.runs(ptr, mask, w)
	return aligned >= sectorBytes || run >= 2*sectorBytes
}

// runs gives how many bytes a warp moves of a view next to each other: such as begin at multiples of their size, and altogether.
func (l *lowerer) runs(ptr, mask *tile.Value, w *view) (aligned, run int) {
	p := l.planCut(ptr, mask, w)
	next := uint32(p.vector) << p.low
	for _, x := range w.lane {
		if x == next {
			next <<= 1
		}
	}
	info, d := l.axes.Of(ptr), l.fastest(ptr, w)
	n := int(next >> p.low)
	return min(n, info.AlignedRun(d)) * p.size, min(n, info.Contiguity(d)) * p.size
}

// maxScattered is how many registers of a small tile are written where they are, rather than converted for wider accesses.
const maxScattered = 4
