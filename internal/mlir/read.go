package mlir

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A reader reads an operation after its name, makes it, and gives its results.
type reader func(p *parser, name string) []*tile.Value

// readers are the operations by name. They are set here because they read regions, which hold operations.
var readers map[string]reader

// codesOf turns a table of spellings round.
func codesOf(tables ...map[tile.Code]string) map[string]tile.Code {
	codes := map[string]tile.Code{}
	for _, t := range tables {
		for code, name := range t {
			codes[name] = code
		}
	}
	return codes
}

var (
	plainCodes      = codesOf(plain, map[tile.Code]string{tile.OpFNeg: "arith.negf"})
	conversionCodes = codesOf(conversions, map[tile.Code]string{tile.OpBitcast: "arith.bitcast"})
	arrowCodes      = codesOf(arrows)
)

func init() {
	readers = map[string]reader{
		"arith.constant": (*parser).readConstant, "ub.poison": (*parser).readPoison, "arith.cmpi": (*parser).readCompare, "arith.cmpf": (*parser).readCompare,
		"arith.minnumf": (*parser).readMinMax, "arith.maxnumf": (*parser).readMinMax, "arith.minimumf": (*parser).readMinMax, "arith.maximumf": (*parser).readMinMax,
		"arith.select": (*parser).readSelect, "arith.truncf": (*parser).readTruncate, "tt.fp_to_fp": (*parser).readFloatToFloat, "tt.clampf": (*parser).readClamp,
		"tt.approx_divf": (*parser).readApproxDivide, "tt.extern_elementwise": (*parser).readExtern,
		"tt.expand_dims": (*parser).readShape, "tt.reshape": (*parser).readShape, "tt.trans": (*parser).readShape, "tt.cat": (*parser).readShape,
		"tt.unsplat": (*parser).readUnsplat, "tt.make_range": (*parser).readRange, "tt.gather": (*parser).readGather,
		"tt.get_program_id": (*parser).readProgram, "tt.get_num_programs": (*parser).readProgram, "llvm.intr.assume": (*parser).readAssume,
		"tt.addptr": (*parser).readAddPtr, "tt.load": (*parser).readLoad, "tt.store": (*parser).readStore,
		"tt.atomic_rmw": (*parser).readAtomic, "tt.atomic_cas": (*parser).readAtomic, "tt.atomic_load": (*parser).readAtomic,
		"tt.atomic_store": (*parser).readAtomic, "tt.atomic_poll": (*parser).readAtomic,
		"tt.make_tensor_descriptor": (*parser).readMakeDesc, "tt.descriptor_load": (*parser).readDescLoad, "tt.descriptor_store": (*parser).readDescStore,
		"tt.descriptor_reduce": (*parser).readDescReduce, "tt.descriptor_gather": (*parser).readDescGather, "tt.descriptor_scatter": (*parser).readDescScatter,
		"tt.dot": (*parser).readDot, "tt.dot_scaled": (*parser).readDotScaled,
		"tt.reduce": (*parser).readGeneric, "tt.scan": (*parser).readGeneric, "tt.map_elementwise": (*parser).readGeneric,
		"scf.for": (*parser).readFor, "scf.while": (*parser).readWhile, "scf.if": (*parser).readIf,
		"scf.yield": (*parser).readYield, "tt.reduce.return": (*parser).readYield, "tt.scan.return": (*parser).readYield, "tt.map_elementwise.return": (*parser).readYield,
		"scf.condition": (*parser).readCondition, "tt.return": (*parser).readReturn, "tt.call": (*parser).readCall,
		"cf.br": (*parser).readBranch, "cf.cond_br": (*parser).readCondBranch, "cf.switch": (*parser).readSwitch,
		"ub.unreachable": (*parser).readUnreachable, "llvm.unreachable": (*parser).readUnreachable,
		"tt.print": (*parser).readPrint, "tt.assert": (*parser).readAssert, "cf.assert": (*parser).readAssert, "tt.elementwise_inline_asm": (*parser).readInlineAsm,
		"gpu.barrier": (*parser).readBarrier, "ttg.barrier": (*parser).readBarrier,
		"tt.grid_dependency_wait": (*parser).readNothing, "tt.grid_dependency_launch_dependents": (*parser).readNothing,
	}
	for name := range plainCodes {
		readers[name] = (*parser).readPlain
	}
	for name := range conversionCodes {
		readers[name] = (*parser).readConversion
	}
	for name := range libraryOf {
		readers[name] = (*parser).readLibrary
	}
	for name := range composed {
		readers[name] = (*parser).readComposed
	}
	for name := range arrowCodes {
		readers[name] = (*parser).readArrow
	}
}

