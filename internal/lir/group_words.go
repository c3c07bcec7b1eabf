package lir

import (
	"fmt"
	"slices"
)

// Words of A that a loop makes anew in each iteration have registers that an instruction of warp groups of the iteration before may still read. So
// before such a word is made that instruction is waited for, but for none that was begun after it.

// keepWords puts in the waits for that where there are none.
func keepWords(f *Func) {
	loopBodies(f, func(b *Block) {
		for i := 0; i < len(b.Ops); i++ {
			if at, begun, ok := b.missingWait(i); ok {
				wait := &Op{Code: OpGroupWait, Imm: int64(begun), Loc: b.Ops[i].Loc}
				b.Ops = slices.Insert(b.Ops, at, wait)
				if at <= i {
					i++
				}
			}
		}
	})
}

// checkWords checks that there are all of these waits.
func checkWords(f *Func) error {
	var wrong error
	loopBodies(f, func(b *Block) {
		for i, op := range b.Ops {
			if at, _, ok := b.missingWait(i); ok && wrong == nil {
				wrong = fmt.Errorf("%s: may still read what operation %d of the next iteration makes", op, at)
			}
		}
	})
	return wrong
}

func loopBodies(f *Func, do func(b *Block)) {
	f.Body.Walk(func(op *Op) {
		if op.Code == OpFor || op.Code == OpWhile {
			for _, r := range op.Regions {
				do(r)
			}
		}
	})
}

// missingWait gives, for operation i of a loop's body, in front of which operation someone has to wait for it and does not, and how many
// instructions were begun meanwhile. It reports whether there is one.
func (b *Block) missingWait(i int) (at, begun int, ok bool) {
	op := b.Ops[i]
	if op.Code != OpGroupMMA || op.From != nil {
		return 0, 0, false
	}
	words, _ := op.Split()
	end := len(b.Ops) - 1 // the yield
	first := -1           // how far from i the first word is made
	for _, w := range words {
		if made := b.madeAt(w); made >= 0 {
			if far := (made - i + len(b.Ops)) % len(b.Ops); first < 0 || far < first {
				first = far
			}
		}
	}
	for j := 1; j < first; j++ {
		switch o := b.Ops[(i+j)%len(b.Ops)]; o.Code {
		case OpGroupMMA:
			begun++
		case OpGroupWait:
			if int(o.Imm) <= begun {
				return 0, 0, false
			}
		}
	}
	if first < 0 {
		return 0, 0, false
	}
	return (i + first) % (end + 1), begun, true
}

// madeAt gives the number of the operation of a block that makes a value, or what it is another name of; -1 if none does. What a loop carries is
// made by its yield.
func (b *Block) madeAt(v *Value) int {
	if v.Block == b {
		return len(b.Ops) - 1
	}
	for v.Op != nil && v.Op.Code == OpBitcast {
		v = v.Op.Args[0]
	}
	if v.Block == b {
		return len(b.Ops) - 1
	}
	return slices.Index(b.Ops, v.Op)
}
