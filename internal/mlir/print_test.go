package mlir_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/mlir"
	"github.com/tegula-lang/tegula/internal/tile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPrint compares texts with golden files. An oracle test has Triton read them.
func TestPrint(t *testing.T) {
	files, err := filepath.Glob("testdata/*.tile")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tile.Parse(file, src)
		if err != nil {
			t.Fatal(diag.Detail(err))
		}
		got, err := mlir.Print(m, mlir.Options{})
		if err != nil {
			t.Fatal(diag.Detail(err))
		}
		golden := strings.TrimSuffix(file, ".tile") + ".ttir"
		if *update {
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// What the dialects have no words for is refused by name.
func TestRefused(t *testing.T) {
	for body, want := range map[string]string{
		"(%p: ptr<ptr<f32>>)": "ptr<ptr<f32>>",
		"(%p: ptr<f8e4b15>)":  "ptr<f8e4b15>",
		"(%a: 16x16xi8, %b: 16x16xi8, %c: 16x16xi32)\n%d = dot %a, %b, %c {tf32, unsigned} : 16x16xi32": "unsigned",
		"(%d: desc<1x64xi64>, %i: 8xi32, %c: i32)\n%y = desc_gather %d, %i, %c : 8x64xi64":              "gather of elements of 64 bits",
		"(%p: ptr<f16>, %x: f16)\n%o = atomic_rmw %p, %x {fmax} : f16":                                  "f16",
	} {
		signature, ops, _ := strings.Cut(body, "\n")
		m, err := tile.Parse("k.tile", []byte("func @k"+signature+" -> () {\n"+ops+"\nreturn\n}\n"))
		if err != nil {
			t.Fatal(diag.Detail(err))
		}
		_, err = mlir.Print(m, mlir.Options{})
		if !errors.Is(err, diag.Unsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestOld has the forms that Triton 3.6 reads where those of 3.9 are others.
func TestOld(t *testing.T) {
	const src = `func @k(%p: ptr<f32>, %x: f32, %m: i32, %n: i64) -> () {
  %0 = fneg %x : f32
  store %p, %0 {evict = first}
  %1 = make_desc %p, %m, %m, %n, %n : desc<8x16xf32>
  %2 = desc_load %1, %m, %m : 8x16xf32
  return
}
`
	m, err := tile.Parse("k.tile", []byte(src))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	for old, forms := range map[bool][]string{
		true:  {"arith.constant -0.000000e+00 : f32", "arith.subf", "tt.store %p, %1 evictionPolicy = evict_first :", ": <f32>, <tensor<8x16xf32>>", ": !tt.tensordesc<tensor<8x16xf32>> ->"},
		false: {"arith.negf", "cachePolicy", ": <f32>, <8x16xf32>", ": !tt.tensordesc<8x16xf32> ->"},
	} {
		got, err := mlir.Print(m, mlir.Options{Old: old})
		if err != nil {
			t.Fatal(diag.Detail(err))
		}
		for _, form := range forms {
			if !strings.Contains(string(got), form) {
				t.Errorf("old %t: no %q in\n%s", old, form, got)
			}
		}
		if _, err := mlir.Parse("k.ttir", got); err != nil {
			t.Errorf("old %t: %s", old, diag.Detail(err))
		}
	}
}
