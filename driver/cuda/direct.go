package cuda

import "github.com/tegula-lang/tegula/internal/diag"

// A Direct says how code that is not Go's submits a kernel without entering Go: it packs the arguments into a buffer and calls Launch,
// a cuLaunchKernel, or, if there are attributes, a cuLaunchKernelEx. If that misses Context, GetCurrent and SetCurrent make it current.
// Synchronize waits for a stream. A program instance is Cluster work-groups along each axis.
type Direct struct {
	Launch, GetCurrent, SetCurrent, Synchronize uintptr
	Context, Function                           uintptr
	Block, Cluster                              [3]uint32
	Shared                                      uint32
	Attrs                                       uintptr // an array of CUlaunchAttribute; 0: there are none
	NumAttrs                                    int
	Bytes                                       int         // of the buffer
	Args                                        [][2]uint16 // offset and size of each argument in it
}

// Direct gives how to submit the kernel. Nobody says when such a caller's graphs are gone, so the code stays loaded.
func (k *kernel) Direct() Direct {
	k.stays.Store(true)
	d := Direct{
		Launch: k.device.api.launchKernel, GetCurrent: k.device.api.ctxGetCurrent, SetCurrent: k.device.api.ctxSetCurrent,
		Synchronize: k.device.api.streamSynchronize,
		Context:     k.device.context, Function: k.function, Block: k.block, Cluster: k.cluster,
		Shared: uint32(k.meta.Backends.CUDA.DynamicShared), Bytes: k.bytes,
	}
	if len(k.attrs) > 0 {
		d.Launch, d.Attrs, d.NumAttrs = k.device.api.launchKernelEx, address(&k.attrs[0]), len(k.attrs)
	}
	for _, a := range k.args {
		d.Args = append(d.Args, [2]uint16{a.offset, a.size})
	}
	return d
}

// Failure makes the error of a direct submission that the library refused.
func (k *kernel) Failure(number int) *diag.Error {
	return k.launchFailure(result(number))
}
