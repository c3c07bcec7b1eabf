package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// An axis splits a tile's row-major elements: outer tiles of size rows of inner elements.
type axis struct{ outer, size, inner int }

func axisOf(t tile.Type, i int) axis {
	inner := strides(t)[i]
	return axis{outer: t.NumElems() / (inner * t.Dim(i)), size: t.Dim(i), inner: inner}
}

// reduce plans OpReduce. Elements are combined in pairs of neighbours, the results again in
// pairs, and so on: a balanced tree that keeps the order, so that combinations need not be
// commutative, and whose shape depends on the axis's size alone.
func (p *planner) reduce(op *tile.Op) error {
	t := op.Args[0].Type
	a := axisOf(t, op.Attr.(tile.AxisAttr).Axis)
	in := p.operands(op, t.NumElems())
	results := p.outs(op.Results)
	if a.size == 1 {
		for i, v := range op.Args {
			p.emit(op, copyStep(v.Type.ElemBytes(), results[i], in[i]))
		}
		return nil
	}
	work := make([]slot, len(in))
	for i, v := range op.Args {
		work[i] = p.temp(v.Type.ElemBytes(), t.NumElems()/2)
	}
	if fold := foldOf(op); fold != nil {
		p.emit(op, func(m *machine) error {
			return a.levels(in, work, results, func(src, dst []slot, n int) error {
				fold.pairs(m, src[0], dst[0], a.inner, n)
				return nil
			})
		})
		return nil
	}
	c, err := p.combiner(op.Regions[0])
	if err != nil {
		return err
	}
	move := moversOf(op.Args)
	p.emit(op, func(m *machine) error {
		return a.levels(in, work, results, func(src, dst []slot, n int) error {
			return c.run(m, n, func(m *machine, lo, n int) {
				for i, mv := range move {
					mv.pairs(m, src[i], c.args[i], c.args[len(move)+i], a.inner, lo, n)
				}
			}, func(m *machine, lo, n int) {
				for i, mv := range move {
					mv.put(m, dst[i], c.yields[i], flat, lo, n)
				}
			})
		})
	})
	return nil
}

// levels calls f for each level of the tree; it makes n elements of dst out of twice as many
// of src. After the first level both may be the same memory: what is written was read before.
func (a axis) levels(in, work, results []slot, f func(src, dst []slot, n int) error) error {
	src := in
	for size := a.size / 2; size >= 1; size /= 2 {
		dst := work
		if size == 1 {
			dst = results
		}
		if err := f(src, dst, a.outer*size*a.inner); err != nil {
			return err
		}
		src = dst
	}
	return nil
}

// scan plans OpScan: along the axis, each element is combined with the result before it.
func (p *planner) scan(op *tile.Op) error {
	t, attr := op.Args[0].Type, op.Attr.(tile.ScanAttr)
	a := axisOf(t, attr.Axis)
	in := p.operands(op, t.NumElems())
	results := p.outs(op.Results)
	if fold := foldOf(op); fold != nil {
		p.emit(op, func(m *machine) error {
			fold.prefixes(m, in[0], results[0], a, attr.Reverse)
			return nil
		})
		return nil
	}
	c, err := p.combiner(op.Regions[0])
	if err != nil {
		return err
	}
	move := moversOf(op.Args)
	p.emit(op, func(m *machine) error {
		from := a.plane(0, attr.Reverse)
		for i, mv := range move {
			mv.copy(m, results[i], in[i], from, a.outer*a.inner)
		}
		for j := 1; j < a.size; j++ {
			before, at := a.plane(j-1, attr.Reverse), a.plane(j, attr.Reverse)
			err := c.run(m, a.outer*a.inner, func(m *machine, lo, n int) {
				for i, mv := range move {
					mv.get(m, results[i], c.args[i], before, lo, n)
					mv.get(m, in[i], c.args[len(move)+i], at, lo, n)
				}
			}, func(m *machine, lo, n int) {
				for i, mv := range move {
					mv.put(m, results[i], c.yields[i], at, lo, n)
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return nil
}

// plane gives where the elements of one index of the axis lie.
func (a axis) plane(i int, reverse bool) lattice {
	if reverse {
		i = a.size - 1 - i
	}
	return lattice{row: a.inner, stride: a.size * a.inner, base: i * a.inner}
}

// mapElements plans OpMap.
func (p *planner) mapElements(op *tile.Op) error {
	n := op.Args[0].Type.NumElems()
	in := p.operands(op, n)
	results := p.outs(op.Results)
	c, err := p.combiner(op.Regions[0])
	if err != nil {
		return err
	}
	take, give := moversOf(op.Args), moversOf(op.Results)
	p.emit(op, func(m *machine) error {
		return c.run(m, n, func(m *machine, lo, n int) {
			for i, mv := range take {
				mv.get(m, in[i], c.args[i], flat, lo, n)
			}
		}, func(m *machine, lo, n int) {
			for i, mv := range give {
				mv.put(m, results[i], c.yields[i], flat, lo, n)
			}
		})
	})
	return nil
}
