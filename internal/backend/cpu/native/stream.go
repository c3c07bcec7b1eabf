package native

import (
	"cmp"
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A store to an array that the caches do not hold makes the processor read each line before it is overwritten. Where a launch stores much,
// whole lines of an array that the kernel does not read are written past the caches (vmovntps), which saves that.

// streamBytes is how much a store has to write in a launch for that: what is less may be read from the caches afterwards.
const streamBytes = 32 << 20

// lineBytes is the size of a line of the caches.
const lineBytes = 64

// findStreams notes the stores whose lines may be written past the caches, and how many times each has to be done in a launch for that. A kernel that
// synchronizes with others is left alone: such stores may be seen late.
func (p *plan) findStreams(f *tile.Func, bytes int) {
	read, quiet := map[*tile.Value]bool{}, true
	var stores []*tile.Op
	f.Body.Walk(func(op *tile.Op) {
		switch {
		case isAtomic(op.Code), op.Code == tile.OpCall, op.Code == tile.OpInlineAsm:
			quiet = false
		case op.Code == tile.OpLoad:
			from, _ := origin(op.Args[0])
			read[from] = true
			quiet = quiet && from != nil && !op.Attr.(tile.LoadAttr).Volatile
		case op.Code == tile.OpStore:
			stores = append(stores, op)
		}
	})
	if !quiet {
		return
	}
	for _, op := range stores {
		t := op.Args[1].Type
		to, _ := origin(op.Args[0])
		if !t.IsTile() || t.ElemBytes() < p.narrowest || t.Dim(t.Rank()-1)*t.ElemBytes() < 4*lineBytes || to == nil || read[to] {
			continue
		}
		p.streams[op] = int64(max(1, bytes/(t.NumElems()*t.ElemBytes())))
	}
	for v := range read {
		p.read = append(p.read, v)
	}
	slices.SortFunc(p.read, func(a, b *tile.Value) int { return cmp.Compare(a.Index, b.Index) })
}

// countPrograms notes how many programs the launch has.
func (g *generator) countPrograms() {
	if len(g.plan.streams) == 0 {
		return
	}
	n := g.frameLoad(amd64.MOVL, gridOff)
	for axis := 1; axis < 3; axis++ {
		g.op3(amd64.IMUL, n, g.frameLoad(amd64.MOVL, gridOff+4*axis), none, 0)
	}
	g.store(amd64.MOVst, n, amd64.At(amd64.RDI, int32(g.saved.programs)))
}

// cached gives a register that is not 0 where a store has to go to the caches; none if it always has to.
func (x *nest) cached(op *tile.Op) reg {
	g := x.g
	if _, ok := g.plan.streams[op]; !ok {
		return none
	}
	if r, ok := g.cached[op]; ok {
		return r
	}
	r, ok := x.streams[op]
	if !ok {
		x.on(0, func() { r = g.isCached(op, g.trips) })
		x.streams[op] = r
	}
	return r
}

// isCached computes whether a store in some loops has to go to the caches: the launch stores little by it, or the array is one that is read.
func (g *generator) isCached(op *tile.Op, loops []trip) reg {
	times := g.frameLoad(amd64.MOV, g.saved.programs)
	for _, t := range loops {
		if dependsOn(op.Args[0], t.body) {
			g.op3(amd64.IMUL, times, t.number, none, 0)
		}
	}
	g.op3(amd64.CMPI, times, none, none, g.plan.streams[op])
	r := g.setcc(amd64.CCB)
	to, _ := origin(op.Args[0])
	for _, from := range g.plan.read {
		g.op3(amd64.CMP, g.frameLoad(amd64.MOV, argOff+8*int(from.Index)), g.frameLoad(amd64.MOV, argOff+8*int(to.Index)), none, 0)
		g.op3(amd64.ORL, r, g.setcc(amd64.CCE), none, 0)
	}
	return r
}

// A trip is a loop around the code that is being written, and how many iterations it has.
type trip struct {
	body   *tile.Block
	number reg
}

// enter stands before a loop with such bounds, of w bytes. If the loop stores something else in each iteration, or the next one like it does, it counts the iterations and
// looks whether that goes to the caches. The function that it gives stands behind the loop.
func (g *generator) enter(loop *tile.Op, w int, lower, upper, step reg) (leave func()) {
	body, next, outside := loop.Regions[0], g.twinStore(loop), g.trips
	if !g.storesOn(body) && (next == nil || !g.storesOn(next.from.Block)) {
		return func() {}
	}
	number := g.iterations(loop.Args[2], w, lower, upper, step)
	inside := append(slices.Clip(outside), trip{body, number})
	for _, op := range body.Ops {
		g.lookAhead(op, inside)
	}
	if next != nil {
		g.lookAhead(next.store, append(slices.Clip(outside), trip{next.from.Block, number}))
	}
	g.trips = inside
	return func() {
		g.trips = outside
		for _, op := range body.Ops {
			delete(g.cached, op)
		}
	}
}

// storesOn reports whether a loop has stores that may go past the caches, to other places in each iteration.
func (g *generator) storesOn(body *tile.Block) bool {
	found := false
	body.Walk(func(op *tile.Op) {
		if _, ok := g.plan.streams[op]; ok {
			found = found || dependsOn(op.Args[0], body)
		}
	})
	return found
}

// lookAhead notes whether a store goes to the caches, if that is to be asked.
func (g *generator) lookAhead(op *tile.Op, loops []trip) {
	_, known := g.cached[op]
	if _, ok := g.plan.streams[op]; ok && !known {
		g.cached[op] = g.isCached(op, loops)
	}
}

// iterations counts those of a loop.
func (g *generator) iterations(by *tile.Value, w int, lower, upper, step reg) reg {
	n := g.copyG(upper)
	g.op3(pair{amd64.SUB, amd64.SUBL}.of(w), n, lower, none, 0)
	g.op3(amd64.ADD, n, step, none, 0)
	g.op3(amd64.ADDI, n, none, none, -1)
	if by.Op != nil && by.Op.Code == tile.OpConst {
		if c := signExtend(by.Op.Attr.(tile.ConstAttr).Bits, by.Type.ElemBits()); c&(c-1) == 0 {
			g.op3(amd64.SHRI, n, none, none, int64(logOf(c)))
			return n
		}
	}
	g.op3(amd64.MOV, amd64.RAX, n, none, 0)
	g.op3(amd64.XORL, amd64.RDX, amd64.RDX, none, 0)
	g.op3(amd64.DIV, step, none, none, 0)
	g.op3(amd64.MOV, n, amd64.RAX, none, 0)
	return n
}

// dependsOn reports whether a value is computed from what changes in the iterations of a loop.
func dependsOn(v *tile.Value, body *tile.Block) bool {
	seen := map[*tile.Value]bool{}
	var walk func(v *tile.Value) bool
	walk = func(v *tile.Value) bool {
		if v.Block == body {
			return true
		}
		if v.Op == nil || seen[v] {
			return false
		}
		seen[v] = true
		return slices.ContainsFunc(v.Op.Args, walk)
	}
	return walk(v)
}

// streamStrip writes a strip past the caches, if cached is 0, all lanes are selected and the address is that of a vector; else as otherwise does.
func (x *nest) streamStrip(t tile.Type, p *val, vs [2]reg, k, cached reg, otherwise func()) {
	g := x.g
	plain, done := g.label(), g.label()
	low := g.copyG(x.affineFirst(p, 0))
	g.op3(amd64.ANDLI, low, none, none, int64(g.vectorBytes-1))
	g.op3(amd64.ORL, low, cached, none, 0)
	g.jcc(amd64.CCNE, plain)
	if k != none {
		bits := g.gpr()
		g.op3(amd64.KMOVtoG, bits, k, none, 0)
		g.op3(amd64.CMPLI, bits, none, none, 1<<g.lanes-1)
		g.jcc(amd64.CCNE, plain)
	}
	for h := range halves(t) {
		g.store(amd64.VMOVNTPSst, vs[h], p.operand(int64(h*g.vectorBytes)))
	}
	g.streamed = true
	g.jmp(done)
	g.bind(plain)
	otherwise()
	g.bind(done)
}
