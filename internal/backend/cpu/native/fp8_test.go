package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// TestExtremaOfFloat8 holds minimum, maximum and clamp of all bits to the checked executor, infinities and the sign of a NaN too: they
// choose an operand as it is.
func TestExtremaOfFloat8(t *testing.T) {
	needOwnCode(t)
	const n = 4096
	random := rand.New(rand.NewPCG(8, 5))
	bits := func() input {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		return input{data: data}
	}
	for e := range fp8s {
		for _, code := range []tile.Code{tile.OpFMin, tile.OpFMax, tile.OpClamp} {
			for _, propagate := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s %v", code, e, propagate), func(t *testing.T) {
					k := newElementKernel(n)
					args := []*tile.Value{k.load(e), k.load(e)}
					if code == tile.OpClamp {
						args = append(args, k.load(e))
					}
					m, err := k.finish(k.Op(code, tile.NaNAttr{Propagate: propagate}, args, args[0].Type).Results[0])
					if err != nil {
						t.Fatal(err)
					}
					in := []input{{data: make([]byte, n)}}
					for range args {
						in = append([]input{bits()}, in...)
					}
					equal(t, m, [3]int32{1, 1, 1}, in...)
				})
			}
		}
	}
}
