package xpu

import (
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// param gives a parameter: of a pointer, the address.
func (e *emitter) param(op *lir.Op) {
	p := e.f.Params[op.Imm]
	if !p.Pointer {
		e.set(op, e.params[op.Imm])
		return
	}
	e.set(op, e.make(opConvertPtrToU, e.typeOf(lir.I64), e.params[op.Imm]))
}

// component reads a number of a built-in variable of three, which at remembers.
func (e *emitter) component(at *id, builtin uint32, axis int64) id {
	three := e.vector(lir.I64, 3)
	if *at == 0 {
		*at = e.builtin(builtin, three)
	}
	all := e.make(opLoad, three, *at)
	return e.make(opUConvert, e.typeOf(lir.I32), e.make(opCompositeExtract, e.typeOf(lir.I64), all, uint32(axis)))
}

func (e *emitter) thread(op *lir.Op) {
	e.set(op, e.component(&e.threadID, builtinLocalInvocationID, 0))
}

func (e *emitter) program(op *lir.Op) {
	if op.Code == lir.OpNumPrograms {
		e.set(op, e.component(&e.numPrograms, builtinNumWorkgroups, op.Imm))
		return
	}
	e.set(op, e.component(&e.programID, builtinWorkgroupID, op.Imm))
}

// lane gives the number of the work-item in its sub-group.
func (e *emitter) lane() id {
	if e.laneID == 0 {
		e.laneID = e.builtin(builtinSubgroupLane, e.typeOf(lir.I32))
	}
	return e.make(opLoad, e.typeOf(lir.I32), e.laneID)
}

func (e *emitter) barrier(op *lir.Op) {
	scope := scopeWorkgroup
	if op.Code == lir.OpWarpSync {
		scope = scopeSubgroup
	}
	e.put(opControlBarrier, e.i32(scope), e.i32(scope), e.i32(semSequential|semWorkgroupMemory|semCrossWorkgroup))
}

// shuffle reads a value of another lane. Up and down keep the lane's own value where there is no such lane.
func (e *emitter) shuffle(op *lir.Op) {
	t := op.Result().Type
	typ, scope, value, by := e.typeOf(t), e.i32(scopeSubgroup), e.of(op.Args[0]), e.of(op.Args[1])
	e.need(capGroupNonUniform)
	e.exchanged = true
	switch lir.ShuffleMode(op.Mod) {
	case lir.ShuffleIdx:
		e.need(capGroupNonUniformShuffle)
		lane := e.make(opBitwiseAnd, e.typeOf(lir.I32), by, e.i32(e.f.WarpSize-1))
		e.set(op, e.make(opGroupNonUniformShuffle, typ, scope, value, lane))
	case lir.ShuffleXor:
		e.need(capGroupNonUniformShuffle)
		e.set(op, e.make(opGroupNonUniformShuffleXor, typ, scope, value, by))
	case lir.ShuffleUp:
		e.need(capGroupNonUniformRelative)
		other := e.make(opGroupNonUniformShuffleUp, typ, scope, value, by)
		there := e.make(opUGreaterThanEqual, e.typeOf(lir.I1), e.lane(), by)
		e.set(op, e.make(opSelect, typ, there, other, value))
	case lir.ShuffleDown:
		e.need(capGroupNonUniformRelative)
		other := e.make(opGroupNonUniformShuffleDown, typ, scope, value, by)
		there := e.make(opULessThan, e.typeOf(lir.I1), e.make(opIAdd, e.typeOf(lir.I32), e.lane(), by), e.i32(e.f.WarpSize))
		e.set(op, e.make(opSelect, typ, there, other, value))
	}
}

func (e *emitter) ballot(op *lir.Op) {
	e.need(capGroupNonUniform)
	e.need(capGroupNonUniformBallot)
	e.exchanged = true
	all := e.make(opGroupNonUniformBallot, e.vector(lir.I32, 4), e.i32(scopeSubgroup), e.of(op.Args[0]))
	e.set(op, e.make(opCompositeExtract, e.typeOf(lir.I32), all, 0))
}

var reductions = map[tile.Atomic]opcode{
	tile.AtomicAdd: opGroupNonUniformIAdd, tile.AtomicAnd: opGroupNonUniformBitwiseAnd, tile.AtomicOr: opGroupNonUniformBitwiseOr,
	tile.AtomicXor: opGroupNonUniformBitwiseXor, tile.AtomicMaxS: opGroupNonUniformSMax, tile.AtomicMaxU: opGroupNonUniformUMax,
	tile.AtomicMinS: opGroupNonUniformSMin, tile.AtomicMinU: opGroupNonUniformUMin,
}

func (e *emitter) redux(op *lir.Op) {
	reduction, ok := reductions[tile.Atomic(op.Mod)]
	if !ok {
		e.refuse(op, "there is no reduction by %s", tile.Atomic(op.Mod))
	}
	e.need(capGroupNonUniform)
	e.need(capGroupNonUniformArithmetic)
	e.exchanged = true
	e.set(op, e.make(reduction, e.typeOf(lir.I32), e.i32(scopeSubgroup), groupReduce, e.of(op.Args[0])))
}

// print writes a call of printf, whose numbers of 64 bits are OpenCL's long.
func (e *emitter) print(op *lir.Op) {
	format := strings.NewReplacer("%lld", "%ld", "%llu", "%lu", "%llx", "%lx").Replace(op.Text.Format)
	args := append([]uint32{e.text(format)}, e.all(op.Args)...)
	e.call(e.typeOf(lir.I32), clPrintf, args...)
}

// text gives a pointer to a constant string.
func (e *emitter) text(s string) id {
	bytes := append([]byte(s), 0)
	parts := make([]uint32, len(bytes))
	for i, b := range bytes {
		parts[i] = e.constant(lir.I8, uint64(b))
	}
	array := e.array(len(bytes))
	value := e.global(1, opConstantComposite, append([]uint32{array}, parts...)...)
	at := e.variable(classConstant, array, value)
	pointer := e.pointer(classConstant, e.typeOf(lir.I8))
	return e.make(opInBoundsAccessChain, pointer, at, e.i32(0))
}

// assert prints the message where the condition does not hold. A device has no way to end a kernel, so it goes on.
func (e *emitter) assert(op *lir.Op) {
	fails := e.make(opLogicalNot, e.typeOf(lir.I1), e.of(op.Args[0]))
	e.guarded(fails, nil, func() []id {
		e.call(e.typeOf(lir.I32), clPrintf, e.text(assertion(op)))
		return nil
	}, nil)
}

// assertion gives the line that a failed assertion prints, as a format of printf.
func assertion(op *lir.Op) string {
	place := op.Text.Place
	line := "assertion failed: " + op.Text.Format
	if place.File != "" {
		line = place.File + ":" + strconv.Itoa(int(place.Line)) + ": " + line
	}
	return strings.ReplaceAll(line, "%", "%%") + "\n"
}
