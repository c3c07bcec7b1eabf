package cpu

import (
	"unsafe"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A move copies a value into a slot.
type move struct {
	dst, src slot
	size     int // of an element
}

func moves(dst []slot, src []slot, vals []*tile.Value) []move {
	ms := make([]move, 0, len(dst))
	for i := range dst {
		if dst[i] == src[i] {
			continue
		}
		ms = append(ms, move{dst[i], src[i], vals[i].Type.ElemBytes()})
	}
	return ms
}

// emitMoves makes moves as if all were done at once: what a later one reads is saved before
// an earlier one writes it.
func (p *planner) emitMoves(op *tile.Op, ms []move) {
	for i := range ms {
		for j := range ms[:i] {
			if ms[j].dst.off != ms[i].src.off {
				continue
			}
			t := p.temp(ms[i].size, ms[i].src.n)
			p.emit(op, copyStep(ms[i].size, t, ms[i].src))
			ms[i].src = t
			break
		}
	}
	for _, mv := range ms {
		p.emit(op, copyStep(mv.size, mv.dst, mv.src))
	}
}

func (p *planner) ins(vals []*tile.Value) []slot {
	s := make([]slot, len(vals))
	for i, v := range vals {
		s[i] = p.in(v)
	}
	return s
}

func (p *planner) outs(vals []*tile.Value) []slot {
	s := make([]slot, len(vals))
	for i, v := range vals {
		s[i] = p.out(v, v.Type.NumElems())
	}
	return s
}

// region plans a region; the values that its terminator passes on, from the given operand
// on, become those of to.
func (p *planner) region(b *tile.Block, from int, to []*tile.Value) ([]step, error) {
	return p.separately(b, func(end *tile.Op) {
		p.sanitizeEnd(end)
		vals := end.Args[from:]
		p.emitMoves(end, moves(p.ins(to), p.ins(vals), vals))
		p.moveShades(end, to, vals)
	})
}

// separately plans a block as steps of its own; last sees the terminator, while its operands live.
func (p *planner) separately(b *tile.Block, last func(end *tile.Op)) ([]step, error) {
	steps, temps := p.steps, p.temps
	p.steps, p.temps = nil, nil
	p.depth++
	err := p.ops(b)
	if err == nil {
		last(b.Terminator())
		p.release(b.Terminator(), temps)
	}
	p.depth--
	own := p.steps
	p.steps = steps
	return own, err
}

// branch plans OpIf.
func (p *planner) branch(op *tile.Op) error {
	cond := p.in(op.Args[0])
	p.outs(op.Results)
	p.shadeAll(op.Results)
	then, err := p.region(op.Regions[0], 0, op.Results)
	if err != nil {
		return err
	}
	els, err := p.region(op.Regions[1], 0, op.Results)
	if err != nil {
		return err
	}
	p.emit(op, func(m *machine) error {
		if *one[uint8](m, cond) != 0 {
			return m.run(then)
		}
		return m.run(els)
	})
	return nil
}

// loop plans OpFor. The carried arguments lie where the results will.
func (p *planner) loop(op *tile.Op) error {
	counter, carried := op.Regions[0].Args[0], op.Regions[0].Args[1:]
	results := p.outs(op.Results)
	for i, v := range carried {
		p.slots[v.ID] = results[i]
	}
	init := op.Args[3:]
	p.emitMoves(op, moves(results, p.ins(init), init))
	p.shadeCarried(op, op.Results, init)
	p.sameShades(carried, op.Results)
	p.out(counter, 1)
	body, err := p.region(op.Regions[0], 0, op.Results)
	if err != nil {
		return err
	}
	bounds := loopBounds{p.in(op.Args[0]), p.in(op.Args[1]), p.in(op.Args[2]), p.in(counter)}
	isUnsigned := op.Attr.(tile.ForAttr).Unsigned
	switch counter.Type.ElemBits() {
	case 8:
		emitLoop[uint8, int8](p, op, bounds, isUnsigned, body)
	case 16:
		emitLoop[uint16, int16](p, op, bounds, isUnsigned, body)
	case 32:
		emitLoop[uint32, int32](p, op, bounds, isUnsigned, body)
	case 64:
		emitLoop[uint64, int64](p, op, bounds, isUnsigned, body)
	default:
		return p.unsupported(op, "type", "a loop counter of type %s", counter.Type)
	}
	return nil
}

type loopBounds struct{ lower, upper, step, counter slot }

func emitLoop[U unsigned, S signed](p *planner, op *tile.Op, b loopBounds, isUnsigned bool, body []step) {
	// Signed numbers with the sign bit flipped are ordered as unsigned ones.
	var flip U
	if !isUnsigned {
		flip = 1 << (unsafe.Sizeof(flip)*8 - 1)
	}
	p.emit(op, func(m *machine) error {
		i, upper, step := *one[U](m, b.lower), *one[U](m, b.upper), *one[U](m, b.step)
		if step == 0 || flip != 0 && S(step) < 0 {
			return m.check("loop-step", op, "a loop's step that is known only at run time must be positive, it is %d", S(step))
		}
		if i^flip >= upper^flip {
			return nil
		}
		for {
			*one[U](m, b.counter) = i
			if err := m.run(body); err != nil {
				return err
			}
			if err := m.backEdge(); err != nil {
				return err
			}
			if upper-i <= step { // also where i+step would wrap around
				return nil
			}
			i += step
		}
	})
}

// while plans OpWhile. The second region's arguments lie where the results will.
func (p *planner) while(op *tile.Op) error {
	before, after := op.Regions[0], op.Regions[1]
	results := p.outs(op.Results)
	for i, v := range after.Args {
		p.slots[v.ID] = results[i]
	}
	carried := p.outs(before.Args)
	p.emitMoves(op, moves(carried, p.ins(op.Args), op.Args))
	p.shadeAll(op.Results)
	p.sameShades(after.Args, op.Results)
	p.shadeCarried(op, before.Args, op.Args)
	test, err := p.region(before, 1, op.Results)
	if err != nil {
		return err
	}
	cond := p.in(before.Terminator().Args[0])
	body, err := p.region(after, 0, before.Args)
	if err != nil {
		return err
	}
	p.emit(op, func(m *machine) error {
		for {
			if err := m.run(test); err != nil {
				return err
			}
			if *one[uint8](m, cond) == 0 {
				return nil
			}
			if err := m.run(body); err != nil {
				return err
			}
			if err := m.backEdge(); err != nil {
				return err
			}
		}
	})
	return nil
}

// call plans OpCall. The callee's frame follows the caller's.
func (p *planner) call(op *tile.Op) error {
	name := op.Attr.(tile.CallAttr).Callee
	f := p.program.module.Func(name)
	if f == nil {
		return p.program.errorAt(diag.Compile, "unknown-function", op, "the module has no function "+name)
	}
	if p.active[name] {
		return p.unsupported(op, "recursion", "the recursive call of %s", name)
	}
	fn, err := p.function(f)
	if err != nil {
		return err
	}
	p.deeper = max(p.deeper, fn.deepest)
	args, results := p.ins(op.Args), p.outs(op.Results)
	caller := p.fn
	p.emit(op, func(m *machine) error {
		outer := m.frame
		inner := unsafe.Add(outer, caller.frame)
		for i, v := range op.Args {
			transfer(inner, fn.args[i], outer, args[i], v.Type.ElemBytes())
		}
		m.frame = inner
		err := m.run(fn.body)
		m.frame = outer
		if err != nil {
			return err
		}
		for i, v := range op.Results {
			transfer(outer, results[i], inner, fn.results[i], v.Type.ElemBytes())
		}
		return nil
	})
	return nil
}

// transfer copies a value between frames, repeating one element where it has to.
func transfer(to unsafe.Pointer, d slot, from unsafe.Pointer, s slot, size int) {
	dst := unsafe.Slice((*byte)(unsafe.Add(to, d.off)), d.n*size)
	copy(dst, unsafe.Slice((*byte)(unsafe.Add(from, s.off)), s.n*size))
	for n := s.n * size; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
