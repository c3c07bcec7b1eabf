package pass

import "github.com/tegula-lang/tegula/internal/tile"

// operands are the elements of an operation's constant operands, as bits.
type operands [3]uint64

// A folder computes an operation's element from its operands' elements. It reports false
// if the value is not defined, or not defined exactly.
type folder func(op *tile.Op, x operands) (uint64, bool)

// folders gives the folder of each operation that has one.
var folders = foldersOf(intFolders, floatFolders, castFolders)

func foldersOf(tables ...map[tile.Code]folder) (all [numCodes]folder) {
	for _, t := range tables {
		for c, f := range t {
			all[c] = f
		}
	}
	return all
}

// fold computes op's element if its operands are constants.
func fold(op *tile.Op) (uint64, bool) {
	if folders[op.Code] == nil {
		return 0, false
	}
	var x operands
	for i, a := range op.Args {
		bits, ok := constBits(a)
		if !ok {
			return 0, false
		}
		x[i] = bits
	}
	bits, ok := folders[op.Code](op, x)
	return bits & ones(op.Results[0].Type), ok
}

// foldBits computes what op would give for other operands of the same types.
func foldBits(op *tile.Op, x, y uint64) (uint64, bool) {
	bits, ok := folders[op.Code](op, operands{x, y})
	return bits & ones(op.Results[0].Type), ok
}
