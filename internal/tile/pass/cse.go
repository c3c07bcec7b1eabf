package pass

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// cse replaces an operation by an equal earlier one whose block encloses it. Pure operations
// are equal if code, operands, attribute and result types are. Loads must also have no
// write, synchronisation or loop entry between them; volatile loads are never merged. (A
// write by another program without synchronisation is a race, which gives no value to keep.)
func cse(f *tile.Func) {
	c := newMerger(f)
	c.block(f.Body)
}

// A merger is a hash table of the operations that are visible at the present point of the
// walk. Chains go from newer to older entries, so that leaving a block pops its entries.
type merger struct {
	stands  []*tile.Value // by ID: the earlier equal value, or nil
	heads   []int32       // bucket: 1 + index of the newest entry, 0 for none
	entries []entry
	epoch   int32 // counts the writes passed; loads of different epochs differ
}

type entry struct {
	op    *tile.Op
	hash  uint32
	next  int32 // as in heads
	epoch int32
}

func newMerger(f *tile.Func) *merger {
	n := f.NumValues()
	buckets := 64
	for buckets < n {
		buckets *= 2
	}
	return &merger{
		stands:  make([]*tile.Value, n),
		heads:   make([]int32, buckets),
		entries: make([]entry, 0, n),
	}
}

func (c *merger) block(b *tile.Block) {
	scope := len(c.entries)
	kept := b.Ops[:0]
	for _, op := range b.Ops {
		if !c.visit(op) {
			kept = append(kept, op)
		}
	}
	clear(b.Ops[len(kept):])
	b.Ops = kept
	c.leave(scope)
}

// leave forgets the entries from scope on.
func (c *merger) leave(scope int) {
	for i := len(c.entries) - 1; i >= scope; i-- {
		e := &c.entries[i]
		c.heads[c.bucket(e.hash)] = e.next
	}
	c.entries = c.entries[:scope]
}

func (c *merger) bucket(hash uint32) uint32 { return hash & uint32(len(c.heads)-1) }

// visit reports whether op is replaced by an earlier operation.
func (c *merger) visit(op *tile.Op) bool {
	for i, a := range op.Args {
		if s := c.stands[a.ID]; s != nil {
			op.Args[i] = s
		}
	}
	switch op.Effect() {
	case tile.Writes:
		c.epoch++
		return false
	case tile.Structured:
		c.regions(op)
		return false
	case tile.Observes, tile.Terminates:
		return false
	}
	return c.merge(op)
}

func (c *merger) regions(op *tile.Op) {
	if isLoop(op) {
		c.epoch++ // the body may come after a write of its own
	}
	for _, b := range op.Regions {
		c.block(b)
	}
}

func (c *merger) merge(op *tile.Op) bool {
	if len(op.Results) == 0 { // assembly that gives nothing
		return false
	}
	h := hashOf(op)
	head := &c.heads[c.bucket(h)]
	for i := *head; i != 0; i = c.entries[i-1].next {
		e := &c.entries[i-1]
		if e.hash != h || !equal(e.op, op) || op.Effect() == tile.Reads && e.epoch != c.epoch {
			continue
		}
		for k, res := range op.Results {
			c.stands[res.ID] = e.op.Results[k]
			if e.op.Results[k].Name == "" {
				e.op.Results[k].Name = res.Name
			}
		}
		return true
	}
	c.entries = append(c.entries, entry{op, h, *head, c.epoch})
	*head = int32(len(c.entries))
	return false
}

// equal reports whether two operations without regions compute the same.
func equal(x, y *tile.Op) bool {
	if x.Code != y.Code || !sameOperands(x, y) {
		return false
	}
	for i, res := range x.Results {
		if res.Type != y.Results[i].Type {
			return false
		}
	}
	return x.Attr == y.Attr
}

func sameOperands(x, y *tile.Op) bool {
	if slices.Equal(x.Args, y.Args) {
		return true
	}
	return x.Code.Commutes() && x.Args[0] == y.Args[1] && x.Args[1] == y.Args[0] && slices.Equal(x.Args[2:], y.Args[2:])
}

// hashOf mixes what equal compares, but for the attributes that rarely tell operations of
// equal code and operands apart.
func hashOf(op *tile.Op) uint32 {
	h := uint32(op.Code) + 0x9e3779b9
	args := op.Args
	if op.Code.Commutes() {
		x, y := uint32(args[0].ID), uint32(args[1].ID)
		h = mix(mix(h, x+y), x*y)
		args = args[2:]
	}
	for _, a := range args {
		h = mix(h, uint32(a.ID))
	}
	switch a := op.Attr.(type) {
	case tile.ConstAttr:
		h = mix(h, uint32(a.Bits)^uint32(a.Bits>>32))
	case tile.RangeAttr:
		h = mix(h, uint32(a.Start)^uint32(a.End)<<16)
	case tile.AxisAttr:
		h += uint32(a.Axis)
	case tile.CmpIAttr:
		h += uint32(a.Pred)
	case tile.CmpFAttr:
		h += uint32(a.Pred)
	}
	t := op.Results[0].Type
	return mix(h, uint32(t.Elem())<<8^uint32(t.LogElems())<<16^uint32(t.Rank()))
}

func mix(h, x uint32) uint32 {
	h = (h ^ x) * 0x85ebca6b
	return h ^ h>>15
}
