package tegula_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/xpu"
)

// The launch contract on SYCL devices. These are skipped where there is no SYCL runtime; the grids' tests of contract_test.go run there, too.

// xpuDevice opens the first SYCL device.
func xpuDevice(t testing.TB) driver.Device {
	t.Helper()
	d, err := driver.Open("xpu")
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	return d
}

// onXPU is a rig on a queue of the first SYCL device.
func onXPU(t *testing.T) *rig { return &rig{t: t, stream: xpuDevice(t).Stream()} }

// Grids that are none are refused before anything is compiled, with the device's own limits, and no argument is touched.
func TestContractXPUGridRefused(t *testing.T) {
	d := xpuDevice(t)
	r := onXPU(t)
	kernel := load(t, "@triton.jit\ndef k(p, n):\n    tl.store(p, n)\n").Kernel("k")
	most := int(d.Limits().Grid[1])
	for name, test := range map[string]struct {
		grid tegula.GridSpec
		code string
	}{
		"empty":              {tegula.Grid{}, "empty"},
		"four dimensions":    {tegula.Grid{1, 1, 1, 1}, "too-many-dimensions"},
		"zero":               {tegula.Grid{7, 0}, "zero"},
		"negative":           {tegula.Grid{7, 3, -2}, "negative"},
		"a bool":             {tegula.GridExpr("(True,)"), "not-integer"},
		"a float":            {tegula.GridExpr("(2.0,)"), "not-integer"},
		"beyond int32":       {tegula.Grid{1 << 31}, "too-large"},
		"beyond the device":  {tegula.Grid{1, most + 1}, "too-large"},
		"what is called":     {tegula.GridFunc(func(tegula.Args) tegula.Grid { return tegula.Grid{0} }), "zero"},
		"a lambda's nothing": {tegula.GridExpr("lambda args: ()"), "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			p, read := r.ints(1)
			err := kernel.Launch(t.Context(), r.stream, test.grid, p, 5)
			check(t, err, tegula.ErrGrid, test.code)
			if !strings.Contains(err.Error(), "Grid must contain 1 to 3 positive integer dimensions. ") {
				t.Error(err)
			}
			if got := read()[0]; got != 0 {
				t.Errorf("stored %d", got)
			}
		})
	}
}

// A and B are queues of one device. Launches of each are in order, each reaches the queue that was given, by the very handle, from several
// goroutines, too.
func TestContractXPUQueues(t *testing.T) {
	d := xpuDevice(t)
	kernel := load(t, `
@triton.jit
def append(p, n):
    i = tl.load(p)
    tl.store(p + 1 + i, n)
    tl.store(p, i + 1)
`).Kernel("append")
	const each = 50
	var want []int32
	for i := range int32(each) {
		want = append(want, i)
	}
	var mu sync.Mutex
	seen := map[driver.Stream]int{}
	remove, err := kernel.OnLaunchEnter(func(_ context.Context, e *tegula.LaunchEvent) error {
		mu.Lock()
		defer mu.Unlock()
		seen[e.Stream()]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	streams := map[driver.Stream]int{}
	var logs []func() []int32
	var work sync.WaitGroup
	for range 2 {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.CloseStream(s) })
		if again, err := xpu.Queue(s.Handle); err != nil || again != s {
			t.Errorf("the queue of %s is %s, %v", s, again, err)
		}
		streams[s] = each
		r := &rig{t: t, stream: s}
		log, read := r.ints(each + 1)
		logs = append(logs, read)
		work.Go(func() {
			for i := range each {
				if err := kernel.Launch(context.Background(), s, tegula.Grid{1}, log, i); err != nil {
					t.Error(tegula.Detail(err))
				}
			}
		})
	}
	work.Wait()
	if d := cmp.Diff(streams, seen); d != "" {
		t.Errorf("the launches' queues: %s", d)
	}
	for i, read := range logs {
		if d := cmp.Diff(append([]int32{each}, want...), read()); d != "" {
			t.Errorf("queue %d: %s", i, d)
		}
	}
}

