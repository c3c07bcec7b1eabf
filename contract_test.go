package tegula_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/fake"
)

// The launch contract, as docs/contract.md states it, on the CPU, on a device that shares nothing with
// this process, and on a SYCL device where there is one.

var fakes atomic.Int32

// newFake registers a fake backend under a name of its own.
func newFake(t testing.TB, o fake.Options) *fake.Driver {
	t.Helper()
	o.Unkept = true
	return fake.Register(fmt.Sprintf("root%d", fakes.Add(1)), o)
}

// A rig is a device to run kernels on.
type rig struct {
	t      *testing.T
	stream tegula.Stream
	fake   *fake.Driver // nil on others
}

// onEveryDevice runs a test on the CPU, on a fake device and on a SYCL device.
func onEveryDevice(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Run("cpu", func(t *testing.T) { test(t, &rig{t: t, stream: tegula.CPU()}) })
	t.Run("fake", func(t *testing.T) {
		f := newFake(t, fake.Options{})
		test(t, &rig{t: t, stream: f.Stream(0), fake: f})
	})
	t.Run("xpu", func(t *testing.T) { test(t, &rig{t: t, stream: xpuDevice(t).Stream()}) })
}

// ints makes an array of zeros, and a function that waits for the stream and reads it.
func (r *rig) ints(n int) (arg any, read func() []int32) {
	r.t.Helper()
	host := make([]int32, n)
	if r.stream.Backend == "cpu" {
		return host, func() []int32 { return host }
	}
	b, err := tegula.NewBuffer(r.stream, tegula.I32, n)
	if err != nil {
		r.t.Fatal(err)
	}
	bytes := make([]byte, 4*n)
	if err := b.CopyFrom(r.t.Context(), r.stream, bytes); err != nil {
		r.t.Fatal(err)
	}
	return b, func() []int32 {
		if err := b.CopyTo(r.t.Context(), r.stream, bytes); err != nil {
			r.t.Fatal(tegula.Detail(err))
		}
		for i := range host {
			host[i] = int32(uint32(bytes[4*i]) | uint32(bytes[4*i+1])<<8 | uint32(bytes[4*i+2])<<16 | uint32(bytes[4*i+3])<<24)
		}
		return host
	}
}

func (r *rig) launch(kernel *tegula.Kernel, grid tegula.GridSpec, args ...any) {
	r.t.Helper()
	if err := kernel.Launch(r.t.Context(), r.stream, grid, args...); err != nil {
		r.t.Fatal(tegula.Detail(err))
	}
}

func load(t *testing.T, src string) *tegula.Module {
	t.Helper()
	mod, err := tegula.Load("contract.py", "import triton\nimport triton.language as tl\n"+src)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	return mod
}

// coordinates stores, for each program, its coordinates and the counts at a place that they give,
// and how often a program came there.
const coordinates = `
@triton.jit
def coordinates(visits_ptr, where_ptr, counts_ptr, X: tl.constexpr, Y: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i = x + X * (y + Y * z)
    tl.atomic_add(visits_ptr + i, 1)
    tl.store(where_ptr + 3 * i, x)
    tl.store(where_ptr + 3 * i + 1, y)
    tl.store(where_ptr + 3 * i + 2, z)
    tl.atomic_xchg(counts_ptr, tl.num_programs(0))
    tl.atomic_xchg(counts_ptr + 1, tl.num_programs(1))
    tl.atomic_xchg(counts_ptr + 2, tl.num_programs(2))
`

