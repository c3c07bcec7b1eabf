package target

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/internal/backend/cuda"
	"github.com/tegula-lang/tegula/internal/backend/cudamlir"
	"github.com/tegula-lang/tegula/internal/diag"
)

// row is what is known of a backend.
type row struct {
	name    string
	backend Backend           // nil: not there yet
	isArch  func(string) bool // nil: names of its targets say no architecture
	archs   []string          // those that there are, if they are known
	limits  Limits
}

// table lists the backends in the order that messages give them. Rows are never changed.
var table = struct {
	sync.RWMutex
	rows []row
}{rows: []row{
	{name: "cpu", backend: cpuBackend{}, limits: Limits{Checks: true}},
	{name: "cuda", backend: cudaBackend{}, isArch: cuda.Named, archs: cuda.Architectures, limits: Limits{Warps: 32}},
	{name: "xpu", backend: xpuBackend{}},
	{name: cudamlir.Backend, backend: cudaMLIRBackend{}, isArch: cuda.Named, archs: cuda.Architectures, limits: Limits{Warps: 32}},
}}

// Register adds a backend. It is for init functions and tests, and panics if the name is taken.
// isArch tells the architectures that the names of its targets may say; it may be nil.
func Register(name string, b Backend, isArch func(string) bool) {
	table.Lock()
	defer table.Unlock()
	if slices.ContainsFunc(table.rows, func(r row) bool { return r.name == name }) {
		panic("target: Register called twice for " + name)
	}
	table.rows = append(table.rows, row{name: name, backend: b, isArch: isArch, limits: Limits{Checks: true}})
}

func find(name string) (row, bool) {
	table.RLock()
	defer table.RUnlock()
	i := slices.IndexFunc(table.rows, func(r row) bool { return r.name == name })
	if i < 0 {
		return row{}, false
	}
	return table.rows[i], true
}

func names() []string {
	table.RLock()
	defer table.RUnlock()
	list := make([]string, len(table.rows))
	for i, r := range table.rows {
		list[i] = r.name
	}
	return list
}

// nearestArch gives the last architecture whose number is not above that of a name.
func nearestArch(name string, archs []string) string {
	number := func(s string) (int, bool) {
		n, err := strconv.Atoi(strings.TrimLeft(strings.TrimRight(s, "af"), "sm_"))
		return n, err == nil
	}
	near := ""
	n, ok := number(name)
	for _, a := range archs {
		if m, _ := number(a); ok && m <= n && strings.TrimRight(a, "af") == a {
			near = a
		}
	}
	return near
}

// noArch is the error of a name that says an architecture that the backend has not.
func (r row) noArch(name, arch string) error {
	if r.isArch == nil {
		return diag.New(diag.Argument, "unknown-target", "%q is no target: %s has one kind only, and is named %q", name, r.name, r.name)
	}
	e := diag.New(diag.Argument, "unknown-target", "%q is no target: %q is no architecture of %s", name, arch, r.name)
	if near := nearestArch(arch, r.archs); near != "" {
		e.Msg += fmt.Sprintf("; did you mean %s:%s?", r.name, near)
	} else if len(r.archs) > 0 {
		e.Msg += "; those are " + strings.Join(r.archs, ", ")
	}
	return e
}
