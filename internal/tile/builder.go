package tile

import "slices"

// A Builder appends operations to a block. It trusts its caller: operands must fit, as
// Verify would say. Result types follow from the operands wherever they can.
type Builder struct {
	Module *Module
	Func   *Func
	Loc    Loc // given to each operation made

	block *Block
}

// NewBuilder makes a builder without a block.
func NewBuilder(m *Module, f *Func) *Builder { return &Builder{Module: m, Func: f} }

// Block gives the block that operations are appended to.
func (b *Builder) Block() *Block { return b.block }

// SetBlock chooses the block and gives the former one.
func (b *Builder) SetBlock(blk *Block) *Block {
	old := b.block
	b.block = blk
	return old
}

// Op appends an operation with the given result types.
func (b *Builder) Op(code Code, attr Attr, args []*Value, results ...Type) *Op {
	op := NewOp(b.Func, code, attr, args, results...)
	op.Loc = b.Loc
	b.block.Ops = append(b.block.Ops, op)
	return op
}

// NewOp makes an operation that is in no block yet.
func NewOp(f *Func, code Code, attr Attr, args []*Value, results ...Type) *Op {
	op := &Op{Code: code, Attr: attr, Args: args}
	if len(results) > 0 {
		op.Results = make([]*Value, len(results))
		for i, t := range results {
			v := f.NewValue(t)
			v.Op, v.Index = op, int32(i)
			op.Results[i] = v
		}
	}
	return op
}

func (b *Builder) one(code Code, attr Attr, t Type, args ...*Value) *Value {
	return b.Op(code, attr, args, t).Results[0]
}

// Const makes a constant; bits are the element's, zero-extended.
func (b *Builder) Const(t Type, bits uint64) *Value {
	if w := t.ElemBits(); w < 64 {
		bits &= 1<<w - 1
	}
	return b.one(OpConst, ConstAttr{bits}, t)
}

// Unary makes an elementwise operation of one operand whose result has its type.
func (b *Builder) Unary(code Code, x *Value) *Value { return b.one(code, nil, x.Type, x) }

// Binary makes an elementwise operation of two operands whose result has their type.
func (b *Builder) Binary(code Code, x, y *Value) *Value { return b.one(code, nil, x.Type, x, y) }

// MinMaxF makes OpFMin or OpFMax.
func (b *Builder) MinMaxF(code Code, x, y *Value, propagateNaN bool) *Value {
	return b.one(code, NaNAttr{propagateNaN}, x.Type, x, y)
}

// Clamp makes OpClamp.
func (b *Builder) Clamp(x, lo, hi *Value, propagateNaN bool) *Value {
	return b.one(OpClamp, NaNAttr{propagateNaN}, x.Type, x, lo, hi)
}

// FMA makes OpFMA.
func (b *Builder) FMA(x, y, z *Value) *Value { return b.one(OpFMA, nil, x.Type, x, y, z) }

// CmpI makes OpCmpI.
func (b *Builder) CmpI(p CmpI, x, y *Value) *Value {
	return b.one(OpCmpI, CmpIAttr{p}, x.Type.WithElem(I1), x, y)
}

// CmpF makes OpCmpF.
func (b *Builder) CmpF(p CmpF, x, y *Value) *Value {
	return b.one(OpCmpF, CmpFAttr{p}, x.Type.WithElem(I1), x, y)
}

// Extern makes OpExtern with a result of type t.
func (b *Builder) Extern(name string, t Type, args ...*Value) *Value {
	return b.one(OpExtern, ExternAttr{name}, t, args...)
}

// Cast makes a conversion other than OpFTrunc; elem gives the result's element, whose shape is x's.
func (b *Builder) Cast(code Code, x *Value, elem Type) *Value {
	return b.one(code, nil, x.Type.WithScalar(elem), x)
}

// FTrunc makes OpFTrunc.
func (b *Builder) FTrunc(x *Value, to Elem, r Round) *Value {
	return b.one(OpFTrunc, RoundAttr{r}, x.Type.WithElem(to), x)
}

