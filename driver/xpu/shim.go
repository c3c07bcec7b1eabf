package xpu

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/tegula-lang/tegula/internal/diag"
)

// library is the shim's file.
const library = "libtegula_sycl.so"

// shimVersion is the version of the C face that this package speaks.
const shimVersion = 1

// The kinds of a shimError, as shim/tegula_sycl.h has them.
const (
	kindRuntime = 1 + iota
	kindNull
	kindBuild
	kindDevice
	kindResource
)

// Features of a device, as shim/tegula_sycl.h has them.
const (
	featureGPU = 1 << iota
	featureFP16
	featureFP64
	featureAtomic64
	featureUSMDevice
	featureUSMShared
	featureLevelZero
)

// A shimError is a tg_error.
type shimError struct {
	code int32
	kind int32
	name [64]byte
	text [8096]byte
}

// A shimDevice is a tg_device.
type shimDevice struct {
	name          [256]byte
	vendor        [128]byte
	driver        [128]byte
	platform      [128]byte
	features      uint64
	memory        uint64
	localMemory   uint64
	maxWorkGroup  uint64
	maxGroups     [3]uint64
	computeUnits  uint32
	numSubGroups  uint32
	subGroupSizes [16]uint32
}

// A shimArg is a tg_arg.
type shimArg struct {
	bits    uint64
	size    uint32
	pointer uint32
}

// A shim is the loaded library: the addresses of its functions.
type shim struct {
	version, devices                              uintptr
	queueNew, queueFree, queueWait, queueDevice   uintptr
	kernelNew, kernelFree, kernelBinary, kernelIs uintptr
	launch, alloc, free, copy                     uintptr
}

// load loads the shim once. Its error says what is missing.
var load = sync.OnceValues(func() (*shim, error) {
	if runtime.GOOS != "linux" {
		return nil, diag.New(diag.Driver, "no-runtime", "SYCL devices are supported on Linux only")
	}
	// Intel's libimf has functions that the loader chooses by calling into the C library's libm, which must be
	// there by then; libimf does not say that it needs it. A program that has it already gets the same.
	if _, err := purego.Dlopen("libm.so.6", purego.RTLD_NOW|purego.RTLD_GLOBAL); err != nil {
		return nil, noRuntime([]string{err.Error()})
	}
	var reasons []string
	for _, path := range places() {
		lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if _, missing := os.Stat(path); err != nil && missing == nil {
			return nil, shimAlone(path, err)
		}
		if err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		return bind(lib, path)
	}
	return nil, noRuntime(reasons)
})

// shimAlone is the error of a shim that is there and cannot be loaded: what it is linked to is missing.
func shimAlone(path string, err error) error {
	e := diag.New(diag.Driver, "no-runtime", "the SYCL runtime is not installed, or not the one that %s was built for", path)
	e.Notes = []diag.Note{{Msg: err.Error()}, {Msg: "install Intel's runtime: pip install intel-sycl-rt intel-opencl-rt, in the environment of the wheel if the shim is in one"}}
	return e
}

// noRuntime says why the shim did not load, and what to do.
func noRuntime(reasons []string) error {
	e := diag.New(diag.Driver, "no-runtime", "there is no SYCL runtime for xpu: %s did not load", library)
	for _, r := range reasons {
		e.Notes = append(e.Notes, diag.Note{Msg: r})
	}
	e.Notes = append(e.Notes, diag.Note{Msg: "install Intel's runtime (pip install intel-sycl-rt intel-opencl-rt), build the shim (make xpu-shim SYCL_ROOT=DIR), " +
		"and name it by TEGULA_XPU_SHIM"})
	return e
}

// further is a directory to look in, besides the program's.
var further struct{ dir string }

// LookIn has the shim looked for in a directory, too. It is for programs that are not the one that runs, such as libraries, and has to be called
// before anything else here.
func LookIn(dir string) { further.dir = dir }

// places lists where the shim may be, in the order of preference.
func places() []string {
	if path := os.Getenv("TEGULA_XPU_SHIM"); path != "" {
		return []string{path}
	}
	list := []string{library}
	if further.dir != "" {
		list = append([]string{filepath.Join(further.dir, library)}, list...)
	}
	if exe, err := os.Executable(); err == nil {
		list = append([]string{filepath.Join(filepath.Dir(exe), library)}, list...)
	}
	return list
}

// bind finds the functions of the library.
func bind(lib uintptr, path string) (*shim, error) {
	s := &shim{}
	for _, f := range []struct {
		name string
		at   *uintptr
	}{
		{"tg_sycl_version", &s.version}, {"tg_devices", &s.devices},
		{"tg_queue_new", &s.queueNew}, {"tg_queue_free", &s.queueFree}, {"tg_queue_wait", &s.queueWait}, {"tg_queue_device", &s.queueDevice},
		{"tg_kernel_new", &s.kernelNew}, {"tg_kernel_free", &s.kernelFree}, {"tg_kernel_binary", &s.kernelBinary}, {"tg_kernel_limits", &s.kernelIs},
		{"tg_launch", &s.launch}, {"tg_alloc", &s.alloc}, {"tg_free", &s.free}, {"tg_copy", &s.copy},
	} {
		at, err := purego.Dlsym(lib, f.name)
		if err != nil {
			return nil, diag.New(diag.Driver, "bad-shim", "%s is no %s: it has no function %s", path, library, f.name)
		}
		*f.at = at
	}
	if v, _, _ := purego.SyscallN(s.version); int32(v) != shimVersion {
		return nil, diag.New(diag.Driver, "bad-shim", "%s has version %d, this program needs version %d: build it again (make xpu-shim)", path, int32(v), shimVersion)
	}
	return s, nil
}

// maxCallArgs is the most arguments that a function of the shim has.
const maxCallArgs = 8

// errorsPool holds memory for what the shim says when a call fails, which seldom happens.
var errorsPool = sync.Pool{New: func() any { return new(shimError) }}

// call calls a function of the shim whose last parameter is a tg_error*. What is pointed to by arguments
// that are converted to uintptr where call is called stays where it is until call returns.
//
//go:uintptrescapes
func call(f uintptr, args ...uintptr) error {
	e := errorsPool.Get().(*shimError)
	defer errorsPool.Put(e)
	var all [maxCallArgs]uintptr
	n := copy(all[:maxCallArgs-1], args)
	all[n] = uintptr(unsafe.Pointer(e))
	status, _, _ := purego.SyscallN(f, all[:n+1]...)
	runtime.KeepAlive(e)
	if int32(status) == 0 {
		return nil
	}
	return e.translate()
}

// translate gives the error in the project's terms.
func (e *shimError) translate() error {
	name, text := cString(e.name[:]), cString(e.text[:])
	switch e.kind {
	case kindNull, kindDevice:
		return diag.New(diag.Stream, name, "%s", text)
	case kindBuild:
		return diag.New(diag.Driver, "build", "the device's compiler refused the module (%s, code %d): %s", name, e.code, text)
	case kindResource:
		return diag.New(diag.Driver, "out-of-memory", "%s (%s, code %d)", text, name, e.code)
	default:
		return diag.New(diag.Driver, "sycl", "the SYCL runtime failed (%s, code %d): %s", name, e.code, text)
	}
}

// cString gives the text before the first zero.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// address gives the address of a slice's memory for a call; the caller keeps it alive.
func address[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
