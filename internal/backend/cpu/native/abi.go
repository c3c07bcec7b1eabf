package native

import (
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/code"
)

// The frame begins with what a call is about; doc.go says what each is for.
const (
	pidOff    = 0  // the program's place in the grid, three i32
	keptOff   = 12 // i32: not 0 if this call goes on with the launch of the last one, so that what the code has kept of arrays is good
	gridOff   = 16 // the grid, three i32
	countOff  = 32 // i64: how many programs are left
	zeroOff   = 40 // 8 bytes of zeros, which masked-off loads read
	fuelOff   = 48 // i64: what the code may do before it returns with paused
	resumeOff = 56 // where a call goes on, an address in the code; 0: at the beginning
	argOff    = 64 // the arguments, 8 bytes each
)

// A status is what a call of the code returns.
type status = int64

const (
	finished status = 0 // count programs have run
	paused   status = 1 // the fuel is used up; the next call goes on
)

// frameAlign is the alignment of a frame.
const frameAlign = 64

// The registers that C functions keep; of those, the code leaves rsp and rbp alone and saves the others.
var kept = []reg{amd64.RBX, amd64.R12, amd64.R13, amd64.R14, amd64.R15}

// fuelReg holds the fuel while the code runs.
const fuelReg = amd64.R14

// defaultMXCSR is how floats are computed: round to nearest, subnormal numbers as they are, no exceptions.
const defaultMXCSR = 0x1f80

// An Overlap is a pair of parameters whose arrays may not overlap, except that they may be the same place if
// Same is set.
type Overlap struct {
	A, B int
	Same bool
}

// An ABI is what code that is not Go's has to know to call a program. It is good for as long as the Program is referred to.
type ABI struct {
	Entry      uintptr // int64_t entry(void *frame), position fixed
	FrameBytes int     // of a frame
	FrameAlign int
	Params     int // arguments lie at ArgOffset, 8 bytes each
	ArgOffset  int
	Overlaps   []Overlap
	NeedsGo    bool  // some operation is done by the checked executor; only Run can run the program
	Waits      bool  // programs may wait for one another: several need as many threads
	Small      int64 // fuel: a launch that takes less is not worth others' help
}

// ABI gives how to call the code directly.
func (p *Program) ABI() ABI {
	return ABI{
		Entry: p.code.Entry(), FrameBytes: p.frame, FrameAlign: frameAlign,
		Params: p.params, ArgOffset: argOff, Overlaps: p.apart, NeedsGo: len(p.services) > 0,
		Waits: p.waits, Small: smallLaunch,
	}
}

// Cost gives what a program took in the last launch, in fuel; 0 if there was none.
func (p *Program) Cost() int64 { return p.each.Load() }

// Fault makes the error of a memory fault that a direct call of the code met: what was accessed, and by which program.
func (p *Program) Fault(addr uintptr, pid [3]int32, args []Arg) error {
	return p.fault(&code.Fault{Addr: addr}, &header{pid: pid}, args)
}

// saved are places in the frame for registers.
type saved struct {
	kept, mxcsr int
	programs    int // how many the launch has
	live        int // of all registers that hold values
}

func (g *generator) newSaved() saved {
	return saved{kept: g.alloc(8 * len(kept)), mxcsr: g.alloc(8), programs: g.alloc(8), live: g.alloc(g.liveBytes())}
}

// liveBytes is the room for the registers that the allocator gives out.
func (s *isa) liveBytes() int {
	n := 0
	for class, regs := range s.free {
		n += s.spillSize[class] * len(regs)
	}
	return n
}

// prologue saves what the caller keeps, and goes on where the last call paused.
func (g *generator) prologue() {
	for i, r := range kept {
		g.store(amd64.MOVst, r, amd64.At(amd64.RDI, int32(g.saved.kept+8*i)))
	}
	g.memory(amd64.STMXCSR, g.saved.mxcsr, 0)
	g.setMXCSR(defaultMXCSR)
	g.load(amd64.MOV, fuelReg, amd64.At(amd64.RDI, fuelOff))
	g.memory(amd64.CMPMI, resumeOff, 0)
	g.goOn, g.pause = g.label(), g.label()
	g.jcc(amd64.CCNE, g.goOn)
}

