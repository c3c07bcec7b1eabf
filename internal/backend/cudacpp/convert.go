package cudacpp

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/lir"
)

func (p *printer) truncate(n *node, x []expr) expr {
	v := x[0].integer()
	switch to := n.Results[0].Type; to {
	case lir.I1:
		return binary(binary(v, "&", number(1), precAnd, v.typ), "!=", number(0), precEqual, "bool")
	case lir.I32:
		return v.to("int")
	default:
		return v.to(typeNames[to])
	}
}

func (p *printer) extend(n *node, x []expr) expr {
	v, from, to := x[0], n.Args[0].Type, typeNames[n.Results[0].Type]
	if from == lir.I1 {
		if n.Code == lir.OpExtS {
			v = newExpr("-"+v.to("int").in(precUnary), precUnary, "int")
		}
		return v.to(to)
	}
	if p.operandRange(n, 0).positive() && from == lir.I32 {
		return extended(v, to) // both are the same
	}
	if n.Code == lir.OpExtS {
		return extended(v.signed(), to)
	}
	return v.unsigned().to(to)
}

// extended gives an integer of 32 bits as one of 64.
func extended(v expr, to string) expr {
	e := v.to(to)
	if v.typ == "int" {
		e.int = v.in(precUnary)
	}
	return e
}

// sources are how CUDA's conversions name what they convert from, and targets what they convert to.
var sources = map[string]string{"int": "int", "unsigned": "uint", "long long": "ll", "unsigned long long": "ull", "float": "float", "double": "double", "__half": "half", "__nv_bfloat16": "bfloat16"}

// convert writes conversions from and to floats: CUDA's functions where there are some, else the instruction.
func (p *printer) convert(n *node, x []expr) expr {
	from, to := n.Args[0].Type, n.Results[0].Type
	switch n.Code {
	case lir.OpFExt:
		return p.widened(x[0], from, to)
	case lir.OpSToF, lir.OpUToF:
		if from.Bits() < 32 {
			x[0] = p.extend(&node{Op: lir.Op{Code: extension(n.Code), Args: n.Args, Results: []*lir.Value{{Type: lir.I32}}}}, x)
		}
		v := x[0].signed()
		if n.Code == lir.OpUToF {
			v = x[0].unsigned()
		}
		if to == lir.F64 && from != lir.I64 {
			return v.to("double")
		}
		return call(typeNames[to], "__"+sources[v.typ]+"2"+sources[typeNames[to]]+"_"+suffixes[n.Mod], v)
	case lir.OpFToS, lir.OpFToU:
		return p.toInteger(n, x[0])
	}
	if from == lir.F64 && to != lir.F32 {
		return p.converted(n, x[0], "cvt."+suffixPTX(n.Mod)+"."+ptxFloat(to)+".f64")
	}
	return call(typeNames[to], "__"+sources[typeNames[from]]+"2"+sources[typeNames[to]]+"_"+suffixes[n.Mod], x[0])
}

func extension(c lir.Code) lir.Code {
	if c == lir.OpSToF {
		return lir.OpExtS
	}
	return lir.OpExtU
}

func ptxFloat(t lir.Type) string {
	if t == lir.BF16 {
		return "bf16"
	}
	return fmt.Sprintf("f%d", t.Bits())
}

func suffixPTX(mod uint8) string {
	if mod == uint8(lir.Fused) {
		return lir.Nearest.String()
	}
	return lir.Rounding(mod).String()
}

// widened gives a float with more bits, which is exact.
func (p *printer) widened(v expr, from, to lir.Type) expr {
	switch from {
	case lir.F16:
		v = call("float", "__half2float", v)
	case lir.BF16:
		v = call("float", "__bfloat162float", v)
	}
	return v.to(typeNames[to])
}

// integral are the roundings to an integer.
var integral = [...]string{lir.Fused: "rni", lir.Nearest: "rni", lir.Zero: "rzi", lir.Up: "rpi", lir.Down: "rmi"}

