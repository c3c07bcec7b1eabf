package pass_test

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// A meaningCase is a program, and what it is given.
type meaningCase struct {
	m      *tile.Module
	args   [][]uint64
	memory map[uint64]uint64
}

var meaningCases = rapid.Custom(func(t *rapid.T) meaningCase {
	g := newGenerator(t)
	g.body(rapid.IntRange(1, 30).Draw(t, "ops"), 0)
	c := meaningCase{m: g.finish()}
	c.args, c.memory = g.arguments()
	return c
})

// check runs the program before and after passes.
func (c meaningCase) check(t rapid.TB, passes []pass.Pass) {
	t.Helper()
	m, f := c.m, c.m.Funcs[0]
	if err := tile.Verify(m); err != nil {
		t.Fatalf("the generator made an invalid module: %v", err)
	}
	before := tile.Printer{}.String(m)
	e1, want := evaluate(f, c.args, c.memory)
	runVerified(t, m, passes)
	e2, got := evaluate(f, c.args, c.memory)
	if !sameResults(f.Results, want, got) || !sameTrace(e1, e2) {
		t.Fatalf("args %x\n%s\nbecame\n%s\nresults %x, not %x\nstores %v, not %v",
			c.args, before, tile.Printer{}.String(m), got, want, e2.trace, e1.trace)
	}
}

// TestSameMeaning generates programs, runs them before and after the passes, and compares
// results, stores and memory.
func TestSameMeaning(t *testing.T) {
	made := make(map[tile.Code]int)
	const fixed = 200 // programs for each list that are the same ones in every run
	for i, list := range []struct {
		name   string
		passes []pass.Pass
	}{
		{"canonicalize", []pass.Pass{pass.Canonicalize}},
		{"cse", []pass.Pass{pass.CSE}},
		{"licm", []pass.Pass{pass.LICM}},
		{"bounds", []pass.Pass{pass.Bounds}},
		{"dce", []pass.Pass{pass.DCE}},
		{"default", pass.Default()},
		{"twice", append(pass.Default(), pass.Default()...)},
	} {
		t.Run(list.name, func(t *testing.T) {
			for range 2 {
				rapid.Check(t, func(t *rapid.T) { meaningCases.Draw(t, "case").check(t, list.passes) })
			}
		})
		for seed := range fixed {
			c := meaningCases.Example(i*fixed + seed)
			count(made, c.m.Funcs[0])
			c.check(t, list.passes)
		}
	}
	wantAll(t, made, pass.RewriteRules())
}

func sameTrace(x, y *evaluator) bool {
	if len(x.trace) != len(y.trace) {
		return false
	}
	for i := range x.trace {
		if x.trace[i] != y.trace[i] {
			return false
		}
	}
	return true
}

// sameResults compares bits, but for NaNs, which are all the same.
func sameResults(types []tile.Type, x, y [][]uint64) bool {
	for i, t := range types {
		for k := range x[i] {
			a, b := x[i][k], y[i][k]
			if a == b {
				continue
			}
			if !t.IsFloat() {
				return false
			}
			d := t.Elem().DType()
			if !math.IsNaN(d.Decode(a)) || !math.IsNaN(d.Decode(b)) {
				return false
			}
		}
	}
	return true
}

// A generator makes a function of integer, float and pointer values that never divides by
// zero, shifts by the width or loops for long.
type generator struct {
	t *rapid.T
	*tile.Builder
	pool    []*tile.Value // what is visible
	buffer  *tile.Value   // a pointer to i32
	stores  int
	results []*tile.Value
	elems   []tile.Elem // a few, so that they meet
}

var (
	elems = []tile.Elem{tile.I1, tile.I8, tile.I16, tile.I32, tile.I32, tile.I32, tile.I64,
		tile.F32, tile.F32, tile.F64, tile.F16, tile.BF16, tile.F8E5M2, tile.F8E4M3, tile.F8E4M3FZ}
	shapes = [][]int{{}, {}, {}, {4}, {1}, {2, 4}, {1, 4}, {2, 1}, {2, 1, 4}}
)

// newBareGenerator makes a generator of a function without parameters.
func newBareGenerator(t *rapid.T) *generator {
	f := &tile.Func{Name: "f", Body: &tile.Block{}}
	m := &tile.Module{Funcs: []*tile.Func{f}}
	g := &generator{t: t, Builder: tile.NewBuilder(m, f), elems: []tile.Elem{tile.I1, tile.I32}}
	g.SetBlock(f.Body)
	return g
}

