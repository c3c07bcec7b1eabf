package native

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A product is a kernel that adds up matrix products in a loop over k, as kernels do:
//
//	for i in range(steps): acc = dot(load(a), load(b), acc); a += …; b += …
//
// in one of many forms.
type product struct {
	in, acc  tile.Elem
	m, n, k  int // logarithms
	batch    int // logarithm; below 0: matrices, not batches of them
	steps    int
	aT, bT   bool // column by column
	trans    bool // b is loaded as its transpose
	transA   bool // … and a
	unknown  bool // the steps between rows are not constants
	masked   bool
	partial  bool // the last row of a is masked off
	wrapped  bool // rows of a begin again after all but three
	still    bool // a is the same in each iteration
	other    bool // all this of b, not a
	edge     int  // above 0: how many rows and columns of the result are stored
	carried  bool // pointers go along; else they are computed in each iteration
	computed bool // operands are computed from what is loaded
	read     bool // the accumulator is read in the loop
	scaled   bool // what is added to is computed from the accumulator
	nested   bool // the loop runs twice
	unsigned bool
	programs int // above 1: that many, each with an a of its own
	share    int // how many programs that come one after another have the same b
	seed     uint64
}

func drawProduct(t *rapid.T) product {
	draw := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	flip := func(what string) bool { return draw(2, what) == 1 }
	type types struct{ in, acc tile.Elem }
	of := []types{
		{tile.F32, tile.F32}, {tile.BF16, tile.F32}, {tile.I8, tile.I32}, {tile.F16, tile.F32}, {tile.F64, tile.F64}, {tile.F16, tile.F16},
		{tile.BF16, tile.BF16}, {tile.F8E4M3, tile.F32}, {tile.F8E5M2, tile.F32}, {tile.I16, tile.I32}, {tile.I32, tile.I32},
	}[draw(11, "types")]
	p := product{
		in: of.in, acc: of.acc, m: draw(8, "m"), n: draw(8, "n"), k: draw(8, "k"), batch: draw(6, "batch") - 4, steps: draw(7, "steps"),
		aT: flip("at"), bT: flip("bt"), trans: flip("trans"), transA: draw(3, "trans a") == 0, unknown: draw(4, "unknown") == 0, masked: flip("masked"),
		partial: draw(4, "partial") == 0, wrapped: draw(4, "wrapped") == 0, still: draw(4, "still") == 0, other: flip("other"), edge: draw(4, "some") * draw(140, "edge"), carried: flip("carried"),
		computed: draw(3, "computed") == 0, read: draw(4, "read") == 0, scaled: draw(4, "scaled") == 0, nested: draw(4, "nested") == 0, unsigned: flip("unsigned"),
		seed: uint64(draw(1000, "seed")),
	}
	if p.batch >= 0 {
		p.m, p.n, p.k = min(p.m, 5), min(p.n, 5), min(p.k, 6)
	}
	return p
}

// A matrix in memory: [batch, rows, cols] elements, rows or columns apart by a bit more than they are long.
type matrix struct {
	rows, cols, batch int
	byCols            bool
}

func (x matrix) steps() (row, col, batch int) {
	if x.byCols {
		return 1, x.rows + 3, (x.rows + 3) * x.cols
	}
	return x.cols + 3, 1, (x.cols + 3) * x.rows
}

func (x matrix) elems() int {
	_, _, each := x.steps()
	return each * x.batch
}

// A productBuilder makes the kernel.
type productBuilder struct {
	*tile.Builder
	f *tile.Func
	p product
	k *tile.Value // how many k there are
	u *tile.Value // 1, if steps are unknown
}

// offsets gives the offsets of a tile's elements in memory, and which number along a dimension they have.
func (b *productBuilder) along(t tile.Type, dim int) *tile.Value {
	v := b.Range(0, int64(t.Dim(dim)))
	for d := range t.Rank() {
		if d != dim {
			v = b.ExpandDims(v, d)
		}
	}
	return b.Broadcast(v, t.WithElem(tile.I32))
}

