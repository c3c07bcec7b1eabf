package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// A list is code that is being written. A loop nest writes several lists at once, one for each
// level, so that what does not change in an inner loop is computed outside of it.
type list struct {
	insts  []inst
	again  int64 // what loops in the list cost from their second iteration on
	polled bool  // some loop in the list pauses where it has to
}

// A mark is a place in a list.
type mark struct {
	at     int
	again  int64
	polled bool
}

func (l *list) mark() mark {
	m := mark{len(l.insts), l.again, l.polled}
	l.polled = false
	return m
}

// since ends what was begun with mark: it gives what the code since then costs, once, and whether it pauses.
func (l *list) since(m mark) (cost int64, polled bool) {
	for i := m.at; i < len(l.insts); i++ {
		cost += costOf(l.insts[i].Op)
	}
	polled = l.polled
	l.polled = l.polled || m.polled
	return min(cost+l.again-m.again, maxCost), polled
}

// join appends a list.
func (l *list) join(m *list) {
	l.insts = append(l.insts, m.insts...)
	l.again = min(l.again+m.again, maxCost)
	l.polled = l.polled || m.polled
}

// makeRoom makes room for n more instructions in the current list, of at least twice the length, in an array that another list is done with if there is one.
func (g *generator) makeRoom(n int) {
	l := g.cur
	need := len(l.insts) + n
	if need <= cap(l.insts) {
		return
	}
	fit := -1 // the smallest that is large enough
	for i, s := range g.spare {
		if cap(s) >= need && (fit < 0 || cap(s) < cap(g.spare[fit])) {
			fit = i
		}
	}
	var to []inst
	if fit >= 0 {
		to = g.spare[fit]
		g.spare[fit] = g.spare[len(g.spare)-1]
		g.spare = g.spare[:len(g.spare)-1]
	} else {
		to = make([]inst, 0, max(need, 2*len(l.insts), leastRoom))
	}
	to = append(to, l.insts...)
	g.giveBack(l.insts)
	l.insts = to
}

// leastRoom is how many instructions a new list has room for.
const leastRoom = 64

// giveBack lets other lists have an array.
func (g *generator) giveBack(insts []inst) {
	if cap(insts) > 0 {
		g.spare = append(g.spare, insts[:0])
	}
}

// takeOver appends a list that nothing else is done with.
func (g *generator) takeOver(m *list) {
	g.makeRoom(len(m.insts))
	g.cur.join(m)
	g.giveBack(m.insts)
	m.insts = nil
}

// maxCost bounds what is counted.
const maxCost = 1 << 40

// longLoop is how much a loop costs that has to pause: some 50 µs.
const longLoop = 200_000

// costOf gives what an instruction costs, in ordinary instructions. Only the order of magnitude counts.
func costOf(op amd64.Op) int64 {
	switch op {
	case amd64.VPGATHERDD, amd64.VPGATHERQD, amd64.VPGATHERDQ, amd64.VPGATHERQQ,
		amd64.VPSCATTERDD, amd64.VPSCATTERQD, amd64.VPSCATTERDQ, amd64.VPSCATTERQQ:
		return 24
	case amd64.VDIVPS, amd64.VSQRTPS, amd64.DIV, amd64.DIVL, amd64.IDIV, amd64.IDIVL:
		return 10
	case amd64.VDIVPD, amd64.VSQRTPD:
		return 20
	}
	return 1
}

// loopEnd emits what belongs before the back edge of a loop of n iterations whose body, begun at m, is in the current list:
// a pause, if the loop takes long and nothing in the body pauses.
func (g *generator) loopEnd(m mark, n int) {
	cost, polled := g.cur.since(m)
	total := min(cost*int64(n), maxCost)
	if total > longLoop && !polled {
		g.poll(cost)
		g.cur.polled = true
	}
	g.cur.again = min(g.cur.again+total-cost, maxCost)
}
