package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEverything writes all stages for each target: those that there are, and why others are not.
func TestEverything(t *testing.T) {
	for target, want := range map[string]string{
		"cpu":      "ast.txt index.md kernel.s kernel.tile kernel.ttir metadata.json sema.tile",
		"cuda:90a": "ast.txt index.md kernel.cu kernel.lir kernel.ptx kernel.tile kernel.ttir layout.txt metadata.json sema.tile",
		"xpu":      "ast.txt index.md kernel.lir kernel.spv kernel.spvasm kernel.tile kernel.ttir layout.txt metadata.json sema.tile",
	} {
		dir := filepath.Join(t.TempDir(), "stages")
		code, _, stderr := tegulaCmd(t, "compile", "testdata/one.py", "--sig", "x_ptr=*fp32,out_ptr=*fp32,n=i32", "--target", target, "--emit", "all", "-o", dir)
		if code != 0 {
			t.Fatalf("%s: %d\n%s", target, code, stderr)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != want && !(target == "cpu" && got == strings.Replace(want, "kernel.s ", "", 1)) { // not every processor has machine code
			t.Errorf("%s: %s, want %s", target, got, want)
		}
		index, err := os.ReadFile(filepath.Join(dir, "index.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"| [kernel.tile](kernel.tile) | `tile` |", "| `ttgir` | Triton's own IR with layouts | the target " + target + " has no such stage |"} {
			if !strings.Contains(string(index), text) {
				t.Errorf("%s: no %q in\n%s", target, text, index)
			}
		}
	}
	if code, _, stderr := tegulaCmd(t, "compile", "testdata/one.py", "--sig", "x_ptr=*fp32,out_ptr=*fp32,n=i32", "--emit", "all"); code != exitUsage || !strings.Contains(stderr, "-o") {
		t.Errorf("%d %s", code, stderr)
	}
}
