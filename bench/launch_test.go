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

func BenchmarkLaunch4(b *testing.B)      { benchmark(b, newLauncher(b).launch4) }
func BenchmarkLaunch4Const(b *testing.B) { benchmark(b, newLauncher(b).launch4Const) }
func BenchmarkLaunch19(b *testing.B)     { benchmark(b, newLauncher(b).launch19) }

func benchmark(b *testing.B, launch func()) {
	b.ReportAllocs()
	for b.Loop() {
		launch()
	}
}
