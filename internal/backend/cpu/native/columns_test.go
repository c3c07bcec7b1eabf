package native

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// However operands of narrow elements lie in memory, they are brought to panels without gathers and without loops over lanes.
func TestNarrowOperandsAreTransposed(t *testing.T) {
	needNative(t)
	if s, _ := isaOf(options().Features); s.selects != nil {
		t.Skip("for AVX-512")
	}
	for _, in := range []tile.Elem{tile.BF16, tile.F16, tile.I8, tile.I16} {
		acc := tile.F32
		if in.IsInt() {
			acc = tile.I32
		}
		for _, k := range []int{4, 5, 6} {
			for how := range 16 {
				p := product{in: in, acc: acc, m: 5, n: 5, k: k, steps: 3, batch: -1, masked: true, aT: how&1 != 0, bT: how&2 != 0, transA: how&4 != 0, trans: how&8 != 0}
				o, slow := options(), 0
				o.see = func(i *amd64.Inst) {
					switch i.Op {
					case amd64.TZCNT, amd64.VPGATHERDD, amd64.VPGATHERQD:
						slow++
					}
				}
				if _, err := Compile(p.module(), o); err != nil {
					t.Fatal(err)
				}
				if slow > 0 {
					t.Errorf("%+v: %d gathers and loops over lanes", p, slow)
				}
			}
		}
	}
}
