package cfg

import (
	"fmt"
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// region appends to a block what happens from a node to until, and gives the values that until's arguments get.
func (s *structurer) region(entry, until *Node, into *tile.Block) []*tile.Value {
	if s.depth++; s.depth > MaxDepth && s.err == nil {
		s.err = fmt.Errorf("control flow is more than %d deep", MaxDepth)
	}
	defer func() { s.depth-- }()
	if s.err != nil {
		return nil
	}
	s.loops(entry, until)
	return s.path(Edge{To: entry}, until, into)
}

// path appends what happens from an edge on, which has no cycles, to until.
func (s *structurer) path(e Edge, until *Node, into *tile.Block) []*tile.Value {
	for e.To != until && s.err == nil {
		n := e.To
		if e.Args != nil {
			s.bind(n.Args, e.Args)
		}
		if len(n.Succ) > 1 {
			e = s.branch(n, until, into)
			continue
		}
		into.Ops = append(into.Ops, n.Block.Ops...)
		e = n.Succ[0]
	}
	return e.Args
}

// branch appends a node with two successors, as an if, and gives the edge on which its sides go on together.
func (s *structurer) branch(n, until *Node, into *tile.Block) Edge {
	var sides [2]map[*Node]bool
	for i := range sides {
		sides[i] = set(reachable(n.Succ[i].To, until))
	}
	meet := s.meet(n, until, sides) // which may add to the operations of n
	into.Ops = append(into.Ops, n.Block.Ops...)
	op := tile.NewOp(s.fn, tile.OpIf, nil, []*tile.Value{n.Cond}, typesOf(meet.Args)...)
	op.Loc = n.Loc
	s.depth++
	for i := range sides {
		block := &tile.Block{}
		if s.depth > MaxDepth {
			s.err = fmt.Errorf("control flow is more than %d deep", MaxDepth)
			break
		}
		values := s.path(n.Succ[i], meet, block)
		s.add(block, n.Loc, tile.OpYield, nil, slices.Clone(values))
		op.Regions = append(op.Regions, block)
	}
	s.depth--
	into.Ops = append(into.Ops, op)
	return Edge{To: meet, Args: op.Results}
}

// meet gives the node where the sides of a branch come together. If there are several, it is a new one, which is told by a number where to
// go on.
func (s *structurer) meet(n, until *Node, sides [2]map[*Node]bool) *Node {
	common := func(to *Node) bool { return to == until || sides[0][to] && sides[1][to] }
	var out []*leaving
	for i := range sides {
		if common(n.Succ[i].To) {
			out = append(out, &leaving{n, i})
		}
	}
	for _, from := range reachable(n, until)[1:] {
		if common(from) {
			continue
		}
		for i, e := range from.Succ {
			if common(e.To) {
				out = append(out, &leaving{from, i})
			}
		}
	}
	// The order is topological: the first target is not reached from the others, so that each choice between them ends where less is left.
	targets := map[*Node]bool{}
	for _, l := range out {
		targets[l.edge().To] = true
	}
	var list []*Node
	for _, to := range append(reachable(n, until), until) {
		if targets[to] {
			list = append(list, to)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	choice := &Node{Loc: n.Loc}
	s.choose(choice, list, out)
	return choice
}

// leaving is an edge, by its place.
type leaving struct {
	from *Node
	i    int
}

func (l *leaving) edge() *Edge { return &l.from.Succ[l.i] }

// choose has edges that lead to several targets lead to one node instead, which gets the number of the target and the arguments of all.
func (s *structurer) choose(choice *Node, targets []*Node, edges []*leaving) {
	number := s.fn.NewValue(tile.Scalar(tile.I32))
	choice.Args = append(choice.Args, number)
	params := make(map[*Node][]*tile.Value, len(targets))
	for _, t := range targets {
		for _, a := range t.Args {
			params[t] = append(params[t], s.fn.NewValue(a.Type))
		}
		choice.Args = append(choice.Args, params[t]...)
	}
	for _, l := range edges {
		e := l.edge()
		var args []*tile.Value
		for i, t := range targets {
			if t == e.To {
				args = append([]*tile.Value{s.constant(l.from, number.Type, uint64(i))}, args...)
				args = append(args, e.Args...)
				continue
			}
			for _, p := range t.Args {
				args = append(args, s.constant(l.from, p.Type, 0))
			}
		}
		*e = Edge{To: choice, Args: args}
	}
	s.dispatch(choice, number, targets, params)
}

// dispatch ends a node by jumps to the target that a number says.
func (s *structurer) dispatch(n *Node, number *tile.Value, targets []*Node, args map[*Node][]*tile.Value) {
	for i, t := range targets {
		if i == len(targets)-1 {
			n.Succ = append(n.Succ, Edge{To: t, Args: args[t]})
			return
		}
		is := s.constant(n, number.Type, uint64(i))
		n.Cond = s.add(&n.Block, n.Loc, tile.OpCmpI, tile.CmpIAttr{Pred: tile.EQ}, []*tile.Value{number, is}, tile.Scalar(tile.I1)).Result()
		n.Succ = append(n.Succ, Edge{To: t, Args: args[t]})
		if i < len(targets)-2 {
			rest := &Node{Loc: n.Loc}
			n.Succ = append(n.Succ, Edge{To: rest})
			n = rest
		}
	}
}

func set(nodes []*Node) map[*Node]bool {
	m := make(map[*Node]bool, len(nodes))
	for _, n := range nodes {
		m[n] = true
	}
	return m
}
