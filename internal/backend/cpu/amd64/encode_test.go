package amd64

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64/objdump"
)

// every gives instructions of each row: registers from both halves of the file, memory with and
// without an index, short and long displacements, masks, repeated elements.
func every() []Inst {
	var out []Inst
	for op := BadOp + 1; op < numOps; op++ {
		o := &table[op]
		if o.form == formJump || o.form == formLabel {
			continue
		}
		if o.flags&tiled != 0 {
			out = append(out, ofTiles(op, o)...)
			continue
		}
		if o.flags&onlyVEX == 0 {
			out = append(out, ofRow(op, o)...)
		}
		if o.flags&(both|onlyVEX) != 0 {
			out = append(out, ofVEXForm(op, o)...)
		}
	}
	return out
}

// ofTiles gives instructions on tiles.
func ofTiles(op Op, o *row) []Inst {
	var out []Inst
	for n := range 8 {
		i := Inst{Op: op, A: T0 + Reg(n), B: None, C: None, K: None}
		switch {
		case o.form == formNone:
			i.A = None
			return append(out, i)
		case o.form == formRVM:
			i.B, i.C = T0+Reg((n+3)%8), T0+Reg((n+6)%8)
		case op != TILEZERO:
			i.HasMem = true
			i.M = Mem{Base: []Reg{RDI, R12, R13, RBX, RSP, RAX, R9, R15}[n], Index: []Reg{RBX, R14, R12, RSI}[n%4], Scale: 1, Disp: int32(n * 100)}
			if o.form == formMem {
				i.A = None
			}
		}
		out = append(out, i)
	}
	return out
}

// ofVEXForm gives vector instructions in their VEX form: all registers there are, memory with and without an index.
func ofVEXForm(op Op, o *row) []Inst {
	lens := []Len{X, Y}
	switch {
	case o.flags&vsib != 0, strings.Contains(o.name, "i128"), op == VPERMD, op == VPERMQ:
		lens = []Len{Y}
	case o.tuple == element && !strings.Contains(o.name, "broadcast"), o.flags&genSrc != 0, o.flags&genDst != 0 && o.form == formMR:
		lens = []Len{X}
	}
	vector := func(n int) Reg { return Z0 + Reg((n*7+3)%16) }
	general := func(n int) Reg { return []Reg{RBX, RSI, R8, R13, RDI, R15, RAX}[n%7] }
	var out []Inst
	for n := range 7 {
		for _, l := range lens {
			i := Inst{Op: op, A: vector(n), B: None, C: None, K: None, L: l, VEX: o.flags&both != 0, Imm: 5}
			if strings.HasPrefix(o.name, "vcmp") {
				i.Imm = 3 * int64(n)
			}
			if o.form == formRM && o.flags&genDst != 0 {
				i.A = general(n)
			}
			if o.flags&(kVVVV|kImm|vsib) != 0 {
				i.K = vector(n + 3)
			}
			switch o.form {
			case formRVM:
				i.B, i.C = vector(n+1), vector(n+2)
			default:
				i.B = vector(n + 1)
				if o.flags&genSrc != 0 || o.form == formMR && o.flags&genDst != 0 {
					i.B = general(n)
				}
			}
			if o.flags&(vsib|kVVVV) == 0 && !memoryOnly(op, o) {
				out = append(out, i)
			}
			if o.flags&(genSrc|genDst) != 0 || o.form == formVM || op == VMOVQst {
				continue
			}
			i.C = None
			if o.form != formRVM {
				i.B = None
			}
			i.HasMem = true
			bases := []Reg{RDI, R12, R13, RBP, RSP, RAX, R9}
			i.M = Mem{Base: bases[n], Index: None, Disp: []int32{0, 64, -128, 0x1234, 4, 8192, -4}[n]}
			if o.flags&vsib != 0 {
				i.M.Index, i.M.Scale = vector(n+5), uint8(1<<(n%4))
			} else if n%2 == 1 {
				i.M.Index, i.M.Scale = []Reg{RBX, R14, R12}[n/2], uint8(1<<(n%4))
			}
			out = append(out, i)
		}
	}
	return out
}

