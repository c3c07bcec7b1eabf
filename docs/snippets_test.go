package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A block of Go on a page.
var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// prelude is what stands around a block that is no whole file: names that the pages take for granted.
const prelude = `package snippet

import (
	"context"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver/cuda"
)

var _ = cuda.Open

func _(ctx context.Context, k *tegula.Kernel, grid tegula.Grid, n int, bytes []byte) (err error) {
`

// TestSnippets compiles the blocks of Go on the pages: those that begin with a package clause as they are, others inside a function.
func TestSnippets(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	var packages []string
	for _, page := range []string{"../README.md", "cuda.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := goBlock.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			t.Errorf("%s has no Go", page)
		}
		for i, m := range blocks {
			src := m[1]
			if !strings.HasPrefix(src, "package ") {
				src = prelude + src + "\treturn err\n}\n"
			}
			file := filepath.Join(t.TempDir(), "snippet.go")
			write(t, file, []byte(src))
			dir := "snippet_" + strings.TrimSuffix(filepath.Base(page), ".md") + strconv.Itoa(i)
			replace[filepath.Join(root, "docs", dir, "snippet.go")] = file
			if strings.Contains(src, "//go:embed") {
				replace[filepath.Join(root, "docs", dir, "kernels.py")] = filepath.Join(root, "examples", "embed", "kernels.py")
			}
			packages = append(packages, "./docs/"+dir)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	write(t, file, overlay)
	c := exec.Command("go", append([]string{"build", "-overlay", file}, packages...)...)
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
