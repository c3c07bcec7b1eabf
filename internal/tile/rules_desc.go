package tile

import (
	"errors"
	"fmt"
)

// wellFormedDesc checks what a descriptor's type has beyond that of its block.
func wellFormedDesc(t Type) error {
	k := t.DescKind()
	switch {
	case t.desc >= endOfDescFlags || t.desc&isDesc == 0:
		return errors.New("a descriptor with unknown flags")
	case t.ptr > 0 || t.elem == I1:
		return fmt.Errorf("%s: blocks of a descriptor hold numbers of a byte or more", t)
	case t.rank < 1 || t.rank > maxDescRank:
		return fmt.Errorf("%s: a descriptor has 1 to %d dimensions", t, maxDescRank)
	case k.NaN && !t.elem.IsFloat():
		return fmt.Errorf("%s: only floats have a NaN", t)
	case k.TF32 && t.elem != F32:
		return fmt.Errorf("%s: only f32 is rounded to TF32", t)
	}
	return nil
}

// takesDescs lists the operations that may have descriptors among their operands or results.
var takesDescs = [numOps]bool{
	OpMakeDesc: true, OpDescLoad: true, OpDescStore: true, OpDescReduce: true, OpDescGather: true, OpDescScatter: true,
	OpSelect: true, OpFor: true, OpWhile: true, OpIf: true, OpYield: true, OpCondition: true, OpReturn: true, OpCall: true,
}

// descriptorsFit checks that only operations that know them have descriptors.
func descriptorsFit(op *Op) error {
	if takesDescs[op.Code] {
		return nil
	}
	for _, list := range [][]*Value{op.Args, op.Results} {
		for _, v := range list {
			if v.Type.IsDesc() {
				return fmt.Errorf("%s does not work on %s", op.Code, v.Type)
			}
		}
	}
	return nil
}

// scalarsAt checks that the operands from i on are n scalars of type e.
func scalarsAt(op *Op, i, n int, e Elem) error {
	for j := i; j < i+n; j++ {
		if err := operandIs(op, j, Scalar(e)); err != nil {
			return err
		}
	}
	return nil
}

func countIs(op *Op, n int) error {
	if len(op.Args) != n {
		return fmt.Errorf("%s has %d operands here, not %d", op.Code, n, len(op.Args))
	}
	return nil
}

func makeDesc(op *Op) error {
	t := op.Results[0].Type
	if !t.IsDesc() {
		return fmt.Errorf("the result is %s, not a descriptor", t)
	}
	n := t.Rank()
	if err := countIs(op, 1+2*n); err != nil {
		return err
	}
	return first(operandIs(op, 0, PtrTo(t.Block().Scalar())), scalarsAt(op, 1, n, I32), scalarsAt(op, 1+n, n, I64))
}

// descOperand gives the block of operand 0, a descriptor.
func descOperand(op *Op) (Type, error) {
	t := op.Args[0].Type
	if !t.IsDesc() {
		return Type{}, fmt.Errorf("operand 0 is %s, not a descriptor", t)
	}
	return t.Block(), nil
}

func descLoad(op *Op) error {
	t, err := descOperand(op)
	if err != nil {
		return err
	}
	if err := countIs(op, 1+t.Rank()); err != nil {
		return err
	}
	return first(scalarsAt(op, 1, t.Rank(), I32), resultIs(op, 0, t))
}

func descStore(op *Op) error {
	t, err := descOperand(op)
	if err != nil {
		return err
	}
	if err := countIs(op, 2+t.Rank()); err != nil {
		return err
	}
	return first(operandIs(op, 1, t), scalarsAt(op, 2, t.Rank(), I32))
}

func descReduce(op *Op) error {
	if err := descStore(op); err != nil {
		return err
	}
	kind := op.Attr.(DescReduceAttr).Kind
	if err := enumIn(kind, atomicNames); err != nil {
		return err
	}
	t := op.Args[1].Type
	if fits := atomicClass(kind); kind == AtomicXchg || !fits(t) {
		return fmt.Errorf("a descriptor has no atomic %s of %s", kind, t)
	}
	return nil
}

// descRows checks the operands of a gather or scatter from i on, rows and a column, and gives
// the type of the tile that they pick: a row of the block's width for each.
func descRows(op *Op, i int) (Type, error) {
	t, err := descOperand(op)
	if err != nil {
		return Type{}, err
	}
	rows := op.Args[i].Type
	switch {
	case t.Rank() != 2 || t.Dim(0) != 1:
		return Type{}, fmt.Errorf("%s takes a descriptor of single rows, not %s", op.Code, op.Args[0].Type)
	case rows.Rank() != 1 || rows.Scalar() != Scalar(I32):
		return Type{}, fmt.Errorf("operand %d is %s, not a 1-D tile of i32", i, rows)
	}
	if err := scalarsAt(op, i+1, 1, I32); err != nil {
		return Type{}, err
	}
	picked := t.WithDim(0, rows.LogDim(0))
	return picked, wellFormed(picked)
}

func descGather(op *Op) error {
	t, err := descRows(op, 1)
	if err != nil {
		return err
	}
	return resultIs(op, 0, t)
}

func descScatter(op *Op) error {
	t, err := descRows(op, 2)
	if err != nil {
		return err
	}
	return operandIs(op, 1, t)
}
