package tile

// A Code says which operation an Op is. The comments give the meaning; "elementwise" means that
// all operands and the result have one shape (tile or scalar) and the operation works on each
// element alone. Integer arithmetic wraps. Float arithmetic is IEEE 754, round to nearest even;
// operations on float8, f16 and bf16 behave as if done in f32 and rounded once, f64 in f64.
type Code uint8

// The operations.
const (
	BadOp Code = iota

	// Constant: the scalar, or a tile that is the same everywhere. ConstAttr. Bits holds the element's bits,
	// zero-extended (a null pointer is 0).
	OpConst

	// Integer arithmetic, elementwise on equal integer types.
	OpAdd
	OpSub
	OpMul
	OpDivS // truncates; x/0 and MinInt/-1 are undefined (the checked executor gives 0 for the first, wraps the second)
	OpDivU
	OpRemS // sign of the dividend
	OpRemU
	OpAnd
	OpOr
	OpXor
	OpShl // a shift by the width or more is undefined (the executor gives 0; for OpShrS the sign)
	OpShrS
	OpShrU
	OpMinS
	OpMinU
	OpMaxS
	OpMaxU
	OpMulHiU // the upper half of the double-width unsigned product
	OpCmpI   // i1 result. CmpIAttr. Also on pointers (unsigned or equality predicates).

	// Float arithmetic, elementwise on equal float types.
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv   // may be approximate (2 ulp in f32)
	OpFDivRN // correctly rounded; f32
	OpFRem   // fmod
	OpFMin   // NaNAttr: propagate NaN, or give the other operand
	OpFMax
	OpFMA   // x*y+z, rounded once
	OpFNeg  // flips the sign, of zeros and NaNs too; a format's only zero and only NaN stay (F8E4M3FZ, F8E5M2FZ)
	OpClamp // x, lo, hi: min(max(x, lo), hi); NaNAttr
	OpCmpF  // i1 result. CmpFAttr

	// Math, elementwise, one float operand (OpAbsI: integer).
	OpAbsI
	OpAbsF // clears the sign, as OpFNeg flips it
	OpExp
	OpExp2
	OpLog
	OpLog2
	OpSin
	OpCos
	OpSqrt   // may be approximate
	OpSqrtRN // correctly rounded
	OpRSqrt
	OpErf
	OpFloor
	OpCeil
	// OpExtern calls a function of the math library by its libdevice name (ExternAttr), elementwise; ExternFuncs
	// lists the functions and the operand and result types of each.
	OpExtern

	// Conversions, elementwise; the result has the operand's shape.
	OpTrunc  // integer to a narrower one
	OpExtS   // integer to a wider one (from i1: 0 or -1)
	OpExtU   // integer to a wider one (from i1: 0 or 1)
	OpFTrunc // float to a float of fewer bits, or to another format of equal bits. RoundAttr
	OpFExt   // float to a float of more bits; exact
	OpSToF   // signed integer to float, nearest even
	OpUToF
	OpFToS // float to signed integer, towards zero; out of range is undefined (the executor saturates, NaN gives 0)
	OpFToU
	OpBitcast  // same width, other type; pointer to pointer of another element too
	OpIntToPtr // i64 to pointer, whatever lies there
	OpPtrToInt // pointer to i64

	// OpSelect is cond, x, y: elementwise; cond is i1 of the same shape, or a scalar i1.
	OpSelect

	// Shape.
	OpSplat      // a scalar to a tile of it
	OpBroadcast  // dimensions of size 1 repeat to the result's size; same rank
	OpExpandDims // inserts a dimension of 1. AxisAttr
	OpReshape    // same number of elements, row-major order kept. ReshapeAttr
	OpTrans      // result dimension i is operand dimension Order[i]. PermAttr
	OpCat        // x, y of one type, along dimension AxisAttr
	OpJoin       // x, y of one type: a new last dimension of 2
	OpSplit      // last dimension of 2 taken apart: two results
	OpRange      // Start, Start+1, … End-1 as 1-D i32. RangeAttr
	// OpGather is src, index: result[i…] = src[… index[i…] at the axis …]; result has the index's shape. An
	// index outside of the axis is undefined (the checker reports it). AxisAttr.
	OpGather
	OpHistogram // values (i32 1-D), [mask]: 1-D i32 counts of the result's size; values outside do not count

	// Facts the author gave. A program in which one is false is undefined as a whole: passes use a fact wherever
	// the value is used, before the fact too (the checker reports it).
	OpHint   // the result is the operand. HintAttr
	OpAssume // an i1 scalar holds; no result

	// Program.
	OpProgramID   // i32. AxisAttr (0, 1, 2)
	OpNumPrograms // i32. AxisAttr

	// Memory. Pointers and values have one shape (tile or scalar), a mask is i1 of the same shape. Addresses
	// are naturally aligned. A pointer may be any address, in arithmetic and as a constant too; an access
	// outside of the arrays that the kernel was given, or that they point to, is undefined (the checker
	// reports it). A pointer to i1 steps by bytes, as bools lie in memory, but an i1 has no form there:
	// accesses are through a cast to pointer to i8.
	OpAddPtr // pointer, integer offset in elements (any integer type, signed) of one shape
	OpLoad   // pointer, [mask, [other]]. LoadAttr. Masked off: other, or zero (the checker poisons it)
	OpStore  // pointer, value, [mask]. StoreAttr

	// OpAtomicRMW is pointer, value, [mask]; the result is the old value (zero where masked off). AtomicAttr.
	OpAtomicRMW
	// OpAtomicCAS is pointer, compare, value; the result is the old value. AtomicAttr (Kind unused).
	OpAtomicCAS
	// OpAtomicLoad is pointer, [mask]; zero where masked off. AtomicAttr (Kind unused, Acquire or Relaxed).
	OpAtomicLoad
	// OpAtomicStore is pointer, value, [mask]. AtomicAttr (Kind unused, Release or Relaxed).
	OpAtomicStore
	// OpAtomicPoll is pointer, value, [i64 nanoseconds]: each lane waits until it reads the value, or until the
	// time, counted from the operation's begin, is over; the i1 result says which. AtomicAttr as of OpAtomicLoad.
	OpAtomicPoll

	// Descriptors: arrays that are read and written in blocks (type_desc.go). Offsets are in elements. What lies
	// outside of the array's shape reads as zero, or NaN if the descriptor says so, and is not written.
	OpMakeDesc    // pointer, sizes (i32 each), strides (i64 each, in elements)
	OpDescLoad    // descriptor, offsets (i32 each): the block there
	OpDescStore   // descriptor, block, offsets
	OpDescReduce  // descriptor, block, offsets: an atomic of each element, relaxed. DescReduceAttr
	OpDescGather  // descriptor of single rows, rows (1-D i32), column (i32): the part of each row
	OpDescScatter // descriptor of single rows, their new parts, rows, column

	// The regions of the next three are applied to elements; NotElementwise says what they may hold.

	// OpReduce is n tiles of one shape; one region with 2n scalar arguments that yields n; n results without
	// the axis (scalars from 1-D). The combination is associative, so neighbours may be combined in
	// any tree, but need not be commutative: the elements behind the first n arguments come before those
	// behind the second. Commutes tells where their order does not matter. AxisAttr.
	OpReduce
	// OpScan is like OpReduce, but the results have the operands' shape: result[i] combines 0…i, or if
	// reversed end…i, from the end, whose elements then are the first arguments. ScanAttr.
	OpScan
	// OpMap is n tiles (or scalars) of one shape; one region with n scalar arguments that yields m scalars; m
	// results of that shape.
	OpMap

	// OpDot is a [M,K], b [K,N], c [M,N] (or with one equal leading batch dimension): c + a·b in c's type.
	// DotAttr. Float operands accumulate in c's type (f32 for f16 c is allowed), integers in i32.
	OpDot
	// OpDotScaled is a, b, c, [scale of a], [scale of b]: c + (a·2^scale) · (b·2^scale), with a scale for each group of
	// 16 or 32 elements along k; scales are [M, K/group] and [N, K/group], exponents with bias 127 (255: NaN) as i8,
	// or f8e4m3. DotScaledAttr.
	OpDotScaled

	// Control. Regions end in OpYield.
	// OpFor is lower, upper, step (one integer type), carried…; region arguments: counter, carried…; results: carried.
	// ForAttr. The step is positive and the counter never wraps (the executor reports another step, and ends the
	// loop instead of wrapping); counting down is the front end's work.
	OpFor
	OpWhile // carried…; region 0: arguments carried, ends in OpCondition; region 1: arguments as OpCondition's values, yields carried; results: OpCondition's values
	OpIf    // i1 scalar; regions then, else (both there; they yield the results)
	OpYield
	OpCondition // i1 scalar, values…
	OpReturn    // values…
	OpCall      // arguments; CallAttr. Passes work on each function alone and know nothing of what one gives

	// Effects.
	OpPrint   // values of any type. PrintAttr
	OpAssert  // condition (i1, any shape), [mask]. AssertAttr
	OpBarrier // all threads of the program arrive
	// OpInlineAsm is elementwise assembly of a target. AsmAttr.
	OpInlineAsm

	numOps
)

