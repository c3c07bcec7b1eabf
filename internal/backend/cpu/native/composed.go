package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// Library functions that are a few other operations. They are made of values, not of instructions, so each part is computed in
// the cheapest form: in general registers what is the same for all lanes.

// made computes an operation of which nothing counts but the operands' values.
func (x *nest) made(c tile.Code, attr tile.Attr, to tile.Elem, in ...*val) *val {
	op := &tile.Op{Code: c, Attr: attr, Loc: x.g.loc, Results: []*tile.Value{{Type: tile.Scalar(to)}}}
	for _, v := range in {
		op.Args = append(op.Args, &tile.Value{Type: v.t})
	}
	return x.apply(op, in)
}

// A compound writes operations on values of one type of integers or floats.
type compound struct {
	x *nest
	e tile.Elem
}

func (c compound) bits() uint64 { return uint64(c.e.Bits()) }

func (c compound) of(code tile.Code, in ...*val) *val { return c.x.made(code, nil, c.e, in...) }

// as gives the writer for another type.
func (c compound) as(e tile.Elem) compound { return compound{c.x, e} }

// word gives an integer constant.
func (c compound) word(bits uint64) *val {
	if n := c.e.Bits(); n < 64 {
		bits &= 1<<n - 1
	}
	return constVal(tile.Scalar(c.e), bits)
}

// number gives a float constant.
func (c compound) number(f float64) *val { return constVal(tile.Scalar(c.e), c.e.DType().Encode(f)) }

func (c compound) add(a, b *val) *val            { return c.of(tile.OpAdd, a, b) }
func (c compound) sub(a, b *val) *val            { return c.of(tile.OpSub, a, b) }
func (c compound) mul(a, b *val) *val            { return c.of(tile.OpMul, a, b) }
func (c compound) and(a, b *val) *val            { return c.of(tile.OpAnd, a, b) }
func (c compound) or(a, b *val) *val             { return c.of(tile.OpOr, a, b) }
func (c compound) xor(a, b *val) *val            { return c.of(tile.OpXor, a, b) }
func (c compound) shl(a *val, n uint64) *val     { return c.of(tile.OpShl, a, c.word(n)) }
func (c compound) shr(a *val, n uint64) *val     { return c.of(tile.OpShrU, a, c.word(n)) }
func (c compound) sar(a *val, n uint64) *val     { return c.of(tile.OpShrS, a, c.word(n)) }
func (c compound) either(k, a, b *val) *val      { return c.of(tile.OpSelect, k, a, b) }
func (c compound) cast(o tile.Code, a *val) *val { return c.of(o, a) }

func (c compound) compare(p tile.CmpI, a, b *val) *val {
	return c.x.made(tile.OpCmpI, tile.CmpIAttr{Pred: p}, tile.I1, a, b)
}

func (c compound) compareF(p tile.CmpF, a, b *val) *val {
	return c.x.made(tile.OpCmpF, tile.CmpFAttr{Pred: p}, tile.I1, a, b)
}

// library calls a function of the library that has code of its own.
func (c compound) library(name string, in ...*val) *val {
	return c.x.made(tile.OpExtern, tile.ExternAttr{Name: name}, c.e, in...)
}

// compositions are the functions by name; to is the result's type, and the writer's.
var compositions map[string]func(c compound, in []*val) *val

