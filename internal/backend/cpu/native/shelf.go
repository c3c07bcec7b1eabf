package native

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A shelf keeps panels from program to program. Programs that follow one another mostly have one operand in common, a block of columns or of rows, and bring the
// same parts of it to panels, one after another. Where the first part of a program is that of the program before, each part gets a panel of its own, on which is
// noted where the rows were, and how many k. Who finds the note leaves the panel as it is. So it goes on in the first program after those, which may be the first
// of others. Else one panel does for all parts, and stays in the caches.
//
// Nothing of a launch is left for the next one, and the kernel neither writes to the array nor waits for others that do.
type shelf struct {
	off    int // of the panels in the frame
	panels int // how many there are
	bytes  int // of one
	last   int // in the frame: where the rows of the last program's first part are, and how many programs more get panels for each part
	notes  int // in the frame: of each panel
}

// noteLog is the size of a note, as a power of two: the first row's address, the step, k.
const noteLog = 5

// shelfBytes is what panels may take together with the result: most of the second cache. maxPanels bounds those of a shelf, shelvesBytes all shelves of a kernel.
const (
	shelfBytes   = 3 << 19
	maxPanels    = 64
	shelvesBytes = 16 << 20
)

// seenBytes is what panels of an operand may take that is read where it lies, where there are none. They are of use beyond the second cache, too: rows in memory are far
// from each other, each in a page of its own.
const seenBytes = 2 << 20

// shelve makes a shelf for a window's panel; nil if what it is filled from may change.
func (g *generator) shelve(w *window, panels int) *shelf {
	if panels < 1 || !g.lasting(w.ptr) {
		return nil
	}
	x := &shelf{panels: min(panels, maxPanels), bytes: w.to.bytes()}
	room := shelvesBytes
	for _, other := range g.shelves {
		room -= other.panels * other.bytes
	}
	if x.panels*x.bytes > room {
		return nil
	}
	x.off = g.alloc(x.panels * x.bytes)
	x.last, x.notes = g.alloc(lineBytes), g.alloc(x.panels<<noteLog)
	g.shelves = append(g.shelves, x)
	return x
}

// lasting reports whether what a pointer leads to stays as it is as long as a launch runs.
func (g *generator) lasting(ptr *tile.Value) bool {
	from := g.arrayOf(ptr)
	if from == nil || g.plan.inPlace {
		return false
	}
	lasts := true
	g.fn.Body.Walk(func(op *tile.Op) {
		switch {
		case op.Code == tile.OpStore:
			to := g.arrayOf(op.Args[0])
			lasts = lasts && to != nil && to != from
		case op.Effect() == tile.Writes && op.Code != tile.OpBarrier:
			lasts = false
		}
	})
	if !lasts {
		return false
	}
	g.fn.Body.Walk(func(op *tile.Op) {
		if op.Code == tile.OpStore {
			g.plan.pairs[[2]*tile.Value{from, g.arrayOf(op.Args[0])}] = false
		}
	})
	return true
}

// arrayOf gives the parameter that a pointer is derived from; nil where it is not known.
func (g *generator) arrayOf(ptr *tile.Value) *tile.Value {
	for v := ptr; ; v = v.Op.Args[0] {
		for g.derived[v] != nil {
			v = g.derived[v].from
		}
		if v.Op == nil {
			if !slices.Contains(g.fn.Body.Args, v) {
				return nil
			}
			return v
		}
		switch v.Op.Code {
		case tile.OpAddPtr, tile.OpSplat, tile.OpHint, tile.OpBitcast, tile.OpBroadcast, tile.OpExpandDims, tile.OpReshape, tile.OpTrans:
		default:
			return nil
		}
	}
}

// clearShelves forgets what is noted in all shelves, if a call begins a launch.
func (g *generator) clearShelves() {
	if len(g.shelves) == 0 {
		return
	}
	good := g.label()
	kept := g.frameLoad(amd64.MOVL, keptOff)
	g.op3(amd64.TESTL, kept, kept, none, 0)
	g.jcc(amd64.CCNE, good)
	defer g.bind(good)
	for _, x := range g.shelves {
		g.memory(amd64.MOVMI, x.last, 0)
		g.memory(amd64.MOVMI, x.last+8, 0)
		at, zero := g.gpr(), g.gpr()
		g.movImm(zero, 0)
		g.movImm(at, uint64(x.panels<<noteLog))
		g.unpaused(x.panels, func() {
			g.op3(amd64.ADDI, at, none, none, -(1 << noteLog))
			g.store(amd64.MOVst, zero, amd64.Mem{Base: amd64.RDI, Index: at, Scale: 1, Disp: int32(x.notes)})
		})
	}
}

