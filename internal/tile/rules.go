package tile

import "fmt"

// A rule checks an operation's types and attribute. It may rely on what checker.form
// checked: the counts of operands and results, well-formed types, the attribute's type.
type rule func(op *Op) error

// rules holds each operation's rule.
var rules = [numOps]rule{
	OpConst: constant,

	OpAdd:    same(isInt),
	OpSub:    same(isInt),
	OpMul:    same(isInt),
	OpDivS:   same(isInt),
	OpDivU:   same(isInt),
	OpRemS:   same(isInt),
	OpRemU:   same(isInt),
	OpAnd:    same(isInt),
	OpOr:     same(isInt),
	OpXor:    same(isInt),
	OpShl:    same(isInt),
	OpShrS:   same(isInt),
	OpShrU:   same(isInt),
	OpMinS:   same(isInt),
	OpMinU:   same(isInt),
	OpMaxS:   same(isInt),
	OpMaxU:   same(isInt),
	OpMulHiU: same(isInt),
	OpCmpI:   compareInts,

	OpFAdd:   same(isFloat),
	OpFSub:   same(isFloat),
	OpFMul:   same(isFloat),
	OpFDiv:   same(isFloat),
	OpFDivRN: same(isF32),
	OpFRem:   same(isFloat),
	OpFMin:   same(isFloat),
	OpFMax:   same(isFloat),
	OpFMA:    same(isFloat),
	OpFNeg:   same(isFloat),
	OpClamp:  same(isFloat),
	OpCmpF:   compareFloats,

	OpAbsI:   same(isInt),
	OpAbsF:   same(isFloat),
	OpExp:    same(isFloat),
	OpExp2:   same(isFloat),
	OpLog:    same(isFloat),
	OpLog2:   same(isFloat),
	OpSin:    same(isFloat),
	OpCos:    same(isFloat),
	OpSqrt:   same(isFloat),
	OpSqrtRN: same(isFloat),
	OpRSqrt:  same(isFloat),
	OpErf:    same(isFloat),
	OpFloor:  same(isFloat),
	OpCeil:   same(isFloat),
	OpExtern: extern,

	OpTrunc:    convert(isInt, isInt, narrower),
	OpExtS:     convert(isInt, isInt, wider),
	OpExtU:     convert(isInt, isInt, wider),
	OpFTrunc:   truncateFloat,
	OpFExt:     convert(isFloat, isFloat, wider),
	OpSToF:     convert(isInt, isFloat, anyWidth),
	OpUToF:     convert(isInt, isFloat, anyWidth),
	OpFToS:     convert(isFloat, isInt, anyWidth),
	OpFToU:     convert(isFloat, isInt, anyWidth),
	OpBitcast:  bitcast,
	OpIntToPtr: convert(isI64, isPtr, anyWidth),
	OpPtrToInt: convert(isPtr, isI64, anyWidth),

	OpSelect: selection,

	OpSplat:      splat,
	OpBroadcast:  broadcast,
	OpExpandDims: expandDims,
	OpReshape:    reshape,
	OpTrans:      transpose,
	OpCat:        concatenate,
	OpJoin:       join,
	OpSplit:      split,
	OpRange:      rangeOf,
	OpGather:     gather,
	OpHistogram:  histogram,

	OpHint:   hint,
	OpAssume: assume,

	OpProgramID:   program,
	OpNumPrograms: program,

	OpAddPtr:    addPtr,
	OpLoad:      load,
	OpStore:     store,
	OpAtomicRMW: atomicRMW,
	OpAtomicCAS: atomicCAS,

	OpAtomicLoad:  atomicLoad,
	OpAtomicStore: atomicStore,
	OpAtomicPoll:  atomicPoll,

	OpMakeDesc:    makeDesc,
	OpDescLoad:    descLoad,
	OpDescStore:   descStore,
	OpDescReduce:  descReduce,
	OpDescGather:  descGather,
	OpDescScatter: descScatter,

	OpReduce:    reduce,
	OpScan:      scan,
	OpMap:       mapElements,
	OpDot:       dot,
	OpDotScaled: dotScaled,

	OpFor:       forLoop,
	OpWhile:     anything,
	OpIf:        ifElse,
	OpYield:     anything,
	OpCondition: condition,
	OpReturn:    anything,
	OpCall:      anything, // checker.call knows the callee

	OpPrint:     devicePrint,
	OpAssert:    assertion,
	OpBarrier:   anything,
	OpInlineAsm: inlineAsm,
}

// anything is the rule of operations that take all types, or whose types their context
// determines.
func anything(*Op) error { return nil }

// A class is a set of types with a name.
type class struct {
	name string
	has  func(Type) bool
}

var (
	isInt   = class{"integers", Type.IsInt}
	isFloat = class{"floats", Type.IsFloat}
	isPtr   = class{"pointers", Type.IsPtr}
	isF32   = class{"f32", func(t Type) bool { return t.Scalar() == Scalar(F32) }}
	isI64   = class{"i64", func(t Type) bool { return t.Scalar() == Scalar(I64) }}
)

// operand checks that operand i is of a class.
func operand(op *Op, i int, c class) error {
	if t := op.Args[i].Type; !c.has(t) {
		return fmt.Errorf("operand %d is %s; %s takes %s", i, t, op.Code, c.name)
	}
	return nil
}

