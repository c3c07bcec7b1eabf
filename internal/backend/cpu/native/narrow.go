package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Panels of narrow elements hold groups of as many k as 32 bits do: pairs of bf16 or i16, fours of i8. A row of the left operand is its elements as they are;
// the right operand has vectors of 16 columns, each lane a group.

// packNarrow fills a panel of narrow elements, strip by strip along a strand, as pack does.
func (g *generator) packNarrow(o *operand, base reg) {
	v := o.v
	p, group := o.panel, logOf(int64(4/o.panel.size))
	rows, cols, _ := dims(v.Type)
	switch {
	case o.left && o.across.n > 0:
		g.packColumns(o, base)
	case o.left || o.plain:
		unrolled := o.along.high(g.laneBits).low(logOf(maxUnrolled))
		k := g.startPacking(v.Type, p, base, o.along, unrolled)
		for n := range 1 << unrolled.n {
			at := k.at(k.first, unrolled, n)
			r := k.narrowStrip(v, at)
			k.on(k.depth(), func() { k.putNarrow(r, k.place(at)) })
		}
		k.end()
	case o.across.n > 0: // columns of 16 groups become vectors of 16 columns
		square, parts := cols.low(g.laneBits), rows.high(g.laneBits).low(group)
		k := g.startPacking(v.Type, p, base, rows, square, parts)
		k.groupsDown(square, 1<<(parts.n+g.laneBits-group), func(at view) reg {
			var strips []reg
			for n := range 1 << parts.n {
				strips = append(strips, k.narrowStrip(v, k.at(at, parts, n)))
			}
			r := none
			k.on(k.depth(), func() { r = g.assembled(p.size, strips) })
			return r
		}, p.k<<group)
		k.end()
	default: // rows of a group are interleaved
		low, unrolled := rows.low(group), cols.high(g.laneBits).low(logOf(maxUnrolled))
		k := g.startPacking(v.Type, p, base, cols, low, unrolled)
		for n := range 1 << unrolled.n {
			at := k.at(k.first, unrolled, n)
			var strips []reg
			for r := range 1 << group {
				strips = append(strips, k.narrowStrip(v, k.at(at, low, r)))
			}
			k.on(k.depth(), func() { g.store(amd64.VMOVUPSst, g.interleaved(strips, g.interleaving(len(strips))), k.place(at)) })
		}
		k.end()
	}
}

// narrowStrip gives 16 elements one after another in a register.
func (k *packing) narrowStrip(v *tile.Value, at view) reg {
	g, size := k.g, k.p.size
	if r := k.loadedNarrow(v, at); r != none {
		return r
	}
	d := k.eval(v, at)
	r := none
	k.on(k.depth(), func() {
		bits := k.toBits(v.Type.Scalar(), k.asVec(d)[0])
		if size == 2 {
			r = g.narrowed(amd64.VPMOVDW, bits, 0)
		} else {
			r = g.narrowed(amd64.VPMOVDB, bits, 0)
		}
	})
	return r
}

// loadedNarrow gives a strip of a load as it lies in memory, if it lies there so; else none.
func (k *packing) loadedNarrow(v *tile.Value, at view) reg {
	g := k.g
	v, at = g.source(v, at)
	if v.Op == nil || v.Op.Code != tile.OpLoad || g.bufs[v] != nil {
		return none
	}
	args := append(k.evalAll(v.Op.Args, at), nil, nil)
	ptr, mask, other := args[0], args[1], args[2]
	if !ptr.affine || ptr.step != int64(k.p.size) || mask != nil && mask.known || other != nil && (!other.known || other.bits != 0) {
		return none
	}
	i := ins(amd64.VMOVDQU16)
	i.L = amd64.Y
	if k.p.size == 1 {
		i.Op, i.L = amd64.VMOVDQU8, amd64.X
	}
	k.on(k.depth(), func() {
		i.A, i.HasMem, i.M = g.vec(), true, amd64.At(ptr.g, int32(ptr.off))
		if mask != nil {
			i.K, i.Zero = k.asMask(mask), true
		}
		g.emit(i)
	})
	return i.A
}

func (k *packing) putNarrow(r reg, m amd64.Mem) {
	i := ins(amd64.VMOVDQU16st)
	i.L = amd64.Y
	if k.p.size == 1 {
		i.Op, i.L = amd64.VMOVDQU8st, amd64.X
	}
	i.A, i.HasMem, i.M = r, true, m
	k.g.emit(i)
}

// assembled gives strips one after another as a vector.
func (g *generator) assembled(size int, strips []reg) reg {
	r := strips[0]
	if size == 2 && len(strips) == 2 {
		return g.joined(r, strips[1])
	}
	for n, s := range strips[1:] {
		r = g.rvmi(amd64.VINSERTI32X4, r, s, int64(n+1))
	}
	return r
}

// interleaving gives the order that interleaved puts elements in.
func (g *generator) interleaving(group int) reg {
	var order []byte
	for n := range 64 / (4 / group) {
		from := n%group*16 + n/group
		order = append(order, byte(from))
		if group == 2 {
			order = append(order, 0)
		}
	}
	idx := g.vec()
	g.load(amd64.VMOVUPS, idx, g.constant(64, order))
	return idx
}

// interleaved gives strips as a vector of groups: the first elements of all, the second ones, and so on.
func (g *generator) interleaved(strips []reg, order reg) reg {
	op := amd64.VPERMW
	if len(strips) == 4 {
		op = amd64.VPERMB
	}
	return g.rvm(op, order, g.assembled(4/len(strips), strips))
}
