package cpu

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A compiler plans the functions of a module, each once.
type compiler struct {
	program *Program
	done    map[string]*function
	active  map[string]bool // being planned: a call to one of these is a recursion
}

func (c *compiler) function(f *tile.Func) (*function, error) {
	if fn := c.done[f.Name]; fn != nil {
		return fn, nil
	}
	c.active[f.Name] = true
	defer delete(c.active, f.Name)
	p := &planner{
		compiler: c,
		fn:       &function{},
		live:     analyse(f),
		slots:    make([]slot, f.NumValues()),
		held:     make([]extent, f.NumValues()),
		fixed:    make([]bool, f.NumValues()),
		kernel:   f == c.program.module.Funcs[0],
	}
	p.sanitizer = c.newSanitizer(f, p.live)
	if err := p.plan(f); err != nil {
		return nil, err
	}
	c.done[f.Name] = p.fn
	return p.fn, nil
}

// A planner turns one function's operations into steps and gives each value its slot.
type planner struct {
	*compiler
	fn      *function
	live    *liveness
	arena   arena
	slots   []slot   // by value ID
	held    []extent // by root: the memory that it holds
	fixed   []bool   // by root: the same for all program instances
	kernel  bool
	hoisted int    // bytes of what is the same for all program instances
	depth   int    // regions around the current operation
	vector  bool   // planning a region that works on many lanes at once
	deeper  int    // the deepest frame of a called function
	steps   []step // of the block that is being planned

	temps []extent // released after the current operation

	sanitizer *sanitizer // nil if there is none
}

func (p *planner) plan(f *tile.Func) error {
	for _, v := range f.Body.Args {
		p.fixed[v.ID] = p.kernel
		p.fn.args = append(p.fn.args, p.allocate(v, v.Type.NumElems()))
	}
	p.shadeParams(f)
	if err := p.ops(f.Body); err != nil {
		return err
	}
	p.fn.body = p.steps
	for _, v := range f.Body.Terminator().Args {
		p.fn.results = append(p.fn.results, p.slots[v.ID])
	}
	p.fn.shadeResults = p.shadesOf(f.Body.Terminator().Args)
	p.fn.frame = roundUp(p.arena.high, lineAlign)
	p.fn.deepest = p.fn.frame + p.deeper
	if p.fn.deepest > maxFrame {
		return p.tooLarge(f)
	}
	return nil
}

func (p *planner) tooLarge(f *tile.Func) error {
	e := diag.New(diag.OutOfResources, "tile-memory",
		"the tiles of %s that live at once need %d bytes for each program instance; the limit is %d: use smaller blocks",
		f.Name, p.fn.deepest, maxFrame)
	e.Place = p.program.place(f.Loc)
	return e
}

