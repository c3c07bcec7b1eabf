package cuda

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A suffix says how an instruction names the type of its operands.
type suffix uint8

const (
	asBits suffix = iota
	asSigned
	asUnsigned
	asFloat
)

var suffixLetters = [...]string{asBits: "b", asSigned: "s", asUnsigned: "u", asFloat: "f"}

func (s suffix) of(t lir.Type) string {
	if t == lir.I1 {
		return "pred"
	}
	if t == lir.BF16 && s == asFloat {
		return "bf16"
	}
	return suffixLetters[s] + widths[t.Bits()]
}

var widths = map[int]string{8: "8", 16: "16", 32: "32", 64: "64"}

// A spelling is an operation that is one instruction.
type spelling struct {
	name   string
	suffix suffix
	mod    func(op *lir.Op) string // what stands between name and type; nil: nothing
}

func (s *spelling) modifier(op *lir.Op) string {
	if s.mod == nil {
		return ""
	}
	return s.mod(op)
}

// rounding: Fused leaves it to ptxas, which may then make a fused multiply-add.
func rounding(op *lir.Op) string {
	if op.Mod == uint8(lir.Fused) {
		return ""
	}
	return "." + lir.Rounding(op.Mod).String()
}

// exact is rounding where an instruction has to say one.
func exact(op *lir.Op) string {
	if op.Mod == uint8(lir.Fused) {
		return ".rn"
	}
	return "." + lir.Rounding(op.Mod).String()
}

// approximate is exact, but in f32 Fused is what is given.
func approximate(name string) func(op *lir.Op) string {
	return func(op *lir.Op) string {
		if op.Mod == uint8(lir.Fused) && op.Args[0].Type == lir.F32 {
			return name
		}
		return exact(op)
	}
}

// flush is said of what need not give subnormal numbers.
func flush(op *lir.Op) string {
	if op.Mod == 1 {
		return ".ftz"
	}
	return ""
}

func nan(op *lir.Op) string {
	if op.Mod == 1 {
		return ".NaN"
	}
	return ""
}

var comparisons = [...]string{
	tile.EQ: ".eq", tile.NE: ".ne", tile.LTS: ".lt", tile.LES: ".le", tile.GTS: ".gt", tile.GES: ".ge",
	tile.LTU: ".lt", tile.LEU: ".le", tile.GTU: ".gt", tile.GEU: ".ge",
}

var floatComparisons = [...]string{
	tile.OEQ: ".eq", tile.ONE: ".ne", tile.OLT: ".lt", tile.OLE: ".le", tile.OGT: ".gt", tile.OGE: ".ge",
	tile.UEQ: ".equ", tile.UNE: ".neu", tile.ULT: ".ltu", tile.ULE: ".leu", tile.UGT: ".gtu", tile.UGE: ".geu",
	tile.ORD: ".num", tile.UNO: ".nan",
}

var spellings = [256]spelling{
	lir.OpAdd:      {"add", asUnsigned, nil},
	lir.OpSub:      {"sub", asUnsigned, nil},
	lir.OpMul:      {"mul.lo", asUnsigned, nil},
	lir.OpMulHiU:   {"mul.hi", asUnsigned, nil},
	lir.OpMulHiS:   {"mul.hi", asSigned, nil},
	lir.OpDivS:     {"div", asSigned, nil},
	lir.OpDivU:     {"div", asUnsigned, nil},
	lir.OpRemS:     {"rem", asSigned, nil},
	lir.OpRemU:     {"rem", asUnsigned, nil},
	lir.OpAnd:      {"and", asBits, nil},
	lir.OpOr:       {"or", asBits, nil},
	lir.OpShl:      {"shl", asBits, nil},
	lir.OpShrS:     {"shr", asSigned, nil},
	lir.OpShrU:     {"shr", asUnsigned, nil},
	lir.OpMinS:     {"min", asSigned, nil},
	lir.OpMinU:     {"min", asUnsigned, nil},
	lir.OpMaxS:     {"max", asSigned, nil},
	lir.OpMaxU:     {"max", asUnsigned, nil},
	lir.OpPopCount: {"popc", asBits, nil},
	lir.OpCLZ:      {"clz", asBits, nil},
	lir.OpBitRev:   {"brev", asBits, nil},
	lir.OpPrmt:     {"prmt", asBits, nil},
	lir.OpFAdd:     {"add", asFloat, rounding},
	lir.OpFSub:     {"sub", asFloat, rounding},
	lir.OpFMul:     {"mul", asFloat, rounding},
	lir.OpFDiv:     {"div", asFloat, approximate(".full")},
	lir.OpFMA:      {"fma", asFloat, exact},
	lir.OpFMASat:   {"fma.rn.sat", asFloat, nil},
	lir.OpFMin:     {"min", asFloat, nan},
	lir.OpFMax:     {"max", asFloat, nan},
	lir.OpFNeg:     {"neg", asFloat, nil},
	lir.OpFAbs:     {"abs", asFloat, nil},
	lir.OpFCmp:     {"setp", asFloat, func(op *lir.Op) string { return floatComparisons[op.Mod] }},
	lir.OpSqrt:     {"sqrt", asFloat, approximate(".approx")},
	lir.OpRcp:      {"rcp", asFloat, approximate(".approx")},
	lir.OpRSqrt:    {"rsqrt.approx", asFloat, nil},
	lir.OpExp2:     {"ex2.approx", asFloat, flush},
	lir.OpLog2:     {"lg2.approx", asFloat, nil},
	lir.OpSin:      {"sin.approx", asFloat, nil},
	lir.OpCos:      {"cos.approx", asFloat, nil},
	lir.OpTanh:     {"tanh.approx", asFloat, nil},
}

