package shadow

import (
	"maps"
	"sync"
)

// maxClock bounds how many instances a clock tells apart. One that would know more counts as after everything.
const maxClock = 1024

// maxPlaces bounds how many addresses have a clock of their own; further ones share one.
const maxPlaces = 1 << 16

// A clock is what is known to be over: for each instance the first time that is not.
type clock struct {
	before map[uint32]uint16
	all    bool // everything so far
}

func (c *clock) join(d *clock) {
	if c.all || !d.all && len(d.before) == 0 {
		return
	}
	if d.all || len(c.before)+len(d.before) > 2*maxClock {
		*c = clock{all: true}
		return
	}
	for n, t := range d.before {
		c.set(n, t)
	}
}

func (c *clock) set(n uint32, t uint16) {
	if c.all {
		return
	}
	if c.before == nil {
		c.before = make(map[uint32]uint16)
	}
	c.before[n] = max(c.before[n], t)
	if len(c.before) > maxClock {
		*c = clock{all: true}
	}
}

// An Actor is a running program instance. It is used by one goroutine at a time.
type Actor struct {
	number uint32 // from 1
	time   uint16 // grows with each release; at its end what the instance does counts as ordered
	seen   clock
}

const endOfTime = 1<<16 - 1

// Begin makes a the program instance of a number.
func (a *Actor) Begin(number int64) {
	a.number, a.time = uint32(number)+1, 0
	a.seen.all = false
	clear(a.seen.before)
}

// after reports whether a's next access is ordered after s.
func (a *Actor) after(s Stamp) bool {
	n := uint32(s >> programShift)
	if n == a.number || a.seen.all || s.time() == endOfTime {
		return true
	}
	return len(a.seen.before) > 0 && a.seen.before[n] > s.time()
}

// An Order is what the atomics of one launch order.
type Order struct {
	mu     sync.Mutex
	places map[uint64]*clock
	shared clock
}

// Begin comes before an atomic that orders; nobody else's happens until its End.
func (o *Order) Begin() { o.mu.Lock() }

// End comes after a's atomic at an address. If it releases, what a did before is before what those do who
// acquire at this address later.
func (o *Order) End(a *Actor, address uint64, acquires, releases bool) {
	defer o.mu.Unlock()
	c := o.at(address)
	if acquires {
		a.seen.join(c)
	}
	if !releases {
		return
	}
	c.join(&a.seen)
	if a.time < endOfTime {
		a.time++
	}
	c.set(a.number, a.time)
}

func (o *Order) at(address uint64) *clock {
	if c := o.places[address]; c != nil {
		return c
	}
	if len(o.places) >= maxPlaces {
		return &o.shared
	}
	if o.places == nil {
		o.places = make(map[uint64]*clock)
	}
	c := &clock{}
	o.places[address] = c
	return c
}

// Size gives the number of addresses that instances synchronised at, and the instances known there.
func (o *Order) size() (places, known int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range maps.Values(o.places) {
		known += len(c.before)
	}
	return len(o.places), known
}