func init() { // not where it is declared, as the functions refer to it by way of what they call
	compositions = map[string]func(c compound, in []*val) *val{
		"popc": func(c compound, in []*val) *val { return c.count(in[0], func(w compound) *val { return in[0] }) },
		"clz": func(c compound, in []*val) *val {
			return c.count(in[0], func(w compound) *val { return w.aboveTop(in[0]) })
		},
		"ffs": func(c compound, in []*val) *val {
			w := c.as(in[0].t.Elem())
			n := c.count(in[0], func(w compound) *val { return w.xor(in[0], w.sub(in[0], w.word(1))) })
			return c.either(w.compare(tile.EQ, in[0], w.word(0)), c.word(0), n)
		},
		"brev":      func(c compound, in []*val) *val { return c.reversed(in[0]) },
		"byte_perm": bytePerm,
		"hadd":      func(c compound, in []*val) *val { return c.add(c.and(in[0], in[1]), c.sar(c.xor(in[0], in[1]), 1)) },
		"uhadd":     func(c compound, in []*val) *val { return c.add(c.and(in[0], in[1]), c.shr(c.xor(in[0], in[1]), 1)) },
		"rhadd":     func(c compound, in []*val) *val { return c.sub(c.or(in[0], in[1]), c.sar(c.xor(in[0], in[1]), 1)) },
		"urhadd":    func(c compound, in []*val) *val { return c.sub(c.or(in[0], in[1]), c.shr(c.xor(in[0], in[1]), 1)) },
		"mul24":     func(c compound, in []*val) *val { return c.mul(c.sar(c.shl(in[0], 8), 8), c.sar(c.shl(in[1], 8), 8)) },
		"umul24": func(c compound, in []*val) *val {
			return c.mul(c.and(in[0], c.word(1<<24-1)), c.and(in[1], c.word(1<<24-1)))
		},
		"umulhi": func(c compound, in []*val) *val { return c.of(tile.OpMulHiU, in...) },
		"mulhi":  mulHi,
		"sad": func(c compound, in []*val) *val {
			return c.add(c.sub(c.of(tile.OpMaxS, in[:2]...), c.of(tile.OpMinS, in[:2]...)), in[2])
		},
		"usad": func(c compound, in []*val) *val {
			return c.add(c.sub(c.of(tile.OpMaxU, in[:2]...), c.of(tile.OpMinU, in[:2]...)), in[2])
		},

		"double2loint": func(c compound, in []*val) *val {
			return c.cast(tile.OpTrunc, c.as(tile.I64).cast(tile.OpBitcast, in[0]))
		},
		"double2hiint": func(c compound, in []*val) *val {
			w := c.as(tile.I64)
			return c.cast(tile.OpTrunc, w.shr(w.cast(tile.OpBitcast, in[0]), 32))
		},
		"hiloint2double": func(c compound, in []*val) *val { return c.cast(tile.OpBitcast, c.as(tile.I64).joined(in[0], in[1])) },
		"rcp64h": func(c compound, in []*val) *val {
			w := c.as(tile.I64)
			inverse := c.of(tile.OpFDiv, c.number(1), in[0])
			return c.cast(tile.OpBitcast, w.and(w.cast(tile.OpBitcast, inverse), w.word(0xffffffff<<32)))
		},

		"llrint":    func(c compound, in []*val) *val { return c.whole(tile.OpFToS, "rint", in[0]) },
		"llround":   func(c compound, in []*val) *val { return c.whole(tile.OpFToS, "round", in[0]) },
		"ilogb":     ilogb,
		"nextafter": nextAfter,
		"ldexp":     ldexp,
		"scalbn":    ldexp,
		"remainder": remainder,
	}
	for suffix, name := range map[string]string{"_rn": "rint", "_rd": "floor", "_ru": "ceil", "_rz": "trunc"} {
		for _, from := range []string{"double2", "float2"} {
			if from == "double2" {
				compositions[from+"int"+suffix] = func(c compound, in []*val) *val { return c.whole(tile.OpFToS, name, in[0]) }
				compositions[from+"uint"+suffix] = func(c compound, in []*val) *val { return c.whole(tile.OpFToU, name, in[0]) }
			}
			compositions[from+"ll"+suffix] = func(c compound, in []*val) *val { return c.whole(tile.OpFToS, name, in[0]) }
			compositions[from+"ull"+suffix] = func(c compound, in []*val) *val { return c.whole(tile.OpFToU, name, in[0]) }
		}
	}
}