// ops plans the operations of a block but its terminator, whose operands still live then.
func (p *planner) ops(b *tile.Block) error {
	for _, op := range b.Ops[:len(b.Ops)-1] {
		if err := p.op(op); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) op(op *tile.Op) error {
	steps, temps := p.steps, p.temps
	p.temps = nil
	hoist := p.hoists(op)
	if hoist {
		p.steps = p.fn.invariant
	}
	p.sanitizeBefore(op)
	if err := p.emitOp(op); err != nil {
		return err
	}
	p.sanitizeAfter(op)
	if hoist {
		p.fn.invariant, p.steps = p.steps, steps
	}
	p.release(op, temps)
	return nil
}

// release ends an operation: its temporaries and the values that it used last are gone.
func (p *planner) release(op *tile.Op, outer []extent) {
	for _, e := range p.temps {
		p.arena.release(e.off, e.size)
	}
	p.temps = outer
	for _, r := range p.live.dies[p.live.span[op].end] {
		if e := p.held[r]; e.size > 0 && !p.fixed[r] {
			p.arena.release(e.off, e.size)
			p.held[r] = extent{}
		}
		p.releaseShade(r)
	}
}

// maxHoisted bounds the memory that hoisted operations keep for good, in bytes.
const maxHoisted = 4 << 20

// hoists reports whether an operation of the kernel gives every program instance the same,
// so that it need not run for each. Its memory is then its own for good.
func (p *planner) hoists(op *tile.Op) bool {
	if !p.kernel || p.depth > 0 || op.Effect() != tile.Pure || op.Code == tile.OpGather || op.Code == tile.OpProgramID {
		return false
	}
	for _, v := range op.Args {
		if !p.fixed[p.live.root[v.ID]] {
			return false
		}
	}
	size := p.hoisted
	for _, v := range op.Results {
		size += slotBytes(v.Type.ElemBytes(), v.Type.NumElems())
	}
	if size > maxHoisted {
		return false
	}
	p.hoisted = size
	for _, v := range op.Results {
		p.fixed[p.live.root[v.ID]] = true
	}
	return true
}

// emit appends a step.
func (p *planner) emit(op *tile.Op, run func(*machine) error) {
	p.steps = append(p.steps, step{op, run})
}

// elems gives how many elements a value of type t has where all are held.
func (p *planner) elems(t tile.Type) int {
	if p.vector && t.IsScalar() {
		return perLane
	}
	return t.NumElems()
}

// slotBytes gives the size of a slot of n elements.
func slotBytes(size, n int) int {
	if n == perLane {
		n = chunk
	}
	return n * size
}

// in gives the slot of an operand.
func (p *planner) in(v *tile.Value) slot { return p.slots[v.ID] }

// full gives a slot that holds all elements of an operand, repeating it if it is held as one.
func (p *planner) full(op *tile.Op, v *tile.Value) slot {
	s, n := p.in(v), p.elems(v.Type)
	if s.n == n {
		return s
	}
	t := p.temp(v.Type.ElemBytes(), n)
	p.emit(op, copyStep(v.Type.ElemBytes(), t, s))
	return t
}

// out gives a result a slot of n elements.
func (p *planner) out(v *tile.Value, n int) slot { return p.allocate(v, n) }

func (p *planner) allocate(v *tile.Value, n int) slot {
	r := p.live.root[v.ID]
	if e := p.held[r]; e.size > 0 { // it shares the memory of a value that has it already
		p.slots[v.ID] = slot{e.off, n}
		return p.slots[v.ID]
	}
	size := slotBytes(v.Type.ElemBytes(), n)
	p.held[r] = extent{p.assign(size, p.fixed[r]), size}
	p.slots[v.ID] = slot{p.held[r].off, n}
	return p.slots[v.ID]
}

// assign gives memory. What is computed before the body runs must lie where no operation of
// the body ever writes.
func (p *planner) assign(size int, fixed bool) int {
	if fixed {
		return p.arena.fresh(size)
	}
	return p.arena.alloc(size)
}

// temp gives a slot of n elements of a size until the current operation is planned.
func (p *planner) temp(size, n int) slot {
	size = slotBytes(size, n)
	e := extent{p.arena.alloc(size), size}
	p.temps = append(p.temps, e)
	return slot{e.off, n}
}

// width gives how many elements the result of an elementwise operation is held as: one if
// every operand is.
func (p *planner) width(op *tile.Op, t tile.Type) int {
	for _, v := range op.Args {
		if p.in(v).n != 1 {
			return p.elems(t)
		}
	}
	return 1
}

// elementwise gives the slots of the operands and of the result of an elementwise operation. The
// result takes over the memory of an operand that is not needed any more, if it fits.
func (p *planner) elementwise(op *tile.Op) (d slot, in []slot) {
	n := p.width(op, op.Result().Type)
	in = make([]slot, len(op.Args))
	for i, v := range op.Args {
		in[i] = p.in(v)
	}
	p.takeOver(op, n)
	return p.out(op.Result(), n), in
}

func (p *planner) takeOver(op *tile.Op, n int) {
	size := slotBytes(op.Result().Type.ElemBytes(), n)
	to := p.live.root[op.Result().ID]
	for _, v := range op.Args {
		r := p.live.root[v.ID]
		if p.fixed[r] || p.held[r].size != size || p.in(v).n != n || !p.live.diesAt(v, op) {
			continue
		}
		p.held[to], p.held[r] = p.held[r], extent{}
		return
	}
}

func (p *planner) unsupported(op *tile.Op, code, format string, args ...any) error {
	return p.program.errorAt(diag.Unsupported, code, op, fmt.Sprintf(format, args...))
}
