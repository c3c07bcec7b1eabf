package sim

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// together makes the steps of what threads do together.
func (m *machine) together(op *lir.Op) step {
	switch op.Code {
	case lir.OpBarrier:
		return func(threads []int32) {
			if len(threads) != m.threads {
				m.fail(op, "divergent-barrier", "%d of %d threads come to a barrier", len(threads), m.threads)
			}
			m.now++
			m.barriers++
		}
	case lir.OpWarpSync:
		return m.byWarp(op, func(w int, _ []int32) { m.syncWarp(w) })
	case lir.OpShuffle:
		return m.shuffle(op)
	case lir.OpBallot:
		d, x := m.reg(op.Result()), m.reg(op.Args[0])
		return m.byWarp(op, func(_ int, lanes []int32) {
			var all uint64
			for i, t := range lanes {
				all |= x[t] & 1 << i
			}
			for _, t := range lanes {
				d[t] = all
			}
		})
	case lir.OpRedux:
		return m.redux(op)
	case lir.OpMMA:
		return m.multiply(op)
	case lir.OpLoadMatrix:
		return m.loadMatrix(op)
	case lir.OpGroupMMA:
		return m.multiplyGroups(op)
	case lir.OpGroupWait:
		return m.waitForGroups(op)
	case lir.OpProxyFence:
		return m.fence()
	}
	return nil
}

// byWarp makes a step that is done warp by warp. All threads of a warp have to come to it.
func (m *machine) byWarp(op *lir.Op, do func(warp int, lanes []int32)) step {
	size := m.f.WarpSize
	return func(threads []int32) {
		for len(threads) > 0 {
			w := int(threads[0]) / size
			n := 1
			for n < len(threads) && int(threads[n])/size == w {
				n++
			}
			if n != size {
				m.fail(op, "divergent-warp", "%d of the %d threads of warp %d come to a %s", n, size, w, op.Code)
				return
			}
			do(w, threads[:n])
			threads = threads[n:]
		}
	}
}

func (m *machine) shuffle(op *lir.Op) step {
	d, x, by := m.reg(op.Result()), m.reg(op.Args[0]), m.reg(op.Args[1])
	size := m.f.WarpSize
	words := make([]uint64, size)
	return m.byWarp(op, func(_ int, lanes []int32) {
		for i, t := range lanes {
			words[i] = x[t]
		}
		for i, t := range lanes {
			from, n := i, int(int32(by[t]))
			switch lir.ShuffleMode(op.Mod) {
			case lir.ShuffleIdx:
				from = n & (size - 1)
			case lir.ShuffleXor:
				from = i ^ n
			case lir.ShuffleUp:
				from = i - n
			case lir.ShuffleDown:
				from = i + n
			}
			if from < 0 || from >= size {
				from = i
			}
			d[t] = words[from]
		}
	})
}

func (m *machine) redux(op *lir.Op) step {
	combine := rmw(tile.Atomic(op.Mod), lir.I32)
	if combine == nil {
		return nil
	}
	d, x := m.reg(op.Result()), m.reg(op.Args[0])
	return m.byWarp(op, func(_ int, lanes []int32) {
		all := x[lanes[0]]
		for _, t := range lanes[1:] {
			all = combine(all, x[t])
		}
		for _, t := range lanes {
			d[t] = all
		}
	})
}