// composed computes a library function that is made of others.
func (x *nest) composed(op *tile.Op, args []*val) (*val, bool) {
	name := op.Attr.(tile.ExternAttr).Name
	c := compound{x, op.Results[0].Type.Elem()}
	switch {
	case name == "abs" && args[0].t.IsInt():
		return c.of(tile.OpAbsI, args[0]), true
	case name == "pow" && args[1].t.IsInt():
		return powInt(c, args), true
	}
	f, ok := compositions[name]
	if !ok {
		return nil, false
	}
	return f(c, args), true
}

// count gives how many bits are set in what of makes of a word, as an i32 (H. S. Warren, "Hacker's Delight", 2002, 5-1).
func (c compound) count(in *val, of func(w compound) *val) *val {
	w := c.as(in.t.Elem())
	byteOf := func(b uint64) *val { return w.word(b * 0x0101010101010101) }
	v := of(w)
	v = w.sub(v, w.and(w.shr(v, 1), byteOf(0x55)))
	v = w.add(w.and(v, byteOf(0x33)), w.and(w.shr(v, 2), byteOf(0x33)))
	v = w.and(w.add(v, w.shr(v, 4)), byteOf(0x0f))
	v = w.shr(w.mul(v, byteOf(1)), w.bits()-8)
	if w.e == c.e {
		return v
	}
	return c.cast(tile.OpTrunc, v)
}

// aboveTop gives a word with the bits above its highest one set.
func (c compound) aboveTop(v *val) *val {
	for n := uint64(1); n < c.bits(); n *= 2 {
		v = c.or(v, c.shr(v, n))
	}
	return c.xor(v, c.word(math.MaxUint64))
}

// reversed exchanges neighbouring bits, pairs of them, and so on.
func (c compound) reversed(v *val) *val {
	for n := uint64(1); n < c.bits(); n *= 2 {
		mask := uint64(math.MaxUint64) / (1<<n + 1) // n ones, n zeros, …
		v = c.or(c.and(c.shr(v, n), c.word(mask)), c.shl(c.and(v, c.word(mask)), n))
	}
	return v
}

// joined gives two words of 32 bits as one.
func (c compound) joined(high, low *val) *val {
	return c.or(c.shl(c.cast(tile.OpExtU, high), 32), c.cast(tile.OpExtU, low))
}

func bytePerm(c compound, in []*val) *val {
	w := c.as(tile.I64)
	from := w.joined(in[1], in[0])
	r := c.word(0)
	for i := range uint64(4) {
		n := c.shl(c.and(c.shr(in[2], 4*i), c.word(7)), 3)
		b := w.and(w.of(tile.OpShrU, from, w.cast(tile.OpExtU, n)), w.word(0xff))
		r = c.or(r, c.shl(c.cast(tile.OpTrunc, b), 8*i))
	}
	return r
}

// mulHi takes what a set sign bit stands for too much off the product of unsigned numbers.
func mulHi(c compound, in []*val) *val {
	hi := c.of(tile.OpMulHiU, in...)
	for i := range in {
		hi = c.sub(hi, c.and(c.sar(in[i], c.bits()-1), in[1-i]))
	}
	return hi
}

// whole rounds and converts to an integer, of which NaN becomes the sign bit, where either type has 64 bits.
func (c compound) whole(convert tile.Code, round string, v *val) *val {
	f := c.as(v.t.Elem())
	n := c.cast(convert, f.library(round, v))
	return c.either(f.compareF(tile.UNO, v, v), c.word(1<<(c.bits()-1)), n)
}

// ilogb is that of 0, and of infinities, by saturation.
func ilogb(c compound, in []*val) *val {
	f := c.as(in[0].t.Elem())
	n := c.cast(tile.OpFToS, f.library("logb", in[0]))
	return c.either(f.compareF(tile.UNO, in[0], in[0]), c.word(1<<31), n)
}

// asWord gives the type of a float's bits.
func (c compound) asWord() compound {
	if c.e == tile.F64 {
		return c.as(tile.I64)
	}
	return c.as(tile.I32)
}

