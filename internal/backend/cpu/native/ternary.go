package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// bitwise are operations on bits, as functions of truth tables.
var bitwise = map[tile.Code]func(a, b uint8) uint8{
	tile.OpAnd: func(a, b uint8) uint8 { return a & b },
	tile.OpOr:  func(a, b uint8) uint8 { return a | b },
	tile.OpXor: func(a, b uint8) uint8 { return a ^ b },
}

// logicBelow gives an operand of a bitwise operation that is one itself, and that nobody else wants, with its place; nil if there is none, or
// two of them are not one instruction.
func (x *nest) logicBelow(op *tile.Op) (inner *tile.Op, place int) {
	if !x.g.ternary || bitwise[op.Code] == nil || op.Results[0].Type.IsBool() {
		return nil, 0
	}
	for i, v := range op.Args {
		if v.Op != nil && bitwise[v.Op.Code] != nil && x.g.plan.uses[v] == 1 && x.g.bufs[v] == nil && x.g.derived[v] == nil && v.Type.IsTile() {
			return v.Op, i
		}
	}
	return nil, 0
}

// ternary computes op, whose operand number place is inner.
func (x *nest) ternary(op, inner *tile.Op, place int, at view) *val {
	args := x.evalAll(inner.Args, at)
	c := x.eval(op.Args[1-place], at)
	all := []*val{args[0], args[1], c}
	level := levelOf(all)
	if args[0].uni && args[1].uni || levelOf(args) < level { // the inner one is computed less often
		both := []*val{c, c}
		both[place] = x.apply(inner, args)
		return x.apply(op, both)
	}
	// Truth tables of what three operands are.
	table := bitwise[op.Code](bitwise[inner.Code](0xf0, 0xcc), 0xaa)
	g, d := x.g, newVal(op.Results[0].Type)
	d.level = level
	x.on(level, func() {
		var vs [3][2]reg
		for i, v := range all {
			vs[i] = x.asVec(v)
		}
		for h := range d.parts() {
			d.v[h] = g.move(vs[0][h])
			g.op3(amd64.VPTERNLOGD, d.v[h], vs[1][h], vs[2][h], int64(table))
		}
	})
	return d
}
