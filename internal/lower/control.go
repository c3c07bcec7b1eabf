package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// inPlace are the operations that are done where they stand, however many elements they have.
var inPlace [256]func(l *lowerer, op *tile.Op)

func init() {
	for code, f := range map[tile.Code]func(l *lowerer, op *tile.Op){
		tile.OpConst:       func(*lowerer, *tile.Op) {},
		tile.OpFor:         (*lowerer).forLoop,
		tile.OpWhile:       (*lowerer).whileLoop,
		tile.OpIf:          (*lowerer).branch,
		tile.OpCall:        (*lowerer).call,
		tile.OpStore:       (*lowerer).store,
		tile.OpReduce:      (*lowerer).reduce,
		tile.OpScan:        (*lowerer).scan,
		tile.OpDot:         (*lowerer).dot,
		tile.OpGather:      (*lowerer).gatherOp,
		tile.OpHistogram:   (*lowerer).histogram,
		tile.OpMap:         (*lowerer).mapElements,
		tile.OpAtomicRMW:   (*lowerer).atomic,
		tile.OpAtomicCAS:   (*lowerer).atomic,
		tile.OpAtomicLoad:  (*lowerer).atomic,
		tile.OpAtomicStore: (*lowerer).atomic,
		tile.OpAtomicPoll:  (*lowerer).atomic,
		tile.OpPrint:       (*lowerer).print,
		tile.OpAssert:      (*lowerer).assert,
		tile.OpInlineAsm:   (*lowerer).assembly,
		tile.OpAssume:      func(*lowerer, *tile.Op) {},
		tile.OpBarrier:     func(l *lowerer, _ *tile.Op) { l.b.Emit(&lir.Op{Code: lir.OpBarrier}) },
		tile.OpLoad:        (*lowerer).loadInPlace,
	} {
		inPlace[code] = f
	}
}

func (l *lowerer) loadInPlace(op *tile.Op) {
	if l.copied[op] {
		return
	}
	if op.Results[0].Type.IsScalar() {
		l.loadScalar(op)
		return
	}
	l.hold(op)
}

// A carrier is how a loop carries a value: as so many LIR values, or in local memory.
type carrier struct {
	v      *tile.Value // the region's argument
	home   *view       // of a tile that is held
	stride *tile.Value // of a tile that goes up by a scalar in each iteration: the scalar
	local  int         // buffer+1 of a large tile
	flows  bool        // what is carried on is a sum of matrix instructions that need not be done
	sum    *tile.Op    // then: the product
	parts  *partial    // of what each thread carries on for itself
}

// carriers decides how the arguments of a region are carried.
func (l *lowerer) carriers(args, inits, yields []*tile.Value) []carrier {
	cs := make([]carrier, len(args))
	for i, v := range args {
		cs[i].v = v
		if v.Type.IsScalar() {
			continue
		}
		if cs[i].stride = climbs(v, yields[i]); cs[i].stride != nil {
			continue
		}
		cs[i].home = l.home(v)
		if !l.holds(v.Type, cs[i].home) {
			t := stored(l.typeOf(v.Type))
			cs[i].local = l.b.Func.NewLocal(cs[i].home.size()*t.Bytes(), 16) + 1
		}
	}
	return cs
}

// climbs gives the scalar by which each element of a carried tile goes up in each iteration; nil if it is not so.
func climbs(arg, yield *tile.Value) *tile.Value {
	op := yield.Op
	if op == nil || op.Code != tile.OpAddPtr && op.Code != tile.OpAdd || op.Args[0] != arg || arg.Type.ElemBits() < 32 {
		return nil
	}
	step := op.Args[1].Op
	switch {
	case step == nil:
	case step.Code == tile.OpSplat:
		return step.Args[0]
	case step.Code == tile.OpConst:
		return op.Args[1]
	}
	return nil
}

// stepOf gives the scalar amount of a climb, in bytes for pointers.
func (l *lowerer) stepOf(c *carrier) *lir.Value {
	var s *lir.Value
	if c.stride.Op != nil && c.stride.Op.Code == tile.OpConst {
		s = l.constant(c.stride)
	} else {
		s = l.scalar(c.stride)
	}
	if !c.v.Type.IsPtr() {
		return s
	}
	if s.Type != lir.I64 {
		s = l.b.Pure(lir.OpExtS, 0, lir.I64, 0, s)
	}
	return l.b.Pure(lir.OpMul, 0, lir.I64, 0, s, l.b.Const(lir.I64, uint64(c.v.Type.Pointee().ElemBytes())))
}

