package layout

import (
	"os"
	"strings"
	"testing"
)

// TestShown compares the layouts and plans that docs/layouts.md and doc.go show with what is printed.
func TestShown(t *testing.T) {
	shape := []int{8, 8}
	a := Blocked(shape, []int{1, 0}, []int{1, 2}, []int{4, 2}, []int{2, 2})
	tr := a.Permute(TransposedBits(shape, []int{1, 0}))
	sums, _ := a.Project(DimBits(shape, 0)).Distinct()
	tile := []int{64, 64}
	loads := Coalesced(tile, []int{1, 64}, []int{1, 64}, 16, 32, 4)
	dot, err := MMA{16, 8, 16, 16}.Dot(1, 64, 64, 64, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	matrices, ok := PlanMatrices(loads, dot.A, 16, false, 0)
	if !ok {
		t.Fatal("no matrix loads")
	}
	epilogue := Plan(dot.C, loads, 32, 0)
	transposed := Plan(a, tr, 32, 0)
	warp := Blocked([]int{8, 8}, []int{1, 0}, []int{1, 2}, []int{8, 4}, []int{1, 1})
	lanes := Plan(warp, warp.Permute(TransposedBits(shape, []int{1, 0})), 16, 0)
	shown := map[string][]string{
		"layouts.md": {
			a.Describe(shape), a.Table(shape), tr.Describe(shape), sums.Describe(shape[:1]),
			loads.Describe(tile), dot.A.Describe(tile), dot.B.Describe(tile), dot.C.Describe(tile),
			matrices.String(), epilogue.String(), transposed.String(), warp.Describe(shape), lanes.String(),
		},
		"doc.go": {a.Describe(shape), a.Table(shape)},
	}
	for name, texts := range shown {
		path := "../../docs/" + name
		if strings.HasSuffix(name, ".go") {
			path = name
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// As it is printed, whatever stands in front of its lines.
		plain := strings.NewReplacer("\n//\t", "\n", "\n//", "\n", "\n       ", "\n", "\n    A   ", "\n", "\n    B   ", "\n", "\n    C   ", "\n", "\n    ", "\n").Replace(string(text))
		for _, want := range texts {
			if !strings.Contains(plain, want) {
				t.Errorf("%s does not show\n%s", name, want)
			}
		}
	}
}
