package target

import (
	"strings"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
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

// Parse reads the name of a target.
func Parse(name string) (Target, error) {
	backend, arch, hasArch := strings.Cut(name, ":")
	r, ok := find(backend)
	if !ok {
		return Target{}, diag.New(diag.Argument, "unknown-target", "%q is no target; the targets are %s", name, strings.Join(names(), ", "))
	}
	if hasArch && (r.isArch == nil || !r.isArch(arch)) {
		return Target{}, r.noArch(name, arch)
	}
	return Target{Backend: backend, Arch: arch}, nil
}

// Of gives the target that code for a device is compiled for.
func Of(d driver.Info) Target {
	t := Target{Backend: d.Backend}
	if r, _ := find(d.Backend); r.isArch != nil {
		t.Arch = d.Arch
	}
	return t
}

// Limits are what a target can be asked for, beyond what all can.
type Limits struct {
	Checks bool // Job.Check finds something there
	Warps  int  // the most of a program instance; 0: as many as the metadata can say
}

// Limits gives those of the target.
func (t Target) Limits() Limits {
	r, _ := find(t.Backend)
	return r.limits
}

// Compiler gives the backend that compiles for t.
func (t Target) Compiler() (Backend, error) {
	r, _ := find(t.Backend)
	if r.backend == nil {
		return nil, diag.New(diag.Unsupported, "target", "there is no compiler for the target %s", t)
	}
	return r.backend, nil
}
