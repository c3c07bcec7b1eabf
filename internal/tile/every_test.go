package tile

import (
	"math"
	"reflect"
	"testing"
)

// everyOp builds a verified module that has each operation and each attribute, with
// attributes that set every field somewhere.
func everyOp(t testing.TB) *Module {
	t.Helper()
	e := newEvery()
	e.integers()
	e.floats()
	e.conversions()
	e.shapes()
	e.memory()
	e.descriptors()
	e.scaledDots()
	e.constants()
	e.regions()
	e.effects()
	e.ret()
	e.helper()
	if err := Verify(e.Module); err != nil {
		t.Fatalf("%v\n%v", err, e.Module)
	}
	return e.Module
}

// An every is a builder that gives each operation a location of its own.
type every struct {
	*Builder
	ptr, n, long, x, cond *Value
	tileF, tileI, tileB   *Value // 128xf32, 128xi32, 128xi1
	mat                   *Value // 16x32xf16
	line                  int32
}

func newEvery() *every {
	m := &Module{}
	f := &Func{Name: "every op", Body: &Block{}}
	m.Funcs = append(m.Funcs, f)
	e := &every{Builder: NewBuilder(m, f)}
	e.SetBlock(f.Body)
	param := func(t Type, name string, p Param) *Value {
		f.Params = append(f.Params, p)
		return f.Body.AddArg(f, t, name)
	}
	e.ptr = param(PtrTo(Scalar(F32)), "ptr", Param{Name: "ptr", Divisibility: 16})
	e.n = param(Scalar(I32), "n", Param{Name: "n_elements", Divisibility: 1, Unsigned: true})
	e.long = param(Scalar(I64), "", Param{Name: "long"})
	e.x = param(Scalar(F32), "x", Param{Name: ""})
	e.cond = param(Scalar(I1), "x", Param{Name: "x"})
	param(PtrTo(PtrTo(Scalar(BF16))), "π", Param{Name: "π", ReadOnly: true})
	e.at()
	f.Loc = e.Loc
	e.tileI = e.Range(0, 128)
	e.tileF = e.Splat(e.x, e.tileI.Type)
	e.tileB = e.Splat(e.cond, e.tileI.Type)
	mat, _ := Scalar(F16).WithShape(16, 32)
	e.mat = e.Const(mat, 0x3c00)
	return e
}

// at moves on to a further location.
func (e *every) at() {
	e.line++
	e.Loc = e.Module.Locs.Add(Location{
		File: "kernel \"é\".py", Line: e.line, Col: e.line % 7, EndCol: e.line % 3, Parent: Loc(e.line / 2),
	})
}

func (e *every) integers() {
	for c := OpAdd; c <= OpMulHiU; c++ {
		e.at()
		e.Binary(c, e.tileI, e.tileI)
	}
	for p := range cmpINames {
		e.at()
		e.CmpI(CmpI(p), e.n, e.n)
	}
	e.CmpI(GEU, e.ptr, e.ptr)
	e.Unary(OpAbsI, e.long)
}

func (e *every) floats() {
	for _, c := range []Code{OpFAdd, OpFSub, OpFMul, OpFDiv, OpFDivRN, OpFRem} {
		e.at()
		e.Binary(c, e.tileF, e.tileF)
	}
	e.MinMaxF(OpFMin, e.x, e.x, true)
	e.MinMaxF(OpFMax, e.x, e.x, false)
	e.FMA(e.x, e.x, e.x)
	e.Clamp(e.tileF, e.tileF, e.tileF, true)
	for p := range cmpFNames {
		e.at()
		e.CmpF(CmpF(p), e.x, e.x)
	}
	for c := OpAbsF; c <= OpCeil; c++ {
		e.at()
		e.Unary(c, e.tileF)
	}
	e.Unary(OpFNeg, e.x)
	e.Extern("atan2", e.tileF.Type, e.tileF, e.tileF)
}

