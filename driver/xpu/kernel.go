package xpu

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// A kernel is a module's function, built for a device.
type kernel struct {
	device *device
	handle uintptr
	meta   *driver.KernelMetadata
	local  uint32    // work-items of a work-group
	args   []shimArg // sizes and kinds; the bits are each launch's
	calls  sync.Pool // of *submission
}

// A submission is the memory that a launch's arguments are passed in.
type submission struct {
	grid [3]uint32
	args []shimArg
}

func newKernel(d *device, handle uintptr, m *driver.KernelMetadata) *kernel {
	k := &kernel{device: d, handle: handle, meta: m, local: uint32(m.ThreadsPerWarp * m.NumWarps), args: make([]shimArg, len(m.Args))}
	for i, a := range m.Args {
		k.args[i].size = uint32(a.Size)
		if strings.HasPrefix(a.Type, "*") {
			k.args[i].pointer = 1
		}
	}
	return k
}

// Function gives the handle of the shim's kernel.
func (k *kernel) Function() uintptr { return k.handle }

// A Direct is what a launcher that is not written in Go submits the kernel with: tg_launch of the shim, the kernel's handle, the work-items of a
// work-group, and of each argument the size and whether it is an address. All of it is good as long as the kernel.
type Direct struct {
	Launch, Kernel uintptr
	Local          uint32
	Args           [][2]uint32
}

// Direct gives it.
func (k *kernel) Direct() Direct {
	d := Direct{Launch: k.device.shim.launch, Kernel: k.handle, Local: k.local, Args: make([][2]uint32, len(k.args))}
	for i, a := range k.args {
		d.Args[i] = [2]uint32{a.size, a.pointer}
	}
	return d
}

// Metadata gives the binary's.
func (k *kernel) Metadata() *driver.KernelMetadata { return k.meta }

// Close gives the kernel back. The runtime keeps what is still running.
func (k *kernel) Close() error {
	handle := k.handle
	k.handle = 0
	return call(k.device.shim.kernelFree, handle)
}

// Launch submits the kernel to the queue.
func (k *kernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	if err := s.Check(Backend, k.device.index); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if len(l.Args) != len(k.args) {
		return diag.New(diag.Driver, "arguments", "kernel %s takes %s and was given %d", k.meta.Name, count(len(k.args), "argument"), len(l.Args))
	}
	c, _ := k.calls.Get().(*submission)
	if c == nil {
		c = &submission{args: slices.Clone(k.args)}
	}
	c.grid = l.Grid
	for i := range c.args {
		c.args[i].bits = l.Args[i].Bits
	}
	err := call(k.device.shim.launch, s.Handle, k.handle, uintptr(unsafe.Pointer(&c.grid)), uintptr(k.local), address(c.args), uintptr(len(c.args)))
	runtime.KeepAlive(c)
	k.calls.Put(c)
	return err
}

// check compares what a kernel needs with what the device has.
func (d *device) check(m *driver.KernelMetadata) error {
	sizes := d.is.subGroups()
	if !slices.Contains(sizes, uint32(m.ThreadsPerWarp)) {
		return diag.New(diag.Unsupported, "sub-group-size", "kernel %s needs sub-groups of %d; %s offers %s",
			m.Name, m.ThreadsPerWarp, d.Info().Name, strings.Trim(fmt.Sprint(sizes), "[]"))
	}
	if f := d.is.lacks(m.Backends.XPU.Requires); f != "" {
		return diag.New(diag.Unsupported, "device-feature", "kernel %s needs %s, which %s does not have", m.Name, f, d.Info().Name)
	}
	limits := d.Limits()
	if threads := m.ThreadsPerWarp * m.NumWarps; threads > limits.Threads {
		return exceeds("threads", threads, limits.Threads, "", "use fewer warps")
	}
	if m.Shared > limits.Shared {
		return exceeds("local memory", m.Shared, limits.Shared, "bytes", "use smaller blocks or fewer stages")
	}
	return nil
}

// checkBuilt compares the kernel's work-groups with what the compiled code allows on the device.
func (k *kernel) checkBuilt() error {
	var threads, local uint64
	if err := call(k.device.shim.kernelIs, k.handle, uintptr(unsafe.Pointer(&threads)), uintptr(unsafe.Pointer(&local))); err != nil {
		return err
	}
	if uint64(k.local) > threads {
		return exceeds("threads", int(k.local), int(threads), "", "use fewer warps")
	}
	if limit := k.device.is.localMemory; local > limit {
		return exceeds("local memory", int(local), int(limit), "bytes", "use smaller blocks or fewer stages")
	}
	return nil
}

func exceeds(resource string, required, limit int, unit, hint string) error {
	r := &driver.OutOfResources{Resource: resource, Required: int64(required), Limit: int64(limit), Unit: unit, Hint: hint}
	e := diag.New(diag.OutOfResources, strings.ReplaceAll(resource, " ", "-"), "%s", r.Error())
	e.Cause = r
	return e
}