// Select makes OpSelect.
func (b *Builder) Select(cond, x, y *Value) *Value { return b.one(OpSelect, nil, x.Type, cond, x, y) }

// Splat makes OpSplat; shape's element is ignored.
func (b *Builder) Splat(x *Value, shape Type) *Value {
	return b.one(OpSplat, nil, shape.WithScalar(x.Type), x)
}

// Broadcast makes OpBroadcast; shape's element is ignored.
func (b *Builder) Broadcast(x *Value, shape Type) *Value {
	return b.one(OpBroadcast, nil, shape.WithScalar(x.Type), x)
}

// ExpandDims makes OpExpandDims.
func (b *Builder) ExpandDims(x *Value, axis int) *Value {
	return b.one(OpExpandDims, AxisAttr{axis}, x.Type.InsertDim(axis), x)
}

// Reshape makes OpReshape; shape's element is ignored.
func (b *Builder) Reshape(x *Value, shape Type, canReorder bool) *Value {
	return b.one(OpReshape, ReshapeAttr{canReorder}, shape.WithScalar(x.Type), x)
}

// Trans makes OpTrans; order is a permutation of x's dimensions.
func (b *Builder) Trans(x *Value, order []int) *Value {
	var a PermAttr
	t := x.Type
	for i, o := range order {
		a.Order[i] = uint8(o)
		t = t.WithDim(i, x.Type.LogDim(o))
	}
	return b.one(OpTrans, a, t, x)
}

// Cat makes OpCat.
func (b *Builder) Cat(x, y *Value, axis int) *Value {
	return b.one(OpCat, AxisAttr{axis}, x.Type.WithDim(axis, x.Type.LogDim(axis)+1), x, y)
}

// Join makes OpJoin.
func (b *Builder) Join(x, y *Value) *Value { return b.one(OpJoin, nil, x.Type.AppendDim(1), x, y) }

// Split makes OpSplit.
func (b *Builder) Split(x *Value) (lhs, rhs *Value) {
	t := x.Type.DropDim(x.Type.Rank() - 1)
	op := b.Op(OpSplit, nil, []*Value{x}, t, t)
	return op.Results[0], op.Results[1]
}

// Range makes OpRange; end-start is a power of two.
func (b *Builder) Range(start, end int64) *Value {
	t, _ := Scalar(I32).WithShape(int(end - start))
	return b.one(OpRange, RangeAttr{start, end}, t)
}

// Gather makes OpGather.
func (b *Builder) Gather(src, index *Value, axis int) *Value {
	return b.one(OpGather, AxisAttr{axis}, index.Type.WithScalar(src.Type), src, index)
}

// ProgramID makes OpProgramID.
func (b *Builder) ProgramID(axis int) *Value {
	return b.one(OpProgramID, AxisAttr{axis}, Scalar(I32))
}

// NumPrograms makes OpNumPrograms.
func (b *Builder) NumPrograms(axis int) *Value {
	return b.one(OpNumPrograms, AxisAttr{axis}, Scalar(I32))
}

// AddPtr makes OpAddPtr.
func (b *Builder) AddPtr(ptr, offset *Value) *Value {
	return b.one(OpAddPtr, nil, ptr.Type, ptr, offset)
}

// Load makes OpLoad; mask and other may be nil (other only with a mask).
func (b *Builder) Load(ptr, mask, other *Value, a LoadAttr) *Value {
	return b.one(OpLoad, a, ptr.Type.Pointee(), present(ptr, mask, other)...)
}

// Store makes OpStore; mask may be nil.
func (b *Builder) Store(ptr, val, mask *Value, a StoreAttr) {
	b.Op(OpStore, a, present(ptr, val, mask))
}

// AtomicRMW makes OpAtomicRMW; mask may be nil.
func (b *Builder) AtomicRMW(ptr, val, mask *Value, a AtomicAttr) *Value {
	return b.one(OpAtomicRMW, a, val.Type, present(ptr, val, mask)...)
}

