package legalize

import (
	"math"
	"strconv"

	"github.com/tegula-lang/tegula/internal/tile"
)

// parts are what a descriptor is made of, in the order of OpMakeDesc's operands: the address, a
// size (i32) and then a stride (i64) for each dimension.
type parts []*tile.Value

func (p parts) base() *tile.Value        { return p[0] }
func (p parts) size(d int) *tile.Value   { return p[1+d] }
func (p parts) stride(d int) *tile.Value { return p[1+len(p)/2+d] }

// partTypes gives the types of the parts of a descriptor.
func partTypes(t tile.Type) []tile.Type {
	types := []tile.Type{tile.PtrTo(t.Block().Scalar())}
	for range t.Rank() {
		types = append(types, tile.Scalar(tile.I32))
	}
	for range t.Rank() {
		types = append(types, tile.Scalar(tile.I64))
	}
	return types
}

// partName names a part after its descriptor, for people.
func partName(desc string, i int) string {
	if desc == "" || i == 0 {
		return desc
	}
	return desc + "_" + strconv.Itoa(i)
}

// signature gives a function parameters and results for the parts.
func (e *expander) signature(f *tile.Func) {
	var params []tile.Param
	for i, v := range f.Body.Args {
		if !v.Type.IsDesc() {
			params = append(params, f.Params[i])
			continue
		}
		for k := range partTypes(v.Type) {
			params = append(params, tile.Param{Name: partName(f.Params[i].Name, k)})
		}
	}
	f.Params = params
	f.Results = flatten(f.Results)
}

// flatten gives types with those of the parts in the place of a descriptor's.
func flatten(types []tile.Type) []tile.Type {
	var out []tile.Type
	for _, t := range types {
		if !t.IsDesc() {
			out = append(out, t)
			continue
		}
		out = append(out, partTypes(t)...)
	}
	return out
}

// arguments replaces the descriptors among a block's arguments.
func (e *expander) arguments(b *tile.Block) {
	args := b.Args
	b.Args = nil
	for _, v := range args {
		if !v.Type.IsDesc() {
			v.Index = int32(len(b.Args))
			b.Args = append(b.Args, v)
			continue
		}
		for i, t := range partTypes(v.Type) {
			e.parts[v] = append(e.parts[v], b.AddArg(e.b.Func, t, partName(v.Name, i)))
		}
	}
}

// operands gives values with the parts in the place of a descriptor.
func (e *expander) operands(vals []*tile.Value) []*tile.Value {
	var out []*tile.Value
	for _, v := range vals {
		if p := e.parts[v]; p != nil {
			out = append(out, p...)
			continue
		}
		out = append(out, v)
	}
	return out
}

// descriptor rewrites an operation that has to do with descriptors. It reports whether op is gone.
func (e *expander) descriptor(op *tile.Op) bool {
	switch op.Code {
	case tile.OpMakeDesc:
		e.parts[op.Result()] = op.Args
	case tile.OpDescLoad:
		e.replace(op, e.load(e.window(op.Args[0], op.Args[1:])))
	case tile.OpDescStore:
		w := e.window(op.Args[0], op.Args[2:])
		e.b.Store(w.ptr, op.Args[1], w.mask, tile.StoreAttr{})
	case tile.OpDescReduce:
		w := e.window(op.Args[0], op.Args[2:])
		attr := tile.AtomicAttr{Kind: op.Attr.(tile.DescReduceAttr).Kind, Sem: tile.Relaxed}
		e.b.AtomicRMW(w.ptr, op.Args[1], w.mask, attr)
	case tile.OpDescGather:
		e.replace(op, e.load(e.rows(op.Args[0], op.Args[1], op.Args[2])))
	case tile.OpDescScatter:
		w := e.rows(op.Args[0], op.Args[2], op.Args[3])
		e.b.Store(w.ptr, op.Args[1], w.mask, tile.StoreAttr{})
	case tile.OpSelect:
		return e.choice(op)
	default:
		op.Args = e.operands(op.Args)
		e.results(op)
		return false
	}
	return true
}

// choice is a select between descriptors, which is one between their parts.
func (e *expander) choice(op *tile.Op) bool {
	x, y := e.parts[op.Args[1]], e.parts[op.Args[2]]
	if x == nil {
		return false
	}
	var p parts
	for i := range x {
		p = append(p, e.b.Select(op.Args[0], x[i], y[i]))
	}
	e.parts[op.Result()] = p
	return true
}

// results replaces the descriptors among an operation's results.
func (e *expander) results(op *tile.Op) {
	results := op.Results
	op.Results = nil
	add := func(v *tile.Value) {
		v.Op, v.Index = op, int32(len(op.Results))
		op.Results = append(op.Results, v)
	}
	for _, v := range results {
		if !v.Type.IsDesc() {
			add(v)
			continue
		}
		var p parts
		for i, t := range partTypes(v.Type) {
			w := e.b.Func.NewValue(t)
			w.Name = partName(v.Name, i)
			add(w)
			p = append(p, w)
		}
		e.parts[v] = p
	}
}

