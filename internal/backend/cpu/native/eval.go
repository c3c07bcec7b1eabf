package native

import (
	"github.com/tegula-lang/tegula/internal/tile"
)

// scalar gives a scalar of the surrounding code for use in this nest.
func (x *nest) imported(v *tile.Value) *val {
	if d, ok := x.local[v]; ok {
		return d
	}
	outer, ok := x.g.env[v]
	if !ok {
		x.g.refuse("a scalar %s that is not there", v.Type)
	}
	d := *outer
	d.shared, d.level = false, 0
	x.local[v] = &d
	return &d
}

// eval gives a value on this strip, as seen through a view.
func (x *nest) eval(v *tile.Value, at view) *val {
	if v.Type.IsScalar() {
		return x.imported(v)
	}
	key := memoKey{v, at}
	if d, ok := x.memo[key]; ok {
		return d
	}
	if x.g.holding[v] {
		return constVal(v.Type, 1)
	}
	var d *val
	if whole, lanes, ok := x.settled(at); ok && x.worthMoving(v, whole) {
		d = x.permuted(x.eval(v, whole), lanes)
		if d.uni {
			return d
		}
	} else if b := x.g.bufs[v]; b != nil {
		d = x.read(b, at)
	} else if w := x.g.derived[v]; w != nil {
		d = x.derive(v, w, at)
	} else {
		d = x.compute(v, at)
	}
	d.from = v
	x.memo[key] = d
	return d
}

// compute computes a value that is in no buffer.
func (x *nest) compute(v *tile.Value, at view) *val {
	op := v.Op
	if op == nil || x.g.plan.isRoot(op) {
		x.g.refuse("a tile that is in no buffer")
	}
	loc, was := x.g.loc, x.g.at
	x.g.loc, x.g.at = op.Loc, op
	defer func() { x.g.loc, x.g.at = loc, was }()
	switch op.Code {
	case tile.OpConst:
		return constVal(v.Type, op.Attr.(tile.ConstAttr).Bits)
	case tile.OpSplat:
		return x.imported(op.Args[0])
	case tile.OpRange:
		d := *x.index(at)
		d.shared = true // the forms of the number without the start are others
		start := op.Attr.(tile.RangeAttr).Start
		if start == 0 {
			d.shared = false
			return &d
		}
		add := tile.Op{Code: tile.OpAdd, Results: []*tile.Value{{Type: tile.Scalar(tile.I32)}}}
		return x.apply(&add, []*val{&d, constVal(d.t, uint64(uint32(start)))})
	case tile.OpBroadcast, tile.OpExpandDims, tile.OpReshape, tile.OpTrans:
		of, from, _ := moved(v, at)
		return x.eval(of, from)
	case tile.OpJoin:
		return x.either(at.bits[0], op, at.without(0))
	case tile.OpCat:
		bit := catBit(v.Type, op.Attr.(tile.AxisAttr).Axis)
		return x.either(at.bits[bit], op, at.without(bit))
	case tile.OpSplit:
		return x.eval(op.Args[0], at.with(0, zeroBit-int8(v.Index)))
	case tile.OpMap:
		return x.mapped(op, v, at)
	case tile.OpLoad:
		args := x.evalAll(op.Args, at)
		args = append(args, nil, nil)
		return x.loadTile(v.Type, args[0], args[1], args[2])
	}
	if !op.Code.IsElementwise() {
		x.g.refuse("%s", op.Code)
	}
	if bit, no, ok := x.oneBitOf(v, at); ok {
		return x.bit(bit, no)
	}
	if op.Code == tile.OpSelect {
		if d := x.chosen(op, at); d != nil {
			return d
		}
	}
	if d := x.decided(op, at); d != nil {
		return d
	}
	if inner, at0 := x.logicBelow(op); inner != nil {
		return x.ternary(op, inner, at0, at)
	}
	return x.apply(op, x.evalAll(op.Args, at))
}

// decided gives what a selection, or a combination of masks, is of which a mask is known; nil for others.
func (x *nest) decided(op *tile.Op, at view) *val {
	and := op.Code == tile.OpAnd && op.Results[0].Type.IsBool()
	if !and && op.Code != tile.OpSelect || !op.Args[0].Type.IsTile() {
		return nil
	}
	for i, v := range op.Args {
		if m := x.eval(v, at); m.known && (and || i == 0) {
			switch {
			case !and:
				return x.eval(op.Args[2-m.bits&1], at)
			case m.bits&1 == 0:
				return constVal(m.t, 0)
			}
			return x.eval(op.Args[1-i], at)
		}
		if !and {
			break
		}
	}
	return nil
}

func (x *nest) evalAll(vals []*tile.Value, at view) []*val {
	out := make([]*val, len(vals), len(vals)+2)
	for i, v := range vals {
		out[i] = x.eval(v, at)
	}
	return out
}

