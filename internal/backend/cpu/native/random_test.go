package native

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Random kernels over tiles of all types and several shapes run as machine code and on the checked executor;
// every value they compute is compared bit for bit (any NaN equals any other).

type grower struct {
	*tile.Builder
	t      *rapid.T
	scope  []*tile.Value
	depth  int           // of regions
	pid, n *tile.Value   // the program's number, and a small number that is not known
	tables []*tile.Value // arrays of tableSize elements to read from
	counts []*tile.Value // arrays for atomics
}

var elems = []tile.Elem{tile.I8, tile.I16, tile.I32, tile.I64, tile.F16, tile.BF16, tile.F32, tile.F64,
	tile.F8E4M3, tile.F8E5M2, tile.F8E4B15, tile.F8E4M3FZ, tile.F8E5M2FZ,
}

func (g *grower) draw(n int, what string) int { return rapid.IntRange(0, n-1).Draw(g.t, what) }

func (g *grower) add(v *tile.Value) *tile.Value {
	g.scope = append(g.scope, v)
	return v
}

// pick gives a value in sight that fits, or nil.
func (g *grower) pick(fits func(tile.Type) bool) *tile.Value {
	var list []*tile.Value
	for _, v := range g.scope {
		if fits(v.Type) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[g.draw(len(list), "value")]
}

func (g *grower) like(t tile.Type) *tile.Value {
	return g.pick(func(u tile.Type) bool { return u == t })
}

func isIntTile(t tile.Type) bool   { return t.IsTile() && t.IsInt() && !t.IsBool() }
func isFloatTile(t tile.Type) bool { return t.IsTile() && t.IsFloat() }
func isBoolTile(t tile.Type) bool  { return t.IsTile() && t.IsBool() }

var (
	intCodes = []tile.Code{
		tile.OpAdd, tile.OpSub, tile.OpMul, tile.OpAnd, tile.OpOr, tile.OpXor, tile.OpShl, tile.OpShrS, tile.OpShrU,
		tile.OpMinS, tile.OpMinU, tile.OpMaxS, tile.OpMaxU, tile.OpDivS, tile.OpDivU, tile.OpRemS, tile.OpRemU, tile.OpMulHiU,
	}
	floatCodes  = []tile.Code{tile.OpFAdd, tile.OpFSub, tile.OpFMul, tile.OpFDiv}
	floatUnary  = []tile.Code{tile.OpFNeg, tile.OpAbsF, tile.OpSqrtRN, tile.OpFloor, tile.OpCeil}
	reduceCodes = []tile.Code{tile.OpAdd, tile.OpMul, tile.OpXor, tile.OpMinS, tile.OpMaxU}
)

func (g *grower) grow() {
	switch g.draw(25, "kind") {
	case 0, 1:
		if x := g.pick(isIntTile); x != nil {
			g.add(g.Binary(intCodes[g.draw(len(intCodes), "code")], x, g.like(x.Type)))
		}
	case 2, 3:
		if x := g.pick(isFloatTile); x != nil {
			g.add(g.Binary(floatCodes[g.draw(len(floatCodes), "code")], x, g.like(x.Type)))
		}
	case 4:
		if x := g.pick(isFloatTile); x != nil {
			g.add(g.Unary(floatUnary[g.draw(len(floatUnary), "code")], x))
			g.add(g.MinMaxF([]tile.Code{tile.OpFMin, tile.OpFMax}[g.draw(2, "code")], x, g.like(x.Type), g.draw(2, "nan") == 1))
		}
	case 5:
		if x := g.pick(isIntTile); x != nil {
			g.add(g.CmpI(tile.CmpI(g.draw(10, "pred")), x, g.like(x.Type)))
		}
		if x := g.pick(isFloatTile); x != nil {
			g.add(g.CmpF(tile.CmpF(g.draw(14, "pred")), x, g.like(x.Type)))
		}
	case 6:
		if c := g.pick(isBoolTile); c != nil {
			if x := g.pick(func(t tile.Type) bool { return t.SameShape(c.Type) }); x != nil {
				g.add(g.Select(c, x, g.like(x.Type)))
			}
			g.add(g.Binary([]tile.Code{tile.OpAnd, tile.OpOr, tile.OpXor}[g.draw(3, "code")], c, g.like(c.Type)))
		}
	case 7, 8:
		g.cast()
	case 9:
		if x := g.pick(func(t tile.Type) bool { return t.Rank() == 2 }); x != nil {
			g.add(g.Trans(x, []int{1, 0}))
		}
	case 10:
		if x := g.pick(func(t tile.Type) bool { return t.Rank() == 1 }); x != nil {
			axis := g.draw(2, "axis")
			e := g.ExpandDims(x, axis)
			g.add(g.Broadcast(e, e.Type.WithDim(axis, g.draw(6, "size"))))
		}
	case 11:
		if x := g.pick(func(t tile.Type) bool { return isIntTile(t) && t.Elem() != tile.I8 && t.Elem() != tile.I16 }); x != nil {
			g.reduceOf(x)
		}
	case 12:
		if x := g.pick(tile.Type.IsTile); x != nil && x.Type.LogElems() < 9 {
			g.add(g.Join(x, g.like(x.Type)))
			if x.Type.Rank() == 1 {
				g.add(g.Cat(x, g.like(x.Type), 0))
			}
		}
	case 13:
		if x := g.pick(isFloatTile); x != nil {
			g.add(g.FMA(x, g.like(x.Type), g.like(x.Type)))
			g.add(g.Clamp(x, g.like(x.Type), g.like(x.Type), g.draw(2, "nan") == 1))
			if x.Type.Elem() != tile.F8E4B15 { // see cast
				g.add(g.Binary(tile.OpFRem, x, g.like(x.Type)))
			}
		}
	case 14:
		g.library()
	case 15:
		if x := g.pick(isFloatTile); x != nil {
			code, nan := []tile.Code{tile.OpFMin, tile.OpFMax}[g.draw(2, "code")], g.draw(2, "nan") == 1
			g.reduceBy(x, func(a, b *tile.Value) *tile.Value { return g.MinMaxF(code, a, b, nan) })
		}
	default:
		g.structure()
	}
}

// exactForms are the library functions' forms whose results are exact, but for those that show which NaN an operand is.
var exactForms = func() []tile.ExternForm {
	var forms []tile.ExternForm
	for _, fn := range tile.ExternFuncs() {
		for _, f := range fn.Forms {
			shows := slices.Contains(strings.Fields("signbit copysign float_as_int float_as_uint double_as_longlong double2hiint double2loint"), f.Symbol)
			if !approximate("extern "+f.Symbol) && !shows {
				forms = append(forms, f)
			}
		}
	}
	return forms
}()

// library calls a library function on values of one shape.
func (g *grower) library() {
	f := exactForms[g.draw(len(exactForms), "function")]
	in, out := f.Elems()
	first := g.pick(func(t tile.Type) bool { return t.IsTile() && t.Elem() == in[0] && !t.IsPtr() })
	if first == nil {
		return
	}
	args := []*tile.Value{first}
	for _, e := range in[1:] {
		v := g.like(first.Type.WithElem(e))
		if v == nil {
			return
		}
		args = append(args, v)
	}
	g.add(g.Extern(f.Symbol, first.Type.WithElem(out), args...))
}

func (g *grower) cast() {
	x := g.pick(tile.Type.IsTile)
	to := elems[g.draw(len(elems), "to")]
	from, w := x.Type.Elem(), x.Type.Elem().Bits()
	target := tile.Scalar(to)
	loaded := x.Op != nil && x.Op.Code == tile.OpLoad
	switch {
	case from == to:
	case to == tile.F8E4B15 && !loaded: // it has no NaN, and which sign one has that is computed is open
	case from.IsInt() && to.IsInt() && to.Bits() < w:
		g.add(g.Cast(tile.OpTrunc, x, target))
	case from.IsInt() && to.IsInt() && to.Bits() > w:
		g.add(g.Cast([]tile.Code{tile.OpExtS, tile.OpExtU}[g.draw(2, "sign")], x, target))
	case from == tile.I1 && to.IsFloat():
		g.add(g.Cast(tile.OpUToF, x, target))
	case from.IsInt() && to.IsFloat():
		g.add(g.Cast([]tile.Code{tile.OpSToF, tile.OpUToF}[g.draw(2, "sign")], x, target))
	case from.IsFloat() && to.IsInt() && to.Bits() == w && w >= 32 && loaded && g.draw(2, "bits") == 0:
		// Not of what was computed: which NaN an operation gives is open.
		g.add(g.Cast(tile.OpBitcast, x, target))
	case from.IsFloat() && to.IsInt():
		g.add(g.Cast([]tile.Code{tile.OpFToS, tile.OpFToU}[g.draw(2, "sign")], x, target))
	case to.Bits() > w:
		g.add(g.Cast(tile.OpFExt, x, target))
	default:
		mode := tile.NearestEven
		if !to.IsFP8() && g.draw(3, "mode") == 0 {
			mode = tile.TowardsZero
		}
		g.add(g.FTrunc(x, to, mode))
	}
}

func (g *grower) reduceOf(x *tile.Value) {
	code := reduceCodes[g.draw(len(reduceCodes), "code")]
	g.reduceBy(x, func(a, b *tile.Value) *tile.Value { return g.Binary(code, a, b) })
}

func (g *grower) reduceBy(x *tile.Value, combine func(a, b *tile.Value) *tile.Value) {
	axis := g.draw(x.Type.Rank(), "axis")
	e := x.Type.Scalar()
	region := g.NewBlock(e, e)
	outer := g.SetBlock(region)
	g.Yield(combine(region.Args[0], region.Args[1]))
	g.SetBlock(outer)
	t := x.Type.DropDim(axis)
	r := g.OpWithRegions(tile.OpReduce, tile.AxisAttr{Axis: axis}, []*tile.Value{x}, []*tile.Block{region}, t).Results[0]
	if t.IsScalar() {
		r = g.Splat(r, x.Type)
	}
	g.add(r)
}

// offsets gives the numbers of a tile's elements.
func (g *grower) offsets(t tile.Type) *tile.Value {
	return g.Reshape(g.Range(0, int64(t.NumElems())), t, false)
}

// upTo gives the mask of a tile's elements up to some number, which may be known when the code runs only; nil: of all.
func (g *grower) upTo(t tile.Type) *tile.Value {
	if g.draw(2, "masked") == 0 {
		return nil
	}
	t = t.WithElem(tile.I32)
	end := g.Const(t, uint64(g.draw(t.NumElems()+2, "limit")))
	if g.n != nil && g.draw(2, "known") == 0 {
		end = g.Splat(g.Binary(tile.OpMul, g.n, g.Const(tile.Scalar(tile.I32), uint64(g.draw(t.NumElems()+2, "times")))), t)
	}
	numbers := g.offsets(t)
	if g.draw(2, "shifted") == 0 {
		numbers = g.Binary(tile.OpAdd, numbers, g.Splat(g.pid, t))
	}
	if pred := g.draw(6, "pred"); pred < 4 {
		return g.CmpI([]tile.CmpI{tile.LTS, tile.LES, tile.LTU, tile.LEU}[pred], numbers, end)
	}
	return g.Binary(tile.OpAnd, g.CmpI(tile.GTS, end, numbers), g.CmpI(tile.GES, numbers, g.Const(t, uint64(g.draw(3, "from")))))
}

func (g *grower) param(f *tile.Func, e tile.Elem) *tile.Value {
	f.Params = append(f.Params, tile.Param{})
	return f.Body.AddArg(f, tile.PtrTo(tile.Scalar(e)), "")
}

func fillFor(e tile.Elem, n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, 65504, 3e9, -2.5, 1e-40}
	var out []byte
	for range n {
		bits := r.Uint64() >> (r.UintN(4) * 16)
		if r.UintN(8) == 0 {
			bits = []uint64{0, 1, math.MaxUint64, 1 << (e.Bits() - 1), 1<<(e.Bits()-1) - 1}[r.UintN(5)]
		}
		if e.IsFloat() {
			f := r.NormFloat64() * 100
			if r.UintN(4) == 0 {
				f = special[r.UintN(uint(len(special)))]
			}
			bits = e.DType().Encode(f)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], bits)
		out = append(out, b[:e.Bytes()]...)
	}
	return out
}

