package mlir

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// maxGroup is the largest group that a function is applied to at once.
const maxGroup = 64

// mapGroups applies a function to groups of neighbours in row-major order: its arguments are the elements of each operand's group, its results
// those of each result's.
func (p *parser) mapGroups(args []*tile.Value, pack int, body *tile.Block, to []tile.Type) []*tile.Value {
	var parts []*tile.Value
	for _, v := range args {
		if n := v.Type.NumElems(); pack > maxGroup || pack&(pack-1) != 0 || n < pack || !v.Type.IsTile() {
			p.fail(p.start, diag.Unsupported, "mlir", "groups of %d of the elements of %s are not supported", pack, v.Type)
			return nil
		}
		parts = append(parts, p.apart(v, pack)...)
	}
	var types []tile.Type
	for _, t := range to {
		part, ok := t.WithShape(max(t.NumElems()/pack, 1))
		if !ok || t.NumElems() < pack {
			p.fail(p.start, diag.Unsupported, "mlir", "groups of %d of the elements of %s are not supported", pack, t)
			return nil
		}
		for range pack {
			types = append(types, part)
		}
	}
	op := p.b.Op(tile.OpMap, nil, parts, types...)
	op.Regions = []*tile.Block{body}
	var out []*tile.Value
	for i, t := range to {
		out = append(out, p.b.Reshape(p.together(op.Results[i*pack:(i+1)*pack]), t, false))
	}
	return out
}

// apart gives tiles of the elements 0, 1 … of each group of n.
func (p *parser) apart(v *tile.Value, n int) []*tile.Value {
	if n == 1 {
		flat, _ := v.Type.WithShape(v.Type.NumElems())
		return []*tile.Value{p.b.Reshape(v, flat, false)}
	}
	pairs, _ := v.Type.WithShape(v.Type.NumElems()/2, 2)
	even, odd := p.b.Split(p.b.Reshape(v, pairs, false))
	evens, odds := p.apart(even, n/2), p.apart(odd, n/2)
	var parts []*tile.Value
	for i := range evens {
		parts = append(parts, evens[i], odds[i])
	}
	return parts
}

// together undoes apart.
func (p *parser) together(parts []*tile.Value) *tile.Value {
	if len(parts) == 1 {
		return parts[0]
	}
	var evens, odds []*tile.Value
	for i := 0; i < len(parts); i += 2 {
		evens, odds = append(evens, parts[i]), append(odds, parts[i+1])
	}
	joined := p.b.Join(p.together(evens), p.together(odds))
	flat, _ := joined.Type.WithShape(joined.Type.NumElems())
	return p.b.Reshape(joined, flat, false)
}
