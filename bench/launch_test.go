package bench

import (
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/fake"
)

// launches has kernels as users write them: 4 and 19 arguments.
const launches = `
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr = 1024):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n), mask=i < n)

@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, scale, n_ctx, stride_qz, stride_qh, stride_qm, stride_kz, stride_kh, stride_kn,
              stride_vz, stride_vh, stride_vn, stride_oz, stride_oh, stride_om):
    tl.store(out_ptr, tl.load(q_ptr) * scale + n_ctx + stride_qz + stride_qh + stride_qm + stride_kz + stride_kh + stride_kn)
    tl.store(lse_ptr, tl.load(k_ptr) + tl.load(v_ptr) + stride_vz + stride_vh + stride_vn + stride_oz + stride_oh + stride_om)
`

// discard is a device that takes launches and does nothing, so that what a launch costs is what
// the launcher costs.
var discard = fake.Register("discard", fake.Options{Discard: true, Unkept: true})

// A launcher launches kernels of launches with arguments that differ in each launch, but not in
// what is known of them.
type launcher struct {
	tb             testing.TB
	add, attention *tegula.Kernel
	stream         driver.Stream
	buffers        [5]*tegula.Buffer
	n              int
}

func newLauncher(tb testing.TB) *launcher {
	tb.Helper()
	mod, err := tegula.Load("launches.py", launches)
	if err != nil {
		tb.Fatal(err)
	}
	l := &launcher{tb: tb, add: mod.Kernel("add"), attention: mod.Kernel("attention"), stream: discard.Stream(0), n: 100_000}
	for i := range l.buffers {
		if l.buffers[i], err = tegula.NewBuffer(l.stream, tegula.FP32, 1024); err != nil {
			tb.Fatal(err)
		}
	}
	return l
}

func (l *launcher) launch4() {
	l.n += 16
	err := l.add.Launch(l.tb.Context(), l.stream, tegula.Grid{tegula.Cdiv(l.n, 1024)}, l.buffers[0], l.buffers[1], l.buffers[2], l.n)
	if err != nil {
		l.tb.Fatal(tegula.Detail(err))
	}
}

func (l *launcher) launch4Const() {
	l.n += 16
	err := l.add.Launch(l.tb.Context(), l.stream, tegula.Grid{tegula.Cdiv(l.n, 1024)}, l.buffers[0], l.buffers[1], l.buffers[2], l.n,
		tegula.Const("BLOCK", 1024))
	if err != nil {
		l.tb.Fatal(tegula.Detail(err))
	}
}

func (l *launcher) launch19() {
	l.n += 16
	b := &l.buffers
	err := l.attention.Launch(l.tb.Context(), l.stream, tegula.Grid{l.n / 128, 64}, b[0], b[1], b[2], b[3], b[4], float32(l.n), l.n,
		l.n, l.n, l.n, l.n, l.n, l.n, l.n, l.n, l.n, l.n, l.n, l.n)
	if err != nil {
		l.tb.Fatal(tegula.Detail(err))
	}
}

// boxed launches with arguments that were made interface values before.
func (l *launcher) boxed(kernel *tegula.Kernel, args []any) func() {
	return func() {
		if err := kernel.Launch(l.tb.Context(), l.stream, tegula.Grid{100}, args...); err != nil {
			l.tb.Fatal(tegula.Detail(err))
		}
	}
}

func (l *launcher) args4() []any { return []any{l.buffers[0], l.buffers[1], l.buffers[2], l.n} }

func (l *launcher) args19() []any {
	args := []any{l.buffers[0], l.buffers[1], l.buffers[2], l.buffers[3], l.buffers[4], float32(l.n)}
	for len(args) < 19 {
		args = append(args, l.n)
	}
	return args
}

// prepared launches what was prepared.
func (l *launcher) prepared() func() {
	p, err := l.add.Prepare(l.stream, tegula.Grid{100}, l.args4()...)
	if err != nil {
		l.tb.Fatal(tegula.Detail(err))
	}
	return func() {
		if err := p.Launch(l.tb.Context()); err != nil {
			l.tb.Fatal(err)
		}
	}
}

func BenchmarkLaunch4(b *testing.B)      { benchmark(b, newLauncher(b).launch4) }
func BenchmarkLaunch4Const(b *testing.B) { benchmark(b, newLauncher(b).launch4Const) }
func BenchmarkLaunch19(b *testing.B)     { benchmark(b, newLauncher(b).launch19) }

func BenchmarkLaunch4Boxed(b *testing.B) {
	l := newLauncher(b)
	benchmark(b, l.boxed(l.add, l.args4()))
}

func BenchmarkLaunch19Boxed(b *testing.B) {
	l := newLauncher(b)
	benchmark(b, l.boxed(l.attention, l.args19()))
}

func BenchmarkPreparedLaunch(b *testing.B) { benchmark(b, newLauncher(b).prepared()) }

func benchmark(b *testing.B, launch func()) {
	b.ReportAllocs()
	for b.Loop() {
		launch()
	}
}

// TestLaunchCost measures launches of compiled variants on a device that does nothing with them. The
// targets are checked only when figures are recorded: a machine that others use says little.
func TestLaunchCost(t *testing.T) {
	l := newLauncher(t)
	rounds := 20
	if *record {
		rounds = 5000
	}
	s := &sheet{Title: "The launch of a compiled variant, on a device that does nothing"}
	for _, f := range []struct {
		name   string
		target float64
		launch func()
	}{
		{"4 arguments", 200, l.launch4},
		{"4 arguments, made interface values before", 200, l.boxed(l.add, l.args4())},
		{"4 arguments and a constant by name", 0, l.launch4Const},
		{"19 arguments", 400, l.launch19},
		{"19 arguments, made interface values before", 400, l.boxed(l.attention, l.args19())},
		{"prepared, 4 arguments", 0, l.prepared()},
	} {
		got := measure(f.name, f.target, rounds, 300, f.launch)
		if s.Figures = append(s.Figures, got); got.Allocs != 0 && !raceEnabled {
			t.Errorf("%s: %v allocations", f.name, got.Allocs)
		}
		if *record && f.target > 0 && got.LeastNS > f.target {
			t.Errorf("%s: %v ns, the target is %v", f.name, got.LeastNS, f.target)
		}
	}
	s.write(t, "launch")
}
