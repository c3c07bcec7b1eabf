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
	defer func() { c.depth-- }()
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
