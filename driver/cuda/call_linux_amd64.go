package cuda

import (
	"runtime"
	"unsafe"
)

// callInContext makes a context current, calls a function and makes current what was before. It is
// for the stack of C: the whole costs one change to it, and the goroutine cannot be moved to
// another thread meanwhile.
var callInContextABI0 uintptr

//go:linkname runtimeCgocall runtime.cgocall
func runtimeCgocall(fn uintptr, arg unsafe.Pointer) int32

// do makes the call.
func (b *block) do() result {
	r := runtimeCgocall(callInContextABI0, unsafe.Pointer(b))
	runtime.KeepAlive(b)
	return result(r)
}
