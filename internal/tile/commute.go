package tile

var commutative = [numOps]bool{
	OpAdd: true, OpMul: true, OpAnd: true, OpOr: true, OpXor: true,
	OpMinS: true, OpMinU: true, OpMaxS: true, OpMaxU: true, OpMulHiU: true,
	OpFAdd: true, OpFMul: true, OpFMA: true, OpFMin: true, OpFMax: true,
}

// Commutes reports whether the operation gives the same with its first two operands exchanged.
func (c Code) Commutes() bool { return commutative[c] }

// Commutes reports whether the region of a reduction or scan certainly gives the same with its two groups of
// arguments exchanged: each value that it yields is one operation on the two arguments of its place. A
// target may then combine elements in any order.
func Commutes(region *Block) bool {
	vals := region.Terminator().Args
	for i, v := range vals {
		x, y := region.Args[i], region.Args[len(vals)+i]
		if v.Op == nil || !v.Op.Code.Commutes() || len(v.Op.Args) != 2 {
			return false
		}
		if a := v.Op.Args; (a[0] != x || a[1] != y) && (a[0] != y || a[1] != x) {
			return false
		}
	}
	return true
}
