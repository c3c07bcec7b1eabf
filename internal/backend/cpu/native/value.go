package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A val is what a value is on one strip, the elements of a tile that are worked on at a time, in one or more forms that are made as they are asked for.
//
// In vector registers every element of at most 32 bits takes a lane of 32: integers
// zero-extended, f16 and bf16 as the f32 of equal value, float8 as its bits. Elements of 64 bits take two registers. An i1 is
// a mask register. A value that is the same in all lanes may be in a general
// register (integers zero-extended to 64 bits); one that goes up by a constant from lane to
// lane may be known by its first element and the step.
type val struct {
	t     tile.Type // of an element
	level int       // of the loop nest where it is computed
	uni   bool      // the same in all lanes

	known bool // a constant, whose bits are zero-extended
	bits  uint64

	g      reg // uniform: the element; affine: that of lane 0, less off and what base holds
	affine bool
	base   reg   // affine: what is added to g·scale, computed at a level of its own; none: nothing
	baseAt int   // … that level
	scale  uint8 // … 1 but for pointers
	zero   bool  // affine: what g holds is 0
	off    int64
	step   int64
	// apart computes the lanes where an extension of 32 bits may be among what the value is made of: 32 bits may wrap around from lane to lane, which the step does
	// not tell. Addresses are taken not to. nil: the step tells.
	apart func() *val

	v [2]reg
	k reg

	from  *tile.Value // of a tile that it is a strip of, if that is known
	quiet bool        // no lane is a signaling NaN

	shared bool // lives longer than the code that asks: forms are not kept
}

func newVal(t tile.Type) *val {
	return &val{t: t.Scalar(), g: none, base: none, k: none, v: [2]reg{none, none}}
}

func constVal(t tile.Type, bits uint64) *val {
	v := newVal(t)
	v.uni, v.known, v.bits = true, true, bits
	return v
}

func (v *val) width() int {
	if v.t.ElemBits() == 64 {
		return 8
	}
	return 4
}

func halves(t tile.Type) int {
	if t.ElemBits() == 64 {
		return 2
	}
	return 1
}

// isInt reports whether general registers hold the value.
func isInt(t tile.Type) bool { return !t.IsFloat() || isFP8(t) }

// isFP8 reports whether lanes hold the bits of a float8.
func isFP8(t tile.Type) bool { return t.IsFloat() && t.Elem().IsFP8() }

func signExtend(bits uint64, w int) int64 { return int64(bits<<(64-w)) >> (64 - w) }

// constant gives a known value, sign-extended.
func (v *val) constant() (int64, bool) {
	if !v.known || v.t.IsFloat() {
		return 0, false
	}
	return signExtend(v.bits, v.t.ElemBits()), true
}

// asGPR gives a uniform value's element (of floats the bits).
func (x *nest) asGPR(v *val) reg {
	if v.g != none && !v.affine {
		return v.g
	}
	g := x.g
	r := none
	x.on(v.level, func() {
		r = g.gpr()
		switch {
		case v.known:
			g.movImm(r, v.bits)
		case v.t.IsBool():
			g.op3(amd64.KMOVtoG, r, v.k, none, 0)
			g.op3(amd64.ANDLI, r, none, none, 1)
		case v.width() == 8:
			i := ins(amd64.VMOVQtoG)
			i.A, i.B, i.L = v.v[0], r, amd64.X
			g.emit(i)
		default:
			i := ins(amd64.VMOVDtoG)
			i.A, i.B, i.L = v.v[0], r, amd64.X
			g.emit(i)
		}
	})
	if !v.shared {
		v.g = r
	}
	return r
}

func (g *generator) movImm(r reg, bits uint64) { g.op3(amd64.MOVI, r, none, none, int64(bits)) }

// asVec gives a value's vector registers.
func (x *nest) asVec(v *val) [2]reg {
	if v.v[0] != none {
		return v.v
	}
	g := x.g
	var out [2]reg
	x.on(v.level, func() {
		switch {
		case v.t.IsBool():
			g.refuse("an i1 as a number in %s", x.g.at.Code)
		case v.known:
			r := g.splatBits(v.width(), x.laneBits(v))
			out = [2]reg{r, r}
		case v.affine && v.apart != nil:
			out = x.asVec(v.apart())
		case v.affine:
			out = x.affineVec(v)
		case v.width() == 8:
			r := g.rm(amd64.VPBROADCASTQfromG, v.g)
			out = [2]reg{r, r}
		default:
			r := g.rm(amd64.VPBROADCASTDfromG, v.g)
			out = [2]reg{r, none}
		}
	})
	if !v.shared {
		v.v = out
	}
	return out
}

