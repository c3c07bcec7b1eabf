package npy

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// inHugePages asks for huge pages, from which nothing but speed comes: an error is none.
func inHugePages(data []byte) {
	page := os.Getpagesize()
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) & (page - 1)
	if skip < len(data) {
		_ = syscall.Madvise(data[skip:], syscall.MADV_HUGEPAGE)
	}
}

// headroom is what the runtime needs besides, for its own tables and stacks.
const headroom = 1 << 28

// addressSpace gives the bound on the process's address space, and how much of it is taken.
func addressSpace() (bytes, used int, ok bool) {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &r); err != nil || r.Cur > math.MaxInt {
		return 0, 0, false
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0, false
	}
	pages, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.Atoi(pages)
	return int(r.Cur), n*os.Getpagesize() + headroom, err == nil
}
