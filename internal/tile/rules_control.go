package tile

import "fmt"

func forLoop(op *Op) error {
	t := op.Args[0].Type
	if !t.IsInt() || t.IsBool() || !t.IsScalar() {
		return fmt.Errorf("the bounds are %s; for counts with a scalar integer", t)
	}
	if err := first(operandIs(op, 1, t), operandIs(op, 2, t)); err != nil {
		return err
	}
	a := op.Attr.(ForAttr)
	if a.NumStages < 0 || a.Unroll < 0 {
		return fmt.Errorf("num_stages is %d, unroll %d; the least is 0", a.NumStages, a.Unroll)
	}
	return sameTypes("the loop carries", op.Results, typesOf(op.Args[3:]))
}

func ifElse(op *Op) error { return operandIs(op, 0, Scalar(I1)) }

func condition(op *Op) error { return operandIs(op, 0, Scalar(I1)) }
