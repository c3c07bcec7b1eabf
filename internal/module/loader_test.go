package module

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// program files: a package with __init__.py, one without, a script beside both.
var tree = fstest.MapFS{
	"src/pkg/__init__.py":     {Data: []byte("from .core import BASE\n")},
	"src/pkg/core.py":         {Data: []byte("BASE = 40\n")},
	"src/pkg/sub/__init__.py": {Data: []byte("")},
	"src/pkg/sub/k.py": {Data: []byte(`
from pkg import BASE
from ..core import BASE as same
from . import near
from .. import core
import pkg.sub.near as far
import nowhere
from ....outside import x
A = BASE + same + near.ONE + core.BASE + far.ONE
B = nowhere.y
C = x
`)},
	"src/pkg/sub/near.py":  {Data: []byte("from . import k\nONE = 1\nback = k.BASE\n")},
	"src/pkg/sub/wrong.py": {Data: []byte("def (:\n")},
	"ns/deep/a.py":         {Data: []byte("from ns.other.b import V\nW = V + 1\n")},
	"ns/other/b.py":        {Data: []byte("V = 1\n")},
	"script.py":            {Data: []byte("import helper\nfrom src.pkg.sub.wrong import z\nV = helper.V\nZ = z\n")},
	"helper.py":            {Data: []byte("V = 3\n")},
}

func readTree(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	return tree.ReadFile(name)
}

func TestLoaderFindsModules(t *testing.T) {
	l := &Loader{Read: readTree}
	for _, c := range []struct{ file, name, want string }{
		{"src/pkg/sub/k.py", "A", "122"},
		{"src/pkg/sub/near.py", "back", "40"},
		{"ns/deep/a.py", "W", "2"},
		{"script.py", "V", "3"},
	} {
		m, err := l.Load(c.file)
		if err != nil {
			t.Fatal(err)
		}
		if got := look(t, m, c.name); got != c.want {
			t.Errorf("%s of %s is %s, want %s", c.name, c.file, got, c.want)
		}
	}
	for _, c := range []struct{ file, name, want string }{
		{"src/pkg/sub/k.py", "B", "module 'nowhere' is not available"},
		{"src/pkg/sub/k.py", "C", "CompileError: 'C' cannot be known: it comes from ....outside.x, and there is neither outside.py nor outside/__init__.py"},
		{"script.py", "Z", "module 'src.pkg.sub.wrong' cannot be loaded"},
	} {
		m, err := l.Load(c.file)
		if err != nil {
			t.Fatal(err)
		}
		if got := look(t, m, c.name); !strings.Contains(got, c.want) {
			t.Errorf("%s of %s is %s, want %s", c.name, path.Base(c.file), got, c.want)
		}
	}
}

func TestLoaderReadsAFileOnce(t *testing.T) {
	reads := map[string]int{}
	l := &Loader{Read: func(name string) ([]byte, error) {
		data, err := readTree(name)
		if err == nil {
			reads[name]++
		}
		return data, err
	}}
	for _, name := range []string{"A", "B", "C"} {
		m, err := l.Load("src/pkg/sub/k.py")
		if err != nil {
			t.Fatal(err)
		}
		look(t, m, name)
	}
	if n := reads["src/pkg/core.py"]; n != 1 {
		t.Errorf("core.py was read %d times", n)
	}
}

// TestLoaderAsksOnce: what was looked for in vain is not looked for again, and packages are found without
// reading them.
func TestLoaderAsksOnce(t *testing.T) {
	reads := map[string]int{}
	l := &Loader{
		Read: func(name string) ([]byte, error) {
			reads[name]++
			return readTree(name)
		},
		Exists: func(name string) bool {
			_, err := readTree(name)
			return err == nil
		},
	}
	for _, name := range []string{"src/pkg/sub/k.py", "src/pkg/sub/near.py"} {
		m, err := l.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for _, name := range m.Names() {
				look(t, m, name)
			}
		}
	}
	for _, name := range []string{"a", "b"} { // other modules that import the same
		m, err := l.find("src/pkg/"+name+".py", "nowhere", 0)
		if m != nil || err == nil {
			t.Errorf("nowhere is %v, %v", m, err)
		}
	}
	for name, n := range reads {
		if n > 1 || name == "src/__init__.py" {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	if _, err := l.Load("none.py"); err == nil || reads["none.py"] != 1 {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestLoaderIsBounded: there is a package around every package, and an import with a million dots.
func TestLoaderIsBounded(t *testing.T) {
	asked := 0
	l := &Loader{
		Read:   func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		Exists: func(string) bool { asked++; return true },
	}
	for _, from := range []string{"a/b.py", "/a/b.py", "../a.py"} {
		if m, err := l.find(from, "x.y", 0); m != nil || err == nil {
			t.Errorf("x.y is %v, %v", m, err)
		}
		if m, err := l.find(from, "x", 1_000_000); m != nil || err == nil {
			t.Errorf("a far x is %v, %v", m, err)
		}
	}
	if asked > 3*maxLevels {
		t.Errorf("it asked for %d packages", asked)
	}
}

// TestFrameworksAreNotRun: a framework that is installed beside a package is not read, not to speak of run.
func TestFrameworksAreNotRun(t *testing.T) {
	installed := fstest.MapFS{
		"site/ops/__init__.py":   {Data: []byte("")},
		"site/ops/k.py":          {Data: []byte("import torch\nfrom torch import nn\nimport helper\nA = helper.ONE\nB = torch.x\n")},
		"site/helper.py":         {Data: []byte("ONE = 1\n")},
		"site/torch/__init__.py": {Data: []byte("import sys\nx = len(sys.modules)\n")},
	}
	read := func(name string) ([]byte, error) {
		if strings.HasPrefix(name, "site/torch") {
			t.Errorf("%s is read", name)
		}
		if !fs.ValidPath(name) {
			return nil, fs.ErrNotExist
		}
		return installed.ReadFile(name)
	}
	l := &Loader{Read: read}
	m, err := l.Load("site/ops/k.py")
	if err != nil {
		t.Fatal(err)
	}
	if got := look(t, m, "A"); got != "1" {
		t.Errorf("A is %s", got)
	}
	if got := look(t, m, "B"); !strings.Contains(got, "module 'torch' is not available") {
		t.Errorf("B is %s", got)
	}
}
