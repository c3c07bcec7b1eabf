package lir

import "slices"

// sink moves pure operations that only one arm of a branch needs into that arm.
func sink(f *Func) {
	s := &sinker{uses: make([]place, f.numValues)}
	s.block(f.Body)
}

// A place says where in a block a value is needed.
type place struct {
	block *Block // the block in question
	arm   *Block // of a branch in it that alone needs the value; nil if others do
}

type sinker struct{ uses []place }

func (s *sinker) block(b *Block) {
	if hasBranch(b) {
		s.into(b)
	}
	for _, op := range b.Ops {
		for _, r := range op.Regions {
			s.block(r)
		}
	}
}

func hasBranch(b *Block) bool {
	return slices.ContainsFunc(b.Ops, func(op *Op) bool { return op.Code == OpIf })
}

// into moves operations of b into arms of its branches. It walks backwards, so that all that need a value are known before it.
func (s *sinker) into(b *Block) {
	moved := map[*Block][]*Op{}
	kept := len(b.Ops)
	for i := len(b.Ops) - 1; i >= 0; i-- {
		op := b.Ops[i]
		if floats(op) {
			if arm := s.armOf(op, b); arm != nil {
				moved[arm] = append(moved[arm], op)
				s.need(op.Args, b, arm)
				continue
			}
		}
		s.need(op.Args, b, nil)
		for _, r := range op.Regions {
			arm := r
			if op.Code != OpIf {
				arm = nil
			}
			r.Walk(func(inner *Op) { s.need(inner.Args, b, arm) })
		}
		kept--
		b.Ops[kept] = op
	}
	b.Ops = append(b.Ops[:0], b.Ops[kept:]...)
	for arm, ops := range moved {
		slices.Reverse(ops)
		arm.Ops = append(ops, arm.Ops...)
	}
}

// need notes that values are needed in an arm, or if that is nil, in b itself.
func (s *sinker) need(vals []*Value, b, arm *Block) {
	for _, v := range vals {
		u := &s.uses[v.ID]
		switch {
		case u.block != b:
			*u = place{b, arm}
		case u.arm != arm:
			u.arm = nil
		}
	}
}

// armOf gives the arm that alone needs an operation's results.
func (s *sinker) armOf(op *Op, b *Block) *Block {
	var arm *Block
	for i, r := range op.Results {
		u := s.uses[r.ID]
		if u.block != b || u.arm == nil || i > 0 && u.arm != arm {
			return nil
		}
		arm = u.arm
	}
	return arm
}
