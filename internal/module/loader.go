package module

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// maxModules bounds how many files one program may import.
const maxModules = 4096

// A Loader reads the modules of a program from files. A module's imports are looked for as Python
// does: relative ones from the file's directory, absolute ones in the directory that holds the file's outermost
// package, in the file's own, and in what holds a directory above the file that has the name of the import's
// package (packages need no __init__.py). Each file is read at most once.
type Loader struct {
	// Read gives a file's content. Names are made of the first one's by path.Join.
	Read func(name string) ([]byte, error)

	mu      sync.Mutex
	modules map[string]*loaded
}

type loaded struct {
	mod *Module
	err error
}

// Load reads the module file of that name.
func (l *Loader) Load(name string) (*Module, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load(name)
}

func (l *Loader) load(name string) (*Module, error) {
	if m := l.modules[name]; m != nil {
		return m.mod, m.err
	}
	src, err := l.Read(name)
	if err != nil {
		return nil, err
	}
	if len(l.modules) >= maxModules {
		return nil, fmt.Errorf("the program imports more than %d files", maxModules)
	}
	mod, err := LoadWith(name, src, LoadOptions{Import: func(path string, level int) (*Module, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.find(name, path, level)
	}})
	if l.modules == nil {
		l.modules = make(map[string]*loaded)
	}
	l.modules[name] = &loaded{mod, err}
	return mod, err
}

// A notFoundError says that no file is the module that is imported.
type notFoundError struct {
	names []string // of the files that were looked for
}

func (e *notFoundError) Error() string {
	if len(e.names) == 1 {
		return "there is no file " + e.names[0]
	}
	return "there is neither " + strings.Join(e.names, " nor ")
}

// find gives the module that an import in a file means. If there is none the error is a notFoundError.
func (l *Loader) find(from, dotted string, level int) (*Module, error) {
	missing := &notFoundError{}
	rest := strings.ReplaceAll(dotted, ".", "/")
	for _, dir := range l.roots(from, dotted, level) {
		base := path.Join(dir, rest)
		candidates := []string{base + ".py", path.Join(base, "__init__.py")}
		if rest == "" {
			candidates = candidates[1:]
		}
		for _, name := range candidates {
			mod, err := l.load(name)
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return mod, err
			}
			missing.names = append(missing.names, name)
		}
	}
	return nil, missing
}

// roots gives the directories that an import may start from.
func (l *Loader) roots(from, dotted string, level int) []string {
	dir := path.Dir(from)
	if level > 0 {
		for range level - 1 {
			dir = path.Join(dir, "..")
		}
		return []string{dir}
	}
	outer := dir
	for l.exists(path.Join(outer, "__init__.py")) && path.Join(outer, "..") != outer {
		outer = path.Join(outer, "..")
	}
	roots := []string{outer, dir}
	first, _, _ := strings.Cut(dotted, ".")
	for d := dir; d != path.Dir(d); d = path.Dir(d) {
		if path.Base(d) == first {
			roots = append(roots, path.Dir(d))
		}
	}
	return roots
}

// File gives a file that was read, or nil.
func (l *Loader) File(name string) *syntax.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.modules[name]; m != nil && m.mod != nil {
		return m.mod.File()
	}
	return nil
}

func (l *Loader) exists(name string) bool {
	if m := l.modules[name]; m != nil {
		return true
	}
	_, err := l.Read(name)
	return err == nil
}