// The active driver's current queue says where a launch goes: A current → A, B current → B. A queue that is not the device's own is
// made current by whoever owns it, and is named by its handle.
func TestContractXPUCurrent(t *testing.T) {
	d := xpuDevice(t)
	if err := driver.Activate("xpu"); err != nil {
		t.Fatal(err)
	}
	defer driver.Activate("cpu")
	current, err := driver.Current()
	if err != nil || current != d.Stream() {
		t.Errorf("%s, %v, want %s", current, err, d.Stream())
	}
}

// A queue that is null, another back end's or another device's is refused by name, and nothing runs.
func TestContractXPUStreamRefused(t *testing.T) {
	r := onXPU(t)
	out, read := r.ints(1)
	kernel := load(t, "@triton.jit\ndef k(p):\n    tl.store(p, 7)\n").Kernel("k")
	onDevice, err := kernel.Prepare(r.stream, tegula.Grid{1}, out)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	onCPU, err := kernel.Prepare(tegula.CPU(), tegula.Grid{1}, []int32{0})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for name, test := range map[string]struct {
		prepared *tegula.Prepared
		stream   tegula.Stream
		code     string
	}{
		"null":              {onDevice, tegula.Stream{Backend: "xpu"}, "null-handle"},
		"none":              {onDevice, tegula.Stream{}, "no-stream"},
		"the CPU's":         {onDevice, tegula.CPU(), "wrong-backend"},
		"CUDA's":            {onDevice, tegula.Stream{Backend: "cuda", Handle: 1}, "wrong-backend"},
		"another device's":  {onDevice, tegula.Stream{Backend: "xpu", Device: 1, Handle: r.stream.Handle}, "wrong-device"},
		"a queue elsewhere": {onCPU, r.stream, "wrong-backend"},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, test.prepared.LaunchOn(t.Context(), test.stream), tegula.ErrStream, test.code)
		})
	}
	if got := read()[0]; got != 0 {
		t.Errorf("a refused launch stored %d", got)
	}
	if _, err := xpu.Queue(0); !errors.Is(err, tegula.ErrStream) {
		t.Errorf("a null queue is %v", err)
	}
}

// Hooks see the launch as it is, and change neither grid, queue, arguments nor result; one that fails stops the launch and harms
// nothing.
func TestContractXPUHooks(t *testing.T) {
	r := onXPU(t)
	mod := load(t, coordinates)
	run := func() []int32 {
		visits, readVisits := r.ints(42)
		where, readWhere := r.ints(126)
		counts, readCounts := r.ints(3)
		r.launch(mod.Kernel("coordinates"), tegula.Grid{7, 3, 2}, visits, where, counts, tegula.Const("X", 7), tegula.Const("Y", 3))
		return append(append(readVisits(), readWhere()...), readCounts()...)
	}
	plain := run()
	var events []string
	see := func(_ context.Context, e *tegula.LaunchEvent) error {
		events = append(events, fmt.Sprintf("%s%v %t %t %s", e.Kernel(), e.Grid(), e.Stream() == r.stream, e.Function() != 0, e.KernelMetadata().Target))
		return nil
	}
	removeEnter, removeExit := tegula.OnLaunchEnter(see), tegula.OnLaunchExit(see)
	hooked := run()
	removeEnter()
	removeExit()
	if d := cmp.Diff(plain, hooked); d != "" {
		t.Errorf("hooks change the result: %s", d)
	}
	want := "coordinates[7 3 2] true true xpu"
	if d := cmp.Diff([]string{want, want}, events); d != "" {
		t.Error(d)
	}
	failed := errors.New("the hook failed")
	remove := tegula.OnLaunchEnter(func(context.Context, *tegula.LaunchEvent) error { return failed })
	out, read := r.ints(1)
	store := load(t, "@triton.jit\ndef k(p):\n    tl.store(p, 7)\n").Kernel("k")
	err := store.Launch(t.Context(), r.stream, tegula.Grid{1}, out)
	remove()
	if got := read()[0]; !errors.Is(err, failed) || got != 0 {
		t.Errorf("%v, stored %d", err, got)
	}
	if r.launch(store, tegula.Grid{1}, out); read()[0] != 7 {
		t.Error("the launch after a failed hook did nothing")
	}
}