func newGenerator(t *rapid.T) *generator {
	g := newBareGenerator(t)
	for range rapid.IntRange(1, 3).Draw(t, "elems") {
		g.elems = append(g.elems, pick(g, elems))
	}
	g.buffer = g.param(tile.PtrTo(tile.Scalar(tile.I32)))
	for range rapid.IntRange(1, 4).Draw(t, "params") {
		g.pool = append(g.pool, g.param(g.typ()))
	}
	return g
}

func (g *generator) param(t tile.Type) *tile.Value {
	g.Func.Params = append(g.Func.Params, tile.Param{})
	return g.Func.Body.AddArg(g.Func, t, "")
}

func (g *generator) typ() tile.Type {
	t, _ := tile.Scalar(pick(g, g.elems)).WithShape(pick(g, shapes)...)
	return t
}

func pick[T any](g *generator, of []T) T {
	return of[rapid.IntRange(0, len(of)-1).Draw(g.t, "pick")]
}

// bits draws an element of t; the corners come up often.
func (g *generator) bits(t tile.Type) uint64 {
	w := t.ElemBits()
	mask := ^uint64(0) >> (64 - w)
	if t.IsFloat() && rapid.IntRange(0, 3).Draw(g.t, "corner") > 0 {
		d := t.Elem().DType()
		zero, inf := math.Copysign(0, -1), math.Inf(1)
		return d.Encode(pick(g, []float64{0, 0, zero, zero, 1, 1, -1, 0.5, 3.25, 1e9, inf, -inf, math.NaN(), math.NaN()}))
	}
	if rapid.Bool().Draw(g.t, "small") {
		return uint64(rapid.Int64Range(-4, 9).Draw(g.t, "int")) & mask
	}
	return pick(g, []uint64{0, 1, mask, mask >> 1, mask>>1 + 1, rapid.Uint64().Draw(g.t, "bits") & mask})
}

// arguments draws values for the parameters and a memory.
func (g *generator) arguments() ([][]uint64, map[uint64]uint64) {
	const base = 0x1000
	args := [][]uint64{{base}}
	for _, v := range g.Func.Body.Args[1:] {
		x := make([]uint64, v.Type.NumElems())
		for i := range x {
			x[i] = g.bits(v.Type)
		}
		args = append(args, x)
	}
	memory := make(map[uint64]uint64)
	for i := range uint64(8) {
		memory[base+4*i] = g.bits(tile.Scalar(tile.I32))
	}
	return args, memory
}

// value draws a visible value of type t, or makes one.
func (g *generator) value(t tile.Type) *tile.Value {
	var fit []*tile.Value
	for _, v := range g.pool {
		if v.Type == t {
			fit = append(fit, v)
		}
	}
	if len(fit) > 0 && rapid.IntRange(0, 3).Draw(g.t, "reuse") > 0 {
		return pick(g, fit)
	}
	if t.IsTile() && rapid.Bool().Draw(g.t, "splat") {
		return g.keep(g.Splat(g.value(t.Scalar()), t))
	}
	return g.keep(g.Const(t, g.bits(t)))
}

func (g *generator) keep(v *tile.Value) *tile.Value {
	g.pool = append(g.pool, v)
	return v
}

// visible draws a visible value of a kind, or gives nil.
func (g *generator) visible(is func(tile.Type) bool) *tile.Value {
	var fit []*tile.Value
	for _, v := range g.pool {
		if is(v.Type) {
			fit = append(fit, v)
		}
	}
	switch {
	case len(fit) == 0:
		return nil
	case rapid.Bool().Draw(g.t, "latest"):
		return fit[len(fit)-1] // so that operations meet what was just made
	}
	return pick(g, fit)
}

// any draws a visible value of a kind, or makes one.
func (g *generator) any(is func(tile.Type) bool) *tile.Value {
	if v := g.visible(is); v != nil && rapid.IntRange(0, 5).Draw(g.t, "reuse") > 0 {
		return v
	}
	for range 20 {
		if t := g.typ(); is(t) {
			return g.value(t)
		}
	}
	t, _ := tile.Scalar(tile.I32).WithShape(4)
	for _, e := range []tile.Elem{tile.F32, tile.I1} {
		if !is(t) {
			t = t.WithElem(e)
		}
	}
	return g.value(t)
}

