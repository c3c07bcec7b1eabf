package cpu

import (
	"time"

	"github.com/tegula-lang/tegula/internal/tile"
)

// atomicPoll plans OpAtomicPoll. Lanes wait one after the other; the time is counted from the
// first one's begin.
func (p *planner) atomicPoll(op *tile.Op) error {
	t := op.Args[1].Type
	n, size := t.NumElems(), t.ElemBytes()
	addrs, want := p.full(op, op.Args[0]), p.full(op, op.Args[1])
	d := p.out(op.Result(), n)
	timed := len(op.Args) > 2
	var limit slot
	if timed {
		limit = p.in(op.Args[2])
	}
	order := p.ordering(op)
	p.emit(op, func(m *machine) error {
		w := waiter{machine: m, order: order, timed: timed}
		if timed {
			w.start, w.limit = time.Now(), *one[uint64](m, limit)
		}
		out := view[uint8](m, d)
		c := cursor{space: &m.launch.space, size: uint64(size)}
		for i, addr := range view[uint64](m, addrs) {
			if c.find(addr, 1) == nil {
				return m.badAccess(op, addr, size, i)
			}
			met, err := w.wait(&c, addr, elementBits(m, want, size, i))
			if err != nil {
				return err
			}
			out[i] = bit(met)
		}
		return nil
	})
	return nil
}

// A waiter waits for elements to become what is expected of them.
type waiter struct {
	machine *machine
	order   *ordering
	timed   bool
	start   time.Time
	limit   uint64 // in nanoseconds
}

// wait reports whether the element at addr is want before the time is over. Like any loop of a
// kernel it ends when the launch is stopped.
func (w *waiter) wait(c *cursor, addr, want uint64) (bool, error) {
	at := c.find(addr, 1)
	for {
		w.order.begin(w.machine)
		got := c.exchange(at, addr, func(uint64) (uint64, bool) { return 0, false })
		w.order.end(w.machine, addr, false)
		if got == want {
			return true, nil
		}
		if w.timed && uint64(time.Since(w.start)) >= w.limit {
			return false, nil
		}
		if err := w.machine.backEdge(); err != nil {
			return false, err
		}
	}
}
