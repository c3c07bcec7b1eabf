package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// The strips of several accumulators are computed one after another, each a chain of instructions that wait for one another. A processor looks some hundred
// instructions ahead, but only those that it can put aside while they wait, about a hundred: of a chain of 15 multiplications that is not far enough to be busy. So the chains are
// written in turns, one instruction of each.

// interleave writes the parts of a list in turns that begin at marks and end where the next one does. Parts do not depend on one another's memory.
// A part waits where it mentions a register that an earlier one has not finished with.
func (g *generator) interleave(l *list, marks []int) {
	if len(marks) < 2 || g.selects != nil {
		return
	}
	from := marks[0]
	code := l.insts[from:]
	if !movable(code) {
		return
	}
	parts := make([][]inst, len(marks))
	for w := range marks {
		end := len(l.insts)
		if w+1 < len(marks) {
			end = marks[w+1]
		}
		parts[w] = l.insts[marks[w]:end]
	}
	m := newMentions(parts)
	out := make([]inst, 0, len(code))
	done := make([]int, len(parts))
	for len(out) < len(code) {
		for w, p := range parts {
			if done[w] < len(p) && m.ready(&p[done[w]], w, done) {
				out = append(out, p[done[w]])
				done[w]++
			}
		}
	}
	copy(code, out)
}

// maxInTurns is how many instructions a strip takes at most that is worth several accumulators for the sake of turns.
const maxInTurns = 64

// inTurns gives how many strips are computed in turns, as a power of two, so that they have enough registers: each has some for what it computes, and the constants
// are there for all of them.
func (m *isa) inTurns(strip []inst) int {
	const each = 5
	constants := 0
	for i := range strip {
		if isConstant(&strip[i]) {
			constants++
		}
	}
	for n := 2; n > 0; n-- {
		if min(constants, m.hoisted)+each<<n <= len(m.free[amd64.Vector]) {
			return n
		}
	}
	return 0
}

// movable reports whether nothing but registers and memory orders instructions: there are no jumps, flags or registers that instructions do not name.
func movable(code []inst) bool {
	for i := range code {
		switch op := code[i].Op; {
		case op == amd64.BadOp:
			return false
		case op.Vector(), op >= amd64.KMOV && op <= amd64.KORTEST:
		case op == amd64.MOV, op == amd64.MOVL, op == amd64.MOVI, op == amd64.MOVSXD, op == amd64.LEA, op == amd64.ADD, op == amd64.ADDL, op == amd64.ADDI, op == amd64.ADDLI,
			op == amd64.PREFETCHW, op == amd64.PREFETCHT1, op == amd64.ANDLI, op == amd64.SHLI, op == amd64.SHLLI, op == amd64.SHRI, op == amd64.SHRLI, op == amd64.XORL, op == amd64.IMUL, op == amd64.IMULL:
		default:
			return false
		}
	}
	return true
}

// mentions are the last places in each part where a register is written, and where it is mentioned at all; 1 + the place, 0 if it is not.
type mentions struct{ written, at []map[reg]int }

func newMentions(parts [][]inst) *mentions {
	m := &mentions{}
	for _, p := range parts {
		written, at := map[reg]int{}, map[reg]int{}
		for i := range p {
			p[i].Operands(func(r reg, _, writes bool) reg {
				at[r] = i + 1
				if writes {
					written[r] = i + 1
				}
				return r
			})
		}
		m.written, m.at = append(m.written, written), append(m.at, at)
	}
	return m
}

// ready reports whether an instruction of a part may come now: earlier parts have written all that it reads, and are done with what it writes.
func (m *mentions) ready(c *inst, part int, done []int) bool {
	ok := true
	c.Operands(func(r reg, _, writes bool) reg {
		for w := range part {
			last := m.written[w][r]
			if writes {
				last = m.at[w][r]
			}
			ok = ok && done[w] >= last
		}
		return r
	})
	return ok
}