var anyType = func(tile.Type) bool { return true }

// body generates n operations.
func (g *generator) body(n, depth int) {
	kinds := []func(){
		g.integer, g.integer, g.integer, g.float, g.float, g.compare, g.not, g.choose, g.cast, g.cast, g.shape, g.shape,
		g.memory, g.memory, g.combine, g.mapped, g.check, g.hint, g.bitcast,
	}
	for range n {
		if depth < 3 && rapid.IntRange(0, 6).Draw(g.t, "region") == 0 {
			pick(g, []func(int){g.branch, g.forLoop, g.whileLoop})(depth + 1)
			continue
		}
		pick(g, kinds)()
	}
}

// finish returns some values.
func (g *generator) finish() *tile.Module {
	for range rapid.IntRange(1, 4).Draw(g.t, "results") {
		g.results = append(g.results, g.any(anyType))
	}
	for _, v := range g.results {
		g.Func.Results = append(g.Func.Results, v.Type)
	}
	g.Op(tile.OpReturn, nil, g.results)
	return g.Module
}

func (g *generator) integer() {
	x := g.any(tile.Type.IsInt)
	t := x.Type
	y := g.value(t)
	c := pick(g, []tile.Code{tile.OpAdd, tile.OpAdd, tile.OpSub, tile.OpMul, tile.OpAnd, tile.OpOr, tile.OpXor, tile.OpMinU,
		tile.OpMaxU, tile.OpMulHiU, tile.OpShl, tile.OpShrU, tile.OpDivU, tile.OpRemU,
		tile.OpMinS, tile.OpMaxS, tile.OpShrS, tile.OpDivS, tile.OpRemS, tile.OpAbsI})
	switch c {
	case tile.OpAbsI:
		if !t.IsBool() {
			g.keep(g.Unary(c, x))
		}
		return
	case tile.OpMinS, tile.OpMaxS, tile.OpDivS, tile.OpRemS:
		if t.IsBool() {
			return
		}
	}
	switch c {
	case tile.OpShl, tile.OpShrU, tile.OpShrS:
		y = g.Binary(tile.OpAnd, y, g.Const(t, uint64(t.ElemBits()-1)))
		if rapid.Bool().Draw(g.t, "constant") {
			y = g.Const(t, uint64(rapid.IntRange(0, t.ElemBits()-1).Draw(g.t, "shift")))
		}
	case tile.OpDivS, tile.OpDivU, tile.OpRemS, tile.OpRemU:
		y = g.Binary(tile.OpOr, y, g.Const(t, 1))
		if rapid.Bool().Draw(g.t, "constant") {
			y = g.Const(t, 1<<rapid.IntRange(0, t.ElemBits()-1).Draw(g.t, "power"))
		}
	}
	if rapid.Bool().Draw(g.t, "swap") && (c <= tile.OpMul || c == tile.OpAnd || c == tile.OpXor) {
		x, y = y, x
	}
	g.keep(g.Binary(c, x, y))
}

func (g *generator) float() {
	x := g.any(tile.Type.IsFloat)
	switch c := pick(g, []tile.Code{tile.OpFAdd, tile.OpFSub, tile.OpFMul, tile.OpFDiv, tile.OpFRem, tile.OpFNeg, tile.OpAbsF,
		tile.OpFloor, tile.OpCeil, tile.OpSqrt, tile.OpSqrtRN, tile.OpFMin, tile.OpFMax, tile.OpClamp, tile.OpFMA, tile.OpFDivRN}); c {
	case tile.OpFNeg, tile.OpAbsF, tile.OpFloor, tile.OpCeil, tile.OpSqrt, tile.OpSqrtRN:
		g.keep(g.Unary(c, x))
	case tile.OpFMA:
		g.keep(g.FMA(x, g.value(x.Type), g.value(x.Type)))
	case tile.OpFDivRN:
		if x.Type.Elem() == tile.F32 {
			g.keep(g.Binary(c, x, g.value(x.Type)))
		}
	case tile.OpClamp:
		g.keep(g.Clamp(x, g.value(x.Type), g.value(x.Type), true))
	case tile.OpFMin, tile.OpFMax:
		g.keep(g.MinMaxF(c, x, g.value(x.Type), rapid.Bool().Draw(g.t, "nan")))
	default:
		y := g.value(x.Type)
		if rapid.Bool().Draw(g.t, "swap") {
			x, y = y, x
		}
		g.keep(g.Binary(c, x, y))
	}
}

