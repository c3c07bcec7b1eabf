package lir

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A Builder makes a function. Pure operations are folded, merged with equal ones that are already there, and put in front of the
// loops that they do not depend on, as they are made: there is no pass that does so later.
type Builder struct {
	Func *Func
	Loc  tile.Loc // of the operations that are made
	// Unfused has products and sums rounded each for itself where the target could round once.
	Unfused bool
	open    []*scope // the blocks that are being built, outermost first
}

// A scope is a block that is being built.
type scope struct {
	block *Block
	loop  bool // it runs again and again, so what does not change in it belongs in front of it
	seen  map[exprKey]*Value
}

// An exprKey tells pure operations apart.
type exprKey struct {
	code    Code
	mod     uint8
	typ     Type
	imm     int64
	a, b, c int32 // IDs of the operands; constants have IDs too
}

type constKey struct {
	typ  Type
	bits uint64
}

// NewFunc begins a kernel.
func NewFunc(name string, warps, warpSize int) *Func {
	return &Func{Name: name, Warps: warps, WarpSize: warpSize, Body: &Block{}, consts: map[constKey]*Value{}}
}

// NewBuilder gives a builder at the beginning of f's body.
func NewBuilder(f *Func) *Builder {
	b := &Builder{Func: f}
	b.push(f.Body, false)
	return b
}

func (b *Builder) push(block *Block, loop bool) {
	b.open = append(b.open, &scope{block: block, loop: loop, seen: map[exprKey]*Value{}})
}

func (b *Builder) pop() { b.open = b.open[:len(b.open)-1] }

// Depth gives how many blocks enclose the one that is being built; At builds in one of them.
func (b *Builder) Depth() int { return len(b.open) - 1 }

// Block gives the block that is being built.
func (b *Builder) Block() *Block { return b.open[len(b.open)-1].block }

// DepthOf gives the depth of the block in which a value becomes known; constants are known everywhere.
func (b *Builder) DepthOf(v *Value) int { return int(v.depth) }

// At runs build as if the blocks deeper than depth had not been begun yet: what it makes comes before the operation that they
// are regions of.
func (b *Builder) At(depth int, build func()) {
	open := b.open
	b.open = open[: depth+1 : depth+1]
	build()
	b.open = open
}

// BlockAt gives a block that is being built, by its depth.
func (b *Builder) BlockAt(depth int) *Block { return b.open[depth].block }

// IsOpen reports whether a block is being built: what was made in it before is known here.
func (b *Builder) IsOpen(block *Block) bool {
	for _, s := range b.open {
		if s.block == block {
			return true
		}
	}
	return false
}

// OutsideLoops gives the depth of the block in front of the loops that enclose this one without a condition in between, but not less than least.
func (b *Builder) OutsideLoops(least int) int {
	d := b.Depth()
	for d > least && b.open[d].loop {
		d--
	}
	return d
}

// Const gives a constant; bits beyond the type's are dropped.
func (b *Builder) Const(t Type, bits uint64) *Value {
	k := constKey{t, bits & t.Mask()}
	if v, ok := b.Func.consts[k]; ok {
		return v
	}
	v := b.Func.newValue(t)
	v.Bits = k.bits
	b.Func.consts[k] = v
	return v
}

// I32 gives a constant of 32 bits.
func (b *Builder) I32(n int) *Value { return b.Const(I32, uint64(n)) }

// Bool gives a truth value.
func (b *Builder) Bool(x bool) *Value {
	if x {
		return b.Const(I1, 1)
	}
	return b.Const(I1, 0)
}

func (f *Func) newValue(t Type) *Value {
	v := &Value{Type: t, ID: f.numValues}
	f.numValues++
	return v
}

// NumValues gives an upper bound of the IDs of f's values.
func (f *Func) NumValues() int { return int(f.numValues) }

// NewShared adds a buffer of shared memory.
func (f *Func) NewShared(size, align int) int {
	f.Shared = append(f.Shared, Buffer{Size: size, Align: max(align, 1)})
	return len(f.Shared) - 1
}

// NewLocal adds a buffer of each thread's own.
func (f *Func) NewLocal(size, align int) int {
	f.Local = append(f.Local, Buffer{Size: size, Align: max(align, 1)})
	return len(f.Local) - 1
}

