package lir

import "slices"

// Pressure gives how many registers of 32 bits hold values at once, at most, if operations stay in their order: those that may differ from thread to
// thread, without what addresses and the operations themselves take.
func (f *Func) Pressure() int {
	p := &pressure{alive: make([]bool, f.numValues)}
	p.block(f.Body)
	return (p.most + 3) / 4
}

type pressure struct {
	alive     []bool // by ID
	now, most int    // in quarters of registers
}

// quarters gives how much of registers a value takes. What is loaded in vectors stays packed; of truth values that do not find a place in a
// predicate several are put in a register.
func quarters(v *Value) int {
	bits := v.Type.Bits()
	switch {
	case v.IsConst() || !v.varies:
		return 0
	case v.Type == I1:
		return 1
	case bits < 32 && v.Op != nil && len(v.Op.Results) > 1:
		return bits / 8
	}
	return max(bits, 32) / 8
}

func (p *pressure) begin(vals []*Value) {
	for _, v := range vals {
		if !p.alive[v.ID] {
			p.alive[v.ID] = true
			p.now += quarters(v)
		}
	}
	p.most = max(p.most, p.now)
}

func (p *pressure) end(vals []*Value) {
	for _, v := range vals {
		if p.alive[v.ID] {
			p.alive[v.ID] = false
			p.now -= quarters(v)
		}
	}
}

// block walks backwards. What the body of a loop needs is there all the time that it runs.
func (p *pressure) block(b *Block) {
	for _, op := range slices.Backward(b.Ops) {
		p.begin(op.Results)
		p.end(op.Results)
		if op.Code == OpFor || op.Code == OpWhile {
			p.begin(outside(op))
		}
		for _, r := range op.Regions {
			p.block(r)
			p.end(r.Args)
		}
		p.begin(op.Args)
	}
}

// outside gives the values that a loop's regions use and that are not theirs.
func outside(op *Op) []*Value {
	own := map[*Value]bool{}
	var list []*Value
	var walk func(b *Block)
	walk = func(b *Block) {
		for _, a := range b.Args {
			own[a] = true
		}
		for _, inner := range b.Ops {
			for _, r := range inner.Regions {
				walk(r)
			}
			for _, v := range inner.Results {
				own[v] = true
			}
			list = append(list, inner.Args...)
		}
	}
	for _, r := range op.Regions {
		walk(r)
	}
	return slices.DeleteFunc(list, func(v *Value) bool { return own[v] })
}
