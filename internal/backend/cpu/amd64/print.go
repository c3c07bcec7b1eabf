package amd64

import (
	"fmt"
	"strings"
)

var ptrNames = map[int]string{1: "BYTE", 2: "WORD", 4: "DWORD", 8: "QWORD", 16: "XMMWORD", 32: "YMMWORD", 64: "ZMMWORD"}

// String gives the instruction in Intel's syntax, as objdump does.
func (i *Inst) String() string {
	o := &table[i.Op]
	name := o.name
	if i.Op == SETCC || i.Op == CMOV || i.Op == CMOVL || i.Op == JCC {
		name += ccNames[i.CC]
	}
	switch o.form {
	case formNone:
		return name
	case formJump:
		return fmt.Sprintf("%s .L%d", name, i.Target)
	case formLabel:
		return fmt.Sprintf("%s %s,[.L%d]", name, i.A.name(8), i.Target)
	}
	ops := i.operandTexts(o)
	switch {
	case i.K != None && i.isVEX(o):
		ops = i.withVectorMask(o, ops)
	case i.K != None:
		ops[0] += "{" + i.K.name(8) + "}"
		if i.Zero {
			ops[0] += "{z}"
		}
	}
	if o.flags&imm8 != 0 {
		ops = append(ops, fmt.Sprintf("0x%x", uint8(i.Imm)))
	} else if o.form == formMI || o.form == formMemI || o.form == formMov {
		imm := uint64(i.Imm)
		if o.w == 0 {
			imm = uint64(uint32(imm))
		}
		ops = append(ops, fmt.Sprintf("0x%x", imm))
	}
	return name + " " + strings.Join(ops, ",")
}

func (i *Inst) operandTexts(o *row) []string {
	regSize, rmSize, memSize := i.operandSizes(o)
	rm := func(r Reg) string {
		if i.HasMem {
			return i.memText(o, memSize)
		}
		return r.name(rmSize)
	}
	switch {
	case o.flags&tiled != 0 && o.form == formRVM:
		return []string{i.A.name(0), i.B.name(0), i.C.name(0)}
	case o.flags&tiled != 0 && !i.HasMem:
		return []string{i.A.name(0)}
	}
	switch o.form {
	case formRVM:
		return []string{i.A.name(regSize), i.B.name(i.vSize(o)), rm(i.C)}
	case formRM, formGRM:
		return []string{i.A.name(regSize), rm(i.B)}
	case formMR, formGMR:
		return []string{rm(i.B), i.A.name(regSize)}
	case formVM:
		return []string{i.A.name(regSize), rm(i.B)}
	case formMem, formMemI:
		return []string{rm(None)}
	case formGRV:
		return []string{i.A.name(regSize), rm(i.B), i.C.name(regSize)}
	}
	return []string{i.A.name(regSize)}
}

// withVectorMask adds the mask of a VEX form to the operands.
func (i *Inst) withVectorMask(o *row, ops []string) []string {
	size, _, _ := i.operandSizes(o)
	if o.flags&kVVVV != 0 {
		return []string{ops[0], i.K.name(size), ops[1]}
	}
	return append(ops, i.K.name(size))
}

func (i *Inst) vSize(o *row) int { return i.L.bytes() }

// operandSizes gives the bytes of the register operand, of the rm register and of the memory operand.
func (i *Inst) operandSizes(o *row) (reg, rm, mem int) {
	if o.form >= formGRM && o.form != formJump {
		size := int(o.size)
		switch {
		case o.flags&byteOp != 0 && o.form == formM:
			return 1, 1, 1
		case o.flags&byteOp != 0 && o.form == formGMR:
			return 1, 1, 1
		case o.flags&byteOp != 0:
			return size, 1, 1
		case o.tuple == half:
			return size, size / 2, size / 2
		}
		return size, size, size
	}
	reg = i.L.bytes()
	rm = reg
	mem = i.scale(o)
	switch {
	case o.flags&vex != 0:
		return 4, 4, int(o.size)
	case o.flags&genDst != 0 && o.form == formRM:
		reg = int(o.size)
	case o.flags&(genSrc|genDst) != 0:
		rm = int(o.size)
	case o.tuple == element && o.flags&vsib == 0:
		rm = 16
	case o.flags&narrow != 0 && o.flags&vsib == 0:
		rm = reg / 2
	case o.flags&narrow4 != 0:
		rm = reg / 4
	case o.flags&longer != 0:
		reg /= 2
	}
	return reg, rm, mem
}

func (i *Inst) memText(o *row, size int) string {
	m := &i.M
	var b strings.Builder
	if i.Op != LEA && o.flags&tiled == 0 {
		if i.Bcast {
			size = int(o.size)
		}
		b.WriteString(ptrNames[size])
		if i.Bcast {
			b.WriteString(" BCST ")
		} else {
			b.WriteString(" PTR ")
		}
	}
	b.WriteByte('[')
	if m.Const != 0 {
		fmt.Fprintf(&b, ".C+0x%x]", m.Const-1)
		return b.String()
	}
	b.WriteString(m.Base.name(8))
	if m.Index != None {
		n := 8
		if o.flags&vsib != 0 {
			n = i.L.bytes()
			if o.flags&narrow != 0 {
				n /= 2
			}
		}
		fmt.Fprintf(&b, "+%s*%d", m.Index.name(n), max(m.Scale, 1))
	}
	switch {
	case m.Disp > 0:
		fmt.Fprintf(&b, "+0x%x", m.Disp)
	case m.Disp < 0:
		fmt.Fprintf(&b, "-0x%x", -int64(m.Disp))
	}
	b.WriteByte(']')
	return b.String()
}