// Pure makes an operation without effect, or finds one that gives the same.
func (b *Builder) Pure(code Code, mod uint8, t Type, imm int64, args ...*Value) *Value {
	if b.Unfused && (code == OpFMul || code == OpFAdd || code == OpFSub) && mod == uint8(Fused) {
		mod = uint8(Nearest)
	}
	if v := b.fold(code, mod, t, args); v != nil {
		return v
	}
	k := exprKey{code: code, mod: mod, typ: t, imm: imm, a: -1, b: -1, c: -1}
	least := int32(0)
	for i, a := range args {
		least = max(least, a.depth)
		switch i {
		case 0:
			k.a = a.ID
		case 1:
			k.b = a.ID
		case 2:
			k.c = a.ID
		}
	}
	if commutes[code] && k.a > k.b {
		k.a, k.b = k.b, k.a
	}
	depth := b.OutsideLoops(int(least))
	for d := depth; d >= int(least); d-- {
		if v, ok := b.open[d].seen[k]; ok {
			return v
		}
	}
	s := b.open[depth]
	op := &Op{Code: code, Mod: mod, Imm: imm, Loc: b.Loc, Args: slices.Clone(args)} // the slice is the caller's
	v := b.result(op, t, depth)
	s.block.Ops = append(s.block.Ops, op)
	s.seen[k] = v
	return v
}

func (b *Builder) result(op *Op, t Type, depth int) *Value {
	v := b.Func.newValue(t)
	v.Op, v.Index, v.depth, v.varies = op, int32(len(op.Results)), int32(depth), variesByThread(op)
	op.Results = append(op.Results, v)
	return v
}

// variesByThread reports whether an operation's results may differ from thread to thread.
func variesByThread(op *Op) bool {
	if op.Code == OpThreadID || op.Code != OpLoad && op.Effect() != Pure || op.Code == OpLoad && op.Mem.Space != Global {
		return true
	}
	for _, a := range op.Args {
		if a.varies {
			return true
		}
	}
	return false
}

// Emit appends an operation that stays where it is, with results of some types. The list it gives is the caller's.
func (b *Builder) Emit(op *Op, results ...Type) []*Value {
	op.Loc = b.Loc
	for _, t := range results {
		b.result(op, t, b.Depth())
	}
	b.Block().Ops = append(b.Block().Ops, op)
	return append([]*Value(nil), op.Results...)
}

// Load reads n values of type t.
func (b *Builder) Load(m Mem, t Type, n int, addr, pred *Value, other []*Value) []*Value {
	args := []*Value{addr}
	if pred != nil && !pred.IsConstBits(1) {
		m.Pred = true
		args = append(args, pred)
		if other != nil {
			m.Else = true
			args = append(args, other...)
		}
	}
	results := make([]Type, n)
	for i := range results {
		results[i] = t
	}
	return b.Emit(&Op{Code: OpLoad, Args: args, Mem: &m}, results...)
}

// Pack gives the bits of two values of 16 bits, or of four of 8.
func (b *Builder) Pack(vals []*Value) *Value {
	var bits uint64
	for i, v := range vals {
		if !v.IsConst() {
			break
		}
		bits |= v.Bits << (i * v.Type.Bits())
		if i == len(vals)-1 {
			return b.Const(I32, bits)
		}
	}
	if len(vals) == 2 {
		return b.Pure(OpPack, 0, I32, 0, vals...)
	}
	return b.Emit(&Op{Code: OpPack, Args: vals}, I32)[0]
}

// Unpack takes a word apart into values of a type.
func (b *Builder) Unpack(t Type, word *Value) []*Value {
	results := make([]Type, 32/t.Bits())
	for i := range results {
		results[i] = t
	}
	return b.Emit(&Op{Code: OpUnpack, Args: []*Value{word}}, results...)
}

// Store writes values.
func (b *Builder) Store(m Mem, addr, pred *Value, vals ...*Value) {
	if pred != nil && pred.IsConstBits(0) {
		return
	}
	args := []*Value{addr}
	if pred != nil && !pred.IsConstBits(1) {
		m.Pred = true
		args = append(args, pred)
	}
	b.Emit(&Op{Code: OpStore, Args: append(args, vals...), Mem: &m})
}

