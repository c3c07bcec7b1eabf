package target

import (
	"log"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/diag"
)

// cpuBackend compiles for the checked executor or to machine code; Settings.CPU chooses.
type cpuBackend struct{}

// Policy: a stride of 1 folds away; no alignment changes what the executor does.
func (cpuBackend) Policy() Policy { return Policy{EqualOne: true} }

// Version: the executors change with the compiler.
func (cpuBackend) Version() string { return "" }

// Keeps: a program is made of functions. What could be kept is the tile IR after the passes, and
// reading that takes as long as the passes do; bench/results/cpu-cache.md has the figures.
func (cpuBackend) Keeps() bool { return false }

// Compile makes machine code, or a program of the checked executor if that is asked for or there is no other way.
func (cpuBackend) Compile(j Job) (*driver.Binary, error) {
	m := j.Metadata
	m.ThreadsPerWarp = 1
	checked := func() (*cpu.Program, error) {
		return cpu.Compile(j.Module, cpu.Options{LineText: j.LineText, Sanitize: j.Check, Strict: j.Strict})
	}
	var slow error
	if !j.Check && j.Settings.CPU != Checked { // machine code checks less
		n, err := native.Compile(j.Module, native.Options{LineText: j.LineText, Features: j.Settings.Features})
		switch {
		case err == nil:
			m.Backends.CPU = &driver.CPUMetadata{Executor: "native", Frame: n.FrameBytes(), Features: []string{string(n.Features())}}
			return &driver.Binary{Metadata: m, Code: &native.Dual{Native: n, Checked: checked}}, nil
		case j.Settings.CPU == NativeOnly:
			return nil, err
		case native.Supported() == "":
			slow = err
		}
	}
	p, err := checked()
	if err != nil {
		return nil, err
	}
	if slow != nil {
		warn(j.Module.Funcs[0].Name, slow)
	}
	m.Backends.CPU = &driver.CPUMetadata{Executor: "checked", Frame: p.FrameBytes(), Features: []string{}}
	return &driver.Binary{Metadata: m, Code: p}, nil
}

// warned holds the warnings that were given.
var warned sync.Map

// warn says once why a kernel runs on the checked executor.
func warn(kernel string, err error) {
	if _, again := warned.LoadOrStore(kernel+": "+err.Error(), true); !again {
		log.Printf("tegula: %s runs on the checked executor, which is slow: %v", kernel, err)
	}
}

// Emits: the machine code. The checked executor runs tile IR as it is.
func (cpuBackend) Emits() []string { return []string{"asm"} }

// Emit gives the listing of the machine code.
func (cpuBackend) Emit(stage string, j Job) ([]byte, error) {
	if stage != "asm" {
		return nil, diag.New(diag.Unsupported, "emit", "target %s has no stage %q", j.Target, stage)
	}
	n, err := native.Compile(j.Module, native.Options{LineText: j.LineText, Listing: true, Features: j.Settings.Features})
	if err != nil {
		return nil, err
	}
	return []byte(n.Listing()), nil
}
