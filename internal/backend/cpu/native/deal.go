package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A deal is what is asked for while the last part of a product is computed: the lines that the result will be stored to. They are dealt out to the blocks of the
// result, and for each block to the iterations of its loop over k: many at once would keep what the block itself reads from coming.
type deal struct {
	body  *list // which computes, at the beginning of a block,
	begin []*val
	bytes int // which so many bytes to ask for begin at
	block reg // the number of the block
}

// maxDealt bounds the rows of the result that are asked for with one block, as a power of two.
const maxDealt = 2

// dealStore deals out what the store that comes next after op writes to, a tile of a product's size; nil if there is none.
func (g *generator) dealStore(op *tile.Op, s matmul, blocks int) *deal {
	f := g.nextStore(op)
	if f == nil || s.batch > 1 || f.store.Args[0].Type.Rank() != 2 {
		return nil
	}
	ptr := f.store.Args[0]
	rows, cols, _ := dims(ptr.Type)
	if 1<<rows.n != s.m || 1<<cols.n != s.n || cols.n < g.laneBits || !g.fromScalars(ptr) {
		return nil
	}
	n, log := rows.n+cols.n, logOf(int64(blocks))
	each := max(g.laneBits, n-log) // bits of the elements of a block: along a row, then rows
	along := min(each, cols.n)
	if each-along > maxDealt {
		return nil
	}
	d := &deal{body: &list{}, block: g.gpr(), bytes: ptr.Type.Pointee().ElemBytes() << along}
	before := &list{}
	x := g.straight()
	x.lists, x.counters = []*list{before, d.body}, []reg{none, d.block}
	x.bits = make([]nestBit, n)
	at := identity(n)
	for i := range n {
		x.bits[i] = nestBit{1, max(0, log-n+i)}
		switch {
		case i < g.laneBits:
			x.bits[i] = nestBit{0, i}
		case i < each:
			at.bits[i] = zeroBit
		}
	}
	for r := range 1 << (each - along) {
		for i := along; i < each; i++ {
			at.bits[i] = zeroBit - int8(r>>(i-along)&1)
		}
		p := x.eval(ptr, at)
		if !p.affine || p.step != int64(ptr.Type.Pointee().ElemBytes()) {
			return nil
		}
		d.begin = append(d.begin, p)
	}
	g.movImm(d.block, 0)
	g.cur.join(before)
	g.hoist(d.body)
	return d
}

// skip goes on to the next block.
func (d *deal) skip(g *generator) {
	if d != nil {
		g.op3(amd64.ADDLI, d.block, none, none, 1)
	}
}

// start stands at the beginning of a block, before its loop of so many iterations. It gives what stands in that.
func (d *deal) start(g *generator, iterations int) (ask func()) {
	if d == nil {
		return func() {}
	}
	g.cur.join(d.body)
	g.op3(amd64.ADDLI, d.block, none, none, 1)
	var walk []reg
	for _, p := range d.begin {
		walk = append(walk, g.addImm(8, p.g, p.off))
	}
	step := max(1, d.bytes/iterations)
	return func() {
		for _, r := range walk {
			for off := 0; off < step; off += lineBytes {
				i := ins(amd64.PREFETCHW)
				i.HasMem, i.M = true, amd64.At(r, int32(off))
				g.emit(i)
			}
			g.op3(amd64.ADDI, r, none, none, int64(step))
		}
	}
}
