package xpu

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// A shape says what the words of an instruction are: t a result type, r a result, i ids, l numbers, s a string.
type shape struct{ name, words string }

var shapes = map[opcode]shape{
	opUndef: {"OpUndef", "tr"}, opSource: {"OpSource", "l"}, opName: {"OpName", "is"}, opString: {"OpString", "rs"}, opLine: {"OpLine", "illl"},
	opExtInstImport: {"OpExtInstImport", "rs"}, opExtInst: {"OpExtInst", "trili"}, opMemoryModel: {"OpMemoryModel", "l"},
	opEntryPoint: {"OpEntryPoint", "lisi"}, opExecutionMode: {"OpExecutionMode", "il"}, opCapability: {"OpCapability", "l"},
	opTypeVoid: {"OpTypeVoid", "r"}, opTypeBool: {"OpTypeBool", "r"}, opTypeInt: {"OpTypeInt", "rl"}, opTypeFloat: {"OpTypeFloat", "rl"},
	opTypeVector: {"OpTypeVector", "ril"}, opTypeArray: {"OpTypeArray", "ri"}, opTypePointer: {"OpTypePointer", "rli"}, opTypeFunction: {"OpTypeFunction", "ri"},
	opConstantTrue: {"OpConstantTrue", "tr"}, opConstantFalse: {"OpConstantFalse", "tr"}, opConstant: {"OpConstant", "trl"},
	opConstantComposite: {"OpConstantComposite", "tri"}, opFunction: {"OpFunction", "trli"}, opFunctionParameter: {"OpFunctionParameter", "tr"},
	opFunctionEnd: {"OpFunctionEnd", ""}, opVariable: {"OpVariable", "trli"}, opLoad: {"OpLoad", "tril"}, opStore: {"OpStore", "iil"},
	opInBoundsAccessChain: {"OpInBoundsAccessChain", "tri"}, opInBoundsPtrAccessChain: {"OpInBoundsPtrAccessChain", "tri"}, opDecorate: {"OpDecorate", "il"},
	opCompositeConstruct: {"OpCompositeConstruct", "tri"}, opCompositeExtract: {"OpCompositeExtract", "tril"},
	opConvertFToU: {"OpConvertFToU", "tri"}, opConvertFToS: {"OpConvertFToS", "tri"}, opConvertSToF: {"OpConvertSToF", "tri"}, opConvertUToF: {"OpConvertUToF", "tri"},
	opUConvert: {"OpUConvert", "tri"}, opSConvert: {"OpSConvert", "tri"}, opFConvert: {"OpFConvert", "tri"}, opConvertPtrToU: {"OpConvertPtrToU", "tri"},
	opConvertUToPtr: {"OpConvertUToPtr", "tri"}, opBitcast: {"OpBitcast", "tri"}, opFNegate: {"OpFNegate", "tri"},
	opIAdd: {"OpIAdd", "tri"}, opFAdd: {"OpFAdd", "tri"}, opISub: {"OpISub", "tri"}, opFSub: {"OpFSub", "tri"}, opIMul: {"OpIMul", "tri"}, opFMul: {"OpFMul", "tri"},
	opUDiv: {"OpUDiv", "tri"}, opSDiv: {"OpSDiv", "tri"}, opFDiv: {"OpFDiv", "tri"}, opUMod: {"OpUMod", "tri"}, opSRem: {"OpSRem", "tri"},
	opIsNan: {"OpIsNan", "tri"}, opOrdered: {"OpOrdered", "tri"}, opUnordered: {"OpUnordered", "tri"}, opLogicalEqual: {"OpLogicalEqual", "tri"},
	opLogicalNotEqual: {"OpLogicalNotEqual", "tri"}, opLogicalOr: {"OpLogicalOr", "tri"}, opLogicalAnd: {"OpLogicalAnd", "tri"}, opLogicalNot: {"OpLogicalNot", "tri"},
	opSelect: {"OpSelect", "tri"}, opIEqual: {"OpIEqual", "tri"}, opINotEqual: {"OpINotEqual", "tri"}, opUGreaterThan: {"OpUGreaterThan", "tri"},
	opSGreaterThan: {"OpSGreaterThan", "tri"}, opUGreaterThanEqual: {"OpUGreaterThanEqual", "tri"}, opSGreaterThanEqual: {"OpSGreaterThanEqual", "tri"},
	opULessThan: {"OpULessThan", "tri"}, opSLessThan: {"OpSLessThan", "tri"}, opULessThanEqual: {"OpULessThanEqual", "tri"}, opSLessThanEqual: {"OpSLessThanEqual", "tri"},
	opFOrdEqual: {"OpFOrdEqual", "tri"}, opFUnordEqual: {"OpFUnordEqual", "tri"}, opFOrdNotEqual: {"OpFOrdNotEqual", "tri"}, opFUnordNotEqual: {"OpFUnordNotEqual", "tri"},
	opFOrdLessThan: {"OpFOrdLessThan", "tri"}, opFUnordLessThan: {"OpFUnordLessThan", "tri"}, opFOrdGreaterThan: {"OpFOrdGreaterThan", "tri"},
	opFUnordGreaterThan: {"OpFUnordGreaterThan", "tri"}, opFOrdLessThanEqual: {"OpFOrdLessThanEqual", "tri"}, opFUnordLessThanEqual: {"OpFUnordLessThanEqual", "tri"},
	opFOrdGreaterThanEqual: {"OpFOrdGreaterThanEqual", "tri"}, opFUnordGreaterThanEqual: {"OpFUnordGreaterThanEqual", "tri"},
	opShiftRightLogical: {"OpShiftRightLogical", "tri"}, opShiftRightArithmetic: {"OpShiftRightArithmetic", "tri"}, opShiftLeftLogical: {"OpShiftLeftLogical", "tri"},
	opBitwiseOr: {"OpBitwiseOr", "tri"}, opBitwiseXor: {"OpBitwiseXor", "tri"}, opBitwiseAnd: {"OpBitwiseAnd", "tri"}, opBitCount: {"OpBitCount", "tri"},
	opControlBarrier: {"OpControlBarrier", "i"}, opMemoryBarrier: {"OpMemoryBarrier", "i"}, opAtomicLoad: {"OpAtomicLoad", "tri"},
	opAtomicExchange: {"OpAtomicExchange", "tri"}, opAtomicCompareExchange: {"OpAtomicCompareExchange", "tri"}, opAtomicIAdd: {"OpAtomicIAdd", "tri"},
	opAtomicSMin: {"OpAtomicSMin", "tri"}, opAtomicUMin: {"OpAtomicUMin", "tri"}, opAtomicSMax: {"OpAtomicSMax", "tri"}, opAtomicUMax: {"OpAtomicUMax", "tri"},
	opAtomicAnd: {"OpAtomicAnd", "tri"}, opAtomicOr: {"OpAtomicOr", "tri"}, opAtomicXor: {"OpAtomicXor", "tri"}, opPhi: {"OpPhi", "tri"}, opLabel: {"OpLabel", "r"},
	opBranch: {"OpBranch", "i"}, opBranchConditional: {"OpBranchConditional", "i"}, opReturn: {"OpReturn", ""},
	opGroupNonUniformBallot: {"OpGroupNonUniformBallot", "tri"}, opGroupNonUniformShuffle: {"OpGroupNonUniformShuffle", "tri"},
	opGroupNonUniformShuffleXor: {"OpGroupNonUniformShuffleXor", "tri"}, opGroupNonUniformShuffleUp: {"OpGroupNonUniformShuffleUp", "tri"},
	opGroupNonUniformShuffleDown: {"OpGroupNonUniformShuffleDown", "tri"}, opGroupNonUniformIAdd: {"OpGroupNonUniformIAdd", "trili"},
	opGroupNonUniformSMin: {"OpGroupNonUniformSMin", "trili"}, opGroupNonUniformUMin: {"OpGroupNonUniformUMin", "trili"},
	opGroupNonUniformSMax: {"OpGroupNonUniformSMax", "trili"}, opGroupNonUniformUMax: {"OpGroupNonUniformUMax", "trili"},
	opGroupNonUniformBitwiseAnd: {"OpGroupNonUniformBitwiseAnd", "trili"}, opGroupNonUniformBitwiseOr: {"OpGroupNonUniformBitwiseOr", "trili"},
	opGroupNonUniformBitwiseXor: {"OpGroupNonUniformBitwiseXor", "trili"},
}

