package cuda

import "github.com/tegula-lang/tegula/internal/lir"

// A factors is the operands of a product, either by its number or by its bits if it is a constant.
type factors struct {
	xID, yID     int32
	xBits, yBits uint64
}

func factorsOf(op *lir.Op) factors {
	f := factors{xID: -1, yID: -1}
	if x := op.Args[0]; x.IsConst() {
		f.xBits = x.Bits
	} else {
		f.xID = x.ID
	}
	if y := op.Args[1]; y.IsConst() {
		f.yBits = y.Bits
	} else {
		f.yID = y.ID
	}
	return f
}

// pair finds the products of 32 bits of which a block needs both halves: one instruction makes them, in the time that the upper half
// alone takes a quarter of. Random numbers are made of such products.
func (e *emitter) pair(b *lir.Block) {
	var high map[factors]*lir.Op
	for _, op := range b.Ops {
		if op.Code == lir.OpMulHiU && op.Result().Type == lir.I32 {
			if high == nil {
				high = map[factors]*lir.Op{}
			}
			high[factorsOf(op)] = op
		}
	}
	if high == nil {
		return
	}
	if e.partner == nil {
		e.partner = map[*lir.Op]*lir.Op{}
	}
	for _, op := range b.Ops {
		if op.Code != lir.OpMul || op.Result().Type != lir.I32 {
			continue
		}
		if h := high[factorsOf(op)]; h != nil {
			e.partner[op], e.partner[h] = h, op
		}
	}
}

// wide writes both halves of a product where the first of them stands, and nothing where the other does.
func (e *emitter) wide(op, other *lir.Op) {
	if e.names[op.Result().ID] != "" {
		return
	}
	low, high := op, other
	if op.Code == lir.OpMulHiU {
		low, high = other, op
	}
	both := e.fresh(doubles)
	e.ins("mul.wide.u32 ", both, ", ", e.use(op.Args[0]), ", ", e.use(op.Args[1]))
	e.ins("mov.b64 {", e.def(low.Result()), ", ", e.def(high.Result()), "}, ", both)
}
