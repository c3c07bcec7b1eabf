package pass_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// TestAxisInfoGolden shows what is known beside each value.
func TestAxisInfoGolden(t *testing.T) {
	eachInput(t, "axisinfo", func(_ *testing.T, m *tile.Module) string {
		out := ""
		for _, f := range m.Funcs {
			info := pass.AnalyzeAxes(f)
			p := tile.Printer{Note: func(v *tile.Value) string { return info.Of(v).String() }}
			out += p.String(&tile.Module{Funcs: []*tile.Func{f}})
		}
		return out
	})
}

var indexPrograms = rapid.Custom(func(t *rapid.T) *indexGenerator {
	g := newIndexGenerator(t, rapid.Bool().Draw(t, "wraps"))
	g.body(rapid.IntRange(1, 20).Draw(t, "ops"), 1)
	g.Op(tile.OpReturn, nil, nil)
	return g
})

// TestFactsHold generates programs, runs them, and checks each claim of AnalyzeAxes and
// AnalyzeRanges against the elements. In half of them integers may wrap: then contiguity and sign, which assume that
// they do not, are left out, and so is signed division, which builds on the sign.
func TestFactsHold(t *testing.T) {
	check := func(t rapid.TB, g *indexGenerator) {
		if err := tile.Verify(g.Module); err != nil {
			t.Fatalf("the generator made an invalid module: %v", err)
		}
		c := &claims{info: pass.AnalyzeAxes(g.Func), ranges: pass.AnalyzeRanges(g.Func), wraps: g.wraps, names: tile.NewNames(g.Func)}
		e := &evaluator{vals: make(map[*tile.Value][]uint64), after: c.check}
		for i, v := range g.Func.Body.Args {
			e.vals[v] = []uint64{g.args[i]}
		}
		e.block(g.Func.Body)
		if c.falseRange || c.broken != "" && (g.wraps || !e.wrapped) {
			t.Fatalf("%s\nargs %x\n%s", c.broken, g.args, c.text(g.Module))
		}
	}
	for range 10 {
		rapid.Check(t, func(t *rapid.T) { check(t, indexPrograms.Draw(t, "program")) })
	}
	made := make(map[tile.Code]int)
	for seed := range 1000 {
		g := indexPrograms.Example(seed)
		count(made, g.Func)
		check(t, g)
	}
	wantAll(t, made, pass.AnalysisRules())
}

// count counts the operations of f.
func count(made map[tile.Code]int, f *tile.Func) {
	f.Body.Walk(func(op *tile.Op) { made[op.Code]++ })
}

// wantAll checks that the functions that are the same ones in every run had all operations that rules are about, so that no rule goes
// untested.
func wantAll(t *testing.T, made map[tile.Code]int, codes []tile.Code) {
	for _, c := range codes {
		if made[c] == 0 {
			t.Errorf("no generated function has %s", c)
		}
	}
}

// claims checks what an analysis says of values when they are computed.
type claims struct {
	info   *pass.Facts[pass.AxisInfo]
	ranges *pass.Facts[pass.Range]
	wraps  bool
	names  *tile.Names
	broken string // the first false claim
	// falseRange is set by a value outside its range: ranges assume nothing.
	falseRange bool
}

func (c *claims) text(m *tile.Module) string {
	return tile.Printer{Note: func(v *tile.Value) string { return c.info.Of(v).String() }}.String(m)
}

