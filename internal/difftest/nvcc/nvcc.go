// Package nvcc is a back end and a driver for tests: kernels are printed as CUDA C++, compiled by NVIDIA's nvcc, and run on an NVIDIA GPU.
//
// In: what a back end and a driver are given. Out: what the kernel does, by way of its text.
//
// What always holds: nvcc has no warning for the text, or there is an error.
package nvcc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	_ "github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/internal/backend/cuda"
	"github.com/tegula-lang/tegula/internal/backend/cudacpp"
	"github.com/tegula-lang/tegula/internal/target"
)

// Name is the back end's and the driver's.
const Name = "cuda-nvcc"

// variable names nvcc.
const variable = "TEGULA_NVCC"

// Compiler gives the path of nvcc, which TEGULA_NVCC says.
func Compiler() (string, error) {
	if path := os.Getenv(variable); path != "" {
		return path, nil
	}
	return "", errors.New(variable + " names no nvcc")
}

// Cubin compiles a text for an architecture. Warnings are errors.
func Cubin(text []byte, arch string) ([]byte, error) {
	compiler, err := Compiler()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nvcc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	from, to := filepath.Join(dir, "kernel.cu"), filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(from, text, 0o644); err != nil {
		return nil, err
	}
	if out, err := exec.Command(compiler, "-arch=sm_"+arch, "-Werror", "all-warnings", "-cubin", "-o", to, from).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(to)
}

// Text prints a job's kernel.
func Text(j target.Job) ([]byte, *cuda.Kernel, error) {
	arch, err := cuda.ParseArch(j.Target.Arch)
	if err != nil {
		return nil, nil, err
	}
	m := j.Metadata
	f, err := cuda.Lower(j.Module, arch, cuda.Options{Warps: m.NumWarps, CTAs: m.NumCTAs, Stages: m.NumStages, LineText: j.LineText, Unfused: j.Unfused, Limit: cudacpp.Can})
	if err != nil {
		return nil, nil, err
	}
	k := &cuda.Kernel{LIR: f, Arch: arch, Entry: cuda.Symbol(f.Name), Needs: arch.PTX(), Shared: f.SharedBytes}
	text, err := cudacpp.Print(f, cudacpp.Options{Entry: k.Entry, Arch: arch.Name, LineText: j.LineText})
	return text, k, err
}

var once sync.Once

// Register registers the back end.
func Register() {
	once.Do(func() { target.Register(Name, backend{}, func(string) bool { return true }) })
}

// Open registers the back end and the driver, once, and gives the stream of the first GPU. The error says what is missing.
var Open = sync.OnceValues(func() (driver.Stream, error) {
	if _, err := Compiler(); err != nil {
		return driver.Stream{}, err
	}
	d, err := driver.OpenDevice("cuda", 0)
	if err != nil {
		return driver.Stream{}, err
	}
	dev := &device{d}
	Register()
	driver.Register(Name, opener{dev})
	return renamed(d.Stream()), nil
})

// renamed gives a stream of the GPU's as one of this driver's, and original the other way round.
func renamed(s driver.Stream) driver.Stream  { s.Backend = Name; return s }
func original(s driver.Stream) driver.Stream { s.Backend = "cuda"; return s }

type backend struct{}

func (backend) Policy() target.Policy {
	gpu, err := target.Target{Backend: "cuda"}.Compiler()
	if err != nil {
		panic(err) // it is in the table
	}
	return gpu.Policy()
}

func (backend) Version() string { return "" }

func (backend) Keeps() bool { return false }

func (backend) Compile(j target.Job) (*driver.Binary, error) {
	text, k, err := Text(j)
	if err != nil {
		return nil, err
	}
	image, err := Cubin(text, k.Arch.Name)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	k.Complete(j.Metadata)
	j.Metadata.Backends.Other = map[string]json.RawMessage{Name: json.RawMessage(`{}`)}
	return &driver.Binary{Metadata: j.Metadata, Image: image}, nil
}

func (backend) Emits() []string { return []string{"cuda"} }

func (backend) Emit(_ string, j target.Job) ([]byte, error) {
	text, _, err := Text(j)
	return text, err
}

// An opener has the device.
type opener struct{ d *device }

func (o opener) Devices() ([]driver.Info, error) { return []driver.Info{o.d.Info()}, nil }

func (o opener) Open(index int) (driver.Device, error) {
	if index != 0 {
		return nil, fmt.Errorf("there is no device %s:%d", Name, index)
	}
	return o.d, nil
}

func (o opener) Current() (driver.Stream, error) { return o.d.Stream(), nil }

// A device is the GPU under another name.
type device struct{ gpu driver.Device }

func (d *device) Info() driver.Info {
	i := d.gpu.Info()
	i.Backend = Name
	return i
}

func (d *device) Limits() driver.Limits { return d.gpu.Limits() }

func (d *device) Stream() driver.Stream { return renamed(d.gpu.Stream()) }

func (d *device) NewStream() (driver.Stream, error) {
	s, err := d.gpu.NewStream()
	return renamed(s), err
}

func (d *device) CloseStream(s driver.Stream) error { return d.gpu.CloseStream(original(s)) }

func (d *device) Wait(ctx context.Context, s driver.Stream) error {
	return d.gpu.Wait(ctx, original(s))
}

func (d *device) Alloc(bytes int64) (driver.Memory, error) {
	m, err := d.gpu.Alloc(bytes)
	return memory{m}, err
}

func (d *device) Load(b *driver.Binary) (driver.Kernel, error) {
	k, err := d.gpu.Load(b)
	return kernel{k}, err
}

type memory struct{ driver.Memory }

func (m memory) CopyIn(ctx context.Context, s driver.Stream, offset int64, from []byte) error {
	return m.Memory.CopyIn(ctx, original(s), offset, from)
}

func (m memory) CopyOut(ctx context.Context, s driver.Stream, offset int64, to []byte) error {
	return m.Memory.CopyOut(ctx, original(s), offset, to)
}

type kernel struct{ driver.Kernel }

func (k kernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	return k.Kernel.Launch(ctx, original(s), l)
}
