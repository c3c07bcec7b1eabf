package xpu

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// open gives the first device, or skips the test where there is no SYCL runtime.
func open(t testing.TB) *device {
	t.Helper()
	if _, err := load(); err != nil {
		if os.Getenv("TEGULA_XPU_SHIM") != "" {
			t.Fatal(diag.Detail(err))
		}
		t.Skipf("no SYCL runtime: %v", err)
	}
	d, err := driver.OpenDevice(Backend, 0)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	return d.(*device)
}

// recordBinary is the kernel of testdata/record.spvasm.
func recordBinary(t testing.TB) *driver.Binary {
	t.Helper()
	image, err := os.ReadFile("testdata/record.spv")
	if err != nil {
		t.Fatal(err)
	}
	return &driver.Binary{Image: image, Metadata: &driver.KernelMetadata{
		Name: "record", Target: "xpu", NumWarps: 4, NumCTAs: 1, ThreadsPerWarp: 16,
		Args: []driver.MetadataArg{
			{Name: "out", Type: "*i32", Size: 8, Offset: 0, Align: 8, DivisibleBy: 1},
			{Name: "add", Type: "i32", Size: 4, Offset: 8, Align: 4, DivisibleBy: 1},
		},
		Backends: driver.MetadataBackends{XPU: &driver.XPUMetadata{Entry: "record", SPIRV: "1.0"}},
	}}
}

func loadRecord(t testing.TB, d *device) driver.Kernel {
	t.Helper()
	k, err := d.Load(recordBinary(t))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	t.Cleanup(func() { k.Close() })
	return k
}