// Every coordinate occurs once, none is missing, axes keep their order, num_programs gives the
// counts; how the grid is said makes no difference, and missing dimensions are 1.
func TestContractGridCoordinates(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, r *rig) {
		for _, dims := range []tegula.Grid{{7}, {7, 3}, {7, 3, 2}} {
			counts := [3]int{1, 1, 1}
			copy(counts[:], dims)
			total := counts[0] * counts[1] * counts[2]
			text := strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(dims)), " ", ","), "[]")
			specs := map[string]tegula.GridSpec{
				"literal":    dims,
				"function":   tegula.GridFunc(func(tegula.Args) tegula.Grid { return dims }),
				"scratch":    tegula.GridFunc(func(a tegula.Args) tegula.Grid { return a.Grid(dims...) }),
				"tuple":      tegula.GridExpr("(" + text + ",)"),
				"list":       tegula.GridExpr("[" + text + "]"),
				"expression": tegula.GridExpr(text),
				"lambda":     tegula.GridExpr("lambda args: (" + text + ",)"),
				"arguments":  tegula.GridExpr([]string{"X", "X, Y", "X, Y, 14 // X"}[len(dims)-1]),
			}
			for name, grid := range specs {
				t.Run(text+" as a "+name, func(t *testing.T) {
					r := &rig{t: t, stream: r.stream, fake: r.fake}
					visits, readVisits := r.ints(total)
					where, readWhere := r.ints(3 * total)
					got, readCounts := r.ints(3)
					r.launch(load(t, coordinates).Kernel("coordinates"), grid, visits, where, got,
						tegula.Const("X", counts[0]), tegula.Const("Y", counts[1]))
					if d := cmp.Diff([]int32{int32(counts[0]), int32(counts[1]), int32(counts[2])}, readCounts()); d != "" {
						t.Errorf("counts: %s", d)
					}
					for i, n := range readVisits() {
						want := []int32{int32(i % counts[0]), int32(i / counts[0] % counts[1]), int32(i / counts[0] / counts[1])}
						if at := readWhere()[3*i : 3*i+3]; n != 1 || !slices.Equal(at, want) {
							t.Errorf("program %d ran %d times as %v, want %v", i, n, at, want)
						}
					}
				})
			}
		}
	})
}

// An integer alone is a grid, and a grid may depend on run-time arguments, constants and what a
// configuration gives.
func TestContractGridOfArguments(t *testing.T) {
	mod := load(t, `
@triton.autotune(configs=[triton.Config({"BLOCK": 8})], key=[])
@triton.jit
def count(out_ptr, n, BLOCK: tl.constexpr, SPLIT: tl.constexpr = 2):
    tl.atomic_add(out_ptr, 1)
`)
	onEveryDevice(t, func(t *testing.T, r *rig) {
		for name, grid := range map[string]tegula.GridSpec{
			"an integer":    tegula.GridExpr("6"),
			"an expression": tegula.GridExpr("cdiv(n, BLOCK), SPLIT"),
			"a lambda":      tegula.GridExpr("lambda meta: (triton.cdiv(meta['n'], meta['BLOCK']) * meta['SPLIT'],)"),
			"a function": tegula.GridFunc(func(a tegula.Args) tegula.Grid {
				return tegula.Grid{tegula.Cdiv(a.Int("n"), a.Int("BLOCK")), a.Int("SPLIT")}
			}),
			"a shape": tegula.GridFunc(func(a tegula.Args) tegula.Grid { return tegula.Grid{a.Len("out_ptr"), a.Shape("out_ptr")[0]}[:1] }),
		} {
			t.Run(name, func(t *testing.T) {
				r := &rig{t: t, stream: r.stream, fake: r.fake}
				out, read := r.ints(6)
				r.launch(mod.Kernel("count"), grid, out, 20)
				if got := read()[0]; got != 6 {
					t.Errorf("%d programs", got)
				}
			})
		}
	})
}

// Another axis than 0, 1 and 2 is a compile error that names the three.
func TestContractGridAxes(t *testing.T) {
	for _, f := range []string{"program_id", "num_programs"} {
		for _, axis := range []string{"3", "-1"} {
			mod := load(t, fmt.Sprintf("@triton.jit\ndef k(p):\n    tl.store(p, tl.%s(%s))\n", f, axis))
			onEveryDevice(t, func(t *testing.T, r *rig) {
				p, _ := r.ints(1)
				err := mod.Kernel("k").Launch(t.Context(), r.stream, tegula.Grid{1}, p)
				if !errors.Is(err, tegula.ErrCompile) || !strings.Contains(err.Error(), "0, 1") || !strings.Contains(err.Error(), "2") {
					t.Errorf("%s(%s): %v", f, axis, err)
				}
			})
		}
	}
}

