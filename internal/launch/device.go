package launch

import (
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/target"
)

// onDevice is what a kernel has on a device: its variants, and what launches have to know of the
// device.
type onDevice struct {
	backend string
	index   int
	device  driver.Device
	limits  driver.Limits
	target  target.Target
	policy  target.Policy
	can     target.Limits
	place   driver.Place
	facts   facts // the policy, as keys are made by it

	table   atomic.Pointer[table]
	mu      sync.Mutex
	pending map[string]*flight // the variants that are being compiled, by key
	made    uint32             // how many there were
}

// A flight is the compilation of a variant, which several may wait for.
type flight struct {
	landed  chan struct{}
	variant *variant // there once landed is closed
}

func newOnDevice(s driver.Stream, device driver.Device) (*onDevice, error) {
	d := &onDevice{
		backend: s.Backend, index: s.Device, device: device, limits: device.Limits(),
		target: target.Of(device.Info()), place: driver.PlaceOf(s.Backend, s.Device),
		pending: make(map[string]*flight),
	}
	backend, err := d.target.Compiler()
	if err != nil {
		return nil, err
	}
	d.policy, d.can = backend.Policy(), d.target.Limits()
	d.facts = factsOf(d.policy)
	d.table.Store(noVariants)
	return d, nil
}
