package cuda

import (
	"runtime"
	"sync"
	"unsafe"
)

// maxArgs is how many arguments a function of the library may have: those of cuLaunchKernel.
const maxArgs = 11

// A block is a call in a context, as callInContext takes it. The assembly knows its layout.
type block struct {
	get, set uintptr // cuCtxGetCurrent, cuCtxSetCurrent
	context  uintptr
	fn       uintptr
	args     [maxArgs]uintptr
	before   uintptr // the context that was current
	// hopeful, if not 0, has the function called first, and the context looked at only if the library says that it is missing or
	// another one. It is for functions that then do nothing.
	hopeful uintptr
}

var blocks = sync.Pool{New: func() any { return new(block) }}

// call calls a function of the library while a context is current. What the arguments point to is on the heap, and
// stays where it is.
//
//go:uintptrescapes
func (a *api) call(context, fn uintptr, args ...uintptr) result {
	b := blocks.Get().(*block)
	b.get, b.set, b.context, b.fn = a.ctxGetCurrent, a.ctxSetCurrent, context, fn
	copy(b.args[:], args)
	r := b.do()
	clear(b.args[:])
	blocks.Put(b)
	return r
}

// A cell is memory that the library writes to. It is on the heap, so that it stays where it is whatever happens to the
// goroutine's stack; whoever made it keeps it until after the call.
//
//go:noinline
func cell[T any]() *T { return new(T) }

// address gives where a cell is.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// keep keeps cells until here.
func keep(cells ...any) { runtime.KeepAlive(cells) }

// foreign gives memory of the library's as a slice.
func foreign(p uintptr, bytes int) []byte {
	if p == 0 {
		return nil
	}
	// The library's memory is not Go's: it does not move. The indirection is for vet, which cannot know.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), bytes)
}
