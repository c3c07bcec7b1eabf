package amd64

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// An Assembler collects instructions, labels and constants. The zero Assembler is empty.
type Assembler struct {
	code   []byte
	pool   []byte
	labels []int // offsets; -1 before they are bound
	fixes  []fix
	err    error
}

// A fix is a displacement of 32 bits to be filled in.
type fix struct {
	at, end int // where it lies, and what it is relative to
	label   Label
	pool    int // offset in the pool; -1: label counts
}

// Reserve makes room for n bytes of code.
func (a *Assembler) Reserve(n int) { a.code = slices.Grow(a.code, n) }

// NewLabel makes a label that is not bound yet.
func (a *Assembler) NewLabel() Label {
	a.labels = append(a.labels, -1)
	return Label(len(a.labels) - 1)
}

// Bind puts a label here.
func (a *Assembler) Bind(l Label) { a.labels[l] = len(a.code) }

// Offset gives the bytes so far.
func (a *Assembler) Offset() int { return len(a.code) }

// SetPool gives the constants that Pool operands point into.
func (a *Assembler) SetPool(b []byte) { a.pool = b }

// poolAlign is the alignment of the constants.
const poolAlign = 64

// Finish gives the code with its constants behind it.
func (a *Assembler) Finish() ([]byte, error) {
	if a.err != nil {
		return nil, a.err
	}
	for len(a.code)%poolAlign != 0 {
		a.code = append(a.code, 0xcc)
	}
	base := len(a.code)
	for _, f := range a.fixes {
		to := base + f.pool
		if f.pool < 0 {
			to = a.labels[f.label]
			if to < 0 {
				return nil, fmt.Errorf("label %d is not bound", f.label)
			}
		}
		binary.LittleEndian.PutUint32(a.code[f.at:], uint32(int32(to-f.end)))
	}
	return append(a.code, a.pool...), nil
}

func (a *Assembler) byte(b ...byte) { a.code = append(a.code, b...) }

func (a *Assembler) fail(i *Inst, why string) {
	if a.err == nil {
		a.err = fmt.Errorf("%s: %s", i, why)
	}
}

// Emit appends an instruction.
func (a *Assembler) Emit(i *Inst) {
	o := &table[i.Op]
	switch {
	case o.form == formJump:
		a.jump(i, o)
	case o.form == formLabel:
		a.labelAddress(i)
	case o.flags&tiled != 0:
		a.tile(i, o)
	case o.form == formNone && o.flags&vex != 0:
		a.byte(0xc5, 0xf8, o.opc)
	case o.form == formNone && o.mm == 1:
		a.byte(0x0f, o.opc, 0xc0|o.ext<<3)
	case o.form == formNone:
		if o.w == 1 {
			a.byte(0x48)
		}
		a.byte(o.opc)
	case o.form == formGRV:
		a.vexPrefix(i, o, i.A, i.C, i.B, o.w, 0)
		a.modrm(i, regNum(i.A), regNum(i.B), 1, 0)
	case o.form >= formGRM:
		a.general(i, o)
	case o.flags&vex != 0:
		a.vex(i, o)
	case i.isVEX(o):
		a.vexVector(i, o)
	default:
		a.evex(i, o)
	}
}

func (a *Assembler) jump(i *Inst, o *row) {
	if i.Op == JCC {
		a.byte(0x0f, o.opc+byte(i.CC))
	} else {
		a.byte(o.opc)
	}
	at := len(a.code)
	a.byte(0, 0, 0, 0)
	a.fixes = append(a.fixes, fix{at: at, end: len(a.code), label: i.Target, pool: -1})
}

func (a *Assembler) labelAddress(i *Inst) {
	r := regNum(i.A)
	a.byte(0x48|bit(r, 3)<<2, 0x8d, byte(r&7)<<3|5)
	at := len(a.code)
	a.byte(0, 0, 0, 0)
	a.fixes = append(a.fixes, fix{at: at, end: len(a.code), label: i.Target, pool: -1})
}

// operands sorts an instruction's registers into the fields of its form.
func (i *Inst) operands(o *row) (reg, vvvv, rm Reg) {
	switch o.form {
	case formRVM:
		return i.A, i.B, i.C
	case formVM:
		return Reg(o.ext), i.A, i.B
	case formM, formMI:
		return Reg(o.ext), None, i.A
	case formMem, formMemI:
		return Reg(o.ext), None, None
	}
	return i.A, None, i.B
}

