package cpu

import (
	"bytes"

	"github.com/tegula-lang/tegula/internal/tile"
)

// flow plans how the taints of an operation's operands become its results'. Operations that control
// flow is made of do that where they are planned.
func (p *planner) flow(op *tile.Op) {
	if len(op.Results) == 0 || len(op.Regions) > 0 && !combines(op.Code) {
		return
	}
	if isRename(op) {
		p.sanitizer.shades[op.Result().ID] = p.shadeOf(op.Args[0])
		return
	}
	switch op.Code {
	case tile.OpCall:
		p.flowIntoCall(op)
	case tile.OpLoad:
		p.flowLoad(op)
	case tile.OpReduce, tile.OpScan, tile.OpDot, tile.OpHistogram, tile.OpGather:
		p.flowMixed(op)
	case tile.OpSplat, tile.OpBroadcast, tile.OpTrans, tile.OpCat, tile.OpJoin, tile.OpSplit:
		p.flowShape(op)
	default:
		p.flowElementwise(op)
	}
}

// sources gives the shades of those operands that can have taints.
func (p *planner) sources(op *tile.Op) []shade {
	var srcs []shade
	for _, v := range op.Args {
		if s := p.shadeOf(v); s.n > 0 {
			srcs = append(srcs, s)
		}
	}
	return srcs
}

// flowElementwise gives each element the largest taint of the operands' elements.
func (p *planner) flowElementwise(op *tile.Op) {
	srcs, wraps := p.sources(op), p.sanitizer.wraps(op)
	if len(srcs) == 0 && !wraps {
		return
	}
	n := p.width(op, op.Result().Type)
	for _, s := range srcs {
		n = max(n, s.n)
	}
	for _, v := range op.Results {
		d := p.shade(v, n)
		if d.n == 0 {
			continue
		}
		switch {
		case op.Code == tile.OpSelect:
			p.flowSelect(op, d)
		case absorbs(op) && len(srcs) > 0:
			p.flowAbsorbing(op, d)
		default:
			p.emit(op, mergeShades(d, srcs, keepsWrapped(op.Code)))
		}
		if wraps {
			p.noteWraps(op, d)
		}
	}
}

func mergeShades(d shade, srcs []shade, wrappedToo bool) func(*machine) error {
	return func(m *machine) error {
		m.setShaded(d, false)
		for _, s := range srcs {
			if m.shaded(s) {
				m.merge(d, s, wrappedToo)
			}
		}
		return nil
	}
}

// merge raises the taints of d to those of s.
func (m *machine) merge(d, s shade, wrappedToo bool) {
	out, in := m.shadow(d), m.taints(s)
	least := taint(1)
	if !wrappedToo {
		least = fromLoad
	}
	if s.n == 1 {
		for i := range out {
			out[i] = max(out[i], atLeast(in[0], least))
		}
		return
	}
	for i := range out {
		out[i] = max(out[i], atLeast(in[i], least))
	}
}

func atLeast(t, least taint) taint {
	if t < least {
		return 0
	}
	return t
}

// flowSelect gives each element the taint of the arm that is taken, or the condition's.
func (p *planner) flowSelect(op *tile.Op, d shade) {
	cond := p.in(op.Args[0])
	c, x, y := p.shadeOf(op.Args[0]), p.shadeOf(op.Args[1]), p.shadeOf(op.Args[2])
	p.emit(op, func(m *machine) error {
		m.setShaded(d, false)
		if !m.shaded(c) && !m.shaded(x) && !m.shaded(y) {
			return nil
		}
		is := view[uint8](m, cond)
		for i, out := 0, m.shadow(d); i < len(out); i++ {
			arm := y
			if is[min(i, len(is)-1)] != 0 {
				arm = x
			}
			out[i] = max(m.taintAt(arm, i), atLeast(m.taintAt(c, i), fromLoad))
		}
		return nil
	})
}

