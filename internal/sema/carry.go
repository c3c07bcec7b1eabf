package sema

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A carried is the variables that a loop carries from one iteration to the next. At first it
// is every variable that the loop's statements mention as a target; the body is compiled once
// under that assumption, and what turns out to be the same in every iteration is dropped.
type carried struct {
	g       *gen
	counter string // the loop's target
	vars    []carriedVar
	index   map[string]int // of vars, by name
	slots   []*slot
	fixed   map[*tile.Value]*tile.Value // arguments that were dropped, and what they always are
}

// A carriedVar is a variable: its value with the tensors that slots stand for.
type carriedVar struct {
	name  string
	local // as it is before the loop, or after a while's condition
	slots []*slot

	constant Value // what it was before it was made a run-time value for the loop, or nil
}

// A slot is one tensor of a variable. For a for loop, head, pass and body are the same.
type slot struct {
	name  string
	typ   Type
	init  *tile.Value // before the loop; nil if the condition makes it
	head  *tile.Value // argument of the region that an iteration begins with
	pass  *tile.Value // what a while's condition passes on
	body  *tile.Value // argument of the body's region
	yield *tile.Value // at the end of the body
	fixed bool        // it is the same in every iteration
}

// carry finds what a loop may carry, less its counter.
func (g *gen) carry(st syntax.Stmt, body []syntax.Stmt, counter string) *carried {
	c := &carried{g: g, counter: counter, index: make(map[string]int)}
	for _, name := range g.assignedIn(st, body) {
		l, ok := g.frame.vars[name]
		if name == counter || !ok || l.val == nil {
			continue
		}
		c.addEarly(name, l)
	}
	return c
}

// addEarly adds a variable that is bound before the loop.
func (c *carried) addEarly(name string, l local) {
	var constant Value
	if l.soft {
		constant = l.val
		c.g.at(l.at)
		l.val, l.soft = c.g.toTensor(l.val, l.at), false
	}
	c.g.payWalk(l.val, l.at)
	tensors := tensorsIn(l.val, nil)
	if len(tensors) == 0 {
		return
	}
	for i, s := range c.add(name, l, tensors) {
		s.init = tensors[i].V
	}
	c.vars[len(c.vars)-1].constant = constant
}

// add adds a variable and gives its slots.
func (c *carried) add(name string, l local, tensors []Tensor) []*slot {
	v := carriedVar{name: name, local: l}
	for _, t := range tensors {
		v.slots = append(v.slots, &slot{name: name, typ: t.Type()})
	}
	c.index[name] = len(c.vars)
	c.vars = append(c.vars, v)
	c.slots = append(c.slots, v.slots...)
	return v.slots
}

// open makes the arguments of the region that an iteration begins with.
func (c *carried) open(blk *tile.Block) {
	for _, s := range c.slots {
		s.head = blk.AddArg(c.g.b.Func, s.typ.Tile, s.name)
		s.pass, s.body = s.head, s.head
	}
}

// openBody makes the arguments of the body's region where it is another one.
func (c *carried) openBody(blk *tile.Block) {
	for _, s := range c.slots {
		s.body = blk.AddArg(c.g.b.Func, s.typ.Tile, s.name)
	}
}

// bind binds the variables to one of the values of each slot.
func (c *carried) bind(pick func(*slot) *tile.Value) {
	for _, v := range c.vars {
		i := 0
		l := v.local
		l.val = replaceTensors(v.val, func(t Tensor) Tensor {
			s := v.slots[i]
			i++
			return Tensor{pick(s), t.DType}
		})
		c.g.frame.bind(v.name, l)
	}
}

func headOf(s *slot) *tile.Value { return s.head }
func bodyOf(s *slot) *tile.Value { return s.body }

// passOn takes what a while's condition assigned: new values of what is carried, and new
// variables.
func (c *carried) passOn(changes []change) {
	for _, ch := range changes {
		if v := c.find(ch.name); v != nil {
			for i, t := range c.final(v, ch) {
				v.slots[i].pass = t.V
			}
			continue
		}
		if tensors := tensorsIn(ch.now.val, nil); !ch.had && len(tensors) > 0 {
			for i, s := range c.add(ch.name, ch.now, tensors) {
				s.pass = tensors[i].V
			}
			continue
		}
		c.g.settleChange(ch)
	}
}

// finish takes what the body assigned.
func (c *carried) finish(changes []change) {
	for _, ch := range changes {
		v := c.find(ch.name)
		switch {
		case ch.name == c.counter:
			continue
		case v == nil:
			c.g.settleChange(ch)
			continue
		}
		for i, t := range c.final(v, ch) {
			v.slots[i].yield = t.V
		}
	}
}

func (c *carried) find(name string) *carriedVar {
	if i, ok := c.index[name]; ok {
		return &c.vars[i]
	}
	return nil
}

