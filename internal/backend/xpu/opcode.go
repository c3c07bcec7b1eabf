package xpu

// An opcode is a SPIR-V instruction's number (SPIR-V specification, section 3.52).
type opcode uint16

// The instructions that the module uses.
const (
	opUndef                      opcode = 1
	opSource                     opcode = 3
	opName                       opcode = 5
	opString                     opcode = 7
	opLine                       opcode = 8
	opExtInstImport              opcode = 11
	opExtInst                    opcode = 12
	opMemoryModel                opcode = 14
	opEntryPoint                 opcode = 15
	opExecutionMode              opcode = 16
	opCapability                 opcode = 17
	opTypeVoid                   opcode = 19
	opTypeBool                   opcode = 20
	opTypeInt                    opcode = 21
	opTypeFloat                  opcode = 22
	opTypeVector                 opcode = 23
	opTypeArray                  opcode = 28
	opTypePointer                opcode = 32
	opTypeFunction               opcode = 33
	opConstantTrue               opcode = 41
	opConstantFalse              opcode = 42
	opConstant                   opcode = 43
	opConstantComposite          opcode = 44
	opFunction                   opcode = 54
	opFunctionParameter          opcode = 55
	opFunctionEnd                opcode = 56
	opVariable                   opcode = 59
	opLoad                       opcode = 61
	opStore                      opcode = 62
	opInBoundsPtrAccessChain     opcode = 70
	opInBoundsAccessChain        opcode = 66
	opDecorate                   opcode = 71
	opCompositeConstruct         opcode = 80
	opCompositeExtract           opcode = 81
	opConvertFToU                opcode = 109
	opConvertFToS                opcode = 110
	opConvertSToF                opcode = 111
	opConvertUToF                opcode = 112
	opUConvert                   opcode = 113
	opSConvert                   opcode = 114
	opFConvert                   opcode = 115
	opConvertPtrToU              opcode = 117
	opConvertUToPtr              opcode = 120
	opBitcast                    opcode = 124
	opFNegate                    opcode = 127
	opIAdd                       opcode = 128
	opFAdd                       opcode = 129
	opISub                       opcode = 130
	opFSub                       opcode = 131
	opIMul                       opcode = 132
	opFMul                       opcode = 133
	opUDiv                       opcode = 134
	opSDiv                       opcode = 135
	opFDiv                       opcode = 136
	opUMod                       opcode = 137
	opSRem                       opcode = 138
	opIsNan                      opcode = 156
	opOrdered                    opcode = 162
	opUnordered                  opcode = 163
	opLogicalEqual               opcode = 164
	opLogicalNotEqual            opcode = 165
	opLogicalOr                  opcode = 166
	opLogicalAnd                 opcode = 167
	opLogicalNot                 opcode = 168
	opSelect                     opcode = 169
	opIEqual                     opcode = 170
	opINotEqual                  opcode = 171
	opUGreaterThan               opcode = 172
	opSGreaterThan               opcode = 173
	opUGreaterThanEqual          opcode = 174
	opSGreaterThanEqual          opcode = 175
	opULessThan                  opcode = 176
	opSLessThan                  opcode = 177
	opULessThanEqual             opcode = 178
	opSLessThanEqual             opcode = 179
	opFOrdEqual                  opcode = 180
	opFUnordEqual                opcode = 181
	opFOrdNotEqual               opcode = 182
	opFUnordNotEqual             opcode = 183
	opFOrdLessThan               opcode = 184
	opFUnordLessThan             opcode = 185
	opFOrdGreaterThan            opcode = 186
	opFUnordGreaterThan          opcode = 187
	opFOrdLessThanEqual          opcode = 188
	opFUnordLessThanEqual        opcode = 189
	opFOrdGreaterThanEqual       opcode = 190
	opFUnordGreaterThanEqual     opcode = 191
	opShiftRightLogical          opcode = 194
	opShiftRightArithmetic       opcode = 195
	opShiftLeftLogical           opcode = 196
	opBitwiseOr                  opcode = 197
	opBitwiseXor                 opcode = 198
	opBitwiseAnd                 opcode = 199
	opBitCount                   opcode = 205
	opControlBarrier             opcode = 224
	opMemoryBarrier              opcode = 225
	opAtomicLoad                 opcode = 227
	opAtomicExchange             opcode = 229
	opAtomicCompareExchange      opcode = 230
	opAtomicIAdd                 opcode = 234
	opAtomicSMin                 opcode = 236
	opAtomicUMin                 opcode = 237
	opAtomicSMax                 opcode = 238
	opAtomicUMax                 opcode = 239
	opAtomicAnd                  opcode = 240
	opAtomicOr                   opcode = 241
	opAtomicXor                  opcode = 242
	opPhi                        opcode = 245
	opLabel                      opcode = 248
	opBranch                     opcode = 249
	opBranchConditional          opcode = 250
	opReturn                     opcode = 253
	opGroupNonUniformBallot      opcode = 339
	opGroupNonUniformShuffle     opcode = 345
	opGroupNonUniformShuffleXor  opcode = 346
	opGroupNonUniformShuffleUp   opcode = 347
	opGroupNonUniformShuffleDown opcode = 348
	opGroupNonUniformIAdd        opcode = 349
	opGroupNonUniformSMin        opcode = 353
	opGroupNonUniformUMin        opcode = 354
	opGroupNonUniformSMax        opcode = 356
	opGroupNonUniformUMax        opcode = 357
	opGroupNonUniformBitwiseAnd  opcode = 359
	opGroupNonUniformBitwiseOr   opcode = 360
	opGroupNonUniformBitwiseXor  opcode = 361
)