func (b *productBuilder) offsets(t tile.Type, wrapped bool, steps ...int) *tile.Value {
	var sum *tile.Value
	for d, s := range steps {
		v := b.along(t, d)
		if wrapped && d == t.Rank()-2 {
			v = b.Binary(tile.OpRemS, v, b.Const(v.Type, uint64(max(1, t.Dim(d)-3))))
		}
		if s != 1 {
			by := b.Const(tile.Scalar(tile.I32), uint64(s))
			if b.p.unknown {
				by = b.Binary(tile.OpMul, by, b.u)
			}
			v = b.Binary(tile.OpMul, v, b.Splat(by, v.Type))
		}
		if sum == nil {
			sum = v
		} else {
			sum = b.Binary(tile.OpAdd, sum, v)
		}
	}
	return sum
}

// shapeOf gives a tile's type with or without a batch.
func (p product) shape(e tile.Elem, rows, cols int) tile.Type {
	if p.batch >= 0 {
		t, _ := tile.Scalar(e).WithShape(1<<p.batch, 1<<rows, 1<<cols)
		return t
	}
	t, _ := tile.Scalar(e).WithShape(1<<rows, 1<<cols)
	return t
}

func (p product) batches() int { return 1 << max(p.batch, 0) }

func (p product) matrices() (a, b matrix) {
	all := p.steps<<p.k + 5
	return matrix{1 << p.m, all, p.batches(), p.aT}, matrix{all, 1 << p.n, p.batches(), p.bT}
}

// swapped gives an order that exchanges the last two dimensions.
func swapped(rank int) []int {
	if rank == 3 {
		return []int{0, 2, 1}
	}
	return []int{1, 0}
}

// operand loads a tile: ptrs are those of its elements in the first iteration, far is how many elements it has gone along since.
func (b *productBuilder) operand(ptrs *tile.Value, kDim int, at *tile.Value, left bool) *tile.Value {
	t := ptrs.Type
	e := t.Pointee().Elem()
	var mask *tile.Value
	if b.p.masked {
		rest := b.Binary(tile.OpSub, b.k, b.Binary(tile.OpMul, at, b.Const(at.Type, uint64(1)<<b.p.k)))
		off := b.along(t, kDim)
		mask = b.CmpI(tile.LTS, off, b.Splat(rest, off.Type))
	}
	if b.p.partial && left != b.p.other {
		rows := b.along(t, t.Rank()-2)
		upper := b.CmpI(tile.LTS, rows, b.Const(rows.Type, uint64(t.Dim(t.Rank()-2)-1)))
		if mask != nil {
			upper = b.Binary(tile.OpAnd, upper, mask)
		}
		mask = upper
	}
	v := b.Load(ptrs, mask, nil, tile.LoadAttr{})
	if b.p.computed && !v.Type.Elem().IsFP8() {
		if v.Type.IsInt() {
			return b.Binary(tile.OpXor, v, b.Const(v.Type, 3))
		}
		return b.Binary(tile.OpFMul, v, b.Const(v.Type, e.DType().Encode(2)))
	}
	return v
}

// ofProgram gives where a program's matrices begin.
func (b *productBuilder) ofProgram(pa, pb, pc *tile.Value) (qa, qb, qc *tile.Value) {
	i32 := tile.Scalar(tile.I32)
	id := b.ProgramID(0)
	at := func(base, number *tile.Value, elems int) *tile.Value {
		return b.AddPtr(base, b.Binary(tile.OpMul, number, b.Const(i32, uint64(elems))))
	}
	ma, mb := b.p.matrices()
	return at(pa, id, ma.elems()), at(pb, b.Binary(tile.OpDivS, id, b.Const(i32, uint64(b.p.share))), mb.elems()), at(pc, id, 1<<(b.p.m+b.p.n))
}

