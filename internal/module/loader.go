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

const (
	maxModules = 4096  // files that one program may import
	maxMissing = 65536 // names that are remembered to be no files
	maxLevels  = 64    // directories from a file up to where a name may be found
)

// A Loader reads the modules of a program from files. A module's imports are looked for as Python
// does: relative ones from the file's directory, absolute ones in the directory that holds the file's outermost
// package, in the file's own, and in what holds a directory above the file that has the name of the import's
// package (packages need no __init__.py). Each file is read at most once, and what is no file stays none.
type Loader struct {
	// Read gives a file's content. Names are made of the first one's by path.Join. It may not use
	// the modules of the program, which are held meanwhile.
	Read func(name string) ([]byte, error)
	// Exists tells whether there is a file. It may be nil: then the file is read.
	Exists func(name string) bool
	// Target is what the program is told when it asks what kernels are compiled for.
	Target Target

	prog    program
	mu      sync.Mutex // guards modules
	modules map[string]loaded
	missing int // of modules
}

type loaded struct {
	mod *Module
	err error
}

// Load reads the module file of that name.
func (l *Loader) Load(name string) (*Module, error) {
	defer l.prog.enter()()
	l.prog.target = l.Target
	return l.load(name)
}

// load reads a module for a request that has the program.
func (l *Loader) load(name string) (*Module, error) {
	if m, ok := l.get(name); ok {
		return m.mod, m.err
	}
	var m loaded
	src, err := l.Read(name)
	switch {
	case err != nil:
		m.err = err
	case len(l.modules)-l.missing >= maxModules:
		m.err = fmt.Errorf("the program imports more than %d files", maxModules)
	default:
		m.mod, m.err = newModule(&l.prog, name, src, func(path string, level int) (*Module, error) { return l.find(name, path, level) })
	}
	l.put(name, m)
	return m.mod, m.err
}

func (l *Loader) get(name string) (loaded, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.modules[name]
	return m, ok
}

func (l *Loader) put(name string, m loaded) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.modules == nil {
		l.modules = make(map[string]loaded)
	}
	if m.mod == nil {
		if l.missing >= maxMissing {
			return
		}
		l.missing++
	}
	l.modules[name] = m
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
		if rest == "" && !l.exists(path.Join(base, "__init__.py")) {
			missing.names = append(missing.names, path.Join(base, "__init__.py"))
			continue
		}
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
	switch {
	case level > maxLevels:
		return nil
	case level > 0:
		return []string{up(dir, level-1)}
	}
	outer := dir
	for n := 0; n < maxLevels && l.exists(path.Join(outer, "__init__.py")); n++ {
		outer = up(outer, 1)
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

// up gives a directory some levels above.
func up(dir string, levels int) string { return path.Join(dir, strings.Repeat("../", levels)) }

// File gives a file that was read, or nil.
func (l *Loader) File(name string) *syntax.File {
	if m, _ := l.get(name); m.mod != nil {
		return m.mod.File()
	}
	return nil
}

func (l *Loader) exists(name string) bool {
	if m, ok := l.get(name); ok {
		return !errors.Is(m.err, fs.ErrNotExist)
	}
	if l.Exists != nil {
		return l.Exists(name)
	}
	_, err := l.Read(name)
	return err == nil
}
