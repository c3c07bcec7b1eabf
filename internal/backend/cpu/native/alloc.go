package native

import (
	"cmp"
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// Register allocation is a linear scan over intervals: from the first to the last mention of a virtual
// register, and to the end of each loop that it is live into. Where registers run out, the
// interval that is used least, weighed by the depth of loops, lives in the frame; around each use it is
// moved through a register that is kept free for that.

type interval struct {
	id         int
	start, end int
	weight     float64 // uses, times 10 for each loop around
	phys       reg
	slot       int // in the frame, if phys is none
	hint       int // the register that it is copied from, or -1
}

type span struct{ from, to int }

// loopsOf gives the loops of the code: from a label to the last jump back to it, inner ones first.
func loopsOf(code []inst) []span {
	at := map[amd64.Label]int{}
	ends := map[int]int{}
	for i := range code {
		switch code[i].Op {
		case amd64.BadOp:
			at[code[i].Target] = i
		case amd64.JCC, amd64.JMP:
			if from, ok := at[code[i].Target]; ok {
				ends[from] = max(ends[from], i)
			}
		}
	}
	var loops []span
	for from, to := range ends {
		loops = append(loops, span{from, to})
	}
	slices.SortFunc(loops, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.to-a.from, b.to-b.from), cmp.Compare(a.from, b.from))
	})
	return loops
}

// intervals gives the intervals of the registers that code mentions, by number.
func intervals(code []inst, n int) []*interval {
	loops := loopsOf(code)
	depth := make([]int8, len(code)+1)
	for _, l := range loops {
		for i := l.from; i <= l.to; i++ {
			depth[i]++
		}
	}
	weight := [8]float64{1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7}
	out := make([]*interval, n)
	var room []interval
	for i := range code {
		w := weight[min(depth[i], 7)]
		code[i].Operands(func(r reg, _, _ bool) reg {
			if r < amd64.FirstVirtual {
				return r
			}
			id := int(r - amd64.FirstVirtual)
			if out[id] == nil {
				if len(room) == 0 {
					room = make([]interval, 256)
				}
				out[id], room = &room[0], room[1:]
				*out[id] = interval{id: id, start: i, phys: none, hint: -1}
			}
			out[id].end = i
			out[id].weight += w
			return r
		})
		if c := &code[i]; (c.Op == amd64.MOV || c.Op == amd64.VMOVAPS) && c.A >= amd64.FirstVirtual && c.B >= amd64.FirstVirtual && !c.HasMem {
			if d := out[c.A-amd64.FirstVirtual]; d.start == i {
				d.hint = int(c.B - amd64.FirstVirtual)
			}
		}
	}
	extend(out, loops, len(code))
	return out
}

// extend lets intervals that are live into a loop live to its end. Loops come inner ones first, so that what is extended to the end
// of one is seen by those around it. For each place there is a list of the intervals that end there.
func extend(all []*interval, loops []span, places int) {
	first, next := make([]int32, places), make([]int32, len(all)) // 1 + number; 0 ends a list
	add := func(id, at int) { next[id], first[at] = first[at], int32(id+1) }
	for id, v := range all {
		if v != nil {
			add(id, v.end)
		}
	}
	for _, l := range loops {
		for at := l.from; at < l.to; at++ {
			list := first[at]
			first[at] = 0
			for list != 0 {
				id := int(list - 1)
				list = next[id]
				if v := all[id]; v.start < l.from {
					v.end = l.to
				}
				add(id, all[id].end)
			}
		}
	}
}

// allocate gives every virtual register of code a physical one or a place in the frame from base on. It gives
// the new code and the end of the frame.
func (m *isa) allocate(code []inst, classes []amd64.Class, base int) ([]inst, int) {
	all := intervals(code, len(classes))
	for _, class := range []amd64.Class{amd64.General, amd64.Vector, amd64.Mask} {
		var list []*interval
		for _, v := range all {
			if v != nil && classes[v.id] == class {
				list = append(list, v)
			}
		}
		base = scan(list, all, m.free[class], m.spillSize[class], base)
	}
	return m.rewrite(code, classes, all), base
}

