//go:build !linux

package npy

// addressSpace gives the bound on the process's address space; none is known here.
func addressSpace() (bytes, used int, ok bool) { return 0, 0, false }

// inHugePages asks for huge pages; there is no way to here.
func inHugePages([]byte) {}
