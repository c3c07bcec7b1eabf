package cuda

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A fakeCUDA is a library like the driver's, whose functions are Go's, called as C calls them. It has memory, which
// copies read and write, and notes launches. It runs nothing.
type fakeCUDA struct {
	version int
	devices int
	attrs   map[int]int       // of devices, and in place of the usual ones
	fail    map[string]result // what functions give, instead of doing anything
	lacks   []string          // functions that are not there
	params  [][2]uintptr      // offset and size of each parameter of all functions
	funcs   map[int]int       // attributes of functions
	log     string            // what the compiler says
	prints  int               // bytes of the ring of what kernels print
	pinned  bool              // memory of the host is

	mu        sync.Mutex
	calls     map[string]int
	wrong     int // calls without the device's context
	current   map[int]uintptr
	next      uintptr
	memory    map[uintptr][]byte
	launches  []fakeLaunch
	set       map[uintptr]int // attributes that were set of functions
	capturing map[uintptr]bool
	waits     map[uintptr]int // how often a stream was asked before it is ready
}

// A fakeLaunch is what was submitted.
type fakeLaunch struct {
	function    uintptr
	grid, block [3]uint32
	shared      uint32
	stream      uintptr
	params      []byte
	attrs       []attribute
}

// fakeContext is the primary context of all devices, by number.
const fakeContext = 0xc0000

// The fake that the functions work on. They are made once: a process can have only so many.
var (
	fakeMu  sync.Mutex
	theFake *fakeCUDA
)

// newFake gives a fake for a test, with a driver that has loaded nothing yet.
func newFake(t testing.TB) (*fakeCUDA, *cudaDriver) {
	t.Helper()
	fakeMu.Lock()
	t.Cleanup(fakeMu.Unlock)
	f := &fakeCUDA{
		version: 12040, devices: 2, attrs: map[int]int{}, fail: map[string]result{}, funcs: map[int]int{},
		calls: map[string]int{}, current: map[int]uintptr{}, next: 0x7000_0000_0000, memory: map[uintptr][]byte{},
		set: map[uintptr]int{}, capturing: map[uintptr]bool{}, waits: map[uintptr]int{},
	}
	theFake = f
	return f, &cudaDriver{open: func() (func(string) uintptr, error) { return f.find, nil }}
}

