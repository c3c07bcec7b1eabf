package mlir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/tile"
)

// op prints an operation.
func (p *printer) op(op *tile.Op) error {
	if name, ok := plain[op.Code]; ok {
		p.put(op, "%s%s %s%s : %s", p.results(op), name, p.list(op.Args), p.attributes(op), typeText(op.Result().Type))
		return nil
	}
	if name, ok := conversions[op.Code]; ok && !op.Args[0].Type.Elem().IsFP8() && !op.Result().Type.Elem().IsFP8() {
		p.put(op, "%s%s %s%s : %s to %s", p.results(op), name, p.list(op.Args), p.attributes(op), typeText(op.Args[0].Type), typeText(op.Result().Type))
		return nil
	}
	if name, ok := arrows[op.Code]; ok && !(op.Code == tile.OpJoin && op.Args[0].Type.IsScalar()) && !(op.Code == tile.OpSplit && op.Results[0].Type.IsScalar()) {
		p.put(op, "%s%s %s%s : %s -> %s", p.results(op), name, p.list(op.Args), p.attributes(op), typeText(op.Args[0].Type), typeText(op.Results[0].Type))
		return nil
	}
	if f := printers[op.Code]; f != nil {
		p.in = append(p.in, op.Code)
		defer func() { p.in = p.in[:len(p.in)-1] }()
		return f(p, op)
	}
	return p.refused(op, op.Code.String())
}

// printers are the operations with a form of their own. They are set here because they print regions, which
// hold operations.
var printers map[tile.Code]func(*printer, *tile.Op) error

func init() {
	printers = map[tile.Code]func(*printer, *tile.Op) error{
		tile.OpConst: (*printer).constant, tile.OpCmpI: (*printer).compareInts, tile.OpCmpF: (*printer).compareFloats,
		tile.OpFMin: (*printer).minMax, tile.OpFMax: (*printer).minMax, tile.OpFNeg: (*printer).negate, tile.OpClamp: (*printer).clamp,
		tile.OpExtern: (*printer).extern, tile.OpFTrunc: (*printer).truncate, tile.OpFExt: (*printer).floatToFloat,
		tile.OpSToF: (*printer).throughFloat, tile.OpUToF: (*printer).throughFloat, tile.OpFToS: (*printer).throughFloat, tile.OpFToU: (*printer).throughFloat,
		tile.OpSelect: (*printer).selects, tile.OpExpandDims: (*printer).expandDims, tile.OpReshape: (*printer).reshape,
		tile.OpTrans: (*printer).trans, tile.OpJoin: (*printer).joinScalars, tile.OpSplit: (*printer).splitScalars, tile.OpCat: (*printer).cat, tile.OpRange: (*printer).ranges, tile.OpGather: (*printer).gather,
		tile.OpHint: (*printer).hint, tile.OpAssume: (*printer).assume, tile.OpProgramID: (*printer).program, tile.OpNumPrograms: (*printer).program,
		tile.OpAddPtr: (*printer).addPtr, tile.OpLoad: (*printer).load, tile.OpStore: (*printer).store,
		tile.OpAtomicRMW: (*printer).atomicRMW, tile.OpAtomicCAS: (*printer).atomicCAS,
		tile.OpAtomicLoad: (*printer).atomicLoad, tile.OpAtomicStore: (*printer).atomicStore, tile.OpAtomicPoll: (*printer).atomicPoll,
		tile.OpMakeDesc: (*printer).makeDesc, tile.OpDescLoad: (*printer).descLoad, tile.OpDescStore: (*printer).descStore,
		tile.OpDescReduce: (*printer).descReduce, tile.OpDescGather: (*printer).descGather, tile.OpDescScatter: (*printer).descScatter,
		tile.OpReduce: (*printer).reduce, tile.OpScan: (*printer).scan, tile.OpMap: (*printer).mapElementwise,
		tile.OpDot: (*printer).dot, tile.OpDotScaled: (*printer).dotScaled,
		tile.OpFor: (*printer).forLoop, tile.OpWhile: (*printer).while, tile.OpIf: (*printer).ifElse,
		tile.OpYield: (*printer).yield, tile.OpCondition: (*printer).condition, tile.OpReturn: (*printer).returns, tile.OpCall: (*printer).call,
		tile.OpPrint: (*printer).print, tile.OpAssert: (*printer).assert, tile.OpBarrier: (*printer).barrier, tile.OpInlineAsm: (*printer).inlineAsm,
	}
}

