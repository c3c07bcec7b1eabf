package target

import (
	"encoding/json"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cuda"
	"github.com/tegula-lang/tegula/internal/backend/cudamlir"
	"github.com/tegula-lang/tegula/internal/diag"
)

// cudaMLIRBackend compiles for NVIDIA GPUs by way of Triton's compiler, where that is installed.
type cudaMLIRBackend struct{}

// Policy: Triton's code uses what cuda's does.
func (cudaMLIRBackend) Policy() Policy { return cudaBackend{}.Policy() }

// Version: the code changes with Triton's.
func (cudaMLIRBackend) Version() string { return "triton " + cudamlir.Version() }

// Keeps: starting Python takes a second.
func (cudaMLIRBackend) Keeps() bool { return true }

func (cudaMLIRBackend) compile(j Job) (*cudamlir.Code, error) {
	m := j.Metadata
	arch, err := cuda.ParseArch(j.Target.Arch)
	if err != nil {
		return nil, err
	}
	return cudamlir.Compile(j.Module, cudamlir.Options{
		Capability: arch.Number, Warps: m.NumWarps, CTAs: m.NumCTAs, Stages: m.NumStages, Unfused: j.Unfused, LineText: j.LineText,
		MaxRegisters: j.MaxRegisters,
	})
}

// Compile makes a cubin.
func (b cudaMLIRBackend) Compile(j Job) (*driver.Binary, error) {
	c, err := b.compile(j)
	if err != nil {
		return nil, err
	}
	section, err := json.Marshal(c.Section)
	if err != nil {
		return nil, err
	}
	j.Metadata.ThreadsPerWarp, j.Metadata.Shared = 32, c.Section.Shared
	j.Metadata.Backends.Other = map[string]json.RawMessage{cudamlir.Backend: section}
	return &driver.Binary{Metadata: j.Metadata, Image: c.Cubin}, nil
}

// Emits: Triton's own stages, after the text that it is given.
func (cudaMLIRBackend) Emits() []string { return []string{"ttgir", "llir", "ptx"} }

// Emit gives the text of a stage.
func (b cudaMLIRBackend) Emit(stage string, j Job) ([]byte, error) {
	c, err := b.compile(j)
	if err != nil {
		return nil, err
	}
	text, ok := c.Stages[stage]
	if !ok {
		return nil, diag.New(diag.Unsupported, "emit", "target %s has no stage %q", j.Target, stage)
	}
	return []byte(text), nil
}
