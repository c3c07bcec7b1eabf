package lir

import (
	"fmt"
	"slices"
)

// A rule checks the types of an operation whose counts are right.
type rule func(op *Op) error

// same wants operands and result of one of some types.
func same(types ...Type) rule {
	return func(op *Op) error {
		t := op.Results[0].Type
		if !slices.Contains(types, t) {
			return fmt.Errorf("is not there for %s", t)
		}
		return allOf(op.Args, t)
	}
}

// to wants operands of one of some types, and a fixed result.
func to(res Type, types ...Type) rule {
	return func(op *Op) error {
		t := op.Args[0].Type
		if !slices.Contains(types, t) {
			return fmt.Errorf("is not there for %s", t)
		}
		if err := allOf(op.Args, t); err != nil {
			return err
		}
		return allOf(op.Results, res)
	}
}

func result(t Type) rule {
	return func(op *Op) error { return allOf(op.Results, t) }
}

func allOf(vals []*Value, t Type) error {
	for _, v := range vals {
		if v.Type != t {
			return fmt.Errorf("has %s where %s is wanted", v.Type, t)
		}
	}
	return nil
}

func shift(op *Op) error {
	t := op.Results[0].Type
	if t != I32 && t != I64 {
		return fmt.Errorf("is not there for %s", t)
	}
	if op.Args[0].Type != t || op.Args[1].Type != I32 {
		return fmt.Errorf("takes %s and i32, not %s and %s", t, op.Args[0].Type, op.Args[1].Type)
	}
	return nil
}

func narrower(kind func(Type) bool) rule {
	return func(op *Op) error {
		if from, to := op.Args[0].Type, op.Results[0].Type; !kind(from) || !kind(to) || from.Bits() <= to.Bits() {
			return fmt.Errorf("does not go from %s to %s", from, to)
		}
		return nil
	}
}

func wider(kind func(Type) bool) rule {
	return func(op *Op) error {
		if from, to := op.Args[0].Type, op.Results[0].Type; !kind(from) || !kind(to) || from.Bits() >= to.Bits() {
			return fmt.Errorf("does not go from %s to %s", from, to)
		}
		return nil
	}
}

// between converts between integers of 32 or 64 bits and floats.
func between(from, to func(Type) bool) rule {
	return func(op *Op) error {
		x, y := op.Args[0].Type, op.Results[0].Type
		if !from(x) || !to(y) || x.Bits() < 32 && x.IsInt() || y.Bits() < 32 && y.IsInt() {
			return fmt.Errorf("does not go from %s to %s", x, y)
		}
		return nil
	}
}

func equalBits(op *Op) error {
	if from, to := op.Args[0].Type, op.Results[0].Type; from.Bits() != to.Bits() || from == I1 {
		return fmt.Errorf("does not go from %s to %s", from, to)
	}
	return nil
}

func selects(op *Op) error {
	if op.Args[0].Type != I1 || op.Results[0].Type == I1 {
		return fmt.Errorf("takes an i1 and gives numbers")
	}
	return allOf(op.Args[1:], op.Results[0].Type)
}

func packs(op *Op) error {
	if err := wordOf(op.Args); err != nil {
		return err
	}
	return allOf(op.Results, I32)
}

func unpacks(op *Op) error {
	if err := wordOf(op.Results); err != nil {
		return err
	}
	return allOf(op.Args, I32)
}

// signals checks an operation on a signal, with so many I32 besides.
func signals(words int) rule {
	return func(op *Op) error {
		rest, err := access(op)
		if err != nil {
			return err
		}
		if op.Mem.Space != Shared || len(rest) != words {
			return fmt.Errorf("is no operation on a signal in shared memory")
		}
		return allOf(rest, I32)
	}
}

// wordOf checks values that together are a register.
func wordOf(vals []*Value) error {
	if len(vals) == 0 || vals[0].Type == I1 || len(vals)*vals[0].Type.Bits() != 32 {
		return fmt.Errorf("has %d values that are no word", len(vals))
	}
	return allOf(vals, vals[0].Type)
}

func shuffles(op *Op) error {
	if t := op.Results[0].Type; t != I32 && t != F32 || op.Args[0].Type != t || op.Args[1].Type != I32 {
		return fmt.Errorf("moves i32 or f32")
	}
	return nil
}

// access checks what all accesses have: an address and a predicate. It gives the operands after these.
func access(op *Op) ([]*Value, error) {
	if op.Mem == nil {
		return nil, fmt.Errorf("says nothing of the access")
	}
	want, at := I64, 1
	if op.Mem.Space != Global {
		want = I32
	}
	if op.Mem.Pred {
		at = 2
	}
	if len(op.Args) < at {
		return nil, fmt.Errorf("has %d operands", len(op.Args))
	}
	if op.Args[0].Type != want {
		return nil, fmt.Errorf("has an address of type %s in %s memory", op.Args[0].Type, op.Mem.Space)
	}
	if op.Mem.Pred && op.Args[1].Type != I1 {
		return nil, fmt.Errorf("has a predicate of type %s", op.Args[1].Type)
	}
	return op.Args[at:], nil
}

// vector checks the values that an access moves.
func vector(vals []*Value) error {
	n := len(vals)
	if n == 0 || n&(n-1) != 0 {
		return fmt.Errorf("moves %d values", n)
	}
	if bytes := n * vals[0].Type.Bytes(); bytes == 0 || bytes > 16 {
		return fmt.Errorf("moves %d × %s", n, vals[0].Type)
	}
	return allOf(vals, vals[0].Type)
}

func loads(op *Op) error {
	rest, err := access(op)
	if err != nil {
		return err
	}
	if err := vector(op.Results); err != nil {
		return err
	}
	if op.Mem.Else && !op.Mem.Pred {
		return fmt.Errorf("has other values without a predicate")
	}
	if want := len(op.Results); op.Mem.Else && len(rest) != want || !op.Mem.Else && len(rest) != 0 {
		return fmt.Errorf("has %d other values for %d", len(rest), want)
	}
	return allOf(rest, op.Results[0].Type)
}

func stores(op *Op) error {
	vals, err := access(op)
	if err != nil {
		return err
	}
	return vector(vals)
}

func atomics(n int) rule {
	return func(op *Op) error {
		vals, err := access(op)
		if err != nil {
			return err
		}
		if len(vals) != n || len(op.Results) > 1 || vals[0].Type.Bytes() == 0 {
			return fmt.Errorf("has %d values and %d results", len(vals), len(op.Results))
		}
		if err := allOf(vals, vals[0].Type); err != nil {
			return err
		}
		return allOf(op.Results, vals[0].Type)
	}
}
