package native

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An operation that this package has no code for is left to the checked executor: it becomes a kernel of
// its own, which loads the operands from the frame and stores the results there, as lanes have them. The
// code pauses with the number of such a service, Go runs it, and the code goes on.

// A service is an operation that the checked executor does.
type service struct {
	op      tile.Code
	loc     tile.Loc
	why     string // the operation is left to the executor
	program *cpu.Program
	slots   []slot // of operands, then results
	arrays  []int  // the parameters that pointers may lead to
}

// A slot is memory of the frame.
type slot struct{ off, bytes, elem int }

// firstService is the status that asks for service 0.
const firstService status = 2

// serviceCost is what a service counts as, in instructions.
const serviceCost = 20_000

// canOutline reports whether an operation can be left to the executor: it has to be one step of straight code.
func canOutline(op *tile.Op) bool {
	switch op.Code {
	case tile.OpFor, tile.OpWhile, tile.OpIf, tile.OpConst, tile.OpSplat, tile.OpProgramID, tile.OpNumPrograms:
		return false
	}
	return !op.Code.IsTerminator()
}

// neverCompiled reports whether there is no code for an operation, whatever its operands are.
func neverCompiled(c tile.Code) bool {
	switch c {
	case tile.OpPrint, tile.OpAtomicPoll, tile.OpCall, tile.OpInlineAsm:
		return true
	}
	return false
}

// alike adds an operation to those that are left to the executor, and all in a block that are refused for the same reason: compilation begins
// anew for each reason.
func alike(b *tile.Block, op *tile.Op, why string, outlined map[*tile.Op]string) {
	outlined[op] = why
	if len(op.Regions) > 0 {
		return
	}
	for _, o := range b.Ops {
		if o.Code == op.Code && reflect.DeepEqual(o.Attr, op.Attr) && sameTypes(o.Args, op.Args) && sameTypes(o.Results, op.Results) {
			outlined[o] = why
		}
		if combines(o.Code) {
			continue
		}
		for _, r := range o.Regions {
			alike(r, op, why, outlined)
		}
	}
}

func sameTypes(a, b []*tile.Value) bool {
	return slices.EqualFunc(a, b, func(v, w *tile.Value) bool { return v.Type == w.Type })
}

// combines reports whether an operation's region works on elements of tiles.
func combines(c tile.Code) bool { return c == tile.OpReduce || c == tile.OpScan || c == tile.OpMap }

// outline compiles an operation as a service.
func (g *generator) outline(op *tile.Op) {
	s := &service{op: op.Code, loc: op.Loc, why: g.plan.outlined[op]}
	o := newOutliner(g.module, op)
	for _, v := range o.operands {
		s.slots = append(s.slots, g.operandSlot(v, op.Loc))
	}
	for _, v := range op.Results {
		s.slots = append(s.slots, g.resultSlot(v))
	}
	for i, v := range g.fn.Body.Args {
		if v.Type.IsPtr() {
			s.arrays = append(s.arrays, i)
			o.parameter(v.Type)
		}
	}
	m := o.module()
	if err := tile.Verify(m); err != nil {
		g.refuse("%s: %v", op.Code, err)
	}
	p, err := cpu.Compile(m, cpu.Options{LineText: g.opts.LineText})
	if err != nil {
		g.refuse("%s: %v", op.Code, err)
	}
	s.program = p
	g.op3(amd64.ADDI, fuelReg, none, none, -serviceCost)
	back := g.label()
	g.exit(back, firstService+status(len(g.services)))
	g.bind(back)
	g.services = append(g.services, s)
	for i, v := range op.Results {
		if v.Type.IsScalar() {
			g.env[v] = g.fromSlot(v.Type, s.slots[len(o.operands)+i].off)
		}
	}
}

// operandSlot puts a value into the frame.
func (g *generator) operandSlot(v *tile.Value, loc tile.Loc) slot {
	if v.Type.IsTile() {
		return g.inBuffer(v, loc).slot()
	}
	b := &buffer{t: v.Type, size: laneBytes(v.Type)}
	b.off = g.alloc(8)
	x := g.straight()
	x.writeOne(b, 0, constVal(tile.Scalar(tile.I32), 0), x.imported(v))
	return slot{b.off, b.size, b.size}
}