// constant prints a number. Null pointers are made of integers.
func (p *printer) constant(op *tile.Op) error {
	t, bits := op.Result().Type, op.Attr.(tile.ConstAttr).Bits
	if !t.IsPtr() {
		p.put(op, "%sarith.constant %s", p.results(op), p.literal(t, bits))
		return nil
	}
	number := t.WithElem(tile.I64)
	name := p.temp()
	p.put(op, "%s = arith.constant %s", name, p.literal(number, bits))
	p.put(op, "%stt.int_to_ptr %s : %s -> %s", p.results(op), name, typeText(number), typeText(t))
	return nil
}

// literal gives a constant with its type.
func (p *printer) literal(t tile.Type, bits uint64) string {
	text := number(t, bits)
	if t.IsTile() {
		return "dense<" + text + "> : " + typeText(t)
	}
	if t.IsBool() {
		return text // true and false have only one type
	}
	return text + " : " + typeText(t)
}

// number gives an element. Floats are decimal where that gives the same bits, else hexadecimal.
func number(t tile.Type, bits uint64) string {
	width := t.ElemBits()
	switch {
	case t.IsBool():
		return strconv.FormatBool(bits != 0)
	case t.IsInt():
		shift := 64 - width
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	}
	value := math.NaN()
	switch t.Elem() {
	case tile.F64:
		value = math.Float64frombits(bits)
	case tile.F32:
		value = float64(math.Float32frombits(uint32(bits)))
	}
	decimal := strconv.FormatFloat(value, 'e', 6, 64)
	if back, err := strconv.ParseFloat(decimal, 64); err == nil && back == value && !math.IsInf(value, 0) {
		return decimal
	}
	return fmt.Sprintf("0x%0*X", width/4, bits)
}

func (p *printer) compareInts(op *tile.Op) error {
	a, b, t := p.name(op.Args[0]), p.name(op.Args[1]), op.Args[0].Type
	if t.IsPtr() {
		number := t.WithElem(tile.I64)
		for _, side := range []*string{&a, &b} {
			name := p.temp()
			p.put(op, "%s = tt.ptr_to_int %s : %s -> %s", name, *side, typeText(t), typeText(number))
			*side = name
		}
		t = number
	}
	p.put(op, "%sarith.cmpi %s, %s, %s%s : %s", p.results(op), cmpI[op.Attr.(tile.CmpIAttr).Pred], a, b, p.attributes(op), typeText(t))
	return nil
}

func (p *printer) compareFloats(op *tile.Op) error {
	p.put(op, "%sarith.cmpf %s, %s : %s", p.results(op), op.Attr.(tile.CmpFAttr).Pred, p.list(op.Args), typeText(op.Args[0].Type))
	return nil
}

func (p *printer) minMax(op *tile.Op) error {
	name := map[tile.Code]string{tile.OpFMin: "min", tile.OpFMax: "max"}[op.Code]
	suffix := "numf"
	if op.Attr.(tile.NaNAttr).Propagate {
		suffix = "imumf"
	}
	p.put(op, "%sarith.%s%s %s : %s", p.results(op), name, suffix, p.list(op.Args), typeText(op.Result().Type))
	return nil
}

// negate flips the sign bit; of float8, which have no arithmetic, as an integer's.
func (p *printer) negate(op *tile.Op) error {
	t := op.Result().Type
	switch isFP8 := t.Elem().IsFP8(); {
	case !isFP8 && p.Old: // which has no negation: -0.0 - x is -x, of zeros too
		name := p.temp()
		p.put(op, "%s = arith.constant %s", name, p.literal(t, 1<<(t.ElemBits()-1)))
		p.put(op, "%sarith.subf %s, %s : %s", p.results(op), name, p.name(op.Args[0]), typeText(t))
		return nil
	case !isFP8:
		p.put(op, "%sarith.negf %s : %s", p.results(op), p.list(op.Args), typeText(t))
		return nil
	}
	bits := t.WithElem(tile.I8)
	number, sign, flipped := p.temp(), p.temp(), p.temp()
	p.put(op, "%s = tt.bitcast %s : %s -> %s", number, p.name(op.Args[0]), typeText(t), typeText(bits))
	p.put(op, "%s = arith.constant %s", sign, p.literal(bits, 0x80))
	p.put(op, "%s = arith.xori %s, %s : %s", flipped, number, sign, typeText(bits))
	if isFNUZ(t) { // the only zero and the only NaN stay
		e := p.expand(op)
		magnitude := e.both("arith.andi", number, e.number(tile.I8, 0x7f), tile.I8)
		flipped = e.choose(e.is("eq", magnitude, e.number(tile.I8, 0), tile.I8), number, flipped, tile.I8)
	}
	p.put(op, "%stt.bitcast %s : %s -> %s", p.results(op), flipped, typeText(bits), typeText(t))
	return nil
}

