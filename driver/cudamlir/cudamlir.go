package cudamlir

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/internal/backend/cudamlir"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// Backend is the name that the driver registers.
const Backend = cudamlir.Backend

// SetPython names the interpreter whose Triton compiles, where the environment names none.
func SetPython(path string) { cudamlir.SetPython(path) }

func init() { driver.Register(Backend, gpus{}) }

// gpus are the devices of driver/cuda.
type gpus struct{}

// Devices lists them. Why there are none, driver/cuda says.
func (gpus) Devices() ([]driver.Info, error) {
	list, err := driver.Devices(cuda.Backend)
	if err != nil {
		return nil, nil
	}
	for i := range list {
		list[i].Backend = Backend
	}
	return list, nil
}

// Open makes a device ready for use.
func (gpus) Open(index int) (driver.Device, error) {
	d, err := cuda.Open(index)
	if err != nil {
		return nil, err
	}
	return &device{d.Driver(), d}, nil
}

// Current gives the first device's own stream.
func (gpus) Current() (driver.Stream, error) {
	d, err := driver.OpenDevice(Backend, 0)
	if err != nil {
		return driver.Stream{}, err
	}
	return d.Stream(), nil
}

// theirs gives a stream as driver/cuda knows it, ours as this package does.
func theirs(s driver.Stream) driver.Stream {
	if s.Backend == Backend {
		s.Backend = cuda.Backend
	}
	return s
}

func ours(s driver.Stream) driver.Stream {
	if s.Backend == cuda.Backend {
		s.Backend = Backend
	}
	return s
}

// A device is one of driver/cuda's.
type device struct {
	driver.Device
	gpu *cuda.Device
}

// Info describes the device.
func (d *device) Info() driver.Info {
	info := d.Device.Info()
	info.Backend = Backend
	return info
}

// Stream gives the stream that is always there.
func (d *device) Stream() driver.Stream { return ours(d.Device.Stream()) }

// NewStream makes a further stream.
func (d *device) NewStream() (driver.Stream, error) {
	s, err := d.Device.NewStream()
	return ours(s), err
}

// CloseStream ends a stream.
func (d *device) CloseStream(s driver.Stream) error { return d.Device.CloseStream(theirs(s)) }

// Wait returns when all that was submitted to a stream is done.
func (d *device) Wait(ctx context.Context, s driver.Stream) error {
	return d.Device.Wait(ctx, theirs(s))
}

// Alloc gives memory of the device.
func (d *device) Alloc(bytes int64) (driver.Memory, error) {
	m, err := d.Device.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	return memory{m}, nil
}

// A memory is one of driver/cuda's.
type memory struct{ driver.Memory }

// CopyIn writes in the stream's order.
func (m memory) CopyIn(ctx context.Context, s driver.Stream, offset int64, from []byte) error {
	return m.Memory.CopyIn(ctx, theirs(s), offset, from)
}

// CopyOut reads in the stream's order.
func (m memory) CopyOut(ctx context.Context, s driver.Stream, offset int64, to []byte) error {
	return m.Memory.CopyOut(ctx, theirs(s), offset, to)
}

// Load makes Triton's code ready to launch.
func (d *device) Load(b *driver.Binary) (driver.Kernel, error) {
	var s cudamlir.Section
	section, ok := b.Metadata.Backends.Other[Backend]
	if !ok || json.Unmarshal(section, &s) != nil {
		return nil, diag.New(diag.Driver, "not-cuda", "kernel %s was compiled for %s and cannot be loaded as Triton's code", b.Metadata.Name, b.Metadata.Target)
	}
	loaded, err := d.Device.Load(&driver.Binary{Metadata: asCUDA(b.Metadata, &s), Image: b.Image})
	if err != nil {
		return nil, err
	}
	return &kernel{loaded, d.gpu, b.Metadata, s}, nil
}

// asCUDA gives metadata as driver/cuda reads them, with the addresses that Triton's functions take after the arguments.
func asCUDA(m *driver.KernelMetadata, s *cudamlir.Section) *driver.KernelMetadata {
	own := *m
	own.Target, own.NumWarps, own.Shared = cuda.Backend, s.Warps, s.Shared
	own.Args = slices.Clone(m.Args)
	at := m.ArgBytes()
	for len(own.Args) < s.Params {
		at = (at + 7) &^ 7
		own.Args = append(own.Args, driver.MetadataArg{Name: "scratch", Type: "*i8", Size: 8, Offset: at, Align: 8, DivisibleBy: 1})
		at += 8
	}
	own.Backends = driver.MetadataBackends{CUDA: &driver.CUDAMetadata{
		Entry: s.Entry, DynamicShared: s.Shared, Cluster: [3]int{max(m.NumCTAs, 1), 1, 1},
	}}
	return &own
}

// A kernel is a loaded function.
type kernel struct {
	driver.Kernel
	gpu     *cuda.Device
	meta    *driver.KernelMetadata
	section cudamlir.Section
}

// Metadata gives the binary's.
func (k *kernel) Metadata() *driver.KernelMetadata { return k.meta }

// Launch submits the kernel with the memory that Triton's code asks for.
func (k *kernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	own := *l
	own.Args = slices.Clone(l.Args)
	ctas := int64(l.Grid[0]) * int64(l.Grid[1]) * int64(l.Grid[2]) * int64(max(k.meta.NumCTAs, 1))
	for _, bytes := range []int64{k.section.Scratch, k.section.Profile} {
		if len(own.Args) == k.section.Params {
			break
		}
		arg := driver.Arg{}
		if bytes > 0 {
			b, err := k.gpu.AllocOn(theirs(s), dtype.Uint8, int(ctas*bytes))
			if err != nil {
				return err
			}
			defer b.Free()
			arg.Bits = b.Address
		}
		own.Args = append(own.Args, arg)
	}
	for len(own.Args) < k.section.Params {
		own.Args = append(own.Args, driver.Arg{})
	}
	return k.Kernel.Launch(ctx, theirs(s), &own)
}
