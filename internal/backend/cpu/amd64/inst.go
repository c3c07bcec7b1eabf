package amd64

// A Label is a place in the code; Assembler.Bind gives it one.
type Label int32

// A Mem is a memory operand: Base + Index*Scale + Disp, or a constant of the pool.
type Mem struct {
	Base, Index Reg // None where absent; the index is a vector in gathers and scatters
	Scale       uint8
	Disp        int32
	Const       int32 // 1 + offset in the constant pool; then the rest is not used
}

// At is a memory operand without an index.
func At(base Reg, disp int32) Mem { return Mem{Base: base, Index: None, Disp: disp} }

// Pool is a constant of the pool.
func Pool(offset int) Mem { return Mem{Base: None, Index: None, Const: int32(offset) + 1} }

// A Len is the length of a vector.
type Len uint8

// The lengths: 128, 256 and 512 bits.
const (
	X Len = iota
	Y
	Z
)

func (l Len) bytes() int { return 16 << l }

// An Inst is an instruction. A is the destination (of stores: what is stored), B and C are
// sources; a memory operand stands for the last register of the row's form.
type Inst struct {
	Op      Op
	A, B, C Reg
	K       Reg  // the mask that selects elements; None. In VEX forms it is a vector, of whose elements the highest bits count
	VEX     bool // the VEX form, where there are two
	Zero    bool // elements that K does not select become zero; otherwise they stay
	Bcast   bool // the memory operand is one element, repeated
	HasMem  bool
	L       Len // of vector instructions
	M       Mem
	Imm     int64
	CC      CC
	Target  Label
}

// A CC is a condition code.
type CC uint8

// The condition codes.
const (
	CCO CC = iota
	CCNO
	CCB
	CCAE
	CCE
	CCNE
	CCBE
	CCA
	CCS
	CCNS
	CCP
	CCNP
	CCL
	CCGE
	CCLE
	CCG
)

var ccNames = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

// Operands calls f for each register that the instruction names, with what it does to it. f
// gives the register to have in its place.
func (i *Inst) Operands(f func(r Reg, read, written bool) Reg) {
	o := &table[i.Op]
	sub := func(r *Reg, read, written bool) {
		if *r != None {
			*r = f(*r, read, written)
		}
	}
	if i.HasMem && i.M.Const == 0 {
		sub(&i.M.Base, true, false)
		sub(&i.M.Index, true, false)
	}
	sub(&i.C, true, false)
	sub(&i.B, o.flags&writesB == 0, o.flags&writesB != 0)
	sub(&i.K, true, o.flags&writesK != 0)
	stores := o.form == formMR
	merges := i.K != None && !i.Zero && o.dst() == Vector && !i.isVEX(o)
	sub(&i.A, o.flags&readsA != 0 || merges || stores, o.flags&keepsA == 0 && !stores)
}

func (i *Inst) isVEX(o *row) bool { return i.VEX || o.flags&onlyVEX != 0 }

// IsEVEX reports whether an instruction needs AVX-512: it has an EVEX form, or works on mask registers.
func (i *Inst) IsEVEX() bool {
	o := &table[i.Op]
	return i.Op.Vector() && !i.isVEX(o) || i.Op >= KMOV && i.Op <= KORTEST
}

// Vector reports whether an operation is on vector registers.
func (o Op) Vector() bool {
	return o != BadOp && table[o].form < formGRM && table[o].flags&(vex|tiled) == 0 && table[o].form != formNone
}

// HasVEX reports whether an operation has a VEX form.
func (o Op) HasVEX() bool { return table[o].flags&(both|onlyVEX) != 0 }

// ElemBytes gives the bytes of an operation's elements.
func (o Op) ElemBytes() int { return int(table[o].size) }

// LastFromMemory reports whether a vector register that is an operation's last operand may as well be memory.
func (o Op) LastFromMemory() bool {
	r := &table[o]
	return o.Vector() && r.form == formRVM && r.tuple == full && r.size >= 4 && r.flags&maskSrc == 0
}

// IsStore reports whether an operation writes to its memory operand.
func (o Op) IsStore() bool { return table[o].form == formMR }