// memory emits an instruction on 8 bytes of the frame and an immediate.
func (g *generator) memory(op amd64.Op, off int, imm int64) {
	i := ins(op)
	i.HasMem, i.M, i.Imm = true, amd64.At(amd64.RDI, int32(off)), imm
	g.emit(i)
}

// epilogue ends the code: how it returns, pauses and goes on. All registers that may hold values are saved and loaded, so
// that the code around a pause need not know of it.
func (g *generator) epilogue() {
	leave := g.label()
	g.op3(amd64.XORL, amd64.RAX, amd64.RAX, none, 0)
	g.jmp(leave)
	g.bind(g.goOn)
	g.eachLive(g.reload)
	g.load(amd64.MOV, amd64.RAX, amd64.At(amd64.RDI, resumeOff))
	g.memory(amd64.MOVMI, resumeOff, 0)
	g.op3(amd64.JMPR, amd64.RAX, none, none, 0)
	for _, s := range g.stubs {
		g.loc = s.loc
		g.bind(s.from)
		s.emit()
	}
	g.bind(g.pause)
	g.eachLive(g.spill)
	g.bind(leave)
	if g.streamed { // who waits for the launch has to see it
		g.emit(ins(amd64.SFENCE))
	}
	g.store(amd64.MOVst, fuelReg, amd64.At(amd64.RDI, fuelOff))
	for i, r := range kept {
		g.load(amd64.MOV, r, amd64.At(amd64.RDI, int32(g.saved.kept+8*i)))
	}
	g.memory(amd64.LDMXCSR, g.saved.mxcsr, 0)
	g.emit(ins(amd64.VZEROUPPER))
	g.emit(ins(amd64.RET))
}

// eachLive moves all registers that may hold values from or to the frame.
func (g *generator) eachLive(ops [3]amd64.Op) {
	off := g.saved.live
	for _, class := range []amd64.Class{amd64.Vector, amd64.General, amd64.Mask} {
		for _, r := range g.free[class] {
			g.put(g.transfer(ops[class], r, amd64.At(amd64.RDI, int32(off))))
			off += g.spillSize[class]
		}
	}
}

// maxCharge bounds what one instruction can take from the fuel.
const maxCharge = 1 << 30

// poll lets the code return where it has done enough. Between two polls it does what costs about as much as charge instructions.
// rax holds nothing across instructions of the kernel, so the stub may use it.
func (g *generator) poll(charge int64) {
	g.op3(amd64.ADDI, fuelReg, none, none, -max(1, min(charge, maxCharge)))
	s, back := stub{from: g.label(), loc: g.loc}, g.label()
	s.emit = func() {
		g.exit(back, paused)
	}
	g.stubs = append(g.stubs, s)
	g.jcc(amd64.CCS, s.from)
	g.bind(back)
}

// exit returns with a status; the next call goes on at back.
func (g *generator) exit(back amd64.Label, with status) {
	i := ins(amd64.LEALabel)
	i.A, i.Target = amd64.RAX, back
	g.emit(i)
	g.store(amd64.MOVst, amd64.RAX, amd64.At(amd64.RDI, resumeOff))
	g.movImm(amd64.RAX, uint64(with))
	g.jmp(g.pause)
}

// header are the first fields of a frame, as Go sees them.
type header struct {
	pid    [3]int32
	kept   int32
	grid   [3]int32
	_      int32
	count  int64
	zero   uint64
	fuel   int64
	resume uint64
}

var _ [argOff]byte = [unsafe.Sizeof(header{})]byte{}

// headerOf gives a frame's first fields.
func headerOf(frame unsafe.Pointer) *header { return (*header)(frame) }