// Repeat makes a loop that runs n times and is to stay one: its body is as long as is good.
func (b *Builder) Repeat(n int, carried []*Value, body func(i *Value, carried []*Value) []*Value) []*Value {
	results := b.For(false, b.I32(0), b.I32(n), b.I32(1), carried, body)
	ops := b.Block().Ops
	ops[len(ops)-1].Imm = 1
	return results
}

// For makes a loop. body gets the counter and what is carried, and gives what is carried on.
func (b *Builder) For(unsigned bool, lower, upper, step *Value, carried []*Value, body func(i *Value, carried []*Value) []*Value) []*Value {
	op := &Op{Code: OpFor, Args: append([]*Value{lower, upper, step}, carried...)}
	if unsigned {
		op.Mod = 1
	}
	r := b.region(true, append([]Type{lower.Type}, types(carried)...), func(args []*Value) {
		args[0].varies = lower.varies || step.varies
		b.end(OpYield, body(args[0], args[1:]))
	})
	op.Regions = []*Block{r}
	return b.Emit(op, types(carried)...)
}

// While makes a loop. cond gets what is carried and gives whether to go on, and values for the body, which gives what is carried on.
func (b *Builder) While(carried []*Value, cond func([]*Value) (*Value, []*Value), body func([]*Value) []*Value) []*Value {
	return b.while(0, carried, cond, body)
}

// WhileEach makes a loop that each thread leaves when it is done; its regions hold nothing that threads do together.
func (b *Builder) WhileEach(carried []*Value, cond func([]*Value) (*Value, []*Value), body func([]*Value) []*Value) []*Value {
	return b.while(1, carried, cond, body)
}

func (b *Builder) while(each int64, carried []*Value, cond func([]*Value) (*Value, []*Value), body func([]*Value) []*Value) []*Value {
	op := &Op{Code: OpWhile, Imm: each, Args: carried}
	var passed []Type
	before := b.region(true, types(carried), func(args []*Value) {
		c, vals := cond(args)
		passed = types(vals)
		b.end(OpCondition, append([]*Value{c}, vals...))
	})
	after := b.region(true, passed, func(args []*Value) { b.end(OpYield, body(args)) })
	op.Regions = []*Block{before, after}
	return b.Emit(op, passed...)
}

// If makes a branch on what is the same in all threads; both arms give values of the same types. els may be nil.
func (b *Builder) If(cond *Value, then, els func() []*Value) []*Value {
	return b.branch(cond, 0, then, els)
}

// IfEach makes a branch that each thread takes or not; its arms hold nothing that threads do together.
func (b *Builder) IfEach(cond *Value, then, els func() []*Value) []*Value {
	return b.branch(cond, 1, then, els)
}

func (b *Builder) branch(cond *Value, each int64, then, els func() []*Value) []*Value {
	if cond.IsConst() {
		if cond.Bits == 1 {
			return then()
		}
		if els == nil {
			return nil
		}
		return els()
	}
	op := &Op{Code: OpIf, Imm: each, Args: []*Value{cond}}
	var results []Type
	arm := func(f func() []*Value) *Block {
		return b.region(false, nil, func([]*Value) {
			var vals []*Value
			if f != nil {
				vals = f()
			}
			results = types(vals)
			b.end(OpYield, vals)
		})
	}
	op.Regions = []*Block{arm(then), arm(els)}
	return b.Emit(op, results...)
}

func (b *Builder) region(loop bool, args []Type, build func(args []*Value)) *Block {
	block := &Block{}
	b.push(block, loop)
	for i, t := range args {
		v := b.Func.newValue(t)
		v.Block, v.Index, v.depth, v.varies = block, int32(i), int32(b.Depth()), true
		block.Args = append(block.Args, v)
	}
	build(block.Args)
	b.pop()
	return block
}

func (b *Builder) end(code Code, vals []*Value) {
	b.Emit(&Op{Code: code, Args: append([]*Value(nil), vals...)})
}

// Return ends the function.
func (b *Builder) Return() { b.end(OpReturn, nil) }