// laneBits gives a constant's bits as a lane holds them.
func (x *nest) laneBits(v *val) uint64 {
	switch v.t.Elem() {
	case tile.F16, tile.BF16:
		if !v.t.IsPtr() {
			return tile.F32.DType().Encode(v.t.Elem().DType().Decode(v.bits))
		}
	}
	return v.bits
}

func (x *nest) affineVec(v *val) [2]reg {
	g := x.g
	if v.zero && v.width() == 4 {
		all := make([]int32, g.lanes)
		for i := range all {
			all[i] = int32(v.off + int64(i)*v.step)
		}
		return [2]reg{x.normal(v.t, g.laneConst(all)), none}
	}
	first := x.affineFirst(v, 0)
	if v.width() == 4 {
		steps := make([]int32, g.lanes)
		for i := range steps {
			steps[i] = int32(int64(i) * v.step)
		}
		r := g.rm(amd64.VPBROADCASTDfromG, first)
		return [2]reg{x.normal(v.t, g.rvm(amd64.VPADDD, r, g.laneConst(steps))), none}
	}
	var out [2]reg
	r := g.rm(amd64.VPBROADCASTQfromG, first)
	for h := range out {
		steps := make([]int64, g.lanes/2)
		for i := range steps {
			steps[i] = int64(h*g.lanes/2+i) * v.step
		}
		out[h] = g.rvm(amd64.VPADDQ, r, g.quadConst(steps))
	}
	return out
}

// affineFirst gives an affine value's element of lane 0.
func (x *nest) affineFirst(v *val, extra int64) reg {
	off := v.off + extra
	if v.base != none {
		return x.addressed(v, off)
	}
	if off == 0 {
		return v.g
	}
	return x.g.addImm(v.width(), v.g, off)
}

// asMask gives the mask register of an i1.
func (x *nest) asMask(v *val) reg {
	if v.k != none {
		return v.k
	}
	g := x.g
	k := none
	x.on(v.level, func() {
		k = g.mask()
		switch {
		case v.known && v.bits != 0:
			g.op3(amd64.KXNOR, k, k, k, 0)
		case v.known:
			g.op3(amd64.KXOR, k, k, k, 0)
		default:
			r := g.gpr()
			g.op3(amd64.MOVL, r, v.g, none, 0)
			g.op3(amd64.NEGL, r, none, none, 0)
			g.op3(amd64.KMOVfromG, k, r, none, 0)
		}
	})
	if !v.shared {
		v.k = k
	}
	return k
}

// upper gives the mask of the second half of a strip.
func (g *generator) upper(k reg) reg { return g.kop(amd64.KSHIFTR, k, none, int64(g.lanes/2)) }

// addImm adds a constant to a general register.
func (g *generator) addImm(w int, a reg, c int64) reg {
	d := g.gpr()
	if int64(int32(c)) != c {
		g.movImm(d, uint64(c))
		g.op3(amd64.ADD, d, a, none, 0)
		return d
	}
	i := ins(amd64.LEA)
	i.A, i.HasMem, i.M = d, true, amd64.At(a, int32(c))
	g.emit(i)
	if w == 4 {
		e := g.gpr()
		g.op3(amd64.MOVL, e, d, none, 0)
		return e
	}
	return d
}

// normal clears what is above an integer's width in its lanes.
func (x *nest) normal(t tile.Type, v reg) reg {
	if t.IsFloat() || t.ElemBits() >= 32 {
		return v
	}
	g := x.g
	return g.rvm(amd64.VPANDD, v, g.splatBits(4, 1<<t.ElemBits()-1))
}

// signed gives lanes with an integer's sign extended.
func (x *nest) signed(t tile.Type, v reg) reg {
	if t.ElemBits() >= 32 {
		return v
	}
	g, n := x.g, int64(32-t.ElemBits())
	return g.rmi(amd64.VPSRAD, g.rmi(amd64.VPSLLD, v, n), n)
}
