package target

import (
	"strings"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A Target is what code is compiled for.
type Target struct {
	Backend string // "cpu", "cuda", "xpu"
	Arch    string // "90a"; empty for the default, or where there is one kind only
}

// String gives the name that Parse reads.
func (t Target) String() string {
	if t.Arch == "" {
		return t.Backend
	}
	return t.Backend + ":" + t.Arch
}

// A Policy says which facts about arguments can change a backend's code. Others are not looked
// at, and make no variants of a kernel.
type Policy struct {
	EqualOne     bool  // an integer is 1
	Divisibility int64 // an integer or an address is a multiple of this; 0: does not matter
}

// Options are what a compiler needs to know besides the code.
type Options struct {
	NumWarps, NumStages, NumCTAs int
	// Check looks for what goes wrong without a fault, where the target can; Strict also for what does no harm.
	Check, Strict bool
	// LineText gives a line of a source file, for diagnostics at run time; "" if unknown.
	LineText func(file string, line int) string
}

// A Backend compiles tile IR for one kind of device.
type Backend interface {
	Policy() Policy
	// Compile makes code of a verified module; it keeps the module.
	Compile(m *tile.Module, t Target, o Options) (*driver.Binary, error)
	// Emits names the stages after tile IR that Emit can give.
	Emits() []string
	// Emit gives the text of a stage.
	Emit(stage string, m *tile.Module, t Target, o Options) ([]byte, error)
}

// row is what is known of a backend.
type row struct {
	backend Backend // nil: not there yet
	arch    bool    // names of its targets may say an architecture
}

// names lists the backends in the order that messages give them.
var names = []string{"cpu", "cuda", "xpu"}

var table = map[string]row{
	"cpu":  {backend: cpuBackend{}},
	"cuda": {arch: true},
	"xpu":  {},
}

// Parse reads the name of a target.
func Parse(name string) (Target, error) {
	backend, arch, hasArch := strings.Cut(name, ":")
	r, ok := table[backend]
	if !ok {
		return Target{}, diag.New(diag.Argument, "unknown-target", "%q is no target; the targets are %s", name, strings.Join(names, ", "))
	}
	if hasArch && (!r.arch || !isArch(arch)) {
		return Target{}, diag.New(diag.Argument, "unknown-target", "%q is no target: %q is no architecture of %s", name, arch, backend)
	}
	return Target{Backend: backend, Arch: arch}, nil
}

// Of gives the target that code for a device is compiled for.
func Of(d driver.Info) Target {
	t := Target{Backend: d.Backend}
	if table[d.Backend].arch {
		t.Arch = d.Arch
	}
	return t
}

// isArch reports whether s looks like an architecture: 75, 90a.
func isArch(s string) bool {
	digits := strings.TrimRight(s, "af")
	return len(digits) >= 2 && len(digits) <= 3 && len(s)-len(digits) <= 1 && strings.Trim(digits, "0123456789") == ""
}

// Compiler gives the backend that compiles for t.
func (t Target) Compiler() (Backend, error) {
	r := table[t.Backend]
	if r.backend == nil {
		return nil, diag.New(diag.Unsupported, "target", "target %s is not supported yet; cpu is", t)
	}
	return r.backend, nil
}