func (p *printer) clamp(op *tile.Op) error {
	nan := "none"
	if op.Attr.(tile.NaNAttr).Propagate {
		nan = "all"
	}
	p.put(op, "%stt.clampf %s, propagateNan = %s : %s", p.results(op), p.list(op.Args), nan, typeText(op.Result().Type))
	return nil
}

func (p *printer) extern(op *tile.Op) error {
	p.put(op, `%stt.extern_elementwise %s {libname = "", libpath = "", pure = true, symbol = "%s"} : (%s) -> %s`,
		p.results(op), p.list(op.Args), symbol(op), commas(typesOf(op.Args)), typeText(op.Result().Type))
	return nil
}

// truncate prints a conversion to fewer bits, or to another format of as many.
func (p *printer) truncate(op *tile.Op) error {
	from, to := op.Args[0].Type, op.Result().Type
	nearest := op.Attr.(tile.RoundAttr).Mode == tile.NearestEven
	if to.Elem().IsFP8() && (!nearest || from.Elem() == tile.F64 || isFNUZ(from) || isFNUZ(to)) {
		p.toFloat8(op, nearest)
		return nil
	}
	a := p.name(op.Args[0])
	if from.Elem().Bits() == to.Elem().Bits() { // by way of f32, which has all of both
		wide := from.WithElem(tile.F32)
		name := p.temp()
		if from.Elem().IsFP8() {
			p.put(op, "%s = tt.fp_to_fp %s : %s -> %s", name, a, typeText(from), typeText(wide))
		} else {
			p.put(op, "%s = arith.extf %s : %s to %s", name, a, typeText(from), typeText(wide))
		}
		a, from = name, wide
	}
	if nearest && !to.Elem().IsFP8() {
		p.put(op, "%sarith.truncf %s : %s to %s", p.results(op), a, typeText(from), typeText(to))
		return nil
	}
	mode := "rtne"
	if !nearest {
		mode = "rtz"
	}
	p.put(op, "%stt.fp_to_fp %s, rounding = %s : %s -> %s", p.results(op), a, mode, typeText(from), typeText(to))
	return nil
}

// floatToFloat widens float8.
func (p *printer) floatToFloat(op *tile.Op) error {
	if isFNUZ(op.Args[0].Type) {
		p.fromFloat8(op)
		return nil
	}
	if from, to := op.Args[0].Type, op.Result().Type; from.Elem().IsFP8() && to.Elem() == tile.F64 { // by way of f32, which has all of it
		wide, name := from.WithElem(tile.F32), p.temp()
		p.put(op, "%s = tt.fp_to_fp %s : %s -> %s", name, p.list(op.Args), typeText(from), typeText(wide))
		p.put(op, "%sarith.extf %s : %s to %s", p.results(op), name, typeText(wide), typeText(to))
		return nil
	}
	p.put(op, "%stt.fp_to_fp %s : %s -> %s", p.results(op), p.list(op.Args), typeText(op.Args[0].Type), typeText(op.Result().Type))
	return nil
}

// throughFloat converts between integers and float8 by way of f32.
func (p *printer) throughFloat(op *tile.Op) error {
	a, from, to := p.name(op.Args[0]), op.Args[0].Type, op.Result().Type
	e := p.expand(op)
	if from.Elem().IsFP8() {
		p.put(op, "%s%s %s : %s to %s", p.results(op), conversions[op.Code], e.widened(a, from.Elem()), e.of(tile.F32), typeText(to))
		return nil
	}
	p.called(op, e.narrowed(e.convert(conversions[op.Code], a, from.Elem(), tile.F32), to.Elem(), true))
	return nil
}

