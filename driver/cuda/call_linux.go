//go:build linux && !amd64

package cuda

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// do makes the call: makes a context current, calls a function and makes current what was before. The goroutine
// stays on its thread meanwhile.
func (b *block) do() result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r, _, _ := purego.SyscallN(b.get, address(&b.before)); r != 0 {
		return result(r)
	}
	if b.before != b.context {
		if r, _, _ := purego.SyscallN(b.set, b.context); r != 0 {
			return result(r)
		}
		if b.before != 0 { // none needs none: the next call finds this one
			defer purego.SyscallN(b.set, b.before)
		}
	}
	r, _, _ := purego.SyscallN(b.fn, b.args[:]...)
	return result(r)
}