func (e *every) conversions() {
	short := e.Cast(OpTrunc, e.tileI, Scalar(I8))
	e.Cast(OpExtS, short, Scalar(I64))
	e.Cast(OpExtU, e.tileB, Scalar(I32))
	half := e.FTrunc(e.tileF, F16, TowardsZero)
	e.FTrunc(half, BF16, NearestEven)
	e.Cast(OpFExt, half, Scalar(F64))
	e.Cast(OpSToF, e.tileI, Scalar(F8E4M3))
	e.Cast(OpUToF, e.tileB, Scalar(F32))
	e.Cast(OpFToS, e.tileF, Scalar(I64))
	e.Cast(OpFToU, e.tileF, Scalar(I8))
	e.Cast(OpBitcast, e.tileF, Scalar(I32))
	e.Cast(OpBitcast, e.ptr, PtrTo(Scalar(I8)))
	e.Cast(OpPtrToInt, e.Cast(OpIntToPtr, e.long, PtrTo(Scalar(I16))), Scalar(I64))
	e.Select(e.cond, e.tileF, e.tileF)
	e.Select(e.tileB, e.tileI, e.tileI)
}

func (e *every) shapes() {
	e.at()
	row := e.ExpandDims(e.tileF, 0)
	wide, _ := Scalar(I1).WithShape(4, 128)
	e.Broadcast(row, wide)
	e.Reshape(e.mat, wide.WithDim(1, 7), true)
	e.Reshape(e.mat, wide, false)
	e.Trans(e.mat, []int{1, 0})
	e.Trans(e.ExpandDims(e.mat, 2), []int{2, 0, 1})
	e.Cat(e.mat, e.mat, 1)
	e.Split(e.Join(e.tileI, e.tileI))
	e.Split(e.Join(e.n, e.n))
	e.Range(-8, 8)
	e.Gather(e.tileF, e.Range(0, 2), 0)
	e.Op(OpHistogram, nil, []*Value{e.tileI, e.tileB}, e.Range(0, 16).Type)
	for k := range hintNames {
		e.Op(OpHint, HintAttr{Hint(k), [MaxRank]int64{8, math.MaxInt64}}, []*Value{e.mat}, e.mat.Type)
	}
	e.Op(OpHint, HintAttr{HintDivisible, [MaxRank]int64{3}}, []*Value{e.n}, e.n.Type).Result().Name = "x.1"
	e.Op(OpAssume, nil, []*Value{e.cond})
	e.ProgramID(0)
	e.NumPrograms(2)
}

func (e *every) memory() {
	e.at()
	p := e.AddPtr(e.Splat(e.ptr, e.tileI.Type), e.tileI)
	v := e.Load(p, nil, nil, LoadAttr{})
	e.Load(p, e.tileB, nil, LoadAttr{Cache: CacheCG, Evict: EvictFirst})
	e.Load(e.ptr, e.cond, e.x, LoadAttr{Volatile: true})
	e.Store(p, v, nil, StoreAttr{})
	e.Store(p, v, e.tileB, StoreAttr{Cache: CacheWT, Evict: EvictLast})
	ip := e.Cast(OpBitcast, p, PtrTo(Scalar(I32)))
	for k := range atomicNames {
		a := AtomicAttr{Kind: Atomic(k), Sem: MemSem(k % len(memSemNames)), Scope: MemScope(k % len(memScopeNames))}
		if atomicClass(a.Kind)(ip.Type.Pointee()) {
			e.AtomicRMW(ip, e.tileI, nil, a)
		} else {
			e.AtomicRMW(p, v, e.tileB, a)
		}
	}
	e.AtomicCAS(ip, e.tileI, e.tileI, AtomicAttr{Scope: ScopeSystem, Sem: Relaxed})
	e.AtomicLoad(p, e.tileB, AtomicAttr{Sem: Acquire})
	e.AtomicStore(p, v, e.tileB, AtomicAttr{Sem: Release, Scope: ScopeCTA})
	e.AtomicPoll(ip, e.tileI, nil, AtomicAttr{Sem: Acquire})
	e.AtomicPoll(e.Cast(OpBitcast, e.ptr, PtrTo(Scalar(I32))), e.n, e.long, AtomicAttr{Sem: Relaxed})
	for pr := range precisionNames {
		acc := e.Const(e.mat.Type.WithDim(1, 4).WithElem(F32), 0)
		e.Dot(e.mat, e.Trans(e.mat, []int{1, 0}), acc, DotAttr{Precision: Precision(pr), MaxImprecise: pr})
	}
	bytes := e.Const(e.mat.Type.WithElem(I8), 0xff)
	batch := e.ExpandDims(bytes, 0)
	acc := e.ExpandDims(e.Const(e.mat.Type.WithDim(1, 4).WithElem(I32), 1), 0)
	e.Dot(batch, e.Trans(batch, []int{0, 2, 1}), acc, DotAttr{Precision: IEEE, Unsigned: true})
}

