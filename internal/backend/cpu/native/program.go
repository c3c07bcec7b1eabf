package native

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/code"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// The frame begins with what a call is about.
const (
	pidOff   = 0  // the program's place in the grid, three i32
	gridOff  = 16 // the grid
	countOff = 32 // how many programs are left
	zeroOff  = 40 // 8 bytes of zeros, which masked-off loads read
	argOff   = 64 // the arguments, 8 bytes each
)

// Options are what a caller may say about a program.
type Options struct {
	// LineText gives a line of a source file for diagnostics and listings, "" if unknown. It may be nil.
	LineText func(file string, line int) string
}

// A Program is a kernel as machine code. It is immutable; Run may be called concurrently.
type Program struct {
	name    string
	code    *code.Code
	listing string
	params  int
	frame   int
	apart   []overlap
	frames  sync.Pool // of *frame
}

// An overlap is a pair of parameters whose arrays may not overlap, but that they begin at the same place if
// same is set.
type overlap struct {
	a, b int
	same bool
}

// Supported says why there is no native code on this machine; "" if there is.
func Supported() string {
	switch {
	case !code.Supported:
		return "there is no native code for " + runtime.GOOS + "/" + runtime.GOARCH
	case !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512DQ || !cpu.X86.HasAVX512VL || !cpu.X86.HasBMI1:
		return "the processor has no AVX-512 (F, BW, DQ, VL)"
	}
	return ""
}

// Compile makes machine code of the kernel of a verified module, m.Funcs[0], which it does not change. What cannot be
// compiled is refused with a diag.Unsupported at its line.
func Compile(m *tile.Module, opts Options) (p *Program, err error) {
	if why := Supported(); why != "" {
		return nil, diag.New(diag.Unsupported, "native", "%s", why)
	}
	if len(m.Funcs) == 0 {
		return nil, diag.New(diag.Compile, "no-kernel", "the module has no function")
	}
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		ref, ok := r.(refusal)
		if !ok {
			panic(r)
		}
		p, err = nil, refused(m, ref, opts)
	}()
	return compile(m, opts)
}

func refused(m *tile.Module, r refusal, opts Options) error {
	e := diag.New(diag.Unsupported, "native", "native code does not have %s", r.why)
	if r.op != nil {
		at := m.Locs.At(r.op.Loc)
		e.Place = diag.Place{File: at.File, Line: int(at.Line), Col: int(at.Col), EndCol: int(at.EndCol)}
		if opts.LineText != nil && at.Line > 0 {
			e.Place.Text = opts.LineText(at.File, int(at.Line))
		}
	}
	return e
}

func compile(m *tile.Module, opts Options) (*Program, error) {
	f := m.Funcs[0]
	g := &generator{
		module: m, fn: f, consts: map[string]int{}, env: map[*tile.Value]*val{}, bufs: map[*tile.Value]*buffer{},
		inPlace: map[*tile.Op]*buffer{}, derived: map[*tile.Value]*derived{}, plan: planFor(f), cur: &list{},
		frame: argOff + 8*len(f.Body.Args),
	}
	g.scratch = g.alloc(256)
	g.kernel(f)
	insts, frame := allocate(g.cur.insts, g.classes, (g.frame+63)&^63)
	text, listing, err := assemble(insts, g, opts)
	if err != nil {
		return nil, diag.New(diag.Driver, "internal", "native code of %s: %v", f.Name, err)
	}
	c, err := code.New(text)
	if err != nil {
		return nil, diag.New(diag.Driver, "native-memory", "native code of %s: %v", f.Name, err)
	}
	p := &Program{name: f.Name, code: c, listing: listing, params: len(f.Body.Args), frame: frame + 64}
	for pair, same := range g.plan.pairs {
		p.apart = append(p.apart, overlap{int(pair[0].Index), int(pair[1].Index), same})
	}
	return p, nil
}

