package sim

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/lir"
)

// copied has each thread copy 16 bytes from global to shared memory and read its neighbour's, and steps in between.
func copied(t *testing.T, between ...*lir.Op) *lir.Func {
	t.Helper()
	k := newKernel(1)
	in, out := k.pointer("in"), k.pointer("out")
	s := k.f.NewShared(16*32, 16)
	at := k.do(lir.OpMul, k.thread(), k.I32(16))
	some := k.less(k.thread(), k.I32(30))
	k.CopyAsync(lir.Mem{Space: lir.Shared, Buffer: s}, lir.Mem{}, 16, at, some, k.at(in, k.thread(), 16))
	for _, op := range between {
		k.Emit(&lir.Op{Code: op.Code, Imm: op.Imm})
	}
	v := k.Load(lir.Mem{Space: lir.Shared, Buffer: s}, lir.I32, 1, k.do(lir.OpXor, at, k.I32(16)), nil, nil)
	k.Store(lir.Mem{}, k.at(out, k.thread(), 4), nil, v...)
	return k.finish(t, false)
}

func TestAsynchronousCopies(t *testing.T) {
	in, out := words(4*32), words(32)
	for i := range 32 {
		binary.LittleEndian.PutUint32(in[16*i:], uint32(i+100))
	}
	commit, wait, late := &lir.Op{Code: lir.OpCopyCommit}, &lir.Op{Code: lir.OpCopyWait}, &lir.Op{Code: lir.OpCopyWait, Imm: 1}
	sync := &lir.Op{Code: lir.OpWarpSync}
	f := copied(t, commit, wait, sync)
	f.Body.Walk(func(op *lir.Op) {
		if op.Code == lir.OpWarpSync {
			op.Code = lir.OpBarrier
		}
	})
	run(t, f, Arg{Array: in}, Arg{Array: out})
	for i := range 32 {
		want := uint32(i^1) + 100
		if i >= 30 {
			want = 0
		}
		if get(out, i) != want {
			t.Errorf("thread %d has %d, want %d", i, get(out, i), want)
		}
	}
	for what, between := range map[string][]*lir.Op{
		"no wait": {commit, sync}, "no group": {wait, sync}, "a wait for less": {commit, late, sync}, "no barrier": {commit, wait}, "the barrier first": {commit, sync, wait},
	} {
		t.Run(what, func(t *testing.T) { refused(t, copied(t, between...), "race", Arg{Array: in}, Arg{Array: out}) })
	}
	refused(t, copied(t, commit, wait, sync), "out-of-bounds", Arg{Array: in[:29*16]}, Arg{Array: out})
}

// Matrices go through memory to the lanes, as instructions have them; the product is compared with that of the numbers.
func TestMatrixInstructions(t *testing.T) {
	for kind := lir.MMAF16; kind.Info().Name != "?"; kind++ {
		t.Run(kind.String(), func(t *testing.T) { multiplies(t, kind) })
	}
}

// operand makes a matrix of small numbers, and their bits in a format; without one they are integers.
func operand(r *rand.Rand, n int, d dtype.DType) (numbers []float64, codes []uint64) {
	numbers, codes = make([]float64, n), make([]uint64, n)
	for i := range numbers {
		numbers[i] = float64(r.IntN(7))
		codes[i] = uint64(numbers[i])
		if d != dtype.Invalid {
			numbers[i] -= 3
			codes[i] = d.Encode(numbers[i])
		}
	}
	return numbers, codes
}

