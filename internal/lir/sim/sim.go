package sim

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
)

// A Launch is what to run.
type Launch struct {
	Grid   [3]uint32
	Args   []Arg    // one for each of the function's parameters
	Memory [][]byte // that may be accessed besides the arguments' arrays
	Stdout io.Writer
	Options
}

// An Arg is an argument: a scalar's bits, or an array. The address of an array is that of its bytes; arrays may overlap.
type Arg struct {
	Bits  uint64
	Array []byte
}

// Options say what is looked for beside errors.
type Options struct {
	// Profile counts how accesses use the memory, for Result.Accesses.
	Profile bool
	// GlobalRaces looks for races in global memory, too: what operations on tiles do one after another must stay so.
	GlobalRaces bool
	// Work bounds the operations, each counted once for every thread; 0 is 2³¹.
	Work int64
}

// A Result is what was found out besides the effect.
type Result struct {
	Accesses []Access // of memory, those of the most traffic first; if there was a profile
	Work     int64    // operations, each counted once for every thread
	Barriers int64    // that CTAs came to
}

// Run runs a function. What it finds wrong is a CheckError at the place in the source.
func Run(ctx context.Context, f *lir.Func, l Launch) (*Result, error) {
	if len(l.Args) != len(f.Params) {
		return nil, diag.New(diag.Argument, "arguments", "%s has %d parameters, not %d", f.Name, len(f.Params), len(l.Args))
	}
	m := newMachine(ctx, f, l)
	run := m.block(f.Body)
	if m.fault != nil {
		return nil, m.fault
	}
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := range l.Grid[0] {
				m.enter([3]uint32{x, y, z})
				run(m.all)
				if m.fault != nil {
					return nil, m.fault
				}
			}
		}
	}
	return &Result{Accesses: m.accesses(), Work: m.work, Barriers: m.barriers}, nil
}

// A machine is one CTA after another.
type machine struct {
	ctx      context.Context
	f        *lir.Func
	launch   Launch
	threads  int
	regs     [][]uint64 // by value and thread
	all      []int32    // the threads
	program  [3]uint32
	arrays   []array // by address
	shared   []byte
	sharing  []shadow
	local    []byte // thread after thread
	localAt  []int  // where each buffer of a thread's is
	perLocal int

	copies  queues
	groups  groups
	signals map[int]*signal // by the place in shared memory

	clock
	work, limit int64
	barriers    int64
	profiles    []*profile
	fault       error
}

// A clock tells what is ordered: two accesses of a CTA between which it goes on, or that of their warp.
type clock struct {
	cta   uint32
	now   uint32   // goes on at barriers and between CTAs
	warps []uint32 // each goes on at a warp_sync
	step  uint32   // goes on at each access by several threads
	signalOrder
}

func newMachine(ctx context.Context, f *lir.Func, l Launch) *machine {
	m := &machine{ctx: ctx, f: f, launch: l, threads: f.Warps * f.WarpSize, limit: l.Work}
	if m.limit == 0 {
		m.limit = 1 << 31
	}
	m.regs = make([][]uint64, f.NumValues())
	m.all = make([]int32, m.threads)
	for t := range m.all {
		m.all[t] = int32(t)
	}
	m.warps = make([]uint32, f.Warps)
	m.copies = newQueues(m.threads)
	m.groups = newGroups(f)
	m.signalOrder = newSignalOrder(f)
	m.shared, m.sharing = make([]byte, f.SharedBytes), make([]shadow, f.SharedBytes)
	for _, b := range f.Local {
		m.perLocal = (m.perLocal + b.Align - 1) / b.Align * b.Align
		m.localAt = append(m.localAt, m.perLocal)
		m.perLocal += b.Size
	}
	m.local = make([]byte, m.perLocal*m.threads)
	m.findArrays()
	return m
}

// noise is what memory holds before anything is written to it.
const noise = 0xcd

// enter begins a CTA.
func (m *machine) enter(program [3]uint32) {
	m.program = program
	m.cta++
	m.now++
	m.forgetCopies()
	m.groups.forget()
	m.signals = map[int]*signal{}
	for _, memory := range [][]byte{m.shared, m.local} {
		for i := range memory {
			memory[i] = noise
		}
	}
}

// reg gives where a value is, one word for each thread.
func (m *machine) reg(v *lir.Value) []uint64 {
	if r := m.regs[v.ID]; r != nil {
		return r
	}
	r := make([]uint64, m.threads)
	if v.IsConst() {
		for i := range r {
			r[i] = v.Bits
		}
	}
	m.regs[v.ID] = r
	return r
}

func (m *machine) regList(vs []*lir.Value) [][]uint64 {
	list := make([][]uint64, len(vs))
	for i, v := range vs {
		list[i] = m.reg(v)
	}
	return list
}

