package tile

import "math"

// A visitor is shown the fields of an attribute one after another, each with the value it
// has, and answers with the value it is to have. The printer answers with what it was shown;
// the parser with what it read, or what it was shown where the text says nothing.
type visitor interface {
	flag(name string, x bool) bool
	num(name string, u use, x int64) int64
	bits(name string, u use, x uint64) uint64 // written in hexadecimal
	text(name string, u use, x string) string
	// enum shows an enumeration; an empty name means that the value stands alone, as in {lts}.
	enum(name string, u use, x uint8, names []string) uint8
	// dims shows a number for each dimension, from 0 to limit.
	dims(name string, x [MaxRank]int64, limit int64) [MaxRank]int64
}

// A use says whether a field may be left out when it has its zero value.
type use bool

const (
	optional use = false
	required use = true
)

func enumField[E ~uint8](v visitor, name string, u use, x E, names []string) E {
	return E(v.enum(name, u, uint8(x), names))
}

func intField(v visitor, name string, u use, x int) int {
	return int(v.num(name, u, int64(x)))
}

func (a ConstAttr) fields(v visitor) Attr {
	a.Bits = v.bits("bits", required, a.Bits)
	return a
}

func (a CmpIAttr) fields(v visitor) Attr {
	a.Pred = enumField(v, "", required, a.Pred, cmpINames)
	return a
}

func (a CmpFAttr) fields(v visitor) Attr {
	a.Pred = enumField(v, "", required, a.Pred, cmpFNames)
	return a
}

func (a NaNAttr) fields(v visitor) Attr {
	a.Propagate = v.flag("propagate_nan", a.Propagate)
	return a
}

func (a RoundAttr) fields(v visitor) Attr {
	a.Mode = enumField(v, "", optional, a.Mode, roundNames)
	return a
}

func (a ExternAttr) fields(v visitor) Attr {
	a.Name = v.text("name", required, a.Name)
	return a
}

func (a AxisAttr) fields(v visitor) Attr {
	a.Axis = intField(v, "axis", required, a.Axis)
	return a
}

func (a ScanAttr) fields(v visitor) Attr {
	a.Axis = intField(v, "axis", required, a.Axis)
	a.Reverse = v.flag("reverse", a.Reverse)
	return a
}

func (a ReshapeAttr) fields(v visitor) Attr {
	a.CanReorder = v.flag("can_reorder", a.CanReorder)
	return a
}

func (a PermAttr) fields(v visitor) Attr {
	var wide [MaxRank]int64
	for i, o := range a.Order {
		wide[i] = int64(o)
	}
	for i, o := range v.dims("order", wide, MaxRank-1) {
		a.Order[i] = uint8(o)
	}
	return a
}

func (a RangeAttr) fields(v visitor) Attr {
	a.Start = v.num("start", required, a.Start)
	a.End = v.num("end", required, a.End)
	return a
}

func (a HintAttr) fields(v visitor) Attr {
	a.Kind = enumField(v, "", required, a.Kind, hintNames)
	a.Values = v.dims("values", a.Values, math.MaxInt64)
	return a
}

func (a LoadAttr) fields(v visitor) Attr {
	a.Cache = enumField(v, "cache", optional, a.Cache, cacheNames)
	a.Evict = enumField(v, "evict", optional, a.Evict, evictNames)
	a.Volatile = v.flag("volatile", a.Volatile)
	return a
}

func (a StoreAttr) fields(v visitor) Attr {
	a.Cache = enumField(v, "cache", optional, a.Cache, cacheNames)
	a.Evict = enumField(v, "evict", optional, a.Evict, evictNames)
	return a
}

func (a AtomicAttr) fields(v visitor) Attr {
	a.Kind = enumField(v, "", optional, a.Kind, atomicNames)
	a.Sem = enumField(v, "sem", optional, a.Sem, memSemNames)
	a.Scope = enumField(v, "scope", optional, a.Scope, memScopeNames)
	return a
}

func (a DotAttr) fields(v visitor) Attr {
	a.Precision = enumField(v, "", required, a.Precision, precisionNames)
	a.MaxImprecise = intField(v, "max_imprecise", optional, a.MaxImprecise)
	a.Unsigned = v.flag("unsigned", a.Unsigned)
	return a
}

func (a DotScaledAttr) fields(v visitor) Attr {
	a.A = enumField(v, "a", required, a.A, scaledNames)
	a.B = enumField(v, "b", required, a.B, scaledNames)
	a.ScaleA = v.flag("scale_a", a.ScaleA)
	a.ScaleB = v.flag("scale_b", a.ScaleB)
	a.PackM = v.flag("pack_m", a.PackM)
	a.PackN = v.flag("pack_n", a.PackN)
	a.FastMath = v.flag("fast_math", a.FastMath)
	return a
}

func (a DescReduceAttr) fields(v visitor) Attr {
	a.Kind = enumField(v, "", optional, a.Kind, atomicNames)
	return a
}

func (a ForAttr) fields(v visitor) Attr {
	a.Unsigned = v.flag("unsigned", a.Unsigned)
	a.NumStages = intField(v, "num_stages", optional, a.NumStages)
	a.Unroll = intField(v, "unroll", optional, a.Unroll)
	a.Flatten = v.flag("flatten", a.Flatten)
	a.WarpSpecialize = v.flag("warp_specialize", a.WarpSpecialize)
	a.NoMultiBuffer = v.flag("no_multi_buffer", a.NoMultiBuffer)
	a.NoLICM = v.flag("no_licm", a.NoLICM)
	return a
}

func (a CallAttr) fields(v visitor) Attr {
	a.Callee = v.text("callee", required, a.Callee)
	return a
}

func (a PrintAttr) fields(v visitor) Attr {
	a.Prefix = v.text("prefix", required, a.Prefix)
	a.Hex = v.flag("hex", a.Hex)
	a.Signed = v.bits("signed", optional, a.Signed)
	return a
}

func (a AssertAttr) fields(v visitor) Attr {
	a.Msg = v.text("msg", required, a.Msg)
	return a
}

func (a AsmAttr) fields(v visitor) Attr {
	a.Asm = v.text("asm", required, a.Asm)
	a.Constraints = v.text("constraints", required, a.Constraints)
	a.Pure = v.flag("pure", a.Pure)
	a.Pack = intField(v, "pack", required, a.Pack)
	return a
}

// fields shows what is known of a parameter. Its name is that of its value, unless the
// text says otherwise.
func (p Param) fields(v visitor, name use) Param {
	p.Name = v.text("name", name, p.Name)
	p.Divisibility = v.num("div", optional, p.Divisibility)
	p.Unsigned = v.flag("unsigned", p.Unsigned)
	p.ReadOnly = v.flag("readonly", p.ReadOnly)
	return p
}
