package tile

import (
	"maps"
	"slices"
)

// Clone gives a copy of a verified module that shares nothing with it that can change.
// Values keep their IDs, so that side tables fit the copy too.
func Clone(m *Module) *Module {
	out := &Module{
		Funcs: make([]*Func, len(m.Funcs)),
		Locs:  Locs{list: slices.Clone(m.Locs.list), index: maps.Clone(m.Locs.index)},
	}
	for i, f := range m.Funcs {
		out.Funcs[i] = cloneFunc(f)
	}
	return out
}

func cloneFunc(f *Func) *Func {
	g := *f
	g.Params = slices.Clone(f.Params)
	g.Results = slices.Clone(f.Results)
	c := newCloner(f)
	g.Body = c.block(f.Body)
	return &g
}

// A cloner copies a function's body. Operations, values and the lists of them come from a
// few large pieces of memory, as a function has thousands.
type cloner struct {
	values []Value // by ID
	ops    []Op
	lists  []*Value
}

func newCloner(f *Func) *cloner {
	ops, lists := 0, len(f.Body.Args)
	f.Body.Walk(func(op *Op) {
		ops++
		lists += len(op.Args) + len(op.Results)
		for _, r := range op.Regions {
			lists += len(r.Args)
		}
	})
	return &cloner{
		values: make([]Value, f.NumValues()),
		ops:    make([]Op, ops),
		lists:  make([]*Value, lists),
	}
}

// list takes a list of n values that grows elsewhere when appended to.
func (c *cloner) list(n int) []*Value {
	if n == 0 {
		return nil
	}
	l := c.lists[:n:n]
	c.lists = c.lists[n:]
	return l
}

func (c *cloner) block(b *Block) *Block {
	out := &Block{Args: c.list(len(b.Args)), Ops: make([]*Op, len(b.Ops))}
	for i, v := range b.Args {
		out.Args[i] = c.define(v)
		out.Args[i].Block = out
	}
	for i, op := range b.Ops {
		out.Ops[i] = c.op(op)
	}
	return out
}

func (c *cloner) op(op *Op) *Op {
	out := &c.ops[0]
	c.ops = c.ops[1:]
	*out = *op
	out.Args = c.list(len(op.Args))
	for i, v := range op.Args {
		out.Args[i] = &c.values[v.ID]
	}
	if len(op.Regions) > 0 {
		out.Regions = make([]*Block, len(op.Regions))
	}
	for i, r := range op.Regions {
		out.Regions[i] = c.block(r)
	}
	out.Results = c.list(len(op.Results))
	for i, v := range op.Results {
		out.Results[i] = c.define(v)
		out.Results[i].Op = out
	}
	return out
}

// define copies a value; the caller points it to its new place.
func (c *cloner) define(v *Value) *Value {
	w := &c.values[v.ID]
	*w = Value{Type: v.Type, ID: v.ID, Index: v.Index, Name: v.Name}
	return w
}
