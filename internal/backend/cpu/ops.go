package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// planners says how each operation becomes steps.
var planners map[tile.Code]func(*planner, *tile.Op) error

func init() { // not an initialiser: planning a region looks up the operations in it
	planners = map[tile.Code]func(*planner, *tile.Op) error{
		tile.OpConst: (*planner).constant,

		tile.OpAdd:    (*planner).integerBinary,
		tile.OpSub:    (*planner).integerBinary,
		tile.OpMul:    (*planner).integerBinary,
		tile.OpDivS:   (*planner).integerBinary,
		tile.OpDivU:   (*planner).integerBinary,
		tile.OpRemS:   (*planner).integerBinary,
		tile.OpRemU:   (*planner).integerBinary,
		tile.OpAnd:    (*planner).integerBinary,
		tile.OpOr:     (*planner).integerBinary,
		tile.OpXor:    (*planner).integerBinary,
		tile.OpShl:    (*planner).integerBinary,
		tile.OpShrS:   (*planner).integerBinary,
		tile.OpShrU:   (*planner).integerBinary,
		tile.OpMinS:   (*planner).integerBinary,
		tile.OpMinU:   (*planner).integerBinary,
		tile.OpMaxS:   (*planner).integerBinary,
		tile.OpMaxU:   (*planner).integerBinary,
		tile.OpMulHiU: (*planner).integerBinary,
		tile.OpCmpI:   (*planner).cmpI,
		tile.OpAbsI:   (*planner).absI,

		tile.OpFAdd:   (*planner).floatBinary,
		tile.OpFSub:   (*planner).floatBinary,
		tile.OpFMul:   (*planner).floatBinary,
		tile.OpFDiv:   (*planner).floatBinary,
		tile.OpFDivRN: (*planner).floatBinary,
		tile.OpFRem:   (*planner).floatBinary,
		tile.OpFMin:   (*planner).floatBinary,
		tile.OpFMax:   (*planner).floatBinary,
		tile.OpFMA:    (*planner).floatTernary,
		tile.OpClamp:  (*planner).floatTernary,
		tile.OpCmpF:   (*planner).cmpF,
		tile.OpFNeg:   (*planner).signBit,
		tile.OpAbsF:   (*planner).signBit,

		tile.OpExp:    (*planner).mathUnary,
		tile.OpExp2:   (*planner).mathUnary,
		tile.OpLog:    (*planner).mathUnary,
		tile.OpLog2:   (*planner).mathUnary,
		tile.OpSin:    (*planner).mathUnary,
		tile.OpCos:    (*planner).mathUnary,
		tile.OpSqrt:   (*planner).mathUnary,
		tile.OpSqrtRN: (*planner).mathUnary,
		tile.OpRSqrt:  (*planner).mathUnary,
		tile.OpErf:    (*planner).mathUnary,
		tile.OpFloor:  (*planner).mathUnary,
		tile.OpCeil:   (*planner).mathUnary,
		tile.OpExtern: (*planner).extern,

		tile.OpTrunc:    (*planner).convertInt,
		tile.OpExtS:     (*planner).convertInt,
		tile.OpExtU:     (*planner).convertInt,
		tile.OpFTrunc:   (*planner).convertFloat,
		tile.OpFExt:     (*planner).convertFloat,
		tile.OpSToF:     (*planner).intToFloat,
		tile.OpUToF:     (*planner).intToFloat,
		tile.OpFToS:     (*planner).floatToInt,
		tile.OpFToU:     (*planner).floatToInt,
		tile.OpBitcast:  (*planner).rename,
		tile.OpIntToPtr: (*planner).intToPtr,
		tile.OpPtrToInt: (*planner).ptrToInt,
		tile.OpSelect:   (*planner).sel,

		tile.OpSplat:      (*planner).splat,
		tile.OpBroadcast:  (*planner).broadcast,
		tile.OpExpandDims: (*planner).rename,
		tile.OpReshape:    (*planner).rename,
		tile.OpTrans:      (*planner).trans,
		tile.OpCat:        (*planner).cat,
		tile.OpJoin:       (*planner).join,
		tile.OpSplit:      (*planner).split,
		tile.OpRange:      (*planner).iota,
		tile.OpHint:       (*planner).rename,
		tile.OpAssume:     (*planner).assume,
		tile.OpGather:     (*planner).gather,
		tile.OpHistogram:  (*planner).histogram,

		tile.OpProgramID:   (*planner).programID,
		tile.OpNumPrograms: (*planner).numPrograms,

		tile.OpAddPtr:    (*planner).addPtr,
		tile.OpLoad:      (*planner).load,
		tile.OpStore:     (*planner).store,
		tile.OpAtomicRMW: (*planner).atomicRMW,
		tile.OpAtomicCAS: (*planner).atomicCAS,

		tile.OpAtomicLoad:  (*planner).atomicLoad,
		tile.OpAtomicStore: (*planner).atomicStore,
		tile.OpAtomicPoll:  (*planner).atomicPoll,

		tile.OpReduce: (*planner).reduce,
		tile.OpScan:   (*planner).scan,
		tile.OpMap:    (*planner).mapElements,
		tile.OpDot:    (*planner).dot,

		tile.OpFor:     (*planner).loop,
		tile.OpWhile:   (*planner).while,
		tile.OpIf:      (*planner).branch,
		tile.OpCall:    (*planner).call,
		tile.OpPrint:   (*planner).print,
		tile.OpAssert:  (*planner).assert,
		tile.OpBarrier: func(*planner, *tile.Op) error { return nil }, // a program instance is one thread
	}
}

func (p *planner) emitOp(op *tile.Op) error {
	plan := planners[op.Code]
	if op.Code == tile.OpInlineAsm {
		return p.unsupported(op, "inline-asm", "inline_asm_elementwise is a target's assembly; the CPU has none")
	}
	if plan == nil {
		return p.unsupported(op, "operation", "the checked executor does not run %s", op.Code)
	}
	return plan(p, op)
}
