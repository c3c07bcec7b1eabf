package native

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/code"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/legalize"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// Options are what a caller may say about a program.
type Options struct {
	// LineText gives a line of a source file for diagnostics and listings, "" if unknown. It may be nil.
	LineText func(file string, line int) string
	// Listing has the code written as text, too.
	Listing bool
	// Features are the instructions to use; "" stands for the best that the processor has.
	Features Features

	streams int  // the bytes from which on stores go past the caches; 0: streamBytes
	inPlace bool // no load may happen later than it stands: arrays may overlap

	see func(*amd64.Inst) // is shown every instruction, if not nil
}

// A Program is a kernel as machine code. It is immutable; Run may be called concurrently.
type Program struct {
	name     string
	features Features
	code     *code.Code
	listing  string
	params   int
	names    []string // of the parameters
	frame    int
	apart    []Overlap
	inPlace  func() (*Program, error) // for launches whose arrays overlap otherwise; made when there is one
	services []*service
	waits    bool         // programs may wait for one another
	shelves  bool         // what a program needs may be what the one before it had
	each     atomic.Int64 // what a program costs, in fuel, as far as it is known
	frames   sync.Pool    // of *frame
}

// Compile makes machine code of the kernel of a verified module, m.Funcs[0], which it does not change. Operations that there is
// no code for are left to the checked executor; what cannot be left to it either is refused with a diag.Unsupported at its line.
func Compile(m *tile.Module, opts Options) (*Program, error) {
	target, why := isaOf(opts.Features)
	if target == nil {
		return nil, diag.New(diag.Unsupported, "native", "%s", why)
	}
	if len(m.Funcs) == 0 {
		return nil, diag.New(diag.Compile, "no-kernel", "the module has no function")
	}
	if legal := legalize.Module(m, legalize.Native{}); legal != m {
		pass.Run(legal, pass.Options{})
		m = legal
	}
	outlined := map[*tile.Op]string{}
	m.Funcs[0].Body.Walk(func(op *tile.Op) {
		if neverCompiled(op.Code) {
			outlined[op] = op.Code.String()
		}
	})
	for {
		p, r, err := try(m, target, opts, outlined)
		if r == nil {
			return p, err
		}
		op := enclosing(m.Funcs[0].Body, r.op)
		if _, again := outlined[op]; op == nil || again || !canOutline(op) {
			return nil, refusedError(m, *r, opts)
		}
		alike(m.Funcs[0].Body, op, r.why, outlined)
	}
}

// try compiles a module with some operations left to the executor.
func try(m *tile.Module, target *isa, opts Options, outlined map[*tile.Op]string) (p *Program, refused *refusal, err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if ref, ok := r.(refusal); ok {
			refused = &ref
			return
		}
		err = diag.New(diag.Driver, "internal", "internal error of the native compiler in %s: %v\n%s", m.Funcs[0].Name, r, debug.Stack())
	}()
	p, err = compile(m, target, opts, outlined)
	return p, nil, err
}

