package cuda

import (
	"strconv"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

func (e *emitter) readParam(op *lir.Op) {
	t := op.Results[0].Type
	e.ins("ld.param.b", widths[t.Bits()], " ", e.def(op.Results[0]), ", [param", strconv.Itoa(int(op.Imm)), "]")
}

func (e *emitter) compare(op *lir.Op) {
	p, s := tile.CmpI(op.Mod), asUnsigned
	if p >= tile.LTS && p <= tile.GES {
		s = asSigned
	}
	x := e.use(op.Args[0])
	if op.Args[0].IsConst() {
		x = e.reg(op.Args[0])
	}
	e.ins("setp", comparisons[p], ".", s.of(op.Args[0].Type), " ", e.def(op.Results[0]), ", ", x, ", ", e.use(op.Args[1]))
}

// integral are the roundings to an integer.
var integral = [...]string{lir.Fused: ".rni", lir.Nearest: ".rni", lir.Zero: ".rzi", lir.Up: ".rpi", lir.Down: ".rmi"}

func (e *emitter) roundTo(op *lir.Op) {
	t := asFloat.of(op.Args[0].Type)
	x := e.reg(op.Args[0])
	e.ins("cvt", integral[op.Mod], ".", t, ".", t, " ", e.def(op.Results[0]), ", ", x)
}

// renames reports whether the result of an operation lies in its operand's register, which both have from then on.
func renames(op *lir.Op) bool {
	switch op.Code {
	case lir.OpBitcast:
		return true
	case lir.OpTrunc:
		return classOf(op.Args[0].Type) == classOf(op.Results[0].Type)
	}
	return false
}

// truncate: an i8 is the lower half of a register of 16 bits; what is above it is not looked at.
func (e *emitter) truncate(op *lir.Op) {
	x, from, to := e.reg(op.Args[0]), op.Args[0].Type, op.Results[0].Type
	if to == lir.I1 {
		c := classOf(from)
		low := e.fresh(c)
		e.ins("and.", classInfo[c].typ, " ", low, ", ", x, ", 1")
		e.ins("setp.ne.u", classInfo[c].typ[1:], " ", e.def(op.Results[0]), ", ", low, ", 0")
		return
	}
	if renames(op) {
		e.alias(op.Results, []string{x})
		return
	}
	width := classInfo[classOf(to)].typ[1:]
	e.ins("cvt.u", width, ".u", widths[from.Bits()], " ", e.def(op.Results[0]), ", ", x)
}

func (e *emitter) extend(op *lir.Op) {
	x, from, to := e.reg(op.Args[0]), op.Args[0].Type, op.Results[0].Type
	if from == lir.I1 {
		one := "1"
		if op.Code == lir.OpExtS {
			one = "-1"
		}
		e.ins("selp.", classInfo[classOf(to)].typ, " ", e.def(op.Results[0]), ", ", one, ", 0, ", x)
		return
	}
	s := asUnsigned
	if op.Code == lir.OpExtS {
		s = asSigned
	}
	e.ins("cvt.", s.of(to), ".", s.of(from), " ", e.def(op.Results[0]), ", ", x)
}

// convert writes conversions from and to floats.
func (e *emitter) convert(op *lir.Op) {
	x, from, to := e.reg(op.Args[0]), op.Args[0].Type, op.Results[0].Type
	r, f, t := exact(op), asFloat, asFloat
	switch op.Code {
	case lir.OpFExt:
		r = ""
	case lir.OpSToF:
		f = asSigned
	case lir.OpUToF:
		f = asUnsigned
	case lir.OpFToS:
		r, t = integral[op.Mod], asSigned
	case lir.OpFToU:
		r, t = integral[op.Mod], asUnsigned
	}
	e.ins("cvt", r, ".", t.of(to), ".", f.of(from), " ", e.def(op.Results[0]), ", ", x)
	if (from == lir.F64 || to == lir.I64) && (op.Code == lir.OpFToS || op.Code == lir.OpFToU) { // NaN gives the lowest integer
		isNaN, n := e.fresh(predicates), e.names[op.Results[0].ID]
		e.ins("setp.nan.", asFloat.of(from), " ", isNaN, ", ", x, ", ", x)
		e.ins("selp.", classInfo[classOf(to)].typ, " ", e.def(op.Results[0]), ", 0, ", n, ", ", isNaN)
	}
}

func (e *emitter) bitcast(op *lir.Op) { e.alias(op.Results, []string{e.reg(op.Args[0])}) }

func (e *emitter) toF8(op *lir.Op) {
	lo, hi := e.reg(op.Args[0]), e.reg(op.Args[1])
	e.ins("cvt.rn.satfinite.", lir.F8(op.Mod).String(), "x2.f32 ", e.def(op.Results[0]), ", ", hi, ", ", lo)
}

func (e *emitter) fromF8(op *lir.Op) {
	x := e.reg(op.Args[0])
	e.ins("cvt.rn.f16x2.", lir.F8(op.Mod).String(), "x2 ", e.def(op.Results[0]), ", ", x)
}

func (e *emitter) packF16(op *lir.Op) {
	lo, hi := e.reg(op.Args[0]), e.reg(op.Args[1])
	if e.arch.Number < 80 { // one after another, and only f16
		l, h := e.fresh(halves), e.fresh(halves)
		e.ins("cvt.rn.f16.f32 ", l, ", ", lo)
		e.ins("cvt.rn.f16.f32 ", h, ", ", hi)
		e.ins("mov.b32 ", e.def(op.Results[0]), ", {", l, ", ", h, "}")
		return
	}
	kind := "cvt.rn.f16x2.f32 "
	if op.Mod == 1 {
		kind = "cvt.rn.bf16x2.f32 "
	}
	e.ins(kind, e.def(op.Results[0]), ", ", hi, ", ", lo)
}

// packBits puts values of 8 or 16 bits into one register of 32.
func (e *emitter) packBits(op *lir.Op) { e.alias(op.Results, e.pack(op.Args, 1, words)) }

func (e *emitter) choose(op *lir.Op) {
	p, x, y := e.reg(op.Args[0]), e.use(op.Args[1]), e.use(op.Args[2])
	e.ins("selp.", classInfo[classOf(op.Results[0].Type)].typ, " ", e.def(op.Results[0]), ", ", x, ", ", y, ", ", p)
}
