package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// assert compiles OpAssert: the code looks whether it holds for all elements, and only if it does not has the executor make the error.
func (g *generator) assert(op *tile.Op) {
	bad := g.gpr()
	g.op3(amd64.XORL, bad, bad, none, 0)
	if op.Args[0].Type.IsScalar() {
		x := g.straight()
		g.failing(x, x.evalAll(op.Args, view{}), bad)
	} else {
		g.strips(op.Args[0].Type, func(x *nest, at view) {
			g.loc, g.at = op.Loc, op
			args := x.evalAll(op.Args, at)
			x.on(x.depth(), func() { g.failing(x, args, bad) })
		})
	}
	g.loc, g.at = op.Loc, op
	good := g.label()
	g.op3(amd64.TESTL, bad, bad, none, 0)
	g.jcc(amd64.CCE, good)
	g.outline(op)
	g.bind(good)
}

// failing sets bits of bad for lanes whose condition does not hold.
func (g *generator) failing(x *nest, args []*val, bad reg) {
	k := g.kop(amd64.KNOT, x.asMask(args[0]), none, 0)
	if len(args) > 1 {
		k = g.kop(amd64.KAND, k, x.asMask(args[1]), 0)
	}
	bits := g.gpr()
	g.op3(amd64.KMOVtoG, bits, x.lanesMask(k), none, 0)
	g.op3(amd64.ORL, bad, bits, none, 0)
}
