package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An atomicOp is the read-modify-write of each kind of element; float has no value where ok is false.
type atomicOp struct {
	name                    string
	signed, unsigned, float tile.Atomic
	floats                  []dtype.DType // the float types that have it
}

var (
	anyFloat  = []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64}
	wideFloat = []dtype.DType{dtype.Float32, dtype.Float64}
)

var atomicOps = []atomicOp{
	{"atomic_add", tile.AtomicAdd, tile.AtomicAdd, tile.AtomicFAdd, anyFloat},
	{"atomic_max", tile.AtomicMaxS, tile.AtomicMaxU, tile.AtomicFMax, wideFloat},
	{"atomic_min", tile.AtomicMinS, tile.AtomicMinU, tile.AtomicFMin, wideFloat},
	{"atomic_and", tile.AtomicAnd, tile.AtomicAnd, 0, nil},
	{"atomic_or", tile.AtomicOr, tile.AtomicOr, 0, nil},
	{"atomic_xor", tile.AtomicXor, tile.AtomicXor, 0, nil},
	{"atomic_xchg", tile.AtomicXchg, tile.AtomicXchg, tile.AtomicXchg, wideFloat},
}

func atomicRows() []*Builtin {
	rows := []*Builtin{
		{Name: "atomic_cas", Sig: "pointer, cmp, val, sem=None, scope=None", Method: true, Fn: langAtomicCAS},
		{Name: "atomic_load", Sig: "pointer, mask=None, sem=None, scope=None", Method: true, Fn: langAtomicLoad},
		{Name: "atomic_poll", Sig: "pointer, expected_value, sem=None, scope=None, timeout_ns=None", Method: true, Fn: langAtomicPoll},
		{Name: "atomic_store", Sig: "pointer, val, mask=None, sem=None, scope=None", Method: true, Fn: langAtomicStore},
	}
	for _, op := range atomicOps {
		rows = append(rows, &Builtin{Name: op.name, Sig: "pointer, val, mask=None, sem=None, scope=None", Method: true,
			Fn: func(g *gen, c *call) Value { return g.atomic(c, op) }})
	}
	return rows
}

// The orderings and scopes by name.
var (
	orderings = []named[tile.MemSem]{
		{"acq_rel", tile.AcqRel}, {"acquire", tile.Acquire}, {"release", tile.Release}, {"relaxed", tile.Relaxed},
	}
	loadOrderings  = []named[tile.MemSem]{{"acquire", tile.Acquire}, {"relaxed", tile.Relaxed}}
	storeOrderings = []named[tile.MemSem]{{"release", tile.Release}, {"relaxed", tile.Relaxed}}
	scopes         = []named[tile.MemScope]{{"gpu", tile.ScopeGPU}, {"cta", tile.ScopeCTA}, {"sys", tile.ScopeSystem}}
)

// atomicAttr reads the ordering at argument i and the scope after it; the first ordering is the default.
func (c *call) atomicAttr(g *gen, i int, sems []named[tile.MemSem]) tile.AtomicAttr {
	attr := tile.AtomicAttr{Sem: sems[0].value}
	if optional(c.args[i]) {
		attr.Sem = choice(g, c, i, sems)
	}
	if optional(c.args[i+1]) {
		attr.Scope = choice(g, c, i+1, scopes)
	}
	return attr
}

func (g *gen) atomic(c *call, op atomicOp) Value {
	attr := c.atomicAttr(g, 3, orderings)
	ptr := g.pointerArg(c, 0)
	attr.Kind = g.atomicKind(c, op, ptr.Type().Pointee())
	val := g.exactShape(c, 1, "value", ptr, g.storedValue(c, 1, ptr))
	return Tensor{g.b.AtomicRMW(ptr.V, val.V, g.atomicMask(c, 2, ptr).V, attr), val.DType}
}