func (p product) module() *tile.Module {
	m := &tile.Module{}
	f := &tile.Func{Name: "product"}
	m.Funcs = []*tile.Func{f}
	b := &productBuilder{Builder: tile.NewBuilder(m, f), f: f, p: p}
	f.Body = b.NewBlock()
	b.SetBlock(f.Body)
	param := func(t tile.Type) *tile.Value {
		f.Params = append(f.Params, tile.Param{})
		return f.Body.AddArg(f, t, "")
	}
	i32 := tile.Scalar(tile.I32)
	pa, pb, pc := param(tile.PtrTo(tile.Scalar(p.in))), param(tile.PtrTo(tile.Scalar(p.in))), param(tile.PtrTo(tile.Scalar(p.acc)))
	steps := param(i32)
	b.k, b.u = param(i32), param(i32)
	if p.programs > 1 {
		pa, pb, pc = b.ofProgram(pa, pb, pc)
	}
	ta, tb, tc := p.shape(p.in, p.m, p.k), p.shape(p.in, p.k, p.n), p.shape(p.acc, p.m, p.n)
	if p.trans {
		tb = p.shape(p.in, p.n, p.k)
	}
	if p.transA {
		ta = p.shape(p.in, p.k, p.m)
	}
	ma, mb := p.matrices()
	pointers := func(base *tile.Value, t tile.Type, x matrix, flipped, wrapped bool) *tile.Value {
		row, col, each := x.steps()
		if flipped {
			row, col = col, row
		}
		by := []int{row, col}
		if p.batch >= 0 {
			by = []int{each, row, col}
		}
		return b.AddPtr(b.Splat(base, t), b.offsets(t, wrapped, by...))
	}
	ptrA, ptrB := pointers(pa, ta, ma, p.transA, p.wrapped && !p.other), pointers(pb, tb, mb, p.trans, p.wrapped && p.other)
	_, colA, _ := ma.steps()
	rowB, _, _ := mb.steps()
	if p.still && p.other {
		rowB = 0
	} else if p.still {
		colA = 0
	}
	kA, kB := ta.Rank()-1, tb.Rank()-2
	if p.transA {
		kA--
	}
	if p.trans {
		kB++
	}
	offC := b.offsets(tc, false, dense(tc)...)
	out := b.AddPtr(b.Splat(pc, tc), offC)
	acc := b.Load(out, nil, nil, tile.LoadAttr{})
	var mask *tile.Value
	if p.edge > 0 {
		inside := func(dim int, bound *tile.Value) *tile.Value {
			number := b.along(tc, dim)
			return b.CmpI(tile.LTS, number, b.Splat(bound, number.Type))
		}
		rows, cols := b.Const(i32, uint64(p.edge)), b.Binary(tile.OpMul, b.u, b.Const(i32, uint64(p.edge/2)))
		mask = b.Binary(tile.OpAnd, inside(tc.Rank()-2, rows), inside(tc.Rank()-1, cols))
	}
	run := func(acc *tile.Value) *tile.Value {
		body := b.NewBlock(i32, ptrA.Type, ptrB.Type, tc)
		outer := b.SetBlock(body)
		i, qa, qb, sum := body.Args[0], body.Args[1], body.Args[2], body.Args[3]
		far := func(step int) *tile.Value { return b.Const(i32, uint64(step)<<p.k) }
		if !p.carried {
			qa = b.AddPtr(ptrA, b.Splat(b.Binary(tile.OpMul, i, far(colA)), ta.WithElem(tile.I32)))
			qb = b.AddPtr(ptrB, b.Splat(b.Binary(tile.OpMul, i, far(rowB)), tb.WithElem(tile.I32)))
		}
		x, y := b.operand(qa, kA, i, true), b.operand(qb, kB, i, false)
		if p.transA {
			x = b.Trans(x, swapped(x.Type.Rank()))
		}
		if p.trans {
			y = b.Trans(y, swapped(y.Type.Rank()))
		}
		if p.scaled && p.acc.IsFloat() {
			sum = b.Binary(tile.OpFMul, sum, b.Const(tc, p.acc.DType().Encode(0.5)))
		} else if p.scaled {
			sum = b.Binary(tile.OpXor, sum, b.Const(tc, 5))
		}
		next := b.Dot(x, y, sum, tile.DotAttr{Unsigned: p.unsigned && p.in.IsInt()})
		if p.read && p.acc.IsFloat() {
			next = b.Binary(tile.OpFAdd, next, b.Const(tc, p.acc.DType().Encode(1)))
		}
		b.Yield(b.AddPtr(body.Args[1], b.Splat(far(colA), ta.WithElem(tile.I32))), b.AddPtr(body.Args[2], b.Splat(far(rowB), tb.WithElem(tile.I32))), next)
		b.SetBlock(outer)
		args := []*tile.Value{b.Const(i32, 0), steps, b.Const(i32, 1), ptrA, ptrB, acc}
		return b.OpWithRegions(tile.OpFor, tile.ForAttr{}, args, []*tile.Block{body}, ptrA.Type, ptrB.Type, tc).Results[2]
	}
	if p.nested {
		body := b.NewBlock(i32, tc)
		outer := b.SetBlock(body)
		b.Yield(run(body.Args[1]))
		b.SetBlock(outer)
		args := []*tile.Value{b.Const(i32, 0), b.Const(i32, 2), b.Const(i32, 1), acc}
		acc = b.OpWithRegions(tile.OpFor, tile.ForAttr{}, args, []*tile.Block{body}, tc).Results[0]
	} else {
		acc = run(acc)
	}
	if p.edge > 0 {
		acc = b.Binary(map[bool]tile.Code{true: tile.OpFAdd, false: tile.OpAdd}[p.acc.IsFloat()], acc, acc)
	}
	b.Store(out, acc, mask, tile.StoreAttr{})
	b.Op(tile.OpReturn, nil, nil)
	return m
}

