//go:build !linux || !amd64

package code

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Supported says whether there is a way to run code on this platform.
const Supported = false

// A Code is executable machine code; there is none on this platform.
type Code struct{}

// New refuses.
func New([]byte) (*Code, error) {
	return nil, fmt.Errorf("native code is not run on %s/%s", runtime.GOOS, runtime.GOARCH)
}

// Entry is never reached, as there is no Code.
func (*Code) Entry() uintptr { return 0 }

// Call is never reached, as there is no Code.
func (*Code) Call(unsafe.Pointer) (int64, error) { return 0, nil }
