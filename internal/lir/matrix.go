package lir

import "fmt"

// An MMA is a matrix instruction of one warp: the product of an M×K and a K×N matrix, added to an M×N matrix. Which lane holds which
// elements of them is layout.MMA's; a lane holds elements of A and B along k in words of 32 bits, as I32, the first lowest
// (of MMAF64, as F64). The operands of OpMMA are the words of A, those of B and the elements of the sum.
type MMA uint8

// The matrix instructions.
const (
	MMAF16      MMA = iota
	MMAF16Half      // with half as many elements along k
	MMABF16         //
	MMATF32         // of f32 operands the 19 highest bits count
	MMAS8           // wraps
	MMAU8           //
	MMAE4M3         //
	MMAE4M3E5M2     // A is of the first format, B of the second
	MMAE5M2E4M3     //
	MMAE5M2         //
	MMAF64          //
	numMMAs
)

// An MMASet is a set of matrix instructions: those that a target has.
type MMASet uint32

// MMAs gives the set of some.
func MMAs(list ...MMA) MMASet {
	var s MMASet
	for _, m := range list {
		s |= 1 << m
	}
	return s
}

// Has reports whether m is in the set.
func (s MMASet) Has(m MMA) bool { return s>>m&1 != 0 }

// An MMAInfo says what a matrix instruction takes.
type MMAInfo struct {
	Name    string
	M, N, K int
	Bits    int  // of an element of A and B
	Sum     Type // of an element of the sum
}

var mmaTable = [numMMAs]MMAInfo{
	MMAF16:      {"f16", 16, 8, 16, 16, F32},
	MMAF16Half:  {"f16.k8", 16, 8, 8, 16, F32},
	MMABF16:     {"bf16", 16, 8, 16, 16, F32},
	MMATF32:     {"tf32", 16, 8, 8, 32, F32},
	MMAS8:       {"s8", 16, 8, 32, 8, I32},
	MMAU8:       {"u8", 16, 8, 32, 8, I32},
	MMAE4M3:     {"e4m3", 16, 8, 32, 8, F32},
	MMAE4M3E5M2: {"e4m3.e5m2", 16, 8, 32, 8, F32},
	MMAE5M2E4M3: {"e5m2.e4m3", 16, 8, 32, 8, F32},
	MMAE5M2:     {"e5m2", 16, 8, 32, 8, F32},
	MMAF64:      {"f64", 8, 8, 4, 64, F64},
}

// Info gives the facts.
func (m MMA) Info() MMAInfo {
	if m >= numMMAs {
		return MMAInfo{Name: "?"}
	}
	return mmaTable[m]
}

// String gives the name in the text form.
func (m MMA) String() string { return m.Info().Name }

// Operand gives the type of a word of A and B.
func (i MMAInfo) Operand() Type {
	if i.Bits == 64 {
		return F64
	}
	return I32
}

// Words gives how many words of A and of B a lane holds, and how many elements of the sum.
func (i MMAInfo) Words() (a, b, sum int) {
	word := max(i.Bits, 32) * 32 // bits of all lanes
	return i.M * i.K * i.Bits / word, i.K * i.N * i.Bits / word, i.M * i.N / 32
}

func multiplies(op *Op) error {
	if MMA(op.Mod) >= numMMAs {
		return fmt.Errorf("is no matrix instruction")
	}
	info := MMA(op.Mod).Info()
	a, b, sum := info.Words()
	if len(op.Args) != a+b+sum || len(op.Results) != sum {
		return fmt.Errorf("has %d operands and %d results, not %d and %d", len(op.Args), len(op.Results), a+b+sum, sum)
	}
	if err := allOf(op.Args[:a+b], info.Operand()); err != nil {
		return err
	}
	if err := allOf(op.Args[a+b:], info.Sum); err != nil {
		return err
	}
	return allOf(op.Results, info.Sum)
}

func loadsMatrices(op *Op) error {
	rest, err := access(op)
	if err != nil {
		return err
	}
	if n := len(op.Results); op.Mem.Space != Shared || op.Mem.Pred || len(rest) != 0 || n != 1 && n != 2 && n != 4 {
		return fmt.Errorf("reads %d matrices from %s memory", len(op.Results), op.Mem.Space)
	}
	return allOf(op.Results, I32)
}

func copiesAsync(op *Op) error {
	rest, err := access(op)
	if err != nil {
		return err
	}
	if op.Mem.Space != Shared || op.From == nil || op.From.Space != Global {
		return fmt.Errorf("copies from global to shared memory")
	}
	if op.Imm != 4 && op.Imm != 8 && op.Imm != 16 {
		return fmt.Errorf("copies %d bytes", op.Imm)
	}
	if len(rest) != 1 || rest[0].Type != I64 {
		return fmt.Errorf("has no address in global memory")
	}
	return nil
}

// MMA makes a matrix instruction.
func (b *Builder) MMA(m MMA, a, bb, sum []*Value) []*Value {
	args := append(append(append(make([]*Value, 0, len(a)+len(bb)+len(sum)), a...), bb...), sum...)
	return b.Emit(&Op{Code: OpMMA, Mod: uint8(m), Args: args}, types(sum)...)
}

// LoadMatrix reads 1, 2 or 4 matrices of 8 rows of 16 bytes of shared memory, see the code.
func (b *Builder) LoadMatrix(m Mem, transposed bool, n int, addr *Value) []*Value {
	op := &Op{Code: OpLoadMatrix, Args: []*Value{addr}, Mem: &m}
	if transposed {
		op.Mod = 1
	}
	results := make([]Type, n)
	for i := range results {
		results[i] = I32
	}
	return b.Emit(op, results...)
}

// CopyAsync begins a copy of 4, 8 or 16 bytes from global to shared memory; zeros if there is a pred that does not hold.
func (b *Builder) CopyAsync(to, from Mem, bytes int, addr, pred, source *Value) {
	args := []*Value{addr}
	if pred != nil && !pred.IsConstBits(1) {
		to.Pred = true
		args = append(args, pred)
	}
	b.Emit(&Op{Code: OpCopyAsync, Args: append(args, source), Mem: &to, From: &from, Imm: int64(bytes)})
}
