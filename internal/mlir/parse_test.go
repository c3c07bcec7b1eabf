package mlir_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/mlir"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// TestParse reads what Print gives, and gives the same text again.
func TestParse(t *testing.T) {
	want, err := os.ReadFile("testdata/every.ttir")
	if err != nil {
		t.Fatal(err)
	}
	m, err := mlir.Parse("every.ttir", want)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	got, err := mlir.Print(m, mlir.Options{})
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestParseRefuses has texts with the errors that they give: the category, and a part of the message with its place.
func TestParseRefuses(t *testing.T) {
	kernel := func(body string) string {
		return "module {\n  tt.func public @k(%n: i32, %p: !tt.ptr<f32>) {\n" + body + "\n    tt.return\n  }\n}\n"
	}
	for text, want := range map[string]string{
		"":                                               "k.ttir:1:1: SyntaxError: there is no tt.func",
		"module {":                                       "SyntaxError: there is no tt.func",
		"module { tt.func public @k(":                    "SyntaxError",
		kernel("%0 = arith.addi %n : i32"):               "k.ttir:3:25: SyntaxError: arith.addi takes 2 operands, not 1",
		kernel("%0 = arith.addi %n, %m : i32"):           "k.ttir:3:21: SyntaxError: %m is not defined here",
		kernel("%0 = arith.addi %n, %n : i7"):            "k.ttir:3:26: Unsupported: there is no type i7 here",
		kernel("%0:2 = arith.addi %n, %n : i32"):         "the operation has 1 results, not 2",
		kernel("%0 = arith.addi %n, %n : f32"):           "SyntaxError: k.ttir is no valid module",
		kernel("%0 = tosa.add %n, %n : i32"):             "k.ttir:3:6: Unsupported: the operation tosa.add is not supported",
		kernel("cf.br ^bb1"):                             "k.ttir:3:6: SyntaxError: cf.br stands where a region has one block only",
		kernel("cf.br ^a\n^b:"):                          "SyntaxError: there is no block ^a",
		kernel("cf.br ^a\n^a:\ntt.return\n^a:"):          "k.ttir:6:1: SyntaxError: there are two blocks ^a",
		kernel("^a:\ncf.br ^a\n^b:"):                     "k.ttir:4:1: SyntaxError: the block does not end in a jump",
		kernel("cf.br ^a\n^a:\ntt.return %n : i32\n^b:"): "SyntaxError: the function has 0 results, not 1",
		kernel("cf.br ^a(%n : i32)\n^a:"):                "SyntaxError: the control flow of k: a jump has 1 arguments where the block takes 0",
		kernel("cf.br ^a tt.return\n^a:"):                "k.ttir:3:10: SyntaxError: expected the end of the block after its jump, not \"tt\"",
		kernel("%0 = arith.cmpi eq, %n, %n : i32\nscf.if %0 {\ncf.br ^a\n}\ncf.br ^a\n^a:"):                                                               "k.ttir:5:6: SyntaxError: cf.br stands where a region has one block only",
		kernel("%0 = arith.cmpi eq, %n, %n : i32\ncf.cond_br %0, ^a, ^b\n^a:\n%1 = arith.addi %n, %n : i32\ncf.br ^b\n^b:\n%2 = arith.addi %1, %1 : i32"): "SyntaxError: k.ttir is no valid module",
		kernel("%0 = arith.constant dense<[1, 2]> : tensor<4xi32>"):                                                                                       "k.ttir:3:21: SyntaxError: 4xi32 has 4 elements, not 2",
		kernel("%0 = arith.constant dense<[1, 2> : tensor<2xi32>"):                                                                                        "k.ttir:3:32: SyntaxError: expected \",\" or \"]\"",
		kernel(`%0 = arith.constant dense<"0x123"> : tensor<2xi8>`):                                                                                       "SyntaxError: \"0x123\" are not the bytes of 2xi8",
		kernel("%0 = arith.constant 300 : i8"):                                                                                                            "SyntaxError: 300 is no i8",
		kernel("%0 = arith.mulsi_extended %n, %n : f32"):                                                                                                  "SyntaxError: arith.mulsi_extended takes integers of type f32, not i32",
		kernel("%0 = arith.constant 1 : i32\n%0 = arith.constant 1 : i32"):                                                                                "k.ttir:4:1: SyntaxError: %0 is defined twice",
		kernel("%0 = arith.constant dense<1> : tensor<3xi32>"):                                                                                            "Unsupported: tiles have dimensions that are powers of two",
		kernel("%0 = arith.constant dense<1> : tensor<4xi32, #ttg.blocked>"):                                                                              "Unsupported: tensors with a layout",
		kernel("%0 = arith.constant 1.5 : i32"):                                                                                                           "SyntaxError: 1.5 is no i32",
		kernel(`%0 = tt.extern_elementwise %n {symbol = "__nv_x"} : (i32) -> i32`):                                                                        "Unsupported: the library function __nv_x",
		kernel("scf.if %n {"): "SyntaxError",
		"module {\n  tt.func public @k(%n: i32) {\n    %0 = arith.addi %n, %n : i32\n": "k.ttir:4:1: SyntaxError: the text ends inside tt.func @k",
		kernel(strings.Repeat("scf.if %n {", 300)):                                     "regions lie more than 200 deep",
	} {
		_, err := mlir.Parse("k.ttir", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", text[:min(len(text), 200)], err, want)
		}
	}
}

// oddTexts are bodies of kernels in the forms that only the reader knows.
var oddTexts = []string{
	"cf.cond_br %c, ^a, ^b(%n : i32)\n^a:\n%x = arith.addi %n, %n : i32\ncf.br ^b(%x : i32)\n^b(%y: i32):\ncf.cond_br %c, ^a, ^d\n^d:\ntt.print \": \" {hex = false, isSigned = array<i32: 1>} : %y : i32",
	"cf.cond_br %c, ^a, ^b\n^a:\ncf.br ^b\n^b:\ncf.cond_br %c, ^a, ^e\n^e:",
	"cf.switch %n : i32, [\ndefault: ^a,\n3: ^b(%n : i32)\n]\n^a:\ntt.return\n^b(%x: i32):\ncf.br ^b(%x : i32)\n^d:",
	"%0 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>\n%1 = arith.constant dense<\"0x0102\"> : tensor<2xi8>\n%2 = arith.constant dense<[true, false]> : tensor<2xi1>",
	"%0, %1 = arith.mulsi_extended %n, %n : i32\n%2:2 = arith.addui_extended %n, %n : i32, i1\n%3 = arith.floordivsi %n, %n : i32\n%4 = math.tanh %f : f32\ncf.assert %c, \"x\"",
	"%0 = scf.while (%x = %n) : (i32) -> i32 {\nscf.condition(%c) %x : i32\n} do {\n^bb0(%y: i32):\nscf.yield %y : i32\n}",
}

// FuzzParse looks for texts that the reader cannot bear, or the passes with what it gives.
func FuzzParse(f *testing.F) {
	src, err := os.ReadFile("testdata/every.ttir")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(src))
	for line := range strings.Lines(string(src)) {
		f.Add("tt.func public @k(%n: i32) {\n" + line + "tt.return\n}\n")
	}
	for _, body := range oddTexts {
		f.Add("tt.func public @k(%n: i32, %c: i1, %f: f32, %p: !tt.ptr<f32>) {\n" + body + "\ntt.return\n}\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := mlir.Parse("k.ttir", []byte(text))
		if err != nil {
			var e *diag.Error
			if !errors.As(err, &e) || e.Code == "" {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		if _, err := mlir.Print(m, mlir.Options{Locs: true}); err != nil && !errors.Is(err, diag.Unsupported) {
			t.Error(err)
		}
		pass.Run(m, pass.Options{})
		if err := tile.Verify(m); err != nil {
			t.Errorf("after the passes: %v", err)
		}
	})
}

// TestOddTexts reads them: a fuzzer that starts from what is refused looks in the wrong place.
func TestOddTexts(t *testing.T) {
	for _, body := range oddTexts {
		if _, err := mlir.Parse("k.ttir", []byte("tt.func public @k(%n: i32, %c: i1, %f: f32, %p: !tt.ptr<f32>) {\n"+body+"\ntt.return\n}\n")); err != nil {
			t.Errorf("%s\n%s", body, diag.Detail(err))
		}
	}
}
