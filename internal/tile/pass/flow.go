package pass

import "github.com/tegula-lang/tegula/internal/tile"

// Facts are what an analysis knows of the values of a function. Passes replace values by equal ones, so
// what was found of a value stays true of it; of values that have been made or renumbered since, nothing
// but their type is known.
type Facts[T any] struct {
	values  []*tile.Value // by ID: whom the fact is about
	facts   []T
	unknown func(tile.Type) T
}

// Of gives what is known of v.
func (f *Facts[T]) Of(v *tile.Value) *T {
	if f.knows(v) {
		return &f.facts[v.ID]
	}
	x := f.unknown(v.Type)
	return &x
}

func (f *Facts[T]) knows(v *tile.Value) bool { return int(v.ID) < len(f.values) && f.values[v.ID] == v }

// An analysis gives the facts that a flow carries through a function. They form a lattice: meet gives
// what holds of both of two values of one type.
type analysis[T any] interface {
	// unknown is what holds of all values of a type.
	unknown(t tile.Type) T
	// result is of result i of an operation without control flow, whose operands are known.
	result(op *tile.Op, i int) T
	// counter is of a for loop's counter in its body.
	counter(loop *tile.Op) T
	meet(x, y T) T
	// widen gives what is taken to hold of a carried value of type t of which less and less has
	// turned out to hold: old, then now, for the n-th time. After a bounded number it must stop to change.
	widen(t tile.Type, old, now T, n int) T
	// assume takes the fact that a condition, which is no conjunction, holds in the present block.
	assume(cond *tile.Value)
}

// A flow walks a function in the order of execution and follows loops until what they carry does not
// change any more. A loop's body is walked a number of times that is linear in its depth, as a loop that
// is entered again goes on from where it was.
type flow[T comparable] struct {
	Facts[T]
	rules analysis[T]
	falls []uint8  // of carried values: how often they changed; 0 until they are reached
	level []uint16 // the depth of the block that defines a value
	depth uint16
}

func newFlow[T comparable](f *tile.Func, a analysis[T]) flow[T] {
	n := f.NumValues()
	return flow[T]{
		Facts: Facts[T]{make([]*tile.Value, n), make([]T, n), a.unknown},
		rules: a,
		falls: make([]uint8, n),
		level: make([]uint16, n),
	}
}

// at gives the present fact about v, a value that has been reached.
func (w *flow[T]) at(v *tile.Value) *T { return &w.facts[v.ID] }

// forget knows nothing of vals.
func (w *flow[T]) forget(vals []*tile.Value) {
	for _, v := range vals {
		*w.at(v) = w.unknown(v.Type)
	}
}

// block walks b, of whose arguments the facts are known.
func (w *flow[T]) block(b *tile.Block) {
	w.depth++
	w.define(b.Args)
	for _, op := range b.Ops {
		w.define(op.Results)
		w.op(op)
	}
	w.depth--
}

func (w *flow[T]) define(vals []*tile.Value) {
	for _, v := range vals {
		w.values[v.ID], w.level[v.ID] = v, w.depth
	}
}

func (w *flow[T]) op(op *tile.Op) {
	switch op.Code {
	case tile.OpFor:
		w.forLoop(op)
	case tile.OpWhile:
		w.whileLoop(op)
	case tile.OpIf:
		w.branch(op)
	case tile.OpAssume:
		w.believe(op.Args[0])
	default:
		for _, b := range op.Regions {
			w.forget(b.Args)
			w.block(b)
		}
		for i, v := range op.Results {
			*w.at(v) = w.rules.result(op, i)
		}
	}
}

// believe takes a fact of the author's.
func (w *flow[T]) believe(cond *tile.Value) {
	if both := definedBy(cond, tile.OpAnd); both != nil {
		w.believe(both.Args[0])
		w.believe(both.Args[1])
		return
	}
	w.rules.assume(cond)
}

// mayAssume reports whether a fact about x found here holds wherever x is used: what uses it comes
// later or, in the same block, before a fact that then holds anyway. Carried values are left out: what is
// known of them flows on to the loop's results, which may be the values that the loop started with.
func (w *flow[T]) mayAssume(x *tile.Value) bool {
	return w.level[x.ID] == w.depth && (x.Block == nil || w.depth == 1)
}

func (w *flow[T]) branch(op *tile.Op) {
	for _, b := range op.Regions {
		w.block(b)
	}
	then, els := op.Regions[0].Terminator().Args, op.Regions[1].Terminator().Args
	for i, v := range op.Results {
		*w.at(v) = w.rules.meet(*w.at(then[i]), *w.at(els[i]))
	}
}

func (w *flow[T]) forLoop(op *tile.Op) {
	body, inits := op.Regions[0], op.Args[forBounds:]
	*w.at(body.Args[0]) = w.rules.counter(op)
	carried := body.Args[forCounter:]
	w.enter(carried, inits)
	for again := true; again; {
		w.block(body)
		again = w.enter(carried, body.Terminator().Args)
	}
	for i, v := range op.Results {
		*w.at(v) = *w.at(carried[i])
	}
}

func (w *flow[T]) whileLoop(op *tile.Op) {
	before, after := op.Regions[0], op.Regions[1]
	w.enter(before.Args, op.Args)
	for again := true; again; {
		w.block(before)
		forwarded := before.Terminator().Args[1:]
		for i, v := range op.Results {
			*w.at(v) = *w.at(forwarded[i])
			*w.at(after.Args[i]) = *w.at(v)
		}
		w.block(after)
		again = w.enter(before.Args, after.Terminator().Args)
	}
}

// enter lets what vals are flow into carried values, and reports whether less holds of these than did.
func (w *flow[T]) enter(carried, vals []*tile.Value) bool {
	fell := false
	for i, v := range carried {
		old, now := *w.at(v), *w.at(vals[i])
		n := &w.falls[v.ID]
		if *n > 0 {
			now = w.rules.meet(old, now)
			if now == old {
				continue
			}
		}
		*n++
		fell = true
		*w.at(v) = w.rules.widen(v.Type, old, now, int(*n))
	}
	return fell
}
