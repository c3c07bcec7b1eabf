package lower

import (
	"fmt"
	"math/bits"
	"runtime/debug"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/legalize"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// Options are what a kernel is lowered for.
type Options struct {
	Warps, WarpSize int // of the program, in all of its CTAs
	CTAs            int // 0 is 1
	Stages          int // of a loop's pipeline, where it does not say itself; 0 or 1: none
	// Can says what the target's threads can do.
	Can Capabilities
	// LineText gives a line of a source file, for diagnostics; it may be nil.
	LineText func(file string, line int) string
	Unfused  bool // x * y + z is rounded twice, everywhere
}

// Capabilities are what not every target has.
type Capabilities struct {
	Redux      bool // combining integers of all lanes at once
	F8         bool // conversions of 8-bit floats
	BF16       bool // conversions between f32 and bf16
	BF16Add    bool // atomic addition of bf16
	MinMaxNaN  bool // minimum and maximum of f32 that give NaN
	Directed   bool // arithmetic that rounds up, down and towards zero
	MMA        lir.MMASet
	Signals    bool       // see lir.OpSignalInit
	GroupMMA   lir.MMASet // those that warp groups can do, see lir.OpGroupMMA
	LoadMatrix bool       // see lir.OpLoadMatrix
	CopyAsync  bool       // see lir.OpCopyAsync
	SharedMax  int        // bytes of shared memory of a CTA

	// What CTAs on one multiprocessor share: registers of 32 bits, and bytes of shared memory. Only those that have GroupMMA are asked.
	SMRegisters, SMShared int
}

// Kernel lowers a module's kernel.
func Kernel(m *tile.Module, o Options) (f *lir.Func, err error) {
	l := newLowerer(legal(m), o)
	defer l.caught(&err)
	l.kernel()
	lir.Finish(l.b.Func)
	if err := lir.Verify(l.b.Func); err != nil {
		return nil, diag.New(diag.Compile, "internal", "%s", err)
	}
	return l.b.Func, nil
}

// legal gives the module without the operations that are rewritten into others.
func legal(m *tile.Module) *tile.Module {
	plain := legalize.Module(m, legalize.Native{})
	if plain != m {
		pass.Run(plain, pass.Options{})
	}
	return plain
}

// caught gives the error that ended a lowering. Any panic but a refusal is a mistake in this package, which must not end the
// user's program.
func (l *lowerer) caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case refusal:
		*err = r.err
	default:
		e := diag.At(diag.Compile, l.place(), "internal error: %v", r).WithCode("internal")
		e.Cause = fmt.Errorf("%v\n%s", r, debug.Stack())
		*err = e
	}
}

// A refusal ends the lowering: the walk is deep, and every step of it may find what it cannot do.
type refusal struct{ err error }

// lowerer is the state of a lowering.
type lowerer struct {
	m    *tile.Module
	f    *tile.Func
	o    Options
	b    *lir.Builder
	axes *pass.Facts[pass.AxisInfo]
	views
	homes        []*view // by ID: where a tile is best held; nil for what has no preference
	vals         []held  // by ID: what there is of each value
	memo         []map[asked][]*lir.Value
	notes        map[*tile.Value]string // see Layouts; nil otherwise
	op           *tile.Op               // that is being lowered
	traits       *traits
	groups       map[groupKey]int     // numbers of accesses in which each address belongs to one thread
	wide         map[wideKey]vectors  // see vectorFor
	copied       map[*tile.Op]bool    // loads that a pipeline does
	ahead        map[argument]*copied // operands that a pipeline copies
	stages       map[stageKey]*staged
	relays       map[relayKey]*relayedTile // tiles that were brought elsewhere in rounds
	products     map[*tile.Op]*product
	pending      []pendingSum // see settle
	pipeline     *pipeline    // of the innermost loop that has one
	lateDots     map[*tile.Op]*laterDot
	fixed        map[*tile.Op][]*lir.Value // left operands of products that a loop keeps in registers
	inTerms      bool                      // of addresses, see bytesOf
	inParts      map[*tile.Op]bool         // reductions whose threads a loop combines at its end, see partial
	begun        int                       // matrix instructions of warp groups so far
	depths       map[*tile.Block]placeInCode
	warpGroup    *lir.Value // see groupIndex
	kernelParams bool       // f is the kernel, not a function that it calls
	reversed     [3]bool    // axes of the grid along which programs are numbered from the last one, see reverseOrder
}