// atomicKind gives op for elements of type t; the 8-bit types and 16-bit integers have none.
func (g *gen) atomicKind(c *call, op atomicOp, t Type) tile.Atomic {
	switch {
	case t.isInt() && t.DType.Bits() >= 32 && t.DType.IsSigned():
		return op.signed
	case t.isInt() && t.DType.Bits() >= 32:
		return op.unsigned
	}
	for _, d := range op.floats {
		if t.isFloat() && t.DType == d {
			return op.float
		}
	}
	g.fail(c.at[0], "type-mismatch", "%s of %s in memory is not possible", c.name, t.Scalar())
	return 0
}

// atomicMask gives the mask at argument i in the pointers' shape; it has no value if there is none.
func (g *gen) atomicMask(c *call, i int, ptr Tensor) Tensor {
	mask, ok := c.optTensor(g, i)
	if !ok {
		return Tensor{}
	}
	g.checkMask(mask, c.at[i])
	return g.exactShape(c, i, "mask", ptr, mask)
}

func langAtomicCAS(g *gen, c *call) Value {
	attr := c.atomicAttr(g, 3, orderings)
	ptr := g.pointerArg(c, 0)
	t := ptr.Type().Pointee()
	if t.IsPtr() || t.DType.Bits() < 16 {
		g.fail(c.at[0], "type-mismatch", "atomic_cas needs elements of 16, 32 or 64 bits, not %s", t.Scalar())
	}
	cmp := g.exactShape(c, 1, "value to compare", ptr, g.storedValue(c, 1, ptr))
	val := g.exactShape(c, 2, "value", ptr, g.storedValue(c, 2, ptr))
	return Tensor{g.b.AtomicCAS(ptr.V, cmp.V, val.V, attr), val.DType}
}

func langAtomicLoad(g *gen, c *call) Value {
	attr := c.atomicAttr(g, 2, loadOrderings)
	ptr := g.pointerArg(c, 0)
	elem := g.plainAtomic(c, ptr)
	if elem.isBool() {
		ptr = g.bytePointer(ptr, c.node)
	}
	mask, masked := c.optTensor(g, 1)
	if masked {
		g.checkMask(mask, c.at[1])
		ptr, mask, _ = g.accessShape(c, ptr, mask, Tensor{})
	}
	v := Tensor{g.b.AtomicLoad(ptr.V, mask.V, attr), ptr.DType}
	return g.cast(v, elem.DType, c.node)
}

func langAtomicStore(g *gen, c *call) Value {
	attr := c.atomicAttr(g, 3, storeOrderings)
	ptr := g.pointerArg(c, 0)
	if g.plainAtomic(c, ptr).isBool() {
		ptr = g.bytePointer(ptr, c.node)
	}
	val := g.exactShape(c, 1, "value", ptr, g.storedValue(c, 1, ptr))
	g.b.AtomicStore(ptr.V, val.V, g.atomicMask(c, 2, ptr).V, attr)
	return noValue
}

// plainAtomic gives the type of the elements that an atomic reads or writes only: any number.
func (g *gen) plainAtomic(c *call, ptr Tensor) Type {
	t := ptr.Type().Pointee()
	if t.IsPtr() {
		g.fail(c.at[0], "type-mismatch", "%s needs numbers in memory, not %s", c.name, t.Scalar())
	}
	return t
}

// langAtomicPoll waits until each element is what is expected, or the time is over, and tells which.
func langAtomicPoll(g *gen, c *call) Value {
	attr := c.atomicAttr(g, 2, loadOrderings)
	ptr := g.pointerArg(c, 0)
	t := ptr.Type().Pointee()
	if !t.isInt() || t.DType.Bits() < 16 {
		g.fail(c.at[0], "type-mismatch", "%s waits for integers of 16, 32 or 64 bits, not for %s", c.name, t.Scalar())
	}
	want := g.exactShape(c, 1, "expected value", ptr, g.storedValue(c, 1, ptr))
	var limit *tile.Value
	if optional(c.args[4]) {
		if n, ok := c.args[4].(int64); ok && n < 0 {
			g.fail(c.at[4], "out-of-range", "%s is %d; it must not be negative", c.param(4), n)
		}
		limit = g.scalar(c, 4, c.args[4], dtype.Int64).V
	}
	return Tensor{g.b.AtomicPoll(ptr.V, want.V, limit, attr), dtype.Int1}
}
