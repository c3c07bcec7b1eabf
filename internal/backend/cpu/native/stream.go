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

// findStreams notes the stores whose lines may be written past the caches, and how many programs a launch has to have for each. A kernel that
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
		if !t.IsTile() || t.ElemBytes() < 4 || t.Dim(t.Rank()-1)*t.ElemBytes() < 4*lineBytes || to == nil || read[to] {
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

// cached gives a register that is not 0 where a store has to go to the caches; none if it always has to. The array must not be one that
// is read, either.
func (x *nest) cached(op *tile.Op) reg {
	needed, ok := x.g.plan.streams[op]
	if !ok {
		return none
	}
	if r, ok := x.streams[op]; ok {
		return r
	}
	g := x.g
	r := none
	x.on(0, func() {
		programs := g.frameLoad(amd64.MOV, g.saved.programs)
		g.op3(amd64.CMPI, programs, none, none, needed)
		r = g.setcc(amd64.CCB)
		to, _ := origin(op.Args[0])
		for _, from := range g.plan.read {
			g.op3(amd64.CMP, g.frameLoad(amd64.MOV, argOff+8*int(from.Index)), g.frameLoad(amd64.MOV, argOff+8*int(to.Index)), none, 0)
			g.op3(amd64.ORL, r, g.setcc(amd64.CCE), none, 0)
		}
	})
	x.streams[op] = r
	return r
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
