package tegula_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/fake"
)

// repeated is a kernel whose arguments are of all kinds that launches like the one before may have.
const repeated = `
@triton.jit
def repeated(x_ptr, y_ptr, n, m, eps=1e-5, flag=False, BLOCK: tl.constexpr = 128, ACT: tl.constexpr = "none"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if ACT == "none":
        tl.store(x_ptr + i % n, tl.load(y_ptr + i, mask=i < m) + eps + flag)

@triton.jit(do_not_specialize=["n"])
def general(x_ptr, n, m: tl.int64, *rest):
    tl.store(x_ptr, n + m)
`

// TestLaunchesLikeTheOneBefore: a launch submits the same code with the same arguments, or fails with the same error, whatever was launched
// before it. A grid that is computed is never taken from the launch before.
func TestLaunchesLikeTheOneBefore(t *testing.T) {
	f := newFake(t, fake.Options{Devices: 2})
	buffer := func(device int, d tegula.DType) *tegula.Buffer {
		b, err := tegula.NewBuffer(f.Stream(device), d, 64)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	single, half, away, freed := buffer(0, tegula.FP32), buffer(0, tegula.FP16), buffer(1, tegula.FP32), buffer(0, tegula.FP32)
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	odd, err := single.Slice(1, 9)
	if err != nil {
		t.Fatal(err)
	}
	usual := []any{
		single, single, half, odd, 1, 2, 16, 17, 0, -1, 1 << 31, 1 << 40, int32(16), int64(17), float32(1), 2.5, true, false, tegula.Const("BLOCK", 128),
		tegula.Const("BLOCK", 64), tegula.Arg("n", 16), tegula.Arg("n", 17), tegula.Const("n", 16), tegula.Arg("ACT", "none"), tegula.Const("ACT", "other"),
		tegula.Arg("eps", 0.5), tegula.Arg("flag", true), tegula.NumWarps(4), tegula.NumWarps(8), tegula.NumStages(2), tegula.Debug(), tegula.Unfused(),
	}
	unusual := []any{nil, away, freed, (*tegula.Buffer)(nil), uint8(3), "none", tegula.Stdout(io.Discard), tegula.Reach(), tegula.Tuple{1, 2}, tegula.Arg("m", single)}
	any1 := rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 9).Draw(t, "unusual") == 0 {
			return rapid.SampledFrom(unusual).Draw(t, "argument")
		}
		return rapid.SampledFrom(usual).Draw(t, "argument")
	})
	mod := load(t, repeated)
	rapid.Check(t, func(t *rapid.T) {
		k := mod.Kernel(rapid.SampledFrom([]string{"repeated", "repeated", "general"}).Draw(t, "kernel"))
		// What a launch comes to: its record, or its error.
		type outcome struct {
			Grid     [3]uint32
			Function uintptr
			Packed   []byte
			Err      string
		}
		launch := func(grid tegula.GridSpec, args []any) outcome {
			before := len(f.Launches())
			if err := k.Launch(context.Background(), f.Stream(0), grid, args...); err != nil {
				return outcome{Err: tegula.Detail(err)}
			}
			l := f.Launches()[before]
			return outcome{Grid: l.Grid, Function: l.Function, Packed: l.Packed}
		}
		args := []any{single, single, 16, 16}
		for range rapid.IntRange(1, 12).Draw(t, "launches") {
			switch rapid.IntRange(0, 5).Draw(t, "change") {
			case 0:
				args = append(args[:len(args):len(args)], any1.Draw(t, "more"))
			case 1:
				args = args[:rapid.IntRange(0, len(args)).Draw(t, "fewer")]
			case 2, 3:
				if len(args) > 0 {
					args = append([]any(nil), args...)
					args[rapid.IntRange(0, len(args)-1).Draw(t, "place")] = any1.Draw(t, "other")
				}
			}
			grid := tegula.Grid(rapid.SliceOfN(rapid.SampledFrom([]int{1, 1, 1, 2, 3, 0, -1, 1 << 16, 1 << 40}), 0, 4).Draw(t, "grid"))
			got, want := launch(grid, args), launch(tegula.GridFunc(func(tegula.Args) tegula.Grid { return grid }), args)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%v %v: %s", grid, args, diff)
			}
		}
	})
}

// TestHooksAfterLaunches: hooks that come after launches are called.
func TestHooksAfterLaunches(t *testing.T) {
	f := newFake(t, fake.Options{})
	b, err := tegula.NewBuffer(f.Stream(0), tegula.FP32, 64)
	if err != nil {
		t.Fatal(err)
	}
	k, calls := load(t, repeated).Kernel("repeated"), 0
	for i := range 6 {
		if i == 3 {
			remove, err := k.OnLaunchEnter(func(context.Context, *tegula.LaunchEvent) error { calls++; return nil })
			if err != nil {
				t.Fatal(err)
			}
			defer remove()
		}
		if err := k.Launch(t.Context(), f.Stream(0), tegula.Grid{1}, b, b, 16, 16); err != nil {
			t.Fatal(tegula.Detail(err))
		}
	}
	if calls != 3 {
		t.Errorf("the hook was called %d times", calls)
	}
}

// TestBuffersAfterLaunches: a buffer of another device, or that was given back, is no argument, though the launch before had such a one.
func TestBuffersAfterLaunches(t *testing.T) {
	f := newFake(t, fake.Options{Devices: 2})
	b, err := tegula.NewBuffer(f.Stream(0), tegula.FP32, 64)
	if err != nil {
		t.Fatal(err)
	}
	k := load(t, repeated).Kernel("repeated")
	once := func() error { return k.Launch(t.Context(), f.Stream(0), tegula.Grid{1}, b, b, 16, 16) }
	if err := errors.Join(once(), once()); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	away, err := tegula.NewBuffer(f.Stream(1), tegula.FP32, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(t.Context(), f.Stream(0), tegula.Grid{1}, b, away, 16, 16); !errors.Is(err, tegula.ErrArgument) {
		t.Errorf("error %v", err)
	}
	if err := b.Free(); err != nil {
		t.Fatal(err)
	}
	if err := once(); !errors.Is(err, tegula.ErrArgument) {
		t.Errorf("error %v", err)
	}
}

// TestLaunchesAtOnce: goroutines launch variants in turns, and each launch has its own arguments.
func TestLaunchesAtOnce(t *testing.T) {
	k, stream := load(t, "@triton.jit\ndef k(x_ptr, n, BLOCK: tl.constexpr):\n    tl.store(x_ptr, n * BLOCK)\n").Kernel("k"), tegula.CPU()
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			b, err := tegula.NewBuffer(stream, tegula.I32, 1)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 200 {
				n, block := g*1000+i, 1<<(i/3%3)
				if err := k.Launch(context.Background(), stream, tegula.Grid{1}, b, n, tegula.Const("BLOCK", block)); err != nil {
					t.Error(tegula.Detail(err))
					return
				}
				if got := int(int32(binary.LittleEndian.Uint32(b.Host))); got != n*block {
					t.Errorf("goroutine %d, launch %d: %d is not %d", g, i, got, n*block)
					return
				}
			}
		})
	}
	group.Wait()
}