// disassemble gives a module's instructions, one a line, in the manner of spirv-dis but with numbers for what has a name there.
func disassemble(image []byte) string {
	var b strings.Builder
	words := make([]uint32, len(image)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(image[4*i:])
	}
	for at := 5; at < len(words); {
		n := int(words[at] >> 16)
		if n == 0 || at+n > len(words) {
			break
		}
		b.WriteString(line(opcode(words[at]), words[at+1:at+n]))
		at += n
	}
	return b.String()
}

// line gives the text of an instruction.
func line(op opcode, words []uint32) string {
	s, ok := shapes[op]
	if !ok {
		s = shape{fmt.Sprintf("Op%d", op), "l"}
	}
	result := ""
	var text strings.Builder
	text.WriteString(s.name)
	kinds := s.words
	for i := 0; i < len(words); {
		kind := byte('l')
		if kinds != "" {
			kind = kinds[0]
		}
		if len(kinds) > 1 { // the last kind goes on
			kinds = kinds[1:]
		}
		switch kind {
		case 'r':
			result = fmt.Sprintf("%%%d = ", words[i])
		case 't', 'i':
			fmt.Fprintf(&text, " %%%d", words[i])
		case 's':
			s, n := stringAt(words[i:])
			fmt.Fprintf(&text, " %q", s)
			i += n - 1
		default:
			fmt.Fprintf(&text, " %d", words[i])
		}
		i++
	}
	return fmt.Sprintf("%12s%s\n", result, text.String())
}

// stringAt reads a string and says how many words it has.
func stringAt(words []uint32) (string, int) {
	var b []byte
	for i, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return string(b), i + 1
			}
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b), len(words)
}