func ofRow(op Op, o *row) []Inst {
	base := Inst{Op: op, A: None, B: None, C: None, K: None, L: Z, Imm: 5}
	reg := func(c Class, n int) Reg {
		switch c {
		case Mask:
			return K0 + Reg(n%6+1)
		case General:
			return []Reg{RBX, RSI, R8, R13, RDI, R15, RAX}[n%7]
		}
		return Z0 + Reg((n*11+3)%32)
	}
	class := Vector
	if o.flags&maskSrc != 0 {
		class = Mask
	}
	if o.flags&genSrc != 0 || o.form >= formGRM {
		class = General
	}
	dst := o.dst()
	if o.form >= formGRM {
		dst = General
	}
	if o.form == formMR && o.flags&maskSrc != 0 {
		dst = Mask
	} else if o.form == formMR {
		dst = Vector
	}
	var out []Inst
	lens := []Len{Z}
	if o.tuple == element || o.flags&(genSrc|genDst) != 0 {
		lens = []Len{X}
		if strings.Contains(o.name, "broadcast") || o.flags&vsib != 0 {
			lens = []Len{Z}
		}
	}
	for n := range 7 {
		i := base
		i.L = lens[0]
		i.A = reg(dst, n)
		switch o.form {
		case formNone:
			i.A = None
			return append(out, i)
		case formRVM, formGRV:
			i.B, i.C = reg(class, n+1), reg(class, n+2)
		case formRM, formVM, formGRM:
			i.B = reg(class, n+1)
		case formMR:
			i.B = reg(map[bool]Class{true: General, false: Vector}[o.flags&genDst != 0], n+1)
		}
		if memoryOnly(op, o) {
			i.B = None
		} else {
			out = append(out, i)
			if o.flags&(vex|genSrc|genDst) == 0 && o.form < formGRM && op != VPMOVM2B && op != VPMOVB2M {
				i.K = K0 + Reg(n%7+1)
				i.Zero = dst == Vector && n%2 == 0 && o.form != formMR
				out = append(out, i)
				i.K, i.Zero = None, false
			}
		}
		if registerOnly(op, o) {
			continue
		}
		i.C = None
		if o.form != formRVM {
			i.B = None
		}
		i.HasMem = true
		bases := []Reg{RDI, R12, R13, RBP, RSP, RAX, R9}
		i.M = Mem{Base: bases[n], Index: None, Disp: []int32{0, 64, -128, 0x1234, 4, 8192, -4}[n]}
		if o.flags&vsib != 0 {
			i.M.Index, i.M.Scale, i.K = Z0+Reg(5*n+1), uint8(1<<(n%4)), K0+Reg(n%7+1)
		} else if n%2 == 1 {
			i.M.Index, i.M.Scale = []Reg{RBX, R14, R12}[n/2], uint8(1<<(n%4))
		}
		out = append(out, i)
		if o.form == formRVM && o.tuple == full && o.size >= 4 && o.flags&vex == 0 {
			i.Bcast = true
			out = append(out, i)
		}
	}
	return out
}

func memoryOnly(op Op, o *row) bool {
	switch op {
	case LEA, KMOVld, KMOVst, KMOVQld, KMOVQst, VMOVSSst, VMOVSDst, VMOVUPSst, VMOVUPDst, VMOVDQU8st, VMOVDQU16st, VMOVNTPSst, VMOVDQUst, VMOVQst:
		return true
	}
	return o.flags&vsib != 0 || o.form == formGMR || o.form == formMem || o.form == formMemI
}

func registerOnly(op Op, o *row) bool {
	switch op {
	case VPMOVM2B, VPMOVB2M, KMOV, VALIGND, VALIGNQ, TEST, TESTL:
		return op != VALIGND && op != VALIGNQ
	}
	return o.flags&(genSrc|genDst) != 0 || o.flags&vex != 0 && !memoryOnly(op, o) || o.form == formM || o.form == formMI || o.form == formMov || o.form == formGRV
}