// final gives the tensors of a carried variable at the end of an iteration.
func (c *carried) final(v *carriedVar, ch change) []Tensor {
	g, now := c.g, ch.now
	g.payWalk(now.val, now.at)
	if now.val == nil {
		g.failWith(now.at, []diag.Note{g.note(v.at, "it is bound here before")}, "loop-variable-unbound",
			"'%s' is carried from one iteration of the loop to the next, but is not bound on every path to the end of the body", v.name)
	}
	if !alike(now.val, v.val) {
		g.failWith(now.at, []diag.Note{g.note(v.at, "before the loop it is %s", describe(v.val))}, "loop-type-mismatch",
			"'%s' becomes %s in the loop's body but is %s before the loop; a variable that a loop carries keeps its type",
			v.name, describe(now.val), describe(v.val))
	}
	return tensorsIn(now.val, nil)
}

// settleChange gives a name that a loop assigns without carrying it what it is afterwards.
func (g *gen) settleChange(ch change) {
	switch {
	case ch.had && ch.was.val != nil:
		if ch.now.val != nil && same(ch.was.val, ch.now.val) {
			return
		}
		now := "removed"
		if ch.now.val != nil {
			now = "assigned " + describe(ch.now.val)
		}
		g.failWith(ch.now.at, []diag.Note{g.note(ch.was.at, "before the loop it is %s", describe(ch.was.val))}, "loop-constant-changed",
			"'%s' is %s before the loop, which is known at compile time, and is %s in a loop that runs on the device; "+
				"give it a run-time value before the loop", ch.name, describe(ch.was.val), now)
	case ch.now.val == nil:
		g.frame.bind(ch.name, ch.now)
	default:
		g.frame.remove(ch.name, &absence{kind: inLoop, at: ch.now.at})
	}
}

// settle drops what does not vary from the regions.
func (c *carried) settle(blks ...*tile.Block) {
	c.fixed = make(map[*tile.Value]*tile.Value)
	for _, s := range c.slots {
		if s.init != nil && s.pass == s.head && s.yield == s.body {
			s.fixed = true
			c.fixed[s.head], c.fixed[s.body] = s.init, s.init
		}
	}
	if len(c.fixed) == 0 {
		return
	}
	for _, blk := range blks {
		dropArgs(blk, c.fixed)
		substitute(blk, c.fixed)
	}
}

// now gives a value as it is once the loop is settled.
func (c *carried) now(v *tile.Value) *tile.Value {
	if w := c.fixed[v]; w != nil {
		return w
	}
	return v
}

// dropArgs removes arguments from a block.
func dropArgs(blk *tile.Block, drop map[*tile.Value]*tile.Value) {
	kept := blk.Args[:0]
	for _, a := range blk.Args {
		if drop[a] == nil {
			a.Index = int32(len(kept))
			kept = append(kept, a)
		}
	}
	blk.Args = kept
}

// substitute replaces operands in a block and the regions within.
func substitute(blk *tile.Block, by map[*tile.Value]*tile.Value) {
	blk.Walk(func(op *tile.Op) {
		for i, a := range op.Args {
			if v := by[a]; v != nil {
				op.Args[i] = v
			}
		}
	})
}

// values gives one value of each slot that the loop carries; those that the condition makes
// are left out where they have none.
func (c *carried) values(pick func(*slot) *tile.Value) []*tile.Value {
	var out []*tile.Value
	for _, s := range c.slots {
		if v := pick(s); v != nil && !s.fixed {
			out = append(out, c.now(v))
		}
	}
	return out
}

func initOf(s *slot) *tile.Value { return s.init }
func passOf(s *slot) *tile.Value { return s.pass }

// yieldOf gives nothing for what the condition makes: an iteration does not begin with it.
func yieldOf(s *slot) *tile.Value {
	if s.init == nil {
		return nil
	}
	return s.yield
}

// types gives the types of the loop's results.
func (c *carried) types() []tile.Type {
	var out []tile.Type
	for _, s := range c.slots {
		if !s.fixed {
			out = append(out, s.typ.Tile)
		}
	}
	return out
}

// results binds the variables to what they are after the loop.
func (c *carried) results(op *tile.Op) {
	after := make(map[*slot]*tile.Value, len(c.slots))
	i := 0
	for _, s := range c.slots {
		if s.fixed {
			after[s] = s.init
			continue
		}
		after[s] = op.Results[i]
		after[s].Name = s.name
		i++
	}
	c.bind(func(s *slot) *tile.Value { return after[s] })
	for _, v := range c.vars {
		if v.constant != nil && v.slots[0].fixed {
			v.local.val, v.local.soft = v.constant, true
			c.g.frame.bind(v.name, v.local)
		}
	}
}
