package cpu

import (
	"sync"
	"unsafe"
)

// A stripe is a lock for some of all 32-bit words of memory, whatever launch and argument reaches them.
type stripe struct {
	sync.Mutex
	_ [64 - unsafe.Sizeof(sync.Mutex{})]byte // a cache line for each
}

var stripes [256]stripe

// stripeOf gives the lock of the word that holds an element.
func stripeOf(at unsafe.Pointer) *stripe {
	word := uintptr(at) / 4
	return &stripes[(word^word>>8)%uintptr(len(stripes))]
}
