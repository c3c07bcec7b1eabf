package cudacpp

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
)

// TestEveryOperation: what LIR has is spelled, or Can takes it away and it is listed here.
func TestEveryOperation(t *testing.T) {
	without := map[lir.Code]bool{}
	structured := map[lir.Code]bool{lir.OpFor: true, lir.OpWhile: true, lir.OpIf: true}
	for c := lir.Code(1); c.String() != "bad"; c++ {
		has := structured[c] || statements[c] != nil || expressions[c] != nil
		if has == without[c] {
			t.Errorf("%s: spelled %t, listed %t", c, has, without[c])
		}
	}
}
