package sema

import "github.com/tegula-lang/tegula/internal/tile"

// langMap calls a function for each element, or for each group of pack neighbours at once: it then
// takes pack scalars of the first tile, pack of the second and so on, and gives its results so.
func langMap(g *gen, c *call) Value {
	args := c.elements(g, 1)
	if len(args) == 0 {
		g.fail(c.node, "bad-argument", "%s needs at least one tile", c.name)
	}
	in := make([]Tensor, len(args))
	for i, v := range args {
		in[i] = g.toTensor(v, c.at[1])
	}
	in = g.broadcastAll(in, c.node)
	pack := g.packArg(c, in[0])
	if pack == 1 {
		out, tuple := g.mapScalars(c, in)
		return results(out, tuple)
	}
	var groups []Tensor
	for _, x := range in {
		groups = append(groups, g.unpackGroups(c, x, pack)...)
	}
	out, tuple := g.mapScalars(c, groups)
	if len(out)%pack != 0 {
		g.fail(c.at[0], "combine-function", "the function gives %d values, which are no groups of pack = %d", len(out), pack)
	}
	packed := make([]Tensor, len(out)/pack)
	for i := range packed {
		group := out[i*pack : (i+1)*pack]
		for _, t := range group {
			if t.Type() != group[0].Type() {
				g.fail(c.at[0], "combine-function", "the function gives %s and %s for neighbours", group[0].Type().Scalar(), t.Type().Scalar())
			}
		}
		packed[i] = g.reshape(g.packGroups(c, group), dimsOf(in[0].V.Type), false, c.node)
	}
	return results(packed, tuple)
}

// packArg gives the size of the groups.
func (g *gen) packArg(c *call, x Tensor) int {
	pack := c.constInt(g, 2)
	if pack < 1 || pack&(pack-1) != 0 || pack > int64(x.V.Type.NumElems()) {
		g.fail(c.at[2], "bad-argument", "pack is %d; it must be a power of two that divides the %d elements of %s", pack, x.V.Type.NumElems(), x.Type())
	}
	return int(pack)
}

// mapScalars makes the operation: the function takes a scalar of each tile.
func (g *gen) mapScalars(c *call, in []Tensor) (out []Tensor, tuple bool) {
	types := make([]Type, len(in))
	for i, t := range in {
		types[i] = t.Type().Scalar()
	}
	body := g.region(c.node, types, func(scalars []Value) []Tensor {
		v := g.callFunc(c.args[0], scalars, nil, c.node)
		var elems []Value
		if elems, tuple = elementsOf(v); !tuple {
			elems = []Value{v}
		}
		for _, e := range elems {
			out = append(out, g.toScalar(g.toTensor(e, c.node), c.node))
		}
		return out
	})
	shaped := make([]tile.Type, len(out))
	for i, t := range out {
		shaped[i] = in[0].V.Type.WithScalar(t.V.Type)
	}
	op := g.b.OpWithRegions(tile.OpMap, nil, handles(in), []*tile.Block{body}, shaped...)
	return tensorsLike(op, out), tuple
}

// unpackGroups gives a tile for each place in a group: the elements there, in one dimension.
func (g *gen) unpackGroups(c *call, x Tensor, pack int) []Tensor {
	groups := int64(x.V.Type.NumElems() / pack)
	if pack == 1 {
		return []Tensor{g.reshape(x, []int64{groups}, false, c.node)}
	}
	l, r := g.b.Split(g.reshape(x, []int64{groups, int64(pack / 2), 2}, false, c.node).V)
	even := g.unpackGroups(c, Tensor{l, x.DType}, pack/2)
	odd := g.unpackGroups(c, Tensor{r, x.DType}, pack/2)
	out := make([]Tensor, 0, pack)
	for i := range even {
		out = append(out, even[i], odd[i])
	}
	return out
}

// packGroups undoes unpackGroups but for the shape.
func (g *gen) packGroups(c *call, places []Tensor) Tensor {
	if len(places) == 1 {
		return places[0]
	}
	var even, odd []Tensor
	for i, t := range places {
		if i%2 == 0 {
			even = append(even, t)
		} else {
			odd = append(odd, t)
		}
	}
	x, y := g.packGroups(c, even), g.packGroups(c, odd)
	return Tensor{g.b.Join(x.V, y.V), x.DType}
}

// dimsOf gives a shape as reshape takes it.
func dimsOf(t tile.Type) []int64 {
	dims := make([]int64, t.Rank())
	for i := range dims {
		dims[i] = int64(t.Dim(i))
	}
	return dims
}
