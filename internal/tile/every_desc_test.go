package tile

func (e *every) descriptors() {
	e.at()
	block, _ := Scalar(F32).WithShape(1, 64)
	desc := e.MakeDesc(DescOf(block, DescKind{NaN: true, TF32: true}), e.ptr, []*Value{e.n, e.n}, []*Value{e.long, e.long})
	v := e.DescLoad(desc, []*Value{e.n, e.n})
	e.DescStore(desc, v, []*Value{e.n, e.n})
	for k := range atomicNames {
		if k := Atomic(k); k != AtomicXchg && atomicClass(k)(block) {
			e.DescReduce(desc, v, []*Value{e.n, e.n}, k)
		}
	}
	rows := e.Range(0, 8)
	e.DescScatter(desc, e.DescGather(desc, rows, e.n), rows, e.n)
	kept := e.OpWithRegions(OpIf, nil, []*Value{e.cond}, []*Block{
		e.in(func([]*Value) { e.Yield(desc) }), e.in(func([]*Value) { e.Yield(desc) }),
	}, desc.Type).Result()
	e.Select(e.cond, kept, desc)
	bytes, _ := Scalar(I8).WithShape(16)
	plain := e.MakeDesc(DescOf(bytes, DescKind{}), e.Cast(OpBitcast, e.ptr, PtrTo(Scalar(I8))), []*Value{e.n}, []*Value{e.long})
	e.DescReduce(plain, e.Const(bytes, 1), []*Value{e.n}, AtomicAdd)
}

func (e *every) scaledDots() {
	e.at()
	shaped := func(t Elem, dims ...int) *Value {
		tt, _ := Scalar(t).WithShape(dims...)
		return e.Const(tt, 0)
	}
	acc := shaped(F32, 16, 8)
	for f, elem := range scaledElems {
		k := 64
		if ScaledFormat(f) == E2M1 {
			k = 32
		}
		a, b := shaped(elem, 16, k), shaped(elem, k, 8)
		attr := DotScaledAttr{A: ScaledFormat(f), B: ScaledFormat(f), ScaleA: true, ScaleB: true}
		e.DotScaled(a, b, acc, []*Value{shaped(I8, 16, 2), shaped(I8, 8, 2)}, attr)
	}
	packed := DotScaledAttr{A: E2M1, B: E2M1, PackM: true, PackN: true, ScaleB: true, FastMath: true}
	e.DotScaled(shaped(I8, 2, 8, 64), shaped(I8, 2, 64, 4), shaped(F32, 2, 16, 8), []*Value{shaped(F8E4M3, 2, 8, 4)}, packed)
	e.DotScaled(shaped(BF16, 16, 64), shaped(I8, 32, 8), acc, nil, DotScaledAttr{A: ScaledBF16, B: E2M1})
}
