// Package simt is a back end and a driver for tests: kernels are lowered to LIR, as for a GPU, and simulated.
//
// In: what a back end and a driver are given. Out: the kernel's effect, or what the simulator finds wrong with it.
//
// What always holds: a launch is over when Launch returns. The device's memory is this process's; a launch may access all of it, and
// nothing else.
package simt

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cuda"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
	"github.com/tegula-lang/tegula/internal/lower"
	"github.com/tegula-lang/tegula/internal/target"
)

// Options say what kernels are lowered for, and how they are simulated.
type Options struct {
	Arch string // the NVIDIA GPU that is simulated, such as "90a"
	Sim  sim.Options
	// Limit, if not nil, takes away of what threads can do.
	Limit func(lower.Capabilities) lower.Capabilities
	// Watch, if not nil, sees each launch's function and what was found out besides the effect.
	Watch func(*lir.Func, *sim.Result)
}

// A Driver has one device.
type Driver struct {
	name    string
	options Options

	mu       sync.Mutex
	memories []*memory
}

// Register makes a back end and a driver under a name that nothing else has.
func Register(name string, o Options) *Driver {
	d := &Driver{name: name, options: o}
	target.Register(name, backend{d}, nil)
	driver.Register(name, d)
	return d
}

var made atomic.Int32

// New does so under a name of its own, so that a test that needs another driver may run twice in a process.
func New(o Options) *Driver { return Register(fmt.Sprintf("simulated%d", made.Add(1)), o) }

// Name gives the name that it is registered under.
func (d *Driver) Name() string { return d.name }

// Stream gives the device's stream.
func (d *Driver) Stream() driver.Stream { return driver.Stream{Backend: d.name, Handle: 1} }

// A backend lowers.
type backend struct{ driver *Driver }

// Policy is that of GPUs.
func (backend) Policy() target.Policy {
	gpu, err := target.Target{Backend: "cuda"}.Compiler()
	if err != nil {
		panic(err) // it is in the table
	}
	return gpu.Policy()
}

// Version changes with the compiler.
func (backend) Version() string { return "" }

// Keeps: a function is no bytes.
func (backend) Keeps() bool { return false }

// Compile lowers.
func (b backend) Compile(j target.Job) (*driver.Binary, error) {
	arch, err := cuda.ParseArch(b.driver.options.Arch)
	if err != nil {
		return nil, err
	}
	f, err := cuda.Lower(j.Module, arch, cuda.Options{Warps: j.Metadata.NumWarps, CTAs: j.Metadata.NumCTAs, Stages: j.Metadata.NumStages, LineText: j.LineText, Limit: b.driver.options.Limit})
	if err != nil {
		return nil, err
	}
	m := j.Metadata
	m.ThreadsPerWarp, m.Shared = f.WarpSize, f.SharedBytes
	m.Backends.Other = map[string]json.RawMessage{b.driver.name: json.RawMessage(`{}`)}
	return &driver.Binary{Metadata: m, Code: f}, nil
}

// Emits: the function.
func (backend) Emits() []string { return []string{"lir"} }

// Emit gives the function's text.
func (b backend) Emit(stage string, j target.Job) ([]byte, error) {
	bin, err := b.Compile(j)
	if err != nil {
		return nil, err
	}
	return []byte(bin.Code.(*lir.Func).String()), nil
}

// Devices lists the device.
func (d *Driver) Devices() ([]driver.Info, error) { return []driver.Info{d.Info()}, nil }

// Open opens the device.
func (d *Driver) Open(index int) (driver.Device, error) {
	if index != 0 {
		return nil, diag.New(diag.Driver, "no-device", "there is no device %s:%d", d.name, index)
	}
	return d, nil
}

// Current gives the stream.
func (d *Driver) Current() (driver.Stream, error) { return d.Stream(), nil }

// Info describes the device.
func (d *Driver) Info() driver.Info { return driver.Info{Backend: d.name, Name: "Simulator"} }