func (c *claims) check(v *tile.Value, elems []uint64) {
	info, t := c.info.Of(v), v.Type
	if c.broken != "" || t.IsFloat() {
		return
	}
	say := func(claim string, d, i int) {
		if c.broken == "" {
			c.broken = c.names.Of(v) + ": " + claim
			c.broken += " along " + string(rune('0'+d)) + " is wrong: " + info.String() + " of " + t.String()
		}
	}
	if t.IsInt() {
		c.checkRange(v, elems)
	}
	unit := int64(1)
	if t.IsPtr() {
		unit = int64(t.Pointee().ElemBytes())
	}
	x := make([]int64, len(elems))
	for i, b := range elems {
		x[i] = signedOf(b, t.ElemBits()).Int64()
		if k, ok := info.Const(); ok && k != x[i] {
			say("the constant", 0, i)
		}
		if info.NonNegative() && x[i] < 0 && !c.wraps {
			say("the sign", 0, i)
		}
	}
	shape := t.Shape()
	for d := range max(len(shape), 1) {
		stride, size := 1, 1
		if len(shape) > 0 {
			size = shape[d]
			for _, n := range shape[d+1:] {
				stride *= n
			}
		}
		if info.Contiguity(d) > size || info.Constancy(d) > size {
			say("a group larger than the dimension", d, 0)
			return
		}
		for i := range x {
			at := i / stride % size
			if at%info.Contiguity(d) == 0 && x[i]%info.Divisibility(d) != 0 {
				say("divisibility", d, i)
			}
			if run := info.AlignedRun(d); run > 1 && at%run == 0 && x[i]%(int64(info.AlignedRun(d))*unit) != 0 {
				say("the alignment of runs", d, i)
			}
			if at%info.AlignedRun(d) != 0 && x[i] != x[i-stride]+unit {
				say("an aligned run", d, i)
			}
			if !c.wraps && at%info.Contiguity(d) != 0 && x[i] != x[i-stride]+unit {
				say("contiguity", d, i)
			}
			if at%info.Constancy(d) != 0 && x[i] != x[i-stride] {
				say("constancy", d, i)
			}
		}
	}
}

func (c *claims) checkRange(v *tile.Value, elems []uint64) {
	r := c.ranges.Of(v)
	for _, b := range elems {
		x := int64(b)
		if !v.Type.IsBool() {
			x = signedOf(b, v.Type.ElemBits()).Int64()
		}
		if x < r.Lo || x > r.Hi {
			c.falseRange = true
			c.broken = fmt.Sprintf("%s is %d, outside of %d to %d", c.names.Of(v), x, r.Lo, r.Hi)
			return
		}
	}
}

// newIndexGenerator makes a generator of the operations that index arithmetic is made of.
func newIndexGenerator(t *rapid.T, wraps bool) *indexGenerator {
	g := &indexGenerator{generator: newBareGenerator(t), wraps: wraps}
	for _, e := range []tile.Elem{tile.I32, tile.I32, tile.I64} {
		div := int64(1) << rapid.IntRange(0, 5).Draw(t, "div")
		v := g.param(tile.Scalar(e))
		g.Func.Params[len(g.Func.Params)-1].Divisibility = div
		g.pool = append(g.pool, v)
		x := rapid.Int64Range(-20, 20).Draw(t, "arg")
		if wraps && rapid.Bool().Draw(t, "wide") {
			x = pick(g.generator, []int64{math.MinInt64, math.MinInt32, math.MaxInt32, math.MaxInt64, rapid.Int64().Draw(t, "arg")})
		}
		g.args = append(g.args, uint64(x*div)&(^uint64(0)>>(64-e.Bits())))
	}
	ptr := g.param(tile.PtrTo(tile.Scalar(tile.F32)))
	g.Func.Params[len(g.Func.Params)-1].Divisibility = 16
	g.pool = append(g.pool, ptr)
	g.args = append(g.args, uint64(16*rapid.Int64Range(100, 200).Draw(t, "arg")))
	return g
}

type indexGenerator struct {
	*generator
	wraps bool
	args  []uint64
}

func (g *indexGenerator) body(n, depth int) {
	for range n {
		switch rapid.IntRange(0, 14).Draw(g.t, "op") {
		case 0:
			start := rapid.Int64Range(-2, 3).Draw(g.t, "start") * 8
			r := g.keep(g.Range(start, start+1<<rapid.IntRange(0, 4).Draw(g.t, "log")))
			if rapid.Bool().Draw(g.t, "blocks") {
				shift := rapid.Uint64Range(1, 3).Draw(g.t, "shift")
				r = g.keep(g.Binary(tile.OpShrS, r, g.Const(r.Type, shift)))
				g.keep(g.Reshape(r, g.factored(r.Type), false))
			}
		case 1, 2, 3, 4:
			g.arithmetic()
		case 5:
			g.shape()
		case 6:
			x := g.any(tile.Type.IsInt)
			p := tile.CmpI(rapid.IntRange(0, int(tile.GEU)).Draw(g.t, "pred"))
			if !x.Type.IsBool() {
				g.keep(g.CmpI(p, x, g.number(x.Type)))
			}
		case 7:
			g.extend()
		case 8:
			g.offset()
		case 9:
			g.selection()
		case 10:
			if depth < 3 {
				g.loop(depth + 1)
			}
		case 11:
			g.hint()
		case 12:
			g.pickElements()
		case 13:
			g.keep(g.Op(pick(g.generator, []tile.Code{tile.OpProgramID, tile.OpNumPrograms}),
				tile.AxisAttr{Axis: rapid.IntRange(0, 2).Draw(g.t, "axis")}, nil, tile.Scalar(tile.I32)).Result())
		case 14:
			x := g.any(func(t tile.Type) bool { return t.IsInt() && !t.IsBool() })
			g.keep(g.Unary(tile.OpAbsI, x))
		}
	}
}

