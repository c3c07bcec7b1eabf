package cudacpp

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// suffixes are how CUDA's functions name roundings; Fused is the nearest where nothing else is meant.
var suffixes = [...]string{lir.Fused: "rn", lir.Nearest: "rn", lir.Zero: "rz", lir.Up: "ru", lir.Down: "rd"}

// arithmetic is an operator where compilers may contract it, and else a function that they keep.
func arithmetic(op string, pr prec, name string) spelling {
	return func(p *printer, n *node, x []expr) expr {
		typ := x[0].typ
		switch n.Results[0].Type {
		case lir.F16, lir.BF16:
			if n.Mod == uint8(lir.Fused) {
				return call(typ, "__h"+name, x...)
			}
			return call(typ, "__h"+name+"_rn", x...)
		case lir.F64:
			if n.Mod != uint8(lir.Fused) {
				return call(typ, "__d"+name+"_"+suffixes[n.Mod], x...)
			}
		default:
			if n.Mod != uint8(lir.Fused) {
				return call(typ, "__f"+name+"_"+suffixes[n.Mod], x...)
			}
		}
		return binary(x[0], op, x[1], pr, typ)
	}
}

func (p *printer) fma(n *node, x []expr) expr {
	switch n.Results[0].Type {
	case lir.F16, lir.BF16:
		return call(x[0].typ, "__hfma", x...)
	case lir.F64:
		return call("double", "__fma_"+suffixes[n.Mod], x...)
	}
	return call("float", "__fmaf_"+suffixes[n.Mod], x...)
}

// saturatedFMA is between 0 and 1; __saturatef would be a further instruction for each.
func (p *printer) saturatedFMA(_ *node, x []expr) expr {
	return call("float", p.helpers.instruction("fma_saturated", "fma.rn.sat.f32", "float", "float", "float", "float"), x...)
}

// divide32: what is approximate has no function that is as exact.
func (p *printer) divide32(n *node, x []expr) expr {
	if n.Results[0].Type == lir.F64 {
		return call("double", "__ddiv_"+suffixes[n.Mod], x...)
	}
	if n.Mod == uint8(lir.Fused) {
		return call("float", p.helpers.instruction("fast_divide", "div.full.f32", "float", "float", "float"), x...)
	}
	return call("float", "__fdiv_"+suffixes[n.Mod], x...)
}

// root is a square root or a reciprocal.
func root(name string) spelling {
	return func(p *printer, n *node, x []expr) expr {
		if n.Results[0].Type == lir.F64 {
			return call("double", "__d"+name+"_"+suffixes[n.Mod], x...)
		}
		if n.Mod == uint8(lir.Fused) {
			return approximate(name)(p, n, x)
		}
		return call("float", "__f"+name+"_"+suffixes[n.Mod], x...)
	}
}

var approximations = map[string]string{
	"sqrt": "fast_sqrt", "rcp": "fast_reciprocal", "rsqrt": "fast_rsqrt", "ex2": "fast_exp2", "lg2": "fast_log2", "sin": "fast_sin", "cos": "fast_cos",
	"tanh": "fast_tanh",
}

// approximate is an instruction.
func approximate(name string) spelling {
	return func(p *printer, n *node, x []expr) expr {
		typ, suffix := "float", ".approx.f32"
		helper := approximations[name]
		if n.Results[0].Type == lir.F64 {
			typ, suffix, helper = "double", ".approx.f64", helper+"_f64"
		} else if n.Code == lir.OpExp2 && n.Mod == 1 { // subnormal results may be 0
			suffix, helper = ".approx.ftz.f32", helper+"_ftz"
		}
		return call(typ, p.helpers.instruction(helper, name+suffix, typ, typ), x...)
	}
}

func floatExtreme(name string) spelling {
	return func(p *printer, n *node, x []expr) expr {
		if n.Results[0].Type == lir.F64 {
			if n.Mod == 1 {
				panic(unspelled{n.Code})
			}
			return call("double", "f"+name, x...)
		}
		if n.Mod == 1 {
			return call("float", p.helpers.instruction(name+"_nan", name+".NaN.f32", "float", "float", "float"), x...)
		}
		return call("float", "f"+name+"f", x...)
	}
}

func (p *printer) negate(n *node, x []expr) expr {
	if t := n.Results[0].Type; t == lir.F16 || t == lir.BF16 {
		return call(x[0].typ, "__hneg", x...)
	}
	return newExpr("-"+x[0].in(precPrimary), precUnary, x[0].typ)
}

func (p *printer) absolute(n *node, x []expr) expr {
	switch n.Results[0].Type {
	case lir.F16, lir.BF16:
		return call(x[0].typ, "__habs", x...)
	case lir.F64:
		return call("double", "fabs", x...)
	}
	return call("float", "fabsf", x...)
}

// A floatComparison is an operator, of which the opposite is taken if not is set: then a NaN makes it true.
type floatComparison struct {
	op  string
	p   prec
	not bool
}

var floatComparisons = [...]floatComparison{
	tile.OEQ: {"==", precEqual, false}, tile.OLT: {"<", precLess, false}, tile.OLE: {"<=", precLess, false}, tile.OGT: {">", precLess, false}, tile.OGE: {">=", precLess, false},
	tile.UNE: {"!=", precEqual, false}, tile.ULT: {">=", precLess, true}, tile.ULE: {">", precLess, true}, tile.UGT: {"<=", precLess, true}, tile.UGE: {"<", precLess, true},
	tile.ONE: {}, tile.UEQ: {}, tile.ORD: {}, tile.UNO: {},
}

func (p *printer) compareFloats(n *node, x []expr) expr {
	switch tile.CmpF(n.Mod) {
	case tile.ONE:
		return call("bool", p.helpers.differ(), x...)
	case tile.UEQ:
		return not(call("bool", p.helpers.differ(), x...))
	case tile.ORD:
		return not(call("bool", p.helpers.unordered(), x...))
	case tile.UNO:
		return call("bool", p.helpers.unordered(), x...)
	}
	c := floatComparisons[n.Mod]
	e := binary(x[0], c.op, x[1], c.p, "bool")
	if c.not {
		return not(e)
	}
	return e
}

var roundings = [...]string{lir.Fused: "rint", lir.Nearest: "rint", lir.Zero: "trunc", lir.Up: "ceil", lir.Down: "floor"}

func (p *printer) roundTo(n *node, x []expr) expr {
	if n.Results[0].Type == lir.F64 {
		return call("double", roundings[n.Mod], x...)
	}
	return call("float", roundings[n.Mod]+"f", x...)
}
