//go:build linux && amd64

package code

import (
	"fmt"
	"runtime"
	"runtime/debug"
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

// Entry gives the address of the code, good for as long as the Code is referred to.
func (c *Code) Entry() uintptr { return c.entry }

// Call runs the code with arg in rdi and gives what it leaves in rax. What arg points to must stay where it is and be
// kept alive. A memory fault of the code ends the call with a *Fault.
func (c *Code) Call(arg unsafe.Pointer) (result int64, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			clear()
			err = faultOf(r)
		}
	}()
	result = enter(c.entry, arg)
	runtime.KeepAlive(c)
	return result, nil
}

// faultOf makes an error of what the runtime panics with where a signal says that an instruction cannot be done.
func faultOf(r any) error {
	e, ok := r.(runtime.Error)
	if !ok {
		panic(r) // not of the code
	}
	if at, ok := r.(interface{ Addr() uintptr }); ok {
		return &Fault{Addr: at.Addr()}
	}
	return &Fault{Low: true, Err: e}
}

// enter and clear are in enter_amd64.s. clear leaves the vector registers as compiled code expects them.
//
//go:noescape
func enter(entry uintptr, arg unsafe.Pointer) int64

//go:noescape
func clear()
