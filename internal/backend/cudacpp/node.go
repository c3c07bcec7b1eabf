package cudacpp

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/lir"
)

// A block is a copy of a block of LIR, that printing may change.
type block struct {
	args   []*lir.Value
	nodes  []*node
	groups []*group // the nodes again, in the order in which they are printed
}

// A node is an operation.
type node struct {
	lir.Op  // its Regions are not looked at
	regions []*block
	block   *block
	group   *group
	lane    int     // among the group's nodes
	plus    []int64 // added to the operands, see offsets; nil if nothing is
	height  int     // over the nodes of the block that it depends on
	epoch   int     // the number of the last effect that it depends on
}

// The codes that only this package has.
const (
	codeIndex lir.Code = 250 + iota // pointer, I64 or I32: the pointer that many elements further
	codeCopy                        // value
)

// A variable is what a group's results are called.
type variable struct {
	name    string
	typ     string // "" until it is declared
	size    int    // an array's; 1: no array
	scalar  bool   // it is declared in a loop over registers, for one of them
	changes bool   // it is assigned to more than once
	hint    string
	number  int
	known   bool // its declaration is printed
	zero    bool // it is 0 at first
	unused  bool // nobody needs what control flow gives it
}

// A home is where a value is: an element of a variable.
type home struct {
	of *variable
	at int
}

// tree copies a function.
func (p *printer) tree(b *lir.Block) *block {
	out := &block{args: slices.Clone(b.Args)}
	for _, op := range b.Ops {
		n := &node{Op: *op, block: out}
		n.Op.Args = slices.Clone(op.Args)
		if op.Mem != nil {
			m := *op.Mem
			n.Op.Mem = &m
		}
		n.Op.Results = slices.Clone(op.Results)
		for _, r := range op.Regions {
			n.regions = append(n.regions, p.tree(r))
			if op.Code == lir.OpFor {
				p.loopOf[r] = n
			}
		}
		for _, r := range op.Results {
			p.defs[r.ID] = n
		}
		out.nodes = append(out.nodes, n)
	}
	return out
}

// fresh makes a value that a node defines, or if there is none an argument of a block.
func (p *printer) fresh(n *node, t lir.Type) *lir.Value {
	v := &lir.Value{Type: t, ID: int32(len(p.defs))}
	p.defs, p.pointee = append(p.defs, n), append(p.pointee, lir.None)
	if n != nil {
		v.Op = &n.Op
		n.Op.Results = append(n.Op.Results, v)
	}
	return v
}

func constant(t lir.Type, n int64) *lir.Value {
	return &lir.Value{Type: t, Bits: uint64(n) & t.Mask(), ID: -1}
}

// after puts a node behind another one.
func (n *node) after(other *node) {
	b := other.block
	n.block = b
	for i, x := range b.nodes {
		if x == other {
			b.nodes = append(b.nodes[:i+1], append([]*node{n}, b.nodes[i+1:]...)...)
			return
		}
	}
}

func (b *block) terminator() *node { return b.nodes[len(b.nodes)-1] }

// walk calls f for all nodes, outer ones first.
func (b *block) walk(f func(*node)) {
	for _, n := range b.nodes {
		f(n)
		for _, r := range n.regions {
			r.walk(f)
		}
	}
}

// effect is lir's, and pure for what is only here.
func (n *node) effect() lir.Effect {
	if n.Code >= codeIndex {
		return lir.Pure
	}
	return n.Op.Effect()
}

// movable reports whether the node may be printed anywhere in its block after what it depends on. Of what threads do together that is all
// that does not order memory.
func (n *node) movable() bool {
	switch n.Code {
	case lir.OpShuffle, lir.OpBallot, lir.OpRedux, lir.OpMMA:
		return true
	}
	return n.effect() == lir.Pure && len(n.regions) == 0
}

// countUses counts the uses of all values, and drops pure nodes without one.
func (p *printer) countUses(body *block) {
	p.uses = make([]int, len(p.defs))
	p.drop(body)
}

func (p *printer) drop(b *block) {
	kept := len(b.nodes)
	for i := len(b.nodes) - 1; i >= 0; i-- {
		n := b.nodes[i]
		if n.effect() == lir.Pure && len(n.regions) == 0 && !p.used(n) {
			continue
		}
		for j := len(n.regions) - 1; j >= 0; j-- {
			p.drop(n.regions[j])
		}
		for _, a := range n.Args {
			if !a.IsConst() {
				p.uses[a.ID]++
			}
		}
		kept--
		b.nodes[kept] = n
	}
	b.nodes = append(b.nodes[:0], b.nodes[kept:]...)
}

func (p *printer) used(n *node) bool {
	for _, r := range n.Results {
		if p.uses[r.ID] > 0 {
			return true
		}
	}
	return false
}
