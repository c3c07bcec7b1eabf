package cudacpp

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// statement prints what nodes do.
func (p *printer) statement(l lanes) {
	n := l.first()
	if f := statements[n.Code]; f != nil {
		f(p, l)
		return
	}
	p.assign(l, p.pure(l))
}

// statements are the operations that are no expressions.
var statements [256]func(p *printer, l lanes)

func init() {
	for code, f := range map[lir.Code]func(p *printer, l lanes){
		lir.OpLoad:       (*printer).load,
		lir.OpStore:      (*printer).store,
		lir.OpAtomicRMW:  (*printer).atomic,
		lir.OpAtomicCAS:  (*printer).atomic,
		lir.OpFence:      (*printer).fence,
		lir.OpBarrier:    (*printer).barrier,
		lir.OpWarpSync:   func(p *printer, _ lanes) { p.write("__syncwarp();") },
		lir.OpMMA:        (*printer).mma,
		lir.OpGroupMMA:   (*printer).groupMMA,
		lir.OpGroupWait:  (*printer).groupWait,
		lir.OpProxyFence: func(p *printer, _ lanes) { p.write("%s();", p.helpers.proxyFence()) },
		lir.OpLoadMatrix: (*printer).loadMatrix,
		lir.OpCopyAsync:  (*printer).copyAsync,
		lir.OpCopyCommit: func(p *printer, _ lanes) { p.write("%s();", p.helpers.commit()) },
		lir.OpCopyWait:   func(p *printer, l lanes) { p.write("%s<%d>();", p.helpers.wait(), l.first().Imm) },
		lir.OpSignalInit: (*printer).signalInit,
		lir.OpSignalEnd:  (*printer).signalEnd,
		lir.OpSignalGive: (*printer).signalGive,
		lir.OpSignalWait: (*printer).signalWait,
		lir.OpYield:      func(p *printer, l lanes) { p.leave(l.first()) },
		lir.OpCondition:  func(p *printer, l lanes) { p.leave(l.first()) },
		lir.OpReturn:     (*printer).leaveKernel,
		lir.OpPrint:      (*printer).print,
		lir.OpAssert:     (*printer).assert,
		lir.OpAsm:        (*printer).assembly,
		lir.OpUnpack:     (*printer).unpack,
	} {
		statements[code] = f
	}
}

// pure writes the expression that an operation is.
func (p *printer) pure(l lanes) expr {
	n := l.first()
	f := expressions[n.Code]
	if f == nil {
		panic(unspelled{n.Code})
	}
	return f(p, n, l.args(0))
}

type spelling func(p *printer, n *node, x []expr) expr

// expressions are the operations that are expressions.
var expressions [256]spelling