// What a kernel needs is compared with the device before it is submitted: work-items, local memory, the size of sub-groups.
func TestContractXPULimits(t *testing.T) {
	d := xpuDevice(t)
	r := onXPU(t)
	mod := load(t, `
@triton.jit
def one(p):
    tl.store(p, 7)

@triton.jit
def flipped(p, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(p + N * i + j)
    tl.store(p + N * i + j, tl.sort(tl.trans(tl.dot(x, x))))
`)
	p, read := r.ints(1)
	limits := d.Limits()
	if limits.Threads < 64*32 {
		err := mod.Kernel("one").Launch(t.Context(), r.stream, tegula.Grid{1}, p, tegula.NumWarps(64))
		check(t, err, tegula.ErrOutOfResources, "threads")
	}
	large, err := tegula.NewBuffer(r.stream, tegula.FP32, 512*512)
	if err != nil {
		t.Fatal(err)
	}
	err = mod.Kernel("flipped").Launch(t.Context(), r.stream, tegula.Grid{1}, large, tegula.Const("N", 512))
	if !errors.Is(err, tegula.ErrOutOfResources) || !strings.Contains(err.Error(), "1048576 bytes of shared memory are needed") {
		t.Errorf("local memory: %v", err)
	}
	for _, lanes := range []int{8, 64} {
		err := mod.Kernel("one").Launch(t.Context(), r.stream, tegula.Grid{1}, p, tegula.ThreadsPerWarp(lanes))
		if check(t, err, tegula.ErrUnsupported, "threads-per-warp"); !strings.Contains(err.Error(), "16 or 32") {
			t.Error(err)
		}
	}
	check(t, mod.Kernel("one").Launch(t.Context(), r.stream, tegula.Grid{1}, p, tegula.NumCTAs(2)), tegula.ErrUnsupported, "num-ctas")
	if got := read()[0]; got != 0 {
		t.Errorf("a refused launch stored %d", got)
	}
}

// The size of the sub-groups is an option: it makes a variant of its own, stands in the metadata, and the result is the same.
func TestContractXPUSubGroups(t *testing.T) {
	r := onXPU(t)
	kernel := load(t, `
@triton.jit
def sums(p, out, N: tl.constexpr):
    tl.store(out, tl.sum(tl.load(p + tl.arange(0, N))))
`).Kernel("sums")
	for _, n := range []int{2, 8, 16, 32, 64, 1024} { // less than a sub-group has lanes, and more
		for _, lanes := range []int{16, 32} {
			for _, warps := range []int{1, 4} {
				p, _ := r.ints(n)
				out, read := r.ints(1)
				ones := load(t, "@triton.jit\ndef k(p, N: tl.constexpr):\n    i = tl.arange(0, N)\n    tl.store(p + i, i + 1)\n").Kernel("k")
				r.launch(ones, tegula.Grid{1}, p, tegula.Const("N", n))
				prepared, err := kernel.Prepare(r.stream, tegula.Grid{1}, p, out, tegula.Const("N", n), tegula.ThreadsPerWarp(lanes), tegula.NumWarps(warps))
				if err != nil {
					t.Fatal(tegula.Detail(err))
				}
				if err := prepared.Launch(t.Context()); err != nil {
					t.Fatal(tegula.Detail(err))
				}
				if got, want := read()[0], int32(n*(n+1)/2); got != want || prepared.Metadata().ThreadsPerWarp != lanes {
					t.Errorf("%d elements, %d warps of %d: %d, want %d; metadata says %d", n, warps, lanes, got, want, prepared.Metadata().ThreadsPerWarp)
				}
			}
		}
	}
}