// Each grid that is none has a code of its own, and its message says which value of which axis is
// wrong. Nothing is compiled or launched, and no argument is touched.
func TestContractGridRefused(t *testing.T) {
	limits := driver.Grid{1<<31 - 1, 65535, 65535}
	for name, test := range map[string]struct {
		grid tegula.GridSpec
		code string
		msg  string
	}{
		"nil":                 {nil, "empty", "It is empty."},
		"empty":               {tegula.Grid{}, "empty", "It is empty."},
		"an empty tuple":      {tegula.GridExpr("()"), "empty", "It is empty."},
		"an empty result":     {tegula.GridFunc(func(tegula.Args) tegula.Grid { return nil }), "empty", "It is empty."},
		"four":                {tegula.Grid{1, 1, 1, 1}, "too-many-dimensions", "It has 4 dimensions."},
		"a tuple of four":     {tegula.GridExpr("1, 1, 1, 1"), "too-many-dimensions", "It has 4 dimensions."},
		"zero":                {tegula.Grid{4, 0}, "zero", "The size of axis 1 (y) is 0."},
		"a zero result":       {tegula.GridFunc(func(a tegula.Args) tegula.Grid { return a.Grid(0) }), "zero", "The size of axis 0 (x) is 0."},
		"negative":            {tegula.Grid{1, 1, -3}, "negative", "The size of axis 2 (z) is -3."},
		"a bool":              {tegula.GridExpr("(True,)"), "not-integer", "The size of axis 0 (x) is True, a value of type bool."},
		"a float":             {tegula.GridExpr("1, 2.0"), "not-integer", "The size of axis 1 (y) is 2.0, a value of type float."},
		"None":                {tegula.GridExpr("None"), "not-integer", "The size of axis 0 (x) is None"},
		"beyond int32":        {tegula.Grid{1 << 31}, "too-large", "The size of axis 0 (x) is 2147483648; at most 2147483647 are possible there on "},
		"beyond uint32":       {tegula.GridExpr("2**32"), "too-large", "The size of axis 0 (x) is 4294967296"},
		"beyond int64":        {tegula.GridExpr("2**100"), "too-large", "The size of axis 0 (x) is "},
		"beyond the target's": {tegula.Grid{1, 65536}, "too-large", "The size of axis 1 (y) is 65536; at most 65535 are possible there on "},
		"beyond it along z":   {tegula.Grid{1, 1, 65536}, "too-large", "The size of axis 2 (z) is 65536; at most 65535"},
		"a lambda's":          {tegula.GridExpr("lambda a: (a['n'], 0)"), "zero", "The size of axis 1 (y) is 0."},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, fake.Options{Limits: driver.Limits{Grid: limits}})
			r := &rig{t: t, stream: f.Stream(0), fake: f}
			kernel := load(t, "@triton.jit\ndef k(p, n):\n    tl.store(p, n)\n").Kernel("k")
			p, read := r.ints(1)
			err := kernel.Launch(t.Context(), r.stream, test.grid, p, 5)
			check(t, err, tegula.ErrGrid, test.code)
			var e *tegula.Error
			errors.As(err, &e)
			if want := "Grid must contain 1 to 3 positive integer dimensions. " + test.msg; !strings.HasPrefix(e.Msg, want) {
				t.Errorf("%s\nwant %s", e.Msg, want)
			}
			if got := f.Counts(); got != (fake.Counts{}) || len(f.Launches()) > 0 || read()[0] != 0 {
				t.Errorf("%+v, %d launches, stored %d", got, len(f.Launches()), read()[0])
			}
		})
	}
}

