package cfg

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/tile"
)

// maxCarried bounds the arguments that closing adds.
const maxCarried = 1 << 20

// close has the values that are made in cycles leave their blocks as arguments only, so that loops can be made of cycles without regard
// to who uses what. Other values are seen by the blocks that they dominate, as before.
func (s *structurer) close(entry *Node, nodes []*Node) error {
	made := madeInCycles(nodes)
	if len(made) == 0 {
		return nil
	}
	c := &closer{made: made, before: map[*Node][]*Node{}, live: map[*Node][]*tile.Value{}, known: map[*Node]map[*tile.Value]*tile.Value{}}
	for _, n := range nodes {
		c.known[n] = map[*tile.Value]*tile.Value{}
		for _, e := range n.Succ {
			c.before[e.To] = append(c.before[e.To], n)
		}
	}
	for _, n := range nodes {
		operands(n, func(v **tile.Value) { c.need(n, *v) })
	}
	if len(c.live[entry]) > 0 || c.count > maxCarried {
		return c.refusal(entry)
	}
	for _, n := range nodes {
		copies := s.copies(c.live[n])
		for i, v := range c.live[n] {
			c.known[n][v] = copies[i]
		}
		n.Args = append(n.Args, copies...)
	}
	for _, n := range nodes {
		operands(n, func(v **tile.Value) { *v = c.in(n, *v) })
		for i := range n.Succ {
			e := &n.Succ[i]
			for _, v := range c.live[e.To] {
				e.Args = append(e.Args, c.in(n, v))
			}
		}
	}
	return nil
}

// A closer knows which values have to come into which nodes.
type closer struct {
	made   map[*tile.Value]*Node // the values that are made in cycles, and where
	before map[*Node][]*Node
	live   map[*Node][]*tile.Value               // in the order of the arguments to be
	known  map[*Node]map[*tile.Value]*tile.Value // what they are called there
	count  int
}

func (c *closer) refusal(entry *Node) error {
	if c.count > maxCarried {
		return fmt.Errorf("there are more than %d values to hand on in cycles", maxCarried)
	}
	return fmt.Errorf("%%%s is used where it is not always defined", c.live[entry][0].Name)
}

// in gives what a value is called in a node.
func (c *closer) in(n *Node, v *tile.Value) *tile.Value {
	if known := c.known[n][v]; known != nil {
		return known
	}
	return v
}

// need has a value come into a node, and so into those before it up to where it is made.
func (c *closer) need(n *Node, v *tile.Value) {
	home := c.made[v]
	if home == nil {
		return
	}
	list := []*Node{n}
	for len(list) > 0 && c.count <= maxCarried {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		if n == home || c.known[n][v] != nil {
			continue
		}
		c.known[n][v] = v
		c.live[n] = append(c.live[n], v)
		c.count++
		list = append(list, c.before[n]...)
	}
}

// madeInCycles gives the values of all nodes that are in cycles, with their nodes.
func madeInCycles(nodes []*Node) map[*tile.Value]*Node {
	made := map[*tile.Value]*Node{}
	t := &tarjan{index: map[*Node]int{}, low: map[*Node]int{}, on: map[*Node]bool{}}
	for _, n := range nodes {
		if t.index[n] == 0 {
			t.visit(n)
		}
	}
	for _, cycle := range t.cycles {
		for _, n := range cycle {
			for _, v := range n.Args {
				made[v] = n
			}
			for _, op := range n.Block.Ops {
				for _, v := range op.Results {
					made[v] = n
				}
			}
		}
	}
	return made
}

// operands calls f for each use of a value in a node.
func operands(n *Node, f func(**tile.Value)) {
	n.Block.Walk(func(op *tile.Op) {
		for i := range op.Args {
			f(&op.Args[i])
		}
	})
	if n.Cond != nil {
		f(&n.Cond)
	}
	for _, e := range n.Succ {
		for i := range e.Args {
			f(&e.Args[i])
		}
	}
}
