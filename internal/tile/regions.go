package tile

import (
	"errors"
	"fmt"
)

// regions checks an operation's regions: the types of their arguments, what they hold, and
// the types that they yield.
func (c *checker) regions(op *Op) error {
	if len(op.Regions) == 0 {
		return nil
	}
	sig, err := regionSignature(op)
	if err != nil {
		return c.fail(op, err)
	}
	c.depth++
	outer := c.onElements
	c.onElements = outer || combines(op.Code)
	defer func() { c.depth, c.onElements = c.depth-1, outer }()
	for i, r := range op.Regions {
		if err := sameTypes(fmt.Sprintf("region %d takes", i), r.Args, sig[i].args); err != nil {
			return c.fail(op, err)
		}
		if err := c.block(r, sig[i].end, op); err != nil {
			return err
		}
		end := r.Terminator()
		vals := end.Args
		if sig[i].end == OpCondition {
			vals = vals[1:]
		}
		if err := sameTypes("the region yields", vals, sig[i].yields); err != nil {
			return c.fail(end, err)
		}
	}
	return nil
}

// combines reports whether regions of operations of this code are applied to elements of tiles.
func combines(c Code) bool { return c == OpReduce || c == OpScan || c == OpMap }

// NotElementwise gives the first operation of b that may not be in the region of a reduction, scan or map,
// and why; nil if there is none. A target runs such regions in registers, in one thread or several at once,
// so they compute scalars from scalars and do nothing else.
func NotElementwise(b *Block) (*Op, error) {
	for _, op := range b.Ops {
		if err := elementwise(op); err != nil {
			return op, err
		}
		for _, r := range op.Regions {
			if op, err := NotElementwise(r); err != nil {
				return op, err
			}
		}
	}
	return nil, nil
}

func elementwise(op *Op) error {
	if e := op.Effect(); e == Reads || e == Observes || e == Writes {
		return fmt.Errorf("%s in a function that is applied to elements, which only computes", op.Code)
	}
	if combines(op.Code) {
		return fmt.Errorf("%s in a function that is applied to elements, which computes scalars", op.Code)
	}
	for _, list := range [2][]*Value{op.Args, op.Results} {
		for _, v := range list {
			if !v.Type.IsScalar() {
				return fmt.Errorf("%s of %s in a function that is applied to elements, which computes scalars", op.Code, v.Type)
			}
		}
	}
	return nil
}

// A signature is a region's form.
type signature struct {
	args, yields []Type
	end          Code
}

// regionSignature gives the form of each of op's regions, which follows from its operands
// and results.
func regionSignature(op *Op) ([]signature, error) {
	args, results := typesOf(op.Args), typesOf(op.Results)
	switch op.Code {
	case OpReduce, OpScan:
		elems := scalars(args)
		return []signature{{args: append(elems[:len(elems):len(elems)], elems...), yields: elems, end: OpYield}}, nil
	case OpMap:
		return []signature{{args: scalars(args), yields: scalars(results), end: OpYield}}, nil
	case OpFor:
		carried := args[3:]
		return []signature{{args: append(args[:1:1], carried...), yields: carried, end: OpYield}}, nil
	case OpWhile:
		return []signature{
			{args: args, yields: results, end: OpCondition},
			{args: results, yields: args, end: OpYield},
		}, nil
	case OpIf:
		arm := signature{yields: results, end: OpYield}
		return []signature{arm, arm}, nil
	}
	return nil, errors.New("the operation has no regions")
}

func typesOf(vals []*Value) []Type {
	types := make([]Type, len(vals))
	for i, v := range vals {
		types[i] = v.Type
	}
	return types
}

func scalars(types []Type) []Type {
	elems := make([]Type, len(types))
	for i, t := range types {
		elems[i] = t.Scalar()
	}
	return elems
}
