package target

import (
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cuda"
	"github.com/tegula-lang/tegula/internal/backend/cudacpp"
	"github.com/tegula-lang/tegula/internal/diag"
)

// cudaBackend compiles to PTX for NVIDIA GPUs.
type cudaBackend struct{}

// Policy: wide accesses need addresses and strides that are multiples of 16 bytes or elements, and a stride of 1 is contiguous.
func (cudaBackend) Policy() Policy { return Policy{EqualOne: true, Divisibility: 16} }

// Version: the code changes with the compiler.
func (cudaBackend) Version() string { return "" }

// Keeps: what the driver makes of PTX takes long.
func (cudaBackend) Keeps() bool { return true }

func (cudaBackend) options(j Job) (cuda.Arch, cuda.Options, error) {
	arch, err := cuda.ParseArch(j.Target.Arch)
	return arch, cuda.Options{Warps: j.Metadata.NumWarps, Lanes: j.Metadata.ThreadsPerWarp, CTAs: j.Metadata.NumCTAs, Stages: j.Metadata.NumStages, LineText: j.LineText, Unfused: j.Unfused, MaxRegisters: j.MaxRegisters}, err
}

// Compile makes PTX.
func (b cudaBackend) Compile(j Job) (*driver.Binary, error) {
	arch, o, err := b.options(j)
	if err != nil {
		return nil, err
	}
	k, err := cuda.Compile(j.Module, arch, o)
	if err != nil {
		return nil, err
	}
	k.Complete(j.Metadata)
	return &driver.Binary{Metadata: j.Metadata, Image: k.PTX}, nil
}

// Emits: where tiles are held, the per-thread program, the PTX, and CUDA C++.
func (cudaBackend) Emits() []string { return []string{"layout", "lir", "ptx", "cuda"} }

// Emit gives the text of a stage.
func (b cudaBackend) Emit(stage string, j Job) ([]byte, error) {
	arch, o, err := b.options(j)
	if err != nil {
		return nil, err
	}
	switch stage {
	case "layout":
		text, err := cuda.Layouts(j.Module, arch, o)
		return []byte(text), err
	case "lir":
		f, err := cuda.Lower(j.Module, arch, o)
		if err != nil {
			return nil, err
		}
		return []byte(f.String()), nil
	case "ptx":
		k, err := cuda.Compile(j.Module, arch, o)
		if err != nil {
			return nil, err
		}
		return k.PTX, nil
	case "cuda":
		return cudaText(j, arch, o)
	}
	return nil, diag.New(diag.Unsupported, "emit", "target %s has no stage %q", j.Target, stage)
}

// cudaText prints the kernel as CUDA C++. It is lowered for what that can say.
func cudaText(j Job, arch cuda.Arch, o cuda.Options) ([]byte, error) {
	o.Limit = cudacpp.Can
	f, err := cuda.Lower(j.Module, arch, o)
	if err != nil {
		return nil, err
	}
	if err := cuda.Fits(f, arch); err != nil {
		return nil, err
	}
	return cudacpp.Print(f, cudacpp.Options{Entry: cuda.Symbol(f.Name), Arch: arch.Name, LineText: j.LineText})
}
