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