func bit(n, i int) byte { return byte(n>>i) & 1 }

func regNum(r Reg) int {
	if r == None {
		return 0
	}
	return r.num()
}

func (a *Assembler) evex(i *Inst, o *row) {
	reg, vvvv, rm := i.operands(o)
	r, v := regNum(reg), regNum(vvvv)
	var x, b, v2 byte
	switch {
	case !i.HasMem:
		x, b = bit(regNum(rm), 4), bit(regNum(rm), 3)
		v2 = bit(v, 4)
	case i.M.Const != 0:
		v2 = bit(v, 4)
	default:
		x, b = bit(regNum(i.M.Index), 3), bit(regNum(i.M.Base), 3)
		v2 = bit(v, 4)
		if o.flags&vsib != 0 {
			v2 = bit(regNum(i.M.Index), 4)
		}
	}
	flip := func(b byte) byte { return b ^ 1 }
	a.byte(0x62,
		flip(bit(r, 3))<<7|flip(x)<<6|flip(b)<<5|flip(bit(r, 4))<<4|o.mm,
		o.w<<7|byte(^v&15)<<3|4|o.pp)
	last := byte(i.L)<<5 | flip(v2)<<3
	if i.K != None {
		last |= byte(i.K.num())
	}
	if i.Zero {
		last |= 1 << 7
	}
	if i.Bcast {
		last |= 1 << 4
	}
	a.byte(last, o.opc)
	a.modrm(i, r, regNum(rm), i.scale(o), immBytes(o))
	a.imm(i, o)
}

func immBytes(o *row) int {
	switch {
	case o.flags&imm8 != 0:
		return 1
	case o.form == formMI || o.form == formMemI:
		return 4
	}
	return 0
}

func (a *Assembler) imm(i *Inst, o *row) {
	switch immBytes(o) {
	case 1:
		a.byte(byte(i.Imm))
	case 4:
		if i.Imm < math.MinInt32 || i.Imm > math.MaxInt32 && (o.w == 1 || i.Imm > math.MaxUint32) {
			a.fail(i, "the immediate does not fit")
		}
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(i.Imm))
	}
}

// scale gives what an 8-bit displacement counts.
func (i *Inst) scale(o *row) int {
	switch {
	case i.Bcast || o.tuple == element:
		return int(o.size)
	case o.tuple == half:
		return i.L.bytes() / 2
	case o.tuple == quarter:
		return i.L.bytes() / 4
	}
	return i.L.bytes()
}

// vex encodes an operation on mask registers.
func (a *Assembler) vex(i *Inst, o *row) {
	l := byte(0)
	if o.flags&vexL1 != 0 {
		l = 1
	}
	reg, vvvv, rm := i.operands(o)
	a.vexPrefix(i, o, reg, vvvv, rm, o.w, l)
	a.modrm(i, regNum(reg), regNum(rm), 1, immBytes(o))
	a.imm(i, o)
}

// vexVector encodes the VEX form of a vector instruction.
func (a *Assembler) vexVector(i *Inst, o *row) {
	if o.flags&(both|onlyVEX) == 0 || i.L > Y || i.Bcast {
		a.fail(i, "there is no VEX form")
		return
	}
	reg, vvvv, rm := i.operands(o)
	if o.flags&(kVVVV|vsib) != 0 {
		vvvv = i.K
	}
	w := o.w
	if o.flags&vexW0 != 0 {
		w = 0
	}
	a.vexPrefix(i, o, reg, vvvv, rm, w, byte(i.L))
	if o.flags&kImm != 0 {
		a.modrm(i, regNum(reg), regNum(rm), 1, 1)
		a.byte(byte(regNum(i.K)) << 4)
		return
	}
	a.modrm(i, regNum(reg), regNum(rm), 1, immBytes(o))
	a.imm(i, o)
}

