package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An affine value in a loop over strips is mostly a sum of what the loop does not change and of its counter: pointer + row·stride + start + column. Where a nest is
// apart, the two are kept in registers of their own, and added up where memory is accessed, which costs nothing:
//
//	base  = x + 4·(row·stride + start)     before the loop
//	[base + 4·counter + 64·strip]          in it
//
// So the sum of offsets of 32 bits is taken not to wrap around within a loop's strips, as it is from lane to lane: it is the address that matters. What needs
// the number itself adds the parts in its width.

// addressed gives an affine value's element of lane 0, with off for the constant part.
func (x *nest) addressed(v *val, off int64) reg {
	g := x.g
	i := ins(amd64.LEA)
	i.A, i.HasMem, i.M = g.gpr(), true, amd64.Mem{Base: v.base, Index: v.g, Scale: v.scale}
	if int64(int32(off)) == off {
		i.M.Disp, off = int32(off), 0
	}
	g.emit(i)
	r := i.A
	if off != 0 {
		r = g.addImm(8, r, off)
	}
	if v.width() == 8 {
		return r
	}
	low := g.gpr()
	g.op3(amd64.MOVL, low, r, none, 0)
	return low
}

// whole gives an affine value in one register, less off.
func (x *nest) whole(v *val) reg {
	if v.base == none {
		return v.g
	}
	if v.scale == 1 && v.width() == 4 {
		r := none
		x.on(v.level, func() { r = x.combined(tile.OpAdd, 4, v.base, v.g) })
		return r
	}
	r := none
	x.on(v.level, func() { r = x.sum(v.base, v.g, v.scale) })
	return r
}

// joinedVal gives an affine value whose parts are added up.
func (x *nest) joinedVal(v *val) *val {
	if v.base == none {
		return v
	}
	d := *v
	d.g, d.base, d.scale = x.whole(v), none, 0
	return &d
}

// operand gives the memory that an affine pointer leads to, some bytes on.
func (v *val) operand(disp int64) amd64.Mem {
	if v.base == none {
		return amd64.At(v.g, int32(v.off+disp))
	}
	return amd64.Mem{Base: v.base, Index: v.g, Scale: v.scale, Disp: int32(v.off + disp)}
}

// outside reports whether a value does not change in the innermost loop of a nest that keeps such apart.
func (x *nest) outside(v *val) bool { return x.apart && v.level < x.depth() && !v.affine }

// counts reports whether a register is a loop's counter, which is never negative and 0 above 32 bits.
func (x *nest) counts(r reg) bool {
	for _, c := range x.counters {
		if c == r && r != none {
			return true
		}
	}
	return false
}

// plus adds a number that the innermost loop does not change to an affine one of its width.
func (x *nest) plus(d, a, u *val) bool {
	if !x.outside(u) || a.level != x.depth() {
		return false
	}
	w := d8(d.t)
	d.g, d.base, d.baseAt, d.scale = a.g, x.asGPR(u), u.level, 1
	if a.base != none {
		d.baseAt = max(u.level, a.baseAt)
		x.on(d.baseAt, func() { d.base = x.combined(tile.OpAdd, w, a.base, d.base) })
	}
	return true
}

// extendedParts extends the parts of an affine number of 32 bits to 64.
func (x *nest) extendedParts(d, a *val, signed bool) {
	d.off, d.base, d.baseAt, d.scale = a.off, a.base, a.baseAt, a.scale
	d.g = a.g
	if !signed {
		return
	}
	x.on(a.baseAt, func() { d.base = x.extended(a.base) })
	if !x.counts(a.g) {
		x.on(a.level, func() { d.g = x.extended(a.g) })
	}
}

// pointed adds an offset to a pointer, of which one changes in the innermost loop; it reports false where they are not kept apart.
func (x *nest) pointed(d, p, o *val, size int64) bool {
	switch {
	case p.affine && p.base != none && x.outside(o):
		d.g, d.scale = p.g, p.scale
		if c, ok := o.constant(); ok {
			d.base, d.baseAt, d.off = p.base, p.baseAt, p.off+c*size
			return max(d.off, -d.off) < maxOff
		}
		d.baseAt = max(p.baseAt, o.level)
		x.on(d.baseAt, func() { d.base = x.sum(p.base, x.widen(o, true), uint8(size)) })
		return true
	case o.affine && o.level == x.depth() && (x.outside(p) || x.apart && p.affine && p.base == none && p.level < x.depth()):
		d.base, d.baseAt, d.g, d.scale = p.g, p.level, o.g, uint8(size)
		if !p.affine {
			d.base = x.asGPR(p)
		}
		narrow := o.t.ElemBits() == 32
		if narrow && !x.counts(o.g) {
			x.on(o.level, func() { d.g = x.extended(o.g) })
		}
		if o.base == none {
			return true
		}
		d.baseAt = max(p.level, o.baseAt)
		x.on(d.baseAt, func() {
			off := o.base
			if narrow {
				off = x.extended(off)
			}
			d.base = x.sum(d.base, off, uint8(size))
		})
		return true
	}
	return false
}