func (g *generator) compare() {
	if rapid.Bool().Draw(g.t, "floats") {
		x := g.any(tile.Type.IsFloat)
		g.keep(g.CmpF(tile.CmpF(rapid.IntRange(0, int(tile.UNO)).Draw(g.t, "pred")), x, g.value(x.Type)))
		return
	}
	x := g.any(tile.Type.IsInt)
	p := tile.CmpI(rapid.IntRange(0, int(tile.GEU)).Draw(g.t, "pred"))
	if x.Type.IsBool() {
		p %= tile.LTS
	}
	g.keep(g.CmpI(p, x, g.value(x.Type)))
}

func (g *generator) not() {
	x := g.any(tile.Type.IsBool)
	g.keep(g.Binary(tile.OpXor, x, g.Const(x.Type, 1)))
}

func (g *generator) choose() {
	x := g.any(anyType)
	cond := x.Type.WithElem(tile.I1)
	if rapid.Bool().Draw(g.t, "scalar") {
		cond = cond.Scalar()
	}
	g.keep(g.Select(g.value(cond), x, g.value(x.Type)))
}

func (g *generator) cast() {
	x := g.any(anyType)
	to, from := pick(g, g.elems), x.Type.Elem()
	if rapid.IntRange(0, 2).Draw(g.t, "any") == 0 {
		to = pick(g, elems)
	}
	t := tile.Scalar(to)
	signed := rapid.Bool().Draw(g.t, "signed")
	switch {
	case from.IsInt() && to.IsInt() && to.Bits() < from.Bits():
		g.keep(g.Cast(tile.OpTrunc, x, t))
	case from.IsInt() && to.IsInt() && to.Bits() > from.Bits() && signed:
		g.keep(g.Cast(tile.OpExtS, x, t))
	case from.IsInt() && to.IsInt() && to.Bits() > from.Bits():
		g.keep(g.Cast(tile.OpExtU, x, t))
	case from.IsFloat() && to.IsFloat() && to.Bits() > from.Bits():
		g.keep(g.Cast(tile.OpFExt, x, t))
	case from.IsFloat() && to.IsFloat() && to != from:
		g.keep(g.FTrunc(x, to, tile.Round(rapid.IntRange(0, 1).Draw(g.t, "round"))))
	case from == tile.I1 || to == tile.I1:
	case from.IsInt() && to.IsFloat() && signed:
		g.keep(g.Cast(tile.OpSToF, x, t))
	case from.IsInt() && to.IsFloat():
		g.keep(g.Cast(tile.OpUToF, x, t))
	case from.IsFloat() && to.IsInt() && signed:
		g.keep(g.Cast(tile.OpFToS, x, t))
	case from.IsFloat() && to.IsInt():
		g.keep(g.Cast(tile.OpFToU, x, t))
	}
}

// bitcast makes a float of an integer, and the integer of it again: of other floats the bits of a NaN are not
// known.
func (g *generator) bitcast() {
	x := g.any(func(t tile.Type) bool { return t.IsInt() && !t.IsBool() })
	to := map[int][]tile.Elem{
		8: {tile.F8E5M2, tile.F8E4M3FZ}, 16: {tile.F16, tile.BF16}, 32: {tile.F32}, 64: {tile.F64},
	}[x.Type.ElemBits()]
	f := g.keep(g.Cast(tile.OpBitcast, x, tile.Scalar(pick(g, to))))
	g.keep(g.Cast(tile.OpBitcast, f, x.Type))
}