// make appends an operation.
func (p *parser) make(code tile.Code, attr tile.Attr, args []*tile.Value, results ...tile.Type) []*tile.Value {
	return p.b.Op(code, attr, args, results...).Results
}

// flags skips what may stand behind operands: fastmath<contract>, overflow<nsw>.
func (p *parser) flags() {
	for _, f := range []string{"fastmath", "overflow", "exact", "disjoint"} {
		if p.accept(f) && p.accept("<") {
			p.balanced(">")
			p.expect(">")
		}
	}
}

// wrongCount says that an operation does not have the operands that it needs.
func (p *parser) wrongCount(name string, args []*tile.Value, want int) bool {
	if len(args) != want && p.err == nil {
		p.syntax("%s takes %d operands, not %d", name, want, len(args))
	}
	return p.err != nil
}

// operandCount says how many operands a plain operation has.
func operandCount(code tile.Code) int {
	switch code {
	case tile.OpFMA:
		return 3
	case tile.OpAbsI, tile.OpAbsF, tile.OpFNeg, tile.OpExp, tile.OpExp2, tile.OpLog, tile.OpLog2, tile.OpSin, tile.OpCos, tile.OpSqrt, tile.OpSqrtRN, tile.OpRSqrt,
		tile.OpErf, tile.OpFloor, tile.OpCeil:
		return 1
	}
	return 2
}

func (p *parser) readPlain(name string) []*tile.Value {
	code := plainCodes[name]
	args := p.operands()
	p.flags()
	p.attrs()
	p.expect(":")
	t := p.typ()
	if p.wrongCount(name, args, operandCount(code)) {
		return nil
	}
	if code == tile.OpFDivRN && t.Elem() != tile.F32 {
		code = tile.OpFDiv // which is as precise there
	}
	return p.make(code, nil, args, t)
}

func (p *parser) readApproxDivide(name string) []*tile.Value {
	args := p.operands()
	p.attrs()
	p.expect(":")
	return p.make(tile.OpFDiv, nil, args, p.typ())
}

func (p *parser) readConversion(name string) []*tile.Value {
	args := p.operands()
	p.flags()
	p.attrs()
	p.expect(":")
	p.typ()
	p.expect("to")
	to := p.typ()
	if p.wrongCount(name, args, 1) {
		return nil
	}
	return p.make(conversionCodes[name], nil, args, to)
}

// signature reads ": TYPE, … -> TYPE", with or without parentheres around either side.
func (p *parser) signature() []tile.Type {
	p.expect(":")
	if p.peek() == '(' {
		p.types()
	} else {
		p.typeList()
	}
	p.expect("->")
	return p.types()
}

func (p *parser) readArrow(name string) []*tile.Value {
	args := p.operands()
	p.attrs()
	to := p.signature()
	if p.err != nil {
		return nil
	}
	code := arrowCodes[name]
	if code == tile.OpSplit {
		to = append(to, to[0])
	}
	return p.make(code, nil, args, to...)
}

// keyword reads a word that a table knows.
func keyword[K comparable](p *parser, table map[K]string) K {
	p.space()
	at := p.at
	word := p.word()
	for k, name := range table {
		if name == word {
			return k
		}
	}
	var none K
	p.fail(at, diag.Unsupported, "mlir", "%s is not supported here", word)
	return none
}

// cmpF are the float comparisons by name.
var cmpF = func() map[tile.CmpF]string {
	m := map[tile.CmpF]string{}
	for pred := tile.OEQ; pred <= tile.UNO; pred++ {
		m[pred] = pred.String()
	}
	return m
}()

