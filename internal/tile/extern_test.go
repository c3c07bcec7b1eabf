package tile

import (
	"slices"
	"testing"
)

// TestExternFuncs checks the table: each function once, each form with a type and a symbol that tells it from the
// forms of other results.
func TestExternFuncs(t *testing.T) {
	seen := make(map[string]bool)
	for _, fn := range ExternFuncs() {
		if seen[fn.Name] || len(fn.Forms) == 0 {
			t.Errorf("%s is there twice, or without forms", fn.Name)
		}
		seen[fn.Name] = true
		for _, f := range fn.Forms {
			params, result := f.Elems()
			if result == NoElem || len(params) != len(fn.Forms[0].Params) || slices.Contains(params, NoElem) {
				t.Errorf("%s: a form %s", fn.Name, f)
			}
			for _, g := range externSymbols[f.Symbol] {
				if p, r := g.Elems(); slices.Equal(p, params) && r != result {
					t.Errorf("%s of %s gives %s and %s", f.Symbol, f, result, r)
				}
			}
		}
	}
	if forms := externSymbols["umulhi"]; len(forms) != 2 || forms[0].String() != "(i32, i32) to i32" {
		t.Errorf("umulhi has the forms %v", forms)
	}
}
