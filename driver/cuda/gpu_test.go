package cuda

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// The tests of this file need a GPU. go test ./driver/cuda -run CUDA runs them.

// gpu opens the first GPU, or skips the test.
func gpu(t testing.TB) *Device {
	t.Helper()
	n, err := Count()
	if err != nil || n == 0 {
		t.Skipf("skipped: no NVIDIA GPU here (%v)", err)
	}
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The beginning of PTX for every GPU, and for those with clusters.
const (
	anyGPU = ".version 8.0\n.target sm_75\n.address_size 64\n"
	hopper = ".version 8.0\n.target sm_90\n.address_size 64\n"
)

// addPTX adds vectors of n floats, an element a thread.
const addPTX = anyGPU + `
.visible .entry entry(.param .u64 x, .param .u64 y, .param .u64 out, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .f32 %f<4>;
  .reg .b64 %a<5>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r1, %r4;
  @%p bra end;
  mul.wide.u32 %a4, %r1, 4;
  ld.param.u64 %a1, [x];
  ld.param.u64 %a2, [y];
  ld.param.u64 %a3, [out];
  add.u64 %a1, %a1, %a4;
  add.u64 %a2, %a2, %a4;
  add.u64 %a3, %a3, %a4;
  ld.global.f32 %f1, [%a1];
  ld.global.f32 %f2, [%a2];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%a3], %f3;
end:
  ret;
}
`

// reversePTX has each thread put its number at the end of the shared memory and read another's.
const reversePTX = anyGPU + `
.extern .shared .align 16 .b8 memory[];
.visible .entry entry(.param .u64 out, .param .u32 bytes)
{
  .reg .b32 %r<7>;
  .reg .b64 %a<3>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  ld.param.u32 %r3, [bytes];
  mov.u32 %r4, memory;
  add.u32 %r4, %r4, %r3;
  shl.b32 %r5, %r1, 2;
  sub.u32 %r6, %r4, %r5;
  st.shared.u32 [%r6+-4], %r1;
  bar.sync 0;
  sub.u32 %r2, %r2, %r1;
  shl.b32 %r2, %r2, 2;
  sub.u32 %r2, %r4, %r2;
  ld.shared.u32 %r2, [%r2];
  ld.param.u64 %a1, [out];
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a1, %a1, %a2;
  st.global.u32 [%a1], %r2;
  ret;
}
`

// clusterPTX stores each CTA's place in its cluster.
const clusterPTX = hopper + `
.visible .entry entry(.param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .b64 %a<3>;
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, %cluster_nctarank;
  mad.lo.u32 %r1, %r2, 100, %r1;
  mov.u32 %r3, %ctaid.x;
  ld.param.u64 %a1, [out];
  mul.wide.u32 %a2, %r3, 4;
  add.u64 %a1, %a1, %a2;
  st.global.u32 [%a1], %r1;
  ret;
}
`

// wildPTX stores where nothing is.
const wildPTX = anyGPU + `
.visible .entry entry()
{
  .reg .b64 %a;
  mov.u64 %a, 64;
  st.global.u64 [%a], %a;
  ret;
}
`

// loadPTX loads a kernel of PTX, by way of a cubin or not.
func loadPTX(t testing.TB, d *Device, ptx string, cubin bool, m *driver.KernelMetadata) driver.Kernel {
	t.Helper()
	b := &driver.Binary{Metadata: m, Image: []byte(ptx)}
	if cubin {
		var err error
		if b, err = d.device.Finish(b); err != nil {
			t.Fatal(diag.Detail(err))
		}
		if isPTX(b.Image) {
			t.Fatal("the compiler made no cubin")
		}
	}
	k, err := d.device.Load(b)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// floats gives a buffer of numbers.
func floats(t testing.TB, d *Device, s driver.Stream, n int, f func(i int) float32) *driver.Buffer {
	t.Helper()
	b, err := d.Alloc(dtype.Float32, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Free() })
	if f == nil {
		return b
	}
	data := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(f(i)))
	}
	if err := b.CopyFrom(context.Background(), s, data); err != nil {
		t.Fatal(err)
	}
	clear(data) // the bytes are the caller's again
	return b
}

