package native

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A rounding is a mode as MXCSR and vrndscale have it.
type rounding uint8

// The modes of libdevice's names.
var roundings = map[string]rounding{"_rn": 0, "_rd": 1, "_ru": 2, "_rz": 3}

// roundedArithmetic is arithmetic that has a mode in its name.
var roundedArithmetic = map[string]func(g *generator, w int, in []reg) reg{
	"add":  func(g *generator, w int, in []reg) reg { return g.rvm(floatBinary[tile.OpFAdd].of(w), in[0], in[1]) },
	"sub":  func(g *generator, w int, in []reg) reg { return g.rvm(floatBinary[tile.OpFSub].of(w), in[0], in[1]) },
	"mul":  func(g *generator, w int, in []reg) reg { return g.rvm(floatBinary[tile.OpFMul].of(w), in[0], in[1]) },
	"div":  func(g *generator, w int, in []reg) reg { return g.rvm(floatBinary[tile.OpFDiv].of(w), in[0], in[1]) },
	"fma":  func(g *generator, w int, in []reg) reg { return g.fma(w, in[0], in[1], in[2]) },
	"sqrt": func(g *generator, w int, in []reg) reg { return g.rm(pick(w, amd64.VSQRTPS, amd64.VSQRTPD), in[0]) },
	"rcp": func(g *generator, w int, in []reg) reg {
		one := g.f32(1)
		if w == 8 {
			one = g.f64(1)
		}
		return g.rvm(floatBinary[tile.OpFDiv].of(w), one, in[0])
	},
}

// roundedConversions are conversions to floats that have a mode in their name.
var roundedConversions = map[string]tile.Code{
	"double2float": tile.OpFTrunc, "int2float": tile.OpSToF, "uint2float": tile.OpUToF,
	"ll2float": tile.OpSToF, "ull2float": tile.OpUToF, "ll2double": tile.OpSToF, "ull2double": tile.OpUToF,
}

// roundedIntegers are conversions of f32 to integers that have one.
var roundedIntegers = map[string]tile.Code{"float2int": tile.OpFToS, "float2uint": tile.OpFToU}

// modeOf takes the mode off a name.
func modeOf(name string) (base string, r rounding, ok bool) {
	if len(name) < len("_rn") {
		return name, 0, false
	}
	cut := len(name) - len("_rn")
	r, ok = roundings[name[cut:]]
	return strings.TrimSuffix(name, name[cut:]), r, ok
}

// rounded emits what f does with a mode of rounding. The code's own is to nearest.
func (g *generator) rounded(r rounding, f func()) {
	if r == 0 {
		f()
		return
	}
	g.setMXCSR(defaultMXCSR | uint16(r)<<13)
	f()
	g.setMXCSR(defaultMXCSR)
}

func (g *generator) setMXCSR(bits uint16) {
	m := ins(amd64.LDMXCSR)
	m.HasMem, m.M = true, g.constant(4, []byte{byte(bits), byte(bits >> 8), 0, 0})
	g.emit(m)
}

// roundedExtern computes a function that has a mode in its name; it reports false for others.
func (x *nest) roundedExtern(op *tile.Op, name string, d *val, args []*val) bool {
	base, r, ok := modeOf(name)
	if !ok {
		return false
	}
	g, t := x.g, args[0].t
	as := func(c tile.Code, args []*val) {
		x.vector(&tile.Op{Code: c, Args: op.Args, Results: op.Results, Loc: op.Loc}, d, args)
	}
	if c, ok := roundedConversions[base]; ok {
		x.asVec(args[0]) // outside of the mode
		g.rounded(r, func() { as(c, args) })
		if r == roundings["_rd"] && t.IsInt() { // where 0 may be made of a difference, which is -0 in this mode
			for h := range d.parts() {
				d.v[h] = g.rvm(floatBinary[tile.OpFAdd].of(d.width()), d.v[h], x.constF(d.width(), 0))
			}
			d.fill()
		}
		return true
	}
	if c, ok := roundedIntegers[base]; ok && t.Elem() == tile.F32 {
		whole := newVal(t)
		whole.uni, whole.level = args[0].uni, d.level
		whole.v[0] = g.rmi(amd64.VRNDSCALEPS, x.asVec(args[0])[0], 8|int64(r))
		as(c, []*val{whole})
		return true
	}
	f, ok := roundedArithmetic[base]
	if !ok || t.Elem() != tile.F32 && t.Elem() != tile.F64 {
		return false
	}
	in := make([][2]reg, len(args))
	for i, a := range args {
		in[i] = x.asVec(a)
	}
	g.rounded(r, func() {
		for h := range d.parts() {
			parts := make([]reg, len(in))
			for i := range parts {
				parts[i] = in[i][h]
			}
			d.v[h] = f(g, args[0].width(), parts)
		}
	})
	d.fill()
	return true
}