// enter gives what a loop starts to carry.
func (l *lowerer) enter(cs []carrier, inits []*tile.Value) []*lir.Value {
	var out []*lir.Value
	for i := range cs {
		c := &cs[i]
		switch {
		case c.stride != nil:
			out = append(out, l.b.Const(l.typeOf(c.v.Type), 0))
		case c.parts != nil:
			out = append(out, c.parts.begin(l, l.eval(inits[i], c.parts.out))...)
		case c.home == nil:
			out = append(out, l.scalar(inits[i]))
		case c.local != 0:
			l.fill(c, inits[i])
		default:
			out = append(out, l.eval(inits[i], c.home)...)
		}
	}
	return out
}

// fill copies a large tile into the buffer that carries it.
func (l *lowerer) fill(c *carrier, from *tile.Value) {
	l.rolled(c.home, c.v.Type, l.mustWhole(from, c.home), nil, func(w *view, _ []*lir.Value) []*lir.Value {
		l.writeLocal(c.local-1, w, l.eval(from, w))
		return nil
	})
}

// bind says what arguments are in a region, and gives the rest of the values.
func (l *lowerer) bind(cs []carrier, args []*tile.Value, inits []*tile.Value, vals []*lir.Value) []*lir.Value {
	for i := range cs {
		c, v := &cs[i], args[i]
		switch {
		case c.stride != nil:
			l.set(v, held{init: inits[i], step: vals[0]})
			vals = vals[1:]
		case c.home == nil:
			l.set(v, held{scalar: vals[0]})
			vals = vals[1:]
		case c.local != 0:
			l.set(v, held{in: c.home, local: c.local, depth: l.b.Depth()})
		default:
			n := c.home.size()
			l.set(v, held{in: c.home, regs: vals[:n:n]})
			vals = vals[n:]
		}
	}
	return vals
}

// leave gives what an iteration carries on. Large tiles are computed into other buffers first, as they may depend on each other's old
// elements.
func (l *lowerer) leave(cs []carrier, yields []*tile.Value) []*lir.Value {
	var out []*lir.Value
	type move struct {
		c    *carrier
		from int
	}
	var moves []move
	for i := range cs {
		c := &cs[i]
		switch {
		case c.stride != nil:
			out = append(out, l.b.Pure(lir.OpAdd, 0, l.typeOf(c.v.Type), 0, l.vals[c.v.ID].step, l.stepOf(c)))
		case c.home == nil:
			out = append(out, l.scalar(yields[i]))
		case c.local != 0:
			if yields[i] == c.v {
				continue
			}
			tmp := *c
			tmp.local = l.b.Func.NewLocal(l.b.Func.Local[c.local-1].Size, 16) + 1
			l.fill(&tmp, yields[i])
			moves = append(moves, move{c, tmp.local})
		case c.flows: // and may still be pending when all else is known
			out = append(out, make([]*lir.Value, c.home.size())...)
		default:
			out = append(out, l.eval(yields[i], c.home)...)
		}
	}
	l.flow(cs, yields, out)
	for _, m := range moves {
		l.copyLocal(m.c, m.from)
	}
	return out
}

// copyLocal copies one large tile's buffer to another's.
func (l *lowerer) copyLocal(c *carrier, from int) {
	l.rolled(c.home, c.v.Type, false, nil, func(w *view, _ []*lir.Value) []*lir.Value {
		t := stored(l.typeOf(c.v.Type))
		n := min(w.size(), 16/t.Bytes())
		at := l.b.I32(0)
		if w.counter != nil {
			at = l.shl(w.counter, len(w.regs)+log2(t.Bytes()))
		}
		for r := 0; r < w.size(); r += n {
			m := lir.Mem{Space: lir.Local, Buffer: from - 1, Offset: int64(r * t.Bytes())}
			vals := l.b.Load(m, t, n, at, nil, nil)
			m.Buffer = c.local - 1
			l.b.Store(m, at, nil, vals...)
		}
		return nil
	})
}

