package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A range is as good as its bits, which are those of the nest: (range >> 3 & 1) != 0 is bit 3 of the element's number, a constant where a strip fixes it, the
// same lanes in all strips, or the same in all lanes.

// maxBits is how many bits of an integer are looked at: numbers of elements have no more.
const maxBits = 32

// bitsOf gives the bits of a tile of integers at a view, each a bit of the nest or a constant; ok is false where they are not known.
func (x *nest) bitsOf(v *tile.Value, at view) (out [maxBits]int8, ok bool) {
	op := v.Op
	if op == nil || !v.Type.IsTile() || !v.Type.IsInt() || v.Type.ElemBits() > maxBits || x.g.bufs[v] != nil {
		return out, false
	}
	if of, from, ok := moved(v, at); ok {
		return x.bitsOf(of, from)
	}
	for i := range out {
		out[i] = zeroBit
	}
	switch op.Code {
	case tile.OpConst:
		setBits(&out, op.Attr.(tile.ConstAttr).Bits)
		return out, true
	case tile.OpRange:
		copy(out[:], at.bits[:at.n])
		return out, op.Attr.(tile.RangeAttr).Start == 0
	case tile.OpAnd, tile.OpShrU, tile.OpShrS, tile.OpTrunc:
	default:
		return out, false
	}
	in, ok := x.bitsOf(op.Args[0], at)
	if !ok {
		return out, false
	}
	if op.Code == tile.OpTrunc {
		copy(out[:v.Type.ElemBits()], in[:])
		return out, true
	}
	c, ok := constantOf(op.Args[1])
	switch {
	case !ok:
		return out, false
	case op.Code == tile.OpAnd:
		for i := range out {
			if c>>i&1 != 0 {
				out[i] = in[i]
			}
		}
		return out, true
	}
	w := v.Type.ElemBits()
	if c >= uint64(w) || op.Code == tile.OpShrS && in[w-1] != zeroBit {
		return out, false
	}
	copy(out[:w-int(c)], in[c:w])
	return out, true
}

func setBits(out *[maxBits]int8, bits uint64) {
	for i := range out {
		out[i] = zeroBit - int8(bits>>i&1)
	}
}

// constantOf gives the bits of a tile that is the same constant everywhere.
func constantOf(v *tile.Value) (uint64, bool) {
	if v.Op == nil || v.Op.Code != tile.OpConst {
		return 0, false
	}
	return v.Op.Attr.(tile.ConstAttr).Bits, true
}

// oneBitOf gives the only bit of a tile that is not zero for certain: a tile of i1 is (or is not, if no is set) that bit of the nest.
func (x *nest) oneBitOf(v *tile.Value, at view) (bit int8, no, ok bool) {
	op := v.Op
	if op == nil || !v.Type.IsTile() || !v.Type.IsBool() || x.g.bufs[v] != nil {
		return 0, false, false
	}
	if of, from, ok := moved(v, at); ok {
		return x.oneBitOf(of, from)
	}
	switch op.Code {
	case tile.OpConst:
		return zeroBit - int8(op.Attr.(tile.ConstAttr).Bits&1), false, true
	case tile.OpTrunc:
		in, ok := x.bitsOf(op.Args[0], at)
		return in[0], false, ok
	case tile.OpCmpI:
	default:
		return 0, false, false
	}
	pred := op.Attr.(tile.CmpIAttr).Pred
	c, ok := constantOf(op.Args[1])
	if !ok || pred != tile.EQ && pred != tile.NE || op.Args[0].Type.IsBool() {
		return 0, false, false
	}
	in, ok := x.bitsOf(op.Args[0], at)
	if !ok {
		return 0, false, false
	}
	place := -1
	for i, b := range in {
		if i >= op.Args[0].Type.ElemBits() {
			break
		}
		want := zeroBit - int8(c>>i&1)
		switch {
		case b < 0 && b != want: // never equal
			return zeroBit, pred == tile.NE, true
		case b < 0:
		case place >= 0:
			return 0, false, false
		default:
			place = i
		}
	}
	if place < 0 { // always equal
		return oneBit, pred == tile.NE, true
	}
	return in[place], (c>>place&1 != 0) == (pred == tile.NE), true
}

// bit gives a bit of the nest as a tile of i1.
func (x *nest) bit(b int8, no bool) *val {
	if b < 0 {
		return constVal(tile.Scalar(tile.I1), boolBits((b == oneBit) != no))
	}
	g, nb := x.g, x.bits[b]
	c := newVal(tile.Scalar(tile.I1))
	if nb.level == 0 {
		lanes := bitLanes[nb.pos]
		if no {
			lanes = ^lanes
		}
		c.k = x.laneMask(lanes)
		return c
	}
	c.uni, c.level = true, nb.level
	x.on(nb.level, func() {
		c.g = g.copyG(x.counters[nb.level])
		if nb.pos > 0 {
			g.op3(amd64.SHRLI, c.g, none, none, int64(nb.pos))
		}
		g.op3(amd64.ANDLI, c.g, none, none, 1)
		if no {
			g.op3(amd64.XORLI, c.g, none, none, 1)
		}
	})
	return c
}

func boolBits(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
