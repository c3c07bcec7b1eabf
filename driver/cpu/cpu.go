package cpu

import (
	"context"
	"math"
	"runtime"
	"sync"
	"unsafe"

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

func info() driver.Info {
	return driver.Info{
		Backend: Backend,
		Name:    processorName(),
		Arch:    runtime.GOARCH,
	}
}

type device struct{}

// Info describes the device.
func (device) Info() driver.Info { return info() }

// Limits gives what the numbering of programs allows.
func (device) Limits() driver.Limits {
	return driver.Limits{Grid: driver.Grid{math.MaxInt32, math.MaxInt32, math.MaxInt32}}
}

// Stream gives the device's stream.
func (device) Stream() driver.Stream { return stream }

// Load takes a program.
func (device) Load(b *driver.Binary) (driver.Kernel, error) {
	switch p := b.Code.(type) {
	case *cpu.Program:
		return &kernel{program: p}, nil
	case *native.Dual:
		return &nativeKernel{code: p.Native, checked: kernel{program: p.Checked}}, nil
	default:
		return nil, diag.New(diag.Driver, "not-a-program", "kernel %s was compiled for %s and cannot be loaded on the cpu", b.Name, b.Target)
	}
}

type kernel struct {
	program *cpu.Program
	args    sync.Pool // of *arguments
}

// arguments is the memory that a launch's arguments are converted in.
type arguments struct {
	args   []cpu.Arg
	arrays []cpu.Array
}

// Launch runs the kernel.
func (k *kernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	if err := s.Check(Backend, 0); err != nil {
		return err
	}
	a, _ := k.args.Get().(*arguments)
	if a == nil {
		a = &arguments{}
	}
	defer k.release(a)
	return k.program.Run(ctx, cpu.Launch{
		Grid:   [3]int32{int32(l.Grid[0]), int32(l.Grid[1]), int32(l.Grid[2])},
		Args:   a.convert(l.Args),
		Stdout: l.Stdout,
	})
}

// release keeps the memory for later launches, and no array alive.
func (k *kernel) release(a *arguments) {
	clear(a.args)
	clear(a.arrays)
	k.args.Put(a)
}

func (a *arguments) convert(in []driver.Arg) []cpu.Arg {
	if cap(a.args) < len(in) {
		a.args, a.arrays = make([]cpu.Arg, len(in)), make([]cpu.Array, len(in))
	}
	a.args, a.arrays = a.args[:len(in)], a.arrays[:len(in)]
	for i, arg := range in {
		a.args[i] = cpu.Arg{Bits: arg.Bits}
		if m := arg.Array; m != nil {
			a.arrays[i] = cpu.Array{
				Name:      m.Name,
				Base:      unsafe.Pointer(unsafe.SliceData(m.Host)),
				Bytes:     int64(len(m.Host)),
				ElemBytes: m.ElemBytes,
			}
			a.args[i].Array = &a.arrays[i]
		}
	}
	return a.args
}