// info is a row of the operation table.
type info struct {
	name             string
	minArgs, maxArgs int // maxArgs < 0: any number
	results          int // -1: depends
	regions          int
	effect           Effect
	elementwise      bool
	attr             Attr // a zero value of the attribute's type, or nil
}

const many = -1

var opTable = [numOps]info{
	BadOp:         {"bad", 0, 0, 0, 0, Writes, false, nil},
	OpConst:       {"const", 0, 0, 1, 0, Pure, false, ConstAttr{}},
	OpAdd:         {"add", 2, 2, 1, 0, Pure, true, nil},
	OpSub:         {"sub", 2, 2, 1, 0, Pure, true, nil},
	OpMul:         {"mul", 2, 2, 1, 0, Pure, true, nil},
	OpDivS:        {"divs", 2, 2, 1, 0, Pure, true, nil},
	OpDivU:        {"divu", 2, 2, 1, 0, Pure, true, nil},
	OpRemS:        {"rems", 2, 2, 1, 0, Pure, true, nil},
	OpRemU:        {"remu", 2, 2, 1, 0, Pure, true, nil},
	OpAnd:         {"and", 2, 2, 1, 0, Pure, true, nil},
	OpOr:          {"or", 2, 2, 1, 0, Pure, true, nil},
	OpXor:         {"xor", 2, 2, 1, 0, Pure, true, nil},
	OpShl:         {"shl", 2, 2, 1, 0, Pure, true, nil},
	OpShrS:        {"shrs", 2, 2, 1, 0, Pure, true, nil},
	OpShrU:        {"shru", 2, 2, 1, 0, Pure, true, nil},
	OpMinS:        {"mins", 2, 2, 1, 0, Pure, true, nil},
	OpMinU:        {"minu", 2, 2, 1, 0, Pure, true, nil},
	OpMaxS:        {"maxs", 2, 2, 1, 0, Pure, true, nil},
	OpMaxU:        {"maxu", 2, 2, 1, 0, Pure, true, nil},
	OpMulHiU:      {"mulhiu", 2, 2, 1, 0, Pure, true, nil},
	OpCmpI:        {"cmpi", 2, 2, 1, 0, Pure, true, CmpIAttr{}},
	OpFAdd:        {"fadd", 2, 2, 1, 0, Pure, true, nil},
	OpFSub:        {"fsub", 2, 2, 1, 0, Pure, true, nil},
	OpFMul:        {"fmul", 2, 2, 1, 0, Pure, true, nil},
	OpFDiv:        {"fdiv", 2, 2, 1, 0, Pure, true, nil},
	OpFDivRN:      {"fdiv.rn", 2, 2, 1, 0, Pure, true, nil},
	OpFRem:        {"frem", 2, 2, 1, 0, Pure, true, nil},
	OpFMin:        {"fmin", 2, 2, 1, 0, Pure, true, NaNAttr{}},
	OpFMax:        {"fmax", 2, 2, 1, 0, Pure, true, NaNAttr{}},
	OpFMA:         {"fma", 3, 3, 1, 0, Pure, true, nil},
	OpFNeg:        {"fneg", 1, 1, 1, 0, Pure, true, nil},
	OpClamp:       {"clamp", 3, 3, 1, 0, Pure, true, NaNAttr{}},
	OpCmpF:        {"cmpf", 2, 2, 1, 0, Pure, true, CmpFAttr{}},
	OpAbsI:        {"absi", 1, 1, 1, 0, Pure, true, nil},
	OpAbsF:        {"absf", 1, 1, 1, 0, Pure, true, nil},
	OpExp:         {"exp", 1, 1, 1, 0, Pure, true, nil},
	OpExp2:        {"exp2", 1, 1, 1, 0, Pure, true, nil},
	OpLog:         {"log", 1, 1, 1, 0, Pure, true, nil},
	OpLog2:        {"log2", 1, 1, 1, 0, Pure, true, nil},
	OpSin:         {"sin", 1, 1, 1, 0, Pure, true, nil},
	OpCos:         {"cos", 1, 1, 1, 0, Pure, true, nil},
	OpSqrt:        {"sqrt", 1, 1, 1, 0, Pure, true, nil},
	OpSqrtRN:      {"sqrt.rn", 1, 1, 1, 0, Pure, true, nil},
	OpRSqrt:       {"rsqrt", 1, 1, 1, 0, Pure, true, nil},
	OpErf:         {"erf", 1, 1, 1, 0, Pure, true, nil},
	OpFloor:       {"floor", 1, 1, 1, 0, Pure, true, nil},
	OpCeil:        {"ceil", 1, 1, 1, 0, Pure, true, nil},
	OpExtern:      {"extern", 1, 4, 1, 0, Pure, true, ExternAttr{}},
	OpTrunc:       {"trunc", 1, 1, 1, 0, Pure, true, nil},
	OpExtS:        {"exts", 1, 1, 1, 0, Pure, true, nil},
	OpExtU:        {"extu", 1, 1, 1, 0, Pure, true, nil},
	OpFTrunc:      {"ftrunc", 1, 1, 1, 0, Pure, true, RoundAttr{}},
	OpFExt:        {"fext", 1, 1, 1, 0, Pure, true, nil},
	OpSToF:        {"stof", 1, 1, 1, 0, Pure, true, nil},
	OpUToF:        {"utof", 1, 1, 1, 0, Pure, true, nil},
	OpFToS:        {"ftos", 1, 1, 1, 0, Pure, true, nil},
	OpFToU:        {"ftou", 1, 1, 1, 0, Pure, true, nil},
	OpBitcast:     {"bitcast", 1, 1, 1, 0, Pure, true, nil},
	OpIntToPtr:    {"inttoptr", 1, 1, 1, 0, Pure, true, nil},
	OpPtrToInt:    {"ptrtoint", 1, 1, 1, 0, Pure, true, nil},
	OpSelect:      {"select", 3, 3, 1, 0, Pure, true, nil},
	OpSplat:       {"splat", 1, 1, 1, 0, Pure, false, nil},
	OpBroadcast:   {"broadcast", 1, 1, 1, 0, Pure, false, nil},
	OpExpandDims:  {"expand_dims", 1, 1, 1, 0, Pure, false, AxisAttr{}},
	OpReshape:     {"reshape", 1, 1, 1, 0, Pure, false, ReshapeAttr{}},
	OpTrans:       {"trans", 1, 1, 1, 0, Pure, false, PermAttr{}},
	OpCat:         {"cat", 2, 2, 1, 0, Pure, false, AxisAttr{}},
	OpJoin:        {"join", 2, 2, 1, 0, Pure, false, nil},
	OpSplit:       {"split", 1, 1, 2, 0, Pure, false, nil},
	OpRange:       {"range", 0, 0, 1, 0, Pure, false, RangeAttr{}},
	OpGather:      {"gather", 2, 2, 1, 0, Pure, false, AxisAttr{}},
	OpHistogram:   {"histogram", 1, 2, 1, 0, Pure, false, nil},
	OpHint:        {"hint", 1, 1, 1, 0, Pure, false, HintAttr{}},
	OpAssume:      {"assume", 1, 1, 0, 0, Observes, false, nil},
	OpProgramID:   {"program_id", 0, 0, 1, 0, Pure, false, AxisAttr{}},
	OpNumPrograms: {"num_programs", 0, 0, 1, 0, Pure, false, AxisAttr{}},
	OpAddPtr:      {"addptr", 2, 2, 1, 0, Pure, true, nil},
	OpLoad:        {"load", 1, 3, 1, 0, Reads, true, LoadAttr{}},
	OpStore:       {"store", 2, 3, 0, 0, Writes, true, StoreAttr{}},
	OpAtomicRMW:   {"atomic_rmw", 2, 3, 1, 0, Writes, true, AtomicAttr{}},
	OpAtomicCAS:   {"atomic_cas", 3, 3, 1, 0, Writes, true, AtomicAttr{}},
	OpAtomicLoad:  {"atomic_load", 1, 2, 1, 0, Writes, true, AtomicAttr{}},
	OpAtomicStore: {"atomic_store", 2, 3, 0, 0, Writes, true, AtomicAttr{}},
	OpAtomicPoll:  {"atomic_poll", 2, 3, 1, 0, Writes, false, AtomicAttr{}},
	OpMakeDesc:    {"make_desc", 3, many, 1, 0, Pure, false, nil},
	OpDescLoad:    {"desc_load", 2, many, 1, 0, Reads, false, nil},
	OpDescStore:   {"desc_store", 3, many, 0, 0, Writes, false, nil},
	OpDescReduce:  {"desc_reduce", 3, many, 0, 0, Writes, false, DescReduceAttr{}},
	OpDescGather:  {"desc_gather", 3, 3, 1, 0, Reads, false, nil},
	OpDescScatter: {"desc_scatter", 4, 4, 0, 0, Writes, false, nil},
	OpReduce:      {"reduce", 1, many, -1, 1, Structured, false, AxisAttr{}},
	OpScan:        {"scan", 1, many, -1, 1, Structured, false, ScanAttr{}},
	OpMap:         {"map", 1, many, -1, 1, Structured, false, nil},
	OpDot:         {"dot", 3, 3, 1, 0, Pure, false, DotAttr{}},
	OpDotScaled:   {"dot_scaled", 3, 5, 1, 0, Pure, false, DotScaledAttr{}},
	OpFor:         {"for", 3, many, -1, 1, Structured, false, ForAttr{}},
	OpWhile:       {"while", 0, many, -1, 2, Structured, false, nil},
	OpIf:          {"if", 1, 1, -1, 2, Structured, false, nil},
	OpYield:       {"yield", 0, many, 0, 0, Terminates, false, nil},
	OpCondition:   {"condition", 1, many, 0, 0, Terminates, false, nil},
	OpReturn:      {"return", 0, many, 0, 0, Terminates, false, nil},
	OpCall:        {"call", 0, many, -1, 0, Writes, false, CallAttr{}},
	OpPrint:       {"print", 0, many, 0, 0, Observes, false, PrintAttr{}},
	OpAssert:      {"assert", 1, 2, 0, 0, Observes, false, AssertAttr{}},
	OpBarrier:     {"barrier", 0, 0, 0, 0, Writes, false, nil},
	OpInlineAsm:   {"inline_asm", 0, many, -1, 0, Writes, false, AsmAttr{}},
}

// String gives the operation's name in the text form.
func (c Code) String() string {
	if c >= numOps {
		return "bad"
	}
	return opTable[c].name
}

// IsElementwise reports whether the operation works on each element alone, all operands
// and results having one shape (OpSelect's condition may be a scalar).
func (c Code) IsElementwise() bool { return opTable[c].elementwise }

// IsTerminator reports whether the operation ends a block.
func (c Code) IsTerminator() bool { return opTable[c].effect == Terminates }