// read gives a buffer's numbers, of 32 bits.
func read(t testing.TB, s driver.Stream, b *driver.Buffer) []uint32 {
	t.Helper()
	data := make([]byte, b.Bytes())
	if err := b.CopyTo(t.Context(), s, data); err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, len(data)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out
}

// An adder adds vectors on the GPU.
type adder struct {
	d         *Device
	k         driver.Kernel
	x, y, out *driver.Buffer
	launch    *driver.Launch
}

func newAdder(t testing.TB, n int, cubin bool) *adder {
	d := gpu(t)
	s := d.Stream()
	a := &adder{d: d, k: loadPTX(t, d, addPTX, cubin, meta(t, nil, "*fp32", "*fp32", "*fp32", "i32"))}
	a.x = floats(t, d, s, n, func(i int) float32 { return float32(i) })
	a.y = floats(t, d, s, n, func(i int) float32 { return float32(i % 7) })
	a.out = floats(t, d, s, n, func(int) float32 { return -1 })
	a.launch = &driver.Launch{
		Grid: driver.Grid{uint32(n+127) / 128, 1, 1},
		Args: []driver.Arg{{Bits: a.x.Address}, {Bits: a.y.Address}, {Bits: a.out.Address}, {Bits: uint64(n)}},
	}
	return a
}

// check compares what is there with the sum.
func (a *adder) check(t testing.TB, s driver.Stream) {
	t.Helper()
	for i, bits := range read(t, s, a.out) {
		if got, want := math.Float32frombits(bits), float32(i)+float32(i%7); got != want {
			t.Fatalf("element %d is %g, want %g", i, got, want)
		}
	}
}

func TestCUDADevice(t *testing.T) {
	d := gpu(t)
	l := d.Limits()
	if l.Grid[0] != 1<<31-1 || l.Grid[1] != 65535 || l.Grid[2] != 65535 || l.Threads != 1024 || l.Registers != 65536 || l.Shared < 64<<10 || l.Cluster < 1 {
		t.Errorf("%+v", l)
	}
	free, total, err := d.Memory()
	if err != nil || free == 0 || free > total {
		t.Errorf("%d of %d bytes free, %v", free, total, err)
	}
	infos, err := driver.Devices(Backend)
	if err != nil || infos[0] != d.Info() || d.Info().Name == "" || d.Info().Version == "" {
		t.Errorf("%+v, %v", infos, err)
	}
	t.Logf("%+v %+v", d.Info(), l)
	if s, err := driver.OpenDevice(Backend, 99); !errors.Is(err, diag.Driver) {
		t.Errorf("%v, %v", s, err)
	}
}

func TestCUDAAdd(t *testing.T) {
	for _, cubin := range []bool{false, true} {
		a := newAdder(t, 100_003, cubin)
		s := a.d.Stream()
		if err := a.k.Launch(t.Context(), s, a.launch); err != nil {
			t.Fatal(err)
		}
		a.check(t, s)
		if r := a.k.Metadata().Backends.CUDA.Registers; r == nil || *r < 4 || *r > 64 {
			t.Errorf("registers: %v", r)
		}
	}
}

func TestCUDASharedMemory(t *testing.T) {
	d := gpu(t)
	for _, size := range []int{1 << 10, 48 << 10, d.Limits().Shared} {
		k := loadPTX(t, d, reversePTX, false, meta(t, func(m *driver.KernelMetadata, c *driver.CUDAMetadata) { m.Shared, c.DynamicShared = size, size }, "*i32", "i32"))
		out := floats(t, d, d.Stream(), 128, nil)
		l := &driver.Launch{Grid: driver.Grid{1, 1, 1}, Args: []driver.Arg{{Bits: out.Address}, {Bits: uint64(size)}}}
		if err := k.Launch(t.Context(), d.Stream(), l); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		for i, got := range read(t, d.Stream(), out) {
			if got != uint32(127-i) {
				t.Fatalf("%d bytes: thread %d read %d", size, i, got)
			}
		}
	}
	b := &driver.Binary{Metadata: meta(t, func(m *driver.KernelMetadata, c *driver.CUDAMetadata) { m.Shared, c.DynamicShared = 1<<20, 1<<20 }, "*i32", "i32"), Image: []byte(reversePTX)}
	if _, err := d.device.Load(b); !errors.Is(err, diag.OutOfResources) {
		t.Errorf("1 MiB: %v", err)
	}
}

