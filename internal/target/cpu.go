package target

import (
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// cpuBackend compiles for the checked executor.
type cpuBackend struct{}

// Policy: a stride of 1 folds away; no alignment changes what the executor does.
func (cpuBackend) Policy() Policy { return Policy{EqualOne: true} }

// Compile makes a program.
func (cpuBackend) Compile(m *tile.Module, t Target, o Options) (*driver.Binary, error) {
	p, err := cpu.Compile(m, cpu.Options{LineText: o.LineText})
	if err != nil {
		return nil, err
	}
	return &driver.Binary{Name: m.Funcs[0].Name, Target: t.String(), Code: p}, nil
}

// Emits: the executor runs tile IR as it is.
func (cpuBackend) Emits() []string { return nil }

// Emit has nothing to give.
func (cpuBackend) Emit(stage string, _ *tile.Module, t Target, _ Options) ([]byte, error) {
	return nil, diag.New(diag.Unsupported, "emit", "target %s has no stage %q", t, stage)
}
