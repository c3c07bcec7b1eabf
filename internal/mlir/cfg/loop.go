package cfg

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// loops makes one node of each cycle between a node, to which no jump leads back, and until. Cycles inside of it are made loops when its body
// is.
func (s *structurer) loops(entry, until *Node) {
	for s.err == nil {
		nodes := reachable(entry, until)
		cycle := firstCycle(nodes, until)
		if cycle == nil {
			return
		}
		s.loop(nodes, set(cycle), until)
	}
}

// edgesBetween lists the edges from nodes that from takes to nodes that to takes.
func edgesBetween(nodes []*Node, from, to func(*Node) bool) []*leaving {
	var list []*leaving
	for _, n := range nodes {
		if !from(n) {
			continue
		}
		for i, e := range n.Succ {
			if to(e.To) {
				list = append(list, &leaving{n, i})
			}
		}
	}
	return list
}

// targetsOf gives where edges lead, each once.
func targetsOf(edges []*leaving) []*Node {
	var list []*Node
	for _, l := range edges {
		if !slices.Contains(list, l.edge().To) {
			list = append(list, l.edge().To)
		}
	}
	return list
}

// loop makes one node of a cycle: a loop whose body goes once from the cycle's header to its latch. The latch gets whether to go on, which
// way out is taken, the header's arguments for the next time round, and those of each way out.
func (s *structurer) loop(nodes []*Node, cycle map[*Node]bool, until *Node) {
	inside := func(n *Node) bool { return cycle[n] }
	outside := func(n *Node) bool { return !cycle[n] }
	header := s.header(nodes, inside, outside)
	again := edgesBetween(nodes, inside, func(n *Node) bool { return n == header })
	if !cycle[header] { // it chooses between several entries
		cycle[header] = true
		nodes = append(nodes, reachableWithin(header, cycle)...)
	}
	enter := edgesBetween(nodes, outside, func(n *Node) bool { return n == header })
	leave := edgesBetween(nodes, inside, outside)
	exits := targetsOf(leave)

	latch := &Node{}
	goOn, way := s.fn.NewValue(tile.Scalar(tile.I1)), s.fn.NewValue(tile.Scalar(tile.I32))
	latch.Args = []*tile.Value{goOn, way}
	latch.Args = append(latch.Args, s.copies(header.Args)...)
	firstOf := map[*Node]int{}
	for _, to := range exits {
		firstOf[to] = len(latch.Args)
		latch.Args = append(latch.Args, s.copies(to.Args)...)
	}
	for _, l := range again {
		s.toLatch(l, latch, 1, 0, 2)
	}
	for _, l := range leave {
		to := l.edge().To
		s.toLatch(l, latch, 0, slices.Index(exits, to), firstOf[to])
	}

	whole := &Node{Args: s.copies(header.Args)}
	for _, l := range enter {
		l.edge().To = whole
	}
	results := s.while(whole, header, latch)
	if s.err != nil {
		return
	}
	args := map[*Node][]*tile.Value{}
	for _, to := range exits {
		first := firstOf[to] - 1 // the results are the latch's arguments without the first
		args[to] = results[first : first+len(to.Args)]
	}
	if len(exits) == 0 { // it runs for ever: what follows does not matter
		exits = []*Node{until}
		for _, a := range until.Args {
			args[until] = append(args[until], s.constant(whole, a.Type, 0))
		}
	}
	s.dispatch(whole, results[0], exits, args)
}

// header gives the node that a cycle is entered by. If there are several, it is a new one that chooses between them.
func (s *structurer) header(nodes []*Node, inside, outside func(*Node) bool) *Node {
	entries := targetsOf(edgesBetween(nodes, outside, inside))
	if len(entries) == 1 {
		return entries[0]
	}
	choice := &Node{}
	s.choose(choice, entries, edgesBetween(nodes, func(*Node) bool { return true }, func(to *Node) bool { return slices.Contains(entries, to) }))
	return choice
}

// reachableWithin gives the nodes that a new header reaches before it comes to a cycle's own, and adds them to the cycle.
func reachableWithin(header *Node, cycle map[*Node]bool) []*Node {
	list := []*Node{header}
	for i := 0; i < len(list); i++ {
		for _, e := range list[i].Succ {
			if !cycle[e.To] {
				cycle[e.To] = true
				list = append(list, e.To)
			}
		}
	}
	return list
}

// toLatch leads an edge to a latch; its arguments are those that start at a position, the others do not matter.
func (s *structurer) toLatch(l *leaving, latch *Node, goOn uint64, way, first int) {
	e := l.edge()
	args := []*tile.Value{s.constant(l.from, latch.Args[0].Type, goOn), s.constant(l.from, latch.Args[1].Type, uint64(way))}
	for i, a := range latch.Args[2:] {
		if at := i + 2 - first; at >= 0 && at < len(e.Args) {
			args = append(args, e.Args[at])
			continue
		}
		args = append(args, s.constant(l.from, a.Type, 0))
	}
	*e = Edge{To: latch, Args: args}
}

// while appends a loop to a node, of the region from a header to a latch; gives its results, which are the latch's arguments without the
// first.
func (s *structurer) while(n, header, latch *Node) []*tile.Value {
	before, after := &tile.Block{}, &tile.Block{}
	s.own(before, header.Args)
	values := s.region(header, latch, before)
	if s.err != nil {
		return nil
	}
	s.add(before, header.Loc, tile.OpCondition, nil, slices.Clone(values))
	for _, a := range latch.Args[1:] {
		after.AddArg(s.fn, a.Type, a.Name)
	}
	s.add(after, header.Loc, tile.OpYield, nil, slices.Clone(after.Args[1:1+len(header.Args)]))
	op := s.add(&n.Block, header.Loc, tile.OpWhile, nil, slices.Clone(n.Args), typesOf(latch.Args[1:])...)
	op.Regions = []*tile.Block{before, after}
	return op.Results
}

// copies gives new values of the same types and names.
func (s *structurer) copies(values []*tile.Value) []*tile.Value {
	list := make([]*tile.Value, len(values))
	for i, v := range values {
		list[i] = s.fn.NewValue(v.Type)
		list[i].Name = v.Name
	}
	return list
}

// firstCycle gives the nodes of a strongly connected part that has a cycle, nil if there is none, by Tarjan's algorithm.
func firstCycle(nodes []*Node, until *Node) []*Node {
	t := &tarjan{until: until, index: map[*Node]int{}, low: map[*Node]int{}, on: map[*Node]bool{}}
	for _, n := range nodes {
		if t.index[n] == 0 {
			t.visit(n)
		}
	}
	if len(t.cycles) == 0 {
		return nil
	}
	return t.cycles[0]
}

type tarjan struct {
	until      *Node
	index, low map[*Node]int
	on         map[*Node]bool
	stack      []*Node
	cycles     [][]*Node
}

func (t *tarjan) visit(n *Node) {
	t.index[n] = len(t.index) + 1
	t.low[n] = t.index[n]
	t.stack, t.on[n] = append(t.stack, n), true
	self := false
	for _, e := range n.Succ {
		switch to := e.To; {
		case to == t.until:
		case to == n:
			self = true
		case t.index[to] == 0:
			t.visit(to)
			t.low[n] = min(t.low[n], t.low[to])
		case t.on[to]:
			t.low[n] = min(t.low[n], t.index[to])
		}
	}
	if t.low[n] != t.index[n] {
		return
	}
	at := slices.Index(t.stack, n)
	part := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, m := range part {
		t.on[m] = false
	}
	if len(part) > 1 || self {
		t.cycles = append(t.cycles, part)
	}
}