// special are the operations that are no one instruction.
var special [256]func(e *emitter, op *lir.Op)

func init() {
	for code, f := range map[lir.Code]func(e *emitter, op *lir.Op){
		lir.OpParam:       (*emitter).readParam,
		lir.OpThreadID:    (*emitter).threadID,
		lir.OpProgramID:   axis("%ctaid", "%clusterid"),
		lir.OpNumPrograms: axis("%nctaid", "%nclusterid"),
		lir.OpXor:         (*emitter).xor,
		lir.OpCmp:         (*emitter).compare,
		lir.OpFRound:      (*emitter).roundTo,
		lir.OpTrunc:       (*emitter).truncate,
		lir.OpExtS:        (*emitter).extend,
		lir.OpExtU:        (*emitter).extend,
		lir.OpFTrunc:      (*emitter).convert,
		lir.OpFExt:        (*emitter).convert,
		lir.OpSToF:        (*emitter).convert,
		lir.OpUToF:        (*emitter).convert,
		lir.OpFToS:        (*emitter).convert,
		lir.OpFToU:        (*emitter).convert,
		lir.OpBitcast:     (*emitter).bitcast,
		lir.OpToF8:        (*emitter).toF8,
		lir.OpFromF8:      (*emitter).fromF8,
		lir.OpPackF16:     (*emitter).packF16,
		lir.OpPack:        (*emitter).packBits,
		lir.OpUnpack:      func(e *emitter, op *lir.Op) { e.unpack(op.Results, []string{e.reg(op.Args[0])}, words) },
		lir.OpSelect:      (*emitter).choose,
		lir.OpLoad:        (*emitter).load,
		lir.OpStore:       (*emitter).store,
		lir.OpAtomicRMW:   (*emitter).atomic,
		lir.OpAtomicCAS:   (*emitter).atomic,
		lir.OpFence:       (*emitter).fence,
		lir.OpBarrier:     func(e *emitter, _ *lir.Op) { e.barrier() },
		lir.OpWarpSync:    func(e *emitter, _ *lir.Op) { e.ins("bar.warp.sync -1") },
		lir.OpShuffle:     (*emitter).shuffle,
		lir.OpBallot:      (*emitter).ballot,
		lir.OpRedux:       (*emitter).redux,
		lir.OpClock:       func(e *emitter, op *lir.Op) { e.ins("mov.u64 ", e.def(op.Results[0]), ", %globaltimer") },
		lir.OpMMA:         (*emitter).mma,
		lir.OpLoadMatrix:  (*emitter).loadMatrix,
		lir.OpGroupMMA:    (*emitter).groupMMA,
		lir.OpGroupWait:   (*emitter).groupWait,
		lir.OpProxyFence:  func(e *emitter, _ *lir.Op) { e.ins("fence.proxy.async.shared::cta") },
		lir.OpCopyAsync:   (*emitter).copyAsync,
		lir.OpCopyCommit:  func(e *emitter, _ *lir.Op) { e.ins("cp.async.commit_group") },
		lir.OpCopyWait:    (*emitter).copyWait,
		lir.OpSignalInit:  (*emitter).signalInit,
		lir.OpSignalEnd:   (*emitter).signalEnd,
		lir.OpSignalGive:  (*emitter).signalGive,
		lir.OpSignalWait:  (*emitter).signalWait,
		lir.OpFor:         (*emitter).forLoop,
		lir.OpWhile:       (*emitter).whileLoop,
		lir.OpIf:          (*emitter).branch,
		lir.OpYield:       func(*emitter, *lir.Op) {},
		lir.OpCondition:   func(*emitter, *lir.Op) {},
		lir.OpReturn:      func(e *emitter, _ *lir.Op) { e.leave() },
		lir.OpPrint:       (*emitter).print,
		lir.OpAssert:      (*emitter).assert,
		lir.OpAsm:         (*emitter).assembly,
	} {
		special[code] = f
	}
}

// xor writes the complement of 32 bits as a table of one operand. Where a branch tells ptxas the operand's value, it takes `xor x, -1` for
// x, and so it does a `not x` that it has merged with another logic operation (12.9 and 13.0 do, on all architectures).
func (e *emitter) xor(op *lir.Op) {
	if x := op.Args[1]; x.Type == lir.I32 && x.IsConstBits(x.Type.Mask()) {
		e.ins("lop3.b32 ", e.def(op.Results[0]), ", ", e.use(op.Args[0]), ", 0, 0, 0x0F")
		return
	}
	e.simple(op, &spelling{"xor", asBits, nil})
}