// Capabilities.
const (
	capAddresses                 = 4
	capKernel                    = 6
	capVector16                  = 7
	capFloat16                   = 9
	capFloat64                   = 10
	capInt64                     = 11
	capInt64Atomics              = 12
	capInt16                     = 22
	capInt8                      = 39
	capSubgroupDispatch          = 58
	capGroupNonUniform           = 61
	capGroupNonUniformArithmetic = 63
	capGroupNonUniformBallot     = 64
	capGroupNonUniformShuffle    = 65
	capGroupNonUniformRelative   = 66
)

// Storage classes.
const (
	classConstant       = 0
	classInput          = 1
	classWorkgroup      = 4
	classCrossWorkgroup = 5
	classFunction       = 7
)

// Built-in variables.
const (
	builtinNumWorkgroups     = 24
	builtinWorkgroupID       = 26
	builtinLocalInvocationID = 27
	builtinSubgroupLane      = 41
)

// Decorations and their words.
const (
	decorationBuiltIn    = 11
	decorationConstant   = 22
	decorationRounding   = 39
	decorationAlignment  = 44
	memoryVolatile       = 1
	memoryAligned        = 2
	modeLocalSize        = 17
	modeContractionOff   = 31
	modeSubgroupSize     = 35
	scopeCrossDevice     = 0
	scopeDevice          = 1
	scopeWorkgroup       = 2
	scopeSubgroup        = 3
	semAcquire           = 0x2
	semRelease           = 0x4
	semAcquireRelease    = 0x8
	semRelaxed           = 0
	semSequential        = 0x10
	semWorkgroupMemory   = 0x100
	semCrossWorkgroup    = 0x200
	groupReduce          = 0
	addressingPhysical64 = 2
	memoryOpenCL         = 2
	executionKernel      = 6
	sourceUnknown        = 0
)

// Functions of the extended instruction set OpenCL.std.
const (
	clCeil   = 12
	clCos    = 14
	clExp2   = 20
	clFabs   = 23
	clFloor  = 25
	clFma    = 26
	clFmax   = 27
	clFmin   = 28
	clLog2   = 38
	clRint   = 53
	clRsqrt  = 56
	clSin    = 57
	clSqrt   = 61
	clTanh   = 63
	clTrunc  = 66
	clClz    = 151
	clSMax   = 156
	clUMax   = 157
	clSMin   = 158
	clUMin   = 159
	clSMulHi = 160
	clPrintf = 184
	clUMulHi = 203
)
