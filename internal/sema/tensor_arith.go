package sema

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// opNames are the operators as messages write them.
var opNames = map[syntax.Op]string{
	syntax.Add: "+", syntax.Sub: "-", syntax.Mult: "*", syntax.Div: "/", syntax.FloorDiv: "//", syntax.Mod: "%",
	syntax.Pow: "**", syntax.MatMult: "@", syntax.LShift: "<<", syntax.RShift: ">>",
	syntax.BitAnd: "&", syntax.BitOr: "|", syntax.BitXor: "^",
	syntax.Eq: "==", syntax.NotEq: "!=", syntax.Lt: "<", syntax.LtE: "<=", syntax.Gt: ">", syntax.GtE: ">=",
	syntax.USub: "-", syntax.UAdd: "+", syntax.Invert: "~", syntax.Not: "not", syntax.And: "and", syntax.Or: "or",
	syntax.In: "in", syntax.NotIn: "not in",
}

// arithmetic lists the operation of each operator for floats, signed and unsigned integers; BadOp where
// there is none.
var arithmetic = map[syntax.Op]struct{ float, signed, unsigned tile.Code }{
	syntax.Add:      {tile.OpFAdd, tile.OpAdd, tile.OpAdd},
	syntax.Sub:      {tile.OpFSub, tile.OpSub, tile.OpSub},
	syntax.Mult:     {tile.OpFMul, tile.OpMul, tile.OpMul},
	syntax.FloorDiv: {tile.BadOp, tile.OpDivS, tile.OpDivU},
	syntax.Mod:      {tile.OpFRem, tile.OpRemS, tile.OpRemU},
	syntax.BitAnd:   {tile.BadOp, tile.OpAnd, tile.OpAnd},
	syntax.BitOr:    {tile.BadOp, tile.OpOr, tile.OpOr},
	syntax.BitXor:   {tile.BadOp, tile.OpXor, tile.OpXor},
	syntax.LShift:   {tile.BadOp, tile.OpShl, tile.OpShl},
	syntax.RShift:   {tile.BadOp, tile.OpShrS, tile.OpShrU},
}

// comparisons lists the predicates of each comparison for floats, signed and unsigned integers.
var comparisons = map[syntax.Op]struct {
	float            tile.CmpF
	signed, unsigned tile.CmpI
}{
	syntax.Eq:    {tile.OEQ, tile.EQ, tile.EQ},
	syntax.NotEq: {tile.UNE, tile.NE, tile.NE},
	syntax.Lt:    {tile.OLT, tile.LTS, tile.LTU},
	syntax.LtE:   {tile.OLE, tile.LES, tile.LEU},
	syntax.Gt:    {tile.OGT, tile.GTS, tile.GTU},
	syntax.GtE:   {tile.OGE, tile.GES, tile.GEU},
}

// binary does x op y for every binary operator and comparison; one of x and y is a Tensor.
func (g *gen) binary(op syntax.Op, x, y Value, at syntax.Node) Value {
	x, y = g.operand(op, x, y, x, at), g.operand(op, x, y, y, at)
	if cmp, ok := comparisons[op]; ok {
		a, b := g.unify(opNames[op], x, y, at)
		if a.Type().isFloat() {
			return Tensor{g.b.CmpF(cmp.float, a.V, b.V), dtype.Int1}
		}
		if a.DType.IsSigned() {
			return Tensor{g.b.CmpI(cmp.signed, a.V, b.V), dtype.Int1}
		}
		return Tensor{g.b.CmpI(cmp.unsigned, a.V, b.V), dtype.Int1}
	}
	switch op {
	case syntax.Add, syntax.Sub:
		if isPointer(x) || isPointer(y) {
			return g.offset(op, x, y, at)
		}
	case syntax.Div:
		return g.divide(x, y, at)
	case syntax.RShift:
		return g.shiftRight(x, y, at)
	}
	return g.arith(op, x, y, at)
}

// operand gives v if it is a tensor or a number.
func (g *gen) operand(op syntax.Op, x, y, v Value, at syntax.Node) Value {
	if _, ok := v.(Tensor); ok || isNumber(v) {
		return v
	}
	g.failWith(at, g.givenTuple(v), "type-mismatch", "unsupported operands for '%s': %s and %s", opNames[op], describe(x), describe(y))
	return nil
}

