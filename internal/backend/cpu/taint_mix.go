package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// flowMixed plans the taints of operations whose elements depend on several of their operands'.
func (p *planner) flowMixed(op *tile.Op) {
	srcs := p.sources(op)
	if len(srcs) == 0 {
		return
	}
	mix := p.mixer(op)
	for _, v := range op.Results {
		d := p.shade(v, v.Type.NumElems())
		if d.n == 0 {
			continue
		}
		p.emit(op, func(m *machine) error {
			m.setShaded(d, false)
			for _, s := range srcs {
				if m.shaded(s) {
					mix(m, m.shadow(d))
					return nil
				}
			}
			return nil
		})
	}
}

// mixer gives how the taints of the operands, of which one has some, become a result's.
func (p *planner) mixer(op *tile.Op) func(m *machine, out []taint) {
	args := make([]shade, len(op.Args))
	for i, v := range op.Args {
		args[i] = p.shadeOf(v)
	}
	switch op.Code {
	case tile.OpReduce:
		return mixReduce(args, axisOf(op.Args[0].Type, op.Attr.(tile.AxisAttr).Axis))
	case tile.OpScan:
		a := op.Attr.(tile.ScanAttr)
		return mixScan(args, axisOf(op.Args[0].Type, a.Axis), a.Reverse)
	case tile.OpDot:
		return mixDot(args, matmulOf(op))
	case tile.OpGather:
		return p.mixGather(op, args)
	}
	return p.mixHistogram(op, args)
}

// worst gives the largest taint that values have at an element.
func (m *machine) worst(shades []shade, i int) taint {
	var t taint
	for _, s := range shades {
		t = max(t, m.taintAt(s, i))
	}
	return atLeast(t, fromLoad)
}

// mixReduce: a reduction over a tainted element is tainted.
func mixReduce(args []shade, a axis) func(*machine, []taint) {
	return func(m *machine, out []taint) {
		for i := range a.outer * a.size * a.inner {
			to := i/(a.size*a.inner)*a.inner + i%a.inner
			out[to] = max(out[to], m.worst(args, i))
		}
	}
}

// mixScan: so is what a scan gives from the first tainted element on.
func mixScan(args []shade, a axis, reverse bool) func(*machine, []taint) {
	return func(m *machine, out []taint) {
		for j := range a.size {
			before, at := a.plane(max(j-1, 0), reverse), a.plane(j, reverse)
			for l := range a.outer * a.inner {
				i := at.index(l)
				out[i] = max(m.worst(args, i), out[before.index(l)])
			}
		}
	}
}

// index gives where lane l's element is.
func (at lattice) index(l int) int { return l/at.row*at.stride + l%at.row + at.base }

// mixDot: an element of a dot is tainted if its row, its column or what it is added to is.
func mixDot(args []shade, s matmul) func(*machine, []taint) {
	return func(m *machine, out []taint) {
		for b := range s.batch {
			for i := range s.m {
				var row taint
				for k := range s.k {
					row = max(row, m.worst(args[:1], (b*s.m+i)*s.k+k))
				}
				for j := range s.n {
					at := (b*s.m+i)*s.n + j
					out[at] = max(row, m.worst(args[2:], at))
				}
			}
			if !m.shaded(args[1]) {
				continue
			}
			for j := range s.n {
				var column taint
				for k := range s.k {
					column = max(column, m.worst(args[1:2], (b*s.k+k)*s.n+j))
				}
				for i := range s.m {
					at := (b*s.m+i)*s.n + j
					out[at] = max(out[at], column)
				}
			}
		}
	}
}

// mixGather: an element is tainted if its index is, or what the index chooses.
func (p *planner) mixGather(op *tile.Op, args []shade) func(*machine, []taint) {
	dim := op.Attr.(tile.AxisAttr).Axis
	index := op.Args[1].Type
	from, to := axisOf(op.Args[0].Type, dim), axisOf(index, dim)
	at, size := p.in(op.Args[1]), index.ElemBytes()
	return func(m *machine, out []taint) {
		for i := range out {
			out[i] = m.worst(args[1:], i)
			if k := valueAt(m, at, size, i); k < uint64(from.size) {
				outer, inner := i/(to.size*to.inner), i%to.inner
				out[i] = max(out[i], m.worst(args[:1], (outer*from.size+int(k))*from.inner+inner))
			}
		}
	}
}

// mixHistogram: any tainted value that counts taints every count.
func (p *planner) mixHistogram(op *tile.Op, args []shade) func(*machine, []taint) {
	n := op.Args[0].Type.NumElems()
	var mask slot
	if len(op.Args) > 1 {
		mask = p.in(op.Args[1])
	}
	return func(m *machine, out []taint) {
		var all taint
		for i := range n {
			if mask.n == 0 || valueAt(m, mask, 1, i) != 0 {
				all = max(all, m.worst(args, i))
			}
		}
		for i := range out {
			out[i] = all
		}
	}
}

// flowShape moves taints as the elements are moved.
func (p *planner) flowShape(op *tile.Op) {
	srcs := p.sources(op)
	if len(srcs) == 0 {
		return
	}
	if op.Code == tile.OpCat || op.Code == tile.OpJoin {
		p.flowInterleave(op)
		return
	}
	src := srcs[0]
	for i, v := range op.Results {
		if src.n == 1 {
			p.emit(op, copyShade(p.shade(v, 1), src))
			continue
		}
		c, at := p.shapeCopier(op, i)
		d := p.shade(v, v.Type.NumElems())
		p.emit(op, func(m *machine) error {
			m.setShaded(d, false)
			if m.shaded(src) {
				copyStrided(m.shadow(d), m.taints(src), c, 0, at)
			}
			return nil
		})
	}
}

// shapeCopier gives how the elements of a result come out of the operand's, from the element at.
func (p *planner) shapeCopier(op *tile.Op, result int) (c copier, at int) {
	from, to := op.Args[0].Type, op.Results[result].Type
	c = copier{to.Shape(), strides(to), make([]int, to.Rank())}
	switch op.Code {
	case tile.OpSplit:
		return copier{[]int{to.NumElems()}, []int{1}, []int{2}}, result
	case tile.OpTrans:
		order := op.Attr.(tile.PermAttr).Order
		for i := range c.src {
			c.src[i] = strides(from)[order[i]]
		}
	case tile.OpBroadcast:
		for i := range c.src {
			if from.Dim(i) > 1 {
				c.src[i] = strides(from)[i]
			}
		}
	}
	return c.merged(), 0
}

// flowInterleave is for what puts rows of two operands into the result by turns.
func (p *planner) flowInterleave(op *tile.Op) {
	from := op.Args[0].Type
	row := 1
	if op.Code == tile.OpCat {
		axis := op.Attr.(tile.AxisAttr).Axis
		row = strides(from)[axis] * from.Dim(axis)
	}
	d := p.shade(op.Result(), op.Result().Type.NumElems())
	args := []shade{p.shadeOf(op.Args[0]), p.shadeOf(op.Args[1])}
	p.emit(op, func(m *machine) error {
		m.setShaded(d, false)
		if !m.shaded(args[0]) && !m.shaded(args[1]) {
			return nil
		}
		for i, out := 0, m.shadow(d); i < len(out); i++ {
			turn := i / row
			out[i] = m.taintAt(args[turn%2], turn/2*row+i%row)
		}
		return nil
	})
}
