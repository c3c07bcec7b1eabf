package lower

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A product is how a dot is done: batches of an m×k matrix times a k×n matrix, added to an m×n matrix. Matrix instructions do it where
// the target has one for the operands' type; else each thread multiplies and adds elements.
type product struct {
	batch, m, n, k int
	hasMMA         bool
	mma            lir.MMA
	groups         [2]int       // of warps, along rows and columns, if they multiply together
	rows, cols     int          // of what they multiply: m and n, or n and m if the transposed product is done
	left           int          // then: the operand of which rows are
	loaded         bool         // it is loaded into registers
	elems          [2]tile.Elem // of the operands, as they are multiplied
	sum            lir.Type     // in which products are added
	layouts        layout.Dot   // of matrix instructions
	view           *view        // of the sum
}

// productOf decides how a dot is done.
func (l *lowerer) productOf(op *tile.Op) *product {
	if p := l.products[op]; p != nil {
		return p
	}
	a, b := op.Args[0].Type, op.Args[1].Type
	r := a.Rank()
	p := &product{batch: 1, m: a.Dim(r - 2), k: a.Dim(r - 1), n: b.Dim(r - 1)}
	if r == 3 {
		p.batch = a.Dim(0)
	}
	e, sum := multipliedAs(op)
	p.elems, p.sum = [2]tile.Elem{e, e}, sum
	if !l.groupInstruction(op, p) && !l.matrixInstruction(op, p) {
		lay := p.blocked(l.o.WarpSize, l.o.Warps)
		p.view = l.ofLayout(&lay)
	}
	if l.products == nil {
		l.products = map[*tile.Op]*product{}
	}
	l.products[op] = p
	return p
}

// multipliedAs gives the type to which a dot's operands are brought, and that of the sum: as the executor has it, but
// for what is exact in less.
func multipliedAs(op *tile.Op) (tile.Elem, lir.Type) {
	e := op.Args[0].Type.Elem()
	switch op.Results[0].Type.Elem() {
	case tile.I32:
		return tile.I32, lir.I32
	case tile.F64:
		return tile.F64, lir.F64
	}
	if e == tile.F64 {
		return tile.F64, lir.F64
	}
	return tile.F32, lir.F32
}

// matrixInstruction finds the instruction, if there is one, and the layouts that it needs.
func (l *lowerer) matrixInstruction(op *tile.Op, p *product) bool {
	for _, c := range candidates(op, p.sum) {
		info := c.mma.Info()
		if !l.o.Can.MMA.Has(c.mma) || info.K > p.k || l.o.WarpSize != 32 {
			continue
		}
		warpsM, warpsN := l.warpGrid(op, p, info)
		x := layout.MMA{M: info.M, N: info.N, K: info.K, ElemBits: info.Bits}
		d, err := x.Dot(p.batch, p.m, p.n, p.k, warpsM, warpsN)
		if err != nil {
			continue
		}
		p.hasMMA, p.mma, p.elems, p.layouts = true, c.mma, c.elems, d
		p.view = l.ofLayout(&d.C)
		return true
	}
	return false
}

// A candidate is a matrix instruction and the types to which it wants the operands brought, without loss.
type candidate struct {
	mma   lir.MMA
	elems [2]tile.Elem
}

func of(e tile.Elem, list ...lir.MMA) []candidate {
	out := make([]candidate, len(list))
	for i, m := range list {
		out[i] = candidate{m, [2]tile.Elem{e, e}}
	}
	return out
}

// candidates lists the instructions that give what a dot means, the best first. All 8-bit floats are f16 numbers.
func candidates(op *tile.Op, sum lir.Type) []candidate {
	a, b := op.Args[0].Type.Elem(), op.Args[1].Type.Elem()
	attr := op.Attr.(tile.DotAttr)
	switch {
	case sum == lir.F64:
		return of(tile.F64, lir.MMAF64)
	case a == tile.F16:
		return of(tile.F16, lir.MMAF16, lir.MMAF16Half)
	case a == tile.BF16:
		return of(tile.BF16, lir.MMABF16)
	case a == tile.F32 && attr.Precision == tile.TF32:
		return of(tile.F32, lir.MMATF32)
	case a == tile.I8 && attr.Unsigned:
		return of(tile.I8, lir.MMAU8)
	case a == tile.I8:
		return of(tile.I8, lir.MMAS8)
	case a.IsFP8():
		halves := of(tile.F16, lir.MMAF16, lir.MMAF16Half)
		if mma, ok := eightBits[[2]tile.Elem{a, b}]; ok {
			return append([]candidate{{mma, [2]tile.Elem{a, b}}}, halves...)
		}
		return halves
	}
	return nil
}

var eightBits = map[[2]tile.Elem]lir.MMA{
	{tile.F8E4M3, tile.F8E4M3}: lir.MMAE4M3,
	{tile.F8E4M3, tile.F8E5M2}: lir.MMAE4M3E5M2,
	{tile.F8E5M2, tile.F8E4M3}: lir.MMAE5M2E4M3,
	{tile.F8E5M2, tile.F8E5M2}: lir.MMAE5M2,
}

// operand gives the layout of operand i.
func (p *product) operand(i int) *layout.Layout {
	if i == 0 {
		return &p.layouts.A
	}
	return &p.layouts.B
}

// warpGrid divides the warps along m and n. Where the sum becomes an operand of a further dot, or is combined along n, all
// of a row belongs to one warp if there are rows enough; else such that a warp reads as little of the operands as possible.
func (l *lowerer) warpGrid(op *tile.Op, p *product, info lir.MMAInfo) (m, n int) {
	most := max(1, p.m/info.M) // more warps along m would do the same
	if l.rowsStayTogether(op) {
		m = min(l.o.Warps, most)
		return m, l.o.Warps / m
	}
	best := -1
	for wm := 1; wm <= l.o.Warps; wm *= 2 {
		wn := l.o.Warps / wm
		cost := max(info.M, p.m/wm) + max(info.N, p.n/wn)
		if wm > most || wn > max(1, p.n/info.N) {
			cost += 1 << 20 // some would do what others do
		}
		if best < 0 || cost < best {
			best, m, n = cost, wm, wn
		}
	}
	return m, n
}

// rowsStayTogether reports whether a dot's result is, through what is done element by element, reduced or multiplied again.
func (l *lowerer) rowsStayTogether(op *tile.Op) bool {
	for _, r := range l.traits.roots(op) {
		switch r.Code {
		case tile.OpReduce, tile.OpDot:
			return true
		}
	}
	return l.addsToChained(op)
}

// addsToChained reports whether the left operand comes, element by element, from another dot, whose rows stay together then.
func (l *lowerer) addsToChained(op *tile.Op) bool {
	seen := map[*tile.Value]bool{}
	var from func(v *tile.Value) bool
	from = func(v *tile.Value) bool {
		if seen[v] || v.Op == nil {
			return false
		}
		seen[v] = true
		if v.Op.Code == tile.OpDot {
			return true
		}
		if v.Op.Effect() != tile.Pure || !v.Op.Code.IsElementwise() && !moves(v.Op.Code) {
			return false
		}
		return slices.ContainsFunc(v.Op.Args, from)
	}
	return from(op.Args[0])
}

// blocked gives the layout of a sum that threads compute element by element: boxes of 4×4.
func (p *product) blocked(lanes, warps int) layout.Layout {
	own := []int{1, min(4, p.m), min(4, p.n)}
	along := min(lanes, max(1, p.n/own[2]), 8)
	return layout.Blocked([]int{p.batch, p.m, p.n}, []int{2, 1, 0}, own, []int{1, lanes / along, along}, []int{1, warps, 1})
}