func (p *parser) readCompare(name string) []*tile.Value {
	var code tile.Code
	var attr tile.Attr
	if name == "arith.cmpi" {
		code, attr = tile.OpCmpI, tile.CmpIAttr{Pred: keyword(p, cmpI)}
	} else {
		code, attr = tile.OpCmpF, tile.CmpFAttr{Pred: keyword(p, cmpF)}
	}
	p.expect(",")
	args := p.operands()
	p.flags()
	p.attrs()
	p.expect(":")
	return p.make(code, attr, args, p.typ().WithElem(tile.I1))
}

func (p *parser) readMinMax(name string) []*tile.Value {
	code := tile.OpFMin
	if strings.HasPrefix(name, "arith.max") {
		code = tile.OpFMax
	}
	args := p.operands()
	p.flags()
	p.attrs()
	p.expect(":")
	return p.make(code, tile.NaNAttr{Propagate: strings.HasSuffix(name, "imumf")}, args, p.typ())
}

func (p *parser) readSelect(name string) []*tile.Value {
	args := p.operands()
	p.attrs()
	p.expect(":")
	t := p.typeList()
	if p.wrongCount(name, args, 3) {
		return nil
	}
	return p.make(tile.OpSelect, nil, args, t[len(t)-1])
}

func (p *parser) readTruncate(string) []*tile.Value {
	args := p.operands()
	p.attrs()
	p.expect(":")
	p.typ()
	p.expect("to")
	return p.make(tile.OpFTrunc, tile.RoundAttr{}, args, p.typ())
}

// readFloatToFloat reads a conversion in either direction.
func (p *parser) readFloatToFloat(string) []*tile.Value {
	args := p.operands()
	mode := tile.NearestEven
	if p.accept(",") {
		p.expect("rounding")
		p.expect("=")
		mode = keyword(p, map[tile.Round]string{tile.NearestEven: "rtne", tile.TowardsZero: "rtz"})
	}
	p.attrs()
	p.expect(":")
	from := p.typ()
	p.expect("->")
	to := p.typ()
	if from.ElemBits() < to.ElemBits() {
		return p.make(tile.OpFExt, nil, args, to)
	}
	return p.make(tile.OpFTrunc, tile.RoundAttr{Mode: mode}, args, to)
}

func (p *parser) readClamp(string) []*tile.Value {
	args := p.operands()
	p.expect(",")
	p.expect("propagateNan")
	p.expect("=")
	propagate := keyword(p, map[bool]string{false: "none", true: "all"})
	p.attrs()
	p.expect(":")
	return p.make(tile.OpClamp, tile.NaNAttr{Propagate: propagate}, args, p.typ())
}

// externs are the library's functions by their names in libdevice and operand types.
var externs = func() map[string]string {
	m := map[string]string{}
	for _, f := range tile.ExternFuncs() {
		for _, form := range f.Forms {
			params, _ := form.Elems()
			op := &tile.Op{Attr: tile.ExternAttr{Name: form.Symbol}}
			for _, e := range params {
				op.Args = append(op.Args, &tile.Value{Type: tile.Scalar(e)})
			}
			m[symbol(op)] = form.Symbol
		}
	}
	return m
}()

func (p *parser) readExtern(string) []*tile.Value {
	p.space()
	at := p.at
	args := p.operands()
	name := strings.Trim(p.attrs()["symbol"], `"`)
	to := p.signature()
	function, ok := externs[name]
	if !ok && p.err == nil {
		p.fail(at, diag.Unsupported, "mlir", "the library function %s is not supported", name)
	}
	if p.err != nil {
		return nil
	}
	return p.make(tile.OpExtern, tile.ExternAttr{Name: function}, args, to[0])
}

func (p *parser) readShape(name string) []*tile.Value {
	args := p.operands()
	reorder := p.accept("allow_reorder")
	p.accept("efficient_layout")
	a := p.attrs()
	to := p.signature()
	if p.err != nil {
		return nil
	}
	switch name {
	case "tt.expand_dims":
		n, _ := leadingInt(a["axis"])
		return p.make(tile.OpExpandDims, tile.AxisAttr{Axis: int(n)}, args, to[0])
	case "tt.trans":
		var perm tile.PermAttr
		for i, n := range integers(a["order"]) {
			if i < len(perm.Order) {
				perm.Order[i] = uint8(n)
			}
		}
		return p.make(tile.OpTrans, perm, args, to[0])
	case "tt.cat":
		return p.make(tile.OpCat, tile.AxisAttr{}, args, to[0])
	}
	return p.make(tile.OpReshape, tile.ReshapeAttr{CanReorder: reorder}, args, to[0])
}

