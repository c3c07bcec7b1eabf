//go:build unix

package npy

import (
	"math"
	"os"
	"syscall"
)

// reserve maps whole pages for at least n bytes between two guards. Nothing may touch those.
func reserve(n, guard int) ([]byte, error) {
	page := os.Getpagesize()
	if n > math.MaxInt-2*guard-2*page {
		return nil, syscall.ENOMEM
	}
	size := (n + alignment + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, size+2*guard, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	if err := syscall.Mprotect(all[guard:guard+size], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		_ = syscall.Munmap(all)
		return nil, err
	}
	return all, nil
}

// release unmaps what reserve mapped.
func release(all []byte) error { return syscall.Munmap(all) }
