package tegula

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/target"
)

// A Module is a file of kernels. It is safe for concurrent use.
type Module struct {
	mod   *module.Module
	files *module.Loader // of what it imports; nil if the module is a text
	parse time.Duration
	fixed []string // the kernel of a module that came as MLIR text

	mu      sync.Mutex
	kernels map[string]*Kernel // by the name that was asked for
}

// Load reads a module file's text. The name is what messages call it. Its statements are evaluated when somebody asks
// for something of it, without input or output. The error is an ErrSyntax,
// and may be an ErrorList.
//
// A name that ends in .ttir is that of a kernel in Triton's own intermediate representation, as MLIR text.
func Load[S ~string | ~[]byte](name string, src S) (*Module, error) {
	start := time.Now()
	if isTTIR(name) {
		return loadTTIR(name, []byte(src), start)
	}
	mod, err := module.Load(name, []byte(src))
	if err != nil {
		return nil, err
	}
	return newModule(mod, nil, start), nil
}

// LoadFile reads a module file. What it imports from files beside it, or of its package, is read
// when a kernel needs it.
func LoadFile(path string) (*Module, error) { return loadFile(path, target.Target{}) }

// LoadFileFor is LoadFile for kernels that are compiled for one target, such as "cpu" or "cuda:90": a module that asks triton for
// the target while it is loaded is told that. After LoadFile, or Load, the answer is not known, and what depends on it is an error where a
// kernel needs it. To compile such a kernel for another target is an ErrUnsupported.
func LoadFileFor(path, name string) (*Module, error) {
	t, err := target.Parse(name)
	if err != nil {
		return nil, err
	}
	return loadFile(path, t)
}

func loadFile(path string, t target.Target) (*Module, error) {
	read := func(name string) ([]byte, error) {
		f, err := os.Open(filepath.FromSlash(name))
		if err != nil {
			return nil, err
		}
		return readSource(f)
	}
	exists := func(name string) bool {
		_, err := os.Stat(filepath.FromSlash(name))
		return err == nil
	}
	return load(filepath.ToSlash(path), read, exists, t)
}

// LoadFS reads a module file of a file system, such as an embed.FS, as LoadFile does. The file system may not
// use the module in turn.
func LoadFS(fsys fs.FS, name string) (*Module, error) {
	read := func(name string) ([]byte, error) {
		if !fs.ValidPath(name) {
			return nil, fs.ErrNotExist // an import from above the root
		}
		return openIn(fsys, name)
	}
	exists := func(name string) bool {
		found := false
		err := guarded("the file system", func() error {
			_, err := fs.Stat(fsys, name)
			found = err == nil
			return nil
		})
		return found && err == nil
	}
	return load(name, read, exists, target.Target{})
}

// openIn reads a file of a file system, whatever that does.
func openIn(fsys fs.FS, name string) (src []byte, err error) {
	err = guarded("the file system", func() error {
		if fsys == nil {
			return errors.New("the file system is nil")
		}
		f, err := fsys.Open(name)
		if err == nil && f == nil {
			err = errors.New("the file system gives neither a file nor an error")
		}
		if err == nil {
			src, err = readSource(f)
		}
		return err
	})
	return src, err
}

// guarded calls what a caller has given. That it panics is an error like any other.
func guarded(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panics: %v", what, p)
		}
	}()
	return f()
}

// maxSource bounds the size of a module file; there are files without an end.
const maxSource = 64 << 20

func readSource(f fs.File) ([]byte, error) {
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err == nil && len(src) > maxSource {
		err = fmt.Errorf("it is larger than %d MiB", maxSource>>20)
	}
	return src, err
}

func load(name string, read func(string) ([]byte, error), exists func(string) bool, t target.Target) (*Module, error) {
	start := time.Now()
	if isTTIR(name) {
		src, err := read(name)
		if err != nil {
			return nil, unreadable(name, err)
		}
		return loadTTIR(name, src, start)
	}
	files := &module.Loader{Read: read, Exists: exists, Target: module.Target(t)}
	mod, err := files.Load(name)
	if errors.Is(err, ErrSyntax) {
		return nil, err
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	return newModule(mod, files, start), nil
}

func newModule(mod *module.Module, files *module.Loader, start time.Time) *Module {
	return &Module{mod: mod, files: files, parse: time.Since(start), kernels: make(map[string]*Kernel)}
}

func unreadable(name string, err error) error {
	reason := err
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		reason = pathErr.Err
	}
	e := diag.New(diag.Argument, "file", "the file cannot be read: %s", reason)
	e.Place.File, e.Cause = name, err
	return e
}

// file gives the text of a file that the module's kernels may come from, or nil.
func (m *Module) file(name string) *syntax.File {
	if f := m.mod.File(); f.Name == name {
		return f
	}
	if m.files == nil {
		return nil
	}
	return m.files.File(name)
}

// Kernel gives a kernel by name. It never gives nil: that there is no such kernel is what Err and
// Launch of the result say.
func (m *Module) Kernel(name string) *Kernel {
	if m.unloaded() {
		return &Kernel{name: name, err: errNoModule}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.kernels[name]; k != nil {
		return k
	}
	info := m.mod.Kernel(name)
	if info == nil {
		return &Kernel{module: m, name: name, err: m.noKernel(name)}
	}
	k := &Kernel{module: m, name: name}
	k.launch, k.err = launch.FromModule(info, m.file)
	m.kernels[name] = k
	return k
}

var errNoModule = diag.New(diag.Argument, "no-module", "the module is nil, or was not loaded")

// unloaded reports whether m is a module that Load did not make.
func (m *Module) unloaded() bool { return m == nil || m.mod == nil }

// Kernels names the kernels of the module in the order of the file.
func (m *Module) Kernels() []string {
	if m.unloaded() {
		return nil
	}
	names := slices.Clone(m.fixed)
	for _, k := range m.mod.Kernels() {
		names = append(names, k.Name)
	}
	return names
}

// EntryKernels names the kernels that no other kernel of the module uses: those that are launched,
// not called.
func (m *Module) EntryKernels() []string {
	if m.unloaded() {
		return nil
	}
	return append(slices.Clone(m.fixed), launch.Entries(m.mod.Kernels())...)
}

func (m *Module) noKernel(name string) error {
	return launch.NoKernel(m.mod.File().Name, name, m.Kernels())
}

// Steps gives what loading took.
func (m *Module) Steps() []Step {
	if m.unloaded() {
		return nil
	}
	return []Step{{"parse", m.parse}}
}
