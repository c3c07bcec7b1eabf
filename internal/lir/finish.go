package lir

// Finish makes a function that was built ready for a back end: it makes divisions cheaper, removes dead operations, orders those without effect
// so that few values are there at once, lets instructions that may still read a register be waited for, gives the shared buffers their places,
// and puts barriers where threads meet in memory.
func Finish(f *Func) {
	simplifyDivisions(f)
	removeDead(f)
	sink(f)
	schedule(f)
	keepWords(f)
	placeBuffers(f)
	placeBarriers(f)
}

// removeDead removes operations whose results nobody needs and that do nothing else. What a loop carries stays if the loop does.
func removeDead(f *Func) {
	d := &deadness{live: make([]bool, f.numValues)}
	d.block(f.Body)
}

type deadness struct{ live []bool }

// block walks backwards, so that all uses of a value but those of a loop's next iteration are known before it.
func (d *deadness) block(b *Block) {
	kept := len(b.Ops)
	for i := len(b.Ops) - 1; i >= 0; i-- {
		op := b.Ops[i]
		if !d.needed(op) {
			continue
		}
		if op.Code == OpAtomicRMW && len(op.Results) == 1 && !d.live[op.Results[0].ID] {
			op.Results = nil
		}
		for j := len(op.Regions) - 1; j >= 0; j-- {
			d.block(op.Regions[j])
		}
		for _, a := range op.Args {
			d.live[a.ID] = true
		}
		kept--
		b.Ops[kept] = op
	}
	b.Ops = append(b.Ops[:0], b.Ops[kept:]...)
}

// needed reports whether an operation has an effect or a result that is used.
func (d *deadness) needed(op *Op) bool {
	switch op.Effect() {
	case Writes, Ends:
		return true
	case Together:
		if len(op.Results) == 0 {
			return true
		}
	case Structured:
		if acts(op) {
			return true
		}
	}
	for _, r := range op.Results {
		if d.live[r.ID] {
			return true
		}
	}
	return false
}

// acts reports whether a region of op has an effect; a loop that may not end is one.
func acts(op *Op) bool {
	if op.Code == OpWhile {
		return true
	}
	for _, r := range op.Regions {
		for _, inner := range r.Ops {
			switch e := inner.Effect(); {
			case e == Writes, e == Together && len(inner.Results) == 0, e == Structured && acts(inner):
				return true
			}
		}
	}
	return false
}
