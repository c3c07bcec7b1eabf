package lir

// A Code says which operation an Op is.
type Code uint8

// The operations. Where nothing else is said all operands and the result have one type. Integer arithmetic wraps; a shift by the width or more
// gives 0, or the sign.
const (
	BadOp Code = iota

	// The program and its threads.
	OpParam       // parameter Imm
	OpThreadID    // I32, 0 … threads of the CTA-1
	OpProgramID   // I32, axis Imm
	OpNumPrograms // I32, axis Imm

	// Integers: I32 and I64; And, Or and Xor also I1 and I16.
	OpAdd
	OpSub
	OpMul
	OpMulHiU // upper half of the double-width product
	OpMulHiS
	OpDivS // x/0 is anything
	OpDivU
	OpRemS
	OpRemU
	OpAnd
	OpOr
	OpXor
	OpShl // the count is an I32
	OpShrS
	OpShrU
	OpMinS
	OpMinU
	OpMaxS
	OpMaxU
	OpPopCount // I32 result
	OpCLZ      // leading zeros; I32 result
	OpBitRev
	OpCmp  // I1 result; Mod is a tile.CmpI
	OpPrmt // I32 bytes of x, y chosen by a selector (PTX's prmt.b32)

	// Floats: F32 and F64; FAdd, FSub, FMul, FMA, FNeg, FAbs also F16 and BF16. Mod is a Rounding of the arithmetic ones.
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFMA
	OpFMASat // F32: the result between 0 and 1; 0 for NaN
	OpFMin   // Mod 1: NaN if an operand is
	OpFMax
	OpFNeg
	OpFAbs
	OpFCmp // I1 result; Mod is a tile.CmpF
	OpSqrt
	OpRcp
	OpRSqrt  // approximate
	OpExp2   // approximate; F32. Mod 1: results below 2^-126 may be 0
	OpLog2   // approximate; F32
	OpSin    // approximate, good between -π and π; F32
	OpCos    // approximate, good between -π and π; F32
	OpTanh   // approximate; F32
	OpFRound // to an integer in the same type; Mod is a Rounding

	// Conversions.
	OpTrunc // to a narrower integer; to I1: the lowest bit
	OpExtS
	OpExtU
	OpFTrunc // to fewer bits; Mod is a Rounding
	OpFExt
	OpSToF // Mod is a Rounding
	OpUToF
	OpFToS // Mod is a Rounding; saturates, NaN gives 0
	OpFToU
	OpBitcast // equal widths
	OpToF8    // x, y: F32 (to E4M3 or E5M2) or E5M2/E4M3 pairs; I16 result: y's code in the upper byte. Mod is an F8 format. Saturates.
	OpFromF8  // I16 of two codes; I32 result: two F16. Mod is an F8 format
	OpPackF16 // lo, hi: F32; I32 result: two F16, or BF16 if Mod is 1, rounded to nearest even
	OpPack    // lo, hi of one type of 16 bits, or four I8, the lowest first; I32 result: their bits
	OpUnpack  // I32; results: its two halves of one type of 16 bits, or its four I8

	OpSelect // I1, x, y

	// Memory. The address comes first; then, if Mem.Pred, the I1.
	OpLoad      // 1, 2, 4, 8 or 16 results of one type, in memory's order, at most 16 bytes, aligned by their sum; Else operands as many
	OpStore     // as many values
	OpAtomicRMW // value; result: the old one (none: nobody asks)
	OpAtomicCAS // compare, value; result: the old one
	OpFence     // orders memory; Mod is a tile.MemScope

	// Threads together.
	OpBarrier  // all threads of the CTA
	OpWarpSync // all threads of the warp
	OpShuffle  // value (I32 or F32), I32 lane, distance or mask as Mod, a ShuffleMode, says
	OpBallot   // I1; I32 result: bit i is lane i's
	OpRedux    // I32 of all lanes combined; Mod is a tile.Atomic
	OpClock    // I64 nanoseconds of a clock that goes on

	// Matrices, that the lanes of a warp hold together.
	OpMMA // words of A, words of B, sum…; result: the new sum. Mod is an MMA
	// OpLoadMatrix reads as many matrices as it has I32 results, of 8 rows of 16 bytes of Shared memory. Lane 8g+i gives the
	// address of row i of matrix g. Word j of it goes to lane 4i+j; or if Mod is 1, 16-bit element j to lane 4j+i/2, to half i%2.
	OpLoadMatrix
	// OpGroupMMA is what four warps, numbered from a multiple of 4 on, do together; Group says what. Operand 0 is the address of B in
	// Shared memory, as Mem says, the same in all their threads; then come the address of A, as From says, or A's words; then the sum,
	// if there is something to add to. It only begins: its results, and what it reads, are in use until an OpGroupWait.
	// What threads wrote there has to be made visible to it by OpProxyFence, and a barrier after that.
	OpGroupMMA
	// OpGroupWait waits until at most Imm OpGroupMMAs of the warp group are not done. Its operands are results of those that are, and its
	// results are the same, to be used by everybody.
	OpGroupWait
	OpProxyFence // what the thread wrote to Shared memory so far is visible to matrix instructions of warp groups that come after a barrier, or a signal that it gives

	// Asynchronous copies. A copy may happen at any time until the thread has waited for it; others see what it wrote from the next
	// barrier on.
	OpCopyAsync  // [I1], I64 address in Global memory, as From says: Imm bytes (4, 8, 16) to Mem, in Shared memory; zeros if the I1 is false
	OpCopyCommit // the thread's copies since the last one are a group
	OpCopyWait   // until at most Imm of the thread's groups are not done

	// Signals, words of 8 bytes in Shared memory that the address names. A round of a signal is over when it was given as often as it takes; then the
	// next one begins. What a thread did before it gave a signal has happened for all who have waited for that round.
	OpSignalInit // it takes Imm
	OpSignalEnd  // the word is no signal any more
	OpSignalGive // [I1]
	OpSignalWait // I32: waits until the round of that parity is over, the first being of parity 0, and the one before it of parity 1

	// Control.
	OpFor   // lower, upper, step, carried…; region: counter, carried…; Mod 1: the comparison is unsigned; Imm 1: it is not to be unrolled
	OpWhile // carried…; regions: condition (carried…), ends in OpCondition; body (its values…), yields carried; results: OpCondition's values. Imm 1: threads may leave it one by one
	OpIf    // I1; regions then and else, which yield the results. Imm 1: the condition may differ from thread to thread
	OpYield //
	OpCondition
	OpReturn

	// Effects.
	OpPrint  // values; Text.Format is printf's: %d %u %lld %llu %x %llx %f %p
	OpAssert // I1: if it does not hold, the message and the place are reported and the kernel ends with an error
	OpAsm    // values; Text; the results' types are its. Imm 1: has no effect besides them

	numOps
)