// take gives the panel on which a window's rows are: its own, if they have been packed, or one of the shelf, where it brings them if they are not there. number counts the
// parts of a program.
func (x *shelf) take(g *generator, w *window, rows rowsAt, k extent, number reg) *panel {
	p, shift := *w.to, g.gpr()
	p.shift = &shift
	g.movImm(shift, 0)
	there, bring, packed := g.label(), g.label(), g.label()
	g.op3(amd64.CMP, w.panelAt(g), rows.first, none, 0)
	if w.to == w.o.panel {
		packed = there
	}
	g.jcc(amd64.CCE, packed)
	x.foresee(g, rows.first, number)
	which, most := g.copyG(number), g.gpr()
	g.movImm(most, uint64(x.panels-1))
	g.op3(amd64.CMP, which, most, none, 0)
	g.cmov(amd64.CCA, which, most)
	zero := g.gpr()
	g.movImm(zero, 0)
	g.memory(amd64.CMPMI, x.last+8, 0)
	g.cmov(amd64.CCE, which, zero)
	g.movImm(shift, uint64(x.bytes))
	g.op3(amd64.IMUL, shift, which, none, 0)
	g.op3(amd64.ADDI, shift, none, none, int64(x.off-p.off))
	g.op3(amd64.SHLI, which, none, none, noteLog)
	note := func(i int) amd64.Mem {
		return amd64.Mem{Base: amd64.RDI, Index: which, Scale: 1, Disp: int32(x.notes + 8*i)}
	}
	length := k.register(g)
	for i, r := range []reg{rows.first, rows.step, length} {
		g.load(amd64.CMP, r, note(i))
		g.jcc(amd64.CCNE, bring)
	}
	g.jmp(there)
	g.bind(bring)
	for i, r := range []reg{rows.first, rows.step, length} {
		g.store(amd64.MOVst, r, note(i))
	}
	if w.to != w.o.panel {
		g.bind(packed)
	}
	w.bring(g, &p, rows, k)
	g.bind(there)
	return &p
}

// A berth is the panel of a right operand that is read where it lies, and is filled while it is multiplied.
type berth struct {
	note reg // the place of its note; 0: there is none
	want reg // what is noted as k, and above that how many micro-panels there are, if not all
}

// moor gives the berth for a part of a program. If that has the micro-panels that are wanted none is filled; place becomes that of the first. number counts the parts of a program.
func (x *shelf) moor(g *generator, from *filling, b *panel, place reg, k extent, panels, number reg) berth {
	to := berth{g.gpr(), k.register(g)}
	g.movImm(to.note, 0)
	if panels != none {
		above := g.copyG(panels)
		g.op3(amd64.SHLI, above, none, none, 32)
		g.op3(amd64.ADD, to.want, above, none, 0)
	}
	out, fill := g.label(), g.label()
	g.op3(amd64.TESTL, from.packed, from.packed, none, 0)
	g.jcc(amd64.CCNE, out)
	x.foresee(g, from.first, number)
	g.memory(amd64.CMPMI, x.last+8, 0)
	g.jcc(amd64.CCE, out)
	g.op3(amd64.CMPI, number, none, none, int64(x.panels))
	g.jcc(amd64.CCAE, out)
	g.movImm(to.note, uint64(x.bytes))
	g.op3(amd64.IMUL, to.note, number, none, 0)
	g.op3(amd64.ADD, place, to.note, none, 0)
	g.op3(amd64.ADDI, place, none, none, int64(x.off-b.off))
	g.movImm(from.by, uint64(b.row))
	g.op3(amd64.MOV, to.note, number, none, 0)
	g.op3(amd64.SHLI, to.note, none, none, noteLog)
	g.op3(amd64.ADD, to.note, amd64.RDI, none, 0)
	for i, r := range []reg{from.first, from.step, to.want} {
		g.load(amd64.CMP, r, amd64.At(to.note, int32(x.notes+8*i)))
		g.jcc(amd64.CCNE, fill)
	}
	g.movImm(from.packed, 1)
	g.bind(fill)
	g.bind(out)
	return to
}

// leave notes what a berth has when all of it has been multiplied.
func (x *shelf) leave(g *generator, at berth, rows *rowsAt) {
	none := g.label()
	g.op3(amd64.TEST, at.note, at.note, amd64.None, 0)
	g.jcc(amd64.CCE, none)
	for i, r := range []reg{rows.first, rows.step, at.want} {
		g.store(amd64.MOVst, r, amd64.At(at.note, int32(x.notes+8*i)))
	}
	g.bind(none)
}

// foresee says, at the first part of a program, whether its parts get panels, by where the rows of that are: 2 where those of the program before were, else 1 less than then.
func (x *shelf) foresee(g *generator, first, number reg) {
	later := g.label()
	g.op3(amd64.TESTL, number, number, none, 0)
	g.jcc(amd64.CCNE, later)
	last, programs := amd64.At(amd64.RDI, int32(x.last)), amd64.At(amd64.RDI, int32(x.last+8))
	left, two := g.gpr(), g.gpr()
	g.load(amd64.MOV, left, programs)
	g.op3(amd64.SHRI, left, none, none, 1)
	g.movImm(two, 2)
	g.load(amd64.CMP, first, last)
	g.cmov(amd64.CCE, left, two)
	g.store(amd64.MOVst, left, programs)
	g.store(amd64.MOVst, first, last)
	g.bind(later)
}

// shelve makes shelves for the windows of a deferral.
func (d *deferral) shelve(g *generator) {
	for side, w := range d.wins {
		switch {
		case w == nil:
		case w.brings(d.arith, d.size):
			p := w.to
			left := shelfBytes - 4*d.size.m*d.size.n - (d.size.m+d.size.n)*p.size*d.room
			d.shelf[side] = g.shelve(w, 1+max(0, left/p.bytes()))
		case !w.left && d.arith.tile == amd64.BadOp:
			d.shelf[side] = g.shelve(w, seenBytes/w.to.bytes())
		}
	}
}

// bring gives the panel of a window with what is collected.
func (d *deferral) bring(g *generator, side int, k extent) *panel {
	w, rows := d.wins[side], d.rows[side]
	if x := d.shelf[side]; x != nil {
		return x.take(g, w, rows, k, d.part)
	}
	w.bringSeen(g, rows, k)
	return w.to
}