func (at view) without(i int) view {
	copy(at.bits[i:], at.bits[i+1:at.n])
	at.n--
	at.bits[at.n] = 0
	return at
}

func (at view) with(i int, b int8) view {
	copy(at.bits[i+1:], at.bits[i:at.n])
	at.bits[i] = b
	at.n++
	return at
}

// moved gives the value whose elements a value has, each once or several times in another order, and the view of it that is a view of the value.
func moved(v *tile.Value, at view) (*tile.Value, view, bool) {
	op := v.Op
	switch op.Code {
	case tile.OpBroadcast:
		return op.Args[0], broadcastView(op.Args[0].Type, v.Type, at), true
	case tile.OpExpandDims, tile.OpReshape:
		return op.Args[0], at, true
	case tile.OpTrans:
		return op.Args[0], transView(op, at), true
	}
	return v, at, false
}

func broadcastView(from, to tile.Type, at view) view {
	var out view
	bit := 0
	for d := to.Rank() - 1; d >= 0; d-- {
		if from.LogDim(d) == to.LogDim(d) {
			for i := range to.LogDim(d) {
				out.bits[out.n] = at.bits[bit+i]
				out.n++
			}
		}
		bit += to.LogDim(d)
	}
	return out
}

// transView: dimension i of the result is dimension order[i] of the operand.
func transView(op *tile.Op, at view) view {
	to := op.Results[0].Type
	order := op.Attr.(tile.PermAttr).Order
	var start, source [tile.MaxRank]int
	bit := 0
	for d := to.Rank() - 1; d >= 0; d-- {
		start[d] = bit
		bit += to.LogDim(d)
		source[order[d]] = d
	}
	var out view
	for o := to.Rank() - 1; o >= 0; o-- {
		d := source[o]
		for i := range to.LogDim(d) {
			out.bits[out.n] = at.bits[start[d]+i]
			out.n++
		}
	}
	return out
}

// either gives the first operand of join or cat where a bit is clear, else the second.
func (x *nest) either(b int8, op *tile.Op, at view) *val {
	switch b {
	case zeroBit:
		return x.eval(op.Args[0], at)
	case oneBit:
		return x.eval(op.Args[1], at)
	}
	if op.Code == tile.OpJoin && x.bits[b].level == 0 {
		if d := x.pairOfLanes(op, b, at); d != nil {
			return d
		}
	}
	c := x.bit(b, false)
	sel := tile.Op{Code: tile.OpSelect, Results: []*tile.Value{{Type: op.Results[0].Type}}}
	return x.apply(&sel, []*val{c, x.eval(op.Args[1], at), x.eval(op.Args[0], at)})
}

// region computes the scalar code of a reduction, scan or map on the lanes of a strip.
func (x *nest) region(b *tile.Block, args []*val) []*val {
	r := region{x: x, here: make(map[*tile.Value]*val, len(args))}
	for i, v := range b.Args {
		r.here[v] = args[i]
	}
	return r.block(b)
}

// A region is values while scalar code runs on lanes.
type region struct {
	x    *nest
	here map[*tile.Value]*val
}

func (r region) get(vals []*tile.Value) []*val {
	out := make([]*val, len(vals))
	for i, v := range vals {
		d, ok := r.here[v]
		if !ok {
			d = r.x.imported(v)
		}
		out[i] = d
	}
	return out
}

// block gives what a block yields.
func (r region) block(b *tile.Block) []*val {
	x := r.x
	for _, op := range b.Ops {
		x.g.loc = op.Loc
		switch {
		case op.Code == tile.OpYield:
			return r.get(op.Args)
		case op.Code == tile.OpConst:
			r.here[op.Results[0]] = constVal(op.Results[0].Type, op.Attr.(tile.ConstAttr).Bits)
		case op.Code == tile.OpIf:
			r.either(op)
		case op.Code.IsElementwise() && op.Code.Effect() == tile.Pure:
			r.here[op.Results[0]] = x.apply(op, r.get(op.Args))
		default:
			x.g.at = op
			x.g.refuse("%s in a function of elements", op.Code)
		}
	}
	return nil
}

// either computes both arms of a branch, which have no effects, and selects.
func (r region) either(op *tile.Op) {
	cond := r.get(op.Args)[0]
	then, els := r.block(op.Regions[0]), r.block(op.Regions[1])
	for i, v := range op.Results {
		sel := tile.Op{Code: tile.OpSelect, Results: []*tile.Value{{Type: v.Type}}}
		r.here[v] = r.x.apply(&sel, []*val{cond, then[i], els[i]})
	}
}

// mapped computes OpMap.
func (x *nest) mapped(op *tile.Op, v *tile.Value, at view) *val {
	out := x.region(op.Regions[0], x.evalAll(op.Args, at))
	for i, w := range op.Results {
		x.memo[memoKey{w, at}] = out[i]
	}
	return out[v.Index]
}
