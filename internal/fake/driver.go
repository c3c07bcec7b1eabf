package fake

import (
	"slices"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/target"
)

// Options say what the devices are like.
type Options struct {
	Devices int           // how many there are; 0 is one
	Limits  driver.Limits // of each; a grid of zeros is that of a GPU
	Policy  *target.Policy
	Shared  int    // the shared memory that every kernel needs
	Version string // of the backend
	Driver  string // of the driver
	// Finishes makes the devices Finishers.
	Finishes bool
	// Discard makes launches cost as little as they can: they are counted, and that is all.
	Discard bool
	// Unkept makes binaries that are not worth keeping on disk.
	Unkept bool
}

// A Launch is a launch that reached a device.
type Launch struct {
	Kernel   string
	Function uintptr
	Stream   driver.Stream
	Grid     driver.Grid
	Args     []driver.Arg
	Packed   []byte // the arguments as the metadata lay them out
	Metadata *driver.KernelMetadata
}

// A Driver has the devices of one fake backend.
type Driver struct {
	name    string
	options Options
	devices []*device

	mu       sync.Mutex
	launches []Launch
	current  driver.Stream
	failure  error // of the next load
	compiles int
	finishes int
	loads    int
	closes   int
}

// Register makes a backend of its own under a name that nobody else has, and registers it and its
// driver.
func Register(name string, o Options) *Driver {
	d := RegisterDriver(name, o)
	target.Register(name, backend{d}, func(arch string) bool { return arch == d.devices[0].Info().Arch })
	return d
}

// RegisterDriver registers the driver alone. Its devices load what Image gives.
func RegisterDriver(name string, o Options) *Driver {
	if o.Limits.Grid == (driver.Grid{}) {
		o.Limits.Grid = driver.Grid{1<<31 - 1, 1<<16 - 1, 1<<16 - 1}
	}
	if o.Policy == nil {
		o.Policy = &target.Policy{EqualOne: true, Divisibility: 16}
	}
	d := &Driver{name: name, options: o}
	for i := range max(o.Devices, 1) {
		d.devices = append(d.devices, newDevice(d, i))
	}
	d.current = d.devices[0].Stream()
	driver.Register(name, d)
	return d
}

// Devices lists the devices.
func (d *Driver) Devices() ([]driver.Info, error) {
	list := make([]driver.Info, len(d.devices))
	for i, dev := range d.devices {
		list[i] = dev.Info()
	}
	return list, nil
}

// Open opens a device.
func (d *Driver) Open(index int) (driver.Device, error) {
	if index < 0 || index >= len(d.devices) {
		return nil, diag.New(diag.Driver, "no-device", "there is no device %s:%d", d.name, index)
	}
	if d.options.Finishes {
		return finisher{d.devices[index]}, nil
	}
	return d.devices[index], nil
}

// Current gives the stream that SetCurrent made current.
func (d *Driver) Current() (driver.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current, nil
}

// SetCurrent makes a stream the current one, as a framework would.
func (d *Driver) SetCurrent(s driver.Stream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.current = s
}

// Stream gives the stream that a device always has.
func (d *Driver) Stream(index int) driver.Stream { return d.devices[index].Stream() }

// Launches gives the launches so far, in the order in which they came.
func (d *Driver) Launches() []Launch {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.launches)
}

// FailNextLoad makes the next load fail.
func (d *Driver) FailNextLoad(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = err
}

// SetVersion changes the driver's version, as an update of it would.
func (d *Driver) SetVersion(v string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.options.Driver = v
}

// SetBackendVersion changes the version of the backend, as an update of it would.
func (d *Driver) SetBackendVersion(v string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.options.Version = v
}

// Counts are how often something was done.
type Counts struct{ Compiles, Finishes, Loads, Closes int }

// Counts gives how often things were done so far.
func (d *Driver) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Counts{d.compiles, d.finishes, d.loads, d.closes}
}

// count counts something.
func (d *Driver) count(n *int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*n++
}
