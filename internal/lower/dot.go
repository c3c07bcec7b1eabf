package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// dot lowers OpDot. The sum is held in the registers of its product's view, whatever its size.
func (l *lowerer) dot(op *tile.Op) {
	p := l.productOf(op)
	if p.inGroups() {
		l.dotInGroups(op, p)
		return
	}
	l.settle()
	result, sums := op.Results[0], l.sumsOf(op.Args[2], p)
	if p.hasMMA {
		sums = l.multiplyMatrices(op, p, sums)
	} else {
		sums = l.multiplyElements(op, p, sums)
	}
	l.setSum(result, p, sums)
}

// setSum says that a dot's result is a sum, rounded.
func (l *lowerer) setSum(result *tile.Value, p *product, sums []*lir.Value) {
	regs := append([]*lir.Value(nil), sums...) // a loop's results are its own
	if result.Type.IsFloat() {
		for i, x := range sums {
			regs[i] = l.fromF32(x, result.Type.Elem(), lir.Nearest)
		}
	}
	l.set(result, held{in: p.view, regs: regs})
}

// toSum gives an element of what is added in the type in which it is.
func (l *lowerer) toSum(x *lir.Value, from tile.Elem, p *product) *lir.Value {
	x = l.toF32(x, from)
	if p.sum == lir.F64 && x.Type != lir.F64 {
		return l.b.Pure(lir.OpFExt, 0, lir.F64, 0, x)
	}
	return x
}

// brought gives an operand's element in the type in which it is multiplied.
func (l *lowerer) brought(x *lir.Value, from, to tile.Elem, unsigned bool) *lir.Value {
	switch {
	case from == to:
		return x
	case to == tile.I32:
		if from == tile.I64 {
			return l.narrow(x, lir.I32)
		}
		return l.widen(x, !unsigned)
	}
	wide := l.toF32(x, from)
	if to == tile.F64 && wide.Type != lir.F64 {
		return l.b.Pure(lir.OpFExt, 0, lir.F64, 0, wide)
	}
	return l.fromF32(wide, to, lir.Nearest)
}

// unrolledK is how many steps along k a loop of multiplications and additions does at once.
const unrolledK = 4

// multiplyElements multiplies and adds in each thread, in a loop over k.
func (l *lowerer) multiplyElements(op *tile.Op, p *product, sums []*lir.Value) []*lir.Value {
	inner := log2(min(p.k, unrolledK))
	outer := log2(p.k) - inner
	logN, logK := log2(p.n), log2(p.k)
	// Element numbers of the operands: those of the sum without n, or without m, and with k.
	asked := func(i *lir.Value) (a, b *view) {
		a = l.alongK(p.view, i, inner, outer, 0, func(e uint32) uint32 { return e >> logN << logK })
		b = l.alongK(p.view, i, inner, outer, logN, func(e uint32) uint32 {
			return e&(1<<logN-1) | e>>(logN+log2(p.m))<<(logN+logK)
		})
		return a, b
	}
	a, b := asked(nil)
	l.pin(op.Args[0], a)
	l.pin(op.Args[1], b)
	body := func(i *lir.Value, sums []*lir.Value) []*lir.Value {
		return l.within(func() []*lir.Value {
			a, b := asked(i)
			return l.addProducts(op, p, l.factors(op, 0, p, a), l.factors(op, 1, p, b), sums)
		})
	}
	if outer == 0 {
		return body(nil, sums)
	}
	return l.b.For(false, l.b.I32(0), l.b.I32(1<<outer), l.b.I32(1), sums, body)
}

// alongK gives the view of an operand whose lowest registers are the steps of one iteration along k; the counter chooses the others.
func (l *lowerer) alongK(sum *view, counter *lir.Value, inner, outer, low int, f func(uint32) uint32) *view {
	v := *l.mapped(sum, f)
	var steps, loop []uint32
	for i := range inner {
		steps = append(steps, 1<<(low+i))
	}
	for i := range outer {
		loop = append(loop, 1<<(low+inner+i))
	}
	v.regs = append(steps, v.regs...)
	if outer > 0 {
		v.loop, v.counter = loop, counter
	}
	return l.intern(v)
}

func (l *lowerer) factors(op *tile.Op, i int, p *product, w *view) []*lir.Value {
	v := op.Args[i]
	out := append([]*lir.Value(nil), l.eval(v, w)...)
	for r, x := range out {
		out[r] = l.brought(x, v.Type.Elem(), p.elems[i], op.Attr.(tile.DotAttr).Unsigned)
	}
	return out
}

// pin puts a tile that would be computed anew for each part into shared memory, in the order that is best for who asks.
func (l *lowerer) pin(v *tile.Value, asker *view) {
	for v.Op != nil && moves(v.Op.Code) && v.Op.Args[0].Type.IsTile() {
		asker, v = l.seen(v, asker), v.Op.Args[0]
	}
	h := l.vals[v.ID]
	if h.regs != nil || h.local != 0 || h.shared != 0 || l.traits.lazy(v) {
		return
	}
	home, _ := l.distinct(l.home(v))
	buffer := l.newShared(v.Type.NumElems() * stored(l.typeOf(v.Type)).Bytes())
	owner, order := l.owner(home), l.orderOf(v.Type, l.partOf(home, v.Type, l.mustWhole(v, home)), asker)
	l.rolled(home, v.Type, l.mustWhole(v, home), nil, func(w *view, _ []*lir.Value) []*lir.Value {
		l.store2(buffer, l.mapped(w, apply(order)), l.eval(v, w), owner)
		return nil
	})
	l.set(v, held{in: home, shared: buffer + 1, order: order, depth: l.b.Depth()})
}

// addProducts adds the products of one iteration. A sum's register is a factor's, above the steps along k.
func (l *lowerer) addProducts(op *tile.Op, p *product, a, b, sums []*lir.Value) []*lir.Value {
	steps := len(a) / len(sums)
	out := append([]*lir.Value(nil), sums...)
	for k := range steps {
		for r, sum := range out {
			x, y := a[r*steps+k], b[r*steps+k]
			if p.sum == lir.I32 {
				out[r] = l.b.Pure(lir.OpAdd, 0, lir.I32, 0, sum, l.b.Pure(lir.OpMul, 0, lir.I32, 0, x, y))
				continue
			}
			out[r] = l.b.Pure(lir.OpFMA, uint8(lir.Nearest), p.sum, 0, x, y, sum)
		}
	}
	return out
}
