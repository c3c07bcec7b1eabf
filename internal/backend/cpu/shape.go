package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// A copier moves elements between two tiles of one iteration space: dims[i] steps of strides
// dst[i] and src[i], outermost first. Strides are in elements; 0 repeats.
type copier struct{ dims, dst, src []int }

// strides gives the row-major strides of a shape.
func strides(t tile.Type) []int {
	s := make([]int, t.Rank())
	n := 1
	for i := len(s) - 1; i >= 0; i-- {
		s[i] = n
		n *= t.Dim(i)
	}
	return s
}

// merged drops dimensions of 1 and joins those that both sides step through as through one.
func (c copier) merged() copier {
	var r copier
	for i, n := range c.dims {
		if n == 1 {
			continue
		}
		k := len(r.dims) - 1
		if k >= 0 && r.dst[k] == n*c.dst[i] && r.src[k] == n*c.src[i] {
			r.dims[k] *= n
			r.dst[k], r.src[k] = c.dst[i], c.src[i]
			continue
		}
		r.dims, r.dst, r.src = append(r.dims, n), append(r.dst, c.dst[i]), append(r.src, c.src[i])
	}
	if len(r.dims) == 0 {
		return copier{[]int{1}, []int{1}, []int{1}}
	}
	return r
}

func copyStrided[T any](dst, src []T, c copier, d, s int) {
	n, sd, ss := c.dims[0], c.dst[0], c.src[0]
	if len(c.dims) > 1 {
		inner := copier{c.dims[1:], c.dst[1:], c.src[1:]}
		for range n {
			copyStrided(dst, src, inner, d, s)
			d += sd
			s += ss
		}
		return
	}
	switch {
	case sd == 1 && ss == 1:
		copy(dst[d:d+n], src[s:s+n])
	case sd == 1 && ss == 0:
		dst[d] = src[s]
		repeat(dst[d : d+n])
	default:
		for range n {
			dst[d] = src[s]
			d += sd
			s += ss
		}
	}
}

// stridedStep makes a step of a copier; size is an element's in bytes.
func stridedStep(size int, d, s slot, c copier) func(*machine) error {
	c = c.merged()
	switch size {
	case 1:
		return stridedElems[uint8](d, s, c)
	case 2:
		return stridedElems[uint16](d, s, c)
	case 4:
		return stridedElems[uint32](d, s, c)
	}
	return stridedElems[uint64](d, s, c)
}

func stridedElems[T any](d, s slot, c copier) func(*machine) error {
	return func(m *machine) error {
		copyStrided(view[T](m, d), view[T](m, s), c, 0, 0)
		return nil
	}
}

// rename gives the result the operand's slot.
func (p *planner) rename(op *tile.Op) error {
	p.slots[op.Result().ID] = p.in(op.Args[0])
	return nil
}

// uniform gives a result the one element that its operand is held as. It reports false if the
// operand is held in full.
func (p *planner) uniform(op *tile.Op) bool {
	x := p.in(op.Args[0])
	if x.n != 1 {
		return false
	}
	for _, r := range op.Results {
		p.emit(op, copyStep(r.Type.ElemBytes(), p.out(r, 1), x))
	}
	return true
}

func (p *planner) broadcast(op *tile.Op) error {
	if p.uniform(op) {
		return nil
	}
	from, to := op.Args[0].Type, op.Result().Type
	c := copier{to.Shape(), strides(to), strides(from)}
	for i := range c.src {
		if from.Dim(i) == 1 {
			c.src[i] = 0
		}
	}
	p.emit(op, stridedStep(to.ElemBytes(), p.out(op.Result(), to.NumElems()), p.in(op.Args[0]), c))
	return nil
}

func (p *planner) trans(op *tile.Op) error {
	if p.uniform(op) {
		return nil
	}
	from, to := strides(op.Args[0].Type), op.Result().Type
	order := op.Attr.(tile.PermAttr).Order
	c := copier{to.Shape(), strides(to), make([]int, len(from))}
	for i := range from {
		c.src[i] = from[order[i]]
	}
	p.emit(op, stridedStep(to.ElemBytes(), p.out(op.Result(), to.NumElems()), p.in(op.Args[0]), c))
	return nil
}

// splat gives a tile that is held as one element.
func (p *planner) splat(op *tile.Op) error {
	p.uniform(op)
	return nil
}

// cat plans OpCat: rows of x and of y in turn.
func (p *planner) cat(op *tile.Op) error {
	from := op.Args[0].Type
	axis := op.Attr.(tile.AxisAttr).Axis
	row := strides(from)[axis] * from.Dim(axis)
	rows := from.NumElems() / row
	return p.interleave(op, rows, row)
}

func (p *planner) join(op *tile.Op) error { return p.interleave(op, op.Args[0].Type.NumElems(), 1) }

// interleave puts rows of both operands into the result by turns.
func (p *planner) interleave(op *tile.Op, rows, row int) error {
	n := op.Args[0].Type.NumElems()
	in := p.operands(op, n)
	size := op.Result().Type.ElemBytes()
	d := p.out(op.Result(), 2*n)
	c := copier{[]int{rows, row}, []int{2 * row, 1}, []int{row, 1}}
	for i, x := range in {
		part := slot{d.off + i*row*size, 2*n - row}
		p.emit(op, stridedStep(size, part, x, c))
	}
	return nil
}

func (p *planner) split(op *tile.Op) error {
	if p.uniform(op) {
		return nil
	}
	x := p.in(op.Args[0])
	n, size := x.n/2, op.Args[0].Type.ElemBytes()
	for i, r := range op.Results {
		part := slot{x.off + i*size, x.n - 1}
		p.emit(op, stridedStep(size, p.out(r, n), part, copier{[]int{n}, []int{1}, []int{2}}))
	}
	return nil
}
