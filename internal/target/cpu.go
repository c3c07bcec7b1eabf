package target

import (
	"os"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// cpuBackend compiles for the checked executor or to machine code. The environment variable
// TEGULA_CPU chooses: checked (the default); native, where kernels that cannot be compiled yet run on the
// checked executor; native-only, where these are errors.
type cpuBackend struct{}

const chooseCPU = "TEGULA_CPU"

// Policy: a stride of 1 folds away; no alignment changes what the executor does.
func (cpuBackend) Policy() Policy { return Policy{EqualOne: true} }

// Compile makes a program.
func (cpuBackend) Compile(m *tile.Module, t Target, o Options) (*driver.Binary, error) {
	p, err := cpu.Compile(m, cpu.Options{LineText: o.LineText, Sanitize: o.Check, Strict: o.Strict})
	if err != nil {
		return nil, err
	}
	b := &driver.Binary{Name: m.Funcs[0].Name, Target: t.String(), Code: p}
	mode := os.Getenv(chooseCPU)
	if o.Check { // machine code checks less
		return b, nil
	}
	if mode != "native" && mode != "native-only" {
		return b, nil
	}
	n, err := native.Compile(m, native.Options{LineText: o.LineText})
	switch {
	case err == nil:
		b.Code = &native.Dual{Native: n, Checked: p}
	case mode == "native-only":
		return nil, err
	}
	return b, nil
}

// Emits: the machine code. The checked executor runs tile IR as it is.
func (cpuBackend) Emits() []string { return []string{"asm"} }

// Emit gives the listing of the machine code.
func (cpuBackend) Emit(stage string, m *tile.Module, t Target, o Options) ([]byte, error) {
	if stage != "asm" {
		return nil, diag.New(diag.Unsupported, "emit", "target %s has no stage %q", t, stage)
	}
	n, err := native.Compile(m, native.Options{LineText: o.LineText})
	if err != nil {
		return nil, err
	}
	return []byte(n.Listing()), nil
}