// readUnsplat takes the element out of a tile of one, by a reduction that combines nothing.
func (p *parser) readUnsplat(name string) []*tile.Value {
	args := p.operands()
	p.attrs()
	p.expect(":")
	t := p.typ()
	if p.accept("->") {
		p.typ()
	}
	if p.wrongCount(name, args, 1) {
		return nil
	}
	flat, _ := t.WithShape(1)
	x := args[0]
	if t.Rank() != 1 {
		x = p.make(tile.OpReshape, tile.ReshapeAttr{}, []*tile.Value{x}, flat)[0]
	}
	op := p.b.Op(tile.OpReduce, tile.AxisAttr{}, []*tile.Value{x}, t.Scalar())
	region := &tile.Block{}
	first := region.AddArg(p.b.Func, t.Scalar(), "")
	region.AddArg(p.b.Func, t.Scalar(), "")
	op.Regions = []*tile.Block{region}
	outer := p.b.SetBlock(region)
	p.make(tile.OpYield, nil, []*tile.Value{first})
	p.b.SetBlock(outer)
	return op.Results
}

func (p *parser) readRange(string) []*tile.Value {
	a := p.attrs()
	p.expect(":")
	t := p.typ()
	start, _ := leadingInt(a["start"])
	end, _ := leadingInt(a["end"])
	return p.make(tile.OpRange, tile.RangeAttr{Start: start, End: end}, nil, t)
}

func (p *parser) readGather(string) []*tile.Value {
	src := p.operand()
	index := p.bracketed("[", "]")
	n, _ := leadingInt(p.attrs()["axis"])
	to := p.signature()
	if p.err != nil {
		return nil
	}
	return p.make(tile.OpGather, tile.AxisAttr{Axis: int(n)}, append([]*tile.Value{src}, index...), to[0])
}

func (p *parser) readProgram(name string) []*tile.Value {
	axis := keyword(p, map[int]string{0: "x", 1: "y", 2: "z"})
	p.attrs()
	p.expect(":")
	code := tile.OpProgramID
	if name == "tt.get_num_programs" {
		code = tile.OpNumPrograms
	}
	return p.make(code, tile.AxisAttr{Axis: axis}, nil, p.typ())
}

func (p *parser) readAssume(string) []*tile.Value {
	args := p.operands()
	p.attrs()
	p.expect(":")
	p.typ()
	return p.make(tile.OpAssume, nil, args)
}

func (p *parser) readDot(name string) []*tile.Value {
	args := p.operands()
	d := tile.DotAttr{}
	if p.accept(",") {
		p.expect("inputPrecision")
		p.expect("=")
		d.Precision = keyword(p, precisions)
	}
	n, _ := leadingInt(p.attrs()["maxNumImpreciseAcc"])
	d.MaxImprecise = int(n)
	p.expect(":")
	p.typ()
	p.expect("*")
	p.typ()
	p.expect("->")
	t := p.typ()
	if p.wrongCount(name, args, 3) {
		return nil
	}
	return p.make(tile.OpDot, d, args, t)
}

func (p *parser) readDotScaled(string) []*tile.Value {
	var d tile.DotScaledAttr
	a := p.operand()
	var scales []*tile.Value
	if d.ScaleA = p.accept("scale"); d.ScaleA {
		scales = append(scales, p.operand())
	}
	p.expect(",")
	b := p.operand()
	if d.ScaleB = p.accept("scale"); d.ScaleB {
		scales = append(scales, p.operand())
	}
	p.expect(",")
	c := p.operand()
	p.expect("lhs")
	p.expect("=")
	d.A = keyword(p, scaledFormats)
	p.expect("rhs")
	p.expect("=")
	d.B = keyword(p, scaledFormats)
	own := p.attrs()
	d.FastMath, d.PackM, d.PackN = own["fastMath"] == "true", own["lhs_k_pack"] == "false", own["rhs_k_pack"] == "false"
	p.expect(":")
	p.typeList()
	p.expect("*")
	p.typeList()
	p.expect("->")
	return p.make(tile.OpDotScaled, d, append([]*tile.Value{a, b, c}, scales...), p.typ())
}