func init() {
	for code, f := range map[lir.Code]spelling{
		lir.OpParam:       (*printer).param,
		lir.OpThreadID:    (*printer).threadID,
		lir.OpProgramID:   axis("blockIdx", "cluster_id", "clusterid"),
		lir.OpNumPrograms: axis("gridDim", "clusters", "nclusterid"),
		lir.OpAdd:         wrapping("+", precAdd),
		lir.OpSub:         wrapping("-", precAdd),
		lir.OpMul:         wrapping("*", precMul),
		lir.OpMulHiU:      (*printer).mulHigh,
		lir.OpMulHiS:      (*printer).mulHigh,
		lir.OpDivS:        quotient("/", "div", true),
		lir.OpDivU:        quotient("/", "div", false),
		lir.OpRemS:        quotient("%", "rem", true),
		lir.OpRemU:        quotient("%", "rem", false),
		lir.OpAnd:         bitwise("&", "&&", precAnd, precAndThen),
		lir.OpOr:          bitwise("|", "||", precOr, precOrElse),
		lir.OpXor:         (*printer).xor,
		lir.OpShl:         shift("<<", "shl"),
		lir.OpShrS:        shift(">>", "shr"),
		lir.OpShrU:        shift(">>", "shr"),
		lir.OpMinS:        extreme("min", true),
		lir.OpMinU:        extreme("min", false),
		lir.OpMaxS:        extreme("max", true),
		lir.OpMaxU:        extreme("max", false),
		lir.OpPopCount:    byWidth("__popc", "__popcll", "int"),
		lir.OpCLZ:         byWidth("__clz", "__clzll", "int"),
		lir.OpBitRev:      byWidth("__brev", "__brevll", ""),
		lir.OpCmp:         (*printer).compare,
		lir.OpPrmt:        func(p *printer, n *node, x []expr) expr { return call("unsigned", p.helpers.prmt(), unsigned(x)...) },
		lir.OpFAdd:        arithmetic("+", precAdd, "add"),
		lir.OpFSub:        arithmetic("-", precAdd, "sub"),
		lir.OpFMul:        arithmetic("*", precMul, "mul"),
		lir.OpFDiv:        (*printer).divide32,
		lir.OpFMA:         (*printer).fma,
		lir.OpFMASat:      (*printer).saturatedFMA,
		lir.OpFMin:        floatExtreme("min"),
		lir.OpFMax:        floatExtreme("max"),
		lir.OpFNeg:        (*printer).negate,
		lir.OpFAbs:        (*printer).absolute,
		lir.OpFCmp:        (*printer).compareFloats,
		lir.OpSqrt:        root("sqrt"),
		lir.OpRcp:         root("rcp"),
		lir.OpRSqrt:       approximate("rsqrt"),
		lir.OpExp2:        approximate("ex2"),
		lir.OpLog2:        approximate("lg2"),
		lir.OpSin:         approximate("sin"),
		lir.OpCos:         approximate("cos"),
		lir.OpTanh:        approximate("tanh"),
		lir.OpFRound:      (*printer).roundTo,
		lir.OpTrunc:       (*printer).truncate,
		lir.OpExtS:        (*printer).extend,
		lir.OpExtU:        (*printer).extend,
		lir.OpFTrunc:      (*printer).convert,
		lir.OpFExt:        (*printer).convert,
		lir.OpSToF:        (*printer).convert,
		lir.OpUToF:        (*printer).convert,
		lir.OpFToS:        (*printer).convert,
		lir.OpFToU:        (*printer).convert,
		lir.OpBitcast:     (*printer).bitcast,
		lir.OpToF8:        (*printer).toF8,
		lir.OpFromF8:      (*printer).fromF8,
		lir.OpPackF16:     (*printer).packF16,
		lir.OpPack:        (*printer).pack,
		lir.OpSelect:      (*printer).choose,
		lir.OpShuffle:     (*printer).shuffle,
		lir.OpBallot:      func(_ *printer, _ *node, x []expr) expr { return call("unsigned", "__ballot_sync", allLanes, x[0]) },
		lir.OpRedux:       (*printer).redux,
		lir.OpClock:       func(p *printer, _ *node, _ []expr) expr { return call("long long", p.helpers.clock()) },
		codeIndex:         (*printer).indexed2,
		codeCopy:          func(_ *printer, _ *node, x []expr) expr { return x[0] },
	} {
		expressions[code] = f
	}
}

// allLanes is the mask of a warp's threads.
var allLanes = newExpr("0xffffffffu", precPrimary, "unsigned")

func unsigned(x []expr) []expr {
	out := make([]expr, len(x))
	for i, e := range x {
		out[i] = e.unsigned()
	}
	return out
}

func signed(x []expr) []expr {
	out := make([]expr, len(x))
	for i, e := range x {
		out[i] = e.signed()
	}
	return out
}

func (p *printer) param(n *node, _ []expr) expr {
	at := p.f.Params[n.Imm]
	return newExpr(p.params[n.Imm], precPrimary, paramType(at))
}

func paramType(at lir.Param) string {
	if at.Pointer {
		return typeNames[pointeeOf(at)] + "*"
	}
	return typeNames[at.Type]
}

// indexed2 is a pointer and how many elements to go.
func (p *printer) indexed2(n *node, x []expr) expr { return advanced(x[0], x[1]) }

// advanced adds to a pointer.
func advanced(base, by expr) expr {
	by = by.signed()
	if by.text == "0" {
		return base
	}
	if strings.HasPrefix(by.text, "-") && by.prec == precUnary {
		return binary(base, "-", newExpr(by.text[1:], precPrimary, by.typ), precAdd, base.typ)
	}
	return binary(base, "+", by, precAdd, base.typ)
}

