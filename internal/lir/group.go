package lir

import (
	"fmt"
	"math/bits"
)

// GroupWarps is how many warps make up a warp group, and GroupRows how many rows of a sum an instruction has: 16 for each.
const (
	GroupWarps = 4
	GroupRows  = 64
)

// A GroupMMA is what each warp group does in an OpGroupMMA: the product of an M×K and a K×N matrix, added to an M×N matrix. M is a
// multiple of 64. The sum is held as layout.MMA.Groups says, 64 rows after 64 rows, and so is A if it is in registers, in words.
type GroupMMA struct {
	Kind    MMA // says the types
	M, N, K int
	FirstK  int       // where along k the product begins in the tiles
	A, B    GroupTile // in shared memory; A if it is there
	// RowStep is how many rows of A's tile further the next 64 rows of the group are.
	RowStep int
}

// A GroupTile is a matrix in shared memory, from which an operand is read: rows after rows of Swizzle bytes, 32, 64 or 128, in the order that
// layout.Swizzled gives; where they are wider, the columns that do not fit in follow after all rows.
type GroupTile struct {
	Rows, Columns int
	Swizzle       int
	AlongK        bool // the columns are along k
}

// At gives where an element is that begins a unit of 16 bytes of a row whose number is a multiple of 8, in bytes: with the number of
// the row or column of the product, a multiple of 8, and the number along k.
func (t GroupTile) At(outer, k, elemBytes int) int {
	row, column := k, outer*elemBytes
	if t.AlongK {
		row, column = outer, k*elemBytes
	}
	return t.Panel()*(column/t.Swizzle) + row*t.Swizzle + column%t.Swizzle
}

// Panel gives how many bytes the rows take without what does not fit into them.
func (t GroupTile) Panel() int { return t.Rows * t.Swizzle }

// GroupMMAs are the matrix instructions that can be those of warp groups.
var GroupMMAs = MMAs(MMAF16, MMABF16, MMATF32, MMAS8, MMAU8, MMAE4M3, MMAE4M3E5M2, MMAE5M2E4M3, MMAE5M2)

// Sums gives how many elements of the sum a thread holds, and how many words of A if it is in registers.
func (g *GroupMMA) Sums() int { return g.M * g.N / (32 * GroupWarps) }

// WordsOfA gives how many words of A a thread holds if it is in registers.
func (g *GroupMMA) WordsOfA() int { return g.M * g.K * g.Kind.Info().Bits / (32 * 32 * GroupWarps) }

// Split gives an OpGroupMMA's operands besides the address of B: A's address or words, and the sum.
func (o *Op) Split() (a, sum []*Value) {
	n := 1
	if o.From == nil {
		n = o.Group.WordsOfA()
	}
	return o.Args[1 : 1+n], o.Args[1+n:]
}

// String gives the text form.
func (g *GroupMMA) String() string {
	return fmt.Sprintf("%v %dx%dx%d from %d by %d a %v b %v", g.Kind, g.M, g.N, g.K, g.FirstK, g.RowStep, g.A, g.B)
}

// String gives the text form.
func (t GroupTile) String() string {
	if t.Swizzle == 0 {
		return "registers"
	}
	along := "across"
	if t.AlongK {
		along = "along"
	}
	return fmt.Sprintf("%dx%d %s swizzled %d", t.Rows, t.Columns, along, t.Swizzle)
}

// check reports what is wrong with an operand's tile, of outer rows or columns and k along k.
func (t GroupTile) check(elemBytes int, outer, k int) error {
	kIn, outerIn := t.Rows, t.Columns
	if t.AlongK {
		kIn, outerIn = t.Columns, t.Rows
	}
	switch {
	case t.Swizzle != 32 && t.Swizzle != 64 && t.Swizzle != 128:
		return fmt.Errorf("has rows of %d bytes", t.Swizzle)
	case kIn < k || outerIn < outer || t.Rows%8 != 0 || t.Columns*elemBytes%t.Swizzle != 0:
		return fmt.Errorf("has a tile of %v for %d×%d", t, outer, k)
	case !t.AlongK && elemBytes != 2:
		return fmt.Errorf("has elements of %d bytes that are not next to each other along k", elemBytes)
	}
	return nil
}