// pickElements makes a gather, or a histogram.
func (g *indexGenerator) pickElements() {
	x := g.any(func(t tile.Type) bool { return t.IsInt() && t.IsTile() })
	if x.Type.Rank() == 1 && x.Type.Elem() == tile.I32 && rapid.Bool().Draw(g.t, "histogram") {
		t, _ := tile.Scalar(tile.I32).WithShape(4)
		g.keep(g.Op(tile.OpHistogram, nil, []*tile.Value{x}, t).Result())
		return
	}
	axis := rapid.IntRange(0, x.Type.Rank()-1).Draw(g.t, "axis")
	t := x.Type.WithElem(tile.I32)
	g.keep(g.Gather(x, g.Binary(tile.OpAnd, g.value(t), g.Const(t, uint64(t.Dim(axis)-1))), axis))
}

// number draws a visible value or a constant that is likely a power of two.
func (g *indexGenerator) number(t tile.Type) *tile.Value {
	if t.IsBool() || rapid.Bool().Draw(g.t, "visible") {
		return g.value(t)
	}
	c := uint64(1) << rapid.IntRange(0, min(t.ElemBits()-2, 5)).Draw(g.t, "log")
	switch rapid.IntRange(0, 5).Draw(g.t, "kind") {
	case 0:
		c--
	case 1:
		c = -c
	case 2:
		c *= 3
	case 3:
		if g.wraps {
			c = rapid.Uint64().Draw(g.t, "bits")
		}
	}
	return g.keep(g.Const(t, c))
}

func (g *indexGenerator) arithmetic() {
	x := g.any(func(t tile.Type) bool { return t.IsInt() && !t.IsBool() })
	t := x.Type
	y := g.number(t)
	codes := []tile.Code{tile.OpAdd, tile.OpAdd, tile.OpAdd, tile.OpSub, tile.OpMul, tile.OpMul, tile.OpAnd, tile.OpOr, tile.OpXor,
		tile.OpMinU, tile.OpMaxU, tile.OpMinS, tile.OpMaxS, tile.OpDivU, tile.OpRemU, tile.OpShl, tile.OpShrS, tile.OpShrU, tile.OpMulHiU}
	if !g.wraps {
		codes = append(codes, tile.OpDivS, tile.OpRemS, tile.OpDivS, tile.OpRemS)
	}
	c := pick(g.generator, codes)
	switch c {
	case tile.OpShl, tile.OpShrS, tile.OpShrU:
		y = g.Const(t, rapid.Uint64Range(0, 5).Draw(g.t, "shift"))
	case tile.OpDivS, tile.OpRemS, tile.OpDivU, tile.OpRemU:
		y = g.Binary(tile.OpOr, y, g.Const(t, pick(g.generator, []uint64{1, 4, 16})))
		if rapid.Bool().Draw(g.t, "constant") {
			y = g.Const(t, pick(g.generator, []uint64{1, 2, 4, 8, 12, 16}))
		}
	default:
		if rapid.Bool().Draw(g.t, "swap") {
			x, y = y, x
		}
	}
	g.keep(g.Binary(c, x, y))
}

func (g *indexGenerator) selection() {
	x := g.any(func(t tile.Type) bool { return t.IsInt() && !t.IsBool() })
	y := g.keep(g.Binary(tile.OpAdd, x, g.number(x.Type)))
	var cond *tile.Value
	switch rapid.IntRange(0, 2).Draw(g.t, "cond") {
	case 0:
		cond = g.value(tile.Scalar(tile.I1))
	case 1:
		cond = g.value(x.Type.WithElem(tile.I1))
	case 2:
		cond = g.keep(g.CmpI(tile.LTS, x, g.number(x.Type)))
	}
	g.keep(g.Select(cond, x, y))
}

