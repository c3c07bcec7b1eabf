package native

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Lanes of a strip in another order, or some of them several times, are the strip as it lies in memory, permuted in its register.

// A permutation says for each lane which one it is taken from.
type permutation [maxLanes]int8

// exchange is the permutation of lanes with those whose number differs in a bit.
func exchange(bit int) permutation {
	var p permutation
	for i := range p {
		p[i] = int8(i ^ 1<<bit)
	}
	return p
}

// settled gives the view of a whole strip, of which the lanes at a view are a permutation; ok is false if there is none.
func (x *nest) settled(at view) (whole view, lanes permutation, ok bool) {
	low := min(int(at.n), x.g.laneBits)
	whole = at
	moved := false
	for i := range int(at.n) {
		b := at.bits[i]
		inLanes := b >= 0 && x.bits[b].level == 0
		switch {
		case i >= low && inLanes, i < low && b >= 0 && !inLanes:
			return at, lanes, false
		case i >= low:
			continue
		case b == oneBit:
			for k := range lanes {
				lanes[k] |= 1 << i
			}
		case b >= 0:
			for k := range lanes {
				lanes[k] |= int8(k >> x.bits[b].pos & 1 << i)
			}
		}
		straight := x.laneBit(i)
		if straight < 0 {
			return at, lanes, false
		}
		moved = moved || b != straight
		whole.bits[i] = straight
	}
	return whole, lanes, moved
}

// count lets a bit of the nest count lanes by 2^pos.
func (x *nest) count(bit, pos int) {
	x.bits[bit], x.laneAt[pos] = nestBit{0, pos}, int8(bit+1)
}

// laneBit gives the nest's bit that counts lanes by 2^pos; -1 if none does.
func (x *nest) laneBit(pos int) int8 { return x.laneAt[pos] - 1 }

// worthMoving reports whether to permute the lanes of a value is better than to compute it at another view.
func (x *nest) worthMoving(v *tile.Value, whole view) bool {
	if x.g.bufs[v] != nil {
		return true
	}
	if x.g.derived[v] != nil || x.g.plan.cost[v] < expensive || v.Op == nil {
		return false
	}
	if v.Op.Code != tile.OpLoad {
		return x.g.plan.lineageOf(v).whole()
	}
	p := x.eval(v.Op.Args[0], whole)
	return p.affine && p.step == int64(v.Type.ElemBytes())
}

// permuted gives a value with its lanes permuted.
func (x *nest) permuted(v *val, by permutation) *val {
	if v.uni || v.known {
		return v
	}
	g := x.g
	d := newVal(v.t)
	d.level, d.quiet = v.level, v.quiet
	x.on(d.level, func() {
		switch {
		case v.t.IsBool():
			all := g.blend(4, x.asMask(v), g.splatBits(4, 0), g.splatBits(4, 0xffffffff))
			r := g.permute4(all, by)
			d.k = g.cmp(amd64.VPTESTMD, r, r, 0)
		case v.width() == 4:
			d.v[0] = g.permute4(x.asVec(v)[0], by)
		default:
			d.v = x.permute8(x.asVec(v), by)
		}
	})
	return d
}

// exchanged gives the bit of lane numbers that a permutation of n lanes exchanges; -1 if it does something else.
func (by permutation) exchanged(n int) int {
	for bit := range maxLaneBits {
		if e := exchange(bit); slices.Equal(by[:n], e[:n]) {
			return bit
		}
	}
	return -1
}

// permute4 permutes lanes of 4 bytes.
func (g *generator) permute4(v reg, by permutation) reg {
	switch by.exchanged(g.lanes) {
	case 0:
		return g.rvmi(amd64.VSHUFPS, v, v, 0xb1)
	case 1:
		return g.rvmi(amd64.VSHUFPS, v, v, 0x4e)
	case 2:
		return g.sixteens(v, 0xb1)
	case 3:
		return g.sixteens(v, 0x4e)
	}
	to := make([]int32, g.lanes)
	for i := range to {
		to[i] = int32(by[i]) & int32(g.lanes-1)
	}
	return g.rvm(amd64.VPERMD, g.laneConst(to), v)
}

// sixteens moves parts of 16 bytes, of which half as long a vector has only two.
func (g *generator) sixteens(v reg, imm int64) reg {
	if g.selects != nil {
		return g.rvmi(amd64.VPERM2I128, v, v, 1)
	}
	return g.rvmi(amd64.VSHUFF32X4, v, v, imm)
}

// permute8 permutes lanes of 8 bytes, which are in two registers.
func (x *nest) permute8(v [2]reg, by permutation) [2]reg {
	g := x.g
	half := g.lanes / 2
	bit := by.exchanged(g.lanes)
	var out [2]reg
	switch {
	case bit == g.laneBits-1:
		return [2]reg{v[1], v[0]}
	case bit >= 0:
		for h := range out {
			out[h] = g.exchange8(v[h], bit)
		}
		return out
	}
	for h := range out {
		var from [2]uint16 // lanes that come from either register
		to := make([]int32, g.lanes)
		for i := range half {
			lane := int(by[h*half+i]) & (g.lanes - 1)
			from[lane/half] |= 1 << i
			to[2*i], to[2*i+1] = int32(lane%half*2), int32(lane%half*2+1)
		}
		index := g.laneConst(to)
		switch {
		case from[1] == 0:
			out[h] = g.rvm(amd64.VPERMD, index, v[0])
		case from[0] == 0:
			out[h] = g.rvm(amd64.VPERMD, index, v[1])
		default:
			out[h] = g.blend(8, x.laneMask(from[1]), g.rvm(amd64.VPERMD, index, v[0]), g.rvm(amd64.VPERMD, index, v[1]))
		}
	}
	return out
}

// exchange8 exchanges lanes of 8 bytes within a register.
func (g *generator) exchange8(v reg, bit int) reg {
	switch bit {
	case 0:
		return g.rvmi(amd64.VSHUFPS, v, v, 0x4e)
	case 1:
		return g.sixteens(v, 0xb1)
	}
	return g.sixteens(v, 0x4e)
}

// bitLanes are the lanes in whose numbers a bit is set.
var bitLanes = [maxLaneBits]uint16{0xaaaa, 0xcccc, 0xf0f0, 0xff00}

// laneMask gives a constant mask, which is made once for a nest.
func (x *nest) laneMask(lanes uint16) reg {
	k, ok := x.laneMasks[lanes]
	if !ok {
		x.on(0, func() { k = x.g.lanesIn(lanes) })
		x.laneMasks[lanes] = k
	}
	return k
}
