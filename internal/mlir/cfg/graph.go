package cfg

import (
	"fmt"
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// MaxBlocks is the largest number of blocks that a graph may have; MaxDepth how deep regions of the result lie in each other at most.
const (
	MaxBlocks = 1 << 10
	MaxDepth  = 200
)

// A Node is a block: values that it takes, operations without a terminator, and where it goes on. It has no successor if it is
// the function's exit; one; or two: the first if Cond holds.
type Node struct {
	Args  []*tile.Value
	Block tile.Block
	Cond  *tile.Value
	Succ  []Edge
	Loc   tile.Loc // of the jump
}

// An Edge is a jump and what it gives to the arguments of its target.
type Edge struct {
	To   *Node
	Args []*tile.Value
}

// Check says what jumps of the blocks that entry reaches do not give their targets what these take.
func Check(entry *Node) error {
	for _, n := range reachable(entry, nil) {
		if n.Cond != nil && n.Cond.Type != tile.Scalar(tile.I1) {
			return fmt.Errorf("a jump depends on %s, not on i1", n.Cond.Type)
		}
		for _, e := range n.Succ {
			if len(e.Args) != len(e.To.Args) {
				return fmt.Errorf("a jump has %d arguments where the block takes %d", len(e.Args), len(e.To.Args))
			}
			for i, a := range e.To.Args {
				if e.Args[i].Type != a.Type {
					return fmt.Errorf("a jump has %s where the block takes %s", e.Args[i].Type, a.Type)
				}
			}
		}
	}
	return nil
}

// Structure makes a function's body of the blocks that entry reaches. All of them have to end in exit, whose arguments are the function's results;
// blocks from which no way leads there run for ever. Args of entry are the function's own, and Check has to be content.
func Structure(f *tile.Func, entry, exit *Node) error {
	s := &structurer{fn: f, replaced: map[*tile.Value]*tile.Value{}}
	nodes := reachable(entry, nil)
	if len(nodes) > MaxBlocks {
		return fmt.Errorf("there are more than %d blocks", MaxBlocks)
	}
	if err := s.close(entry, nodes); err != nil {
		return err
	}
	body := &tile.Block{}
	s.own(body, entry.Args)
	results := s.region(entry, exit, body)
	if s.err != nil {
		return s.err
	}
	s.add(body, entry.Loc, tile.OpReturn, nil, slices.Clone(results))
	s.substitute(body)
	f.Body = body
	return nil
}

// A structurer holds what blocks' arguments turned out to be.
type structurer struct {
	fn       *tile.Func
	replaced map[*tile.Value]*tile.Value
	depth    int
	err      error
}

// bind makes arguments mean the values that the only jump to their block gives.
func (s *structurer) bind(params, args []*tile.Value) {
	for i, p := range params {
		s.replaced[p] = args[i]
	}
}

// actual follows what a value means.
func (s *structurer) actual(v *tile.Value) *tile.Value {
	end := v
	for next, ok := s.replaced[end]; ok; next, ok = s.replaced[end] {
		end = next
	}
	for v != end {
		v, s.replaced[v] = s.replaced[v], end
	}
	return end
}

// substitute writes what arguments mean into the operands of a block.
func (s *structurer) substitute(b *tile.Block) {
	b.Walk(func(op *tile.Op) {
		for i, v := range op.Args {
			op.Args[i] = s.actual(v)
		}
	})
}

// add appends an operation.
func (s *structurer) add(b *tile.Block, loc tile.Loc, code tile.Code, attr tile.Attr, args []*tile.Value, results ...tile.Type) *tile.Op {
	op := tile.NewOp(s.fn, code, attr, args, results...)
	op.Loc = loc
	b.Ops = append(b.Ops, op)
	return op
}

// own makes values the arguments of a block.
func (s *structurer) own(b *tile.Block, args []*tile.Value) {
	b.Args = args
	for i, a := range args {
		a.Block, a.Index = b, int32(i)
	}
}

// constant makes a constant in a node.
func (s *structurer) constant(n *Node, t tile.Type, bits uint64) *tile.Value {
	if t.IsDesc() && s.err == nil {
		s.err = fmt.Errorf("a descriptor is handed on by jumps that cannot be told apart in structured control flow")
	}
	return s.add(&n.Block, n.Loc, tile.OpConst, tile.ConstAttr{Bits: bits}, nil, t).Result()
}

// reachable gives the nodes that a node reaches without until, itself first, each before those that it alone leads to, where there are no cycles:
// in reverse postorder.
func reachable(from, until *Node) []*Node {
	if from == until {
		return nil
	}
	type frame struct {
		n    *Node
		next int
	}
	seen := map[*Node]bool{from: true}
	var post []*Node
	stack := []frame{{n: from}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.n.Succ) {
			post = append(post, top.n)
			stack = stack[:len(stack)-1]
			continue
		}
		to := top.n.Succ[top.next].To
		top.next++
		if to != until && !seen[to] {
			seen[to] = true
			stack = append(stack, frame{n: to})
		}
	}
	slices.Reverse(post)
	return post
}

func typesOf(values []*tile.Value) []tile.Type {
	types := make([]tile.Type, len(values))
	for i, v := range values {
		types[i] = v.Type
	}
	return types
}
