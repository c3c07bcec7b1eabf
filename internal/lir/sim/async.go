package sim

import "github.com/tegula-lang/tegula/internal/lir"

// A copy is a piece of memory that is being copied. It happens as late as it may, when its thread has waited for it; nobody may look
// at where it goes meanwhile, because it may be there already.
type copying struct {
	to      *access
	from    []byte // nil: zeros
	memory  []byte
	shadows []shadow
}

// queues are the copies of each thread, in groups; the last one is open.
type queues [][][]copying

func newQueues(threads int) queues {
	q := make(queues, threads)
	for t := range q {
		q[t] = [][]copying{nil}
	}
	return q
}

// async makes the steps of asynchronous copies.
func (m *machine) async(op *lir.Op) step {
	switch op.Code {
	case lir.OpCopyAsync:
		return m.copyAsync(op)
	case lir.OpCopyCommit:
		return func(threads []int32) {
			for _, t := range threads {
				m.copies[t] = append(m.copies[t], nil)
			}
		}
	case lir.OpCopyWait:
		return func(threads []int32) {
			m.step++
			for _, t := range threads {
				for len(m.copies[t])-1 > int(op.Imm) {
					for _, c := range m.copies[t][0] {
						c.land(t)
					}
					m.copies[t] = m.copies[t][1:]
				}
			}
		}
	}
	return nil
}

func (m *machine) copyAsync(op *lir.Op) step {
	to := m.access(op, int(op.Imm))
	source := &access{m: m, op: op, mem: op.From, address: to.rest[0], size: int(op.Imm)}
	if m.launch.Profile {
		source.profile = &profile{op: op, mem: op.From, size: source.size}
		m.profiles = append(m.profiles, source.profile)
	}
	pred := to.pred
	to.pred = nil // zeros are written where it does not hold
	source.pred = pred
	return func(threads []int32) {
		to.begin(threads)
		source.begin(threads)
		for _, t := range threads {
			memory, s := to.at(t)
			if memory == nil {
				return
			}
			c := copying{to: to, memory: memory, shadows: s}
			if source.happens(t) {
				from, fs := source.at(t)
				if from == nil {
					return
				}
				source.touch(t, reading, from, fs, nil)
				c.from = from
			}
			to.touch(t, writing, memory, s, nil)
			for i := range s {
				s[i].pending = true
			}
			last := len(m.copies[t]) - 1
			m.copies[t][last] = append(m.copies[t][last], c)
		}
	}
}

// land does a copy. From now on its thread sees what it wrote, and others do after a barrier.
func (c *copying) land(t int32) {
	m := c.to.m
	clear(c.memory)
	copy(c.memory, c.from)
	warp := t / int32(m.f.WarpSize)
	for i := range c.shadows {
		s := &c.shadows[i]
		s.pending = false
		m.note(&s.written, t, warp)
		s.step = m.step
		s.writer, s.fences = t, uint32(len(m.groups.fences[t]))
	}
}

// forgetCopies ends what nobody waited for: the CTA is over.
func (m *machine) forgetCopies() {
	for t := range m.copies {
		for _, group := range m.copies[t] {
			for _, c := range group {
				for i := range c.shadows {
					c.shadows[i].pending = false
				}
			}
		}
		m.copies[t] = [][]copying{nil}
	}
}
