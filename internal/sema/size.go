package sema

import (
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// Tuples may share their parts: each level of x = (x, x) has twice the values of the one before and takes
// no more room. Assignments, loops and branches walk a tuple as the tree that it looks like, so the size of that
// tree is bounded for every value that an expression gives, and each walk is paid for in steps.

// smallTuple is a size up to which it is cheaper to count again than to remember.
const smallTuple = 32

// A tupleKey is the identity of a tuple, whose elements never change.
type tupleKey struct {
	first *Value
	n     int
}

// sizeOf counts v and all that it is made of, at every place where it stands; beyond the limit it stops.
func (g *gen) sizeOf(v Value) int {
	parts, _ := partsOf(v)
	if len(parts) == 0 {
		return 1
	}
	key := tupleKey{&parts[0], len(parts)}
	if n, ok := g.sizes[key]; ok {
		return n
	}
	n := 1
	for _, p := range parts {
		if n += g.sizeOf(p); n > g.limit.parts {
			break
		}
	}
	if _, isTuple := v.(pyval.Tuple); isTuple && n > smallTuple {
		g.sizes[key] = n
	}
	return n
}

// checkSize fails for a tuple or other composite value that is too large as a tree.
func (g *gen) checkSize(v Value, at syntax.Node) {
	known := len(g.sizes)
	n := g.sizeOf(v)
	if n > g.limit.parts {
		g.fail(at, "too-large", "%s holds more than %d values, counting those of its parts wherever they stand", describe(v), g.limit.parts)
	}
	t, isTuple := v.(pyval.Tuple)
	switch {
	case !isTuple:
		g.spend(n/smallTuple, at)
	case len(g.sizes) > known: // it is new: somebody copied its elements
		g.spend(len(t.Elems)/4, at)
	}
}

// payWalk pays for going through a value.
func (g *gen) payWalk(v Value, at syntax.Node) {
	if n := g.sizeOf(v); n > smallTuple {
		g.spend(n/8, at)
	}
}