func multipliesGroups(op *Op) error {
	g := op.Group
	if g == nil || !GroupMMAs.Has(g.Kind) || op.Mod != 0 {
		return fmt.Errorf("is no matrix instruction of warp groups")
	}
	info := g.Kind.Info()
	if g.M < GroupRows || g.M%GroupRows != 0 || g.N < 8 || bits.OnesCount(uint(g.N)) != 1 || g.K < info.K || g.K%info.K != 0 || g.FirstK < 0 || g.FirstK%info.K != 0 {
		return fmt.Errorf("multiplies %d×%d×%d", g.M, g.N, g.K)
	}
	rest, err := access(op)
	if err != nil {
		return err
	}
	if op.Mem.Space != Shared || op.Mem.Pred {
		return fmt.Errorf("reads B from %s memory", op.Mem.Space)
	}
	if err := g.B.check(info.Bits/8, g.N, g.FirstK+g.K); err != nil {
		return err
	}
	words := g.WordsOfA()
	if op.From != nil {
		words = 1
		if op.From.Space != Shared {
			return fmt.Errorf("reads A from %s memory", op.From.Space)
		}
		if err := g.A.check(info.Bits/8, GroupRows, g.FirstK+g.K); err != nil {
			return err
		}
	}
	if len(op.Results) != g.Sums() || len(rest) != words && len(rest) != words+g.Sums() {
		return fmt.Errorf("has %d operands and %d results", len(op.Args), len(op.Results))
	}
	if err := allOf(rest[:words], I32); err != nil {
		return err
	}
	if err := allOf(rest[words:], info.Sum); err != nil {
		return err
	}
	return allOf(op.Results, info.Sum)
}

func waitsForGroups(op *Op) error {
	if op.Imm < 0 {
		return fmt.Errorf("waits for %d", op.Imm)
	}
	return sameTypes(op.Results, types(op.Args))
}

// GroupMMA makes a matrix instruction of warp groups, see the code. from is nil if a has words of A; sum may be nil.
func (b *Builder) GroupMMA(g GroupMMA, mem Mem, addr *Value, from *Mem, a, sum []*Value) []*Value {
	args := append(append([]*Value{addr}, a...), sum...)
	results := make([]Type, g.Sums())
	for i := range results {
		results[i] = g.Kind.Info().Sum
	}
	return b.Emit(&Op{Code: OpGroupMMA, Args: args, Mem: &mem, From: from, Group: &g}, results...)
}

// GroupWait waits for matrix instructions of warp groups, and gives what they gave.
func (b *Builder) GroupWait(n int, vals []*Value) []*Value {
	return b.Emit(&Op{Code: OpGroupWait, Imm: int64(n), Args: append([]*Value(nil), vals...)}, types(vals)...)
}

// Pending tells, by ID, which values may be results of an OpGroupMMA that is not done: its results, and what loops make of them.
func Pending(f *Func) []bool {
	pending := make([]bool, f.numValues)
	for more := true; more; {
		more = false
		mark := func(v *Value) {
			if !pending[v.ID] {
				pending[v.ID], more = true, true
			}
		}
		f.Body.Walk(func(op *Op) {
			switch op.Code {
			case OpGroupMMA:
				for _, r := range op.Results {
					mark(r)
				}
			case OpFor:
				body := op.Regions[0]
				for i, v := range op.Args[3:] {
					if pending[v.ID] || pending[body.Terminator().Args[i].ID] {
						mark(body.Args[1+i])
						mark(op.Results[i])
					}
				}
			}
		})
	}
	return pending
}

// checkPending checks that results of matrix instructions of warp groups are only added to, carried by loops and waited for.
func checkPending(f *Func) error {
	var used bool
	f.Body.Walk(func(op *Op) { used = used || op.Code == OpGroupMMA })
	if !used {
		return nil
	}
	pending := Pending(f)
	var wrong error
	var check func(b *Block, inFor bool)
	check = func(b *Block, inFor bool) {
		for _, op := range b.Ops {
			args := op.Args
			switch {
			case op.Code == OpGroupWait, op.Code == OpYield && inFor:
				args = nil
			case op.Code == OpFor:
				args = args[:3]
			case op.Code == OpGroupMMA:
				_, sum := op.Split()
				args = args[:len(args)-len(sum)]
			}
			for _, a := range args {
				if pending[a.ID] && wrong == nil {
					wrong = fmt.Errorf("%s: uses %%%d, which nobody has waited for", op, a.ID)
				}
			}
			for _, r := range op.Regions {
				check(r, op.Code == OpFor)
			}
		}
	}
	check(f.Body, false)
	return wrong
}
