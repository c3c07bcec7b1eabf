package cuda

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// A device is a GPU with its primary context.
type device struct {
	api     *api
	facts   facts
	context uintptr
	main    driver.Stream // the one that is always there

	prints   sync.Once // before the first kernel that prints is loaded
	streams  streams   // those that this package made
	captures captures  // those that go on
}

// facts are what is known of a device before it is opened.
type facts struct {
	info   driver.Info
	limits driver.Limits
	handle uintptr // CUdevice
	cc     int     // the compute capability: 90 is 9.0
}

// The attributes of devices that this package asks for.
const (
	attrThreads       = 1
	attrGridX         = 5
	attrGridY         = 6
	attrGridZ         = 7
	attrRegisters     = 12
	attrMajor         = 75
	attrMinor         = 76
	attrSharedOptin   = 97
	attrClusterLaunch = 120
)

// portableCluster is the size of a cluster that every device with clusters can run. Some run larger ones, of some
// kernels; what a kernel can have is asked when it is loaded.
const (
	portableCluster = 8
	largestCluster  = 16
)

// leastCC is the oldest compute capability that code is made for.
const leastCC = 75

// facts asks for what is known of a device.
func (a *api) facts(index int) (facts, error) {
	dev := cell[int32]()
	if err := a.err("cuDeviceGet", plain(a.deviceGet, address(dev), uintptr(index))); err != nil {
		return facts{}, err
	}
	f := facts{handle: uintptr(*dev)}
	name := cell[[256]byte]()
	if err := a.err("cuDeviceGetName", plain(a.deviceGetName, address(name), uintptr(len(name)), f.handle)); err != nil {
		return facts{}, err
	}
	text, _, _ := bytes.Cut(name[:], []byte{0})
	var err error
	ask := func(attr int) int {
		n, e := a.attribute(f.handle, attr)
		if err == nil {
			err = e
		}
		return n
	}
	f.cc = 10*ask(attrMajor) + ask(attrMinor)
	f.info = driver.Info{Backend: Backend, Index: index, Name: string(text), Version: a.driverVersion(), Arch: arch(f.cc)}
	f.limits = driver.Limits{
		Grid:    driver.Grid{uint32(ask(attrGridX)), uint32(ask(attrGridY)), uint32(ask(attrGridZ))},
		Threads: ask(attrThreads), Shared: ask(attrSharedOptin), Registers: ask(attrRegisters), Cluster: 1,
	}
	if ask(attrClusterLaunch) != 0 {
		f.limits.Cluster = largestCluster
	}
	return f, err
}

func (a *api) attribute(dev uintptr, attr int) (int, error) {
	n := cell[int32]()
	err := a.err("cuDeviceGetAttribute", plain(a.deviceGetAttribute, address(n), uintptr(attr), dev))
	return int(*n), err
}

// arch names the architecture that code for a device is compiled for. From compute capability 9.0 on
// each has features of its own, which code for it alone may use.
func arch(cc int) string {
	if cc >= 90 {
		return strconv.Itoa(cc) + "a"
	}
	return strconv.Itoa(cc)
}

// driverVersion gives the version of CUDA that the driver offers, and the driver's own where the system tells it: its
// compiler changes with every one.
func (a *api) driverVersion() string {
	module, err := os.ReadFile("/sys/module/nvidia/version")
	if err != nil {
		return a.versionName()
	}
	return a.versionName() + " (" + strings.TrimSpace(string(module)) + ")"
}

// newDevice makes a device ready: its context, and a stream.
func (a *api) newDevice(index int) (*device, error) {
	f, err := a.facts(index)
	if err != nil {
		return nil, err
	}
	if f.cc < leastCC {
		return nil, diag.New(diag.Unsupported, "old-device", "cuda:%d, %s, has compute capability %d.%d; %d.%d is the least",
			index, f.info.Name, f.cc/10, f.cc%10, leastCC/10, leastCC%10)
	}
	context := cell[uintptr]()
	if err := a.err("cuDevicePrimaryCtxRetain", plain(a.devicePrimaryCtxRetain, address(context), f.handle)); err != nil {
		return nil, err
	}
	d := &device{api: a, facts: f, context: *context}
	if d.main, err = d.NewStream(); err != nil {
		return nil, err
	}
	return d, nil
}

// call calls a function of the library in the device's context.
//
//go:uintptrescapes
func (d *device) call(name string, fn uintptr, args ...uintptr) error {
	if r := d.api.call(d.context, fn, args...); r != success {
		return d.api.failure(name, r)
	}
	return nil
}

// Info describes the device.
func (d *device) Info() driver.Info { return d.facts.info }

// Limits gives what the device can take.
func (d *device) Limits() driver.Limits { return d.facts.limits }

// Stream gives the stream that is always there.
func (d *device) Stream() driver.Stream { return d.main }

// Wait returns when all that was submitted to a stream is done.
func (d *device) Wait(ctx context.Context, s driver.Stream) error {
	if err := d.check(s); err != nil {
		return err
	}
	return wait(ctx,
		func() (bool, error) { return d.ready("cuStreamQuery", d.api.streamQuery, s.Handle) },
		func() error { return d.call("cuStreamSynchronize", d.api.streamSynchronize, s.Handle) })
}

// ready asks whether a stream or an event is done.
func (d *device) ready(name string, fn, handle uintptr) (bool, error) {
	switch r := d.api.call(d.context, fn, handle); r {
	case success:
		return true, nil
	case notReady:
		return false, nil
	default:
		return false, d.api.failure(name, r)
	}
}
