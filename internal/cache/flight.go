package cache

import "sync"

// GetOrPut gives the value of a key. If there is none, it gives and keeps what produce makes.
// Goroutines that ask for the same key at the same time wait for one of them to produce it, and
// share the value, which nobody may change. The error is produce's, and nobody's value; that a
// value could not be kept is told to Options.Warn.
func (c *Cache) GetOrPut(k Key, produce func() ([]byte, error)) ([]byte, error) {
	for {
		f, mine := c.flights.join(k)
		if mine {
			return c.fly(k, f, produce)
		}
		<-f.landed
		if !f.lost {
			return f.value, f.err
		}
	}
}

// A flight is the production of a value that several may wait for.
type flight struct {
	landed chan struct{} // closed when the fields below are there
	value  []byte
	err    error
	lost   bool // produce panicked or ended its goroutine; those who waited have to try themselves
}

// flights are the productions under way.
type flights struct {
	mu    sync.Mutex
	byKey map[Key]*flight
}

// join gives the flight of a key, and whether it is the caller's to make.
func (s *flights) join(k Key) (f *flight, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.byKey[k]; f != nil {
		return f, false
	}
	if s.byKey == nil {
		s.byKey = make(map[Key]*flight)
	}
	f = &flight{landed: make(chan struct{}), lost: true}
	s.byKey[k] = f
	return f, true
}

// land ends a flight.
func (s *flights) land(k Key, f *flight) {
	s.mu.Lock()
	delete(s.byKey, k)
	s.mu.Unlock()
	close(f.landed)
}

func (c *Cache) fly(k Key, f *flight, produce func() ([]byte, error)) ([]byte, error) {
	defer c.flights.land(k, f)
	if value, ok := c.Get(k); ok {
		f.value, f.lost = value, false
		return value, nil
	}
	value, err := produce()
	f.value, f.err, f.lost = value, err, false
	if err != nil {
		f.value = nil
		return nil, err
	}
	_ = c.Put(k, value) // Warn was told
	return value, nil
}
