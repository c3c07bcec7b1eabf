package xpu

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An emitter writes a function.
type emitter struct {
	*module
	f        *lir.Func
	lineText func(file string, line int) string
	ids      map[*lir.Value]id
	code     []uint32
	label    id // of the block that is being written
	at       tile.Loc
	files    map[string]id

	threadID, programID, numPrograms, laneID id // variables, 0 until they are needed
	shared                                   id
	locals                                   []id
	params                                   []id
	strict                                   bool // an operation must not be fused with another
	signs                                    id   // see hideSigns
	exchanged                                bool // see keepTogether
}

// emit makes the module of a function.
func emit(f *lir.Func, lineText func(file string, line int) string) (m *module, err error) {
	e := &emitter{module: newModule(), f: f, lineText: lineText, ids: map[*lir.Value]id{}, files: map[string]id{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			m, err = nil, r.err
		default:
			panic(r)
		}
	}()
	e.function()
	return e.module, nil
}

// A refusal ends the emission.
type refusal struct{ err error }

// refuse says that the target cannot do an operation.
func (e *emitter) refuse(op *lir.Op, format string, args ...any) {
	place := diag.Place{}
	if e.f.Locs != nil {
		place = e.f.Locs.Outer(op.Loc).Place(e.lineText)
	}
	panic(refusal{diag.At(diag.Unsupported, place, "target xpu: "+format, args...).WithCode("xpu")})
}

func (e *emitter) function() {
	f := e.f
	types := make([]uint32, len(f.Params))
	for i, p := range f.Params {
		types[i] = e.paramType(p)
	}
	kind := e.global(0, opTypeFunction, append([]uint32{e.void()}, types...)...)
	function := e.id()
	e.debug = instruction(e.debug, opName, append([]uint32{function}, literal(f.Name)...)...)
	head := instruction(nil, opFunction, e.void(), function, 0, kind)
	e.params = make([]id, len(types))
	for i, t := range types {
		e.params[i] = e.id()
		head = instruction(head, opFunctionParameter, t, e.params[i])
		e.debug = instruction(e.debug, opName, append([]uint32{e.params[i]}, literal(f.Params[i].Name)...)...)
	}
	e.label = e.id()
	head = instruction(head, opLabel, e.label)
	e.locals = make([]id, len(f.Local))
	for i, l := range f.Local {
		e.locals[i] = e.id()
		head = instruction(head, opVariable, e.pointer(classFunction, e.array(l.Size)), e.locals[i], classFunction)
		e.decorate(e.locals[i], decorationAlignment, uint32(max(l.Align, 1)))
	}
	if f.SharedBytes > 0 {
		e.shared = e.variable(classWorkgroup, e.array(f.SharedBytes))
		e.decorate(e.shared, decorationAlignment, 128)
	}
	head = e.hideSigns(head)
	e.block(f.Body)
	e.functions = instruction(append(head, e.code...), opFunctionEnd)
	e.entryPoint(function)
}

// hideSigns makes a number whose only bit is the sign, in a way that a compiler cannot see, for functions that negate floats and have
// barriers. Intel's compiler for processors forgets to keep what an fneg gave for the work-items that wait at a barrier; it makes one of
// each flip of a sign that it sees.
func (e *emitter) hideSigns(head []uint32) []uint32 {
	barriers, negations := false, false
	e.f.Body.Walk(func(op *lir.Op) {
		barriers = barriers || op.Code == lir.OpBarrier
		negations = negations || op.Code == lir.OpFNeg || negated(op) != nil || flipsSign(op)
	})
	if !barriers || !negations {
		return head
	}
	word := e.typeOf(lir.I32)
	at := e.id()
	head = instruction(head, opVariable, e.pointer(classFunction, word), at, classFunction)
	e.put(opStore, at, e.constant(lir.I32, 1<<31), memoryVolatile|memoryAligned, 4)
	e.signs = e.make(opLoad, word, at, memoryVolatile|memoryAligned, 4)
	return head
}

// minusOnes are the bits of -1.
var minusOnes = map[lir.Type]uint64{lir.F16: 0xbc00, lir.BF16: 0xbf80, lir.F32: 0xbf800000, lir.F64: 0xbff0000000000000}