// nextAfter goes up or down by one in the order of the bits, which from 0 on, of either sign, is that of the size.
func nextAfter(c compound, in []*val) *val {
	w, v, y := c.asWord(), in[0], in[1]
	bits := w.cast(tile.OpBitcast, v)
	grows := c.x.made(tile.OpCmpI, tile.CmpIAttr{Pred: tile.EQ}, tile.I1, c.compareF(tile.OGT, y, v), c.compareF(tile.OGT, v, c.number(0)))
	next := w.either(grows, w.add(bits, w.word(1)), w.sub(bits, w.word(1)))
	sign := w.and(w.cast(tile.OpBitcast, y), w.word(1<<(c.bits()-1)))
	next = w.either(c.compareF(tile.OEQ, v, c.number(0)), w.or(sign, w.word(1)), next)
	next = w.either(c.compareF(tile.OEQ, v, y), bits, next)
	return c.either(c.compareF(tile.UNO, v, y), c.number(math.NaN()), c.cast(tile.OpBitcast, next))
}

// inF64 computes a function of f64 for either type: numbers of f32 are exact there.
func (c compound) inF64(in []*val, f func(c compound, in []*val) *val) *val {
	if c.e == tile.F64 {
		return f(c, in)
	}
	w := c.as(tile.F64)
	wide := make([]*val, len(in))
	for i, v := range in {
		if wide[i] = v; v.t.IsFloat() {
			wide[i] = w.cast(tile.OpFExt, v)
		}
	}
	return c.x.made(tile.OpFTrunc, tile.RoundAttr{Mode: tile.NearestEven}, c.e, f(w, wide))
}

func powInt(c compound, in []*val) *val {
	return c.inF64(in, func(w compound, in []*val) *val { return w.library("pow", in[0], w.cast(tile.OpSToF, in[1])) })
}

// ldexp multiplies by powers of two, of which the last alone may lose digits: before it, what goes down far stays 53 binary places above the smallest normal
// number.
func ldexp(c compound, in []*val) *val {
	return c.inF64(in, func(w compound, in []*val) *val {
		n, i := w.as(tile.I32), in[1]
		word := func(k int64) *val { return n.word(uint64(k)) }
		v := in[0]
		for range 2 {
			up, down := n.compare(tile.GTS, i, word(1023)), n.compare(tile.LTS, i, word(-1022))
			v = w.either(up, w.of(tile.OpFMul, v, w.number(0x1p1023)), v)
			v = w.either(down, w.of(tile.OpFMul, v, w.number(0x1p-969)), v)
			i = n.either(up, n.of(tile.OpMinS, n.sub(i, word(1023)), word(3000)), n.either(down, n.of(tile.OpMaxS, n.add(i, word(969)), word(-3000)), i))
		}
		i = n.of(tile.OpMaxS, n.of(tile.OpMinS, i, word(1023)), word(-1022))
		b := w.asWord()
		power := b.shl(b.cast(tile.OpExtS, n.add(i, word(1023))), 52)
		return w.of(tile.OpFMul, v, w.cast(tile.OpBitcast, power))
	})
}

// remainder brings the remainder of 2y, which is exact, to y/2 at most.
func remainder(c compound, in []*val) *val {
	return c.inF64(in, func(w compound, in []*val) *val {
		b := w.asWord()
		v, y := w.of(tile.OpAbsF, in[0]), w.of(tile.OpAbsF, in[1])
		r := w.of(tile.OpFRem, v, w.of(tile.OpFAdd, y, y))
		more := w.compareF(tile.OGT, w.of(tile.OpFAdd, r, r), y)
		less := w.of(tile.OpFSub, r, y)
		again := w.compareF(tile.OGE, w.of(tile.OpFAdd, less, less), y)
		r = w.either(more, w.either(again, w.of(tile.OpFSub, less, y), less), r)
		sign := b.and(b.cast(tile.OpBitcast, in[0]), b.word(1<<63))
		return w.cast(tile.OpBitcast, b.xor(b.cast(tile.OpBitcast, r), sign))
	})
}
