package lir

import "github.com/tegula-lang/tegula/internal/tile"

// A Func is a kernel as one thread runs it.
type Func struct {
	Name     string
	Params   []Param
	Body     *Block // ends in OpReturn
	Warps    int    // of the program instance
	WarpSize int
	CTAs     int // that share the warps evenly; 0 is 1
	PerSM    int // programs that a multiprocessor had better run at once, as far as registers go; 0: nothing is said
	// Shared and Local are the buffers that accesses name.
	Shared, Local []Buffer
	// SharedBytes is the size of the CTA's shared memory; Finish gives it.
	SharedBytes int
	Locs        *tile.Locs
	// Tiles are the values that have a name in the kernel, for people.
	Tiles []Tile

	numValues int32
	consts    map[constKey]*Value
}

// A Param is a parameter; lir.OpParam reads it.
type Param struct {
	Name string
	Type Type
	// Pointer says that the I64 is an address in Global memory; Align is a power of two that divides it.
	Pointer bool
	Align   int64
	// Elem is what a pointer points to, for people: no operation depends on it.
	Elem Type
}

// A Tile is a value of the kernel that each thread holds in registers.
type Tile struct {
	Name string // may be empty
	Regs []*Value
}

// A Buffer is a piece of Shared or Local memory.
type Buffer struct {
	Size, Align int // in bytes
	Offset      int // Shared: from the beginning of the CTA's memory; Finish gives it
	// Whole says that the buffer keeps its place from the kernel's begin to its end.
	Whole bool
}

// A Value is a constant, the result of an operation, or an argument of a block.
type Value struct {
	Type  Type
	ID    int32
	Index int32  // among the operation's results, or the block's arguments
	Op    *Op    // that defines it; nil for constants and arguments
	Block *Block // whose argument it is; nil for others
	Bits  uint64 // of a constant, zero-extended

	depth  int32 // of the block that it is defined in, while it is built
	varies bool  // it may differ from thread to thread; known while it is built
}

// IsConst reports whether the value is a constant.
func (v *Value) IsConst() bool { return v.Op == nil && v.Block == nil }

// IsConstBits reports whether the value is the constant of these bits.
func (v *Value) IsConstBits(bits uint64) bool { return v.IsConst() && v.Bits == bits }

// Int gives a constant's bits, sign-extended.
func (v *Value) Int() int64 {
	shift := 64 - v.Type.Bits()
	return int64(v.Bits<<shift) >> shift
}

// A Block is a straight list of operations that ends in a terminator.
type Block struct {
	Args []*Value
	Ops  []*Op
}

// Terminator gives the last operation, or nil.
func (b *Block) Terminator() *Op {
	if len(b.Ops) == 0 {
		return nil
	}
	return b.Ops[len(b.Ops)-1]
}

// Walk calls f for each operation of b and of the regions in it, outer ones first.
func (b *Block) Walk(f func(*Op)) {
	for _, op := range b.Ops {
		f(op)
		for _, r := range op.Regions {
			r.Walk(f)
		}
	}
}

// An Op is an operation. Imm and Mod are its constant part; Mem is that of accesses, and Text that of the few operations that
// have text.
type Op struct {
	Code    Code
	Mod     uint8 // which kind: a comparison, a rounding, a mode; see the codes
	Loc     tile.Loc
	Imm     int64
	Args    []*Value
	Results []*Value
	Mem     *Mem
	From    *Mem // of OpCopyAsync: what is read; of OpGroupMMA: A, if it is not in registers
	Group   *GroupMMA
	Text    *Text
	Regions []*Block
}

// Result gives the only result.
func (o *Op) Result() *Value { return o.Results[0] }

// A Mem is the constant part of an access of memory.
type Mem struct {
	Space  Space
	Buffer int   // of Shared and Local memory
	Offset int64 // bytes, added to the address
	// Pred says that operand 1 is an I1 that says whether the access happens. A load that does not happen gives its Else operands if it
	// has them, else zeros; an atomic gives zero.
	Pred, Else bool
	Cache      tile.Cache
	Evict      tile.Evict
	Volatile   bool
	ReadOnly   bool // nobody writes there while the kernel runs
	// Origin is what a Global address was computed from: a parameter's number plus 1, or 0 if that is not known. Where both are
	// known, those of different parameters do not overlap.
	Origin int
	// Group, if not 0, is a set of accesses in which each address belongs to one thread; or of Shared memory, of accesses
	// between which barriers are written where they are needed.
	Group int
	// Turns are the loops, by the depth of their bodies as bits, from one iteration of which to another that thread may be another.
	Turns uint64
	// Of atomics.
	Kind  tile.Atomic
	Sem   tile.MemSem
	Scope tile.MemScope
}

// A Text is the constant part of operations that carry text.
type Text struct {
	Format      string // OpPrint: printf's; OpAssert: the message; OpAsm: the assembly
	Constraints string // OpAsm
	Place       tile.Location
}