func (g *generator) resultSlot(v *tile.Value) slot {
	if v.Type.IsTile() {
		b := g.newBuffer(v.Type)
		g.bufs[v] = b
		return b.slot()
	}
	n := laneBytes(v.Type)
	return slot{g.alloc(8), n, n}
}

func (b *buffer) slot() slot { return slot{b.off, b.t.NumElems() * b.size, b.size} }

// fromSlot gives a scalar result.
func (g *generator) fromSlot(t tile.Type, off int) *val {
	b := &buffer{t: t, size: laneBytes(t), off: off}
	d := newVal(t)
	d.uni = true
	g.straight().readOne(b, d, constVal(tile.Scalar(tile.I32), 0))
	d.shared = true
	return d
}

// run does a service for the program instance that a frame is about.
func (s *service) run(ctx context.Context, l *Launch, frame unsafe.Pointer, out io.Writer) error {
	arrays := make([]cpu.Array, 0, len(s.slots)+len(s.arrays))
	args := make([]cpu.Arg, 0, len(s.slots)+len(s.arrays))
	add := func(a cpu.Array) {
		arrays = append(arrays, a)
		args = append(args, cpu.Arg{Array: &arrays[len(arrays)-1]})
	}
	for _, o := range s.slots {
		add(cpu.Array{Base: unsafe.Add(frame, o.off), Bytes: int64(o.bytes), ElemBytes: o.elem})
	}
	for _, i := range s.arrays {
		a := &l.Args[i]
		add(cpu.Array{Name: a.Name, Base: unsafe.Add(a.Base, -a.Front), Bytes: a.Front + a.Bytes, Front: a.Front, ElemBytes: max(a.ElemBytes, 1)})
	}
	h := headerOf(frame)
	return s.program.RunOne(ctx, cpu.Launch{Grid: h.grid, Args: args, Stdout: out}, h.pid)
}

// An outliner makes a kernel of an operation.
type outliner struct {
	b        *tile.Builder
	op       *tile.Op
	operands []*tile.Value // of the operation, and what its regions use of the code around it; each once
	params   []*tile.Value // where they lie, then where the results lie
	values   map[*tile.Value]*tile.Value
}

func newOutliner(m *tile.Module, op *tile.Op) *outliner {
	f := &tile.Func{Name: op.Code.String(), Loc: op.Loc}
	module := &tile.Module{Funcs: append([]*tile.Func{f}, m.Funcs[1:]...), Locs: m.Locs}
	o := &outliner{b: tile.NewBuilder(module, f), op: op, values: map[*tile.Value]*tile.Value{}}
	f.Body = &tile.Block{}
	o.b.SetBlock(f.Body)
	o.b.Loc = op.Loc
	o.use(op.Args)
	for _, r := range op.Regions {
		inside := map[*tile.Value]bool{}
		define(r, inside)
		r.Walk(func(op *tile.Op) {
			for _, v := range op.Args {
				if !inside[v] {
					o.use([]*tile.Value{v})
				}
			}
		})
	}
	for _, v := range append(o.operands[:len(o.operands):len(o.operands)], op.Results...) {
		o.params = append(o.params, o.parameter(tile.PtrTo(laneType(v.Type))))
	}
	return o
}

// use notes values as operands.
func (o *outliner) use(vals []*tile.Value) {
	for _, v := range vals {
		if _, ok := o.values[v]; !ok {
			o.values[v] = nil
			o.operands = append(o.operands, v)
		}
	}
}

// define notes what a block and the regions in it define.
func define(b *tile.Block, in map[*tile.Value]bool) {
	for _, v := range b.Args {
		in[v] = true
	}
	for _, op := range b.Ops {
		for _, v := range op.Results {
			in[v] = true
		}
		for _, r := range op.Regions {
			define(r, in)
		}
	}
}

func (o *outliner) parameter(t tile.Type) *tile.Value {
	f := o.b.Func
	name := fmt.Sprintf("frame%d", len(f.Params))
	f.Params = append(f.Params, tile.Param{Name: name})
	return f.Body.AddArg(f, t, name)
}

// module gives the kernel.
func (o *outliner) module() *tile.Module {
	for i, v := range o.operands {
		o.values[v] = o.load(o.params[i], v.Type)
	}
	op := o.clone(o.op)
	for i, v := range op.Results {
		o.store(o.params[len(o.operands)+i], v)
	}
	o.b.Op(tile.OpReturn, nil, nil)
	return o.b.Module
}