// A held is what there is of a value: the scalar, or a tile's registers in a view, or where else it lies.
type held struct {
	scalar *lir.Value
	in     *view          // of regs, or of what lies in local memory
	regs   []*lir.Value   // one for each register of in
	local  int            // buffer+1 of local memory; 0: not there
	depth  int            // of the block in which it came there
	shared int            // buffer+1 of shared memory with all elements; 0: not there
	order  *layout.Matrix // of the elements in shared memory
	init   *tile.Value    // a carried tile that is this one plus step
	step   *lir.Value
}

// A placeInCode is where the code of a block is made: at which depth, and how much is remembered there.
type placeInCode struct{ depth, memo int }

// asked is a question for a value.
type asked struct{ value, view int }

func newLowerer(m *tile.Module, o Options) *lowerer {
	f := m.Funcs[0]
	l := &lowerer{m: m, f: f, o: o, groups: map[groupKey]int{}}
	l.views.known = map[string]*view{}
	return l
}

func (l *lowerer) kernel() {
	f := lir.NewFunc(l.f.Name, l.o.Warps, l.o.WarpSize)
	f.CTAs = l.o.CTAs
	f.Locs = &l.m.Locs
	l.b = lir.NewBuilder(f)
	l.b.Unfused = l.o.Unfused
	l.memo = []map[asked][]*lir.Value{{}}
	l.reverseOrder()
	args := make([]held, len(l.f.Params))
	for i, p := range l.f.Params {
		args[i].scalar = l.param(i, p, l.f.Body.Args[i].Type)
	}
	l.inline(l.f, args)
	l.b.Return()
}

// inline lowers a function's body here.
func (l *lowerer) inline(f *tile.Func, args []held) {
	l.f, l.wide, l.kernelParams = f, nil, f == l.m.Funcs[0]
	l.copied, l.fixed, l.depths = map[*tile.Op]bool{}, map[*tile.Op][]*lir.Value{}, map[*tile.Block]placeInCode{}
	l.inParts = map[*tile.Op]bool{}
	l.ahead, l.lateDots, l.stages = map[argument]*copied{}, map[*tile.Op]*laterDot{}, map[stageKey]*staged{}
	l.axes = pass.AnalyzeAxes(f)
	l.vals = make([]held, f.NumValues()+1) // the last is for what is no value of the function, see handedOver
	l.traits = traitsOf(f)
	l.homes = make([]*view, f.NumValues())
	for i, a := range args {
		l.vals[f.Body.Args[i].ID] = a
		l.homes[f.Body.Args[i].ID] = a.in
	}
	l.assign(f.Body)
	l.block(f.Body)
}

// param reads a parameter of the kernel.
func (l *lowerer) param(i int, p tile.Param, t tile.Type) *lir.Value {
	typ := l.typeOf(t)
	memory := typ
	if typ == lir.I1 {
		memory = lir.I8
	}
	l.b.Func.Params = append(l.b.Func.Params, lir.Param{Name: p.Name, Type: memory, Pointer: t.IsPtr(), Align: max(p.Divisibility, 1), Elem: l.pointeeOf(t)})
	v := l.b.Pure(lir.OpParam, 0, memory, int64(i))
	if typ == lir.I1 {
		return l.isNonZero(v)
	}
	return v
}

// pointeeOf gives what a pointer to memory points to.
func (l *lowerer) pointeeOf(t tile.Type) lir.Type {
	if !t.IsPtr() {
		return lir.None
	}
	return stored(l.typeOf(t.Pointee()))
}

// typeOf gives the type of an element in a register.
func (l *lowerer) typeOf(t tile.Type) lir.Type {
	if t.IsPtr() {
		return lir.I64
	}
	switch t.Elem() {
	case tile.BF16:
		return lir.BF16
	case tile.F16:
		return lir.F16
	case tile.F32:
		return lir.F32
	case tile.F64:
		return lir.F64
	}
	return lir.Int(t.ElemBits())
}