// fail notes the first thing that is wrong.
func (m *machine) fail(op *lir.Op, code, format string, args ...any) {
	if m.fault != nil {
		return
	}
	e := diag.At(diag.Check, m.place(op), "%s, in program (%d, %d, %d)", fmt.Sprintf(format, args...), m.program[0], m.program[1], m.program[2]).WithCode(code)
	e.Notes = []diag.Note{{Msg: strings.TrimSpace(op.String())}}
	m.fault = e
}

// unsupported notes that a function has what cannot be simulated.
func (m *machine) unsupported(op *lir.Op, format string, args ...any) {
	if m.fault == nil {
		m.fault = diag.At(diag.Unsupported, m.place(op), format, args...).WithCode("simulation")
	}
}

// place gives the place in the source of what an operation was made for.
func (m *machine) place(op *lir.Op) diag.Place {
	if m.f.Locs == nil || op == nil {
		return diag.Place{}
	}
	return m.f.Locs.Outer(op.Loc).Place(nil)
}

// A step does an operation for some threads, which are in their order.
type step func(threads []int32)

// block makes the step of a block without what ends it.
func (m *machine) block(b *lir.Block) step {
	steps := make([]step, 0, len(b.Ops))
	for _, op := range b.Ops {
		if op.Effect() == lir.Ends {
			continue
		}
		s := m.op(op)
		if m.fault != nil {
			return nil
		}
		steps = append(steps, s)
	}
	return func(threads []int32) {
		for _, s := range steps {
			s(threads)
			if m.fault != nil {
				return
			}
		}
		m.worked(int64(len(steps)+1) * int64(len(threads)))
	}
}

// worked counts work, and ends what has no end.
func (m *machine) worked(n int64) {
	m.work += n
	switch {
	case m.fault != nil:
	case m.work > m.limit:
		m.fault = diag.New(diag.Check, "work", "%s does more than %d operations, each counted for every thread", m.f.Name, m.limit)
	case m.ctx.Err() != nil:
		m.fault = context.Cause(m.ctx)
	}
}

// op makes the step of an operation.
func (m *machine) op(op *lir.Op) step {
	switch op.Code {
	case lir.OpFor:
		return m.forLoop(op)
	case lir.OpWhile:
		return m.whileLoop(op)
	case lir.OpIf:
		return m.branch(op)
	case lir.OpLoad:
		return m.load(op)
	case lir.OpStore:
		return m.store(op)
	case lir.OpAtomicRMW, lir.OpAtomicCAS:
		return m.atomic(op)
	case lir.OpFence:
		return func([]int32) {}
	case lir.OpPrint:
		return m.print(op)
	case lir.OpAssert:
		return m.assert(op)
	}
	if s := m.known(op); s != nil {
		return s
	}
	if s := m.together(op); s != nil {
		return s
	}
	if s := m.async(op); s != nil {
		return s
	}
	if s := m.signalling(op); s != nil {
		return s
	}
	if s := m.pure(op); s != nil {
		return s
	}
	m.unsupported(op, "%s cannot be simulated", op.Code)
	return nil
}

// known makes the steps of what a thread knows of itself.
func (m *machine) known(op *lir.Op) step {
	var value func(t int32) uint64
	switch op.Code {
	case lir.OpParam:
		bits := m.launch.Args[op.Imm].Bits & op.Result().Type.Mask()
		if p := m.launch.Args[op.Imm].Array; p != nil {
			bits = addressOf(p)
		}
		value = func(int32) uint64 { return bits }
	case lir.OpThreadID:
		value = func(t int32) uint64 { return uint64(t) }
	case lir.OpProgramID:
		value = func(int32) uint64 { return uint64(m.program[op.Imm]) }
	case lir.OpNumPrograms:
		value = func(int32) uint64 { return uint64(m.launch.Grid[op.Imm]) }
	case lir.OpClock:
		value = func(int32) uint64 { return uint64(m.work) }
	default:
		return nil
	}
	d := m.reg(op.Result())
	return func(threads []int32) {
		for _, t := range threads {
			d[t] = value(t)
		}
	}
}

// move makes a step that copies values, all at once: what is written may be read, too.
func (m *machine) move(to, from []*lir.Value) step {
	copied, carried := m.copyAll(to, from), m.carry(to, from)
	if carried == nil {
		return copied
	}
	return func(threads []int32) {
		copied(threads)
		carried(threads)
	}
}

func (m *machine) copyAll(to, from []*lir.Value) step {
	d, s := m.regList(to), m.regList(from)
	if !slices.ContainsFunc(from, func(v *lir.Value) bool { return slices.Contains(to, v) }) {
		return func(threads []int32) {
			for i := range d {
				for _, t := range threads {
					d[i][t] = s[i][t]
				}
			}
		}
	}
	words := make([]uint64, len(d))
	return func(threads []int32) {
		for _, t := range threads {
			for i := range s {
				words[i] = s[i][t]
			}
			for i := range d {
				d[i][t] = words[i]
			}
		}
	}
}