// laneType gives the type of elements in lanes: what a buffer holds.
func laneType(t tile.Type) tile.Type {
	t = t.Scalar()
	switch {
	case t.IsPtr() || t.ElemBits() == 64:
		return t
	case t.IsBool():
		return tile.Scalar(tile.I8)
	case t.IsFloat() && !t.Elem().IsFP8():
		return tile.Scalar(tile.F32)
	}
	return tile.Scalar(tile.I32)
}

func laneBytes(t tile.Type) int { return laneType(t).ElemBytes() }

// place gives pointers to the elements of a value that lies at p.
func (o *outliner) place(p *tile.Value, t tile.Type) *tile.Value {
	if t.IsScalar() {
		return p
	}
	return o.b.AddPtr(o.b.Splat(p, t), o.b.Reshape(o.b.Range(0, int64(t.NumElems())), t, false))
}

func (o *outliner) load(p *tile.Value, t tile.Type) *tile.Value {
	b := o.b
	v := b.Load(o.place(p, t), nil, nil, tile.LoadAttr{})
	from, to := laneType(t), t.Scalar()
	switch {
	case from == to:
		return v
	case to.IsBool():
		return b.CmpI(tile.NE, v, b.Const(v.Type, 0))
	case from.IsFloat():
		return b.FTrunc(v, to.Elem(), tile.NearestEven)
	case to.IsFloat():
		return b.Cast(tile.OpBitcast, b.Cast(tile.OpTrunc, v, tile.Scalar(tile.I8)), to)
	}
	return b.Cast(tile.OpTrunc, v, to)
}

func (o *outliner) store(p, v *tile.Value) {
	b := o.b
	from, to := v.Type.Scalar(), laneType(v.Type)
	switch {
	case from == to:
	case to.IsFloat():
		v = b.Cast(tile.OpFExt, v, to)
	case from.IsFloat():
		v = b.Cast(tile.OpExtU, b.Cast(tile.OpBitcast, v, tile.Scalar(tile.I8)), to)
	default:
		v = b.Cast(tile.OpExtU, v, to)
	}
	b.Store(o.place(p, v.Type), v, nil, tile.StoreAttr{})
}

// clone copies an operation into the builder's block.
func (o *outliner) clone(op *tile.Op) *tile.Op {
	args := make([]*tile.Value, len(op.Args))
	for i, v := range op.Args {
		args[i] = o.values[v]
	}
	var types []tile.Type
	for _, v := range op.Results {
		types = append(types, v.Type)
	}
	var regions []*tile.Block
	for _, r := range op.Regions {
		regions = append(regions, o.cloneBlock(r))
	}
	loc := o.b.Loc
	o.b.Loc = op.Loc
	c := o.b.OpWithRegions(op.Code, op.Attr, args, regions, types...)
	o.b.Loc = loc
	for i, v := range op.Results {
		o.values[v] = c.Results[i]
		c.Results[i].Name = v.Name
	}
	return c
}

func (o *outliner) cloneBlock(b *tile.Block) *tile.Block {
	out := &tile.Block{}
	for _, v := range b.Args {
		o.values[v] = out.AddArg(o.b.Func, v.Type, v.Name)
	}
	outer := o.b.SetBlock(out)
	for _, op := range b.Ops {
		o.clone(op)
	}
	o.b.SetBlock(outer)
	return out
}

// enclosing gives the operation to outline where op cannot be compiled: the one whose region it is in, as far out as operations
// work on elements; nil if there is none.
func enclosing(b *tile.Block, op *tile.Op) *tile.Op {
	for _, o := range b.Ops {
		if o == op {
			return o
		}
		for _, r := range o.Regions {
			in := enclosing(r, op)
			switch {
			case in == nil:
			case combines(o.Code):
				return o
			default:
				return in
			}
		}
	}
	return nil
}

// refusedError is what a kernel is refused with.
func refusedError(m *tile.Module, r refusal, opts Options) error {
	e := diag.New(diag.Unsupported, "native", "native code does not have %s", r.why)
	if r.op != nil {
		e.Place = m.Locs.At(r.op.Loc).Place(opts.LineText)
	}
	return e
}