func (g *generator) shape() {
	x := g.any(anyType)
	t := x.Type
	switch rapid.IntRange(0, 7).Draw(g.t, "shape") {
	case 0:
		if t.IsScalar() {
			shape, _ := t.WithShape(pick(g, shapes[3:])...)
			g.keep(g.Splat(x, shape))
		}
	case 1:
		if t.IsTile() && t.Rank() < 3 {
			g.keep(g.ExpandDims(x, rapid.IntRange(0, t.Rank()).Draw(g.t, "axis")))
		}
	case 2:
		wide := t
		for d := range t.Rank() {
			if t.LogDim(d) == 0 {
				wide = wide.WithDim(d, rapid.IntRange(0, 2).Draw(g.t, "log"))
			}
		}
		if t.IsTile() {
			g.keep(g.Broadcast(x, wide))
		}
	case 3:
		if t.IsTile() {
			g.keep(g.Reshape(x, g.factored(t), false))
		}
	case 4:
		if t.Rank() > 1 {
			order := rapid.Permutation([]int{0, 1, 2}[:t.Rank()]).Draw(g.t, "order")
			g.keep(g.Trans(x, order))
		}
	case 5:
		if t.NumElems() <= 8 && t.Rank() < 3 {
			g.keep(g.Join(x, g.value(t)))
		}
	case 6:
		if t.IsTile() && t.NumElems() <= 8 {
			g.keep(g.Cat(x, g.value(t), rapid.IntRange(0, t.Rank()-1).Draw(g.t, "axis")))
		}
	case 7:
		if r := t.Rank(); r == 0 || t.LogDim(r-1) != 1 {
			if t.NumElems() > 8 || r > 2 {
				return
			}
			x = g.keep(g.Join(x, g.value(t)))
		}
		a, b := g.Split(x)
		g.keep(a)
		g.keep(b)
	}
	if rapid.IntRange(0, 3).Draw(g.t, "range") == 0 {
		g.keep(g.Range(0, 1<<rapid.IntRange(0, 3).Draw(g.t, "log")))
	}
}

// factored gives another shape for t's elements.
func (g *generator) factored(t tile.Type) tile.Type {
	shape := []int{}
	for n := t.NumElems(); n > 1 || len(shape) == 0; {
		d := min(n, 1<<rapid.IntRange(0, 4).Draw(g.t, "dim"))
		shape = append(shape, d)
		n /= d
		if len(shape) == 3 && n > 1 {
			shape[2] *= n
			break
		}
	}
	u, _ := t.WithShape(shape...)
	return u
}

// memory loads or stores within the buffer's eight elements.
func (g *generator) memory() {
	i := g.any(func(t tile.Type) bool { return t.Elem() == tile.I32 && t.NumElems() <= 8 })
	if rapid.Bool().Draw(g.t, "fixed") {
		i = g.Const(i.Type, rapid.Uint64Range(0, 1).Draw(g.t, "index"))
	} else {
		i = g.Binary(tile.OpAnd, i, g.Const(i.Type, 7))
	}
	p := g.buffer
	if i.Type.IsTile() {
		p = g.Splat(p, i.Type)
	}
	if rapid.Bool().Draw(g.t, "wide") {
		i = g.Cast(tile.OpExtS, i, tile.Scalar(tile.I64))
	}
	p = g.throughCasts(g.AddPtr(p, i))
	var mask, other *tile.Value
	t := p.Type.Pointee()
	if rapid.Bool().Draw(g.t, "mask") {
		mask = g.value(t.WithElem(tile.I1))
		if rapid.Bool().Draw(g.t, "other") {
			other = g.value(t)
		}
	}
	if rapid.IntRange(0, 3).Draw(g.t, "atomic") == 0 && g.stores < 6 {
		g.stores++
		g.keep(g.AtomicRMW(p, g.value(t), mask, tile.AtomicAttr{Kind: tile.AtomicAdd}))
		return
	}
	if rapid.Bool().Draw(g.t, "store") && g.stores < 6 {
		g.stores++
		g.Store(p, g.value(t), mask, tile.StoreAttr{})
		return
	}
	g.keep(g.Load(p, mask, other, tile.LoadAttr{Volatile: rapid.IntRange(0, 5).Draw(g.t, "volatile") == 0}))
}

// throughCasts gives the same pointers by way of other types.
func (g *generator) throughCasts(p *tile.Value) *tile.Value {
	via := p.Type.WithScalar(tile.PtrTo(tile.Scalar(tile.F32)))
	switch rapid.IntRange(0, 4).Draw(g.t, "casts") {
	case 0:
		return g.Cast(tile.OpIntToPtr, g.keep(g.Cast(tile.OpPtrToInt, p, tile.Scalar(tile.I64))), p.Type)
	case 1:
		return g.Cast(tile.OpBitcast, g.Cast(tile.OpBitcast, p, via), p.Type)
	case 2:
		i := g.Cast(tile.OpPtrToInt, g.Cast(tile.OpBitcast, p, via), tile.Scalar(tile.I64))
		return g.Cast(tile.OpIntToPtr, g.Cast(tile.OpPtrToInt, g.Cast(tile.OpIntToPtr, i, via), tile.Scalar(tile.I64)), p.Type)
	}
	return p
}

