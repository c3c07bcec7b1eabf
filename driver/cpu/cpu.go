package cpu

import (
	"context"
	"math"
	"runtime"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/diag"
)

// Backend is the name that the driver registers.
const Backend = "cpu"

func init() { driver.Register(Backend, cpuDriver{}) }

// stream is the only stream there is. Its handle stands for the calling goroutine.
var stream = driver.Stream{Backend: Backend, Device: 0, Handle: 1}

// Stream gives the processor's stream.
func Stream() driver.Stream { return stream }

type cpuDriver struct{}

// Devices gives the one device.
func (cpuDriver) Devices() ([]driver.Info, error) { return []driver.Info{info()}, nil }

// Open opens device 0.
func (cpuDriver) Open(index int) (driver.Device, error) {
	if index != 0 {
		return nil, diag.New(diag.Driver, "no-device", "there is no device cpu:%d; cpu:0 is the only one", index)
	}
	return device{}, nil
}

// Current gives the one stream.
func (cpuDriver) Current() (driver.Stream, error) { return stream, nil }

func info() driver.Info {
	return driver.Info{
		Backend: Backend,
		Name:    processorName(),
		Arch:    runtime.GOARCH,
		Detail:  executor(),
	}
}

// executor says what runs kernels here.
func executor() string {
	if why := native.Supported(); why != "" {
		return "checked executor: " + why
	}
	return string(native.Available()[0])
}

type device struct{}

// Info describes the device.
func (device) Info() driver.Info { return info() }

// Limits gives what the numbering of programs allows. A program instance has what memory it
// needs.
func (device) Limits() driver.Limits {
	return driver.Limits{Grid: driver.Grid{math.MaxInt32, math.MaxInt32, math.MaxInt32}}
}

// Stream gives the device's stream.
func (device) Stream() driver.Stream { return stream }

// NewStream gives the device's stream: work on it is over when it is submitted, so any order is
// that of another stream too.
func (device) NewStream() (driver.Stream, error) { return stream, nil }

// CloseStream does nothing.
func (device) CloseStream(s driver.Stream) error { return s.Check(Backend, 0) }

// Wait has nothing to wait for.
func (device) Wait(_ context.Context, s driver.Stream) error { return s.Check(Backend, 0) }

// Load takes a program.
func (device) Load(b *driver.Binary) (driver.Kernel, error) {
	switch p := b.Code.(type) {
	case *cpu.Program:
		return newKernel(p, b.Metadata), nil
	case *native.Dual:
		return newNative(p, b.Metadata), nil
	default:
		return nil, diag.New(diag.Driver, "not-a-program", "kernel %s was compiled for %s and cannot be loaded on the cpu", b.Metadata.Name, b.Metadata.Target)
	}
}
