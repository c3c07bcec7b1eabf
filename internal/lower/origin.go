package lower

import "github.com/tegula-lang/tegula/internal/tile"

// Where pointers come from, as far as it is known.
const (
	unknownOrigin = -1
	openOrigin    = -2 // is being found out: a loop carries it around
)

// originOf gives the number of the parameter that pointers are computed from, or unknownOrigin. Pointers that a loop carries
// come from where they began, if each iteration computes them from what they were.
func (t *traits) originOf(v *tile.Value) int {
	v = tile.Origin(v)
	if o, ok := t.origin[v]; ok {
		return o
	}
	t.origin[v] = openOrigin
	o := t.findOrigin(v)
	t.origin[v] = o
	return o
}

func (t *traits) findOrigin(v *tile.Value) int {
	if v.Op == nil {
		return t.originOfArg(v)
	}
	switch op := v.Op; op.Code {
	case tile.OpSelect:
		return t.common(op.Args[1], op.Args[2])
	case tile.OpIf:
		return t.common(op.Regions[0].Terminator().Args[v.Index], op.Regions[1].Terminator().Args[v.Index])
	case tile.OpFor:
		return t.originOf(op.Regions[0].Args[v.Index+1])
	case tile.OpWhile:
		return t.originOf(op.Regions[0].Terminator().Args[v.Index+1])
	}
	return unknownOrigin
}

func (t *traits) originOfArg(v *tile.Value) int {
	if v.Block == t.body {
		if v.Type.IsPtr() && v.Type.IsScalar() {
			return int(v.Index)
		}
		return unknownOrigin
	}
	op := t.loops[v.Block]
	switch {
	case op == nil:
		return unknownOrigin
	case op.Code == tile.OpFor && v.Index > 0:
		return t.common(op.Args[v.Index+2], v.Block.Terminator().Args[v.Index-1])
	case op.Code == tile.OpWhile && v.Block == op.Regions[0]:
		return t.common(op.Args[v.Index], op.Regions[1].Terminator().Args[v.Index])
	case op.Code == tile.OpWhile:
		return t.originOf(op.Regions[0].Terminator().Args[v.Index+1])
	}
	return unknownOrigin
}

// common gives the origin of two values, if they have one.
func (t *traits) common(x, y *tile.Value) int {
	a, b := t.originOf(x), t.originOf(y)
	switch {
	case a == openOrigin:
		return b
	case b == openOrigin, a == b:
		return a
	}
	return unknownOrigin
}