// kernel emits the loop over the programs of a call around the kernel's body.
func (g *generator) kernel(f *tile.Func) {
	top, row := g.label(), g.label()
	g.bind(top)
	for i, v := range f.Body.Args {
		d := newVal(v.Type)
		d.uni, d.shared = true, true
		off := argOff + 8*i
		switch {
		case isInt(v.Type):
			d.g = g.frameLoad(amd64.MOV, off)
		case v.Type.ElemBits() == 64:
			r := g.vec()
			g.load(amd64.VPBROADCASTQ, r, amd64.At(amd64.RDI, int32(off)))
			d.v = [2]reg{r, r}
		case v.Type.Elem().IsFP8():
			g.refuse("a float8 argument")
		default:
			r := g.vec()
			g.load(amd64.VPBROADCASTD, r, amd64.At(amd64.RDI, int32(off)))
			d.v = [2]reg{g.straight().fromBits(v.Type, r), none}
		}
		g.env[v] = d
	}
	g.block(f.Body)
	x := g.frameLoad(amd64.MOVL, pidOff)
	g.op3(amd64.ADDLI, x, none, none, 1)
	g.store(amd64.MOVLst, x, amd64.At(amd64.RDI, pidOff))
	g.load(amd64.CMPL, x, amd64.At(amd64.RDI, gridOff))
	g.jcc(amd64.CCB, row)
	zero := g.gpr()
	g.op3(amd64.XORL, zero, zero, none, 0)
	g.store(amd64.MOVLst, zero, amd64.At(amd64.RDI, pidOff))
	y := g.frameLoad(amd64.MOVL, pidOff+4)
	g.op3(amd64.ADDLI, y, none, none, 1)
	g.store(amd64.MOVLst, y, amd64.At(amd64.RDI, pidOff+4))
	g.load(amd64.CMPL, y, amd64.At(amd64.RDI, gridOff+4))
	g.jcc(amd64.CCB, row)
	g.store(amd64.MOVLst, zero, amd64.At(amd64.RDI, pidOff+4))
	z := g.frameLoad(amd64.MOVL, pidOff+8)
	g.op3(amd64.ADDLI, z, none, none, 1)
	g.store(amd64.MOVLst, z, amd64.At(amd64.RDI, pidOff+8))
	g.bind(row)
	n := g.frameLoad(amd64.MOV, countOff)
	g.op3(amd64.ADDI, n, none, none, -1)
	g.store(amd64.MOVst, n, amd64.At(amd64.RDI, countOff))
	g.jcc(amd64.CCNE, top)
	g.emit(ins(amd64.VZEROUPPER))
	g.emit(ins(amd64.RET))
}

// assemble encodes instructions and lists them under the kernel's lines.
func assemble(insts []inst, g *generator, opts Options) ([]byte, string, error) {
	var a amd64.Assembler
	for range g.labels {
		a.NewLabel()
	}
	a.SetPool(g.pool)
	var b strings.Builder
	last := tile.Loc(-1)
	for i := range insts {
		c := &insts[i]
		if c.Op == amd64.BadOp {
			a.Bind(c.Target)
			fmt.Fprintf(&b, ".L%d:\n", c.Target)
			continue
		}
		if c.Op == amd64.MOV && !c.HasMem && c.A == c.B || c.Op == amd64.VMOVAPS && c.K == none && c.A == c.B {
			continue
		}
		if c.loc != last {
			last = c.loc
			lineComment(&b, g.module.Locs.At(c.loc), opts)
		}
		fmt.Fprintf(&b, "%6x\t%s\n", a.Offset(), &c.Inst)
		a.Emit(&c.Inst)
	}
	text, err := a.Finish()
	return text, b.String(), err
}

func lineComment(b *strings.Builder, at tile.Location, opts Options) {
	if at.Line == 0 {
		return
	}
	fmt.Fprintf(b, "\t; %s:%d", at.File, at.Line)
	if opts.LineText != nil {
		fmt.Fprintf(b, "  %s", strings.TrimSpace(opts.LineText(at.File, int(at.Line))))
	}
	b.WriteByte('\n')
}

// Listing gives the code as text, with the kernel's lines as comments.
func (p *Program) Listing() string { return p.listing }

// FrameBytes gives the memory that a worker needs.
func (p *Program) FrameBytes() int { return p.frame }

// An Arg is one argument: a scalar's bits, zero-extended, or an array's memory.
type Arg struct {
	Bits  uint64
	Base  unsafe.Pointer // nil for scalars
	Bytes int64
}

// A Launch is what one run of a program takes.
type Launch struct {
	Grid    [3]int32
	Args    []Arg
	Threads int // 0: GOMAXPROCS
}

