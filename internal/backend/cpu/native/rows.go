package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Where the lanes are neighbours along the axis, the lanes of a row have to be combined at its end, four times two vectors of which half is of no use. So what 16 rows have
// accumulated is put aside, then combined as a tree whose vectors have lanes of two, four, eight and 16 rows, which is 15 times, and all lanes are results:
//
//	row 0   a b c d …  ─┐ a c A C …        ab  cd  AB  CD …  ─┐
//	row 1   A B C D …  ─┘ b d B D …  ─▶    rows 2 and 3      ─┘ ─▶  abcd  ABCD …  of four rows
//
// Each result is combined in the same order as that of a row alone.

// turns reports whether reductions whose lanes are neighbours along the axis are done 16 rows at a time: 2^rows of them.
func (m *isa) turns(ops []*tile.Op, rows int) bool {
	if m.selects != nil || rows < m.laneBits {
		return false
	}
	for _, op := range ops {
		if t := op.Args[0].Type; len(op.Args) != 1 || t.IsBool() || t.ElemBits() == 64 {
			return false
		}
	}
	return true
}

// reduceRows does reductions of one shape along the last axis. results are the nest's bits that number rows.
func (x *nest) reduceRows(ops []*tile.Op, jobs []job, inner [2]int, results []int) {
	g := x.g
	low, n := results[0], len(results)
	var outer [][2]int
	if n > g.laneBits {
		outer = append(outer, [2]int{low + g.laneBits, low + n})
		x.open(outer[0][0], outer[0][1])
	}
	x.open(low, low+g.laneBits)
	aside := g.alloc(len(ops) * g.lanes * g.vectorBytes)
	x.reduceInner(ops, jobs, inner, func(i int, outs []*val) {
		x.on(x.depth(), func() {
			row := g.copyG(x.counters[x.depth()])
			if by := logOf(int64(g.vectorBytes)) - low; by > 0 {
				g.op3(amd64.SHLI, row, none, none, int64(by))
			} else if by < 0 {
				g.op3(amd64.SHRI, row, none, none, int64(-by))
			}
			g.store(amd64.VMOVUPSst, x.asVec(outs[0])[0], amd64.Mem{Base: amd64.RDI, Index: row, Scale: 1, Disp: int32(aside + i*g.lanes*g.vectorBytes)})
		})
	})
	x.close(g.lanes, low)
	// From here on lanes are rows.
	x.memo, x.numbers = map[memoKey]*val{}, map[view]*val{}
	for i := range g.laneBits {
		x.count(low+i, i)
	}
	for i, op := range ops {
		g.loc, g.at = op.Loc, op
		out := x.combined16(op, aside+i*g.lanes*g.vectorBytes, 0, g.laneBits)
		x.write(g.bufs[op.Results[0]], x.viewOf(results), out)
	}
	x.closeAll(outer)
}

// combined16 gives what the 2^log rows from first on have accumulated, each row's lanes combined until there are 16 of all together. Those of a row lie at off.
func (x *nest) combined16(op *tile.Op, off, first, log int) *val {
	g := x.g
	d := newVal(op.Args[0].Type)
	d.level, d.quiet = x.depth(), extreme(op)
	if log == 0 {
		x.on(d.level, func() {
			d.v[0] = g.vec()
			g.load(amd64.VMOVUPS, d.v[0], amd64.At(amd64.RDI, int32(off+first*g.vectorBytes)))
		})
		return d
	}
	a, b := x.combined16(op, off, first, log-1), x.combined16(op, off, first+1<<(log-1), log-1)
	shuffle := amd64.VSHUFPS // of lanes in each quarter
	if log > 2 {
		shuffle = amd64.VSHUFF32X4 // of quarters
	}
	half := func(imm int64) *val {
		h := *d
		x.on(d.level, func() { h.v[0] = g.rvmi(shuffle, a.v[0], b.v[0], imm) })
		return &h
	}
	const even, odd = 0x88, 0xdd
	out := *x.region(op.Regions[0], []*val{half(even), half(odd)})[0]
	out.t = d.t
	out.v = x.asVec(&out)
	return &out
}
