package cuda

import (
	"fmt"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lower"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Options are what a kernel is compiled with.
type Options struct {
	Warps, CTAs, Stages int
	Lanes               int // of a warp; 0 or 32
	LineText            func(file string, line int) string
	Unfused             bool // x * y + z is rounded twice
	MaxRegisters        int  // of a thread; 0 leaves it to this package and to ptxas
	// Limit, if not nil, takes away of what threads can do.
	Limit func(lower.Capabilities) lower.Capabilities
}

// A Kernel is a compiled kernel.
type Kernel struct {
	LIR    *lir.Func
	PTX    []byte
	Arch   Arch
	Entry  string // the kernel's symbol
	Needs  string // the version of PTX
	Shared int    // bytes, all of them dynamic
}

// Lower gives a module's kernel in LIR.
func Lower(m *tile.Module, arch Arch, o Options) (*lir.Func, error) {
	if err := o.check(arch); err != nil {
		return nil, err
	}
	return lower.Kernel(m, o.lower(arch))
}

// Layouts gives a module's kernel in tile IR, and where each tile is held.
func Layouts(m *tile.Module, arch Arch, o Options) (string, error) {
	if err := o.check(arch); err != nil {
		return "", err
	}
	return lower.Layouts(m, o.lower(arch))
}

func (o Options) lower(arch Arch) lower.Options {
	can := arch.can()
	if o.Limit != nil {
		can = o.Limit(can)
	}
	l := lower.Options{Warps: o.Warps, WarpSize: warpSize, CTAs: 1, Stages: o.Stages, Can: can, LineText: o.LineText, Unfused: o.Unfused}
	if o.CTAs > 1 {
		l.CTAs, l.Warps, l.Can = o.CTAs, o.CTAs*o.Warps, together(can)
	}
	return l
}

func (o Options) check(arch Arch) error {
	if o.CTAs > 1 && arch.Number < minClusterArch {
		return diag.New(diag.Unsupported, "num-ctas", "num_ctas=%d: an sm_%s has no clusters, which programs of several CTAs are; sm_%d and newer have", o.CTAs, arch.Name, minClusterArch)
	}
	if o.Warps > maxWarps {
		return diag.New(diag.Unsupported, "num-warps", "num_warps=%d: a CTA has at most %d warps", o.Warps, maxWarps)
	}
	if o.Lanes != 0 && o.Lanes != warpSize {
		return diag.New(diag.Unsupported, "threads-per-warp", "threads_per_warp=%d: a warp of an NVIDIA GPU has %d threads", o.Lanes, warpSize)
	}
	return nil
}

// maxWarps is how many warps a CTA can have.
const maxWarps = 32

// Compile makes PTX of a module's kernel.
func Compile(m *tile.Module, arch Arch, o Options) (*Kernel, error) {
	f, err := Lower(m, arch, o)
	if err != nil {
		return nil, err
	}
	if err := Fits(f, arch); err != nil {
		return nil, err
	}
	e := newEmitter(f, arch)
	e.registers = o.MaxRegisters
	if paramBytes(f) > fewParams {
		e.needs("8.1")
	}
	text := e.module()
	return &Kernel{LIR: f, PTX: text, Arch: arch, Entry: e.entry, Needs: e.version, Shared: f.SharedBytes}, nil
}

// Fits reports whether an architecture has what a kernel needs.
func Fits(f *lir.Func, arch Arch) error {
	if limit := arch.can().SharedMax; f.SharedBytes > limit {
		return &diag.Error{
			Category: diag.OutOfResources, Code: "shared-memory",
			Msg:   fmt.Sprintf("kernel %s needs %d bytes of shared memory; an sm_%s has %d", f.Name, f.SharedBytes, arch.Name, limit),
			Cause: &driver.OutOfResources{Resource: "shared memory", Required: int64(f.SharedBytes), Limit: int64(limit), Unit: "bytes", Hint: "use smaller blocks"},
		}
	}
	if n := paramBytes(f); n > mostParams {
		return &diag.Error{
			Category: diag.OutOfResources, Code: "arguments",
			Msg:   fmt.Sprintf("kernel %s takes %d bytes of arguments; a launch has at most %d", f.Name, n, mostParams),
			Cause: &driver.OutOfResources{Resource: "arguments", Required: int64(n), Limit: mostParams, Unit: "bytes", Hint: "pass an array of them"},
		}
	}
	return nil
}

// The bytes of arguments that every version of PTX takes, and that those from 8.1 on do.
const (
	fewParams  = 4352
	mostParams = 32764
)

// paramBytes gives how many bytes the arguments take, which lie as the members of a C struct do.
func paramBytes(f *lir.Func) int {
	n := 0
	for _, p := range f.Params {
		size := max(p.Type.Bits(), 8) / 8
		n = (n+size-1)/size*size + size
	}
	return n
}

// Complete adds to metadata what the kernel is.
func (k *Kernel) Complete(m *driver.KernelMetadata) {
	m.ThreadsPerWarp = warpSize
	m.Shared = k.Shared
	m.Backends.CUDA = &driver.CUDAMetadata{
		Entry: k.Entry, PTX: k.Needs, DynamicShared: k.Shared, Cluster: [3]int{max(k.LIR.CTAs, 1), 1, 1},
	}
}