// combine reduces or scans a tile of integers.
func (g *generator) combine() {
	x := g.any(func(t tile.Type) bool { return t.Rank() == 1 && t.IsInt() })
	elem := x.Type.Scalar()
	body := g.NewBlock(elem, elem)
	outer := g.SetBlock(body)
	c := pick(g, []tile.Code{tile.OpAdd, tile.OpXor, tile.OpMaxU})
	g.Yield(g.Binary(c, g.Binary(tile.OpOr, body.Args[0], g.Const(elem, 0)), body.Args[1]))
	g.SetBlock(outer)
	if rapid.Bool().Draw(g.t, "scan") {
		attr := tile.ScanAttr{Reverse: rapid.Bool().Draw(g.t, "reverse")}
		g.keep(g.OpWithRegions(tile.OpScan, attr, []*tile.Value{x}, []*tile.Block{body}, x.Type).Result())
		return
	}
	g.keep(g.OpWithRegions(tile.OpReduce, tile.AxisAttr{}, []*tile.Value{x}, []*tile.Block{body}, elem).Result())
}

// mapped applies a function of a few operations to each element of two tiles.
func (g *generator) mapped() {
	x := g.any(func(t tile.Type) bool { return t.IsTile() && t.IsInt() })
	y := g.value(x.Type)
	elem := x.Type.Scalar()
	body := g.NewBlock(elem, elem)
	outer := g.SetBlock(body)
	a := g.Binary(tile.OpMul, body.Args[0], g.Const(elem, g.bits(elem)))
	b := g.Select(g.CmpI(tile.LTU, a, body.Args[1]), body.Args[1], a)
	g.Yield(a, b)
	g.SetBlock(outer)
	op := g.OpWithRegions(tile.OpMap, nil, []*tile.Value{x, y}, []*tile.Block{body}, x.Type, x.Type)
	g.pool = append(g.pool, op.Results...)
}

// check asserts what may not hold, or assumes what does though no pass can tell: a square is 0 or 1 modulo 4.
func (g *generator) check() {
	if rapid.Bool().Draw(g.t, "assert") {
		g.Op(tile.OpAssert, tile.AssertAttr{Msg: strconv.Itoa(g.stores)}, []*tile.Value{g.any(tile.Type.IsBool)})
		return
	}
	t := tile.Scalar(pick(g, []tile.Elem{tile.I8, tile.I32, tile.I64}))
	x := g.value(t)
	low := g.keep(g.Binary(tile.OpAnd, g.Binary(tile.OpMul, x, x), g.Const(t, 3)))
	g.Op(tile.OpAssume, nil, []*tile.Value{g.keep(g.CmpI(tile.LES, low, g.Const(t, 1)))})
	g.keep(g.CmpI(tile.LTS, low, g.Const(t, 2)))
}

// hint states a fact that holds.
func (g *generator) hint() {
	x := g.any(func(t tile.Type) bool { return t.IsInt() && !t.IsBool() })
	var a tile.HintAttr
	rank := max(x.Type.Rank(), 1)
	for d := range rank {
		a.Values[d] = 1
	}
	switch a.Kind = pick(g, []tile.Hint{tile.HintDivisible, tile.HintContiguous, tile.HintConstant}); {
	case a.Kind == tile.HintDivisible:
		for d := range rank {
			a.Values[d] = 8
		}
		x = g.Binary(tile.OpMul, x, g.Const(x.Type, 8))
	case a.Kind == tile.HintContiguous:
		x = g.Range(8, 16)
		a.Values = [tile.MaxRank]int64{8}
	case x.Type.IsTile():
		x = g.Splat(g.value(x.Type.Scalar()), x.Type)
		for d := range rank {
			a.Values[d] = int64(x.Type.Dim(d))
		}
	}
	g.keep(g.Op(tile.OpHint, a, []*tile.Value{x}, x.Type).Result())
}