// The metadata of a kernel that was compiled for a device say what the device is, also when the code comes from the disk; those of one that was compiled for any
// do not.
func TestContractXPUMetadata(t *testing.T) {
	d := xpuDevice(t)
	r := onXPU(t)
	const source = "@triton.jit\ndef k(p):\n    tl.store(p, 7 + tl.program_id(0))\n"
	if os.Getenv("TEGULA_TEST_CHILD") != "" {
		out, _ := r.ints(1)
		prepared, err := load(t, source).Kernel("k").Prepare(r.stream, tegula.Grid{1}, out)
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		text, err := prepared.Metadata().Encode()
		if err != nil {
			t.Fatal(err)
		}
		m, err := driver.ParseKernelMetadata(text)
		if err != nil {
			t.Fatal(err)
		}
		is := m.Backends.XPU.Device
		if is == nil || is.Name != d.Info().Name || !strings.Contains(d.Info().Version, is.Driver) || len(is.SubGroups) == 0 || is.LocalMemory != int64(d.Limits().Shared) {
			t.Errorf("%+v", is)
		}
		return
	}
	dir := t.TempDir()
	for range 2 { // the second finds what the first left
		child := exec.Command(os.Args[0], "-test.run=^TestContractXPUMetadata$")
		child.Env = append(os.Environ(), "TEGULA_TEST_CHILD=1", "TEGULA_CACHE_DIR="+dir)
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	k, err := load(t, source).Kernel("k").Compile(tegula.CompileOptions{Target: "xpu", Signature: "*i32"})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	m, err := k.Metadata()
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	if is := m.Backends.XPU.Device; is != nil {
		t.Errorf("compiled for any device, and the metadata have %+v", is)
	}
}

// Processes that launch the same kernel for the first time share what the device's compiler made, on disk, and each is right.
func TestContractXPUProcesses(t *testing.T) {
	r := onXPU(t)
	if os.Getenv("TEGULA_TEST_CHILD") != "" {
		out, read := r.ints(1)
		r.launch(load(t, "@triton.jit\ndef k(p):\n    tl.store(p, tl.sum(tl.arange(0, 8)))\n").Kernel("k"), tegula.Grid{1}, out)
		if got := read()[0]; got != 28 {
			t.Errorf("%d", got)
		}
		return
	}
	dir := t.TempDir()
	var processes sync.WaitGroup
	for range 4 {
		processes.Go(func() {
			child := exec.Command(os.Args[0], "-test.run=^TestContractXPUProcesses$")
			child.Env = append(os.Environ(), "TEGULA_TEST_CHILD=1", "TEGULA_CACHE_DIR="+dir)
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	processes.Wait()
	if list, err := os.ReadDir(dir); err != nil || len(list) == 0 {
		t.Errorf("the cache has %d entries, %v", len(list), err)
	}
}

// Goroutines that launch one kernel for the first time, each on a queue of its own, get one variant, and each its result.
func TestContractXPUConcurrentFirstLaunches(t *testing.T) {
	d := xpuDevice(t)
	kernel := load(t, "@triton.jit\ndef k(p, n):\n    i = tl.arange(0, 128)\n    tl.store(p + i, i * n, mask=i < 100)\n").Kernel("k")
	var work sync.WaitGroup
	for n := range 8 {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{t: t, stream: s}
		out, read := r.ints(128)
		work.Go(func() {
			if err := kernel.Launch(context.Background(), s, tegula.Grid{1}, out, 2*n+3); err != nil {
				t.Error(tegula.Detail(err))
				return
			}
			for i, got := range read() {
				if want := int32(i * (2*n + 3)); got != want && i < 100 || i >= 100 && got != 0 {
					t.Errorf("launch %d: element %d is %d", n, i, got)
					break
				}
			}
			if err := d.CloseStream(s); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
}