// givenTuple says of a value that the launch gave as a list or a tuple which parameter takes it: the first one, if it was given to several.
func (g *gen) givenTuple(v Value) []diag.Note {
	t, ok := v.(pyval.Tuple)
	if !ok || g.frame.caller != nil || len(t.Elems) == 0 {
		return nil
	}
	var first *syntax.Arg
	for _, l := range g.frame.vars {
		given, isTuple := l.val.(pyval.Tuple)
		p, isParam := l.at.(*syntax.Arg)
		if isParam && isTuple && len(given.Elems) > 0 && &given.Elems[0] == &t.Elems[0] && (first == nil || p.Pos < first.Pos) {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	return []diag.Note{g.note(first, "'%s' was given a list or a tuple; a pointer takes an array", first.Name)}
}

// arith does the operators of the arithmetic table.
func (g *gen) arith(op syntax.Op, x, y Value, at syntax.Node) Tensor {
	row, ok := arithmetic[op]
	if !ok {
		g.fail(at, "type-mismatch", "tensors have no operator '%s'%s", opNames[op], operatorHints[op])
	}
	var a, b Tensor
	if op == syntax.FloorDiv || op == syntax.Mod {
		a, b = g.unifyDiv(opNames[op], x, y, at)
	} else {
		a, b = g.unify(opNames[op], x, y, at)
	}
	code := row.unsigned
	switch {
	case a.Type().isFloat():
		code = row.float
	case a.DType.IsSigned():
		code = row.signed
	}
	if code == tile.BadOp {
		g.fail(at, "type-mismatch", "'%s' needs integers, not %s and %s%s", opNames[op], describe(x), describe(y), operatorHints[op])
	}
	return Tensor{g.b.Binary(code, a.V, b.V), a.DType}
}

// operatorHints say what to write instead of an operator that does not fit.
var operatorHints = map[syntax.Op]string{
	syntax.Pow:      "; multiply, or use tl.exp2(y * tl.log2(x)) or libdevice.pow",
	syntax.MatMult:  "; use tl.dot",
	syntax.FloorDiv: "; for floats use tl.floor(x / y)",
}

// divide is /: integers divide as float32, floats of fewer bits too.
func (g *gen) divide(x, y Value, at syntax.Node) Tensor {
	a, b := g.unifyDiv("/", x, y, at)
	if a.Type().isInt() {
		a, b = g.cast(a, dtype.Float32, at), g.cast(b, dtype.Float32, at)
	}
	return Tensor{g.b.Binary(tile.OpFDiv, a.V, b.V), a.DType}
}

// shiftRight keeps the sign if the tensor that owns the operator is signed: x, or y if x is a number.
func (g *gen) shiftRight(x, y Value, at syntax.Node) Tensor {
	owner, ok := x.(Tensor)
	if !ok {
		owner = y.(Tensor)
	}
	a, b := g.unify(">>", x, y, at)
	if !a.Type().isInt() {
		g.fail(at, "type-mismatch", "'>>' needs integers, not %s and %s", describe(x), describe(y))
	}
	code := tile.OpShrU
	if owner.DType.IsSigned() {
		code = tile.OpShrS
	}
	return Tensor{g.b.Binary(code, a.V, b.V), a.DType}
}

// offset is pointer + integer, integer + pointer or pointer - integer, in elements.
func (g *gen) offset(op syntax.Op, x, y Value, at syntax.Node) Tensor {
	if !isPointer(x) && op == syntax.Add {
		x, y = y, x
	}
	ptr, isTensor := x.(Tensor)
	if !isTensor || !ptr.Type().IsPtr() || isPointer(y) {
		g.fail(at, "type-mismatch", "unsupported operands for '%s': %s and %s; a pointer and an integer offset would fit",
			opNames[op], describe(x), describe(y))
	}
	off := g.toTensor(y, at)
	if !off.Type().isInt() {
		g.fail(at, "type-mismatch", "a pointer is offset by an integer, not by %s", describe(y))
	}
	if !off.DType.IsSigned() && off.DType.Bits() < 64 {
		off = g.cast(off, dtype.Int64, at) // the offset of OpAddPtr is signed
	}
	if op == syntax.Sub {
		off = Tensor{g.b.Binary(tile.OpSub, g.zero(off.Type()).V, off.V), off.DType}
	}
	ptr, off = g.broadcast2(ptr, off, at)
	return Tensor{g.b.AddPtr(ptr.V, off.V), ptr.DType}
}

func isPointer(v Value) bool {
	t, ok := v.(Tensor)
	return ok && t.Type().IsPtr()
}

// unify gives two numbers or tensors one element type and shape, or fails; what names the operation.
func (g *gen) unify(what string, x, y Value, at syntax.Node) (Tensor, Tensor) {
	return g.unifyAs(what, x, y, false, at)
}

// unifyDiv is unify for the divisions.
func (g *gen) unifyDiv(what string, x, y Value, at syntax.Node) (Tensor, Tensor) {
	return g.unifyAs(what, x, y, true, at)
}

func (g *gen) unifyAs(what string, x, y Value, div bool, at syntax.Node) (Tensor, Tensor) {
	a, b := g.operandType(what, x, at), g.operandType(what, y, at)
	d, err := promote(a, b, div)
	switch {
	case err == errSignedness:
		g.fail(at, "signedness", "'%s' of %s and %s mixes signedness, which is hardly what is meant; cast one of them", what, describe(x), describe(y))
	case err != nil:
		g.fail(at, "type-mismatch", "%s and %s have no common type for '%s'", describe(x), describe(y), what)
	}
	return g.broadcast2(g.convert(x, d, at), g.convert(y, d, at), at)
}

// unify3 is unify for three: tensors and numbers promote among themselves first.
func (g *gen) unify3(what string, vals []Value, at syntax.Node) []Tensor {
	var tensors, numbers *operandType
	for _, v := range vals {
		t := g.operandType(what, v, at)
		into := &tensors
		if t.number {
			into = &numbers
		}
		if *into == nil {
			*into = &t
			continue
		}
		(*into).dtype = g.promoteOrFail(what, **into, t, vals, at)
	}
	d := dtype.Invalid
	switch {
	case tensors == nil:
		d = numbers.dtype
	case numbers == nil:
		d = tensors.dtype
	default:
		d = g.promoteOrFail(what, *tensors, *numbers, vals, at)
	}
	out := make([]Tensor, len(vals))
	for i, v := range vals {
		out[i] = g.convert(v, d, at)
	}
	return g.broadcastAll(out, at)
}

func (g *gen) promoteOrFail(what string, x, y operandType, vals []Value, at syntax.Node) dtype.DType {
	d, err := promote(x, y, false)
	if err != nil {
		g.fail(at, "type-mismatch", "%s, %s and %s have no common type for %s", describe(vals[0]), describe(vals[1]), describe(vals[2]), what)
	}
	return d
}

// operandType gives what promote needs to know of v; pointers fail.
func (g *gen) operandType(what string, v Value, at syntax.Node) operandType {
	t, ok := v.(Tensor)
	if !ok {
		d, ok := literalType(v)
		if !ok {
			g.fail(at, "type-mismatch", "'%s' of %s is not possible", what, describe(v))
		}
		return operandType{d, true}
	}
	if t.Type().IsPtr() {
		g.fail(at, "type-mismatch", "'%s' of %s is not possible; cast the pointer to int64 if its address is meant", what, t.Type())
	}
	return operandType{t.DType, false}
}

// convert brings an operand to the type of the computation. A number must be representable there.
func (g *gen) convert(v Value, d dtype.DType, at syntax.Node) Tensor {
	if t, ok := v.(Tensor); ok {
		return g.cast(t, d, at)
	}
	if d.IsInt() && !d.IsSigned() && isNegative(v) {
		g.fail(at, "out-of-range", "%v is negative, but the other operand is %s; cast one of them", v, d.Attr())
	}
	return g.number(v, ScalarType(d), at)
}

// unary does -x, +x, ~x and not x.
func (g *gen) unary(op syntax.Op, x Tensor, at syntax.Node) Value {
	t := x.Type()
	switch op {
	case syntax.UAdd:
		return x
	case syntax.USub:
		if t.IsPtr() {
			break
		}
		if t.isFloat() {
			return Tensor{g.b.Unary(tile.OpFNeg, x.V), x.DType}
		}
		return Tensor{g.b.Binary(tile.OpSub, g.zero(t).V, x.V), x.DType}
	case syntax.Invert:
		if t.isInt() {
			return g.invert(x)
		}
	case syntax.Not:
		return g.invert(g.asBool("not", x, at))
	}
	g.fail(at, "type-mismatch", "'%s' of %s is not possible", opNames[op], t)
	return nil
}

func (g *gen) invert(x Tensor) Tensor {
	ones := g.constant(x.Type(), ^uint64(0))
	return Tensor{g.b.Binary(tile.OpXor, x.V, ones.V), x.DType}
}

// logical does and and or of conditions; on tiles they are & and |.
func (g *gen) logical(op syntax.Op, x, y Value, at syntax.Node) Value {
	a := g.asBool(opNames[op], g.toTensor(x, at), at)
	b := g.asBool(opNames[op], g.toTensor(y, at), at)
	a, b = g.broadcast2(a, b, at)
	code := tile.OpAnd
	if op == syntax.Or {
		code = tile.OpOr
	}
	return Tensor{g.b.Binary(code, a.V, b.V), dtype.Int1}
}

// asBool gives an operand of a logical operator, which must be a condition.
func (g *gen) asBool(what string, x Tensor, at syntax.Node) Tensor {
	if !x.Type().isBool() {
		g.fail(at, "type-mismatch", "'%s' needs a condition, not %s; compare it, as in x != 0", what, x.Type())
	}
	return x
}
