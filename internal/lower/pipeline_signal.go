package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// signals hand the stages of a pipeline over where warp groups multiply: of each stage one is given when its copies are there, and one when it has been
// read. At a barrier each group would wait for the slowest; so it waits only for the copies that it reads, and with those that it begins for
// the readers of the iteration before. One group's products are done while another is at what comes between its own.
type signals struct {
	buffer int
	stages int
	// rounds are the parities of those that an iteration waits for: in which its stage was filled, and in which that which it fills was read.
	rounds struct{ filled, read *lir.Value }
}

// A signalKind is what a signal tells of a stage.
type signalKind int

const (
	filled signalKind = iota
	read
	signalKinds
)

const signalBytes = 8

// leastAhead is the fewest stages of which an iteration can fill the one after the next while another group may still read the one before. With two the
// next one is filled as soon as the iteration's products have begun, and waited for before they are.
const leastAhead = 3

// handsBySignals reports whether a pipeline's stages can be handed over by signals: several warp groups read all that it copies; to a single one
// a barrier is as good, and cheaper.
func (p *pipeline) handsBySignals(l *lowerer) bool {
	for _, c := range p.copies {
		if c.s.load != nil {
			return false
		}
	}
	return l.o.Can.Signals && len(p.later) > 0 && l.o.Warps > lir.GroupWarps
}

// beginSignals makes the signals, which each warp gives once a round.
func (p *pipeline) beginSignals(l *lowerer) {
	s := &signals{buffer: l.newShared(int(signalKinds) * p.stages * signalBytes), stages: p.stages}
	l.b.Func.Shared[s.buffer].Whole = true
	s.each(l, lir.OpSignalInit, int64(l.o.Warps))
	s.rounds.filled, s.rounds.read = l.b.I32(0), l.b.I32(1) // nobody has to have read what was never filled
	p.signals = s
}

// each lets one thread do something to all signals.
func (s *signals) each(l *lowerer, code lir.Code, imm int64) {
	first := l.b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, l.thread(), l.b.I32(0))
	l.b.If(first, func() []*lir.Value {
		for i := range int(signalKinds) * s.stages {
			m := s.mem(filled)
			l.b.Emit(&lir.Op{Code: code, Imm: imm, Args: []*lir.Value{l.b.I32(i * signalBytes)}, Mem: &m})
		}
		return nil
	}, func() []*lir.Value { return nil })
}

// mem says where the signals of a kind begin.
func (s *signals) mem(kind signalKind) lir.Mem {
	return lir.Mem{Space: lir.Shared, Buffer: s.buffer, Group: s.buffer + 1, Offset: int64(int(kind) * s.stages * signalBytes)}
}

// await waits for a stage's signal.
func (s *signals) await(l *lowerer, kind signalKind, stage, round *lir.Value) {
	m := s.mem(kind)
	l.b.Emit(&lir.Op{Code: lir.OpSignalWait, Args: []*lir.Value{l.shl(stage, log2(signalBytes)), round}, Mem: &m})
}

// give gives a stage's signal for the thread's warp.
func (s *signals) give(l *lowerer, kind signalKind, stage *lir.Value) {
	m := s.mem(kind)
	m.Pred = true
	first := l.b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, l.and(l.thread(), l.o.WarpSize-1), l.b.I32(0))
	l.b.Emit(&lir.Op{Code: lir.OpWarpSync})
	l.b.Emit(&lir.Op{Code: lir.OpSignalGive, Args: []*lir.Value{l.shl(stage, log2(signalBytes)), first}, Mem: &m})
}

// next gives the rounds of the next iteration: where the stages begin anew, the other ones. A stage is read in the round in which it was filled.
func (s *signals) next(l *lowerer, p *pipeline) {
	s.rounds.filled, s.rounds.read = s.after(l, p.stage.read, s.rounds.filled), s.rounds.filled
}

// after gives the round of the stage after one.
func (s *signals) after(l *lowerer, stage, round *lir.Value) *lir.Value {
	last := l.b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, stage, l.b.I32(s.stages-1))
	return l.pick(last, l.b.Pure(lir.OpXor, 0, lir.I32, 0, round, l.b.I32(1)), round)
}

// handOver tells, once in an iteration, that the copies of the next one are there. Of two stages it waits until all threads' are; of more it begins those of
// an iteration as many ahead as there are stages.
func (p *pipeline) handOver(l *lowerer) {
	if p.handed {
		return
	}
	p.handed = true
	next := p.next(l, p.stage.read)
	if p.copiesFirst() {
		p.copyOnce(l)
		p.tell(l, 0, next)
		p.signals.await(l, filled, next, p.signals.after(l, p.stage.read, p.signals.rounds.filled))
		return
	}
	p.tell(l, p.stages-leastAhead, next)
	p.copyOnce(l)
}

// tell waits for all but so many groups of the thread's copies, and tells that a stage is filled.
func (p *pipeline) tell(l *lowerer, left int, stage *lir.Value) {
	p.awaitOwn(l, left)
	p.signals.give(l, filled, stage)
}
