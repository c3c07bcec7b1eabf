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
	mask := uint64(math.MaxUint64) >> (64 - info.Bits)
	ofA, ofB := decoders(kind)
	a, b := make([]float64, info.M*info.K), make([]float64, info.N*info.K) // rows of A, columns of B
	sum := sumOf(info.Sum)
	return m.byWarp(op, func(_ int, lanes []int32) {
		for lane, th := range lanes {
			g, t := lane/4, lane%4
			for w := range nA {
				at := (g+8*(w%2))*info.K + (t+4*(w/2))*each
				for i := range each {
					a[at+i] = ofA(aIn[w][th] >> (i * info.Bits) & mask)
				}
			}
			for w := range nB {
				at := g*info.K + (t+4*w)*each
				for i := range each {
					b[at+i] = ofB(bIn[w][th] >> (i * info.Bits) & mask)
				}
			}
		}
		for lane, th := range lanes {
			for i := range nSum {
				row, col := lane/4+8*(i/2), 2*(lane%4)+i%2
				out[i][th] = sum(a[row*info.K:][:info.K], b[col*info.K:][:info.K], cIn[i][th])
			}
		}
	})
}

// decoders give what numbers the elements of A and B are. All are exact.
func decoders(kind lir.MMA) (a, b func(bits uint64) float64) {
	switch kind {
	case lir.MMAS8:
		a = func(bits uint64) float64 { return float64(int8(bits)) }
		return a, a
	case lir.MMAU8:
		a = func(bits uint64) float64 { return float64(bits) }
		return a, a
	case lir.MMATF32:
		a = func(bits uint64) float64 { return dtype.Float32.Decode(bits & tf32) }
		return a, a
	}
	f := elements[kind]
	return f[0].Decode, f[1].Decode
}

// sumOf gives the product of a row and a column, added to a sum.
func sumOf(t lir.Type) func(row, col []float64, sum uint64) uint64 {
	if t.IsInt() { // the products of 8 bits are exact, and few
		return func(row, col []float64, sum uint64) uint64 {
			var all float64
			for k, x := range row {
				all += x * col[k]
			}
			return (sum + uint64(int64(all))) & t.Mask()
		}
	}
	d := formatOf(t)
	if t == lir.F64 {
		return func(row, col []float64, sum uint64) uint64 {
			all := d.Decode(sum)
			for k, x := range row {
				all = math.FMA(x, col[k], all)
			}
			return d.Encode(all)
		}
	}
	return func(row, col []float64, sum uint64) uint64 {
		all := d.Decode(sum)
		for k, x := range row {
			all += x * col[k]
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
