package layout

import "fmt"

// An MMA is the shape of a matrix instruction of one warp: it adds the product of an M×K and a K×N matrix, whose
// elements have ElemBits bits, to an M×N matrix. The lanes of its fragments lie as in NVIDIA's mma.sync (PTX ISA,
// "Matrix multiply-accumulate operation using mma instruction"), for all element types alike: along k a lane holds a
// word of 32 bits, four lanes follow each other, and eight groups of four lanes are along m or n.
//
//	M 16, N 8, K 16: f16, bf16    M 16, N 8, K 8: tf32, and f16 of early processors
//	M 16, N 8, K 32: i8, f8       M 8, N 8, K 4: f64
//
// The accumulator of Hopper's wgmma (M 64, N any) is that of four warps along m, each with 16 rows, and fragments
// repeated along n; its A operand, where it is in registers, likewise: see Groups.
type MMA struct{ M, N, K, ElemBits int }

// A Dot has the layouts of a matrix product's operands and of its accumulator, M×K, K×N and M×N.
type Dot struct{ A, B, C Layout }

// Dot gives the layouts of the product of a tile of m×k and one of k×n elements, for warpsM warps along m times warpsN along n.
// Fragments repeat in further registers, first along k, then along n or m. Warps that a tile has no rows or columns for
// repeat what others do. Where batch is more than 1, the tiles have a first dimension of that size, which is that of registers.
func (x MMA) Dot(batch, m, n, k, warpsM, warpsN int) (Dot, error) {
	if k < x.K {
		return Dot{}, fmt.Errorf("layout: a product over %d elements: the instruction takes %d", k, x.K)
	}
	word := log2(max(1, 32/x.ElemBits))
	var a, b, c fragment
	a.size(batch, m, k)
	b.size(batch, k, n)
	c.size(batch, m, n)

	// A word of each lane, and of the accumulator two columns.
	a.columns(Register, word)
	b.rows(Register, word)
	c.columns(Register, 1)
	a.columns(Lane, 2)
	b.rows(Lane, 2)
	c.columns(Lane, 2)
	a.rows(Lane, 3)
	b.columns(Lane, 3)
	c.rows(Lane, 3)
	// The rest of the instruction.
	a.rows(Register, log2(x.M)-3)
	c.rows(Register, log2(x.M)-3)
	rest := log2(x.K) - word - 2
	a.columns(Register, rest)
	b.rows(Register, rest)
	// Warps.
	a.rows(Warp, log2(warpsM))
	c.rows(Warp, log2(warpsM))
	b.nothing(Warp, log2(warpsM))
	b.columns(Warp, log2(warpsN))
	c.columns(Warp, log2(warpsN))
	a.nothing(Warp, log2(warpsN))
	return Dot{a.finish(true), b.finish(false), c.finish(true)}, nil
}

// Groups gives the layouts of A, where it is in registers, and of the sum of a product that warp groups of four warps do (wgmma), groupsM along m
// times groupsN along n: each has 16 rows of 64 in a warp, of all its columns, then those of further 64 rows. B is in shared memory. m is at least
// 64·groupsM and n at least 8·groupsN.
func (x MMA) Groups(batch, m, n, k, groupsM, groupsN int) (Dot, error) {
	if k < x.K || m < 64*groupsM || n < 8*groupsN {
		return Dot{}, fmt.Errorf("layout: a product of %d×%d×%d by %d×%d warp groups", m, n, k, groupsM, groupsN)
	}
	word := log2(max(1, 32/x.ElemBits))
	var a, c fragment
	a.size(batch, m, k)
	c.size(batch, m, n)
	a.columns(Register, word)
	c.columns(Register, 1)
	a.columns(Lane, 2)
	c.columns(Lane, 2)
	a.rows(Lane, 3)
	c.rows(Lane, 3)
	a.rows(Register, 1)
	c.rows(Register, 1)
	a.rows(Warp, 2+log2(groupsM))
	c.rows(Warp, 2+log2(groupsM))
	a.columns(Register, log2(k)-word-2)
	c.columns(Register, log2(n/groupsN)-3)
	a.nothing(Warp, log2(groupsN))
	c.columns(Warp, log2(groupsN))
	return Dot{A: a.finish(true), C: c.finish(true)}, nil
}

// A fragment is a layout of a matrix in the making: bits of rows and columns are handed out, the lowest first.
type fragment struct {
	n           int
	row, column []uint64 // what is left
	batch       []uint64
	bases       [NumIns][MaxBits]uint64
	lens        [NumIns]int
	vectors     [MaxBits]uint64
}

func (f *fragment) size(batch, rows, columns int) {
	f.n = log2(batch) + log2(rows) + log2(columns)
	for i := range f.n {
		f.vectors[i] = 1 << i
	}
	r, b := log2(columns), log2(columns)+log2(rows)
	f.column, f.row, f.batch = f.vectors[:r], f.vectors[r:b], f.vectors[b:f.n]
}

func (f *fragment) add(in In, v uint64) {
	f.bases[in][f.lens[in]] = v
	f.lens[in]++
}

func (f *fragment) take(in In, from *[]uint64, n int) {
	for range n {
		if len(*from) == 0 {
			f.add(in, 0)
			continue
		}
		f.add(in, (*from)[0])
		*from = (*from)[1:]
	}
}

func (f *fragment) rows(in In, n int)    { f.take(in, &f.row, n) }
func (f *fragment) columns(in In, n int) { f.take(in, &f.column, n) }
func (f *fragment) nothing(in In, n int) {
	for range n {
		f.add(in, 0)
	}
}

// finish puts what is left into registers, the columns first if so said, else the rows.
func (f *fragment) finish(columnsFirst bool) Layout {
	first, second := f.row, f.column
	if columnsFirst {
		first, second = second, first
	}
	for _, rest := range [][]uint64{first, second, f.batch} {
		for _, v := range rest {
			f.add(Register, v)
		}
	}
	l := Layout{m: Matrix{out: uint8(f.n)}}
	for in := range In(NumIns) {
		for _, v := range f.bases[in][:f.lens[in]] {
			l.push(v)
		}
		l.close(in)
	}
	return l
}
