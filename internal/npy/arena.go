package npy

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// alignment is that of an array in an Arena: a line of the cache, and the widest vector. So many bytes less one may lie between the
// end of an array and its guard.
const alignment = 64

// guards are the sizes to try for what lies before and after an array in an Arena: addresses without memory, that cost nothing but
// themselves. The first is what a 32-bit index of 8-byte elements reaches. Where the addresses themselves are bounded, it is the last.
var guards = []int{16 << 30, 1 << 30, 64 << 20, smallGuard}

const smallGuard = 64 << 10

// mapped is how many bytes the arrays of all arenas have: the runtime does not count them.
var mapped atomic.Int64

// An Arena makes arrays whose memory lies alone: what is before and after it cannot be accessed, so that code which leaves an array faults
// instead of hitting something else. The nil Arena makes ordinary arrays. It is safe for concurrent use.
type Arena struct {
	mu      sync.Mutex
	regions []region
}

// A region is what was mapped for an array: its bytes and the guards around them.
type region struct {
	all  []byte
	used int
}

// New is the function New, with the arena's memory.
func (a *Arena) New(d dtype.DType, shape ...int) (*Array, error) {
	n, err := Size(d, shape)
	if err != nil {
		return nil, err
	}
	data, err := a.alloc(n)
	if err != nil {
		return nil, err
	}
	return &Array{DType: d, Shape: shape, Data: data}, nil
}

// alloc gives n zero bytes. It fails if the machine has not the memory.
func (a *Arena) alloc(n int) ([]byte, error) {
	if err := fits(n); err != nil {
		return nil, err
	}
	if a == nil {
		return alloc(n), nil
	}
	sizes := guards
	if _, _, bounded := addressSpace(); bounded {
		sizes = []int{smallGuard}
	}
	for _, guard := range sizes {
		all, err := reserve(n, guard)
		if err != nil {
			continue
		}
		a.mu.Lock()
		a.regions = append(a.regions, region{all, n})
		a.mu.Unlock()
		mapped.Add(int64(n))
		end := len(all) - guard
		start := (end - n) / alignment * alignment
		data := all[start : start+n : start+n]
		if n >= hugeFrom {
			inHugePages(data)
		}
		return data, nil
	}
	return alloc(n), nil // a system without such memory
}

// Free gives the memory of all the arena's arrays back. Nothing may touch them any more.
func (a *Arena) Free() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, r := range a.regions {
		mapped.Add(int64(-r.used))
		errs = append(errs, release(r.all))
	}
	a.regions = nil
	return errors.Join(errs...)
}
