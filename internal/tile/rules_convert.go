package tile

import "fmt"

// A widthRule says how a conversion changes the width.
type widthRule struct {
	name string
	ok   func(from, to int) bool
}

var (
	anyWidth = widthRule{"", func(int, int) bool { return true }}
	narrower = widthRule{"narrower", func(from, to int) bool { return to < from }}
	wider    = widthRule{"wider", func(from, to int) bool { return to > from }}
)

// convert is the rule of conversions from one class to another, in the same shape.
func convert(from, to class, width widthRule) rule {
	return func(op *Op) error {
		x, y := op.Args[0].Type, op.Results[0].Type
		if err := operand(op, 0, from); err != nil {
			return err
		}
		if !to.has(y) {
			return fmt.Errorf("the result is %s; %s gives %s", y, op.Code, to.name)
		}
		if !width.ok(x.ElemBits(), y.ElemBits()) {
			return fmt.Errorf("the result %s is not %s than %s", y, width.name, x)
		}
		return oneShape(op)
	}
}

func truncateFloat(op *Op) error {
	x, y := op.Args[0].Type, op.Results[0].Type
	if err := operand(op, 0, isFloat); err != nil {
		return err
	}
	if !y.IsFloat() || y.ElemBits() > x.ElemBits() || y.Elem() == x.Elem() {
		return fmt.Errorf("the result %s is not a float of fewer bits, or of another format of equal bits, than %s", y, x)
	}
	if err := enumIn(op.Attr.(RoundAttr).Mode, roundNames); err != nil {
		return err
	}
	return oneShape(op)
}

func bitcast(op *Op) error {
	x, y := op.Args[0].Type, op.Results[0].Type
	switch {
	case x.IsPtr() != y.IsPtr():
		return fmt.Errorf("%s to %s; inttoptr and ptrtoint convert pointers", x, y)
	case x.ElemBits() != y.ElemBits():
		return fmt.Errorf("%s and %s do not have the same width", x, y)
	}
	return oneShape(op)
}
