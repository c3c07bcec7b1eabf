package xpu

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// Backend is the name that the driver registers.
const Backend = "xpu"

func init() { driver.Register(Backend, xpuDriver{}) }

type xpuDriver struct{}

// properties asks for the devices once: they do not change while a process runs.
var properties = sync.OnceValues(func() ([]shimDevice, error) {
	s, err := load()
	if err != nil {
		return nil, err
	}
	const room = 64
	list, n := make([]shimDevice, room), int32(0)
	err = call(s.devices, address(list), room, uintptr(unsafe.Pointer(&n)))
	runtime.KeepAlive(list)
	if err != nil {
		return nil, err
	}
	return list[:min(int(n), room)], nil
})

// Devices lists the runtime's devices, GPUs first. Without a runtime there are none.
func (xpuDriver) Devices() ([]driver.Info, error) {
	if _, err := load(); err != nil {
		return nil, nil
	}
	list, err := properties()
	if err != nil {
		return nil, err
	}
	infos := make([]driver.Info, len(list))
	for i := range list {
		infos[i] = list[i].info(i)
	}
	return infos, nil
}

// Open makes a queue on the device.
func (xpuDriver) Open(index int) (driver.Device, error) {
	s, err := load()
	if err != nil {
		return nil, err
	}
	list, err := properties()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(list) {
		e := diag.New(diag.Driver, "no-device", "there is no device xpu:%d; the runtime has %s", index, count(len(list), "device"))
		if len(list) == 0 {
			e.Notes = []diag.Note{{Msg: "OpenCL's devices are found by OCL_ICD_FILENAMES: Intel's for processors is libintelocl.so"}}
		}
		return nil, e
	}
	d := &device{shim: s, index: index, is: &list[index]}
	d.stream, err = d.NewStream()
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Current gives the first device's own queue.
func (xpuDriver) Current() (driver.Stream, error) {
	d, err := driver.OpenDevice(Backend, 0)
	if err != nil {
		return driver.Stream{}, err
	}
	return d.Stream(), nil
}

// Queue gives the stream that a sycl::queue* is, such as a framework's current one. The queue must
// live as long as the stream is used.
func Queue(queue uintptr) (driver.Stream, error) {
	if queue == 0 {
		return driver.Stream{}, diag.New(diag.Stream, "null-handle", "the sycl::queue* is null")
	}
	s, err := load()
	if err != nil {
		return driver.Stream{}, err
	}
	var index int32
	if err := call(s.queueDevice, queue, uintptr(unsafe.Pointer(&index))); err != nil {
		return driver.Stream{}, err
	}
	return driver.Stream{Backend: Backend, Device: int(index), Handle: queue}, nil
}

// info describes the device with a number.
func (d *shimDevice) info(index int) driver.Info {
	return driver.Info{
		Backend: Backend,
		Index:   index,
		Name:    strings.TrimSpace(cString(d.name[:])),
		Version: cString(d.platform[:]) + " " + cString(d.driver[:]),
	}
}

// features are those that kernels may require, in the order of their names.
var features = []struct {
	name string
	bit  uint64
}{{"atomic64", featureAtomic64}, {"fp16", featureFP16}, {"fp64", featureFP64}}

// metadata describes the device for those who look at a kernel.
func (d *shimDevice) metadata() *driver.XPUDevice {
	m := &driver.XPUDevice{
		Name: strings.TrimSpace(cString(d.name[:])), Vendor: cString(d.vendor[:]), Platform: cString(d.platform[:]), Driver: cString(d.driver[:]),
		API: "opencl", GPU: d.features&featureGPU != 0, SubGroups: []int{}, MaxWorkGroup: int(min(max(d.maxWorkGroup, 1), math.MaxInt32)),
		LocalMemory: int64(min(d.localMemory, math.MaxInt64)), Memory: int64(min(d.memory, math.MaxInt64)),
		ComputeUnits: int(min(d.computeUnits, math.MaxInt32)), Features: []string{},
	}
	if d.features&featureLevelZero != 0 {
		m.API = "level_zero"
	}
	for _, size := range d.subGroups() {
		m.SubGroups = append(m.SubGroups, int(size))
	}
	for _, f := range features {
		if d.features&f.bit != 0 {
			m.Features = append(m.Features, f.name)
		}
	}
	return m
}

// subGroups gives the sizes of sub-groups that a kernel may require.
func (d *shimDevice) subGroups() []uint32 {
	return d.subGroupSizes[:min(int(d.numSubGroups), len(d.subGroupSizes))]
}

// lacks gives the first of the features that the device does not have.
func (d *shimDevice) lacks(required []string) string {
	has := d.metadata().Features
	i := slices.IndexFunc(required, func(f string) bool { return !slices.Contains(has, f) })
	if i < 0 {
		return ""
	}
	return required[i]
}

// count says how many there are of something.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
