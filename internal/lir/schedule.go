package lir

import "slices"

// schedule moves pure operations down to where they are first needed: what is computed element by element is then computed one element after
// another, not one operation after another, so that few values are in between. Operations that do more than give a result keep their order.
//
// An operation's operands are computed one after the other, the one first for which most registers are needed (Sethi and Ullman, "The
// generation of optimal code for arithmetic expressions", JACM 1970).
func schedule(f *Func) {
	s := &scheduler{waits: make([]*Block, f.numValues), need: make([]int32, f.numValues)}
	s.block(f.Body)
}

type scheduler struct {
	waits []*Block // by the ID of a first result: the block in which the operation still has to be placed
	need  []int32  // by the ID of a first result: registers that the operation and what it needs take
	out   []*Op
}

func (s *scheduler) block(b *Block) {
	for _, op := range b.Ops {
		for _, r := range op.Regions {
			s.block(r)
		}
		if floats(op) || onlyReads(op) {
			s.waits[op.Results[0].ID] = b
			s.need[op.Results[0].ID] = s.needOf(op, b)
		}
	}
	s.out = make([]*Op, 0, len(b.Ops))
	var reads []*Op // branches that only read and have not been placed
	for _, op := range b.Ops {
		switch {
		case floats(op):
			continue
		case onlyReads(op):
			reads = append(reads, op)
			continue
		case op.Effect() != Reads:
			for _, r := range reads {
				s.place(r, b)
			}
			reads = nil
		}
		s.operands(op, b)
		s.out = append(s.out, op)
	}
	b.Ops = s.out
}

// floats reports whether an operation may move.
func floats(op *Op) bool { return op.Effect() == Pure && len(op.Results) > 0 }

// onlyReads reports whether an operation is a branch that does nothing but read: what it reads need not be there before its results are needed,
// and other reads can begin before.
func onlyReads(op *Op) bool {
	if op.Code != OpIf || len(op.Results) == 0 {
		return false
	}
	only := true
	for _, r := range op.Regions {
		r.Walk(func(inner *Op) {
			e := inner.Effect()
			only = only && (e == Pure || e == Reads || inner.Code == OpYield)
		})
	}
	return only
}

// needOf gives how many registers computing an operation takes, with the operands that still have to be computed in b.
func (s *scheduler) needOf(op *Op, b *Block) int32 {
	var list [3]int32
	n := 0
	for _, a := range op.Args {
		if s.waiting(a, b) && n < len(list) {
			list[n] = s.need[a.Op.Results[0].ID]
			n++
		}
	}
	slices.SortFunc(list[:n], func(x, y int32) int { return int(y - x) })
	need := int32(1)
	for i, x := range list[:n] {
		need = max(need, x+int32(i))
	}
	return need
}

func (s *scheduler) waiting(v *Value, b *Block) bool {
	return v.Op != nil && len(v.Op.Results) > 0 && s.waits[v.Op.Results[0].ID] == b
}

// operands places what an operation needs and b still has to compute.
func (s *scheduler) operands(op *Op, b *Block) {
	s.values(op.Args, b)
	for _, r := range op.Regions {
		r.Walk(func(inner *Op) { s.values(inner.Args, b) })
	}
}

func (s *scheduler) values(vals []*Value, b *Block) {
	for {
		var next *Op
		for _, a := range vals {
			if s.waiting(a, b) && (next == nil || s.need[a.Op.Results[0].ID] > s.need[next.Results[0].ID]) {
				next = a.Op
			}
		}
		if next == nil {
			return
		}
		s.place(next, b)
	}
}

// place puts an operation that waits, after what it needs.
func (s *scheduler) place(op *Op, b *Block) {
	if s.waits[op.Results[0].ID] != b {
		return
	}
	s.waits[op.Results[0].ID] = nil
	s.operands(op, b)
	s.out = append(s.out, op)
}