// refuse ends the lowering with an error at the operation that is being lowered.
func (l *lowerer) refuse(format string, args ...any) {
	panic(refusal{diag.At(diag.Unsupported, l.place(), format, args...).WithCode("lowering")})
}

// place gives the place in the source of the operation that is being lowered.
func (l *lowerer) place() diag.Place {
	if l.op == nil {
		return diag.Place{}
	}
	return l.m.Locs.Outer(l.op.Loc).Place(l.o.LineText) // the kernel's own line says more than the library's
}

func (l *lowerer) thread() *lir.Value { return l.b.Pure(lir.OpThreadID, 0, lir.I32, 0) }

func (l *lowerer) lane() *lir.Value {
	if l.o.Warps == 1 {
		return l.thread()
	}
	return l.and(l.thread(), l.o.WarpSize-1)
}

func (l *lowerer) warp() *lir.Value {
	if l.o.Warps == 1 {
		return l.b.I32(0)
	}
	return l.shr(l.thread(), log2(l.o.WarpSize))
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }

// remember gives what was computed for a question in this block or an enclosing one.
func (l *lowerer) remember(q asked) ([]*lir.Value, bool) {
	for i := len(l.memo) - 1; i >= 0; i-- {
		if v, ok := l.memo[i][q]; ok {
			return v, true
		}
	}
	return nil, false
}

// within runs build in a region: what it finds out is forgotten at its end.
func (l *lowerer) within(build func() []*lir.Value) []*lir.Value {
	l.memo = append(l.memo, map[asked][]*lir.Value{})
	vals := build()
	l.memo = l.memo[:len(l.memo)-1]
	return vals
}

// block lowers the operations of a block but its terminator's.
func (l *lowerer) block(b *tile.Block) {
	l.depths[b] = placeInCode{l.b.Depth(), len(l.memo)}
	for _, op := range b.Ops {
		l.op, l.b.Loc = op, op.Loc
		l.operation(op)
	}
}

// operation lowers one operation in its place.
func (l *lowerer) operation(op *tile.Op) {
	if lower := inPlace[op.Code]; lower != nil {
		if !mayPend[op.Code] {
			l.settle()
		}
		lower(l, op)
		return
	}
	if op.Code.IsTerminator() || len(op.Results) == 0 {
		return
	}
	if isScalar(op) {
		l.setScalars(op, l.compute(op, l.scalars(op.Args)))
		return
	}
	l.hold(op)
}

// isScalar reports whether an operation has to do with scalars only.
func isScalar(op *tile.Op) bool {
	for _, list := range [...][]*tile.Value{op.Results, op.Args} {
		for _, v := range list {
			if !v.Type.IsScalar() {
				return false
			}
		}
	}
	return true
}

// set says what there is of a value.
func (l *lowerer) set(v *tile.Value, h held) {
	l.vals[v.ID] = h
	l.note(v, h)
	l.name(v, h)
}

// name says what values are called in the kernel. Tiles without a name are told too, as their registers belong together.
func (l *lowerer) name(v *tile.Value, h held) {
	switch {
	case h.scalar != nil && v.Name != "" && !h.scalar.IsConst():
		l.named(v.Name, h.scalar)
	case h.step != nil && v.Name != "":
		l.named(v.Name+"_offset", h.step)
	case h.regs != nil:
		l.named(v.Name, h.regs...)
	}
}

func (l *lowerer) named(name string, regs ...*lir.Value) {
	l.b.Func.Tiles = append(l.b.Func.Tiles, lir.Tile{Name: name, Regs: regs})
}

func (l *lowerer) scalar(v *tile.Value) *lir.Value {
	if v.Op != nil && v.Op.Code == tile.OpConst {
		return l.constant(v)
	}
	return l.vals[v.ID].scalar
}

func (l *lowerer) scalars(vs []*tile.Value) []*lir.Value {
	out := make([]*lir.Value, len(vs))
	for i, v := range vs {
		out[i] = l.scalar(v)
	}
	return out
}

func (l *lowerer) setScalars(op *tile.Op, vals []*lir.Value) {
	for i, r := range op.Results {
		l.set(r, held{scalar: vals[i]})
	}
}

func (l *lowerer) constant(v *tile.Value) *lir.Value {
	return l.b.Const(l.typeOf(v.Type), v.Op.Attr.(tile.ConstAttr).Bits)
}