// toInteger converts to an integer: too large numbers become the largest, and NaN 0.
func (p *printer) toInteger(n *node, v expr) expr {
	from, to := n.Args[0].Type, n.Results[0].Type
	typ := typeNames[to]
	if n.Code == lir.OpFToU && to.Bits() >= 32 {
		typ = unsignedNames[typ]
	}
	if from == lir.F32 && to == lir.I32 {
		return call(typ, "__float2"+sources[typ]+"_"+integralSuffix(n.Mod), v)
	}
	letter := "s"
	if n.Code == lir.OpFToU {
		letter = "u"
	}
	ins := fmt.Sprintf("cvt.%s.%s%d.%s", integral[n.Mod], letter, to.Bits(), ptxFloat(from))
	zero := from == lir.F64 || to == lir.I64
	return call(typ, p.helpers.toInteger(ins, typeNames[from], typ, zero), v)
}

// integralSuffix is suffixes, but Fused is the nearest for integers too.
func integralSuffix(mod uint8) string { return suffixes[mod] }

// converted is a conversion by an instruction.
func (p *printer) converted(n *node, v expr, ins string) expr {
	from, to := n.Args[0].Type, n.Results[0].Type
	return call(typeNames[to], p.helpers.instruction(conversionName(from, to, n.Mod), ins, typeNames[to], typeNames[from]), v)
}

func conversionName(from, to lir.Type, mod uint8) string {
	return fmt.Sprintf("%s_to_%s_%s", from, to, suffixes[mod])
}

// casts are the functions that give the bits of a number as another type.
var casts = map[[2]lir.Type]string{
	{lir.F32, lir.I32}: "__float_as_int", {lir.I32, lir.F32}: "__int_as_float", {lir.F64, lir.I64}: "__double_as_longlong", {lir.I64, lir.F64}: "__longlong_as_double",
	{lir.F16, lir.I16}: "__half_as_ushort", {lir.I16, lir.F16}: "__ushort_as_half", {lir.BF16, lir.I16}: "__bfloat16_as_ushort", {lir.I16, lir.BF16}: "__ushort_as_bfloat16",
}

func (p *printer) bitcast(n *node, x []expr) expr {
	from, to := n.Args[0].Type, n.Results[0].Type
	if from == to {
		return x[0]
	}
	if from.IsFloat() && to.IsFloat() && from.Bits() == 16 { // by way of bits
		bits := call("unsigned short", casts[[2]lir.Type{from, lir.I16}], x[0])
		return call(typeNames[to], casts[[2]lir.Type{lir.I16, to}], bits)
	}
	return call(typeNames[to], casts[[2]lir.Type{from, to}], x[0].integer())
}

func (p *printer) toF8(n *node, x []expr) expr {
	return call("unsigned short", p.helpers.toF8(lir.F8(n.Mod)), x...)
}

func (p *printer) fromF8(n *node, x []expr) expr {
	return call("unsigned", p.helpers.fromF8(lir.F8(n.Mod)), x...)
}

func (p *printer) packF16(n *node, x []expr) expr {
	return call("unsigned", p.helpers.packFloats(n.Mod == 1), x...)
}

// unpack takes a word apart.
func (p *printer) unpack(l lanes) {
	n := l.first()
	p.homes[n.Results[0].ID].of.typ = typeNames[n.Results[0].Type]
	to, ok := l.run(len(n.Results), func(m *node, i int) *lir.Value { return m.Results[i] })
	if !ok {
		panic(unspelled{n.Code})
	}
	p.write("%s(%s, %s);", p.helpers.unpack(), to.text, l.arg(0).unsigned().text)
}

// pack puts two numbers of 16 bits, or four of 8, into one of 32.
func (p *printer) pack(n *node, x []expr) expr {
	if len(x) == 4 {
		return call("unsigned", p.helpers.packBytes(), x...)
	}
	for i, a := range n.Args {
		if a.Type != lir.I16 {
			x[i] = call("unsigned short", casts[[2]lir.Type{a.Type, lir.I16}], x[i])
		}
	}
	return call("unsigned", p.helpers.pack(), x...)
}