func (e *every) constants() {
	e.at()
	for _, c := range []struct {
		t    Type
		bits uint64
	}{
		{Scalar(I1), 1},
		{Scalar(I8), 0x80},
		{Scalar(I64), 1 << 63},
		{Scalar(F32), 0x7fc00001},
		{Scalar(F32), 0x7f800001}, // signalling
		{Scalar(F32), 0xff800000},
		{Scalar(F32), 0x80000000},
		{Scalar(F32), 0x3dcccccd},
		{Scalar(F64), math.Float64bits(math.Pi)},
		{Scalar(F64), 0xfff0000000000001},
		{Scalar(F16), 0x7e00},
		{Scalar(BF16), 0x0001},
		{Scalar(F8E4M3), 0xff},
		{Scalar(F8E5M2), 0x7c},
		{Scalar(F8E4B15), 0x7f},
		{Scalar(F8E4M3FZ), 0x80},
		{Scalar(F8E5M2FZ), 0x01},
		{PtrTo(Scalar(F32)), 0},
		{PtrTo(Scalar(F32)), 0xdead_beef_0000_0000},
	} {
		e.Const(c.t, c.bits)
	}
}

// in makes a block with arguments of the given types and builds its operations.
func (e *every) in(build func(args []*Value), types ...Type) *Block {
	blk := e.NewBlock(types...)
	old := e.SetBlock(blk)
	build(blk.Args)
	e.SetBlock(old)
	return blk
}

func (e *every) regions() {
	e.at()
	pair := []Type{Scalar(F32), Scalar(I32), Scalar(F32), Scalar(I32)}
	combine := func(a []*Value) {
		a[0].Name, a[2].Name = "lhs", "lhs"
		e.Yield(e.Binary(OpFAdd, a[0], a[2]), e.Binary(OpMaxS, a[1], a[3]))
	}
	both := []*Value{e.tileF, e.tileI}
	e.OpWithRegions(OpReduce, AxisAttr{0}, both, []*Block{e.in(combine, pair...)}, Scalar(F32), Scalar(I32))
	e.OpWithRegions(OpScan, ScanAttr{0, true}, both, []*Block{e.in(combine, pair...)}, e.tileF.Type, e.tileI.Type)
	e.OpWithRegions(OpMap, nil, both, []*Block{e.in(func(a []*Value) { e.Yield(a[1]) }, pair[:2]...)}, e.tileI.Type)

	all := ForAttr{Unsigned: true, NumStages: 3, Unroll: 2, Flatten: true, WarpSpecialize: true, NoMultiBuffer: true, NoLICM: true}
	e.OpWithRegions(OpFor, all, []*Value{e.n, e.n, e.n, e.x, e.tileI}, []*Block{e.in(func(a []*Value) {
		inner := e.in(func([]*Value) { e.Yield() }, Scalar(I64))
		e.OpWithRegions(OpFor, ForAttr{}, []*Value{e.long, e.long, e.long}, []*Block{inner})
		e.Yield(a[1:]...)
	}, Scalar(I32), Scalar(F32), e.tileI.Type)}, Scalar(F32), e.tileI.Type)

	e.OpWithRegions(OpWhile, nil, []*Value{e.n}, []*Block{
		e.in(func(a []*Value) { e.Op(OpCondition, nil, []*Value{e.cond, a[0], e.x}) }, Scalar(I32)),
		e.in(func(a []*Value) { e.Yield(a[0]) }, Scalar(I32), Scalar(F32)),
	}, Scalar(I32), Scalar(F32))
	e.OpWithRegions(OpIf, nil, []*Value{e.cond}, []*Block{
		e.in(func([]*Value) { e.Yield(e.n) }), e.in(func([]*Value) { e.Yield(e.n) }),
	}, Scalar(I32))
	e.OpWithRegions(OpIf, nil, []*Value{e.cond}, []*Block{
		e.in(func([]*Value) { e.Op(OpBarrier, nil, nil); e.Yield() }), e.in(func([]*Value) { e.Yield() }),
	})
}

func (e *every) effects() {
	e.at()
	e.Op(OpPrint, PrintAttr{Prefix: "a\n\"b\" \xff", Hex: true, Signed: 0b10}, []*Value{e.x, e.tileI})
	e.Op(OpPrint, PrintAttr{}, nil)
	e.Op(OpAssert, AssertAttr{"m"}, []*Value{e.tileB, e.tileB})
	asm := AsmAttr{Asm: "{ add $0, $1; }", Constraints: "=r,r", Pure: true, Pack: 1}
	e.Op(OpInlineAsm, asm, []*Value{e.tileI}, e.tileI.Type, e.tileF.Type)
	e.Op(OpCall, CallAttr{"helper"}, []*Value{e.tileI, e.x}, Scalar(F32))
}

