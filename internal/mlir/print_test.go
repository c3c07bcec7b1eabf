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
		"(%x: f8e4m3fz)\n%y = fneg %x : f8e4m3fz":                                                       "f8e4m3fz",
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
