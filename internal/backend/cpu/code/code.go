//go:build linux && amd64

package code

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// Supported says whether there is a way to run code on this platform.
const Supported = true

// A Code is executable machine code. Its memory is freed when nothing refers to the Code any more.
type Code struct {
	mem   []byte
	entry uintptr
}

// New copies machine code into executable memory.
func New(text []byte) (*Code, error) {
	if len(text) == 0 {
		return nil, fmt.Errorf("there is no code")
	}
	mem, err := syscall.Mmap(-1, 0, len(text), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("memory for code: %w", err)
	}
	copy(mem, text)
	if err := syscall.Mprotect(mem, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		_ = syscall.Munmap(mem)
		return nil, fmt.Errorf("executable memory: %w", err)
	}
	c := &Code{mem: mem, entry: uintptr(unsafe.Pointer(unsafe.SliceData(mem)))}
	runtime.AddCleanup(c, func(mem []byte) { _ = syscall.Munmap(mem) }, mem)
	return c, nil
}

// Call runs the code with arg in rdi. What arg points to must stay where it is and be kept alive.
func (c *Code) Call(arg unsafe.Pointer) {
	enter(c.entry, arg)
	runtime.KeepAlive(c)
}

// enter is in enter_amd64.s.
//
//go:noescape
func enter(entry uintptr, arg unsafe.Pointer)