func TestCUDAClusters(t *testing.T) {
	d := gpu(t)
	if d.Limits().Cluster == 1 {
		t.Skip("skipped: the GPU has no clusters")
	}
	for _, n := range []int{2, 8, 16} {
		k := loadPTX(t, d, clusterPTX, false, meta(t, func(m *driver.KernelMetadata, c *driver.CUDAMetadata) {
			m.NumCTAs, c.Cluster, c.Programmatic = n, [3]int{n, 1, 1}, true
		}, "*i32"))
		out := floats(t, d, d.Stream(), 3*n, nil)
		if err := k.Launch(t.Context(), d.Stream(), &driver.Launch{Grid: driver.Grid{3, 1, 1}, Args: []driver.Arg{{Bits: out.Address}}}); err != nil {
			t.Fatalf("clusters of %d: %v", n, err)
		}
		for i, got := range read(t, d.Stream(), out) {
			if got != uint32(100*n+i%n) {
				t.Errorf("clusters of %d: CTA %d is %d", n, i, got)
			}
		}
	}
}

// Work on one stream is in order; an event puts one stream after another.
func TestCUDAStreams(t *testing.T) {
	a := newAdder(t, 1<<20, true)
	d := a.d
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	start, err := d.NewEvent()
	end, err2 := d.NewEvent()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	first := *a.launch // x + y into x, many times, on one stream; then x + y into out on another
	first.Args = []driver.Arg{{Bits: a.x.Address}, {Bits: a.y.Address}, {Bits: a.x.Address}, a.launch.Args[3]}
	const n = 50
	if err := start.Record(s); err != nil {
		t.Fatal(err)
	}
	for range n {
		if err := a.k.Launch(t.Context(), s, &first); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(end.Record(s), end.Before(d.Stream()), a.k.Launch(t.Context(), d.Stream(), a.launch)); err != nil {
		t.Fatal(err)
	}
	for i, bits := range read(t, d.Stream(), a.out) {
		if got, want := math.Float32frombits(bits), float32(i)+(n+1)*float32(i%7); got != want {
			t.Fatalf("element %d is %g, want %g", i, got, want)
		}
	}
	if took, err := end.Since(start); err != nil || took <= 0 {
		t.Errorf("%s, %v", took, err)
	}
	for _, other := range []driver.Stream{StreamOf(0, 0), StreamOf(0, perThreadStream)} {
		if err := errors.Join(a.k.Launch(t.Context(), other, a.launch), d.Wait(t.Context(), other)); err != nil {
			t.Errorf("%s: %v", other, err)
		}
	}
	if err := errors.Join(start.Close(), end.Close(), d.CloseStream(s)); err != nil {
		t.Error(err)
	}
}

func TestCUDAGraph(t *testing.T) {
	a := newAdder(t, 1000, true)
	s := a.d.Stream()
	add := *a.launch
	add.Args = []driver.Arg{{Bits: a.out.Address}, {Bits: a.y.Address}, {Bits: a.out.Address}, {Bits: 1000}}
	g, err := a.d.Capture(s, func() error {
		if err := a.y.CopyTo(t.Context(), s, make([]byte, 4000)); !errors.Is(err, diag.Stream) {
			t.Errorf("a copy in a capture: %v", err)
		}
		return errors.Join(a.k.Launch(t.Context(), s, &add), a.k.Launch(t.Context(), s, &add))
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := g.Launch(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	for i, bits := range read(t, s, a.out) {
		if got, want := math.Float32frombits(bits), -1+10*float32(i%7); got != want {
			t.Fatalf("element %d is %g, want %g", i, got, want)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// Launches come from many goroutines on many threads, each with what it likes as current context.
func TestCUDAThreads(t *testing.T) {
	a := newAdder(t, 1<<16, true)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for range 200 {
				if err := a.k.Launch(context.Background(), a.d.Stream(), a.launch); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	a.check(t, a.d.Stream())
}

func TestCUDAMemory(t *testing.T) {
	d := gpu(t)
	s := d.Stream()
	if _, err := d.Alloc(dtype.Float32, 1<<42); !errors.Is(err, diag.Driver) {
		t.Errorf("16 TiB: %v", err)
	}
	for range 20 {
		b, err := d.AllocOn(s, dtype.Int8, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		data := bytes.Repeat([]byte{1, 2, 3, 4}, 1<<18)
		got := make([]byte, 1<<20)
		if err := errors.Join(b.CopyFrom(t.Context(), s, data), b.CopyTo(t.Context(), s, got), b.Free()); err != nil || !bytes.Equal(data, got) {
			t.Fatal(err)
		}
	}
}

// PTX that is none, or for another GPU, is an error with what the compiler says.
func TestCUDABadPTX(t *testing.T) {
	d := gpu(t)
	for what, ptx := range map[string]string{"nonsense": anyGPU + ".visible .entry entry() { nonsense.u32; }", "a newer target": ".version 99.9\n.target sm_75\n"} {
		b := &driver.Binary{Metadata: meta(t, nil), Image: []byte(ptx)}
		for how, f := range map[string]func() error{
			"Finish": func() error { _, err := d.device.Finish(b); return err },
			"Load":   func() error { _, err := d.device.Load(b); return err },
		} {
			err := f()
			var e *Error
			if !errors.Is(err, diag.Driver) || !errors.As(err, &e) || what == "nonsense" && !strings.Contains(diag.Detail(err), "nonsense") {
				t.Errorf("%s of %s: %s", how, what, diag.Detail(err))
			}
		}
	}
}

// envCrash has the test binary break its context.
const envCrash = "TEGULA_TEST_CRASH"

// A kernel that goes wrong is an error of Wait, and of what comes after. It is another process that it goes wrong in.
func TestCUDACrash(t *testing.T) {
	d := gpu(t)
	if os.Getenv(envCrash) == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestCUDACrash$", "-test.v")
		cmd.Env = append(os.Environ(), envCrash+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	k := loadPTX(t, d, wildPTX, false, meta(t, nil))
	if err := k.Launch(t.Context(), d.Stream(), &driver.Launch{Grid: driver.Grid{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	err := d.Wait(context.Background(), d.Stream())
	if !is(err, 700) || !strings.Contains(err.Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") || !strings.Contains(err.Error(), "nothing more can be done") {
		t.Fatalf("%v", err)
	}
	if _, err := d.Alloc(dtype.Int8, 1); !errors.Is(err, diag.Driver) {
		t.Errorf("an allocation afterwards: %v", err)
	}
	fmt.Println("PASS") // what is left of the test would fail, as it should: the context is gone
	os.Exit(0)
}

// A wait can be stopped; the work goes on.
func TestCUDAWaitIsStopped(t *testing.T) {
	a := newAdder(t, 1<<26, true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
	defer cancel()
	<-ctx.Done()
	if err := a.k.Launch(t.Context(), a.d.Stream(), a.launch); err != nil {
		t.Fatal(err)
	}
	if err := a.d.Wait(ctx, a.d.Stream()); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := a.d.Wait(t.Context(), a.d.Stream()); err != nil {
		t.Error(err)
	}
}

// BenchmarkCUDALaunch is the host's time of a launch, and BenchmarkCUDARaw that of cuLaunchKernel alone, by the
// same way into the library.
func BenchmarkCUDALaunch(b *testing.B) {
	a := newAdder(b, 1, true)
	benchmarkSubmissions(b, a.d, func() error { return a.k.Launch(context.Background(), a.d.Stream(), a.launch) })
}

func BenchmarkCUDARaw(b *testing.B) {
	a := newAdder(b, 1, true)
	k := a.k.(*kernel)
	f := k.newFrame()
	k.pack(f, a.launch.Args)
	f.block.args[1], f.block.args[2], f.block.args[3], f.block.args[8] = 1, 1, 1, a.d.Stream().Handle
	args := f.block.args
	benchmarkSubmissions(b, a.d, func() error {
		return k.device.api.err("cuLaunchKernel", k.device.api.call(k.device.context, k.device.api.launchKernel, args[:]...))
	})
}

// benchmarkSubmissions times submissions, and lets the device catch up without being timed.
func benchmarkSubmissions(b *testing.B, d *Device, submit func() error) {
	for n := 0; b.Loop(); n++ {
		if err := submit(); err != nil {
			b.Fatal(err)
		}
		if n%256 == 255 {
			b.StopTimer()
			if err := d.Wait(context.Background(), d.Stream()); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	}
}
