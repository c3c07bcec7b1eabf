package sim

import "github.com/tegula-lang/tegula/internal/lir"

// branch makes the step of an If. Threads that part come together after it.
func (m *machine) branch(op *lir.Op) step {
	cond := m.reg(op.Args[0])
	var arms [2]step
	var yields [2]step
	for i, r := range op.Regions {
		arms[i] = m.block(r)
		if m.fault != nil {
			return nil
		}
		yields[i] = m.move(op.Results, r.Terminator().Args)
	}
	var parted [2][]int32
	return func(threads []int32) {
		parted[0], parted[1] = parted[0][:0], parted[1][:0]
		for _, t := range threads {
			arm := 1 - cond[t]&1
			parted[arm] = append(parted[arm], t)
		}
		for i, in := range parted {
			if len(in) > 0 && m.fault == nil {
				arms[i](in)
				yields[i](in)
			}
		}
	}
}

// forLoop makes the step of a For. Each thread has its own bounds.
func (m *machine) forLoop(op *lir.Op) step {
	lower, upper, by := m.reg(op.Args[0]), m.reg(op.Args[1]), m.reg(op.Args[2])
	body := op.Regions[0]
	run := m.block(body)
	if m.fault != nil {
		return nil
	}
	t := op.Args[0].Type
	counter := m.reg(body.Args[0])
	begin := m.move(body.Args[1:], op.Args[3:])
	next := m.move(body.Args[1:], body.Terminator().Args)
	end := m.move(op.Results, body.Args[1:])
	less := func(x, y uint64) bool { return signed(t, x) < signed(t, y) }
	if op.Mod == 1 {
		less = func(x, y uint64) bool { return x < y }
	}
	var in []int32
	return func(threads []int32) {
		in = in[:0]
		begin(threads)
		for _, t := range threads {
			counter[t] = lower[t]
			if less(counter[t], upper[t]) {
				in = append(in, t)
			}
		}
		for len(in) > 0 && m.fault == nil {
			run(in)
			next(in)
			still := in[:0]
			for _, th := range in {
				counter[th] = (counter[th] + by[th]) & t.Mask()
				if less(counter[th], upper[th]) {
					still = append(still, th)
				}
			}
			in = still
		}
		end(threads)
	}
}

// whileLoop makes the step of a While.
func (m *machine) whileLoop(op *lir.Op) step {
	before, after := op.Regions[0], op.Regions[1]
	ask, run := m.block(before), m.block(after)
	if m.fault != nil {
		return nil
	}
	c := before.Terminator().Args
	cond := m.reg(c[0])
	begin := m.move(before.Args, op.Args)
	pass := m.move(after.Args, c[1:])
	end := m.move(op.Results, c[1:])
	next := m.move(before.Args, after.Terminator().Args)
	var in, out []int32
	return func(threads []int32) {
		in = append(in[:0], threads...)
		begin(threads)
		for len(in) > 0 && m.fault == nil {
			ask(in)
			still := in[:0]
			out = out[:0]
			for _, t := range in {
				if cond[t]&1 != 0 {
					still = append(still, t)
				} else {
					out = append(out, t)
				}
			}
			end(out)
			in = still
			if m.fault == nil && len(in) > 0 {
				pass(in)
				run(in)
				next(in)
			}
		}
	}
}

// signed gives bits of a type as a number.
func signed(t lir.Type, bits uint64) int64 {
	shift := 64 - t.Bits()
	return int64(bits<<shift) >> shift
}