// absorbs reports whether an operation has an operand's value that makes the other one not matter: 0 of a
// multiplication of integers and of an and, all ones of an or.
func absorbs(op *tile.Op) bool {
	return op.Code == tile.OpAnd || op.Code == tile.OpOr || op.Code == tile.OpMul
}

func (p *planner) flowAbsorbing(op *tile.Op, d shade) {
	t := op.Result().Type
	size, absorbing := t.ElemBytes(), uint64(0)
	if op.Code == tile.OpOr {
		absorbing = ^uint64(0) >> (64 - t.ElemBits())
	}
	x, y := p.in(op.Args[0]), p.in(op.Args[1])
	sx, sy := p.shadeOf(op.Args[0]), p.shadeOf(op.Args[1])
	wrappedToo := keepsWrapped(op.Code)
	merge := mergeShades(d, p.sources(op), wrappedToo)
	p.emit(op, func(m *machine) error {
		if err := merge(m); err != nil || !m.shaded(d) {
			return err
		}
		for i, out := 0, m.taints(d); i < len(out); i++ {
			if out[i] == 0 {
				continue
			}
			if m.taintAt(sx, i) == 0 && valueAt(m, x, size, i) == absorbing || m.taintAt(sy, i) == 0 && valueAt(m, y, size, i) == absorbing {
				out[i] = 0
			}
		}
		return nil
	})
}

// valueAt gives the bits of an element of a slot that may be held as one.
func valueAt(m *machine, s slot, size, i int) uint64 {
	if s.n == 1 {
		i = 0
	}
	return elementBits(m, s, size, i)
}

// flowLoad taints what a load leaves out.
func (p *planner) flowLoad(op *tile.Op) {
	if len(op.Args) < 2 {
		return
	}
	n := p.width(op, op.Result().Type)
	d := p.shade(op.Result(), n)
	if d.n == 0 {
		return
	}
	var other shade
	var origin taint
	if len(op.Args) > 2 {
		other = p.shadeOf(op.Args[2])
	} else {
		origin = fromLoad | taint(p.program.loads.add(op))
	}
	mask := p.in(op.Args[1])
	p.emit(op, func(m *machine) error {
		m.setShaded(d, false)
		is := view[uint8](m, mask)
		if bytes.IndexByte(is, 0) < 0 || origin == 0 && !m.shaded(other) {
			return nil
		}
		for i, out := 0, m.shadow(d); i < len(out); i++ {
			if is[min(i, len(is)-1)] == 0 {
				out[i] = max(origin, atLeast(m.taintAt(other, i), fromLoad))
			}
		}
		return nil
	})
}

// flowIntoCall gives a called function's parameters the taints of the arguments. Its frame follows.
func (p *planner) flowIntoCall(op *tile.Op) {
	fn, caller := p.callee(op), p.fn
	if fn == nil {
		return
	}
	for i, v := range op.Args {
		s, d := p.shadeOf(v), fn.shadeArgs[i]
		if d.n == 0 {
			continue
		}
		p.emit(op, func(m *machine) error { return copyShade(shade{caller.frame + d.off, d.n}, s)(m) })
	}
}

// flowFromCall gives a call's results the taints of what the function returned.
func (p *planner) flowFromCall(op *tile.Op) {
	fn, caller := p.callee(op), p.fn
	if fn == nil {
		return
	}
	for i, v := range op.Results {
		s, d := fn.shadeResults[i], p.shade(v, v.Type.NumElems())
		if d.n == 0 {
			continue
		}
		p.emit(op, func(m *machine) error {
			from := s
			from.off += caller.frame
			return copyShade(d, from)(m)
		})
	}
}

// callee gives the plan of a called function; nil if it cannot be called, which planning the call reports.
func (p *planner) callee(op *tile.Op) *function {
	name := op.Attr.(tile.CallAttr).Callee
	f := p.program.module.Func(name)
	if f == nil || p.active[name] {
		return nil
	}
	fn, err := p.function(f)
	if err != nil {
		return nil
	}
	return fn
}
