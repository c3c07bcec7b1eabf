package cuda

import (
	"strconv"

	"github.com/tegula-lang/tegula/internal/lir"
)

// Signals are mbarriers (PTX ISA, "mbarrier").

func (e *emitter) signalInit(op *lir.Op) {
	e.ins("mbarrier.init.shared::cta.b64 ", e.address(op), ", ", strconv.FormatInt(op.Imm, 10))
}

func (e *emitter) signalEnd(op *lir.Op) { e.ins("mbarrier.inval.shared::cta.b64 ", e.address(op)) }

func (e *emitter) signalGive(op *lir.Op) {
	addr := e.address(op)
	state := e.fresh(doubles)
	e.ins(e.guard(op), "mbarrier.arrive.shared::cta.b64 ", state, ", ", addr)
}

func (e *emitter) signalWait(op *lir.Op) {
	addr, again, done := e.address(op), e.newLabel(), e.fresh(predicates)
	parity := e.use(op.Args[1])
	e.mark(again)
	e.ins("mbarrier.try_wait.parity.shared::cta.b64 ", done, ", ", addr, ", ", parity)
	e.ins("@!", done, " bra ", again)
}