// What the launcher hands to a driver is what the caller gave: the stream, the grid, and the
// arguments laid out as the metadata say. Shared code follows no handle, function or address: none
// of the fake's means anything in this process.
func TestContractSharedCodeInterpretsNothing(t *testing.T) {
	f := newFake(t, fake.Options{Devices: 2})
	mod := load(t, "@triton.jit\ndef k(p, a: tl.int8, b: tl.int64, c, d: tl.float16, one):\n    tl.store(p, a + b + c + d + one)\n")
	s := f.Stream(1)
	b, err := tegula.NewBuffer(s, tegula.FP32, 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := mod.Kernel("k").Launch(t.Context(), s, tegula.Grid{2, 3}, b, -1, 1<<40, 2.5, tegula.Float16From(1.5), 1); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	l := f.Launches()[0]
	if l.Stream != s || l.Grid != (driver.Grid{2, 3, 1}) || l.Kernel != "k" || l.Function == 0 {
		t.Errorf("%+v", l)
	}
	want := []byte{
		byte(b.Address), byte(b.Address >> 8), byte(b.Address >> 16), byte(b.Address >> 24), byte(b.Address >> 32), byte(b.Address >> 40), byte(b.Address >> 48), byte(b.Address >> 56),
		0xff, 0, 0, 0, 0, 0, 0, 0, // a, and what b's alignment leaves
		0, 0, 0, 0, 0, 1, 0, 0,
		0, 0, 0x20, 0x40, // 2.5 as fp32
		0, 0x3e, // 1.5 as fp16
	}
	if d := cmp.Diff(want, l.Packed); d != "" {
		t.Error(d)
	}
	for i, a := range l.Args {
		if a.Host != nil {
			t.Errorf("argument %d has memory of this process", i)
		}
	}
	if c := l.Metadata.Constants; len(c) != 1 || c[0].Name != "one" {
		t.Errorf("%+v", c)
	}
}

// A and B are streams of one device. Each launch reaches the stream that was current when it was
// made, in order, and with the very handle that the driver gave.
func TestContractStreamsKeepOrder(t *testing.T) {
	f := newFake(t, fake.Options{})
	device, err := driver.OpenDevice(f.Stream(0).Backend, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, err := device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	b, err := device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Activate(a.Backend); err != nil {
		t.Fatal(err)
	}
	defer driver.Activate("cpu")
	mod := load(t, `
@triton.jit
def append(p, n):
    i = tl.load(p)
    tl.store(p + 1 + i, n)
    tl.store(p, i + 1)
`)
	kernel := mod.Kernel("append")
	ra, rb := &rig{t: t, stream: a, fake: f}, &rig{t: t, stream: b, fake: f}
	logA, readA := ra.ints(8)
	logB, readB := rb.ints(8)
	var want []tegula.Stream
	for i, s := range []tegula.Stream{a, b, b, a, b, a} {
		f.SetCurrent(s)
		current, err := driver.Current()
		if err != nil {
			t.Fatal(err)
		}
		log := logA
		if s == b {
			log = logB
		}
		if err := kernel.Launch(t.Context(), current, tegula.Grid{1}, log, 10+i); err != nil {
			t.Fatal(tegula.Detail(err))
		}
		want = append(want, s)
	}
	var got []tegula.Stream
	for _, l := range f.Launches() {
		got = append(got, l.Stream)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int32{3, 11, 12, 14, 0, 0, 0, 0}, readB()); d != "" {
		t.Errorf("B: %s", d)
	}
	if d := cmp.Diff([]int32{3, 10, 13, 15, 0, 0, 0, 0}, readA()); d != "" {
		t.Errorf("A: %s", d)
	}
}

// A launcher takes no stream but its device's own, and says by name what it was given.
func TestContractStreamRefused(t *testing.T) {
	f, other := newFake(t, fake.Options{Devices: 2}), newFake(t, fake.Options{})
	mine := f.Stream(0)
	kernel := load(t, "@triton.jit\ndef k(n):\n    pass\n").Kernel("k")
	p, err := kernel.Prepare(mine, tegula.Grid{1}, 5)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	cpuPrepared, err := kernel.Prepare(tegula.CPU(), tegula.Grid{1}, 5)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for name, test := range map[string]struct {
		prepared *tegula.Prepared
		stream   tegula.Stream
		code     string
		msg      string
	}{
		"another backend's": {p, other.Stream(0), "wrong-backend", "the kernel runs on " + mine.Backend + ", but the stream is of " + other.Stream(0).Backend},
		"the CPU's":         {p, tegula.CPU(), "wrong-backend", "but the stream is of cpu"},
		"another device's":  {p, f.Stream(1), "wrong-device", "the kernel runs on " + mine.Backend + ":0, but the stream is of " + mine.Backend + ":1"},
		"null":              {p, tegula.Stream{Backend: mine.Backend}, "null-handle", "the stream of " + mine.Backend + ":0 has a null handle"},
		"none":              {p, tegula.Stream{}, "no-stream", "was given none"},
		"a GPU's":           {cpuPrepared, mine, "wrong-backend", "the kernel runs on cpu, but the stream is of " + mine.Backend},
		"null on the CPU":   {cpuPrepared, tegula.Stream{Backend: "cpu"}, "null-handle", "null handle"},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.prepared.LaunchOn(t.Context(), test.stream)
			check(t, err, tegula.ErrStream, test.code)
			if !strings.Contains(err.Error(), test.msg) {
				t.Errorf("%v\nwant %s", err, test.msg)
			}
		})
	}
	if err := p.Launch(t.Context()); err != nil || len(f.Launches()) != 1 {
		t.Errorf("%v, %d launches", err, len(f.Launches()))
	}
}