func multiplies(t *testing.T, kind lir.MMA) {
	info := kind.Info()
	nA, nB, nSum := info.Words()
	r := rand.New(rand.NewPCG(1, uint64(kind)))
	formats := elements[kind]
	a, aCodes := operand(r, info.M*info.K, formats[0])
	b, bCodes := operand(r, info.K*info.N, formats[1])
	each := max(32/info.Bits, 1)

	k := newKernel(1)
	aIn, bIn, out := k.pointer("a"), k.pointer("b"), k.pointer("out")
	size := info.Operand().Bytes()
	load := func(p *lir.Value, n int) []*lir.Value {
		var list []*lir.Value
		for w := range n {
			m := lir.Mem{Offset: int64(32 * size * w)}
			list = append(list, k.Load(m, info.Operand(), 1, k.at(p, k.thread(), size), nil, nil)...)
		}
		return list
	}
	one := k.Const(info.Sum, 1)
	if info.Sum.IsFloat() {
		one = k.Const(info.Sum, formatOf(info.Sum).Encode(1))
	}
	sums := make([]*lir.Value, nSum)
	for i := range sums {
		sums[i] = one
	}
	for i, v := range k.MMA(kind, load(aIn, nA), load(bIn, nB), sums) {
		k.Store(lir.Mem{Offset: int64(32 * info.Sum.Bytes() * i)}, k.at(out, k.thread(), info.Sum.Bytes()), nil, v)
	}
	fill := func(words int, place func(lane, w, e int) uint64) []byte {
		mem := aligned(32 * words * size)
		for lane := range 32 {
			for w := range words {
				var x uint64
				for e := range each {
					x |= place(lane, w, e) << (e * info.Bits)
				}
				putWord(mem[(32*w+lane)*size:], x, size)
			}
		}
		return mem
	}
	aMem := fill(nA, func(lane, w, e int) uint64 { return aCodes[(lane/4+8*(w&1))*info.K+(lane%4+4*(w>>1))*each+e] })
	bMem := fill(nB, func(lane, w, e int) uint64 { return bCodes[((lane%4+4*w)*each+e)*info.N+lane/4] })
	dst := aligned(32 * nSum * info.Sum.Bytes())
	run(t, k.finish(t, true), Arg{Array: aMem}, Arg{Array: bMem}, Arg{Array: dst})
	for lane := range 32 {
		for i := range nSum {
			row, col := lane/4+8*(i/2), lane%4*2+i%2
			want := 1.0
			for n := range info.K {
				want += a[row*info.K+n] * b[n*info.N+col]
			}
			bits := word(dst[(32*i+lane)*info.Sum.Bytes():], info.Sum.Bytes())
			got := float64(int32(bits))
			if info.Sum.IsFloat() {
				got = formatOf(info.Sum).Decode(bits)
			}
			if got != want {
				t.Fatalf("row %d, column %d is %g, want %g", row, col, got, want)
			}
		}
	}
}

// aligned is an array aligned to 16 bytes.
func aligned(bytes int) []byte { return words((bytes + 3) / 4)[:bytes] }

// A matrix load gives words, or transposed 16-bit elements, of rows whose addresses some lanes give.
func TestMatrixLoads(t *testing.T) {
	for _, transposed := range []bool{false, true} {
		for _, n := range []int{1, 2, 4} {
			k := newKernel(1)
			out := k.pointer("out")
			s := k.f.NewShared(16*32, 16)
			m := lir.Mem{Space: lir.Shared, Buffer: s}
			at := k.do(lir.OpMul, k.thread(), k.I32(16))
			var vals []*lir.Value
			for j := range 4 { // 16-bit element e of row r is 8r + e
				lo := k.do(lir.OpAdd, k.do(lir.OpMul, k.thread(), k.I32(8)), k.I32(2*j))
				hi := k.Pure(lir.OpShl, 0, lir.I32, 0, k.do(lir.OpAdd, lo, k.I32(1)), k.I32(16))
				vals = append(vals, k.do(lir.OpOr, lo, hi))
			}
			k.Store(m, at, nil, vals...)
			for i, v := range k.LoadMatrix(m, transposed, n, at) {
				k.Store(lir.Mem{Offset: int64(128 * i)}, k.at(out, k.thread(), 4), nil, v)
			}
			f := k.finish(t, true)
			dst := words(32 * n)
			result := run(t, f, Arg{Array: dst})
			for i := range n {
				for lane := range 32 {
					row, e := 8*i+lane/4, lane%4*2
					want := uint32(8*row+e) | uint32(8*row+e+1)<<16
					if transposed {
						row, e = 8*i+lane%4*2, lane/4
						want = uint32(8*row+e) | uint32(8*(row+1)+e)<<16
					}
					if got := get(dst, 32*i+lane); got != want {
						t.Fatalf("%d matrices, transposed %t: matrix %d, lane %d is %#x, want %#x", n, transposed, i, lane, got, want)
					}
				}
			}
			for _, a := range result.Accesses {
				if a.Op.Code == lir.OpLoadMatrix && (a.Moved != int64(n) || a.Excess() != 1) {
					t.Error(a.String())
				}
			}
			withoutBarriers(f.Body)
			refused(t, f, "race", Arg{Array: dst})
		}
	}
}

// The lowest digits of f32 operands do not count.
func TestTF32(t *testing.T) {
	of, _ := decoders(lir.MMATF32)
	if got := of(uint64(math.Float32bits(1.0009765625 + 1e-7*3))); got != 1.0009765625 {
		t.Errorf("%g", got)
	}
}
