package cuda

import (
	"fmt"
	"strconv"

	"github.com/tegula-lang/tegula/internal/lir"
)

// A matrixSpelling is how a matrix instruction is written, from which architecture on, and which version of PTX has it, if that
// is newer than what the architecture needs.
type matrixSpelling struct {
	shape   string
	arch    int
	version string
}

var matrixSpellings = [...]matrixSpelling{
	lir.MMAF16:      {"m16n8k16.row.col.f32.f16.f16.f32", 80, ""},
	lir.MMAF16Half:  {"m16n8k8.row.col.f32.f16.f16.f32", 75, ""},
	lir.MMABF16:     {"m16n8k16.row.col.f32.bf16.bf16.f32", 80, ""},
	lir.MMATF32:     {"m16n8k8.row.col.f32.tf32.tf32.f32", 80, ""},
	lir.MMAS8:       {"m16n8k32.row.col.s32.s8.s8.s32", 80, ""},
	lir.MMAU8:       {"m16n8k32.row.col.s32.u8.u8.s32", 80, ""},
	lir.MMAE4M3:     {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 89, "8.4"},
	lir.MMAE4M3E5M2: {"m16n8k32.row.col.f32.e4m3.e5m2.f32", 89, "8.4"},
	lir.MMAE5M2E4M3: {"m16n8k32.row.col.f32.e5m2.e4m3.f32", 89, "8.4"},
	lir.MMAE5M2:     {"m16n8k32.row.col.f32.e5m2.e5m2.f32", 89, "8.4"},
	lir.MMAF64:      {"m8n8k4.row.col.f64.f64.f64.f64", 80, ""},
}

// matrices gives the instructions that an architecture has.
func (a Arch) matrices() lir.MMASet {
	var set lir.MMASet
	for m, s := range matrixSpellings {
		if a.Number >= s.arch {
			set |= lir.MMAs(lir.MMA(m))
		}
	}
	return set
}

func (e *emitter) mma(op *lir.Op) {
	info, s := lir.MMA(op.Mod).Info(), matrixSpellings[op.Mod]
	e.needs(s.version)
	a, b, _ := info.Words()
	regs := make([]string, len(op.Args))
	for i, v := range op.Args {
		regs[i] = e.reg(v)
	}
	e.ins("mma.sync.aligned.", s.shape, " ", tuple(e.defs(op.Results)), ", ", tuple(regs[:a]), ", ", tuple(regs[a:a+b]), ", ", tuple(regs[a+b:]))
}

// tuple gives registers in braces, also one.
func tuple(regs []string) string {
	if len(regs) == 1 {
		return "{" + regs[0] + "}"
	}
	return list(regs)
}

func (e *emitter) loadMatrix(op *lir.Op) {
	kind := fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d", len(op.Results))
	if op.Mod == 1 {
		kind += ".trans"
	}
	addr := e.address(op)
	e.ins(kind, ".shared.b16 ", tuple(e.defs(op.Results)), ", ", addr)
}

// copyAsync: what is not read is zero.
func (e *emitter) copyAsync(op *lir.Op) {
	kind, size := "ca", ""
	if op.Imm == 16 {
		kind = "cg" // past L1
	}
	source := op.Args[1]
	if op.Mem.Pred {
		source = op.Args[2]
		bytes := e.fresh(words)
		e.ins("selp.b32 ", bytes, ", ", strconv.Itoa(int(op.Imm)), ", 0, ", e.reg(op.Args[1]))
		size = ", " + bytes
	}
	addr := e.address(op)
	e.ins("cp.async.", kind, ".shared.global ", addr, ", [", e.reg(source), plus(op.From.Offset), "], ", strconv.Itoa(int(op.Imm)), size)
}

func (e *emitter) copyWait(op *lir.Op) { e.ins("cp.async.wait_group ", strconv.Itoa(int(op.Imm))) }