// Limits are those of a GPU.
func (d *Driver) Limits() driver.Limits {
	return driver.Limits{Grid: driver.Grid{math.MaxInt32, math.MaxUint16, math.MaxUint16}, Threads: 1024, Shared: 227 << 10, Cluster: 16}
}

// NewStream gives the stream.
func (d *Driver) NewStream() (driver.Stream, error) { return d.Stream(), nil }

// CloseStream does nothing.
func (d *Driver) CloseStream(s driver.Stream) error { return s.Check(d.name, 0) }

// Wait has nothing to wait for.
func (d *Driver) Wait(_ context.Context, s driver.Stream) error { return s.Check(d.name, 0) }

// Load takes a function.
func (d *Driver) Load(b *driver.Binary) (driver.Kernel, error) {
	f, ok := b.Code.(*lir.Func)
	if !ok {
		return nil, diag.New(diag.Driver, "not-lir", "kernel %s was compiled for %s", b.Metadata.Name, b.Metadata.Target)
	}
	return &kernel{d, f, b.Metadata}, nil
}

// A kernel is a loaded function.
type kernel struct {
	driver *Driver
	f      *lir.Func
	meta   *driver.KernelMetadata
}

// Function gives a number of the kernel's own.
func (k *kernel) Function() uintptr { return uintptr(unsafe.Pointer(k)) }

// Metadata gives the binary's.
func (k *kernel) Metadata() *driver.KernelMetadata { return k.meta }

// Close does nothing.
func (k *kernel) Close() error { return nil }

// Launch simulates.
func (k *kernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	if err := s.Check(k.driver.name, 0); err != nil {
		return err
	}
	args := make([]sim.Arg, len(l.Args))
	for i := range args {
		args[i].Bits = l.Args[i].Bits
	}
	r, err := sim.Run(ctx, k.f, sim.Launch{Grid: l.Grid, Args: args, Memory: k.driver.all(), Stdout: l.Stdout, Options: k.driver.options.Sim})
	if err == nil && k.driver.options.Watch != nil {
		k.driver.options.Watch(k.f, r)
	}
	return err
}

// A memory is memory of the device.
type memory struct {
	driver *Driver
	data   []byte
}

// alignment is that of all memory.
const alignment = 256

// Alloc gives memory.
func (d *Driver) Alloc(bytes int64) (driver.Memory, error) {
	if bytes < 0 || bytes > 1<<32 {
		return nil, diag.New(diag.Driver, "out-of-memory", "there is no allocating %d bytes", bytes)
	}
	buf := make([]byte, bytes+2*alignment) // what is next to it is no array's
	skip := int64(-uintptr(unsafe.Pointer(unsafe.SliceData(buf))) % alignment)
	m := &memory{d, buf[skip : skip+bytes : skip+bytes]}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memories = append(d.memories, m)
	return m, nil
}

// all gives all memory.
func (d *Driver) all() [][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([][]byte, len(d.memories))
	for i, m := range d.memories {
		list[i] = m.data
	}
	return list
}

// Address gives where the memory is.
func (m *memory) Address() uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))) }

// Bytes gives the size.
func (m *memory) Bytes() int64 { return int64(len(m.data)) }

// CopyIn writes.
func (m *memory) CopyIn(_ context.Context, s driver.Stream, offset int64, from []byte) error {
	copy(m.data[offset:], from)
	return s.Check(m.driver.name, 0)
}

// CopyOut reads.
func (m *memory) CopyOut(_ context.Context, s driver.Stream, offset int64, to []byte) error {
	copy(to, m.data[offset:])
	return s.Check(m.driver.name, 0)
}

// Free forgets the memory.
func (m *memory) Free() error {
	m.driver.mu.Lock()
	defer m.driver.mu.Unlock()
	m.driver.memories = slices.DeleteFunc(m.driver.memories, func(o *memory) bool { return o == m })
	return nil
}
