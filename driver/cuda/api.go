package cuda

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/diag"
)

// leastVersion is the version of CUDA that the driver has to offer: the first with all of the functions
// below, and with PTX 8.0.
const leastVersion = 12000

// An api is the functions of the library, by their addresses. Names with a version never change their meaning;
// those are what the table asks for.
type api struct {
	getErrorName, getErrorString                                             uintptr
	init, driverGetVersion                                                   uintptr
	deviceGetCount, deviceGet, deviceGetName, deviceGetAttribute             uintptr
	devicePrimaryCtxRetain, ctxGetCurrent, ctxSetCurrent, ctxSetLimit        uintptr
	linkCreate, linkAddData, linkComplete, linkDestroy                       uintptr
	moduleLoadDataEx, moduleUnload, moduleGetFunction                        uintptr
	funcGetAttribute, funcSetAttribute, funcGetParamInfo                     uintptr
	launchKernel, launchKernelEx                                             uintptr
	streamCreate, streamDestroy, streamSynchronize, streamQuery              uintptr
	streamWaitEvent, streamBeginCapture, streamEndCapture, streamIsCapturing uintptr
	eventCreate, eventDestroy, eventRecord, eventSynchronize, eventQuery     uintptr
	eventElapsedTime                                                         uintptr
	memAlloc, memFree, memAllocAsync, memFreeAsync, memGetInfo               uintptr
	memcpyHtoDAsync, memcpyDtoHAsync, pointerGetAttribute                    uintptr
	graphInstantiate, graphLaunch, graphExecDestroy, graphDestroy            uintptr

	version int // of CUDA: 12040 is 12.4
}

// An entry is a function of the library.
type entry struct {
	at       *uintptr
	name     string
	optional bool
}

// entries lists the functions.
func (a *api) entries() []entry {
	return []entry{
		{at: &a.getErrorName, name: "cuGetErrorName"},
		{at: &a.getErrorString, name: "cuGetErrorString"},
		{at: &a.init, name: "cuInit"},
		{at: &a.driverGetVersion, name: "cuDriverGetVersion"},
		{at: &a.deviceGetCount, name: "cuDeviceGetCount"},
		{at: &a.deviceGet, name: "cuDeviceGet"},
		{at: &a.deviceGetName, name: "cuDeviceGetName"},
		{at: &a.deviceGetAttribute, name: "cuDeviceGetAttribute"},
		{at: &a.devicePrimaryCtxRetain, name: "cuDevicePrimaryCtxRetain"},
		{at: &a.ctxGetCurrent, name: "cuCtxGetCurrent"},
		{at: &a.ctxSetCurrent, name: "cuCtxSetCurrent"},
		{at: &a.ctxSetLimit, name: "cuCtxSetLimit", optional: true}, // which is only asked to be generous
		{at: &a.linkCreate, name: "cuLinkCreate_v2"},
		{at: &a.linkAddData, name: "cuLinkAddData_v2"},
		{at: &a.linkComplete, name: "cuLinkComplete"},
		{at: &a.linkDestroy, name: "cuLinkDestroy"},
		{at: &a.moduleLoadDataEx, name: "cuModuleLoadDataEx"},
		{at: &a.moduleUnload, name: "cuModuleUnload"},
		{at: &a.moduleGetFunction, name: "cuModuleGetFunction"},
		{at: &a.funcGetAttribute, name: "cuFuncGetAttribute"},
		{at: &a.funcSetAttribute, name: "cuFuncSetAttribute"},
		{at: &a.funcGetParamInfo, name: "cuFuncGetParamInfo", optional: true}, // since 12.4
		{at: &a.launchKernel, name: "cuLaunchKernel"},
		{at: &a.launchKernelEx, name: "cuLaunchKernelEx"},
		{at: &a.streamCreate, name: "cuStreamCreate"},
		{at: &a.streamDestroy, name: "cuStreamDestroy_v2"},
		{at: &a.streamSynchronize, name: "cuStreamSynchronize"},
		{at: &a.streamQuery, name: "cuStreamQuery"},
		{at: &a.streamWaitEvent, name: "cuStreamWaitEvent"},
		{at: &a.streamBeginCapture, name: "cuStreamBeginCapture_v2"},
		{at: &a.streamEndCapture, name: "cuStreamEndCapture"},
		{at: &a.streamIsCapturing, name: "cuStreamIsCapturing"},
		{at: &a.eventCreate, name: "cuEventCreate"},
		{at: &a.eventDestroy, name: "cuEventDestroy_v2"},
		{at: &a.eventRecord, name: "cuEventRecord"},
		{at: &a.eventSynchronize, name: "cuEventSynchronize"},
		{at: &a.eventQuery, name: "cuEventQuery"},
		{at: &a.eventElapsedTime, name: "cuEventElapsedTime"},
		{at: &a.memAlloc, name: "cuMemAlloc_v2"},
		{at: &a.memFree, name: "cuMemFree_v2"},
		{at: &a.memAllocAsync, name: "cuMemAllocAsync"},
		{at: &a.memFreeAsync, name: "cuMemFreeAsync"},
		{at: &a.memGetInfo, name: "cuMemGetInfo_v2"},
		{at: &a.memcpyHtoDAsync, name: "cuMemcpyHtoDAsync_v2"},
		{at: &a.memcpyDtoHAsync, name: "cuMemcpyDtoHAsync_v2"},
		{at: &a.pointerGetAttribute, name: "cuPointerGetAttribute"},
		{at: &a.graphInstantiate, name: "cuGraphInstantiateWithFlags"},
		{at: &a.graphLaunch, name: "cuGraphLaunch"},
		{at: &a.graphExecDestroy, name: "cuGraphExecDestroy"},
		{at: &a.graphDestroy, name: "cuGraphDestroy"},
	}
}

// newAPI finds the functions, and readies the library for use. It gives a result other than success if the library
// will not; noDevice is one.
func newAPI(find func(name string) uintptr) (*api, error) {
	a := &api{}
	missing := ""
	for _, e := range a.entries() {
		if *e.at = find(e.name); *e.at == 0 && !e.optional && missing == "" {
			missing = e.name
		}
	}
	if a.driverGetVersion == 0 || a.init == 0 || a.getErrorName == 0 || a.getErrorString == 0 {
		return nil, diag.New(diag.Driver, "not-libcuda", "the library that was loaded is not the NVIDIA driver's: it has no %s", missing)
	}
	version := cell[int32]()
	if r := plain(a.driverGetVersion, address(version)); r != success {
		return nil, a.err("cuDriverGetVersion", r)
	}
	a.version = int(*version)
	if a.version < leastVersion || missing != "" {
		e := diag.New(diag.Driver, "old-driver", "the NVIDIA driver is too old: it offers CUDA %s, and %s is needed; install a newer driver", a.versionName(), versionName(leastVersion))
		if missing != "" {
			e.Notes = append(e.Notes, diag.Note{Msg: "it has no " + missing})
		}
		return nil, e
	}
	return a, a.err("cuInit", plain(a.init, 0))
}

func (a *api) versionName() string { return versionName(a.version) }

// versionName gives a version as NVIDIA writes it: 12.4.
func versionName(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// text reads a string of C's.
func text(p uintptr) string {
	const most = 1 << 12
	n := 0
	for p != 0 && n < most && foreign(p+uintptr(n), 1)[0] != 0 {
		n++
	}
	return string(foreign(p, n))
}
