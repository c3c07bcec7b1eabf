package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// A taint says of an element where it became one that must not matter: a load whose mask was off and that
// has no other value, or arithmetic on offsets that wrapped around. Of two taints that meet, the larger
// stays: values that nobody gave are worse than wrong ones.
type taint uint16

// fromLoad marks the taints of loads; the lower bits are a number of the program's sites.
const fromLoad taint = 1 << 15

// kinds is a set of kinds of taints.
type kinds uint8

const (
	uninitialised kinds = 1 << iota
	overflowed
)

// taints says which values of a function can have taints, so that no others need to be followed, and which go into
// addresses, so that no other arithmetic needs to be watched.
type taints struct {
	live    *liveness
	kinds   []kinds // by root
	address []bool  // by root
	changed bool
}

func findTaints(f *tile.Func, l *liveness, kernel bool) *taints {
	t := &taints{live: l, kinds: make([]kinds, f.NumValues()), address: make([]bool, f.NumValues())}
	for t.changed = true; t.changed; {
		t.changed = false
		t.backward(f.Body)
	}
	if !kernel { // its callers know
		for _, v := range f.Body.Args {
			t.add(v, uninitialised|overflowed)
		}
	}
	for t.changed = true; t.changed; {
		t.changed = false
		t.forward(f.Body)
	}
	return t
}

func (t *taints) of(v *tile.Value) kinds { return t.kinds[t.live.root[v.ID]] }

func (t *taints) add(v *tile.Value, k kinds) {
	r := t.live.root[v.ID]
	if t.kinds[r]|k != t.kinds[r] {
		t.kinds[r] |= k
		t.changed = true
	}
}

// combines reports whether an operation runs its regions for many elements.
func combines(c tile.Code) bool {
	return c == tile.OpReduce || c == tile.OpScan || c == tile.OpMap
}

// wraps reports whether an operation is one whose wrapping is watched where its result goes into an address.
func (t *taints) wraps(op *tile.Op) bool {
	switch op.Code {
	case tile.OpAdd, tile.OpSub, tile.OpMul, tile.OpShl:
		bits := op.Result().Type.ElemBits()
		return bits >= 8 && bits <= 32 && t.address[t.live.root[op.Result().ID]]
	}
	return false
}

// keepsWrapped reports whether a value that wrapped around makes the result one: in what else is computed from it, such as
// a hash, wrapping may well be meant.
func keepsWrapped(c tile.Code) bool {
	switch c {
	case tile.OpAdd, tile.OpSub, tile.OpMul, tile.OpShl, tile.OpExtS, tile.OpSelect, tile.OpAddPtr:
		return true
	}
	return !c.IsElementwise()
}

// forward finds what taints an operation's results can have.
func (t *taints) forward(b *tile.Block) {
	for _, op := range b.Ops {
		if !combines(op.Code) {
			for _, r := range op.Regions {
				t.forward(r)
			}
		}
		t.passes(op, func(to, from *tile.Value) { t.add(to, t.of(from)) })
		t.forwardOp(op)
	}
}

func (t *taints) forwardOp(op *tile.Op) {
	var k kinds
	switch op.Code {
	case tile.OpFor, tile.OpWhile, tile.OpIf:
		return
	case tile.OpLoad:
		if len(op.Args) == 2 || len(op.Args) == 3 && t.of(op.Args[2])&uninitialised != 0 {
			k = uninitialised
		}
	case tile.OpAtomicRMW, tile.OpAtomicCAS, tile.OpAtomicLoad, tile.OpAtomicPoll:
	case tile.OpCall:
		k = uninitialised | overflowed
	default:
		for _, v := range op.Args {
			k |= t.of(v)
		}
		if t.wraps(op) {
			k |= overflowed
		}
		if !keepsWrapped(op.Code) || combines(op.Code) || op.Code == tile.OpDot || op.Code == tile.OpHistogram {
			k &^= overflowed
		}
	}
	for _, v := range op.Results {
		t.add(v, k)
	}
}

// passes calls f for each value that control flow gives on to another one, unless both are one already.
func (t *taints) passes(op *tile.Op, f func(to, from *tile.Value)) {
	pass := func(to, from []*tile.Value) {
		for i := range to {
			f(to[i], from[i])
		}
	}
	switch op.Code {
	case tile.OpFor:
		pass(op.Results, op.Args[3:])
		pass(op.Results, op.Regions[0].Terminator().Args)
	case tile.OpWhile:
		before, after := op.Regions[0], op.Regions[1]
		pass(before.Args, op.Args)
		pass(before.Args, after.Terminator().Args)
		pass(op.Results, before.Terminator().Args[1:])
	case tile.OpIf:
		for _, r := range op.Regions {
			pass(op.Results, r.Terminator().Args)
		}
	}
}

// backward finds what goes into addresses.
func (t *taints) backward(b *tile.Block) {
	for i := len(b.Ops) - 1; i >= 0; i-- {
		op := b.Ops[i]
		t.passes(op, func(to, from *tile.Value) {
			if t.address[t.live.root[to.ID]] {
				t.mark(from)
			}
		})
		t.backwardOp(op)
		if !combines(op.Code) {
			for _, r := range op.Regions {
				t.backward(r)
			}
		}
	}
}

func (t *taints) backwardOp(op *tile.Op) {
	switch op.Code {
	case tile.OpAddPtr:
		t.mark(op.Args[1])
		return
	case tile.OpCall, tile.OpReturn: // the other function may make an address of it
		for _, v := range op.Args {
			t.mark(v)
		}
		return
	case tile.OpFor, tile.OpWhile, tile.OpIf:
		return
	}
	if !keepsWrapped(op.Code) || combines(op.Code) {
		return
	}
	for _, r := range op.Results {
		if !t.address[t.live.root[r.ID]] {
			continue
		}
		for _, v := range op.Args {
			t.mark(v)
		}
	}
}

func (t *taints) mark(v *tile.Value) {
	r := t.live.root[v.ID]
	if v.Type.IsInt() && !t.address[r] {
		t.address[r] = true
		t.changed = true
	}
}
