package cuda

import (
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// Backend is the name that the driver registers.
const Backend = "cuda"

var system = &cudaDriver{open: openLibrary}

func init() { driver.Register(Backend, system) }

// A cudaDriver has the devices of one library. The library is loaded when it is first needed, and again by
// whoever comes next if that fails.
type cudaDriver struct {
	open func() (func(name string) uintptr, error)

	mu  sync.Mutex
	api *api

	current atomic.Pointer[func() (driver.Stream, error)]
}

// library gives the library.
func (c *cudaDriver) library() (*api, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != nil {
		return c.api, nil
	}
	find, err := c.open()
	if err != nil {
		return nil, err
	}
	a, err := newAPI(find)
	if err != nil {
		return nil, err
	}
	c.api = a
	return a, nil
}

// count gives how many devices there are.
func (a *api) count() (int, error) {
	n := cell[int32]()
	err := a.err("cuDeviceGetCount", plain(a.deviceGetCount, address(n)))
	return int(*n), err
}

// Devices lists the devices. A machine whose driver has none is no error; one without a driver is.
func (c *cudaDriver) Devices() ([]driver.Info, error) {
	a, err := c.library()
	if is(err, noDevice) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n, err := a.count()
	if err != nil {
		return nil, err
	}
	list := make([]driver.Info, n)
	for i := range list {
		f, err := a.facts(i)
		if err != nil {
			return nil, err
		}
		list[i] = f.info
	}
	return list, nil
}

// Open makes a device ready for use.
func (c *cudaDriver) Open(index int) (driver.Device, error) {
	d, err := c.device(index)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (c *cudaDriver) device(index int) (*device, error) {
	a, err := c.library()
	if err != nil {
		return nil, err
	}
	n, err := a.count()
	if err != nil {
		return nil, err
	}
	switch {
	case index >= 0 && index < n:
		return a.newDevice(index)
	case n == 1:
		return nil, diag.New(diag.Driver, "no-device", "there is no device cuda:%d; cuda:0 is the only one", index)
	}
	return nil, diag.New(diag.Driver, "no-device", "there is no device cuda:%d; there are %d, from cuda:0 on", index, n)
}

// Current gives the stream that the function says that SetCurrent was given, or the first device's own.
func (c *cudaDriver) Current() (driver.Stream, error) {
	if f := c.current.Load(); f != nil {
		return (*f)()
	}
	d, err := driver.OpenDevice(Backend, 0)
	if err != nil {
		return driver.Stream{}, err
	}
	return d.Stream(), nil
}

// SetCurrent says how the current stream is found: that of a framework whose streams the program follows. With nil
// it is the first device's own again.
func SetCurrent(f func() (driver.Stream, error)) {
	if f == nil {
		system.current.Store(nil)
		return
	}
	system.current.Store(&f)
}

// The handles that CUDA has for its two default streams, where 0 means one of them.
const (
	legacyStream    = 1
	perThreadStream = 2
)

// StreamOf gives a stream that is somebody else's, such as a framework's current one, by its CUstream handle. 0
// is the legacy default stream.
func StreamOf(device int, handle uintptr) driver.Stream {
	if handle == 0 {
		handle = legacyStream
	}
	return driver.Stream{Backend: Backend, Device: device, Handle: handle}
}