// ErrOverlap says that arrays overlap in a way that the code was not made for; nothing has run.
var ErrOverlap = diag.New(diag.Unsupported, "native-overlap", "arrays overlap in a way that native code is not made for")

// Run runs every program instance of the grid. When ctx is done, it stops between calls of the code.
func (p *Program) Run(ctx context.Context, l Launch) error {
	if len(l.Args) != p.params {
		return diag.New(diag.Argument, "argument-count", "%s takes %d arguments, not %d", p.name, p.params, len(l.Args))
	}
	total := uint64(1)
	for axis, n := range l.Grid {
		if n < 1 {
			return diag.New(diag.Grid, "not-positive", "Grid must contain 1 to 3 positive integer dimensions. Axis %d is %d.", axis, n)
		}
		hi, lo := bits.Mul64(total, uint64(n))
		if hi != 0 || lo > math.MaxInt64 {
			return diag.New(diag.Grid, "too-large", "a grid of %d × %d × %d has too many program instances", l.Grid[0], l.Grid[1], l.Grid[2])
		}
		total = lo
	}
	for _, o := range p.apart {
		if collide(&l.Args[o.a], &l.Args[o.b], o.same) {
			return ErrOverlap
		}
	}
	r := &runner{program: p, launch: &l, total: int64(total)}
	r.run(ctx)
	runtime.KeepAlive(l.Args)
	if ctx.Err() != nil && r.done.Load() != r.total {
		return context.Cause(ctx)
	}
	return nil
}

func collide(a, b *Arg, same bool) bool {
	if a.Base == nil || b.Base == nil || same && a.Base == b.Base {
		return false
	}
	x, y := uintptr(a.Base), uintptr(b.Base)
	return x < y+uintptr(b.Bytes) && y < x+uintptr(a.Bytes)
}

// A runner deals out program instances to workers.
type runner struct {
	program *Program
	launch  *Launch
	total   int64
	next    atomic.Int64
	done    atomic.Int64
	stopped atomic.Bool
}

// callTime is how long one call of the code should take: long enough for what surrounds it to cost nothing,
// short enough for a garbage collection to wait for it. Its unit is nanoseconds.
const callTime = 50_000

func (r *runner) run(ctx context.Context) {
	threads := r.launch.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { r.stopped.Store(true) })
		defer stop()
	}
	workers := int(min(int64(threads), r.total))
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(r.work)
	}
	r.work()
	wg.Wait()
}

// work runs instances, as many in one call as take about callTime.
func (r *runner) work() {
	f := r.program.frameOf(r.launch)
	defer r.program.frames.Put(f)
	batch := int64(1)
	for !r.stopped.Load() {
		n := min(batch, max(1, r.total/16))
		first := r.next.Add(n) - n
		if first >= r.total {
			return
		}
		n = min(n, r.total-first)
		start := nanotime()
		f.call(r.program.code, r.launch.Grid, first, n)
		took := nanotime() - start
		r.done.Add(n)
		switch {
		case took < callTime/2:
			batch *= 2
		case took > 2*callTime && batch > 1:
			batch /= 2
		}
	}
}

// A frame is a worker's memory.
type frame struct {
	memory []uint64
	base   unsafe.Pointer
}

func (p *Program) frameOf(l *Launch) *frame {
	f, ok := p.frames.Get().(*frame)
	if !ok {
		f = &frame{memory: make([]uint64, p.frame/8+8)}
		base := unsafe.Pointer(unsafe.SliceData(f.memory))
		f.base = unsafe.Add(base, -uintptr(base)&63)
	}
	for i, a := range l.Args {
		bits := a.Bits
		if a.Base != nil {
			bits = uint64(uintptr(a.Base))
		}
		*(*uint64)(unsafe.Add(f.base, argOff+8*i)) = bits
	}
	return f
}

func (f *frame) call(c *code.Code, grid [3]int32, first, n int64) {
	pid := (*[3]int32)(unsafe.Add(f.base, pidOff))
	x, y := int64(grid[0]), int64(grid[1])
	*pid = [3]int32{int32(first % x), int32(first / x % y), int32(first / x / y)}
	*(*[3]int32)(unsafe.Add(f.base, gridOff)) = grid
	*(*int64)(unsafe.Add(f.base, countOff)) = n
	c.Call(f.base)
}
