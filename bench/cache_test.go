package bench

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/target"
	"github.com/tegula-lang/tegula/internal/tile"
)

// TestCPUCache measures whether it would pay to keep what the CPU runs on disk. A program is made
// of functions, so what could be kept is the tile IR after the passes: then the passes are saved, as
// the front end has to run before the key is known, and the IR has to be read and verified.
func TestCPUCache(t *testing.T) {
	rounds := 3
	if *record {
		rounds = 300
	}
	s := &sheet{Title: "What a disk cache would save for the CPU"}
	for _, e := range signatures {
		src, err := os.ReadFile(filepath.Join("..", "examples", e.name+".py"))
		if err != nil {
			t.Fatal(err)
		}
		compile := func() *compiler.Unit { return compileExample(t, e.name, e.sig, src) }
		text, err := compile().Emit("tile")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "entry")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		front := measure(e.name+": front end", 0, rounds, 1, func() { compile() })
		passes := measure(e.name+": front end and passes", 0, rounds, 1, func() {
			if _, err := compile().Emit("tile"); err != nil {
				t.Fatal(err)
			}
		})
		key := measure(e.name+": front end and key", 0, rounds, 1, func() { compile().Identity() })
		read := measure(e.name+": reading tile IR from disk", 0, rounds, 1, func() { readEntry(t, path) })
		m := readEntry(t, path)
		plan := measure(e.name+": making the program", 0, rounds, 1, func() {
			if _, err := cpu.Compile(m, cpu.Options{}); err != nil {
				t.Fatal(err)
			}
		})
		s.Figures = append(s.Figures, front, passes, key, read, plan)
	}
	s.write(t, "cpu-cache")
}

// readEntry reads and verifies the tile IR in a file, and hashes it as the cache does.
func readEntry(t *testing.T, path string) *tile.Module {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sha256.Sum256(text)
	m, err := tile.Parse(path, text)
	if err == nil {
		err = tile.Verify(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// compileExample runs the front end on the kernel of an example.
func compileExample(t *testing.T, name, sig string, src []byte) *compiler.Unit {
	t.Helper()
	mod, err := module.Load(name+".py", src)
	if err != nil {
		t.Fatal(err)
	}
	k, err := launch.FromModule(mod.Kernel(name), func(string) *syntax.File { return mod.File() })
	if err != nil {
		t.Fatal(err)
	}
	u, err := k.Compile(launch.Signature{Text: sig, Eval: func(expr string) (pyval.Value, error) {
		file := syntax.NewFile("signature", []byte(expr))
		e, errs := syntax.ParseExpr(file)
		if errs != nil {
			return nil, errs
		}
		return mod.Eval(e, file, nil)
	}}, target.Target{Backend: "cpu"}, launch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return u
}