// A Rounding says how a result is rounded.
type Rounding uint8

// The roundings. Fused lets a target compute a product and the sum that it is used in with one rounding (FMul, FAdd, FSub); of FDiv,
// Sqrt and Rcp it means approximately, at most 2 ulp off, in F32.
const (
	Fused Rounding = iota
	Nearest
	Zero
	Up
	Down
)

var roundingNames = []string{Fused: "fast", Nearest: "rn", Zero: "rz", Up: "rp", Down: "rm"}

// String gives the name in the text form.
func (r Rounding) String() string { return name(int(r), roundingNames) }

// An F8 is an 8-bit float format that targets have instructions for.
type F8 uint8

// The formats.
const (
	E4M3 F8 = iota
	E5M2
)

var f8Names = []string{E4M3: "e4m3", E5M2: "e5m2"}

// String gives the name in the text form.
func (f F8) String() string { return name(int(f), f8Names) }

// A ShuffleMode says which lane a lane reads.
type ShuffleMode uint8

// The modes. A lane that would read outside of the warp gets its own value.
const (
	ShuffleIdx  ShuffleMode = iota // that of the number, modulo the warp's size
	ShuffleXor                     // the own number, exclusive-or
	ShuffleUp                      // the own number, less
	ShuffleDown                    // the own number, more
)

var shuffleNames = []string{ShuffleIdx: "idx", ShuffleXor: "xor", ShuffleUp: "up", ShuffleDown: "down"}

// String gives the name in the text form.
func (m ShuffleMode) String() string { return name(int(m), shuffleNames) }

// An Effect is what an operation does besides giving results.
type Effect uint8

// The effects.
const (
	Pure       Effect = iota
	Reads             // memory
	Writes            // memory, or what others see
	Together          // threads do it together
	Structured        // that of its regions
	Ends              // a block
)

// A modifier says what Mod is, for the printer.
type modifier uint8

const (
	noMod modifier = iota
	modRounding
	modCmpI
	modCmpF
	modNaN
	modShuffle
	modAtomic
	modScope
	modUnsigned
	modF8
	modMMA
	modTransposed
	modBF16
	modFlush
)

type info struct {
	name    string
	args    int // -1: see the rule
	results int
	regions int
	effect  Effect
	mod     modifier
	rule    rule
}

