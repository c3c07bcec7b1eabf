package xpu

import "github.com/tegula-lang/tegula/internal/lir"

// ifElse writes a condition. A region that yields nothing and has nothing is left out.
func (e *emitter) ifElse(op *lir.Op) {
	e.keepTogether()
	then, otherwise, after := e.id(), e.id(), e.id()
	e.put(opBranchConditional, e.of(op.Args[0]), then, otherwise)
	var yields [2][]uint32
	var from [2]id
	for i, label := range []id{then, otherwise} {
		e.begin(label)
		end := e.block(op.Regions[i])
		yields[i], from[i] = e.all(end.Args), e.label
		e.branch(after)
	}
	e.begin(after)
	for i, r := range op.Results {
		e.ids[r] = e.phi(e.typeOf(r.Type), yields[0][i], from[0], yields[1][i], from[1])
	}
}

// keepTogether writes, in front of a branch that the lanes of a sub-group may take differently, that all of them come there: if values were
// exchanged before. Intel's compiler for processors moves an exchange whose result only one side of a branch needs to that side, where the
// other lanes have nothing to give any more.
func (e *emitter) keepTogether() {
	if e.exchanged {
		e.put(opControlBarrier, e.i32(scopeSubgroup), e.i32(scopeSubgroup), e.i32(semRelaxed))
	}
	e.exchanged = false
}

// guarded writes what happens only if a condition holds, and gives its values after; else they are the others.
func (e *emitter) guarded(cond id, types []id, then func() []id, others []id) []id {
	e.keepTogether()
	do, after, before := e.id(), e.id(), e.label
	e.put(opBranchConditional, cond, do, after)
	e.begin(do)
	values := then()
	from := e.label
	e.branch(after)
	e.begin(after)
	for i := range values {
		values[i] = e.phi(types[i], values[i], from, others[i], before)
	}
	return values
}

// A carried is the phis of a loop, whose values at the end of the body are known when that is written.
type carried struct {
	ids   []id
	place []int // in the code, of the word that waits for the value at the end
}

// carry writes the phis of what a loop carries: its initial values come from a block, the others from the loop's end.
func (e *emitter) carry(args, initial []*lir.Value, from, end id) carried {
	var c carried
	for i, a := range args {
		first := e.of(initial[i])
		result := e.id()
		e.put(opPhi, e.typeOf(a.Type), result, first, from, 0, end)
		c.place = append(c.place, len(e.code)-2)
		c.ids = append(c.ids, result)
		e.ids[a] = result
	}
	return c
}

// close gives the phis their values at the loop's end.
func (e *emitter) close(c carried, values []uint32) {
	for i, at := range c.place {
		e.code[at] = values[i]
	}
}

func (e *emitter) forLoop(op *lir.Op) {
	body := op.Regions[0]
	lower, upper, step := op.Args[0], op.Args[1], op.Args[2]
	t := e.typeOf(lower.Type)
	head, inside, next, after, from := e.id(), e.id(), e.id(), e.id(), e.label
	bound, stride := e.of(upper), e.of(step)
	e.branch(head)
	e.begin(head)
	c := e.carry(body.Args, append([]*lir.Value{lower}, op.Args[3:]...), from, next)
	less := opSLessThan
	if op.Mod == 1 {
		less = opULessThan
	}
	goes := e.make(less, e.typeOf(lir.I1), c.ids[0], bound)
	e.put(opBranchConditional, goes, inside, after)
	e.begin(inside)
	yields := e.all(e.block(body).Args)
	e.branch(next)
	e.begin(next)
	counter := e.make(opIAdd, t, c.ids[0], stride)
	e.close(c, append([]uint32{counter}, yields...))
	e.branch(head)
	e.begin(after)
	for i, r := range op.Results {
		e.ids[r] = c.ids[i+1]
	}
}

func (e *emitter) while(op *lir.Op) {
	cond, body := op.Regions[0], op.Regions[1]
	head, inside, next, after, from := e.id(), e.id(), e.id(), e.id(), e.label
	e.branch(head)
	e.begin(head)
	c := e.carry(cond.Args, op.Args, from, next)
	end := e.block(cond)
	values := end.Args[1:]
	for i, v := range values {
		e.ids[op.Results[i]] = e.of(v)
		e.ids[body.Args[i]] = e.of(v)
	}
	e.put(opBranchConditional, e.of(end.Args[0]), inside, after)
	e.begin(inside)
	yields := e.all(e.block(body).Args)
	e.branch(next)
	e.begin(next)
	e.close(c, yields)
	e.branch(head)
	e.begin(after)
}