// tile encodes an operation on tiles (VEX).
func (a *Assembler) tile(i *Inst, o *row) {
	reg, vvvv, rm := i.A, i.C, i.B
	switch {
	case o.form == formNone: // the operands are fixed
		a.byte(0xc4, 0xe2, 0x78, o.opc, 0xc0)
		return
	case o.form != formMem && i.HasMem && i.M.Index == None:
		a.fail(i, "a tile in memory without a register that has the step between rows")
		return
	}
	a.vexPrefix(i, o, reg, vvvv, rm, 0, 0)
	a.modrm(i, regNum(reg), regNum(rm), 1, 0)
}

func (a *Assembler) vexPrefix(i *Inst, o *row, reg, vvvv, rm Reg, w, l byte) {
	var x, b int
	if i.HasMem && i.M.Const == 0 {
		x, b = regNum(i.M.Index), regNum(i.M.Base)
	} else if !i.HasMem {
		b = regNum(rm)
	}
	a.byte(0xc4,
		(bit(regNum(reg), 3)^1)<<7|(bit(x, 3)^1)<<6|(bit(b, 3)^1)<<5|o.mm,
		w<<7|byte(^regNum(vvvv)&15)<<3|l<<2|o.pp, o.opc)
}

func (a *Assembler) general(i *Inst, o *row) {
	if o.form == formMov {
		a.byte(0x48|bit(regNum(i.A), 3), 0xb8|byte(regNum(i.A)&7))
		a.code = binary.LittleEndian.AppendUint64(a.code, uint64(i.Imm))
		return
	}
	reg, _, rm := i.operands(o)
	if i.Op == TEST || i.Op == TESTL { // its register operand is the second
		reg, rm = rm, reg
	}
	if o.flags&lock != 0 {
		a.byte(0xf0)
	}
	switch o.pp {
	case 1:
		a.byte(0x66)
	case 2:
		a.byte(0xf3)
	}
	x, b := 0, 0
	if i.HasMem {
		if i.M.Const == 0 {
			x, b = regNum(i.M.Index), regNum(i.M.Base)
		}
	} else {
		b = regNum(rm)
	}
	r := regNum(reg)
	rex := o.w<<3 | bit(r, 3)<<2 | bit(x, 3)<<1 | bit(b, 3)
	if rex != 0 || o.flags&byteOp != 0 && (o.form == formGMR && needsREX(reg) || !i.HasMem && needsREX(rm)) {
		a.byte(0x40 | rex)
	}
	if o.mm == 1 {
		a.byte(0x0f)
	}
	opc := o.opc
	if i.Op == SETCC || i.Op == CMOV || i.Op == CMOVL {
		opc += byte(i.CC)
	}
	a.byte(opc)
	a.modrm(i, r, regNum(rm), 1, immBytes(o))
	a.imm(i, o)
}

// needsREX reports whether a register's lowest byte is that of another one without a prefix.
func needsREX(r Reg) bool { return r >= RSP && r <= RDI }

// modrm appends the ModRM and SIB bytes and the displacement; n is what an 8-bit one counts,
// and after are the bytes that follow.
func (a *Assembler) modrm(i *Inst, reg, rm, n, after int) {
	top := byte(reg&7) << 3
	if !i.HasMem {
		a.byte(0xc0 | top | byte(rm&7))
		return
	}
	m := &i.M
	if m.Const != 0 {
		a.byte(top | 5)
		at := len(a.code)
		a.byte(0, 0, 0, 0)
		a.fixes = append(a.fixes, fix{at: at, end: at + 4 + after, pool: int(m.Const - 1)})
		return
	}
	if m.Base == None {
		a.fail(i, "a memory operand without a base")
		return
	}
	base := m.Base.num() & 7
	disp, mod := int(m.Disp), byte(2)
	switch {
	case disp == 0 && base != 5:
		mod = 0
	case disp%n == 0 && disp/n >= -128 && disp/n <= 127:
		mod = 1
	}
	if m.Index == None && base != 4 {
		a.byte(mod<<6 | top | byte(base))
	} else {
		index, scale := 4, byte(0)
		if m.Index != None {
			index = m.Index.num() & 7
			scale = map[uint8]byte{0: 0, 1: 0, 2: 1, 4: 2, 8: 3}[m.Scale]
		}
		a.byte(mod<<6|top|4, scale<<6|byte(index)<<3|byte(base))
	}
	switch mod {
	case 1:
		a.byte(byte(disp / n))
	case 2:
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(disp))
	}
}