func (e *every) ret() {
	e.Loc = 0 // an unknown place
	e.Op(OpReturn, nil, nil)
}

// helper adds the function that OpCall calls.
func (e *every) helper() {
	f := &Func{Name: "helper", Body: &Block{}, Results: []Type{Scalar(F32)}, Params: make([]Param, 2)}
	f.Body.AddArg(f, e.tileI.Type, "")
	x := f.Body.AddArg(f, Scalar(F32), "")
	e.Module.Funcs = append(e.Module.Funcs, f)
	b := NewBuilder(e.Module, f)
	b.SetBlock(f.Body)
	b.Op(OpReturn, nil, []*Value{x})
}

func TestEveryOpHasEveryOp(t *testing.T) {
	var codes [numOps]bool
	attrs := make(map[reflect.Type]bool)
	for _, f := range everyOp(t).Funcs {
		f.Body.Walk(func(op *Op) {
			codes[op.Code] = true
			attrs[reflect.TypeOf(op.Attr)] = true
		})
	}
	for c := BadOp + 1; c < numOps; c++ {
		if !codes[c] {
			t.Errorf("there is no %s", c)
		}
		if a := opTable[c].attr; a != nil && !attrs[reflect.TypeOf(a)] {
			t.Errorf("there is no %T", a)
		}
		if rules[c] == nil {
			t.Errorf("%s has no rule", c)
		}
	}
}

// TestEveryFieldIsVisited sets each field of each attribute type by reflection and checks
// that a visit shows it.
func TestEveryFieldIsVisited(t *testing.T) {
	for c := BadOp + 1; c < numOps; c++ {
		zero := opTable[c].attr
		if zero == nil {
			continue
		}
		for i := range reflect.TypeOf(zero).NumField() {
			a := reflect.New(reflect.TypeOf(zero)).Elem()
			setNonZero(a.Field(i))
			if got := zero.fields(&copyVisitor{from: a.Interface().(Attr)}); got != a.Interface() {
				t.Errorf("%T: the visit misses %s", zero, reflect.TypeOf(zero).Field(i).Name)
			}
		}
	}
}

func setNonZero(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("s")
	case reflect.Array:
		setNonZero(v.Index(v.Len() - 1))
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	default:
		v.SetUint(1)
	}
}

// A copyVisitor answers with the fields of another attribute, in order of the visit.
type copyVisitor struct {
	from Attr
	vals []any
}

// next gives the from attribute's value of the field that the visit is at.
func (c *copyVisitor) next() any {
	if c.vals == nil {
		rec := &recordVisitor{}
		c.from.fields(rec)
		c.vals = rec.vals
	}
	v := c.vals[0]
	c.vals = c.vals[1:]
	return v
}

func (c *copyVisitor) flag(string, bool) bool                        { return c.next().(bool) }
func (c *copyVisitor) num(string, use, int64) int64                  { return c.next().(int64) }
func (c *copyVisitor) bits(string, use, uint64) uint64               { return c.next().(uint64) }
func (c *copyVisitor) text(string, use, string) string               { return c.next().(string) }
func (c *copyVisitor) enum(string, use, uint8, []string) uint8       { return c.next().(uint8) }
func (c *copyVisitor) dims(_ string, _ dimsArray, _ int64) dimsArray { return c.next().(dimsArray) }

type dimsArray = [MaxRank]int64

// A recordVisitor records what it is shown.
type recordVisitor struct{ vals []any }

func record[T any](r *recordVisitor, x T) T {
	r.vals = append(r.vals, x)
	return x
}

func (r *recordVisitor) flag(_ string, x bool) bool                      { return record(r, x) }
func (r *recordVisitor) num(_ string, _ use, x int64) int64              { return record(r, x) }
func (r *recordVisitor) bits(_ string, _ use, x uint64) uint64           { return record(r, x) }
func (r *recordVisitor) text(_ string, _ use, x string) string           { return record(r, x) }
func (r *recordVisitor) enum(_ string, _ use, x uint8, _ []string) uint8 { return record(r, x) }
func (r *recordVisitor) dims(_ string, x dimsArray, _ int64) dimsArray   { return record(r, x) }
