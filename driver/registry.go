package driver

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/internal/diag"
)

// registry holds the drivers by backend, and the devices that were opened: each once.
var registry struct {
	sync.Mutex
	drivers map[string]Driver
	devices map[deviceID]*opened
	active  string // "" until Activate is called
}

type deviceID struct {
	backend string
	index   int
}

// String gives the name that Open reads.
func (d deviceID) String() string {
	if d.backend == "cpu" {
		return d.backend // there is one
	}
	return d.backend + ":" + strconv.Itoa(d.index)
}

// opened is a device that is open, or being opened.
type opened struct {
	once sync.Once
	dev  Device
	err  error
}

// Register makes a driver available under its backend's name. It is for init functions, and
// panics if the driver is nil or the name is taken.
func Register(backend string, d Driver) {
	registry.Lock()
	defer registry.Unlock()
	if d == nil {
		panic("driver: Register of a nil driver for " + backend)
	}
	if _, taken := registry.drivers[backend]; taken {
		panic("driver: Register called twice for " + backend)
	}
	if registry.drivers == nil {
		registry.drivers = make(map[string]Driver)
		registry.devices = make(map[deviceID]*opened)
	}
	registry.drivers[backend] = d
}

// Backends gives the names of the registered drivers, sorted.
func Backends() []string {
	registry.Lock()
	defer registry.Unlock()
	names := make([]string, 0, len(registry.drivers))
	for name := range registry.drivers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Devices lists the devices of a backend.
func Devices(backend string) ([]Info, error) {
	d, err := lookup(backend)
	if err != nil {
		return nil, err
	}
	return d.Devices()
}

// Open opens a device by name: "cpu", "cuda", "cuda:1". A name without a number means device
// 0. A device is opened once; later calls give the same.
func Open(name string) (Device, error) {
	backend, number, numbered := strings.Cut(name, ":")
	index := 0
	if numbered {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return nil, diag.New(diag.Driver, "bad-device", "%q is no device; %q would be the second one of %s", name, backend+":1", backend)
		}
		index = int(n)
	}
	return OpenDevice(backend, index)
}

// OpenDevice is Open of a name in parts.
func OpenDevice(backend string, index int) (Device, error) {
	d, err := lookup(backend)
	if err != nil {
		return nil, err
	}
	id := deviceID{backend, index}
	registry.Lock()
	o := registry.devices[id]
	if o == nil {
		o = &opened{}
		registry.devices[id] = o
	}
	registry.Unlock()
	o.once.Do(func() { o.dev, o.err = d.Open(index) })
	if o.err != nil { // let a later call try again
		registry.Lock()
		if registry.devices[id] == o {
			delete(registry.devices, id)
		}
		registry.Unlock()
	}
	return o.dev, o.err
}

// defaultBackend is active until Activate says otherwise: it is there on every machine.
const defaultBackend = "cpu"

// Activate makes a backend the active one: the one that Current asks.
func Activate(backend string) error {
	if _, err := lookup(backend); err != nil {
		return err
	}
	registry.Lock()
	defer registry.Unlock()
	registry.active = backend
	return nil
}

// Active gives the name of the active backend: the CPU's unless Activate said another.
func Active() string {
	registry.Lock()
	defer registry.Unlock()
	if registry.active == "" {
		return defaultBackend
	}
	return registry.active
}

// Current gives the active backend's current stream. It says which device is current, too.
// Launches of the Go API are given their stream; this is for those that are given none.
func Current() (Stream, error) {
	d, err := lookup(Active())
	if err != nil {
		return Stream{}, err
	}
	return d.Current()
}

func lookup(backend string) (Driver, error) {
	registry.Lock()
	d := registry.drivers[backend]
	registry.Unlock()
	if d != nil {
		return d, nil
	}
	e := diag.New(diag.Unsupported, "no-driver", "there is no driver for %q", backend)
	if known := Backends(); len(known) > 0 {
		e.Msg += "; there is one for " + strings.Join(known, ", ")
	}
	if path := packages[backend]; path != "" {
		e.Notes = append(e.Notes, diag.Note{Msg: "the program has to import " + path})
	}
	return nil, e
}

// packages are those of the drivers in this repository. A program has the drivers that it imports.
var packages = map[string]string{
	"cpu":       "github.com/tegula-lang/tegula/driver/cpu",
	"cuda":      "github.com/tegula-lang/tegula/driver/cuda",
	"cuda-mlir": "github.com/tegula-lang/tegula/driver/cudamlir",
	"xpu":       "github.com/tegula-lang/tegula/driver/xpu",
}
