package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// meta gives metadata of a kernel whose arguments have these types.
func meta(t testing.TB, change func(m *driver.KernelMetadata, c *driver.CUDAMetadata), types ...string) *driver.KernelMetadata {
	t.Helper()
	c := &driver.CUDAMetadata{Entry: "entry", PTX: "8.0", Cluster: [3]int{1, 1, 1}}
	m := &driver.KernelMetadata{
		Schema: driver.MetadataVersion, Name: "k", Target: "cuda:90a", NumWarps: 4, NumCTAs: 1, ThreadsPerWarp: 32, NumStages: 1,
		Constants: []driver.MetadataConstant{}, Args: []driver.MetadataArg{}, Backends: driver.MetadataBackends{CUDA: c},
	}
	for i, typ := range types {
		m.Args = append(m.Args, driver.MetadataArg{Name: string(rune('a' + i)), Type: typ, Source: []int{i}, DivisibleBy: 1})
	}
	if err := driver.LayOut(m.Args); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(m, c)
	}
	if _, err := m.Encode(); err != nil {
		t.Fatal(err)
	}
	return m
}

// load loads a kernel of such metadata.
func (f *fakeCUDA) load(t testing.TB, d *device, m *driver.KernelMetadata) driver.Kernel {
	t.Helper()
	f.params = nil
	for _, a := range m.Args {
		f.params = append(f.params, [2]uintptr{uintptr(a.Offset), uintptr(a.Size)})
	}
	k, err := d.Load(&driver.Binary{Metadata: m, Image: []byte(".version 8.0")})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestDevices(t *testing.T) {
	f, c := newFake(t)
	infos, err := c.Devices()
	if err != nil || len(infos) != 2 {
		t.Fatalf("%v, %v", infos, err)
	}
	if i := infos[1]; i.Backend != "cuda" || i.Index != 1 || i.Name != "Fake 1" || i.Arch != "90a" || !strings.HasPrefix(i.Version, "12.4") {
		t.Errorf("%+v", i)
	}
	d, err := c.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	want := driver.Limits{Grid: driver.Grid{1<<31 - 1, 65535, 65535}, Threads: 1024, Shared: 227 << 10, Registers: 65536, Cluster: 16}
	if d.Limits() != want || d.Info() != infos[1] || d.Stream().Handle == 0 || d.Stream().Device != 1 {
		t.Errorf("%+v, %+v, %s", d.Limits(), d.Info(), d.Stream())
	}
	f.attrs = map[int]int{attrMajor: 8, attrMinor: 6, attrClusterLaunch: 0}
	if d, err = c.Open(0); err != nil || d.Info().Arch != "86" || d.Limits().Cluster != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// What can be wrong with the driver, and what is said of it.
func TestNoDevice(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(f *fakeCUDA)
		category *diag.Category
		code     string
		says     string
		lists    bool // it is no error to list the devices
	}{
		"no device":       {func(f *fakeCUDA) { f.fail["cuInit"] = noDevice }, diag.Driver, "no-device", "CUDA_VISIBLE_DEVICES", true},
		"none listed":     {func(f *fakeCUDA) { f.devices = 0 }, diag.Driver, "no-device", "there are 0", true},
		"another version": {func(f *fakeCUDA) { f.fail["cuInit"] = 803 }, diag.Driver, "803", "reboot", false},
		"an old driver":   {func(f *fakeCUDA) { f.version = 11080 }, diag.Driver, "old-driver", "offers CUDA 11.8, and 12.0", false},
		"a lacking one":   {func(f *fakeCUDA) { f.lacks = []string{"cuLaunchKernelEx"} }, diag.Driver, "old-driver", "12.4", false},
		"not it":          {func(f *fakeCUDA) { f.lacks = []string{"cuInit"} }, diag.Driver, "not-libcuda", "has no cuInit", false},
		"an old device":   {func(f *fakeCUDA) { f.attrs[attrMajor], f.attrs[attrMinor] = 7, 0 }, diag.Unsupported, "old-device", "7.0; 7.5", true},
		"no context":      {func(f *fakeCUDA) { f.fail["cuDevicePrimaryCtxRetain"] = 2 }, diag.Driver, "out-of-memory", "cuDevicePrimaryCtxRetain", true},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := newFake(t)
			test.change(f)
			if _, err := c.Devices(); (err == nil) != test.lists {
				t.Errorf("Devices: %v", err)
			}
			_, err := c.Open(0)
			var e *diag.Error
			if !errors.Is(err, test.category) || !errors.As(err, &e) || e.Code != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, code %q", err, e.Code)
			}
		})
	}
	_, c := newFake(t)
	if _, err := c.Open(2); err == nil || !strings.Contains(err.Error(), "there are 2, from cuda:0 on") {
		t.Error(err)
	}
}