// instances is how many programs of a random kernel run, tableSize how many elements its tables have.
const (
	instances = 3
	tableSize = 4096
)

func TestRandomKernels(t *testing.T) {
	needNative(t)
	ran, refused := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) { checkRandomKernel(t, &ran, refused) })
	t.Logf("%d kernels ran, refused: %v", ran, refused)
	if ran == 0 {
		t.Errorf("every kernel was refused: %v", refused)
	}
}

func checkRandomKernel(t *rapid.T, ran *int, refusals map[string]int) {
	m := &tile.Module{}
	f := &tile.Func{Name: "random"}
	m.Funcs = []*tile.Func{f}
	g := &grower{Builder: tile.NewBuilder(m, f), t: t}
	f.Body = g.NewBlock()
	g.SetBlock(f.Body)
	g.pid = g.ProgramID(0)
	var in []input
	for range 3 {
		e := elems[g.draw(len(elems), "elem")]
		shape, _ := tile.Scalar(e).WithShape(1 << g.draw(10, "log"))
		if g.draw(2, "rank") == 1 {
			shape, _ = tile.Scalar(e).WithShape(1<<g.draw(5, "log"), 1<<g.draw(6, "log"))
		}
		p := g.param(f, e)
		var other *tile.Value
		mask := g.upTo(shape)
		if mask != nil {
			other = g.Const(shape, uint64(g.draw(2, "other")))
		}
		v := g.Load(g.AddPtr(g.Splat(p, shape), g.offsets(shape)), mask, other, tile.LoadAttr{})
		g.add(v)
		in = append(in, input{data: fillFor(e, shape.NumElems(), uint64(g.draw(1000, "seed")))})
	}
	for range 2 {
		e := elems[g.draw(len(elems), "elem")]
		g.tables = append(g.tables, g.param(f, e))
		in = append(in, input{data: fillFor(e, tableSize, uint64(g.draw(1000, "seed")))})
	}
	for range 2 {
		e := []tile.Elem{tile.I32, tile.I8, tile.I16, tile.I64, tile.F16, tile.BF16, tile.F32, tile.F64}[g.draw(8, "counter")]
		g.counts = append(g.counts, g.param(f, e))
		in = append(in, input{data: make([]byte, e.Bytes()*tableSize)})
	}
	f.Params = append(f.Params, tile.Param{})
	g.n = f.Body.AddArg(f, tile.Scalar(tile.I32), "n")
	in = append(in, input{bits: uint64(g.draw(6, "n"))})
	g.add(g.n)
	g.add(g.pid)
	loads := len(g.scope)
	for range g.draw(14, "ops") + 1 {
		g.grow()
	}
	var out []tile.Elem
	outs := len(in)
	for _, v := range g.scope[loads:] {
		if v.Type.LogElems() > 12 || v.Type.IsPtr() {
			continue
		}
		if v.Type.IsScalar() {
			one, _ := v.Type.WithShape(1)
			v = g.Splat(v, one)
		}
		if v.Type.IsBool() {
			v = g.Cast(tile.OpExtU, v, tile.Scalar(tile.I8))
		}
		p := g.param(f, v.Type.Elem())
		mask := g.upTo(v.Type)
		size := g.Const(tile.Scalar(tile.I32), uint64(v.Type.NumElems()))
		own := g.AddPtr(p, g.Binary(tile.OpMul, g.pid, size))
		g.Store(g.AddPtr(g.Splat(own, v.Type), g.offsets(v.Type)), v, mask, tile.StoreAttr{})
		in = append(in, input{data: make([]byte, instances*v.Type.NumElems()*v.Type.ElemBytes())})
		out = append(out, v.Type.Elem())
	}
	g.Op(tile.OpReturn, nil, nil)
	if err := tile.Verify(m); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	opts := options()
	opts.inPlace, opts.streams = g.draw(4, "in place") == 0, g.draw(2, "streams")
	p, err := Compile(m, opts)
	var refusal *diag.Error
	if errors.As(err, &refusal) && errors.Is(err, diag.Unsupported) {
		refusals[refusal.Msg]++
		return
	}
	if err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	*ran++
	want, got := clone(in), clone(in)
	runCheckedIn(t, m, want)
	runNativeIn(t, p, got)
	for i := range got[:outs] {
		if !bytes.Equal(got[i].data, want[i].data) {
			t.Fatalf("array %d differs\n%v", i, m)
		}
	}
	for i, e := range out {
		for k := range len(got[outs+i].data) / e.Bytes() {
			x, y := elementAt(got[outs+i].data, e, k), elementAt(want[outs+i].data, e, k)
			if x == y || e.IsFloat() && math.IsNaN(e.DType().Decode(x)) && math.IsNaN(e.DType().Decode(y)) {
				continue
			}
			t.Fatalf("output %d (%s), element %d: native %#x, checked %#x\n%v", i, e, k, x, y, m)
		}
	}
}

func elementAt(b []byte, e tile.Elem, i int) uint64 {
	var w [8]byte
	copy(w[:], b[i*e.Bytes():(i+1)*e.Bytes()])
	return binary.LittleEndian.Uint64(w[:])
}