// stream, device and device_type are no arguments: the error says where the stream comes from.
func TestContractAmbientKeywords(t *testing.T) {
	kernel := load(t, "@triton.jit\ndef k(n):\n    pass\n").Kernel("k")
	for _, name := range []string{"stream", "device", "device_type"} {
		err := kernel.Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, 5, tegula.Arg(name, 0))
		check(t, err, tegula.ErrArgument, "launch-keyword")
		if want := "'" + name + "' is no argument of a launch: the stream that the launch is given says where it runs"; !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// Arrays have to be where the kernel runs: what is mixed, or elsewhere, is refused before anything
// is compiled, each by a code of its own.
func TestContractMixedDevices(t *testing.T) {
	f := newFake(t, fake.Options{Devices: 2})
	kernel := load(t, "@triton.jit\ndef k(x_ptr, y_ptr):\n    tl.store(x_ptr, tl.load(y_ptr))\n").Kernel("k")
	on := func(device int) *tegula.Buffer {
		b, err := tegula.NewBuffer(f.Stream(device), tegula.FP32, 4)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	host := make([]float32, 4)
	freed := on(0)
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		stream tegula.Stream
		args   []any
		code   string
		msg    string
	}{
		"CPU and GPU":              {f.Stream(0), []any{on(0), host}, "mixed-devices", "argument 'y_ptr' of k is in the memory of cpu, but 'x_ptr' is in that of "},
		"GPU and CPU":              {tegula.CPU(), []any{host, on(0)}, "mixed-devices", "argument 'y_ptr'"},
		"two devices":              {f.Stream(0), []any{on(0), on(1)}, "multiple-devices", "argument 'y_ptr' of k is on "},
		"all on another device":    {f.Stream(0), []any{on(1), on(1)}, "wrong-device", "argument 'x_ptr' of k is in the memory of "},
		"all on the CPU":           {f.Stream(0), []any{host, host}, "wrong-device", "but the launch is on "},
		"all on a GPU":             {tegula.CPU(), []any{on(0), on(0)}, "wrong-device", "launch on a stream of "},
		"memory that was given up": {f.Stream(0), []any{on(0), freed}, "freed-buffer", "was given back"},
	} {
		t.Run(name, func(t *testing.T) {
			err := kernel.Launch(t.Context(), test.stream, tegula.Grid{1}, test.args...)
			check(t, err, tegula.ErrArgument, test.code)
			if !strings.Contains(err.Error(), test.msg) {
				t.Errorf("%v\nwant %s", err, test.msg)
			}
		})
	}
	if got := f.Counts(); got != (fake.Counts{}) {
		t.Errorf("%+v", got)
	}
}

// do_not_specialize and do_not_specialize_on_alignment say what makes no variant.
func TestContractDoNotSpecialize(t *testing.T) {
	f := newFake(t, fake.Options{})
	s := f.Stream(0)
	b, err := tegula.NewBuffer(s, tegula.I32, 64)
	if err != nil {
		t.Fatal(err)
	}
	shifted, err := b.Slice(1, 64)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		decorator string
		loads     int // of the launches below
	}{
		"plain":                      {"@triton.jit", 4},
		"do not specialize n":        {"@triton.jit(do_not_specialize=['n'])", 2},
		"do not specialize n by no.": {"@triton.jit(do_not_specialize=[1])", 2},
		"nothing of both":            {"@triton.jit(do_not_specialize=['p', 'n'])", 1},
		"alignment of n":             {"@triton.jit(do_not_specialize_on_alignment=['n'])", 3},
		"alignment of both":          {"@triton.jit(do_not_specialize_on_alignment=['p', 'n'])", 2},
	} {
		t.Run(name, func(t *testing.T) {
			kernel := load(t, test.decorator+"\ndef k(p, n):\n    tl.store(p, n)\n").Kernel("k")
			before := f.Counts().Loads
			var keep []*tegula.Prepared
			for _, args := range [][]any{{b, 5}, {b, 1}, {b, 16}, {shifted, 5}} {
				p, err := kernel.Prepare(s, tegula.Grid{1}, args...)
				if err != nil {
					t.Fatal(tegula.Detail(err))
				}
				keep = append(keep, p)
			}
			distinct := map[*driver.KernelMetadata]bool{}
			for _, p := range keep {
				distinct[p.Metadata()] = true
			}
			if got := f.Counts().Loads - before; len(distinct) != test.loads || got > test.loads {
				t.Errorf("%d binaries, %d loads, want %d", len(distinct), got, test.loads)
			}
		})
	}
}