// scan gives registers to the intervals of a class.
func scan(list, all []*interval, regs []reg, size, base int) int {
	slices.SortStableFunc(list, func(a, b *interval) int { return cmp.Compare(a.start, b.start) })
	var active []*interval
	var owner [amd64.FirstVirtual]*interval
	for _, v := range list {
		keep := active[:0]
		for _, a := range active {
			if a.end > v.start {
				keep = append(keep, a)
			} else {
				owner[a.phys] = nil
			}
		}
		active = keep
		if r := choose(v, all, regs, &owner); r != none {
			v.phys = r
			owner[r] = v
			active = append(active, v)
			continue
		}
		loser, at := v, -1
		for i, a := range active {
			if density(a) < density(loser) {
				loser, at = a, i
			}
		}
		if at >= 0 {
			v.phys = loser.phys
			owner[v.phys] = v
			active[at] = v
			loser.phys = none
		}
		loser.slot = (base + size - 1) &^ (size - 1)
		base = loser.slot + size
	}
	return base
}

// density is how much it costs to keep an interval in the frame, for the room that it leaves.
func density(v *interval) float64 { return v.weight / float64(v.end-v.start+1) }

func choose(v *interval, all []*interval, regs []reg, owner *[amd64.FirstVirtual]*interval) reg {
	if v.hint >= 0 {
		if h := all[v.hint]; h != nil && h.phys != none && owner[h.phys] == nil {
			return h.phys
		}
	}
	for _, r := range regs {
		if owner[r] == nil {
			return r
		}
	}
	return none
}

// fromFrame lets an instruction read its last operand from the frame if that lives there.
func (m *isa) fromFrame(i *amd64.Inst, all []*interval) {
	if i.C < amd64.FirstVirtual || i.HasMem || i.C == i.B || i.C == i.A || i.C == i.K || !i.Op.LastFromMemory() {
		return
	}
	if v := all[i.C-amd64.FirstVirtual]; v.phys == none && int(i.L) == m.vectorBytes/32 {
		i.C, i.HasMem, i.M = none, true, amd64.At(amd64.RDI, int32(v.slot))
	}
}

// passed is a register in the frame and the one that it passes through.
type passed struct{ r, p reg }

// rewrite replaces virtual registers; those in the frame are loaded before and stored after an instruction. Where nothing is free any more to
// pass a result through, that of an operand does, which has been read by then.
func (m *isa) rewrite(code []inst, classes []amd64.Class, all []*interval) []inst {
	out := make([]inst, 0, len(code)+len(code)/3)
	var after []inst
	var have []passed
	for _, c := range code {
		m.fromFrame(&c.Inst, all)
		after = after[:0]
		used := [3]int{}
		read := [3]reg{none, none, none} // that only hold operands
		have = have[:0]
		c.Operands(func(r reg, reads, writes bool) reg {
			if r < amd64.FirstVirtual {
				return r
			}
			v := all[r-amd64.FirstVirtual]
			if v.phys != none {
				return v.phys
			}
			class := classes[v.id]
			p := none
			for _, h := range have {
				if h.r == r {
					p = h.p
				}
			}
			switch {
			case p != none:
			case used[class] < len(m.passing[class]):
				p = m.passing[class][used[class]]
				used[class]++
				if reads && !writes {
					read[class] = p
				}
			case writes && !reads && read[class] != none:
				p = read[class]
			default:
				panic("too many operands of an instruction are in the frame")
			}
			have = append(have, passed{r, p})
			at := amd64.At(amd64.RDI, int32(v.slot))
			if reads {
				out = append(out, inst{m.transfer(m.reload[class], p, at), c.loc})
			}
			if writes {
				after = append(after, inst{m.transfer(m.spill[class], p, at), c.loc})
			}
			return p
		})
		out = append(append(out, c), after...)
	}
	return out
}
