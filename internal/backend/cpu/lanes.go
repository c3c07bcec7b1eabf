package cpu

import (
	"unsafe"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A combiner is the region of a reduction, a scan or a map: scalar code that is run for many
// elements. Where it only computes, its steps work on up to chunk elements at a time, one in
// each lane; where it branches, on one.
type combiner struct {
	lanes  int
	args   []slot
	steps  []step
	yields []slot
}

func (p *planner) combiner(b *tile.Block) (combiner, error) {
	c := combiner{lanes: 1}
	if vectorises(b) {
		c.lanes = chunk
	}
	outer := p.vector
	p.vector = c.lanes > 1
	defer p.hush()()
	defer func() { p.vector = outer }()
	for _, v := range b.Args {
		c.args = append(c.args, p.out(v, p.elems(v.Type)))
	}
	var err error
	c.steps, err = p.separately(b, func(end *tile.Op) { c.yields = p.ins(end.Args) })
	return c, err
}

func vectorises(b *tile.Block) bool {
	for _, op := range b.Ops {
		if !op.Code.IsTerminator() && !hasLanes(op) {
			return false
		}
	}
	return true
}

// hasLanes reports whether an operation of scalars can work on many of them at once.
func hasLanes(op *tile.Op) bool {
	switch op.Code {
	case tile.OpConst, tile.OpHint, tile.OpProgramID, tile.OpNumPrograms:
		return true
	}
	return op.Effect() == tile.Pure && op.Code.IsElementwise()
}

// run combines n elements, a chunk after another: take puts what belongs to elements lo to lo+n
// into the arguments, give takes the yields.
func (c *combiner) run(m *machine, n int, take, give func(m *machine, lo, n int)) error {
	for lo := 0; lo < n; lo += c.lanes {
		if err := m.alive(); err != nil {
			return err
		}
		m.lanes = min(c.lanes, n-lo)
		take(m, lo, m.lanes)
		if err := m.run(c.steps); err != nil {
			return err
		}
		give(m, lo, min(c.lanes, n-lo))
	}
	return nil
}

// memory gives n elements from byte offset off of the frame.
func memory[T any](m *machine, off, n int) []T { return unsafe.Slice((*T)(m.at(off)), n) }

// A mover copies elements of one size; the sizes differ only in the types of these functions.
type mover struct {
	pairs func(m *machine, src, acc, cur slot, row, lo, n int)
	get   func(m *machine, src, arg slot, at lattice, lo, n int)
	put   func(m *machine, dst, yield slot, at lattice, lo, n int)
	copy  func(m *machine, dst, src slot, at lattice, n int)
}

func moverOf(size int) mover {
	switch size {
	case 1:
		return moverFor[uint8]()
	case 2:
		return moverFor[uint16]()
	case 4:
		return moverFor[uint32]()
	}
	return moverFor[uint64]()
}

func moverFor[T any]() mover { return mover{takePairs[T], takeAt[T], giveAt[T], copyAt[T]} }

func moversOf(vals []*tile.Value) []mover {
	ms := make([]mover, len(vals))
	for i, v := range vals {
		ms[i] = moverOf(v.Type.ElemBytes())
	}
	return ms
}

// takePairs puts elements lo to lo+n of the even rows into acc and of the odd rows into cur.
func takePairs[T any](m *machine, src, acc, cur slot, row, lo, n int) {
	a, c := memory[T](m, acc.off, n), memory[T](m, cur.off, n)
	s := memory[T](m, src.off, 2*(lo+n)+row)
	if row == 1 {
		s = s[2*lo:]
		for i := range a {
			a[i], c[i] = s[2*i], s[2*i+1]
		}
		return
	}
	for i := 0; i < n; {
		r, col := (lo+i)/row, (lo+i)%row
		k := min(row-col, n-i)
		even := 2*r*row + col
		copy(a[i:i+k], s[even:even+k])
		copy(c[i:i+k], s[even+row:even+row+k])
		i += k
	}
}

// A lattice says where lanes lie: lane l's element is at (l / row * stride) + l % row + base.
type lattice struct{ row, stride, base int }

// flat is where lane l is element l.
var flat = lattice{row: 1 << tile.MaxLogElems}

func takeAt[T any](m *machine, src, arg slot, at lattice, lo, n int) {
	a := memory[T](m, arg.off, n)
	at.runs(lo, n, func(i, off, k int) { copy(a[i:i+k], memory[T](m, src.off, off+k)[off:]) })
}

func giveAt[T any](m *machine, dst, yield slot, at lattice, lo, n int) {
	y := memory[T](m, yield.off, n)
	if yield.n == 1 {
		v := y[0]
		at.runs(lo, n, func(_, off, k int) {
			d := memory[T](m, dst.off, off+k)[off:]
			d[0] = v
			repeat(d)
		})
		return
	}
	at.runs(lo, n, func(i, off, k int) { copy(memory[T](m, dst.off, off+k)[off:], y[i:i+k]) })
}

func copyAt[T any](m *machine, dst, src slot, at lattice, n int) {
	at.runs(0, n, func(_, off, k int) {
		copy(memory[T](m, dst.off, off+k)[off:], memory[T](m, src.off, off+k)[off:])
	})
}

// runs calls f for each run of lanes that lie one after another.
func (at lattice) runs(lo, n int, f func(i, off, k int)) {
	for i := 0; i < n; {
		r, col := (lo+i)/at.row, (lo+i)%at.row
		k := min(at.row-col, n-i)
		f(i, r*at.stride+col+at.base, k)
		i += k
	}
}