func (g *indexGenerator) extend() {
	x := g.any(func(t tile.Type) bool { return t.IsInt() && t.ElemBits() == 32 })
	switch rapid.IntRange(0, 4).Draw(g.t, "cast") {
	case 3:
		g.keep(g.Cast(tile.OpTrunc, x, tile.Scalar(tile.I1)))
	case 4:
		b := g.any(tile.Type.IsBool)
		g.keep(g.Cast(pick(g.generator, []tile.Code{tile.OpExtS, tile.OpExtU}), b, tile.Scalar(tile.I32)))
	case 0:
		g.keep(g.Cast(tile.OpExtS, x, tile.Scalar(tile.I64)))
	case 1:
		g.keep(g.Cast(tile.OpExtU, x, tile.Scalar(tile.I64)))
	case 2:
		if g.wraps {
			g.keep(g.Cast(tile.OpTrunc, x, tile.Scalar(tile.I8)))
		}
	}
}

// offset makes pointers.
func (g *indexGenerator) offset() {
	off := g.any(func(t tile.Type) bool { return t.IsInt() && t.ElemBits() >= 32 })
	p := g.visible(func(t tile.Type) bool { return t.IsPtr() && t.SameShape(off.Type) })
	if p == nil {
		p = g.Splat(g.Func.Body.Args[len(g.args)-1], off.Type)
	}
	p = g.keep(g.AddPtr(p, off))
	if rapid.IntRange(0, 3).Draw(g.t, "cast") == 0 {
		to := pick(g.generator, []tile.Elem{tile.I8, tile.F16, tile.I64})
		g.keep(g.Cast(tile.OpBitcast, p, tile.PtrTo(tile.Scalar(to))))
	}
}

// loop carries values through a for loop of a few iterations, or through an if.
func (g *indexGenerator) loop(depth int) {
	var inits []*tile.Value
	var types []tile.Type
	for range rapid.IntRange(1, 2).Draw(g.t, "carried") {
		v := g.any(tile.Type.IsInt)
		inits, types = append(inits, v), append(types, v.Type)
	}
	i32 := tile.Scalar(tile.I32)
	run := func(b *tile.Block, carried []*tile.Value) {
		outer, visible := g.SetBlock(b), len(g.pool)
		g.pool = append(g.pool, b.Args...)
		g.body(rapid.IntRange(0, 4).Draw(g.t, "ops"), depth)
		vals := make([]*tile.Value, len(types))
		for i, t := range types {
			vals[i] = g.number(t)
			if len(carried) > 0 && !t.IsBool() && rapid.Bool().Draw(g.t, "step") {
				vals[i] = g.Binary(tile.OpAdd, carried[i], g.number(t))
			}
		}
		g.Yield(vals...)
		g.pool = g.pool[:visible]
		g.SetBlock(outer)
	}
	if rapid.IntRange(0, 2).Draw(g.t, "if") == 0 {
		cond := g.value(tile.Scalar(tile.I1))
		then, els := g.NewBlock(), g.NewBlock()
		run(then, nil)
		run(els, nil)
		op := g.OpWithRegions(tile.OpIf, nil, []*tile.Value{cond}, []*tile.Block{then, els}, types...)
		g.pool = append(g.pool, op.Results...)
		return
	}
	lo, step := rapid.Int64Range(-4, 4).Draw(g.t, "lower"), pick(g.generator, []int64{1, 4, 16})
	hi := lo + step*rapid.Int64Range(0, 3).Draw(g.t, "trips")
	args := []*tile.Value{g.Const(i32, uint64(lo)), g.Const(i32, uint64(hi)), g.Const(i32, uint64(step))}
	body := g.NewBlock(append([]tile.Type{i32}, types...)...)
	run(body, body.Args[1:])
	op := g.OpWithRegions(tile.OpFor, tile.ForAttr{}, append(args, inits...), []*tile.Block{body}, types...)
	g.pool = append(g.pool, op.Results...)
}
