package lir

import "fmt"

// Verify checks what package lir's documentation says always holds.
func Verify(f *Func) error {
	c := &verifier{f: f, known: make([]bool, f.numValues)}
	if err := c.block(f.Body, OpReturn); err != nil {
		return fmt.Errorf("lir: %s: %w", f.Name, err)
	}
	if err := checkPending(f); err != nil {
		return fmt.Errorf("lir: %s: %w", f.Name, err)
	}
	if err := checkWords(f); err != nil {
		return fmt.Errorf("lir: %s: %w", f.Name, err)
	}
	return nil
}

type verifier struct {
	f     *Func
	known []bool // by ID: values that may be used here
}

func (c *verifier) define(vals []*Value, op *Op, b *Block) error {
	for i, v := range vals {
		if v.Op != op || v.Block != b || int(v.Index) != i || v.ID < 0 || int(v.ID) >= len(c.known) || c.known[v.ID] {
			return fmt.Errorf("%%%d is not defined where it says", v.ID)
		}
		c.known[v.ID] = true
	}
	return nil
}

func (c *verifier) forget(vals []*Value) {
	for _, v := range vals {
		c.known[v.ID] = false
	}
}

func (c *verifier) block(b *Block, end Code) error {
	if err := c.define(b.Args, nil, b); err != nil {
		return err
	}
	for i, op := range b.Ops {
		if err := c.op(op); err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
		if last := i == len(b.Ops)-1; (op.Code.Effect() == Ends) != last || last && op.Code != end {
			return fmt.Errorf("%s: a block ends in %s and there only", op, end)
		}
	}
	if len(b.Ops) == 0 {
		return fmt.Errorf("a block has no end")
	}
	for _, op := range b.Ops {
		c.forget(op.Results)
	}
	c.forget(b.Args)
	return nil
}

func (c *verifier) op(op *Op) error {
	if op.Code == BadOp || op.Code >= numOps {
		return fmt.Errorf("is no operation")
	}
	row := &opTable[op.Code]
	if row.args >= 0 && len(op.Args) != row.args {
		return fmt.Errorf("has %d operands, not %d", len(op.Args), row.args)
	}
	if row.results >= 0 && len(op.Results) != row.results || len(op.Regions) != row.regions {
		return fmt.Errorf("has %d results and %d regions", len(op.Results), len(op.Regions))
	}
	for _, a := range op.Args {
		if a == nil {
			return fmt.Errorf("has no operand")
		}
		if !a.IsConst() && (int(a.ID) >= len(c.known) || !c.known[a.ID]) {
			return fmt.Errorf("uses %%%d, which is not known here", a.ID)
		}
	}
	if row.rule != nil {
		if err := row.rule(op); err != nil {
			return err
		}
	}
	if err := c.places(op); err != nil {
		return err
	}
	if err := c.regions(op); err != nil {
		return err
	}
	return c.define(op.Results, op, nil)
}

// places checks numbers that refer to something of the function's.
func (c *verifier) places(op *Op) error {
	if op.Code == OpParam && (op.Imm < 0 || int(op.Imm) >= len(c.f.Params) || c.f.Params[op.Imm].Type != op.Results[0].Type) {
		return fmt.Errorf("is none of the parameters")
	}
	if (op.Code == OpGroupMMA || op.Code == OpGroupWait) && c.f.Warps%GroupWarps != 0 {
		return fmt.Errorf("wants groups of %d warps, and there are %d", GroupWarps, c.f.Warps)
	}
	if op.Group != nil && op.From != nil && (op.From.Buffer < 0 || op.From.Buffer >= len(c.f.Shared)) {
		return fmt.Errorf("names no buffer")
	}
	if op.Mem == nil || op.Mem.Space == Global {
		return nil
	}
	buffers := c.f.Shared
	if op.Mem.Space == Local {
		buffers = c.f.Local
	}
	if op.Mem.Buffer < 0 || op.Mem.Buffer >= len(buffers) {
		return fmt.Errorf("names no buffer")
	}
	return nil
}

func (c *verifier) regions(op *Op) error {
	switch op.Code {
	case OpFor:
		if len(op.Args) < 3 {
			return fmt.Errorf("has no bounds")
		}
		counter, carried := op.Args[0].Type, types(op.Args[3:])
		if counter != I32 && counter != I64 || allOf(op.Args[:3], counter) != nil {
			return fmt.Errorf("has bounds of different types")
		}
		return c.region(op, 0, append([]Type{counter}, carried...), OpYield, carried, carried)
	case OpWhile:
		carried, res := types(op.Args), types(op.Results)
		if err := c.region(op, 0, carried, OpCondition, append([]Type{I1}, res...), res); err != nil {
			return err
		}
		return c.region(op, 1, res, OpYield, carried, res)
	case OpIf:
		if op.Args[0].Type != I1 {
			return fmt.Errorf("asks %s", op.Args[0].Type)
		}
		for i := range op.Regions {
			if err := c.region(op, i, nil, OpYield, types(op.Results), types(op.Results)); err != nil {
				return err
			}
		}
	}
	return nil
}

// region checks region i: the types of its arguments and of what it ends with, and the operation's results.
func (c *verifier) region(op *Op, i int, args []Type, end Code, ends, results []Type) error {
	b := op.Regions[i]
	if err := sameTypes(b.Args, args); err != nil {
		return fmt.Errorf("region %d takes %w", i, err)
	}
	if err := sameTypes(op.Results, results); err != nil {
		return fmt.Errorf("gives %w", err)
	}
	if err := c.block(b, end); err != nil {
		return err
	}
	if err := sameTypes(b.Terminator().Args, ends); err != nil {
		return fmt.Errorf("region %d ends with %w", i, err)
	}
	return nil
}

func types(vals []*Value) []Type {
	list := make([]Type, len(vals))
	for i, v := range vals {
		list[i] = v.Type
	}
	return list
}

func sameTypes(vals []*Value, want []Type) error {
	if len(vals) != len(want) {
		return fmt.Errorf("%d values, not %d", len(vals), len(want))
	}
	for i, v := range vals {
		if v.Type != want[i] {
			return fmt.Errorf("%s as value %d, not %s", v.Type, i, want[i])
		}
	}
	return nil
}
