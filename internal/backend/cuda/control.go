package cuda

import (
	"math"

	"github.com/tegula-lang/tegula/internal/lir"
)

// forLoop tests once in front of the loop, then at each end.
func (e *emitter) forLoop(op *lir.Op) {
	body := op.Regions[0]
	lower, upper, step := op.Args[0], op.Args[1], op.Args[2]
	bounds, c := e.reg(upper), classOf(lower.Type)
	by := e.use(step)
	regs := e.defs(body.Args[1:])
	e.moves(regs, op.Args[3:])
	i := e.def(body.Args[0])
	e.moves([]string{i}, op.Args[:1])
	t := asSigned.of(lower.Type)
	if op.Mod == 1 {
		t = asUnsigned.of(lower.Type)
	}
	head, end := e.newLabel(), e.newLabel()
	if !runs(op) {
		done := e.fresh(predicates)
		e.ins("setp.ge.", t, " ", done, ", ", i, ", ", bounds)
		e.ins("@", done, " bra ", end)
	}
	e.mark(head)
	if op.Imm == 1 {
		e.ins(`.pragma "nounroll"`)
	}
	e.block(body)
	e.moves(regs, body.Terminator().Args)
	again := e.fresh(predicates)
	if plain(op) {
		e.ins("add.", asUnsigned.of(lower.Type), " ", i, ", ", i, ", ", by)
		e.ins("setp.lt.", t, " ", again, ", ", i, ", ", bounds)
	} else { // the counter may not go beyond its type
		left := e.fresh(c)
		e.ins("sub.", asUnsigned.of(lower.Type), " ", left, ", ", bounds, ", ", i)
		e.ins("setp.gt.", asUnsigned.of(lower.Type), " ", again, ", ", left, ", ", by)
		e.ins("add.", asUnsigned.of(lower.Type), " ", i, ", ", i, ", ", by)
	}
	e.ins("@", again, " bra ", head)
	e.mark(end)
	e.alias(op.Results, regs)
}

// runs reports whether a loop certainly runs at least once.
func runs(op *lir.Op) bool {
	return op.Args[0].IsConst() && op.Args[1].IsConst() && op.Mod == 0 && op.Args[0].Int() < op.Args[1].Int()
}

// plain reports whether the counter cannot wrap when it reaches its bound.
func plain(op *lir.Op) bool {
	upper, step := op.Args[1], op.Args[2]
	return upper.IsConst() && step.IsConst() && upper.Int() >= 0 && step.Int() > 0 && upper.Int() < math.MaxInt32-step.Int()
}

func (e *emitter) whileLoop(op *lir.Op) {
	before, after := op.Regions[0], op.Regions[1]
	carried := e.defs(before.Args)
	e.moves(carried, op.Args)
	head, end := e.newLabel(), e.newLabel()
	e.mark(head)
	e.block(before)
	cond := before.Terminator()
	passed := e.defs(after.Args)
	e.moves(passed, cond.Args[1:])
	e.ins("@!", e.reg(cond.Args[0]), " bra ", end)
	e.block(after)
	e.moves(carried, after.Terminator().Args)
	e.ins("bra ", head)
	e.mark(end)
	e.alias(op.Results, passed)
}

func (e *emitter) branch(op *lir.Op) {
	then, els := op.Regions[0], op.Regions[1]
	regs := make([]string, len(op.Results))
	taken := map[*lir.Value]bool{}
	for i, r := range op.Results {
		if v := els.Terminator().Args[i]; e.inPlace[v] && !taken[v] {
			regs[i], taken[v] = e.names[v.ID], true
			continue
		}
		regs[i] = e.fresh(classOf(r.Type))
	}
	other, end := e.newLabel(), e.newLabel()
	e.ins("@!", e.reg(op.Args[0]), " bra ", other)
	e.block(then)
	e.moves(regs, then.Terminator().Args)
	if len(els.Ops) > 1 || len(regs) > 0 {
		e.ins("bra ", end)
		e.mark(other)
		e.block(els)
		e.moves(regs, els.Terminator().Args)
		e.mark(end)
	} else {
		e.mark(other)
	}
	e.alias(op.Results, regs)
}
