package libm

import (
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// TestAll compiles every function that has a text, for both types.
func TestAll(t *testing.T) {
	for name := range functions() {
		base, isWide := strings.CutSuffix(name, "_f64")
		if !isWide || strings.HasPrefix(name, "_") {
			continue
		}
		for _, e := range []tile.Elem{tile.F32, tile.F64} {
			operands := []tile.Elem{e}
			if base == "jn" || base == "yn" {
				operands = []tile.Elem{tile.I32}
			}
			for len(operands) < len(functions()[name].Def.Args.Args) {
				operands = append(operands, e)
			}
			f, err := Func(base, operands)
			if err != nil {
				t.Errorf("%s of %v: %v", base, operands, err)
				continue
			}
			if end := f.Body.Terminator(); end.Code != tile.OpReturn || len(end.Args) != 1 || end.Args[0].Type != tile.Scalar(e) {
				t.Errorf("%s of %v does not end in its result", base, operands)
			}
		}
	}
	if _, err := Func("nothing", []tile.Elem{tile.F32}); err == nil {
		t.Error("a function without a text was found")
	}
}
