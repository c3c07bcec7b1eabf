//go:build linux && amd64

package code

import (
	"sync"
	"syscall"
)

// RequestTiles asks the kernel, once, to let the process use the tiles of AMX, whose 8 KiB of state a thread has only then. It reports whether it
// may. The kernel refuses if some thread has a stack for signals that is too small for that state; Go's are 32 KiB.
var RequestTiles = sync.OnceValue(func() bool {
	const (
		requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM
		tileData          = 18
	)
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
})

// Intel is the vendor of Intel's processors.
const Intel = "GenuineIntel"

// Vendor gives the processor's maker, in the twelve letters that CPUID has for it.
func Vendor() string {
	b, d, c := vendor()
	var s []byte
	for _, w := range []uint32{b, d, c} {
		s = append(s, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return string(s)
}

// vendor gives ebx, edx and ecx of CPUID's leaf 0.
func vendor() (b, d, c uint32)
