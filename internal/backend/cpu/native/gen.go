package native

import (
	"encoding/binary"
	"fmt"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

type reg = amd64.Reg

const none = amd64.None

// An inst is a machine instruction with virtual registers, and the kernel's line that it is for. One
// without an operation binds the label Target.
type inst struct {
	amd64.Inst
	loc tile.Loc
}

// A generator makes the code of one kernel.
type generator struct {
	*isa
	module   *tile.Module
	fn       *tile.Func
	opts     Options
	services []*service
	cur      *list
	spare    [][]inst // arrays of lists that are done with
	loc      tile.Loc
	classes  []amd64.Class // of the virtual registers
	labels   int

	maskWidths map[reg]int    // bytes of a lane, of masks that are in vectors
	maskBits   map[reg]uint32 // of those that are constant: a bit for each lane of 4 bytes

	pool   []byte // constants
	consts map[string]int

	frame   int // bytes of the frame so far
	scratch int // where lanes are taken apart in memory

	env       map[*tile.Value]*val    // scalars
	bufs      map[*tile.Value]*buffer // tiles in memory
	spread    []spread                // masks and numbers that are in buffers for the nests that repeat them
	holding   map[*tile.Value]bool    // masks that hold everywhere in the code that is being written
	vacant    []*buffer               // that nothing is in any more
	plan      *plan
	derived   map[*tile.Value]*derived
	fetch     *fetch           // what elementwise work in a loop asks for
	following []following      // what the next program loads in a loop like the one that is being written
	streamed  bool             // something is written past the caches
	trips     []trip           // the loops that the code is in
	cached    map[*tile.Op]reg // not 0 where stores have to go to the caches, of loops that have been entered
	shelves   []*shelf
	inPlace   map[*tile.Op]*buffer // where dot products may work
	deferred  map[*tile.Op]*deferral
	numbers   map[*tile.Op]reg // of products that a loop does not put off: how often it has computed each
	packed    map[packedOperand]*operand
	users     map[*tile.Value][]*tile.Op // made when they are asked for
	axisFacts *pass.Facts[pass.AxisInfo] // made when they are asked for
	at        *tile.Op                   // what is being compiled, for refusals

	saved       saved
	goOn, pause amd64.Label
	stubs       []stub
}

// A stub is code that lies behind the kernel's, as it seldom runs.
type stub struct {
	from amd64.Label
	loc  tile.Loc
	emit func()
}

// A refusal ends the compilation of a kernel that needs something that is not there yet. It travels as a
// panic from the depth of an expression to Compile, the only place that recovers it.
type refusal struct {
	op  *tile.Op
	why string
}

func (g *generator) refuse(format string, args ...any) {
	panic(refusal{g.at, fmt.Sprintf(format, args...)})
}

func (g *generator) newReg(c amd64.Class) reg {
	g.classes = append(g.classes, c)
	return amd64.FirstVirtual + reg(len(g.classes)-1)
}

func (g *generator) gpr() reg  { return g.newReg(amd64.General) }
func (g *generator) vec() reg  { return g.newReg(amd64.Vector) }
func (g *generator) mask() reg { return g.newReg(g.masks) }

// emit writes an instruction, or what does the same on the machine that code is made for.
func (g *generator) emit(i amd64.Inst) {
	if g.selects == nil {
		g.put(i)
		return
	}
	g.selects(g, i)
}

// put appends an instruction that the machine has.
func (g *generator) put(i amd64.Inst) {
	if g.selects != nil && i.IsEVEX() {
		bad := i // which alone goes to the heap
		panic(fmt.Sprintf("%s is not an instruction of %s", &bad, g.name))
	}
	g.makeRoom(1)
	g.cur.insts = append(g.cur.insts, inst{i, g.loc})
}

// within emits what f does to another list.
func (g *generator) within(l *list, f func()) {
	old := g.cur
	g.cur = l
	f()
	g.cur = old
}

func (g *generator) label() amd64.Label {
	g.labels++
	return amd64.Label(g.labels - 1)
}

func (g *generator) bind(l amd64.Label) {
	i := ins(amd64.BadOp)
	i.Target = l
	g.emit(i)
}

func (g *generator) jcc(cc amd64.CC, l amd64.Label) {
	i := ins(amd64.JCC)
	i.CC, i.Target = cc, l
	g.emit(i)
}

func (g *generator) jmp(l amd64.Label) {
	i := ins(amd64.JMP)
	i.Target = l
	g.emit(i)
}

// ins makes an instruction without operands.
func ins(op amd64.Op) amd64.Inst {
	return amd64.Inst{Op: op, A: none, B: none, C: none, K: none, L: amd64.Z}
}

// op3 emits an instruction of registers with an immediate.
func (g *generator) op3(op amd64.Op, a, b, c reg, imm int64) {
	i := ins(op)
	i.A, i.B, i.C, i.Imm = a, b, c, imm
	g.emit(i)
}

// rvm emits a vector operation of two operands and gives its result.
func (g *generator) rvm(op amd64.Op, b, c reg) reg {
	d := g.vec()
	g.op3(op, d, b, c, 0)
	return d
}

func (g *generator) rvmi(op amd64.Op, b, c reg, imm int64) reg {
	d := g.vec()
	g.op3(op, d, b, c, imm)
	return d
}

// rm emits a vector operation of one operand and gives its result.
func (g *generator) rm(op amd64.Op, b reg) reg {
	d := g.vec()
	g.op3(op, d, b, none, 0)
	return d
}

func (g *generator) rmi(op amd64.Op, b reg, imm int64) reg {
	d := g.vec()
	g.op3(op, d, b, none, imm)
	return d
}

// narrowed emits an operation whose destination is its second register: vextract, vpmovdw, vcvtps2ph.
func (g *generator) narrowed(op amd64.Op, a reg, imm int64) reg {
	i := ins(op)
	i.A, i.B, i.Imm = a, g.vec(), imm
	g.emit(i)
	return i.B
}

// cmp emits a comparison into a mask.
func (g *generator) cmp(op amd64.Op, b, c reg, pred int64) reg {
	k := g.mask()
	g.op3(op, k, b, c, pred)
	return k
}

func (g *generator) kop(op amd64.Op, b, c reg, imm int64) reg {
	k := g.mask()
	g.op3(op, k, b, c, imm)
	return k
}

// fma gives x*y+z.
func (g *generator) fma(w int, x, y, z reg) reg {
	d := g.move(z)
	g.op3(pick(w, amd64.VFMADD231PS, amd64.VFMADD231PD), d, x, y, 0)
	return d
}

// move copies a vector.
func (g *generator) move(v reg) reg { return g.rm(amd64.VMOVAPS, v) }

// blend gives y where k, else x.
func (g *generator) blend(w int, k, x, y reg) reg {
	i := ins(pick(w, amd64.VPBLENDMD, amd64.VPBLENDMQ))
	i.A, i.B, i.C, i.K = g.vec(), x, y, k
	g.emit(i)
	return i.A
}

// pick chooses between the variants of an instruction for elements of 4 and 8 bytes.
func pick(w int, d, q amd64.Op) amd64.Op {
	if w == 8 {
		return q
	}
	return d
}

func (g *generator) load(op amd64.Op, a reg, m amd64.Mem) {
	i := ins(op)
	i.A, i.HasMem, i.M = a, true, m
	g.emit(i)
}

func (g *generator) store(op amd64.Op, a reg, m amd64.Mem) { g.load(op, a, m) }

// gloadFrame and gstoreFrame move general registers to and from the frame.
func (g *generator) frameLoad(op amd64.Op, off int) reg {
	r := g.gpr()
	g.load(op, r, amd64.At(amd64.RDI, int32(off)))
	return r
}

// constant puts bytes into the pool and gives their place.
func (g *generator) constant(align int, b []byte) amd64.Mem {
	key := string(b)
	off, ok := g.consts[key]
	if !ok || off%align != 0 {
		for len(g.pool)%align != 0 {
			g.pool = append(g.pool, 0)
		}
		off = len(g.pool)
		g.pool = append(g.pool, b...)
		g.consts[key] = off
	}
	return amd64.Pool(off)
}

// splatBits makes a vector of a constant element of w bytes.
func (g *generator) splatBits(w int, bits uint64) reg {
	if bits == 0 {
		z := g.vec()
		i := ins(amd64.VPXORD)
		i.A, i.B, i.C = z, z, z
		g.emit(i)
		return z
	}
	v := g.vec()
	if w == 8 {
		g.load(amd64.VPBROADCASTQ, v, g.constant(8, binary.LittleEndian.AppendUint64(nil, bits)))
	} else {
		g.load(amd64.VPBROADCASTD, v, g.constant(4, binary.LittleEndian.AppendUint32(nil, uint32(bits))))
	}
	return v
}

// laneConst makes a vector of constants of 4 bytes.
func (g *generator) laneConst(x []int32) reg {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	v := g.vec()
	g.load(amd64.VMOVUPS, v, g.constant(64, b))
	return v
}

// alloc reserves bytes of the frame at a multiple of 64.
func (g *generator) alloc(n int) int {
	off := (g.frame + 63) &^ 63
	g.frame = off + n
	return off
}

// quadConst makes a vector of constants of 8 bytes.
func (g *generator) quadConst(x []int64) reg {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	v := g.vec()
	g.load(amd64.VMOVUPD, v, g.constant(64, b))
	return v
}