// A library that is not there is an error that says so, each time, and no devices.
func TestNoLibrary(t *testing.T) {
	t.Setenv(envLibrary, t.TempDir()+"/libcuda.so.1")
	c := &cudaDriver{open: openLibrary}
	for range 2 {
		if list, err := c.Devices(); !errors.Is(err, diag.Driver) || list != nil || !strings.Contains(err.Error(), "no NVIDIA driver") {
			t.Errorf("%v, %v", list, err)
		}
	}
}

// A later attempt may do what an earlier one did not.
func TestLibraryIsTriedAgain(t *testing.T) {
	f, c := newFake(t)
	f.fail["cuInit"] = 805
	if _, err := c.Open(0); !is(err, 805) {
		t.Fatal(err)
	}
	delete(f.fail, "cuInit")
	if _, err := c.Open(0); err != nil {
		t.Error(err)
	}
}

func TestLaunchPacks(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	k := f.load(t, d, meta(t, func(m *driver.KernelMetadata, c *driver.CUDAMetadata) { m.Shared, c.DynamicShared = 1024, 1024 },
		"i1", "*fp32", "i8", "i16", "i32", "fp16", "fp64", "u8"))
	args := []driver.Arg{{Bits: 1}, {Bits: 0x1122334455667788}, {Bits: 0xfe}, {Bits: 0xabcd}, {Bits: 0x89abcdef}, {Bits: 0x3c00}, {Bits: math.Float64bits(-2)}, {Bits: 9}}
	l := &driver.Launch{Grid: driver.Grid{7, 3, 2}, Args: args}
	for range 2 { // the second uses the memory of the first
		if err := k.Launch(t.Context(), d.Stream(), l); err != nil {
			t.Fatal(err)
		}
	}
	want := make([]byte, 41)
	want[0] = 1
	binary.LittleEndian.PutUint64(want[8:], 0x1122334455667788)
	want[16] = 0xfe
	binary.LittleEndian.PutUint16(want[18:], 0xabcd)
	binary.LittleEndian.PutUint32(want[20:], 0x89abcdef)
	binary.LittleEndian.PutUint16(want[24:], 0x3c00)
	binary.LittleEndian.PutUint64(want[32:], math.Float64bits(-2))
	want[40] = 9
	for _, got := range f.launches {
		if diff := cmp.Diff(fakeLaunch{
			function: k.Function(), grid: [3]uint32{7, 3, 2}, block: [3]uint32{128, 1, 1}, shared: 1024, stream: d.Stream().Handle, params: want,
		}, got, cmp.AllowUnexported(fakeLaunch{}, attribute{})); diff != "" {
			t.Error(diff)
		}
	}
	if len(f.launches) != 2 || f.wrong != 0 {
		t.Errorf("%d launches, %d calls without the context", len(f.launches), f.wrong)
	}
}