func compile(m *tile.Module, target *isa, opts Options, outlined map[*tile.Op]string) (*Program, error) {
	f := m.Funcs[0]
	g := &generator{
		isa: target, maskWidths: map[reg]int{}, maskBits: map[reg]uint32{},
		module: m, fn: f, opts: opts, consts: map[string]int{}, env: map[*tile.Value]*val{}, bufs: map[*tile.Value]*buffer{},
		inPlace: map[*tile.Op]*buffer{}, deferred: map[*tile.Op]*deferral{}, numbers: map[*tile.Op]reg{}, packed: map[packedOperand]*operand{}, holding: map[*tile.Value]bool{}, derived: map[*tile.Value]*derived{}, cached: map[*tile.Op]reg{}, plan: planFor(f, outlined, opts, target), cur: &list{},
		frame: argOff + 8*len(f.Body.Args),
	}
	g.saved = g.newSaved()
	g.scratch = g.alloc(scratchBytes)
	g.kernel(f)
	insts, frame := target.allocate(g.cur.insts, g.classes, (g.frame+63)&^63)
	text, listing, err := assemble(insts, g, opts)
	if err != nil {
		return nil, diag.New(diag.Driver, "internal", "native code of %s: %v", f.Name, err)
	}
	c, err := code.New(text)
	if err != nil {
		return nil, diag.New(diag.Driver, "native-memory", "native code of %s: %v", f.Name, err)
	}
	p := &Program{inPlace: sync.OnceValues(func() (*Program, error) {
		opts.inPlace, opts.Listing = true, false
		return Compile(m, opts)
	}), name: f.Name, code: c, listing: listing, params: len(f.Body.Args), frame: frame + 64, features: target.name, services: g.services, waits: waits(f), shelves: len(g.shelves) > 0}
	for i := range f.Body.Args {
		p.names = append(p.names, paramName(f, i))
	}
	for pair, same := range g.plan.pairs {
		p.apart = append(p.apart, Overlap{int(pair[0].Index), int(pair[1].Index), same})
	}
	slices.SortFunc(p.apart, func(a, b Overlap) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	if opts.Listing {
		p.listing = p.heading(m, opts) + p.listing
	}
	return p, nil
}

// waits reports whether a program may wait for another one: in a loop, it looks at what others write. Atomics whose result nobody uses
// do not look.
func waits(f *tile.Func) bool {
	used := map[*tile.Value]bool{}
	f.Body.Walk(func(op *tile.Op) {
		for _, v := range op.Args {
			used[v] = true
		}
	})
	loops, reads := false, false
	f.Body.Walk(func(op *tile.Op) {
		loops = loops || op.Code == tile.OpWhile || op.Code == tile.OpFor || op.Code == tile.OpCall
		reads = reads || isAtomic(op.Code) && len(op.Results) > 0 && used[op.Results[0]]
		if op.Code == tile.OpAtomicPoll {
			loops, reads = true, true
		}
		if a, ok := op.Attr.(tile.LoadAttr); ok && a.Volatile {
			reads = true
		}
	})
	return loops && reads
}

func paramName(f *tile.Func, i int) string {
	if i < len(f.Params) && f.Params[i].Name != "" {
		return f.Params[i].Name
	}
	return fmt.Sprintf("argument %d", i)
}

// kernel emits the loop over the programs of a call around the kernel's body.
func (g *generator) kernel(f *tile.Func) {
	g.prologue()
	start := g.cur
	g.cur = &list{}
	g.countPrograms()
	top, row, done := g.label(), g.label(), g.label()
	g.bind(top)
	m := g.cur.mark()
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
	g.jcc(amd64.CCE, done)
	cost := g.backEdge(m)
	g.jmp(top)
	g.bind(done)
	g.op3(amd64.ADDI, fuelReg, none, none, -cost)
	g.epilogue()
	g.within(start, g.clearShelves)
	g.cur.insts = slices.Insert(g.cur.insts, 0, start.insts...)
}

// usualBytes is how long an instruction is, or shorter.
const usualBytes = 8

// assemble encodes instructions and lists them under the kernel's lines.
func assemble(insts []inst, g *generator, opts Options) ([]byte, string, error) {
	var a amd64.Assembler
	a.Reserve(len(insts)*usualBytes + len(g.pool))
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
			if opts.Listing {
				fmt.Fprintf(&b, ".L%d:\n", c.Target)
			}
			continue
		}
		if c.Op == amd64.MOV && !c.HasMem && c.A == c.B || c.Op == amd64.VMOVAPS && c.K == none && c.A == c.B {
			continue
		}
		if opts.Listing {
			if c.loc != last {
				last = c.loc
				lineComment(&b, g.module.Locs.At(c.loc), opts)
			}
			fmt.Fprintf(&b, "%6x\t%s\n", a.Offset(), &c.Inst)
		}
		if opts.see != nil {
			opts.see(&c.Inst)
		}
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

// heading says what the code takes for granted, and what it leaves to the checked executor.
func (p *Program) heading(m *tile.Module, opts Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "; %s: instructions of %s, %d bytes of memory for each thread\n", p.name, p.features, p.frame)
	for _, o := range p.apart {
		same := ""
		if o.Same {
			same = ", or are the same"
		}
		fmt.Fprintf(&b, "; the arrays %s and %s do not overlap%s: where they do, other code runs, which keeps what it loads\n", p.names[o.A], p.names[o.B], same)
	}
	for i, s := range p.services {
		at := m.Locs.At(s.loc)
		fmt.Fprintf(&b, "; service %d, %s:%d: the checked executor does %s\n", i, at.File, at.Line, cmp.Or(s.why, "what this check finds"))
	}
	return b.String()
}

// Listing gives the code as text, with the kernel's lines as comments, if Options asked for it.
func (p *Program) Listing() string { return p.listing }

// Features gives the instructions that the code is made of.
func (p *Program) Features() Features { return p.features }

// FrameBytes gives the memory that a worker needs.
func (p *Program) FrameBytes() int { return p.frame }