// operandIs checks that operand i is of type t.
func operandIs(op *Op, i int, t Type) error {
	if got := op.Args[i].Type; got != t {
		return fmt.Errorf("operand %d is %s, not %s", i, got, t)
	}
	return nil
}

// resultIs checks that result i is of type t.
func resultIs(op *Op, i int, t Type) error {
	if got := op.Results[i].Type; got != t {
		return fmt.Errorf("the result is %s, not %s", got, t)
	}
	return nil
}

// equalOperands checks that all operands have the type of the first.
func equalOperands(op *Op) error {
	for i := 1; i < len(op.Args); i++ {
		if err := operandIs(op, i, op.Args[0].Type); err != nil {
			return err
		}
	}
	return nil
}

// enumIn checks that an enumeration has a value.
func enumIn[E ~uint8](e E, names []string) error {
	if int(e) >= len(names) {
		return fmt.Errorf("the attribute %T has no value %d", e, uint8(e))
	}
	return nil
}

// first gives the first error of several checks.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func constant(op *Op) error {
	bits, t := op.Attr.(ConstAttr).Bits, op.Results[0].Type
	if !fits(bits, t.ElemBits()) {
		return fmt.Errorf("the bits %#x do not fit in %s", bits, t.Scalar())
	}
	return nil
}

// same is the rule of operations whose operands and result have one type, of a class.
func same(c class) rule {
	return func(op *Op) error {
		if err := operand(op, 0, c); err != nil {
			return err
		}
		if err := equalOperands(op); err != nil {
			return err
		}
		return resultIs(op, 0, op.Args[0].Type)
	}
}

func compareInts(op *Op) error {
	t, p := op.Args[0].Type, op.Attr.(CmpIAttr).Pred
	switch {
	case !t.IsInt() && !t.IsPtr():
		return fmt.Errorf("operand 0 is %s; cmpi takes integers or pointers", t)
	case t.IsPtr() && LTS <= p && p <= GES:
		return fmt.Errorf("pointers have no sign; the predicate is %s", p)
	}
	if err := enumIn(p, cmpINames); err != nil {
		return err
	}
	return comparison(op)
}

func compareFloats(op *Op) error {
	if err := operand(op, 0, isFloat); err != nil {
		return err
	}
	if err := enumIn(op.Attr.(CmpFAttr).Pred, cmpFNames); err != nil {
		return err
	}
	return comparison(op)
}

// comparison checks two equal operands and an i1 result.
func comparison(op *Op) error {
	if err := equalOperands(op); err != nil {
		return err
	}
	return resultIs(op, 0, op.Args[0].Type.WithElem(I1))
}

// oneShape checks that all operands and results have one shape.
func oneShape(op *Op) error {
	var shape *Type
	for _, vals := range [2][]*Value{op.Args, op.Results} {
		for _, v := range vals {
			if shape == nil {
				shape = &v.Type
			}
			if !v.Type.SameShape(*shape) {
				return fmt.Errorf("operands and results have the shapes of %s and %s; %s wants one", *shape, v.Type, op.Code)
			}
		}
	}
	return nil
}

func selection(op *Op) error {
	t := op.Args[1].Type
	if c := op.Args[0].Type; c != Scalar(I1) && c != t.WithElem(I1) {
		return fmt.Errorf("the condition is %s, neither i1 nor %s", c, t.WithElem(I1))
	}
	if err := operandIs(op, 2, t); err != nil {
		return err
	}
	return resultIs(op, 0, t)
}

func hint(op *Op) error {
	a, t := op.Attr.(HintAttr), op.Args[0].Type
	if err := enumIn(a.Kind, hintNames); err != nil {
		return err
	}
	n := max(t.Rank(), 1)
	for i, v := range a.Values {
		if i < n && v < 1 || i >= n && v != 0 {
			return fmt.Errorf("the hint's value %d is %d; there is one positive value per dimension", i, v)
		}
	}
	return resultIs(op, 0, t)
}

func assume(op *Op) error { return operandIs(op, 0, Scalar(I1)) }

func program(op *Op) error {
	if a := op.Attr.(AxisAttr).Axis; a < 0 || a > 2 {
		return fmt.Errorf("axis %d; programs have the axes 0, 1 and 2", a)
	}
	return resultIs(op, 0, Scalar(I32))
}

func devicePrint(op *Op) error {
	a := op.Attr.(PrintAttr)
	if n := len(op.Args); n > 64 || !fits(a.Signed, n) {
		return fmt.Errorf("%d operands and signs %#x; there are at most 64 operands, each with a bit", n, a.Signed)
	}
	return nil
}

func assertion(op *Op) error {
	t := op.Args[0].Type
	if !t.IsBool() {
		return fmt.Errorf("the condition is %s, not i1", t)
	}
	return equalOperands(op)
}

func inlineAsm(op *Op) error {
	if len(op.Results) == 0 {
		return fmt.Errorf("inline_asm has at least 1 result")
	}
	if p := op.Attr.(AsmAttr).Pack; p < 1 {
		return fmt.Errorf("pack is %d; the least is 1", p)
	}
	return oneShape(op)
}