// negated gives the float whose negation an operation is without saying so, and compilers see: x · -1, x / -1, -0 - x. Else nil.
func negated(op *lir.Op) *lir.Value {
	switch op.Code {
	case lir.OpFMul, lir.OpFDiv, lir.OpFSub:
	default:
		return nil
	}
	x, y := op.Args[0], op.Args[1]
	one := minusOnes[x.Type]
	switch {
	case op.Code == lir.OpFSub && x.IsConstBits(1<<(x.Type.Bits()-1)):
		return y
	case op.Code != lir.OpFSub && y.IsConstBits(one):
		return x
	case op.Code == lir.OpFMul && x.IsConstBits(one):
		return y
	}
	return nil
}

// flipsSign reports whether an operation of integers flips or sets the highest bit only, as on a float's bits.
func flipsSign(op *lir.Op) bool {
	if op.Code != lir.OpXor && op.Code != lir.OpOr || op.Results[0].Type.Bits() < 16 {
		return false
	}
	sign := uint64(1) << (op.Results[0].Type.Bits() - 1)
	return op.Args[0].IsConstBits(sign) || op.Args[1].IsConstBits(sign)
}

// entryPoint says that the function is the kernel, and how it is launched.
func (e *emitter) entryPoint(function id) {
	words := append([]uint32{executionKernel, function}, literal(e.f.Name)...)
	e.entry = instruction(e.entry, opEntryPoint, append(words, e.variables...)...)
	e.modes = instruction(e.modes, opExecutionMode, function, modeLocalSize, uint32(e.f.Warps*e.f.WarpSize), 1, 1)
	e.need(capSubgroupDispatch)
	e.modes = instruction(e.modes, opExecutionMode, function, modeSubgroupSize, uint32(e.f.WarpSize))
	if e.strict {
		e.modes = instruction(e.modes, opExecutionMode, function, modeContractionOff)
	}
}

// paramType gives the type of a parameter: a pointer to bytes of global memory, or a number.
func (e *emitter) paramType(p lir.Param) id {
	if p.Pointer {
		return e.pointer(classCrossWorkgroup, e.typeOf(lir.I8))
	}
	return e.typeOf(p.Type)
}

// put writes an instruction without a result.
func (e *emitter) put(op opcode, words ...uint32) { e.code = instruction(e.code, op, words...) }

// make writes an instruction that gives a result of a type.
func (e *emitter) make(op opcode, t id, words ...uint32) id {
	result := e.id()
	e.code = instruction(e.code, op, append([]uint32{t, result}, words...)...)
	return result
}

// call writes a call of a function of OpenCL.std.
func (e *emitter) call(t id, function uint32, words ...uint32) id {
	return e.make(opExtInst, t, append([]uint32{e.openCL, function}, words...)...)
}

// of gives the id of a value.
func (e *emitter) of(v *lir.Value) id {
	if v.IsConst() {
		return e.constant(v.Type, v.Bits)
	}
	return e.ids[v]
}

func (e *emitter) all(values []*lir.Value) []uint32 {
	ids := make([]uint32, len(values))
	for i, v := range values {
		ids[i] = e.of(v)
	}
	return ids
}

// begin begins a block.
func (e *emitter) begin(label id) {
	e.put(opLabel, label)
	e.label = label
	e.at = 0
}

// branch ends a block.
func (e *emitter) branch(to id) { e.put(opBranch, to) }

// phi writes a phi at the beginning of a block.
func (e *emitter) phi(t id, pairs ...uint32) id { return e.make(opPhi, t, pairs...) }

// line says where the following instructions come from.
func (e *emitter) line(loc tile.Loc) {
	if loc == 0 || loc == e.at || e.f.Locs == nil {
		return
	}
	l := e.f.Locs.At(loc)
	if l.Line <= 0 || l.File == "" {
		return
	}
	file, ok := e.files[l.File]
	if !ok {
		file = e.id()
		e.files[l.File] = file
		// Strings stand before names (section 2.4).
		e.debug = append(instruction(nil, opString, append([]uint32{file}, literal(l.File)...)...), e.debug...)
	}
	e.put(opLine, file, uint32(l.Line), uint32(max(l.Col, 0)))
	e.at = loc
}