func TestLaunchWithoutArguments(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	k := f.load(t, d, meta(t, nil))
	if err := k.Launch(t.Context(), d.Stream(), &driver.Launch{Grid: driver.Grid{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	if l := f.launches[0]; l.params != nil || l.grid != [3]uint32{1, 1, 1} {
		t.Errorf("%+v", l)
	}
}

// Clusters, cooperation and programmatic launches are attributes; programs are then clusters.
func TestLaunchAttributes(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	k := f.load(t, d, meta(t, func(m *driver.KernelMetadata, c *driver.CUDAMetadata) {
		m.NumCTAs, c.Cluster, c.Cooperative, c.Programmatic = 16, [3]int{8, 2, 1}, true, true
		m.Shared, c.DynamicShared = 200<<10, 200<<10
	}, "*fp32"))
	if err := k.Launch(t.Context(), d.Stream(), &driver.Launch{Grid: driver.Grid{7, 3, 2}, Args: []driver.Arg{{Bits: 5}}}); err != nil {
		t.Fatal(err)
	}
	want := fakeLaunch{
		function: k.Function(), grid: [3]uint32{56, 6, 2}, block: [3]uint32{128, 1, 1}, shared: 200 << 10, stream: d.Stream().Handle,
		params: []byte{5, 0, 0, 0, 0, 0, 0, 0},
		attrs:  []attribute{{id: 4, value: [16]uint32{8, 2, 1}}, {id: 2, value: [16]uint32{1}}, {id: 6, value: [16]uint32{1}}},
	}
	if diff := cmp.Diff(want, f.launches[0], cmp.AllowUnexported(fakeLaunch{}, attribute{})); diff != "" {
		t.Error(diff)
	}
	if f.set[funcDynamicShared] != 200<<10 || f.set[funcNonPortableCluster] != 1 {
		t.Errorf("attributes of the function: %v", f.set)
	}
}

// Ordinary kernels ask for nothing out of the ordinary, and their registers are known.
func TestLoad(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	m := meta(t, func(m *driver.KernelMetadata, c *driver.CUDAMetadata) { m.Shared, c.DynamicShared = 48<<10, 48<<10 }, "i32")
	k := f.load(t, d, m)
	if r := k.Metadata().Backends.CUDA.Registers; r == nil || *r != 32 || m.Backends.CUDA.Registers != nil {
		t.Errorf("registers %v; the binary's %v", r, m.Backends.CUDA.Registers)
	}
	if len(f.set) != 0 {
		t.Errorf("attributes of the function: %v", f.set)
	}
	if err := k.Close(); err != nil || f.calls["cuModuleUnload"] != 1 {
		t.Errorf("%v, %v", err, f.calls)
	}
}

// Before the first kernel that prints there is made room for what it prints.
func TestPrints(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	for range 2 {
		if _, err := d.Load(&driver.Binary{Metadata: meta(t, nil), Image: []byte(".version 8.0 vprintf")}); err != nil {
			t.Fatal(err)
		}
	}
	if f.prints != printBytes || f.calls["cuCtxSetLimit"] != 1 {
		t.Errorf("%d bytes, %d calls", f.prints, f.calls["cuCtxSetLimit"])
	}
}

// A smaller ring is no error.
func TestPrintsWithLittleRoom(t *testing.T) {
	f, c := newFake(t)
	f.fail["cuCtxSetLimit"] = invalidValue
	if _, err := f.open(t, c).Load(&driver.Binary{Metadata: meta(t, nil), Image: []byte(".version 8.0 vprintf")}); err != nil {
		t.Error(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	ordinary := func(m *driver.KernelMetadata, c *driver.CUDAMetadata) {}
	for name, test := range map[string]struct {
		change   func(f *fakeCUDA)
		meta     func(m *driver.KernelMetadata, c *driver.CUDAMetadata)
		category *diag.Category
		code     string
		says     string
	}{
		"PTX":         {func(f *fakeCUDA) { f.fail["cuModuleLoadDataEx"], f.log = invalidPTX, "line 3; parsing error\nmore" }, ordinary, diag.Driver, "invalid-ptx", "refuses k: line 3; parsing error"},
		"silently":    {func(f *fakeCUDA) { f.fail["cuModuleLoadDataEx"] = 209 }, ordinary, diag.Driver, "209", "another GPU"},
		"no function": {func(f *fakeCUDA) {}, func(m *driver.KernelMetadata, c *driver.CUDAMetadata) { c.Entry = "other" }, diag.Driver, "500", "k has no function other"},
		"a parameter": {func(f *fakeCUDA) { f.params = [][2]uintptr{{0, 8}} }, ordinary, diag.Driver, "wrong-layout", "8 bytes at 0, and argument 'a' is 4 at 0"},
		"too few":     {func(f *fakeCUDA) { f.params = nil }, ordinary, diag.Driver, "wrong-layout", "another number"},
		"too many":    {func(f *fakeCUDA) { f.params = [][2]uintptr{{0, 4}, {4, 4}} }, ordinary, diag.Driver, "wrong-layout", "another number"},
		"registers":   {func(f *fakeCUDA) { f.funcs[funcThreads], f.funcs[funcRegisters] = 96, 255 }, ordinary, diag.OutOfResources, "registers", "128 required, the limit is 96; each needs 255 registers"},
		"static":      {func(f *fakeCUDA) { f.funcs[funcStaticShared] = 228 << 10 }, ordinary, diag.OutOfResources, "shared-memory", "233472 bytes required"},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := newFake(t)
			d := f.open(t, c)
			f.params = [][2]uintptr{{0, 4}}
			test.change(f)
			_, err := d.Load(&driver.Binary{Metadata: meta(t, test.meta, "i32"), Image: []byte("x")})
			var e *diag.Error
			if !errors.Is(err, test.category) || !errors.As(err, &e) || e.Code != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, %+v", err, e)
			}
			if f.calls["cuModuleLoadDataEx"] != f.calls["cuModuleUnload"] && f.fail["cuModuleLoadDataEx"] == 0 {
				t.Error("what was loaded is not unloaded")
			}
		})
	}
	f, c := newFake(t)
	d := f.open(t, c)
	m := meta(t, nil)
	m.Backends.CUDA = nil
	if _, err := d.Load(&driver.Binary{Metadata: m, Image: []byte("x")}); !errors.Is(err, diag.Driver) {
		t.Errorf("another's binary: %v", err)
	}
}

func TestFinish(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	ptx := &driver.Binary{Metadata: meta(t, nil), Image: []byte(".version 8.0")}
	b, err := d.Finish(ptx)
	if err != nil || string(b.Image) != fakeCubin+".version 8.0" || b.Metadata != ptx.Metadata {
		t.Fatalf("%v, %v", b, err)
	}
	if again, err := d.Finish(b); err != nil || again != b {
		t.Errorf("a cubin does not stay: %v", err)
	}
	f.log = "ptxas fatal: no such thing\nsecond line"
	for _, call := range []string{"cuLinkCreate", "cuLinkAddData", "cuLinkComplete"} {
		f.fail = map[string]result{call: invalidPTX}
		_, err := d.Finish(ptx)
		if !errors.Is(err, diag.Driver) || !strings.Contains(err.Error(), call) {
			t.Errorf("%s: %v", call, err)
		}
		if call != "cuLinkCreate" && (!strings.Contains(err.Error(), "ptxas fatal: no such thing") || !strings.Contains(diag.Detail(err), "second line")) {
			t.Errorf("%s: %s", call, diag.Detail(err))
		}
	}
	if made, ended := f.calls["cuLinkCreate"]-1, f.calls["cuLinkDestroy"]; made != ended {
		t.Errorf("%d links, %d were destroyed", made, ended)
	}
}

func TestLaunchErrors(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	k := f.load(t, d, meta(t, nil))
	l := &driver.Launch{Grid: driver.Grid{1, 1, 1}}
	for r, category := range map[result]*diag.Category{700: diag.Driver, outOfResources: diag.OutOfResources, assertFailed: diag.Check, 999: diag.Driver} {
		f.fail["cuLaunchKernel"] = r
		err := k.Launch(t.Context(), d.Stream(), l)
		var e *Error
		if !errors.Is(err, category) || !errors.As(err, &e) || e.Number != int(r) || e.Call != "cuLaunchKernel" || !strings.Contains(err.Error(), "the launch of 'k' failed") {
			t.Errorf("%d: %v", r, err)
		}
	}
	if e := new(Error); !errors.As(k.Launch(t.Context(), d.Stream(), l), &e) || e.Name == "" {
		t.Errorf("%+v", e)
	}
	for what, s := range map[string]driver.Stream{
		"none": {}, "another's": {Backend: "cpu", Handle: 1}, "another device's": {Backend: "cuda", Device: 1, Handle: 1}, "a null handle": {Backend: "cuda"},
	} {
		if err := k.Launch(t.Context(), s, l); !errors.Is(err, diag.Stream) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if err := k.Launch(ctx, d.Stream(), l); err != cause {
		t.Error(err)
	}
}

// Another context that is current stays so, on every thread.
func TestContexts(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	k := f.load(t, d, meta(t, nil, "i32"))
	l := &driver.Launch{Grid: driver.Grid{1, 1, 1}, Args: []driver.Arg{{Bits: 1}}}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, other := range []uintptr{0, 0xabc000, d.context} {
		plain(d.api.ctxSetCurrent, other)
		if err := k.Launch(t.Context(), d.Stream(), l); err != nil {
			t.Fatal(err)
		}
		now := cell[uintptr]()
		plain(d.api.ctxGetCurrent, address(now))
		if want := map[bool]uintptr{true: d.context, false: other}[other == 0]; *now != want {
			t.Errorf("%#x was current, then %#x", other, *now)
		}
	}
	for _, call := range []string{"cuCtxGetCurrent", "cuCtxSetCurrent"} {
		plain(d.api.ctxSetCurrent, 0)
		f.fail = map[string]result{call: 4}
		if err := k.Launch(t.Context(), d.Stream(), l); !is(err, 4) {
			t.Errorf("%s: %v", call, err)
		}
	}
	if len(f.launches) != 3 || f.wrong != 0 {
		t.Errorf("%d launches, %d without the context", len(f.launches), f.wrong)
	}
}

func TestConcurrentLaunches(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	k := f.load(t, d, meta(t, nil, "i64", "i32"))
	var wg sync.WaitGroup
	const n, each = 8, 50
	for g := range n {
		wg.Go(func() {
			for i := range each {
				l := &driver.Launch{Grid: driver.Grid{uint32(g + 1), 1, 1}, Args: []driver.Arg{{Bits: uint64(g)}, {Bits: uint64(i)}}}
				if err := k.Launch(context.Background(), d.Stream(), l); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	seen := map[[2]uint64]int{}
	for _, l := range f.launches {
		g, i := binary.LittleEndian.Uint64(l.params), binary.LittleEndian.Uint32(l.params[8:])
		if l.grid[0] != uint32(g+1) {
			t.Errorf("grid %v with argument %d", l.grid, g)
		}
		seen[[2]uint64{g, uint64(i)}]++
	}
	if len(seen) != n*each || f.wrong != 0 {
		t.Errorf("%d launches that differ, %d calls without the context", len(seen), f.wrong)
	}
}

func TestStreams(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	k := f.load(t, d, meta(t, nil))
	l := &driver.Launch{Grid: driver.Grid{1, 1, 1}}
	s, err := d.NewStream()
	if err != nil || s.Handle == d.Stream().Handle {
		t.Fatalf("%s, %v", s, err)
	}
	if err := errors.Join(k.Launch(t.Context(), s, l), k.Launch(t.Context(), StreamOf(0, 0), l), k.Launch(t.Context(), StreamOf(0, 0x777), l)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uintptr{s.Handle, 1, 0x777} {
		if f.launches[i].stream != want {
			t.Errorf("launch %d on %#x, want %#x", i, f.launches[i].stream, want)
		}
	}
	if err := d.CloseStream(s); err != nil || f.calls["cuStreamDestroy"] != 1 {
		t.Error(err)
	}
	_, copied := d.Alloc(4)
	for what, err := range map[string]error{
		"a launch": k.Launch(t.Context(), s, l), "a wait": d.Wait(t.Context(), s), "a close": d.CloseStream(s),
		"the end of the device's own": d.CloseStream(d.Stream()), "the end of another's": d.CloseStream(StreamOf(0, 0x777)),
	} {
		if !errors.Is(err, diag.Stream) || copied != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	// The code may be in a graph that was made of the other's stream.
	if err := k.Close(); err != nil || f.calls["cuModuleUnload"] != 0 {
		t.Errorf("%v, %v", err, f.calls)
	}
}

func TestWait(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	if err := d.Wait(context.Background(), d.Stream()); err != nil || f.calls["cuStreamSynchronize"] != 1 {
		t.Error(err)
	}
	f.waits[d.Stream().Handle] = pollSpins + 5
	if err := d.Wait(t.Context(), d.Stream()); err != nil || f.calls["cuStreamQuery"] != pollSpins+6 {
		t.Errorf("%v, %v", err, f.calls)
	}
	f.waits[d.Stream().Handle] = math.MaxInt
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := d.Wait(ctx, d.Stream()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	f.fail["cuStreamQuery"] = 700
	if err := d.Wait(t.Context(), d.Stream()); !is(err, 700) || !strings.Contains(err.Error(), "nothing more can be done") {
		t.Error(err)
	}
}

func TestMemory(t *testing.T) {
	f, c := newFake(t)
	d := f.open(t, c)
	s := d.Stream()
	b, err := driver.NewBuffer(d, dtype.Int16, 2, 3)
	if err != nil || b.Host != nil || b.Place != driver.PlaceOf("cuda", 0) {
		t.Fatalf("%+v, %v", b, err)
	}
	data := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	part, _ := b.Slice(2, 5)
	got := make([]byte, 6)
	for _, ctx := range []context.Context{context.Background(), t.Context()} {
		if err := errors.Join(b.CopyFrom(ctx, s, data), part.CopyTo(ctx, s, got)); err != nil || !cmp.Equal(got, data[4:10]) {
			t.Errorf("%v, %v", got, err)
		}
	}
	synced := f.calls["cuStreamSynchronize"]
	f.pinned = true
	if err := b.CopyFrom(t.Context(), s, data); err != nil || f.calls["cuStreamSynchronize"] != synced+1 {
		t.Errorf("the bytes of pinned memory may not be taken yet: %v", err)
	}
	if err := b.Free(); err != nil || len(f.memory) != 0 {
		t.Errorf("%v, %d memories", err, len(f.memory))
	}
	empty, err := driver.NewBuffer(d, dtype.Int16, 0)
	if err != nil || empty.Address == 0 {
		t.Fatalf("%v, %v", empty, err)
	}
	if err := errors.Join(empty.CopyFrom(t.Context(), s, nil), empty.CopyTo(t.Context(), s, nil), empty.Free()); err != nil {
		t.Error(err)
	}
	if _, err := d.Alloc(-1); !errors.Is(err, diag.Driver) {
		t.Error(err)
	}
	if _, err := d.Alloc(1 << 40); !is(err, 2) || !strings.Contains(err.Error(), "free buffers") {
		t.Error(err)
	}
	m, _ := d.Alloc(8)
	for what, err := range map[string]error{
		"before": m.CopyIn(t.Context(), s, -1, data[:2]), "beyond": m.CopyOut(t.Context(), s, 4, got[:5]), "far beyond": m.CopyIn(t.Context(), s, math.MaxInt64, data[:2]),
	} {
		if !errors.Is(err, diag.Driver) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Memory of a stream's is given back in its order, and when it is closed at once.
func TestOrderedMemory(t *testing.T) {
	f, c := newFake(t)
	d := &Device{f.open(t, c)}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.AllocOn(s, dtype.Float32, 4)
	b, err2 := d.AllocOn(s, dtype.Float32, 4)
	if err := errors.Join(err, err2, a.Free()); err != nil || f.calls["cuMemAllocAsync"] != 2 || f.calls["cuMemFreeAsync"] != 1 {
		t.Errorf("%v, %v", err, f.calls)
	}
	if err := errors.Join(d.CloseStream(s), b.Free()); err != nil || f.calls["cuMemFree"] != 1 || len(f.memory) != 0 {
		t.Errorf("%v, %v", err, f.calls)
	}
	if _, err := d.AllocOn(s, dtype.Float32, 4); !errors.Is(err, diag.Stream) {
		t.Error(err)
	}
	if free, total, err := d.Memory(); free != 3<<30 || total != 4<<30 || err != nil {
		t.Error(free, total, err)
	}
}

func TestEvents(t *testing.T) {
	f, c := newFake(t)
	d := &Device{f.open(t, c)}
	start, err := d.NewEvent()
	end, err2 := d.NewEvent()
	if err := errors.Join(err, err2, start.Record(d.Stream()), end.Record(d.Stream()), end.Before(d.Stream()), end.Wait(t.Context()), end.Wait(context.Background())); err != nil {
		t.Fatal(err)
	}
	if took, err := end.Since(start); took != 1500*time.Microsecond || err != nil {
		t.Error(took, err)
	}
	if done, err := end.Done(); !done || err != nil {
		t.Error(done, err)
	}
	if err := start.Record(driver.Stream{Backend: "cpu", Handle: 1}); !errors.Is(err, diag.Stream) {
		t.Error(err)
	}
	if err := errors.Join(start.Close(), start.Close()); err != nil || f.calls["cuEventDestroy"] != 1 {
		t.Error(err)
	}
	_, since := end.Since(start)
	_, finished := start.Done()
	for _, err := range []error{since, finished, start.Record(d.Stream()), start.Wait(t.Context())} {
		if !errors.Is(err, diag.Argument) {
			t.Error(err)
		}
	}
}

func TestGraphs(t *testing.T) {
	f, c := newFake(t)
	d := &Device{f.open(t, c)}
	k := f.load(t, d.device, meta(t, nil))
	l := &driver.Launch{Grid: driver.Grid{1, 1, 1}}
	s := d.Stream()
	b, err := d.Alloc(dtype.Int8, 2)
	if err != nil {
		t.Fatal(err)
	}
	g, err := d.Capture(s, func() error {
		if err := b.CopyFrom(t.Context(), s, []byte{1, 2}); !errors.Is(err, diag.Stream) {
			t.Errorf("a copy in a capture: %v", err)
		}
		return errors.Join(k.Launch(t.Context(), s, l), k.Launch(t.Context(), s, l))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Launch(t.Context(), s); err != nil || f.calls["cuGraphLaunch"] != 1 {
		t.Error(err)
	}
	if err := k.Close(); err != nil || f.calls["cuModuleUnload"] != 0 {
		t.Errorf("the graph's code is unloaded: %v", err)
	}
	if err := errors.Join(g.Close(), g.Close()); err != nil || f.calls["cuModuleUnload"] != 1 || f.calls["cuGraphExecDestroy"] != 1 {
		t.Errorf("%v, %v", err, f.calls)
	}
	if err := g.Launch(t.Context(), s); !errors.Is(err, diag.Argument) {
		t.Error(err)
	}

	// A capture ends however the work does, and nothing is left of it.
	k = f.load(t, d.device, meta(t, nil))
	failure := errors.New("no")
	if _, err := d.Capture(s, func() error { return errors.Join(k.Launch(t.Context(), s, l), failure) }); !errors.Is(err, failure) {
		t.Error(err)
	}
	f.fail["cuGraphInstantiate"] = 2
	if _, err := d.Capture(s, func() error { return k.Launch(t.Context(), s, l) }); !is(err, 2) {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		d.Capture(s, func() error { k.Launch(t.Context(), s, l); panic("no") })
	}()
	if err := k.Close(); err != nil || f.calls["cuModuleUnload"] != 2 {
		t.Errorf("%v, %v", err, f.calls)
	}
	if f.calls["cuStreamBeginCapture"] != f.calls["cuStreamEndCapture"] || f.calls["cuGraphDestroy"] != 4 || d.device.captures.n.Load() != 0 {
		t.Errorf("%v", f.calls)
	}
}

func TestLaunchAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	d, k, l := quick(t)
	if n := testing.AllocsPerRun(100, func() {
		if err := k.Launch(context.Background(), d.Stream(), l); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%.1f allocations", n)
	}
}