func (p *printer) selects(op *tile.Op) error {
	t := op.Result().Type
	types := typeText(t)
	if cond := op.Args[0].Type; cond.IsTile() {
		types = typeText(cond) + ", " + types
	}
	p.put(op, "%sarith.select %s : %s", p.results(op), p.list(op.Args), types)
	return nil
}

// arrow prints NAME %a {…} : TYPE -> TYPE.
func (p *printer) arrow(op *tile.Op, name string, attributes ...string) error {
	p.put(op, "%s%s %s%s : %s -> %s", p.results(op), name, p.list(op.Args), p.attributes(op, attributes...), typeText(op.Args[0].Type), typeText(op.Result().Type))
	return nil
}

func (p *printer) expandDims(op *tile.Op) error {
	return p.arrow(op, "tt.expand_dims", axis(op.Attr.(tile.AxisAttr).Axis))
}

func axis(i int) string { return fmt.Sprintf("axis = %d : i32", i) }

func (p *printer) reshape(op *tile.Op) error {
	reorder := ""
	if op.Attr.(tile.ReshapeAttr).CanReorder {
		reorder = " allow_reorder"
	}
	p.put(op, "%stt.reshape %s%s%s : %s -> %s", p.results(op), p.list(op.Args), reorder, p.attributes(op), typeText(op.Args[0].Type), typeText(op.Result().Type))
	return nil
}

func (p *printer) trans(op *tile.Op) error {
	perm := op.Attr.(tile.PermAttr)
	return p.arrow(op, "tt.trans", "order = "+order(perm.Order[:op.Args[0].Type.Rank()]))
}

func order(perm []uint8) string {
	list := make([]string, len(perm))
	for i, o := range perm {
		list[i] = strconv.Itoa(int(o))
	}
	return "array<i32: " + strings.Join(list, ", ") + ">"
}

// cat joins its operands and brings the new dimension before the one that they are put together along: cat
// itself keeps no order.
func (p *printer) cat(op *tile.Op) error {
	from, to, along := op.Args[0].Type, op.Result().Type, op.Attr.(tile.AxisAttr).Axis
	shape := append(from.Shape(), 2)
	joined, ok := from.WithShape(shape...)
	if !ok {
		return p.refused(op, "tile of more dimensions than "+from.String()+" has")
	}
	var perm []uint8
	for i := range from.Rank() {
		if i == along {
			perm = append(perm, uint8(from.Rank()))
		}
		perm = append(perm, uint8(i))
	}
	permuted := make([]int, len(shape))
	for i, o := range perm {
		permuted[i] = shape[o]
	}
	turned, _ := from.WithShape(permuted...)
	a, b := p.temp(), p.temp()
	p.put(op, "%s = tt.join %s : %s -> %s", a, p.list(op.Args), typeText(from), typeText(joined))
	p.put(op, "%s = tt.trans %s {order = %s} : %s -> %s", b, a, order(perm), typeText(joined), typeText(turned))
	p.put(op, "%stt.reshape %s : %s -> %s", p.results(op), b, typeText(turned), typeText(to))
	return nil
}

// joinScalars joins tiles of one element, since tt's join takes tiles only.
func (p *printer) joinScalars(op *tile.Op) error {
	scalar := op.Args[0].Type
	one, _ := scalar.WithShape(1)
	pair, _ := scalar.WithShape(1, 2)
	var names [2]string
	for i, a := range op.Args {
		names[i] = p.temp()
		p.put(op, "%s = tt.splat %s : %s -> %s", names[i], p.name(a), typeText(scalar), typeText(one))
	}
	joined := p.temp()
	p.put(op, "%s = tt.join %s, %s : %s -> %s", joined, names[0], names[1], typeText(one), typeText(pair))
	p.put(op, "%stt.reshape %s : %s -> %s", p.results(op), joined, typeText(pair), typeText(op.Result().Type))
	return nil
}

// splitScalars splits into tiles of one element, whose elements it takes.
func (p *printer) splitScalars(op *tile.Op) error {
	scalar := op.Results[0].Type
	one, _ := scalar.WithShape(1)
	pair, _ := scalar.WithShape(1, 2)
	name, halves := p.temp(), p.temp()
	p.put(op, "%s = tt.reshape %s : %s -> %s", name, p.name(op.Args[0]), typeText(op.Args[0].Type), typeText(pair))
	p.put(op, "%s:2 = tt.split %s : %s -> %s", halves, name, typeText(pair), typeText(one))
	for i, v := range op.Results {
		p.put(op, "%s = tt.unsplat %s#%d : %s", p.name(v), halves, i, typeText(one))
	}
	return nil
}