// dense gives the steps of a tile that lies in memory row by row.
func dense(t tile.Type) []int {
	steps := make([]int, t.Rank())
	n := 1
	for d := t.Rank() - 1; d >= 0; d-- {
		steps[d] = n
		n *= t.Dim(d)
	}
	return steps
}

// small gives bytes of elements that are small integers: all sums of products of them are exact, in whatever order and precision they
// are added.
func small(e tile.Elem, n int, r *rand.Rand, bound int) []byte {
	out := make([]byte, 0, n*e.Bytes())
	for range n {
		v := r.IntN(2*bound+1) - bound
		bits := uint64(v)
		if e.IsFloat() {
			bits = e.DType().Encode(float64(v))
		}
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], bits)
		out = append(out, w[:e.Bytes()]...)
	}
	return out
}

func (p product) inputs(fill func(e tile.Elem, n int) []byte) []input {
	a, b := p.matrices()
	k, n := max(p.steps<<p.k-3, 0), max(1, p.programs)
	return []input{
		{data: fill(p.in, n*a.elems())}, {data: fill(p.in, n*b.elems())}, {data: fill(p.acc, n*p.batches()<<(p.m+p.n))},
		{bits: uint64(p.steps)}, {bits: uint64(k)}, {bits: 1},
	}
}

// Products of small integers are the same on both executors, in every bit.
func TestProducts(t *testing.T) {
	needNative(t)
	rapid.Check(t, func(t *rapid.T) { checkProduct(t, drawProduct(t)) })
}

// Left operands that may lie in memory as the micro-kernel reads them, and some that do not quite.
func TestWindows(t *testing.T) {
	needNative(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawProduct(t)
		kind := [][2]tile.Elem{{tile.F32, tile.F32}, {tile.F64, tile.F64}, {tile.I32, tile.I32}, {tile.BF16, tile.F32}, {tile.I8, tile.I32}, {tile.I16, tile.I32}}[rapid.IntRange(0, 5).Draw(t, "kind")]
		p.in, p.acc, p.batch, p.aT, p.computed, p.read = kind[0], kind[1], -1, p.aT && p.seed%4 == 0, false, false
		p.m, p.n, p.k = 4+p.m%3, []int{5, 6, 5, 8}[p.n%4], 4+p.k%3 // with 2^8 columns, a left operand of tiles is copied
		p.programs, p.share = rapid.IntRange(1, 5).Draw(t, "programs"), rapid.IntRange(1, 4).Draw(t, "share")
		checkProduct(t, p)
	})
}