// block writes the operations of a block but its terminator, and gives that.
func (e *emitter) block(b *lir.Block) *lir.Op {
	for _, op := range b.Ops {
		e.line(op.Loc)
		switch op.Code {
		case lir.OpYield, lir.OpCondition:
			return op
		case lir.OpReturn:
			e.put(opReturn)
			return op
		}
		e.op(op)
	}
	return nil
}

// op writes an operation.
func (e *emitter) op(op *lir.Op) {
	if row, ok := simple[op.Code]; ok {
		e.set(op, e.simple(op, row))
		return
	}
	if write := writers[op.Code]; write != nil {
		write(e, op)
		return
	}
	e.refuse(op, "there is no %s", op.Code)
}

// set notes the result of an operation.
func (e *emitter) set(op *lir.Op, result id) { e.ids[op.Result()] = result }

// writers are the operations that are more than an instruction. They are set here because they write regions, which hold
// operations.
var writers map[lir.Code]func(*emitter, *lir.Op)

func init() {
	writers = map[lir.Code]func(*emitter, *lir.Op){
		lir.OpParam: (*emitter).param, lir.OpThreadID: (*emitter).thread, lir.OpProgramID: (*emitter).program, lir.OpNumPrograms: (*emitter).program,
		lir.OpDivS: (*emitter).divide, lir.OpDivU: (*emitter).divide, lir.OpRemS: (*emitter).divide, lir.OpRemU: (*emitter).divide,
		lir.OpAnd: (*emitter).bitwise, lir.OpOr: (*emitter).bitwise, lir.OpXor: (*emitter).bitwise,
		lir.OpShl: (*emitter).shift, lir.OpShrS: (*emitter).shift, lir.OpShrU: (*emitter).shift,
		lir.OpPopCount: (*emitter).countBits, lir.OpCLZ: (*emitter).countBits, lir.OpBitRev: (*emitter).reverseBits, lir.OpPrmt: (*emitter).permuteBytes,
		lir.OpCmp: (*emitter).compare, lir.OpFCmp: (*emitter).compareFloats,
		lir.OpFAdd: (*emitter).arithmetic, lir.OpFSub: (*emitter).arithmetic, lir.OpFMul: (*emitter).arithmetic, lir.OpFDiv: (*emitter).arithmetic,
		lir.OpFMA: (*emitter).fma, lir.OpFMASat: (*emitter).fmaSaturated, lir.OpFMin: (*emitter).minMax, lir.OpFMax: (*emitter).minMax, lir.OpFNeg: (*emitter).sign, lir.OpFAbs: (*emitter).sign,
		lir.OpSqrt: (*emitter).squareRoot, lir.OpRcp: (*emitter).reciprocal, lir.OpFRound: (*emitter).roundToInteger,
		lir.OpTrunc: (*emitter).truncate, lir.OpExtS: (*emitter).extend, lir.OpExtU: (*emitter).extend,
		lir.OpFTrunc: (*emitter).narrow, lir.OpFExt: (*emitter).widen,
		lir.OpSToF: (*emitter).toFloat, lir.OpUToF: (*emitter).toFloat, lir.OpFToS: (*emitter).toInteger, lir.OpFToU: (*emitter).toInteger,
		lir.OpBitcast: (*emitter).bitcast, lir.OpPackF16: (*emitter).packHalves, lir.OpPack: (*emitter).pack, lir.OpUnpack: (*emitter).unpack,
		lir.OpLoad: (*emitter).load, lir.OpStore: (*emitter).store, lir.OpAtomicRMW: (*emitter).atomic, lir.OpAtomicCAS: (*emitter).compareAndSwap,
		lir.OpFence: (*emitter).fence, lir.OpBarrier: (*emitter).barrier, lir.OpWarpSync: (*emitter).barrier,
		lir.OpShuffle: (*emitter).shuffle, lir.OpBallot: (*emitter).ballot, lir.OpRedux: (*emitter).redux,
		lir.OpFor: (*emitter).forLoop, lir.OpWhile: (*emitter).while, lir.OpIf: (*emitter).ifElse,
		lir.OpPrint: (*emitter).print, lir.OpAssert: (*emitter).assert,
	}
}
