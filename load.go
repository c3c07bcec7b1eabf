package tegula

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/module"
)

// A Module is a file of kernels. It is safe for concurrent use.
type Module struct {
	mod   *module.Module
	parse time.Duration

	mu      sync.Mutex
	kernels map[string]*Kernel // by the name that was asked for
}

// Load reads a module file's text. The name is what messages call it. Nothing of the file is run;
// what a kernel uses of it is evaluated when the kernel is compiled. The error is an ErrSyntax,
// and may be an ErrorList.
func Load[S ~string | ~[]byte](name string, src S) (*Module, error) {
	return load(name, []byte(src))
}

// LoadFile reads a module file. What it imports from files beside it, or of its package, is read
// when a kernel needs it.
func LoadFile(path string) (*Module, error) {
	return loadWith(filepath.ToSlash(path), func(name string) ([]byte, error) { return os.ReadFile(filepath.FromSlash(name)) })
}

// LoadFS reads a module file of a file system, such as an embed.FS, as LoadFile does.
func LoadFS(fsys fs.FS, name string) (*Module, error) {
	return loadWith(name, func(name string) ([]byte, error) {
		if !fs.ValidPath(name) {
			return nil, fs.ErrNotExist // an import from above the root
		}
		return fs.ReadFile(fsys, name)
	})
}

func load(name string, src []byte) (*Module, error) {
	start := time.Now()
	mod, err := module.Load(name, src)
	return loaded(mod, start, err)
}

func loadWith(name string, read func(string) ([]byte, error)) (*Module, error) {
	start := time.Now()
	loader := module.Loader{Read: read}
	mod, err := loader.Load(name)
	if list := (ErrorList)(nil); err != nil && !errors.As(err, &list) {
		return nil, unreadable(name, err)
	}
	return loaded(mod, start, err)
}

func loaded(mod *module.Module, start time.Time, err error) (*Module, error) {
	if err != nil {
		return nil, err
	}
	return &Module{mod: mod, parse: time.Since(start), kernels: make(map[string]*Kernel)}, nil
}

func unreadable(path string, err error) error {
	reason := err
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		reason = pathErr.Err
	}
	e := diag.New(diag.Argument, "file", "the file cannot be read: %s", reason)
	e.Place.File, e.Cause = path, err
	return e
}

// Kernel gives a kernel by name. It never gives nil: that there is no such kernel is what Err and
// Launch of the result say.
func (m *Module) Kernel(name string) *Kernel {
	if m == nil {
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
	k.launch, k.err = launch.FromModule(info)
	m.kernels[name] = k
	return k
}

var errNoModule = diag.New(diag.Argument, "no-module", "the module is nil")

// Kernels names the kernels of the module in the order of the file.
func (m *Module) Kernels() []string {
	if m == nil {
		return nil
	}
	var names []string
	for _, k := range m.mod.Kernels() {
		names = append(names, k.Name)
	}
	return names
}

// EntryKernels names the kernels that no other kernel of the module uses: those that are launched,
// not called.
func (m *Module) EntryKernels() []string {
	if m == nil {
		return nil
	}
	return launch.Entries(m.mod.Kernels())
}

func (m *Module) noKernel(name string) error {
	return launch.NoKernel(m.mod.File().Name, name, m.Kernels())
}

// Steps gives what loading took.
func (m *Module) Steps() []Step { return []Step{{"parse", m.parse}} }
