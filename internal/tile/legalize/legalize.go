package legalize

import "github.com/tegula-lang/tegula/internal/tile"

// A Native says which operations a target takes as they are.
type Native struct {
	Descriptors bool
	DotScaled   bool
}

// Module gives a module without the operations that native leaves out.
func Module(m *tile.Module, native Native) *tile.Module {
	if !needs(m, native) {
		return m
	}
	m = tile.Clone(m)
	for _, f := range m.Funcs {
		e := &expander{b: tile.NewBuilder(m, f), native: native, parts: make(map[*tile.Value]parts)}
		e.function(f)
		f.Renumber()
	}
	return m
}

func needs(m *tile.Module, native Native) bool {
	found := false
	for _, f := range m.Funcs {
		f.Body.Walk(func(op *tile.Op) { found = found || illegal(op, native) })
	}
	return found
}

// illegal reports whether op must be rewritten. Where there is a descriptor there is one that was
// made, in this function or in one that calls it.
func illegal(op *tile.Op, native Native) bool {
	switch op.Code {
	case tile.OpMakeDesc:
		return !native.Descriptors
	case tile.OpDotScaled:
		return !native.DotScaled
	}
	return false
}

// An expander rebuilds a function in one walk. Definitions come before uses, so when it comes to
// an operation it knows what the descriptors among its operands are made of.
type expander struct {
	b      *tile.Builder
	native Native
	parts  map[*tile.Value]parts // of the descriptors
}

func (e *expander) function(f *tile.Func) {
	if !e.native.Descriptors {
		e.signature(f)
	}
	e.block(f.Body)
}

// block rebuilds a block.
func (e *expander) block(b *tile.Block) {
	if !e.native.Descriptors {
		e.arguments(b)
	}
	ops := b.Ops
	b.Ops = make([]*tile.Op, 0, len(ops))
	outer := e.b.SetBlock(b)
	for _, op := range ops {
		e.b.Loc = op.Loc
		e.op(b, op)
	}
	e.b.SetBlock(outer)
}

func (e *expander) op(b *tile.Block, op *tile.Op) {
	for _, r := range op.Regions {
		e.block(r)
		e.b.SetBlock(b)
		e.b.Loc = op.Loc
	}
	if op.Code == tile.OpDotScaled && !e.native.DotScaled {
		e.replace(op, e.dotScaled(op))
		return
	}
	if !e.native.Descriptors && e.descriptor(op) {
		return
	}
	b.Ops = append(b.Ops, op)
}

// replace makes v what op's result was. The value itself moves, so that its uses need no change.
func (e *expander) replace(op *tile.Op, v *tile.Value) {
	old, made := op.Result(), v.Op
	old.Op, old.Index = made, v.Index
	made.Results[v.Index] = old
}