// ints is memory of a device that holds zeros.
func ints(t testing.TB, d *device, s driver.Stream, n int) driver.Memory {
	t.Helper()
	m, err := d.Alloc(int64(4 * n))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Free() })
	if err := m.CopyIn(t.Context(), s, 0, make([]byte, 4*n)); err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t testing.TB, s driver.Stream, m driver.Memory) []int32 {
	t.Helper()
	raw := make([]byte, m.Bytes())
	if err := m.CopyOut(t.Context(), s, 0, raw); err != nil {
		t.Fatal(err)
	}
	out := make([]int32, len(raw)/4)
	if _, err := binary.Decode(raw, binary.LittleEndian, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func launch(grid driver.Grid, m driver.Memory, add uint64) *driver.Launch {
	return &driver.Launch{Grid: grid, Args: []driver.Arg{{Bits: m.Address()}, {Bits: add}}}
}

// Every program of a grid runs once, with the axes in order.
func TestGrids(t *testing.T) {
	d := open(t)
	k := loadRecord(t, d)
	for _, grid := range []driver.Grid{{1, 1, 1}, {7, 1, 1}, {7, 3, 1}, {7, 3, 2}, {1, 1, 5}} {
		n := int(grid[0] * grid[1] * grid[2])
		m := ints(t, d, d.Stream(), n+8)
		if err := k.Launch(t.Context(), d.Stream(), launch(grid, m, 1)); err != nil {
			t.Fatal(diag.Detail(err))
		}
		for i, got := range read(t, d.Stream(), m) {
			want := int32(0)
			if i < n {
				want = 1
			}
			if got != want {
				t.Errorf("grid %v: element %d is %d, want %d", grid, i, got, want)
			}
		}
	}
}

// A program grid (x, y, z) is an nd_range<3> whose local range is (1, 1, threads) and which has (z, y, x) work-groups, so that its global range is
// (z, y, x·threads). SYCL's dimension 2 is the kernel's x; threads is threads_per_warp · num_warps.
func TestContractXPUMapping(t *testing.T) {
	d := open(t)
	image, err := os.ReadFile("testdata/shape.spv")
	if err != nil {
		t.Fatal(err)
	}
	for _, warps := range []int{1, 4} {
		k, err := d.Load(&driver.Binary{Image: image, Metadata: &driver.KernelMetadata{
			Name: "shape", Target: "xpu", NumWarps: warps, NumCTAs: 1, ThreadsPerWarp: 16,
			Args:     []driver.MetadataArg{{Name: "out", Type: "*i32", Size: 8, Align: 8, DivisibleBy: 1}},
			Backends: driver.MetadataBackends{XPU: &driver.XPUMetadata{Entry: "shape", SPIRV: "1.0"}},
		}})
		if err != nil {
			t.Fatal(diag.Detail(err))
		}
		for _, grid := range []driver.Grid{{7, 1, 1}, {7, 3, 1}, {7, 3, 2}} {
			m := ints(t, d, d.Stream(), 6)
			if err := k.Launch(t.Context(), d.Stream(), &driver.Launch{Grid: grid, Args: []driver.Arg{{Bits: m.Address()}}}); err != nil {
				t.Fatal(diag.Detail(err))
			}
			got := read(t, d.Stream(), m)
			threads := int32(16 * warps)
			x, y, z := int32(grid[0]), int32(grid[1]), int32(grid[2])
			if want := []int32{threads, 1, 1, x, y, z}; !slices.Equal(got, want) {
				t.Errorf("%d warps, grid %v: %v, want %v", warps, grid, got, want)
			}
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		if err := k.Launch(t.Context(), d.Stream(), &driver.Launch{Grid: driver.Grid{1, 1, 1}, Args: make([]driver.Arg, 1)}); !errors.Is(err, diag.Stream) || !strings.Contains(err.Error(), "null") {
			t.Errorf("a null kernel: %v", err)
		}
	}
}

// Two queues keep their own order, and launches reach the one that they are given.
func TestQueues(t *testing.T) {
	d := open(t)
	k := loadRecord(t, d)
	var streams [2]driver.Stream
	var mems [2]driver.Memory
	for i := range streams {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer d.CloseStream(s)
		same, err := Queue(s.Handle)
		if err != nil || same != s {
			t.Fatalf("the queue of %v is %v, %v", s, same, err)
		}
		streams[i], mems[i] = s, ints(t, d, s, 3)
	}
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			for range 200 {
				if err := k.Launch(context.Background(), streams[i], launch(driver.Grid{3, 1, 1}, mems[i], uint64(i+1))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i := range streams {
		for _, got := range read(t, streams[i], mems[i]) {
			if got != int32(200*(i+1)) {
				t.Errorf("queue %d: %d", i, got)
			}
		}
	}
}

func TestFinish(t *testing.T) {
	d := open(t)
	made := recordBinary(t)
	b, err := d.Finish(made)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	if made.Metadata.Backends.XPU.Device != nil {
		t.Error("the metadata of what was given changed")
	}
	is := b.Metadata.Backends.XPU.Device
	if is == nil || is.Name != d.Info().Name || !slices.Contains(is.SubGroups, 16) || int64(d.Limits().Shared) != is.LocalMemory || d.Limits().Threads != is.MaxWorkGroup || is.Driver == "" || is.Vendor == "" {
		t.Errorf("the device is %+v, %s", is, d.Info().Name)
	}
	if isSPIRV(b.Image) {
		t.Skip("the runtime gives no native code")
	}
	k, err := d.Load(b)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	defer k.Close()
	m := ints(t, d, d.Stream(), 2)
	if err := k.Launch(t.Context(), d.Stream(), launch(driver.Grid{2, 1, 1}, m, 5)); err != nil {
		t.Fatal(err)
	}
	if got := read(t, d.Stream(), m); got[0] != 5 || got[1] != 5 {
		t.Errorf("%v", got)
	}
}

func TestRefused(t *testing.T) {
	d := open(t)
	k := loadRecord(t, d)
	m := ints(t, d, d.Stream(), 1)
	for name, c := range map[string]struct {
		stream driver.Stream
		code   string
	}{
		"null queue":      {driver.Stream{Backend: Backend, Device: 0}, "null-handle"},
		"another backend": {driver.Stream{Backend: "cuda", Device: 0, Handle: 1}, "wrong-backend"},
		"another device":  {driver.Stream{Backend: Backend, Device: 1, Handle: 1}, "wrong-device"},
	} {
		err := k.Launch(t.Context(), c.stream, launch(driver.Grid{1, 1, 1}, m, 1))
		var e *diag.Error
		if !errors.As(err, &e) || e.Category != diag.Stream || e.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Queue(0); !errors.Is(err, diag.Stream) {
		t.Errorf("null queue: %v", err)
	}
	if got := read(t, d.Stream(), m); got[0] != 0 {
		t.Errorf("a refused launch ran")
	}
	for name, c := range map[string]struct {
		change   func(*driver.Binary)
		category *diag.Category
	}{
		"sub-group size": {func(b *driver.Binary) { b.Metadata.ThreadsPerWarp = 2 }, diag.Unsupported},
		"feature":        {func(b *driver.Binary) { b.Metadata.Backends.XPU.Requires = []string{"telepathy"} }, diag.Unsupported},
		"threads":        {func(b *driver.Binary) { b.Metadata.NumWarps = 1 << 20 }, diag.OutOfResources},
		"local memory":   {func(b *driver.Binary) { b.Metadata.Shared = 1 << 30 }, diag.OutOfResources},
		"no such kernel": {func(b *driver.Binary) { b.Metadata.Backends.XPU.Entry = "other" }, diag.Driver},
		"damaged":        {func(b *driver.Binary) { b.Image = b.Image[:len(b.Image)/2] }, diag.Driver},
		"another target": {func(b *driver.Binary) { b.Metadata.Backends.XPU = nil }, diag.Driver},
	} {
		b := recordBinary(t)
		c.change(b)
		if _, err := d.Load(b); !errors.Is(err, c.category) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := k.Launch(t.Context(), d.Stream(), &driver.Launch{Grid: driver.Grid{1, 1, 1}}); !errors.Is(err, diag.Driver) {
		t.Errorf("no arguments: %v", err)
	}
}

func TestMemory(t *testing.T) {
	d := open(t)
	s := d.Stream()
	m, err := d.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{1, 2, 3, 4}
	got := make([]byte, 4)
	if err := errors.Join(m.CopyIn(t.Context(), s, 12, want), m.CopyOut(t.Context(), s, 12, got)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if err := m.CopyIn(t.Context(), s, 13, want); !errors.Is(err, diag.Driver) {
		t.Errorf("beyond the end: %v", err)
	}
	if err := m.Free(); err != nil {
		t.Error(err)
	}
	if err := m.CopyIn(t.Context(), s, 0, want); !errors.Is(err, diag.Driver) {
		t.Errorf("freed: %v", err)
	}
	if _, err := d.Alloc(1 << 60); !errors.Is(err, diag.Driver) {
		t.Errorf("too much: %v", err)
	}
}

func TestStreamsEnd(t *testing.T) {
	d := open(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := errors.Join(d.Wait(ctx, s), d.CloseStream(s)); err != nil {
		t.Error(err)
	}
	cancel()
	if err := d.CloseStream(s); !errors.Is(err, diag.Stream) {
		t.Errorf("closed twice: %v", err)
	}
	if err := d.CloseStream(d.Stream()); !errors.Is(err, diag.Stream) {
		t.Errorf("the device's own: %v", err)
	}
}

// Without the runtime the driver says what to install; this runs everywhere.
func TestNoRuntime(t *testing.T) {
	if os.Getenv("TEGULA_XPU_TEST_ABSENT") == "1" {
		_, err := driver.Open(Backend)
		if !errors.Is(err, diag.Driver) || !bytes.Contains([]byte(diag.Detail(err)), []byte("intel-sycl-rt")) {
			t.Errorf("%v", diag.Detail(err))
		}
		if infos, err := driver.Devices(Backend); len(infos) != 0 || err != nil {
			t.Errorf("%v, %v", infos, err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNoRuntime$")
	cmd.Env = append(os.Environ(), "TEGULA_XPU_TEST_ABSENT=1", "TEGULA_XPU_SHIM="+filepath.Join(t.TempDir(), "none.so"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The kernels of the tests are what their texts say.
func TestKernelsAreAssembled(t *testing.T) {
	assembler, err := exec.LookPath("spirv-as")
	if err != nil {
		t.Skip("no spirv-as")
	}
	for _, name := range []string{"record", "shape"} {
		out := filepath.Join(t.TempDir(), name+".spv")
		if msg, err := exec.Command(assembler, "--target-env", "spv1.3", "testdata/"+name+".spvasm", "-o", out).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, msg)
		}
		got, _ := os.ReadFile(out)
		if want, _ := os.ReadFile("testdata/" + name + ".spv"); !bytes.Equal(got, want) {
			t.Errorf("testdata/%s.spv is not what spirv-as makes of its text", name)
		}
	}
}

func BenchmarkLaunch(b *testing.B) {
	d := open(b)
	k := loadRecord(b, d)
	l := launch(driver.Grid{1, 1, 1}, ints(b, d, d.Stream(), 1), 1)
	b.ReportAllocs()
	for b.Loop() {
		if err := k.Launch(context.Background(), d.Stream(), l); err != nil {
			b.Fatal(err)
		}
	}
	if err := d.Wait(context.Background(), d.Stream()); err != nil {
		b.Fatal(err)
	}
}
