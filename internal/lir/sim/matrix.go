package sim

import (
	"math"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/lir"
)

// elements are the formats of A and B; those that are missing are integers.
var elements = map[lir.MMA][2]dtype.DType{
	lir.MMAF16:      {dtype.Float16, dtype.Float16},
	lir.MMAF16Half:  {dtype.Float16, dtype.Float16},
	lir.MMABF16:     {dtype.BFloat16, dtype.BFloat16},
	lir.MMATF32:     {dtype.Float32, dtype.Float32},
	lir.MMAE4M3:     {dtype.Float8E4M3, dtype.Float8E4M3},
	lir.MMAE4M3E5M2: {dtype.Float8E4M3, dtype.Float8E5M2},
	lir.MMAE5M2E4M3: {dtype.Float8E5M2, dtype.Float8E4M3},
	lir.MMAE5M2:     {dtype.Float8E5M2, dtype.Float8E5M2},
	lir.MMAF64:      {dtype.Float64, dtype.Float64},
}

// tf32 are the bits of an f32 operand that count.
const tf32 = 0xffffe000

// multiply makes the step of a matrix instruction. Sums of products are rounded once; where they are f64, one after another.
//
// Which lane holds what is PTX's definition of mma (PTX ISA, "Matrix Fragments for mma"), for all shapes at once: with g = lane/4 and
// t = lane%4, word w of A is of row g + 8·(w%2) and begins at the word t + 4·(w/2) of that row; word w of B is of column g and begins at the
// word t + 4·w of it; element i of the sum is in row g + 8·(i/2), column 2t + i%2.
func (m *machine) multiply(op *lir.Op) step {
	kind := lir.MMA(op.Mod)
	info := kind.Info()
	nA, nB, nSum := info.Words()
	in, out := m.regList(op.Args), m.regList(op.Results)
	aIn, bIn, cIn := in[:nA], in[nA:nA+nB], in[nA+nB:]
	each := max(32/info.Bits, 1) // elements in a word
	a, b := make([]uint64, info.M*info.K), make([]uint64, info.K*info.N)
	dot := dotOf(kind, info)
	spread := func(word uint64, put func(i int, bits uint64)) {
		for i := range each {
			put(i, word>>(i*info.Bits)&(math.MaxUint64>>(64-info.Bits)))
		}
	}
	return m.byWarp(op, func(_ int, lanes []int32) {
		for lane, th := range lanes {
			g, t := lane/4, lane%4
			for w := range nA {
				spread(aIn[w][th], func(i int, bits uint64) { a[(g+8*(w%2))*info.K+(t+4*(w/2))*each+i] = bits })
			}
			for w := range nB {
				spread(bIn[w][th], func(i int, bits uint64) { b[((t+4*w)*each+i)*info.N+g] = bits })
			}
		}
		for lane, th := range lanes {
			for i := range nSum {
				row, col := lane/4+8*(i/2), 2*(lane%4)+i%2
				out[i][th] = dot(a[row*info.K:][:info.K], b[col:], info.N, cIn[i][th])
			}
		}
	})
}

// dotOf gives the product of a row and a column, of which each stride-th element counts, added to a sum.
func dotOf(kind lir.MMA, info lir.MMAInfo) func(row, col []uint64, stride int, sum uint64) uint64 {
	formats, float := elements[kind]
	if !float {
		return func(row, col []uint64, stride int, sum uint64) uint64 {
			for k, x := range row {
				y := col[k*stride]
				if kind == lir.MMAS8 {
					x, y = uint64(int8(x)), uint64(int8(y))
				}
				sum += x * y
			}
			return sum & info.Sum.Mask()
		}
	}
	d := formatOf(info.Sum)
	of := func(f dtype.DType, bits uint64) float64 {
		if kind == lir.MMATF32 {
			bits &= tf32
		}
		return f.Decode(bits)
	}
	return func(row, col []uint64, stride int, sum uint64) uint64 {
		all := d.Decode(sum)
		for k, x := range row {
			all = math.FMA(of(formats[0], x), of(formats[1], col[k*stride]), all)
		}
		return d.Encode(all)
	}
}

// loadMatrix makes the step of a matrix load.
func (m *machine) loadMatrix(op *lir.Op) step {
	const rows, rowBytes = 8, 16
	n := len(op.Results)
	a := m.access(op, rowBytes)
	a.lanes = rows * n
	d := m.regList(op.Results)
	memory := make([][]byte, a.lanes)
	each := m.byWarp(op, func(_ int, lanes []int32) {
		for l := range memory {
			row, s := a.at(lanes[l])
			if row == nil {
				return
			}
			a.touch(lanes[l], reading, row, s, nil)
			a.touch(lanes[l^1], reading, row, s, nil) // other lanes get what lies there, too
			memory[l] = row
		}
		for i := range d {
			for lane, th := range lanes {
				d[i][th] = fragment(memory[rows*i:][:rows], lane, op.Mod == 1)
			}
		}
	})
	return func(threads []int32) {
		a.begin(threads)
		each(threads)
	}
}

// fragment gives what a lane gets of a matrix of 8 rows of 16 bytes.
func fragment(rows [][]byte, lane int, transposed bool) uint64 {
	if !transposed {
		return word(rows[lane/4][lane%4*4:], 4)
	}
	i, j := lane%4*2, lane/4
	return word(rows[i][2*j:], 2) | word(rows[i+1][2*j:], 2)<<16
}