// wrapping is arithmetic modulo a power of two: without sign, as C++ defines no overflow of numbers with one.
func wrapping(op string, p prec) spelling {
	return func(pr *printer, n *node, x []expr) expr {
		a, b := x[0].integer(), x[1].integer()
		typ := typeNames[n.Results[0].Type]
		if !pr.fits(n) {
			typ = unsignedNames[typ]
			if a.typ != typ && b.typ != typ {
				a = a.unsigned()
			}
		} else {
			a, b = a.signed(), b.signed()
			switch { // the other operand extends it
			case a.int != "" && b.int == "" && b.typ == "long long":
				a = newExpr(a.int, precUnary, "int")
			case b.int != "" && a.int == "" && a.typ == "long long":
				b = newExpr(b.int, precUnary, "int")
			}
		}
		if strings.HasPrefix(typ, "unsigned") && op != "+" {
			a, b = a.literal(typ), b.literal(typ)
		}
		if op == "+" && strings.HasPrefix(b.text, "-") && b.prec == precUnary && b.typ != "unsigned" && isDigit(b.text[1]) {
			return binary(a, "-", newExpr(b.text[1:], precPrimary, b.typ), p, typ)
		}
		return binary(a, op, b, p, typ)
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (p *printer) mulHigh(n *node, x []expr) expr {
	if n.Code == lir.OpMulHiS {
		return byWidth("__mulhi", "__mul64hi", "")(p, n, signed(x))
	}
	return byWidth("__umulhi", "__umul64hi", "")(p, n, unsigned(x))
}

// byWidth is one of two functions. It takes numbers without sign, unless they are taken with one.
func byWidth(narrow, wide, typ string) spelling {
	return func(_ *printer, n *node, x []expr) expr {
		name := narrow
		if n.Args[0].Type == lir.I64 {
			name = wide
		}
		for i := range x {
			x[i] = x[i].integer()
		}
		result := typ
		if result == "" {
			result = x[0].unsigned().typ
			if n.Code == lir.OpMulHiS {
				result = x[0].signed().typ
			}
		}
		return call(result, name, x...)
	}
}

// quotient: where the divisor might be 0 or -1 it is an instruction, which C++ would let be anything.
func quotient(op, name string, withSign bool) spelling {
	return func(p *printer, n *node, x []expr) expr {
		if withSign {
			x = signed(x)
		} else {
			x = unsigned(x)
		}
		if d := n.Args[1]; d.IsConst() && d.Bits != 0 && (!withSign || d.Int() != -1) {
			return binary(x[0], op, x[1], precMul, x[0].typ)
		}
		return call(x[0].typ, p.helpers.divide(name, x[0].typ), x[0], x[1])
	}
}

// bitwise also is what truth values have.
func bitwise(op, logical string, p, logicalPrec prec) spelling {
	return func(_ *printer, n *node, x []expr) expr {
		if n.Args[0].Type == lir.I1 {
			return binary(x[0], logical, x[1], logicalPrec, "bool")
		}
		a, b := x[0].integer(), x[1].integer()
		typ := common(a, b)
		if strings.HasPrefix(typ, "unsigned") {
			a, b = a.literal(typ), b.literal(typ)
		}
		return narrowed(n, binary(a.grouped(), op, b.grouped(), p, typ))
	}
}

// grouped puts parentheses around sums and the like, whose precedence beside operations on bits few remember.
func (e expr) grouped() expr {
	if e.prec > precAnd && e.prec < precUnary {
		return newExpr("("+e.text+")", precPrimary, e.typ)
	}
	return e
}

// common gives the type of an operation on bits.
func common(x, y expr) string {
	for _, e := range []expr{x, y} {
		if e.isPointer() || strings.HasPrefix(e.typ, "unsigned") {
			return e.unsigned().typ
		}
	}
	return x.typ
}

// narrowed: C++ computes with at least 32 bits.
func narrowed(n *node, e expr) expr {
	if t := n.Results[0].Type; t == lir.I8 || t == lir.I16 {
		e.typ = ""
		return e.to(typeNames[t])
	}
	return e
}

func (p *printer) xor(n *node, x []expr) expr {
	if c := n.Args[1]; c.IsConst() && n.Args[0].Type != lir.I1 && c.Int() == -1 {
		return narrowed(n, newExpr("~"+x[0].integer().in(precPrimary), precUnary, x[0].integer().typ))
	}
	if n.Args[0].Type != lir.I1 {
		return bitwise("^", "", precXor, 0)(p, n, x)
	}
	for i, a := range n.Args {
		if a.IsConst() {
			if a.Bits == 1 {
				return not(x[1-i])
			}
			return x[1-i]
		}
	}
	return binary(x[0], "!=", x[1], precEqual, "bool")
}

// shift: C++ does not define shifts as far as the width and farther.
func shift(op, name string) spelling {
	return func(p *printer, n *node, x []expr) expr {
		v := x[0].unsigned()
		if n.Code == lir.OpShrS || n.Code == lir.OpShl && p.fits(n) || n.Code == lir.OpShrU && p.operandRange(n, 0).positive() {
			v = x[0].signed()
		}
		if c := n.Args[1]; c.IsConst() && c.Bits < uint64(n.Args[0].Type.Bits()) {
			if n.Code == lir.OpShl && n.Args[0].Type.Bits() >= 32 && c.Bits < 20 {
				return binary(v, "*", number(1<<c.Bits), precMul, v.typ)
			}
			return narrowed(n, binary(v, op, x[1], precShift, v.typ))
		}
		return narrowed(n, call(v.typ, p.helpers.shift(name, v.typ), v, x[1].unsigned()))
	}
}

func extreme(name string, withSign bool) spelling {
	return func(_ *printer, _ *node, x []expr) expr {
		if withSign {
			x = signed(x)
		} else {
			x = unsigned(x)
		}
		if x[0].typ == "long long" || x[0].typ == "unsigned long long" {
			for i := range x {
				if isDigit(x[i].text[len(x[i].text)-1]) && x[i].prec >= precUnary && (isDigit(x[i].text[0]) || x[i].text[0] == '-') {
					x[i].text += "ll"
				}
			}
		}
		return call(x[0].typ, name, x[0], x[1])
	}
}

var comparisons = [...]struct {
	op string
	p  prec
}{
	tile.EQ: {"==", precEqual}, tile.NE: {"!=", precEqual}, tile.LTS: {"<", precLess}, tile.LES: {"<=", precLess}, tile.GTS: {">", precLess},
	tile.GES: {">=", precLess}, tile.LTU: {"<", precLess}, tile.LEU: {"<=", precLess}, tile.GTU: {">", precLess}, tile.GEU: {">=", precLess},
}

func (p *printer) compare(n *node, x []expr) expr {
	c := tile.CmpI(n.Mod)
	switch {
	case n.Args[0].Type == lir.I1:
	case c == tile.EQ || c == tile.NE:
		if x[0].typ != x[1].typ {
			x = unsigned(x)
		}
	case c >= tile.LTS && c <= tile.GES, p.operandRange(n, 0).positive() && p.operandRange(n, 1).positive() && n.Args[0].Type.Bits() >= 32:
		x = signed(x)
	default:
		x = unsigned(x)
	}
	return binary(x[0], comparisons[c].op, x[1], comparisons[c].p, "bool")
}

func (p *printer) choose(n *node, x []expr) expr {
	a, b := x[1], x[2]
	if a.typ != b.typ && n.Results[0].Type.IsInt() && n.Results[0].Type != lir.I1 {
		a, b = a.unsigned(), b.unsigned()
	}
	return newExpr(x[0].in(precOrElse)+" ? "+a.in(precOrElse)+" : "+b.in(precChoice), precChoice, a.typ)
}

var shuffles = [...]string{lir.ShuffleIdx: "__shfl_sync", lir.ShuffleXor: "__shfl_xor_sync", lir.ShuffleUp: "__shfl_up_sync", lir.ShuffleDown: "__shfl_down_sync"}

func (p *printer) shuffle(n *node, x []expr) expr {
	return call(x[0].typ, shuffles[n.Mod], allLanes, x[0], x[1].signed())
}

var reduxes = map[tile.Atomic]struct {
	name     string
	withSign bool
}{
	tile.AtomicAdd: {"add", false}, tile.AtomicAnd: {"and", false}, tile.AtomicOr: {"or", false}, tile.AtomicXor: {"xor", false},
	tile.AtomicMaxS: {"max", true}, tile.AtomicMaxU: {"max", false}, tile.AtomicMinS: {"min", true}, tile.AtomicMinU: {"min", false},
}

func (p *printer) redux(n *node, x []expr) expr {
	r := reduxes[tile.Atomic(n.Mod)]
	v := x[0].unsigned()
	if r.withSign {
		v = x[0].signed()
	}
	return call(v.typ, "__reduce_"+r.name+"_sync", allLanes, v)
}