func TestAgainstObjdump(t *testing.T) {
	insts := every()
	var a Assembler
	for i := range insts {
		a.Emit(&insts[i])
	}
	if a.err != nil {
		t.Fatal(a.err)
	}
	lines := objdump.Lines(t, a.code)
	if len(lines) != len(insts) {
		t.Errorf("objdump sees %d instructions, %d were encoded", len(lines), len(insts))
	}
	bad := 0
	for n := range min(len(lines), len(insts)) {
		if got, want := objdump.Normal(lines[n]), objdump.Normal(insts[n].String()); got != want {
			t.Errorf("encoded %q, objdump reads %q", want, got)
			if bad++; bad > 40 {
				t.Fatal("…")
			}
		}
	}
	t.Log(fmt.Sprint(len(insts), " instructions"))
}

// Jumps and addresses of labels, before and behind, lead where objdump says.
func TestLabelsAgainstObjdump(t *testing.T) {
	var a Assembler
	first, last := a.NewLabel(), a.NewLabel()
	var want []string
	var targets []Label
	emit := func(i Inst, text string) {
		a.Emit(&i)
		want, targets = append(want, text), append(targets, i.Target)
	}
	none := Inst{A: None, B: None, C: None, K: None}
	a.Emit(&Inst{Op: RET, A: None, B: None, C: None, K: None})
	a.Bind(first)
	for _, l := range []Label{first, last} {
		i := none
		i.Op, i.Target = JMP, l
		emit(i, "jmp")
		for cc := range CC(16) {
			i.Op, i.CC = JCC, cc
			emit(i, "j"+ccNames[cc])
		}
		for _, r := range []Reg{RAX, RBX, RSI, R8, R13, R15} {
			i.Op, i.A = LEALabel, r
			emit(i, "lea "+r.name(8)+",")
		}
	}
	a.Bind(last)
	text, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	lines := objdump.Lines(t, text)[1:]
	for n, w := range want {
		at := fmt.Sprintf("0x%x", a.labels[targets[n]])
		if line := strings.Join(strings.Fields(lines[n]), " "); !strings.HasPrefix(line, w) || !strings.HasSuffix(strings.TrimSpace(line), at) {
			t.Errorf("objdump reads %q, want %s … %s", line, w, at)
		}
	}
}

// Constants lie behind the code, where objdump says.
func TestConstantsAgainstObjdump(t *testing.T) {
	var a Assembler
	a.SetPool(make([]byte, 128))
	insts := []Inst{ // those with an immediate count from behind it
		{Op: VPBROADCASTD, A: Z0 + 17, L: Z}, {Op: VMOVUPS, A: Z0 + 3, L: Z}, {Op: VADDPS, A: Z0, B: Z0 + 30, L: Z}, {Op: VRNDSCALEPS, A: Z0 + 9, L: Z, Imm: 8},
		{Op: KMOVld, A: K0 + 5}, {Op: LEA, A: R9}, {Op: MOV, A: RBX}, {Op: LDMXCSR, A: None}, {Op: CMPMI, A: None, Imm: 7},
	}
	for n := range insts {
		i := &insts[n]
		if i.B == RAX {
			i.B = None
		}
		i.C, i.K, i.HasMem, i.M = None, None, true, Pool(8*n)
		a.Emit(i)
	}
	code := a.Offset()
	text, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	lines := objdump.Lines(t, text[:code])
	base := (code + poolAlign - 1) &^ (poolAlign - 1)
	for n := range insts {
		name, _, _ := strings.Cut(insts[n].String(), " ")
		if at := fmt.Sprintf("# 0x%x", base+8*n); !strings.HasPrefix(lines[n], name) || !strings.HasSuffix(strings.TrimSpace(lines[n]), at) {
			t.Errorf("objdump reads %q, want %s … %s", lines[n], name, at)
		}
	}
}