// inside generates a block's operations, forgets what they made, and yields values of types.
func (g *generator) inside(b *tile.Block, depth int, types []tile.Type) {
	outer, visible := g.SetBlock(b), len(g.pool)
	g.pool = append(g.pool, b.Args...)
	g.body(rapid.IntRange(0, 6).Draw(g.t, "ops"), depth)
	vals := make([]*tile.Value, len(types))
	for i, t := range types {
		vals[i] = g.value(t)
	}
	g.Yield(vals...)
	g.pool = g.pool[:visible]
	g.SetBlock(outer)
}

func (g *generator) types() []tile.Type {
	types := make([]tile.Type, rapid.IntRange(0, 3).Draw(g.t, "carried"))
	for i := range types {
		types[i] = g.typ()
	}
	return types
}

func (g *generator) branch(depth int) {
	types := g.types()
	cond := g.value(tile.Scalar(tile.I1))
	then, els := g.NewBlock(), g.NewBlock()
	g.inside(then, depth, types)
	g.inside(els, depth, types)
	op := g.OpWithRegions(tile.OpIf, nil, []*tile.Value{cond}, []*tile.Block{then, els}, types...)
	g.pool = append(g.pool, op.Results...)
}

// forLoop runs at most a few times: its bounds are within -4 to 3 of a known number.
func (g *generator) forLoop(depth int) {
	t := tile.Scalar(pick(g, []tile.Elem{tile.I8, tile.I32, tile.I64}))
	types := g.types()
	args := []*tile.Value{g.bound(t), g.bound(t), g.Const(t, uint64(rapid.IntRange(1, 4).Draw(g.t, "step")))}
	for _, c := range types {
		args = append(args, g.value(c))
	}
	body := g.NewBlock(append([]tile.Type{t}, types...)...)
	g.inside(body, depth, types)
	attr := tile.ForAttr{NoLICM: rapid.IntRange(0, 4).Draw(g.t, "licm") == 0}
	op := g.OpWithRegions(tile.OpFor, attr, args, []*tile.Block{body}, types...)
	g.pool = append(g.pool, op.Results...)
}

func (g *generator) bound(t tile.Type) *tile.Value {
	if rapid.Bool().Draw(g.t, "constant") {
		return g.Const(t, uint64(rapid.Int64Range(-2, 4).Draw(g.t, "bound")))
	}
	return g.Binary(tile.OpAnd, g.value(t), g.Const(t, 3))
}

// whileLoop counts up to 3; what else it carries goes through both regions.
func (g *generator) whileLoop(depth int) {
	i32 := tile.Scalar(tile.I32)
	types := append([]tile.Type{i32}, g.types()...)
	var inits []*tile.Value
	inits = append(inits, g.Binary(tile.OpAnd, g.value(i32), g.Const(i32, 3)))
	for _, t := range types[1:] {
		inits = append(inits, g.value(t))
	}
	before, after := g.NewBlock(types...), g.NewBlock(types...)

	outer, visible := g.SetBlock(before), len(g.pool)
	g.pool = append(g.pool, before.Args...)
	g.body(rapid.IntRange(0, 3).Draw(g.t, "ops"), depth)
	vals := []*tile.Value{g.CmpI(tile.LTS, before.Args[0], g.Const(i32, 3)), before.Args[0]}
	for i, t := range types[1:] {
		v := before.Args[1+i]
		if rapid.Bool().Draw(g.t, "other") {
			v = g.value(t)
		}
		vals = append(vals, v)
	}
	g.Op(tile.OpCondition, nil, vals)
	g.pool = g.pool[:visible]

	g.SetBlock(after)
	g.pool = append(g.pool, after.Args...)
	g.body(rapid.IntRange(0, 3).Draw(g.t, "ops"), depth)
	next := []*tile.Value{g.Binary(tile.OpAdd, after.Args[0], g.Const(i32, 1))}
	for i, t := range types[1:] {
		v := after.Args[1+i]
		if rapid.Bool().Draw(g.t, "other") {
			v = g.value(t)
		}
		next = append(next, v)
	}
	g.Yield(next...)
	g.pool = g.pool[:visible]
	g.SetBlock(outer)

	op := g.OpWithRegions(tile.OpWhile, nil, inits, []*tile.Block{before, after}, types...)
	g.pool = append(g.pool, op.Results...)
}