var opTable = [numOps]info{
	BadOp:         {"bad", 0, 0, 0, Writes, noMod, nil},
	OpParam:       {"param", 0, 1, 0, Pure, noMod, nil},
	OpThreadID:    {"thread_id", 0, 1, 0, Pure, noMod, result(I32)},
	OpProgramID:   {"program_id", 0, 1, 0, Pure, noMod, result(I32)},
	OpNumPrograms: {"num_programs", 0, 1, 0, Pure, noMod, result(I32)},
	OpAdd:         {"add", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpSub:         {"sub", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpMul:         {"mul", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpMulHiU:      {"mulhiu", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpMulHiS:      {"mulhis", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpDivS:        {"divs", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpDivU:        {"divu", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpRemS:        {"rems", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpRemU:        {"remu", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpAnd:         {"and", 2, 1, 0, Pure, noMod, same(I1, I16, I32, I64)},
	OpOr:          {"or", 2, 1, 0, Pure, noMod, same(I1, I16, I32, I64)},
	OpXor:         {"xor", 2, 1, 0, Pure, noMod, same(I1, I16, I32, I64)},
	OpShl:         {"shl", 2, 1, 0, Pure, noMod, shift},
	OpShrS:        {"shrs", 2, 1, 0, Pure, noMod, shift},
	OpShrU:        {"shru", 2, 1, 0, Pure, noMod, shift},
	OpMinS:        {"mins", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpMinU:        {"minu", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpMaxS:        {"maxs", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpMaxU:        {"maxu", 2, 1, 0, Pure, noMod, same(I32, I64)},
	OpPopCount:    {"popcount", 1, 1, 0, Pure, noMod, to(I32, I32, I64)},
	OpCLZ:         {"clz", 1, 1, 0, Pure, noMod, to(I32, I32, I64)},
	OpBitRev:      {"bitrev", 1, 1, 0, Pure, noMod, same(I32, I64)},
	OpCmp:         {"cmp", 2, 1, 0, Pure, modCmpI, to(I1, I16, I32, I64)},
	OpPrmt:        {"prmt", 3, 1, 0, Pure, noMod, same(I32)},
	OpFAdd:        {"fadd", 2, 1, 0, Pure, modRounding, same(F16, BF16, F32, F64)},
	OpFSub:        {"fsub", 2, 1, 0, Pure, modRounding, same(F16, BF16, F32, F64)},
	OpFMul:        {"fmul", 2, 1, 0, Pure, modRounding, same(F16, BF16, F32, F64)},
	OpFDiv:        {"fdiv", 2, 1, 0, Pure, modRounding, same(F32, F64)},
	OpFMA:         {"fma", 3, 1, 0, Pure, modRounding, same(F16, BF16, F32, F64)},
	OpFMASat:      {"fmasat", 3, 1, 0, Pure, noMod, same(F32)},
	OpFMin:        {"fmin", 2, 1, 0, Pure, modNaN, same(F32, F64)},
	OpFMax:        {"fmax", 2, 1, 0, Pure, modNaN, same(F32, F64)},
	OpFNeg:        {"fneg", 1, 1, 0, Pure, noMod, same(F16, BF16, F32, F64)},
	OpFAbs:        {"fabs", 1, 1, 0, Pure, noMod, same(F16, BF16, F32, F64)},
	OpFCmp:        {"fcmp", 2, 1, 0, Pure, modCmpF, to(I1, F32, F64)},
	OpSqrt:        {"sqrt", 1, 1, 0, Pure, modRounding, same(F32, F64)},
	OpRcp:         {"rcp", 1, 1, 0, Pure, modRounding, same(F32, F64)},
	OpRSqrt:       {"rsqrt", 1, 1, 0, Pure, noMod, same(F32, F64)},
	OpExp2:        {"exp2", 1, 1, 0, Pure, modFlush, same(F32)},
	OpLog2:        {"log2", 1, 1, 0, Pure, noMod, same(F32)},
	OpSin:         {"sin", 1, 1, 0, Pure, noMod, same(F32)},
	OpCos:         {"cos", 1, 1, 0, Pure, noMod, same(F32)},
	OpTanh:        {"tanh", 1, 1, 0, Pure, noMod, same(F32)},
	OpFRound:      {"fround", 1, 1, 0, Pure, modRounding, same(F32, F64)},
	OpTrunc:       {"trunc", 1, 1, 0, Pure, noMod, narrower(Type.IsInt)},
	OpExtS:        {"exts", 1, 1, 0, Pure, noMod, wider(Type.IsInt)},
	OpExtU:        {"extu", 1, 1, 0, Pure, noMod, wider(Type.IsInt)},
	OpFTrunc:      {"ftrunc", 1, 1, 0, Pure, modRounding, narrower(Type.IsFloat)},
	OpFExt:        {"fext", 1, 1, 0, Pure, noMod, wider(Type.IsFloat)},
	OpSToF:        {"stof", 1, 1, 0, Pure, modRounding, between(Type.IsInt, Type.IsFloat)},
	OpUToF:        {"utof", 1, 1, 0, Pure, modRounding, between(Type.IsInt, Type.IsFloat)},
	OpFToS:        {"ftos", 1, 1, 0, Pure, modRounding, between(Type.IsFloat, Type.IsInt)},
	OpFToU:        {"ftou", 1, 1, 0, Pure, modRounding, between(Type.IsFloat, Type.IsInt)},
	OpBitcast:     {"bitcast", 1, 1, 0, Pure, noMod, equalBits},
	OpToF8:        {"tof8", 2, 1, 0, Pure, modF8, to(I16, F32)},
	OpFromF8:      {"fromf8", 1, 1, 0, Pure, modF8, to(I32, I16)},
	OpPackF16:     {"packf16", 2, 1, 0, Pure, modBF16, to(I32, F32)},
	OpPack:        {"pack", -1, 1, 0, Pure, noMod, packs},
	OpUnpack:      {"unpack", 1, -1, 0, Pure, noMod, unpacks},
	OpSelect:      {"select", 3, 1, 0, Pure, noMod, selects},
	OpLoad:        {"load", -1, -1, 0, Reads, noMod, loads},
	OpStore:       {"store", -1, 0, 0, Writes, noMod, stores},
	OpAtomicRMW:   {"atomic_rmw", -1, -1, 0, Writes, noMod, atomics(1)},
	OpAtomicCAS:   {"atomic_cas", -1, -1, 0, Writes, noMod, atomics(2)},
	OpFence:       {"fence", 0, 0, 0, Writes, modScope, nil},
	OpBarrier:     {"barrier", 0, 0, 0, Together, noMod, nil},
	OpWarpSync:    {"warp_sync", 0, 0, 0, Together, noMod, nil},
	OpShuffle:     {"shuffle", 2, 1, 0, Together, modShuffle, shuffles},
	OpBallot:      {"ballot", 1, 1, 0, Together, noMod, to(I32, I1)},
	OpRedux:       {"redux", 1, 1, 0, Together, modAtomic, same(I32)},
	OpClock:       {"clock", 0, 1, 0, Writes, noMod, result(I64)},
	OpMMA:         {"mma", -1, -1, 0, Together, modMMA, multiplies},
	OpLoadMatrix:  {"load_matrix", 1, -1, 0, Together, modTransposed, loadsMatrices},
	OpGroupMMA:    {"group_mma", -1, -1, 0, Together, noMod, multipliesGroups},
	OpGroupWait:   {"group_wait", -1, -1, 0, Writes, noMod, waitsForGroups},
	OpProxyFence:  {"proxy_fence", 0, 0, 0, Writes, noMod, nil},
	OpCopyAsync:   {"copy_async", -1, 0, 0, Writes, noMod, copiesAsync},
	OpCopyCommit:  {"copy_commit", 0, 0, 0, Writes, noMod, nil},
	OpCopyWait:    {"copy_wait", 0, 0, 0, Writes, noMod, nil},
	OpSignalInit:  {"signal_init", 1, 0, 0, Writes, noMod, signals(0)},
	OpSignalEnd:   {"signal_end", 1, 0, 0, Writes, noMod, signals(0)},
	OpSignalGive:  {"signal_give", -1, 0, 0, Writes, noMod, signals(0)},
	OpSignalWait:  {"signal_wait", 2, 0, 0, Writes, noMod, signals(1)},
	OpFor:         {"for", -1, -1, 1, Structured, modUnsigned, nil},
	OpWhile:       {"while", -1, -1, 2, Structured, noMod, nil},
	OpIf:          {"if", 1, -1, 2, Structured, noMod, nil},
	OpYield:       {"yield", -1, 0, 0, Ends, noMod, nil},
	OpCondition:   {"condition", -1, 0, 0, Ends, noMod, nil},
	OpReturn:      {"return", 0, 0, 0, Ends, noMod, nil},
	OpPrint:       {"print", -1, 0, 0, Writes, noMod, nil},
	OpAssert:      {"assert", 1, 0, 0, Writes, noMod, nil},
	OpAsm:         {"asm", -1, -1, 0, Writes, noMod, nil},
}

// String gives the operation's name in the text form.
func (c Code) String() string {
	if c >= numOps {
		return "bad"
	}
	return opTable[c].name
}

// Effect gives what operations of this code do, regions aside.
func (c Code) Effect() Effect { return opTable[c].effect }

// Effect gives what the operation does: assembly that has no effect is Pure, and what is read in memory that only this thread writes, or that
// is never written, only depends on the address and what the thread did.
func (o *Op) Effect() Effect {
	switch {
	case o.Code == OpAsm && o.Imm == 1:
		return Pure
	case o.Code == OpLoad && o.Mem.Volatile:
		return Writes
	}
	return o.Code.Effect()
}
