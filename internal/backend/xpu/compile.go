package xpu

import (
	"fmt"
	"slices"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lower"
	"github.com/tegula-lang/tegula/internal/tile"
)

// defaultLanes is the size of the sub-groups that kernels require, if it is not chosen; lanes are those that code is made for.
const defaultLanes = 32

var lanes = []int{16, 32}

// The most warps of a program instance, and bytes of local memory, that code is made for. A device may have less: its driver
// compares.
const (
	maxWarps  = 64
	maxShared = 1 << 18
)

// Options are what a kernel is compiled with.
type Options struct {
	Warps, CTAs int
	Lanes       int // of a sub-group, 0 for the default
	LineText    func(file string, line int) string
	Unfused     bool // x * y + z is rounded twice
}

// A Kernel is a compiled kernel.
type Kernel struct {
	LIR      *lir.Func
	SPIRV    []byte
	Requires []string // what the device must be able to do
}

// Lower gives a module's kernel in LIR.
func Lower(m *tile.Module, o Options) (*lir.Func, error) {
	l, err := o.lower()
	if err != nil {
		return nil, err
	}
	return lower.Kernel(m, l)
}

// Layouts gives a module's kernel in tile IR, and where each tile is held.
func Layouts(m *tile.Module, o Options) (string, error) {
	l, err := o.lower()
	if err != nil {
		return "", err
	}
	return lower.Layouts(m, l)
}

// lower checks the options, and gives those of the lowering.
func (o Options) lower() (l lower.Options, err error) {
	if o.CTAs > 1 {
		return l, diag.New(diag.Unsupported, "num-ctas", "num_ctas=%d: xpu has no clusters of work-groups", o.CTAs)
	}
	if o.Warps > maxWarps {
		return l, diag.New(diag.Unsupported, "num-warps", "num_warps=%d: a work-group has at most %d warps", o.Warps, maxWarps)
	}
	if o.Lanes == 0 {
		o.Lanes = defaultLanes
	}
	if !slices.Contains(lanes, o.Lanes) {
		return l, diag.New(diag.Unsupported, "threads-per-warp", "threads_per_warp=%d: sub-groups on xpu have 16 or 32 work-items", o.Lanes)
	}
	can := lower.Capabilities{Redux: true, MinMaxNaN: true, SharedMax: maxShared}
	return lower.Options{Warps: o.Warps, WarpSize: o.Lanes, Can: can, LineText: o.LineText, Unfused: o.Unfused}, nil
}

// Compile makes SPIR-V of a module's kernel.
func Compile(m *tile.Module, o Options) (*Kernel, error) {
	f, err := Lower(m, o)
	if err != nil {
		return nil, err
	}
	if f.SharedBytes > maxShared {
		r := &driver.OutOfResources{Resource: "local memory", Required: int64(f.SharedBytes), Limit: maxShared, Unit: "bytes", Hint: "use smaller blocks"}
		e := diag.New(diag.OutOfResources, "local-memory", "kernel %s: %s", f.Name, r)
		e.Cause = r
		return nil, e
	}
	made, err := emit(f, o.LineText)
	if err != nil {
		return nil, err
	}
	return &Kernel{LIR: f, SPIRV: made.bytes(), Requires: sortedKeys(made.requires)}, nil
}

// Complete adds to metadata what the kernel is.
func (k *Kernel) Complete(m *driver.KernelMetadata) {
	m.ThreadsPerWarp = k.LIR.WarpSize
	m.Shared = k.LIR.SharedBytes
	m.Backends.XPU = &driver.XPUMetadata{Entry: k.LIR.Name, SPIRV: fmt.Sprintf("%d.%d", version>>16, version>>8&0xff), Requires: k.Requires}
}

// Text gives the module's instructions, one a line.
func (k *Kernel) Text() string { return disassemble(k.SPIRV) }
