package target

import (
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/xpu"
	"github.com/tegula-lang/tegula/internal/diag"
)

// xpuBackend compiles to SPIR-V for SYCL devices.
type xpuBackend struct{}

// Policy: a work-item accesses up to 16 bytes at once, for which addresses, sizes and strides have to be multiples of 16, and a stride of 1 is
// contiguous. No other alignment makes other code. Adding vectors of f32 takes three quarters of the time for it on Intel's device for
// processors.
func (xpuBackend) Policy() Policy { return Policy{EqualOne: true, Divisibility: 16} }

// Version: the code changes with the compiler.
func (xpuBackend) Version() string { return "" }

// Keeps: what the device's compiler makes of a module takes long.
func (xpuBackend) Keeps() bool { return true }

func (xpuBackend) options(j Job) xpu.Options {
	return xpu.Options{Warps: j.Metadata.NumWarps, Lanes: j.Metadata.ThreadsPerWarp, CTAs: j.Metadata.NumCTAs, LineText: j.LineText, Unfused: j.Unfused}
}

// Compile makes a SPIR-V module.
func (b xpuBackend) Compile(j Job) (*driver.Binary, error) {
	k, err := xpu.Compile(j.Module, b.options(j))
	if err != nil {
		return nil, err
	}
	k.Complete(j.Metadata)
	return &driver.Binary{Metadata: j.Metadata, Image: k.SPIRV}, nil
}

// Emits: where tiles are held, the per-thread program, the module, and its text.
func (xpuBackend) Emits() []string { return []string{"layout", "lir", "spirv", "spvasm"} }

// Emit gives a stage.
func (b xpuBackend) Emit(stage string, j Job) ([]byte, error) {
	if stage == "layout" {
		text, err := xpu.Layouts(j.Module, b.options(j))
		return []byte(text), err
	}
	if stage == "lir" {
		f, err := xpu.Lower(j.Module, b.options(j))
		if err != nil {
			return nil, err
		}
		return []byte(f.String()), nil
	}
	k, err := xpu.Compile(j.Module, b.options(j))
	if err != nil {
		return nil, err
	}
	switch stage {
	case "spirv":
		return k.SPIRV, nil
	case "spvasm":
		return []byte(k.Text()), nil
	}
	return nil, diag.New(diag.Unsupported, "emit", "target %s has no stage %q", j.Target, stage)
}
