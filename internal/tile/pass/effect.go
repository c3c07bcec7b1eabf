package pass

import "github.com/tegula-lang/tegula/internal/tile"

// effectOf gives what an operation may do. It is the table's answer but for two
// operations whose attribute decides: a volatile load counts as a write, so that it stays
// in its place, and assembly that is declared pure is.
func effectOf(op *tile.Op) tile.Effect {
	switch a := op.Attr.(type) {
	case tile.LoadAttr:
		if a.Volatile {
			return tile.Writes
		}
	case tile.AsmAttr:
		if a.Pure {
			return tile.Pure
		}
	}
	return op.Code.Effect()
}

func isLoop(op *tile.Op) bool { return op.Code == tile.OpFor || op.Code == tile.OpWhile }