// open gives an opened device of the fake.
func (f *fakeCUDA) open(t testing.TB, c *cudaDriver) *device {
	t.Helper()
	d, err := c.device(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (f *fakeCUDA) find(name string) uintptr {
	if slices.Contains(f.lacks, name) {
		return 0
	}
	return fakeFunctions()[name]
}

// usual are the attributes of devices.
var usual = map[int]int{
	attrThreads: 1024, attrGridX: 1<<31 - 1, attrGridY: 65535, attrGridZ: 65535, attrRegisters: 65536,
	attrMajor: 9, attrMinor: 0, attrSharedOptin: 227 << 10, attrClusterLaunch: 1,
}

// usualFunc are the attributes of functions.
var usualFunc = map[int]int{funcThreads: 1024, funcRegisters: 32}

// begin notes a call, and gives what it is to give if it is to do nothing.
func (f *fakeCUDA) begin(name string, inContext bool) (result, bool) {
	f.calls[name]++
	if inContext && f.current[syscall.Gettid()]&^0xff != fakeContext {
		f.wrong++
	}
	r, fails := f.fail[name]
	return r, fails
}

// handle gives a number that nothing else has.
func (f *fakeCUDA) handle() uintptr {
	f.next += 0x100
	return f.next
}

// fakeFunctions gives the functions by name.
var fakeFunctions = sync.OnceValue(func() map[string]uintptr {
	m := map[string]uintptr{}
	for name, fn := range functions() {
		m[name] = purego.NewCallback(fn)
	}
	return m
})

// do runs the body of a function.
func do(name string, inContext bool, body func(f *fakeCUDA) result) uintptr {
	f := theFake
	f.mu.Lock()
	defer f.mu.Unlock()
	if strings.HasPrefix(name, "cuLaunchKernel") && f.fail[name] == success {
		switch f.current[syscall.Gettid()] &^ 0xff {
		case fakeContext:
		case 0:
			return uintptr(invalidContext)
		default:
			return uintptr(invalidHandle)
		}
	}
	if r, fails := f.begin(name, inContext); fails {
		return uintptr(r)
	}
	return uintptr(body(f))
}

// done is the body of functions that have nothing to do.
func done(*fakeCUDA) result { return success }

// cString reads a string.
func cString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// names are strings that the library gives; they stay where they are.
var names = map[string][]byte{}

func constant(s string) *byte {
	if names[s] == nil {
		names[s] = append([]byte(s), 0)
	}
	return &names[s][0]
}

func functions() map[string]any {
	m := map[string]any{}
	for _, part := range []map[string]any{fakeSystem(), fakeModules(), fakeStreams(), fakeMemory()} {
		for name, fn := range part {
			m[name] = fn
		}
	}
	return m
}

func fakeSystem() map[string]any {
	return map[string]any{
		"cuGetErrorName": func(r uintptr, p **byte) uintptr {
			*p = constant(map[uintptr]string{
				2: "CUDA_ERROR_OUT_OF_MEMORY", 100: "CUDA_ERROR_NO_DEVICE", 218: "CUDA_ERROR_INVALID_PTX",
				700: "CUDA_ERROR_ILLEGAL_ADDRESS", 701: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", 710: "CUDA_ERROR_ASSERT",
			}[r])
			return 0
		},
		"cuGetErrorString": func(r uintptr, p **byte) uintptr {
			*p = constant(fmt.Sprintf("error %d", r))
			return 0
		},
		"cuInit": func(uint32) uintptr { return do("cuInit", false, done) },
		"cuDriverGetVersion": func(p *int32) uintptr {
			return do("cuDriverGetVersion", false, func(f *fakeCUDA) result { *p = int32(f.version); return success })
		},
		"cuDeviceGetCount": func(p *int32) uintptr {
			return do("cuDeviceGetCount", false, func(f *fakeCUDA) result { *p = int32(f.devices); return success })
		},
		"cuDeviceGet": func(p *int32, n int32) uintptr {
			return do("cuDeviceGet", false, func(*fakeCUDA) result { *p = n + 40; return success })
		},
		"cuDeviceGetName": func(p *byte, n int32, dev int32) uintptr {
			return do("cuDeviceGetName", false, func(*fakeCUDA) result {
				copy(unsafe.Slice(p, n), fmt.Sprintf("Fake %d\x00", dev-40))
				return success
			})
		},
		"cuDeviceGetAttribute": func(p *int32, attr int32, dev int32) uintptr {
			return do("cuDeviceGetAttribute", false, func(f *fakeCUDA) result {
				v, ok := f.attrs[int(attr)]
				if !ok {
					v = usual[int(attr)]
				}
				*p = int32(v)
				return success
			})
		},
		"cuDevicePrimaryCtxRetain": func(p *uintptr, dev int32) uintptr {
			return do("cuDevicePrimaryCtxRetain", false, func(*fakeCUDA) result { *p = fakeContext + uintptr(dev); return success })
		},
		"cuCtxGetCurrent": func(p *uintptr) uintptr {
			return do("cuCtxGetCurrent", false, func(f *fakeCUDA) result { *p = f.current[syscall.Gettid()]; return success })
		},
		"cuCtxSetCurrent": func(c uintptr) uintptr {
			return do("cuCtxSetCurrent", false, func(f *fakeCUDA) result { f.current[syscall.Gettid()] = c; return success })
		},
	}
}

// say writes the compiler's log where the options want errors, or what is to be told.
func (f *fakeCUDA) say(n uint32, keys *uint32, values *uintptr) {
	for i, k := range unsafe.Slice(keys, n) {
		if k == jitErrorLog {
			copy(foreign(unsafe.Slice(values, n)[i], logBytes), f.log+"\x00")
		}
	}
}

// A fakeCubin is what the compiler makes of PTX.
const fakeCubin = "\x7fELF of "

var cubin []byte

func fakeModules() map[string]any {
	return map[string]any{
		"cuLinkCreate_v2": func(n uint32, keys *uint32, values *uintptr, p *uintptr) uintptr {
			return do("cuLinkCreate", true, func(f *fakeCUDA) result {
				f.say(n, keys, values)
				*p = f.handle()
				return success
			})
		},
		"cuLinkAddData_v2": func(state uintptr, kind uint32, data *byte, size uintptr, name *byte, n uint32, keys, values uintptr) uintptr {
			return do("cuLinkAddData", true, func(f *fakeCUDA) result {
				text := unsafe.Slice(data, size)
				if kind != inputPTX || text[size-1] != 0 || cString(name) == "" || n != 0 {
					return invalidValue
				}
				cubin = append([]byte(fakeCubin), text[:size-1]...)
				return success
			})
		},
		"cuLinkComplete": func(state uintptr, p **byte, size *uintptr) uintptr {
			return do("cuLinkComplete", true, func(f *fakeCUDA) result {
				*p, *size = &cubin[0], uintptr(len(cubin))
				return success
			})
		},
		"cuLinkDestroy": func(state uintptr) uintptr { return do("cuLinkDestroy", true, done) },
		"cuModuleLoadDataEx": func(p *uintptr, image *byte, n uint32, keys *uint32, values *uintptr) uintptr {
			theFake.say(n, keys, values)
			return do("cuModuleLoadDataEx", true, func(f *fakeCUDA) result {
				*p = f.handle()
				return success
			})
		},
		"cuCtxSetLimit": func(limit uint32, value uintptr) uintptr {
			return do("cuCtxSetLimit", true, func(f *fakeCUDA) result {
				if limit != limitPrints || f.calls["cuModuleLoadDataEx"] > 0 {
					return invalidValue
				}
				f.prints = int(value)
				return success
			})
		},
		"cuModuleUnload": func(m uintptr) uintptr { return do("cuModuleUnload", true, done) },
		"cuModuleGetFunction": func(p *uintptr, m uintptr, name *byte) uintptr {
			return do("cuModuleGetFunction", true, func(f *fakeCUDA) result {
				if cString(name) != "entry" {
					return 500
				}
				*p = m + 1
				return success
			})
		},
		"cuFuncGetAttribute": func(p *int32, attr int32, fn uintptr) uintptr {
			return do("cuFuncGetAttribute", true, func(f *fakeCUDA) result {
				v, ok := f.funcs[int(attr)]
				if !ok {
					v = usualFunc[int(attr)]
				}
				*p = int32(v)
				return success
			})
		},
		"cuFuncSetAttribute": func(fn uintptr, attr int32, v int32) uintptr {
			return do("cuFuncSetAttribute", true, func(f *fakeCUDA) result { f.set[uintptr(attr)] = int(v); return success })
		},
		"cuFuncGetParamInfo": func(fn, i uintptr, offset, size *uintptr) uintptr {
			return do("cuFuncGetParamInfo", true, func(f *fakeCUDA) result {
				if int(i) >= len(f.params) {
					return invalidValue
				}
				*offset, *size = f.params[i][0], f.params[i][1]
				return success
			})
		},
		"cuLaunchKernel": func(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr, params uintptr, extra *[5]uintptr) uintptr {
			return do("cuLaunchKernel", true, func(f *fakeCUDA) result {
				f.launches = append(f.launches, fakeLaunch{
					function: fn, grid: [3]uint32{gx, gy, gz}, block: [3]uint32{bx, by, bz}, shared: shared, stream: stream, params: packedBy(extra),
				})
				return success
			})
		},
		"cuLaunchKernelEx": func(c *config, fn uintptr, params uintptr, extra *[5]uintptr) uintptr {
			return do("cuLaunchKernelEx", true, func(f *fakeCUDA) result {
				attrs := foreign(c.attrs, int(c.count)*int(unsafe.Sizeof(attribute{})))
				f.launches = append(f.launches, fakeLaunch{
					function: fn, grid: c.grid, block: c.block, shared: c.shared, stream: c.stream, params: packedBy(extra),
					attrs: slices.Clone(unsafe.Slice((*attribute)(unsafe.Pointer(unsafe.SliceData(attrs))), c.count)),
				})
				return success
			})
		},
	}
}

// packedBy gives the arguments that a list points to.
func packedBy(extra *[5]uintptr) []byte {
	if extra == nil {
		return nil
	}
	if extra[0] != 1 || extra[2] != 2 || extra[4] != 0 {
		return []byte("a wrong list")
	}
	size := *(*uintptr)(unsafe.Pointer(unsafe.SliceData(foreign(extra[3], 8))))
	return bytes.Clone(foreign(extra[1], int(size)))
}

func fakeStreams() map[string]any {
	return map[string]any{
		"cuStreamCreate": func(p *uintptr, flags uint32) uintptr {
			return do("cuStreamCreate", true, func(f *fakeCUDA) result { *p = f.handle(); return success })
		},
		"cuStreamDestroy_v2":  func(s uintptr) uintptr { return do("cuStreamDestroy", true, done) },
		"cuStreamSynchronize": func(s uintptr) uintptr { return do("cuStreamSynchronize", true, done) },
		"cuStreamQuery": func(s uintptr) uintptr {
			return do("cuStreamQuery", true, func(f *fakeCUDA) result {
				if f.waits[s]--; f.waits[s] >= 0 {
					return notReady
				}
				return success
			})
		},
		"cuStreamWaitEvent": func(s, e uintptr, flags uint32) uintptr { return do("cuStreamWaitEvent", true, done) },
		"cuStreamBeginCapture_v2": func(s uintptr, mode uint32) uintptr {
			return do("cuStreamBeginCapture", true, func(f *fakeCUDA) result { f.capturing[s] = true; return success })
		},
		"cuStreamEndCapture": func(s uintptr, p *uintptr) uintptr {
			return do("cuStreamEndCapture", true, func(f *fakeCUDA) result { f.capturing[s], *p = false, f.handle(); return success })
		},
		"cuStreamIsCapturing": func(s uintptr, p *uint32) uintptr {
			return do("cuStreamIsCapturing", true, func(f *fakeCUDA) result {
				if f.capturing[s] {
					*p = 1
				}
				return success
			})
		},
		"cuEventCreate": func(p *uintptr, flags uint32) uintptr {
			return do("cuEventCreate", true, func(f *fakeCUDA) result { *p = f.handle(); return success })
		},
		"cuEventDestroy_v2":  func(e uintptr) uintptr { return do("cuEventDestroy", true, done) },
		"cuEventRecord":      func(e, s uintptr) uintptr { return do("cuEventRecord", true, done) },
		"cuEventSynchronize": func(e uintptr) uintptr { return do("cuEventSynchronize", true, done) },
		"cuEventQuery":       func(e uintptr) uintptr { return do("cuEventQuery", true, done) },
		"cuEventElapsedTime": func(p *float32, start, end uintptr) uintptr {
			return do("cuEventElapsedTime", true, func(*fakeCUDA) result { *p = 1.5; return success })
		},
		"cuGraphInstantiateWithFlags": func(p *uintptr, g uintptr, flags uint64) uintptr {
			return do("cuGraphInstantiate", true, func(f *fakeCUDA) result { *p = f.handle(); return success })
		},
		"cuGraphLaunch":      func(g, s uintptr) uintptr { return do("cuGraphLaunch", true, done) },
		"cuGraphExecDestroy": func(g uintptr) uintptr { return do("cuGraphExecDestroy", true, done) },
		"cuGraphDestroy":     func(g uintptr) uintptr { return do("cuGraphDestroy", true, done) },
	}
}

// alloc gives memory.
func (f *fakeCUDA) alloc(n uintptr) (uintptr, result) {
	if n > 1<<30 {
		return 0, 2
	}
	p := f.next + 0x1000
	f.next = p + n + 0x1000
	f.memory[p] = make([]byte, n)
	return p, success
}

// at finds memory.
func (f *fakeCUDA) at(p, n uintptr) []byte {
	for start, m := range f.memory {
		if p >= start && p+n <= start+uintptr(len(m)) {
			return m[p-start:][:n]
		}
	}
	return nil
}

func fakeMemory() map[string]any {
	free := func(f *fakeCUDA, p uintptr) result {
		if f.memory[p] == nil {
			return invalidValue
		}
		delete(f.memory, p)
		return success
	}
	return map[string]any{
		"cuMemAlloc_v2": func(p *uintptr, n uintptr) uintptr {
			return do("cuMemAlloc", true, func(f *fakeCUDA) (r result) { *p, r = f.alloc(n); return r })
		},
		"cuMemAllocAsync": func(p *uintptr, n, s uintptr) uintptr {
			return do("cuMemAllocAsync", true, func(f *fakeCUDA) (r result) { *p, r = f.alloc(n); return r })
		},
		"cuMemFree_v2": func(p uintptr) uintptr { return do("cuMemFree", true, func(f *fakeCUDA) result { return free(f, p) }) },
		"cuMemFreeAsync": func(p, s uintptr) uintptr {
			return do("cuMemFreeAsync", true, func(f *fakeCUDA) result { return free(f, p) })
		},
		"cuMemGetInfo_v2": func(free, total *uintptr) uintptr {
			return do("cuMemGetInfo", true, func(*fakeCUDA) result { *free, *total = 3<<30, 4<<30; return success })
		},
		"cuMemcpyHtoDAsync_v2": func(to uintptr, from *byte, n, s uintptr) uintptr {
			return do("cuMemcpyHtoDAsync", true, func(f *fakeCUDA) result {
				if at := f.at(to, n); at != nil {
					copy(at, unsafe.Slice(from, n))
					return success
				}
				return invalidValue
			})
		},
		"cuMemcpyDtoHAsync_v2": func(to *byte, from, n, s uintptr) uintptr {
			return do("cuMemcpyDtoHAsync", true, func(f *fakeCUDA) result {
				if at := f.at(from, n); at != nil {
					copy(unsafe.Slice(to, n), at)
					return success
				}
				return invalidValue
			})
		},
		"cuPointerGetAttribute": func(p *uint32, attr uint32, at uintptr) uintptr {
			return do("cuPointerGetAttribute", true, func(f *fakeCUDA) result {
				if !f.pinned || attr != attrMemoryType {
					return invalidValue
				}
				*p = memoryHost
				return success
			})
		},
	}
}