func (p *printer) ranges(op *tile.Op) error {
	r := op.Attr.(tile.RangeAttr)
	own := []string{fmt.Sprintf("end = %d : i32", int32(r.End)), fmt.Sprintf("start = %d : i32", int32(r.Start))}
	p.put(op, "%stt.make_range%s : %s", p.results(op), p.attributes(op, own...), typeText(op.Result().Type))
	return nil
}

func (p *printer) gather(op *tile.Op) error {
	p.put(op, "%stt.gather %s[%s] {%s} : (%s) -> %s", p.results(op), p.name(op.Args[0]), p.name(op.Args[1]), axis(op.Attr.(tile.AxisAttr).Axis),
		commas(typesOf(op.Args)), typeText(op.Result().Type))
	return nil
}

// hint prints nothing: the result is the operand, and the fact stands at the operation that made it.
func (p *printer) hint(op *tile.Op) error {
	p.names[op.Result()] = p.name(op.Args[0])
	return nil
}

func (p *printer) assume(op *tile.Op) error {
	p.put(op, "llvm.intr.assume %s : i1", p.name(op.Args[0]))
	return nil
}

func (p *printer) program(op *tile.Op) error {
	name := "tt.get_program_id"
	if op.Code == tile.OpNumPrograms {
		name = "tt.get_num_programs"
	}
	p.put(op, "%s%s %s%s : i32", p.results(op), name, axes[op.Attr.(tile.AxisAttr).Axis], p.attributes(op))
	return nil
}

func (p *printer) extended(op *tile.Op, name string) error {
	p.put(op, "%s%s %s%s : %s", p.results(op), name, p.list(op.Args), p.attributes(op), commas(typesOf(op.Args)))
	return nil
}

func (p *printer) addPtr(op *tile.Op) error { return p.extended(op, "tt.addptr") }

func (p *printer) dot(op *tile.Op) error {
	d := op.Attr.(tile.DotAttr)
	a, b, c := op.Args[0].Type, op.Args[1].Type, op.Args[2].Type
	if d.Unsigned {
		return p.refused(op, "dot of unsigned integers")
	}
	var own []string
	if d.MaxImprecise > 0 {
		own = append(own, fmt.Sprintf("maxNumImpreciseAcc = %d : i32", d.MaxImprecise))
	}
	x, y := p.name(op.Args[0]), p.name(op.Args[1])
	if isFNUZ(a) || isFNUZ(b) {
		x, a = p.asHalf(op, 0)
		y, b = p.asHalf(op, 1)
		own = nil
	}
	p.put(op, "%stt.dot %s, %s, %s, inputPrecision = %s%s : %s * %s -> %s", p.results(op), x, y, p.name(op.Args[2]), precisions[d.Precision], p.attributes(op, own...),
		typeText(a), typeText(b), typeText(c))
	return nil
}

func (p *printer) dotScaled(op *tile.Op) error {
	d := op.Attr.(tile.DotScaledAttr)
	rest := op.Args[3:]
	side := func(v *tile.Value, scaled bool) (text, types string) {
		text, types = p.name(v), typeText(v.Type)
		if scaled {
			text += " scale " + p.name(rest[0])
			types += ", " + typeText(rest[0].Type)
			rest = rest[1:]
		}
		return text, types
	}
	a, aTypes := side(op.Args[0], d.ScaleA)
	b, bTypes := side(op.Args[1], d.ScaleB)
	own := []string{fmt.Sprintf("fastMath = %t", d.FastMath)}
	if d.PackM {
		own = append(own, "lhs_k_pack = false")
	}
	if d.PackN {
		own = append(own, "rhs_k_pack = false")
	}
	p.put(op, "%stt.dot_scaled %s, %s, %s lhs = %s rhs = %s%s : %s * %s -> %s", p.results(op), a, b, p.name(op.Args[2]),
		scaledFormats[d.A], scaledFormats[d.B], p.attributes(op, own...), aTypes, bTypes, typeText(op.Result().Type))
	return nil
}