// AtomicCAS makes OpAtomicCAS.
func (b *Builder) AtomicCAS(ptr, cmp, val *Value, a AtomicAttr) *Value {
	return b.one(OpAtomicCAS, a, val.Type, ptr, cmp, val)
}

// AtomicLoad makes OpAtomicLoad; mask may be nil.
func (b *Builder) AtomicLoad(ptr, mask *Value, a AtomicAttr) *Value {
	return b.one(OpAtomicLoad, a, ptr.Type.Pointee(), present(ptr, mask)...)
}

// AtomicStore makes OpAtomicStore; mask may be nil.
func (b *Builder) AtomicStore(ptr, val, mask *Value, a AtomicAttr) {
	b.Op(OpAtomicStore, a, present(ptr, val, mask))
}

// AtomicPoll makes OpAtomicPoll; timeout may be nil.
func (b *Builder) AtomicPoll(ptr, val, timeout *Value, a AtomicAttr) *Value {
	return b.one(OpAtomicPoll, a, val.Type.WithElem(I1), present(ptr, val, timeout)...)
}

// MakeDesc makes OpMakeDesc; t is a descriptor's type, which says how many sizes and strides there are.
func (b *Builder) MakeDesc(t Type, base *Value, sizes, strides []*Value) *Value {
	return b.one(OpMakeDesc, nil, t, slices.Concat([]*Value{base}, sizes, strides)...)
}

// DescLoad makes OpDescLoad.
func (b *Builder) DescLoad(desc *Value, offsets []*Value) *Value {
	return b.one(OpDescLoad, nil, desc.Type.Block(), slices.Concat([]*Value{desc}, offsets)...)
}

// DescStore makes OpDescStore.
func (b *Builder) DescStore(desc, val *Value, offsets []*Value) {
	b.Op(OpDescStore, nil, slices.Concat([]*Value{desc, val}, offsets))
}

// DescReduce makes OpDescReduce.
func (b *Builder) DescReduce(desc, val *Value, offsets []*Value, k Atomic) {
	b.Op(OpDescReduce, DescReduceAttr{k}, slices.Concat([]*Value{desc, val}, offsets))
}

// DescGather makes OpDescGather.
func (b *Builder) DescGather(desc, rows, col *Value) *Value {
	return b.one(OpDescGather, nil, desc.Type.Block().WithDim(0, rows.Type.LogDim(0)), desc, rows, col)
}

// DescScatter makes OpDescScatter.
func (b *Builder) DescScatter(desc, val, rows, col *Value) {
	b.Op(OpDescScatter, nil, []*Value{desc, val, rows, col})
}

// DotScaled makes OpDotScaled; scales are those that the attribute says there are.
func (b *Builder) DotScaled(x, y, acc *Value, scales []*Value, a DotScaledAttr) *Value {
	return b.one(OpDotScaled, a, acc.Type, slices.Concat([]*Value{x, y, acc}, scales)...)
}

// Dot makes OpDot.
func (b *Builder) Dot(x, y, acc *Value, a DotAttr) *Value {
	return b.one(OpDot, a, acc.Type, x, y, acc)
}

// Yield ends a region.
func (b *Builder) Yield(vals ...*Value) { b.Op(OpYield, nil, vals) }

// NewBlock makes an empty block with arguments of the given types.
func (b *Builder) NewBlock(args ...Type) *Block {
	blk := &Block{}
	for _, t := range args {
		blk.AddArg(b.Func, t, "")
	}
	return blk
}

// OpWithRegions appends an operation with finished regions.
func (b *Builder) OpWithRegions(code Code, attr Attr, args []*Value, regions []*Block, results ...Type) *Op {
	op := b.Op(code, attr, args, results...)
	op.Regions = regions
	return op
}

func present(vals ...*Value) []*Value {
	out := vals[:0]
	for _, v := range vals {
		if v != nil {
			out = append(out, v)
		}
	}
	return out
}