// forLoop lowers a counted loop.
func (l *lowerer) forLoop(op *tile.Op) {
	body := op.Regions[0]
	inits, yields := op.Args[3:], body.Terminator().Args
	cs := l.carriers(body.Args[1:], inits, yields)
	bounds := l.scalars(op.Args[:3])
	unsigned := op.Attr.(tile.ForAttr).Unsigned
	l.settle()
	l.findFlows(op, cs)
	l.findPartials(op, cs)
	p := l.pipelineOf(op, cs)
	carried := l.enter(cs, inits)
	if p != nil {
		carried = append(carried, p.begin(l, bounds, inits)...)
	}
	results := l.b.For(unsigned, bounds[0], bounds[1], bounds[2], carried, func(i *lir.Value, vals []*lir.Value) []*lir.Value {
		return l.within(func() []*lir.Value {
			l.set(body.Args[0], held{scalar: i})
			rest := l.bind(cs, body.Args[1:], inits, vals)
			if p != nil {
				p.take(l, rest)
			}
			l.flowing(cs, body.Args[1:])
			if p != nil {
				p.iterate(l, i, bounds, inits)
			}
			l.block(body)
			if p != nil {
				p.iterated(l)
			}
			l.settleRest(cs, yields)
			out := l.leave(cs, yields)
			l.pending = nil
			if p != nil {
				out = append(out, p.give(l)...)
			}
			return out
		})
	})
	rest := l.bind(cs, op.Results, inits, results)
	l.flowing(cs, op.Results)
	if p != nil {
		p.end(l, rest)
	}
	for i := range cs {
		if c := &cs[i]; c.parts != nil {
			c.parts.end(l, op.Results[i])
		}
	}
}

// whileLoop lowers a loop with a condition. What its two regions pass to each other is held.
func (l *lowerer) whileLoop(op *tile.Op) {
	before, after := op.Regions[0], op.Regions[1]
	l.settle()
	cs := l.carriers(before.Args, op.Args, op.Args) // an argument is never its own sum
	passed := before.Terminator().Args[1:]
	through := l.carriers(after.Args, passed, passed)
	results := l.b.While(l.enter(cs, op.Args), func(vals []*lir.Value) (*lir.Value, []*lir.Value) {
		var cond *lir.Value
		out := l.within(func() []*lir.Value {
			l.bind(cs, before.Args, op.Args, vals)
			l.block(before)
			cond = l.scalar(before.Terminator().Args[0])
			return l.enter(through, passed)
		})
		return cond, out
	}, func(vals []*lir.Value) []*lir.Value {
		return l.within(func() []*lir.Value {
			l.bind(through, after.Args, passed, vals)
			l.block(after)
			out := l.leave(cs, after.Terminator().Args)
			l.settle()
			return out
		})
	})
	l.bind(through, op.Results, passed, results)
}

// branch lowers an if; what it gives is held, or lies in local memory that both arms write.
func (l *lowerer) branch(op *tile.Op) {
	l.settle()
	none := op.Results // a result never is its own sum
	cs := l.carriers(op.Results, none, none)
	arm := func(r *tile.Block) func() []*lir.Value {
		return func() []*lir.Value {
			return l.within(func() []*lir.Value {
				l.block(r)
				out := l.enter(cs, r.Terminator().Args)
				l.settle()
				return out
			})
		}
	}
	results := l.b.If(l.scalar(op.Args[0]), arm(op.Regions[0]), arm(op.Regions[1]))
	l.bind(cs, op.Results, none, results)
}

// call lowers a function in place of its call.
func (l *lowerer) call(op *tile.Op) {
	callee := l.m.Func(op.Attr.(tile.CallAttr).Callee)
	l.settle()
	caller := *l
	args := make([]held, len(op.Args))
	for i, a := range op.Args {
		args[i] = l.argument(a)
	}
	outer := l.b.Loc
	l.memo = append(l.memo, map[asked][]*lir.Value{})
	l.inline(callee, args)
	results := callee.Body.Terminator().Args
	given := make([]held, len(results))
	for i, v := range results {
		given[i] = l.argument(v)
	}
	l.settle()
	views, b, group := l.views, l.b, l.warpGroup
	*l = caller
	l.views, l.b, l.b.Loc, l.warpGroup = views, b, outer, group
	for i, r := range op.Results {
		l.vals[r.ID] = given[i]
	}
}

// argument gives a value as it can be known in another function: a scalar, or a tile that is held or in memory.
func (l *lowerer) argument(v *tile.Value) held {
	if v.Type.IsScalar() {
		return held{scalar: l.scalar(v)}
	}
	l.settleIf(v)
	if h := l.vals[v.ID]; h.regs != nil || h.local != 0 {
		return h
	}
	home := l.home(v)
	if !l.holds(v.Type, home) {
		l.keep(v, home)
		return l.vals[v.ID]
	}
	return held{in: home, regs: l.eval(v, home)}
}
