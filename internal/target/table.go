package target

import (
	"slices"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/internal/backend/cudamlir"
)

// row is what is known of a backend.
type row struct {
	name    string
	backend Backend           // nil: not there yet
	isArch  func(string) bool // nil: names of its targets say no architecture
}

// table lists the backends in the order that messages give them. Rows are never changed.
var table = struct {
	sync.RWMutex
	rows []row
}{rows: []row{
	{name: "cpu", backend: cpuBackend{}},
	{name: "cuda", backend: cudaBackend{}, isArch: isComputeCapability},
	{name: "xpu", backend: xpuBackend{}},
	{name: cudamlir.Backend, backend: cudaMLIRBackend{}, isArch: isComputeCapability},
}}

// Register adds a backend. It is for init functions and tests, and panics if the name is taken.
// isArch tells the architectures that the names of its targets may say; it may be nil.
func Register(name string, b Backend, isArch func(string) bool) {
	table.Lock()
	defer table.Unlock()
	if slices.ContainsFunc(table.rows, func(r row) bool { return r.name == name }) {
		panic("target: Register called twice for " + name)
	}
	table.rows = append(table.rows, row{name, b, isArch})
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

// isComputeCapability reports whether s is an architecture of CUDA's: 75, 90a.
func isComputeCapability(s string) bool {
	digits := strings.TrimRight(s, "af")
	return len(digits) >= 2 && len(digits) <= 3 && len(s)-len(digits) <= 1 && strings.Trim(digits, "0123456789") == ""
}