// A window is the elements that an access moves: their addresses, and which of them lie in the
// array.
type window struct {
	ptr, mask *tile.Value
	kind      tile.DescKind
}

// window gives the block of a descriptor at offsets.
func (e *expander) window(desc *tile.Value, offsets []*tile.Value) window {
	shape := desc.Type.Block()
	index := make([]*tile.Value, shape.Rank())
	for d := range index {
		i := e.b.Range(0, int64(shape.Dim(d)))
		index[d] = e.b.Binary(tile.OpAdd, e.wide(i), e.b.Splat(e.wide(offsets[d]), i.Type))
	}
	return e.elements(desc, shape, index)
}

// rows gives a part of each of some rows.
func (e *expander) rows(desc, rows, col *tile.Value) window {
	shape := desc.Type.Block().WithDim(0, rows.Type.LogDim(0))
	i := e.b.Range(0, int64(shape.Dim(1)))
	cols := e.b.Binary(tile.OpAdd, e.wide(i), e.b.Splat(e.wide(col), i.Type))
	return e.elements(desc, shape, []*tile.Value{e.wide(rows), cols})
}

// wide gives an i32 as an i64: the distance between two elements may be more than 2^31.
func (e *expander) wide(v *tile.Value) *tile.Value {
	return e.b.Cast(tile.OpExtS, v, tile.Scalar(tile.I64))
}

// elements gives the elements at the indices, one list of which is given for each dimension.
func (e *expander) elements(desc *tile.Value, shape tile.Type, index []*tile.Value) window {
	p := e.parts[desc]
	w := window{kind: desc.Type.DescKind()}
	var offset *tile.Value
	for d, i := range index {
		size, stride := e.b.Splat(e.wide(p.size(d)), i.Type), e.b.Splat(p.stride(d), i.Type)
		zero := e.b.Const(i.Type, 0)
		in := e.b.Binary(tile.OpAnd, e.b.CmpI(tile.GES, i, zero), e.b.CmpI(tile.LTS, i, size))
		offset = e.both(tile.OpAdd, offset, e.along(e.b.Binary(tile.OpMul, i, stride), shape, d))
		w.mask = e.both(tile.OpAnd, w.mask, e.along(in, shape, d))
	}
	w.ptr = e.b.AddPtr(e.b.Splat(p.base(), shape), offset)
	return w
}

// both combines x, if there is one, and y.
func (e *expander) both(code tile.Code, x, y *tile.Value) *tile.Value {
	if x == nil {
		return y
	}
	return e.b.Binary(code, x, y)
}

// along repeats a list along all dimensions of a shape but d.
func (e *expander) along(v *tile.Value, shape tile.Type, d int) *tile.Value {
	for i := range shape.Rank() {
		if i != d {
			v = e.b.ExpandDims(v, i)
		}
	}
	if v.Type.SameShape(shape) {
		return v
	}
	return e.b.Broadcast(v, shape)
}

func (e *expander) load(w window) *tile.Value {
	t := w.ptr.Type.Pointee()
	outside := uint64(0)
	if w.kind.NaN {
		outside = t.Elem().DType().Encode(math.NaN())
	}
	v := e.b.Load(w.ptr, w.mask, e.b.Const(t, outside), tile.LoadAttr{})
	if w.kind.TF32 {
		return e.roundTF32(v)
	}
	return v
}

// The lower bits of an f32 that TF32 has not, and the exponent's bits.
const (
	tf32Dropped  = 13
	f32Exponents = 0x7f800000
)

// roundTF32 rounds f32 to the 10 bits of mantissa of TF32, to nearest even; what is not finite stays.
func (e *expander) roundTF32(v *tile.Value) *tile.Value {
	bits := e.b.Cast(tile.OpBitcast, v, tile.Scalar(tile.I32))
	constant := func(n uint64) *tile.Value { return e.b.Const(bits.Type, n) }
	odd := e.b.Binary(tile.OpAnd, e.b.Binary(tile.OpShrU, bits, constant(tf32Dropped)), constant(1))
	up := e.b.Binary(tile.OpAdd, odd, constant(1<<(tf32Dropped-1)-1))
	rounded := e.b.Binary(tile.OpAnd, e.b.Binary(tile.OpAdd, bits, up), constant(math.MaxUint32<<tf32Dropped&math.MaxUint32))
	exponent := e.b.Binary(tile.OpAnd, bits, constant(f32Exponents))
	special := e.b.CmpI(tile.EQ, exponent, constant(f32Exponents))
	return e.b.Cast(tile.OpBitcast, e.b.Select(special, bits, rounded), tile.Scalar(tile.F32))
}