func checkProduct(t *rapid.T, p product) {
	m := p.module()
	if err := tile.Verify(m); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	bound := 3
	if p.acc.Bits() == 16 {
		bound = 1 // sums up to 2^8, rounded in each step
	}
	r := rand.New(rand.NewPCG(p.seed, 1))
	want := p.inputs(func(e tile.Elem, n int) []byte { return small(e, n, r, bound) })
	got := clone(want)
	q, err := Compile(m, options())
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	for range min(2, max(1, p.programs)) { // with other numbers in the same place
		runCheckedGrid(t, m, want, [3]int32{int32(max(1, p.programs)), 1, 1})
		runNativeGrid(t, q, got, [3]int32{int32(max(1, p.programs)), 1, 1})
		for i := range got {
			if !bytes.Equal(got[i].data, want[i].data) {
				t.Fatalf("%+v: array %d differs at %s\n%v", p, i, firstDifference(p.acc, got[i].data, want[i].data), m)
			}
		}
		for i, again := range p.inputs(func(e tile.Elem, n int) []byte { return small(e, n, r, bound) }) {
			copy(want[i].data, again.data)
			copy(got[i].data, again.data)
		}
	}
}

func firstDifference(e tile.Elem, got, want []byte) string {
	for i := range len(got) / e.Bytes() {
		if x, y := elementAt(got, e, i), elementAt(want, e, i); x != y {
			return fmt.Sprintf("element %d: native %#x, checked %#x", i, x, y)
		}
	}
	return "no element"
}

// Products of any floats differ by roundings only.
func TestProductsRounding(t *testing.T) {
	needNative(t)
	for _, p := range []product{
		{in: tile.F32, acc: tile.F32, m: 5, n: 6, k: 5, steps: 9, batch: -1},
		{in: tile.F64, acc: tile.F64, m: 4, n: 4, k: 6, steps: 3, batch: -1},
		{in: tile.F16, acc: tile.F32, m: 5, n: 5, k: 5, steps: 6, batch: -1, bT: true},
		{in: tile.BF16, acc: tile.F32, m: 5, n: 5, k: 6, steps: 6, batch: -1},
		{in: tile.BF16, acc: tile.F32, m: 5, n: 5, k: 4, steps: 7, batch: -1, aT: true},
		{in: tile.BF16, acc: tile.F32, m: 3, n: 5, k: 5, steps: 6, batch: -1, bT: true},
		{in: tile.BF16, acc: tile.F32, m: 4, n: 5, k: 4, steps: 5, batch: -1, bT: true}, // 80 k, no multiple of 32
		{in: tile.I8, acc: tile.I32, m: 4, n: 5, k: 4, steps: 5, batch: -1, bT: true},   // nor of 64
		{in: tile.I8, acc: tile.I32, m: 4, n: 4, k: 5, steps: 3, batch: -1, bT: true},
	} {
		m := p.module()
		r := rand.New(rand.NewPCG(7, 7))
		want := p.inputs(func(e tile.Elem, n int) []byte {
			var out []byte
			for range n {
				var w [8]byte
				binary.LittleEndian.PutUint64(w[:], e.DType().Encode(r.NormFloat64()))
				out = append(out, w[:e.Bytes()]...)
			}
			return out
		})
		got := clone(want)
		q, err := Compile(m, options())
		if err != nil {
			t.Fatal(err)
		}
		runOnce(t, m, q, want, got)
		worst := 0.0
		for i := range len(got[2].data) / p.acc.Bytes() {
			x := p.acc.DType().Decode(elementAt(got[2].data, p.acc, i))
			y := p.acc.DType().Decode(elementAt(want[2].data, p.acc, i))
			worst = max(worst, math.Abs(x-y))
		}
		// Sums of some hundred products near 1, each rounded to half a unit of about 16.
		limit := 300 * math.Pow(2, -20)
		if p.acc == tile.F64 {
			limit = 300 * math.Pow(2, -49)
		}
		if worst > limit || math.IsNaN(worst) {
			t.Errorf("%v: off by %g, more than %g", p.in, worst, limit)
		}
	}
}

// runOnce runs a kernel of one program on both executors.
func runOnce(t failer, m *tile.Module, p *Program, want, got []input) {
	runCheckedGrid(t, m, want, [3]int32{1, 1, 1})
	runNativeGrid(t, p, got, [3]int32{1, 1, 1})
}
