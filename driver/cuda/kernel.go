package cuda

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
)

// A kernel is a loaded function.
type kernel struct {
	device   *device
	module   uintptr
	function uintptr
	meta     *driver.KernelMetadata

	block   [3]uint32 // threads
	cluster [3]uint32 // CTAs
	args    []packed
	bytes   int // of the arguments
	attrs   []attribute
	frames  sync.Pool // of *frame

	refs  atomic.Int32 // who has the code: the one who loaded it, and graphs
	stays atomic.Bool  // somebody else's stream has it, and maybe a graph that was made of that
}

// A packed says where an argument goes.
type packed struct{ offset, size uint16 }

// An attribute is a CUlaunchAttribute.
type attribute struct {
	id    uint32
	_     uint32
	value [16]uint32
}

// The attributes of launches that are used.
const (
	launchCooperative  = 2
	launchCluster      = 4
	launchProgrammatic = 6
)

// A config is a CUlaunchConfig.
type config struct {
	grid, block [3]uint32
	shared      uint32
	stream      uintptr
	attrs       uintptr
	count       uint32
}

// The marks of the list that says where packed arguments are.
const (
	paramEnd     = 0
	paramPointer = 1
	paramSize    = 2
)

// A frame is the memory of one launch. It refers to itself by addresses, so it is on the heap.
type frame struct {
	block  block
	config config
	extra  [5]uintptr
	size   uintptr
	params []uint64 // the packed arguments
}

// shape computes what launches of the kernel share.
func (k *kernel) shape() {
	m, c := k.meta, k.meta.Backends.CUDA
	k.block = [3]uint32{uint32(m.NumWarps * m.ThreadsPerWarp), 1, 1}
	for i := range k.cluster {
		k.cluster[i] = uint32(max(c.Cluster[i], 1))
	}
	k.args = make([]packed, len(m.Args))
	for i, a := range m.Args {
		k.args[i] = packed{uint16(a.Offset), uint16(a.Size)}
	}
	k.bytes = m.ArgBytes()
	if m.NumCTAs > 1 {
		a := attribute{id: launchCluster}
		copy(a.value[:], k.cluster[:])
		k.attrs = append(k.attrs, a)
	}
	if c.Cooperative {
		k.attrs = append(k.attrs, attribute{id: launchCooperative, value: [16]uint32{1}})
	}
	if c.Programmatic {
		k.attrs = append(k.attrs, attribute{id: launchProgrammatic, value: [16]uint32{1}})
	}
}

// newFrame makes the memory of a launch, with all that does not change from one to the next.
func (k *kernel) newFrame() *frame {
	f, d, c := cell[frame](), k.device, k.meta.Backends.CUDA
	f.block.get, f.block.set, f.block.context = d.api.ctxGetCurrent, d.api.ctxSetCurrent, d.context
	f.block.hopeful = 1 // a function is launched in its own context or not at all
	var extra uintptr   // none where there are no arguments
	if k.bytes > 0 {
		f.params = make([]uint64, (k.bytes+7)/8)
		f.size = uintptr(k.bytes)
		f.extra = [5]uintptr{paramPointer, address(&f.params[0]), paramSize, address(&f.size), paramEnd}
		extra = address(&f.extra)
	}
	if len(k.attrs) == 0 {
		f.block.fn = d.api.launchKernel
		f.block.args = [maxArgs]uintptr{
			k.function, 0, 0, 0, uintptr(k.block[0]), uintptr(k.block[1]), uintptr(k.block[2]), uintptr(c.DynamicShared), 0, 0, extra,
		}
		return f
	}
	f.config = config{block: k.block, shared: uint32(c.DynamicShared), attrs: address(&k.attrs[0]), count: uint32(len(k.attrs))}
	f.block.fn = d.api.launchKernelEx
	f.block.args = [maxArgs]uintptr{address(&f.config), k.function, 0, extra}
	return f
}

// Function gives the CUfunction.
func (k *kernel) Function() uintptr { return k.function }

// Metadata gives the binary's, with the registers.
func (k *kernel) Metadata() *driver.KernelMetadata { return k.meta }

// Launch submits the kernel.
func (k *kernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	d := k.device
	if s != d.main {
		if err := k.checkStream(s); err != nil {
			return err
		}
	}
	if ctx.Done() != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d.captures.n.Load() > 0 {
		d.captures.add(k)
	}
	f, _ := k.frames.Get().(*frame)
	if f == nil {
		f = k.newFrame()
	}
	k.pack(f, l.Args)
	x, y, z := l.Grid[0]*k.cluster[0], l.Grid[1]*k.cluster[1], l.Grid[2]*k.cluster[2]
	if len(k.attrs) == 0 {
		f.block.args[1], f.block.args[2], f.block.args[3], f.block.args[8] = uintptr(x), uintptr(y), uintptr(z), s.Handle
	} else {
		f.config.grid, f.config.stream = [3]uint32{x, y, z}, s.Handle
	}
	r := f.block.do()
	k.frames.Put(f)
	runtime.KeepAlive(k)
	if r != success {
		return k.launchFailure(r)
	}
	return nil
}

// checkStream checks a stream that is not the device's own. The code stays if it is somebody else's: nobody says when
// its graphs are gone.
func (k *kernel) checkStream(s driver.Stream) error {
	if err := k.device.check(s); err != nil {
		return err
	}
	if _, ours := k.device.streams.state(s.Handle); !ours && !k.stays.Load() {
		k.stays.Store(true)
	}
	return nil
}

// pack puts the arguments where the function expects them.
func (k *kernel) pack(f *frame, args []driver.Arg) {
	base := unsafe.Pointer(unsafe.SliceData(f.params))
	for i, a := range k.args {
		at := unsafe.Add(base, a.offset)
		switch bits := args[i].Bits; a.size {
		case 8:
			*(*uint64)(at) = bits
		case 4:
			*(*uint32)(at) = uint32(bits)
		case 2:
			*(*uint16)(at) = uint16(bits)
		default:
			*(*uint8)(at) = uint8(bits)
		}
	}
}

// Close unloads the code, once no graph has it.
func (k *kernel) Close() error {
	if k.stays.Load() {
		return nil
	}
	return k.release()
}

// release lets go of the code. The last one unloads it.
func (k *kernel) release() error {
	if k.refs.Add(-1) > 0 {
		return nil
	}
	return k.device.call("cuModuleUnload", k.device.api.moduleUnload, k.module)
}
