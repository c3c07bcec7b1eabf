package launch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/cache"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/fake"
)

func noHook(context.Context, *Event) error { return nil }

// hooked is a kernel on a fake device, and a request to launch it.
func hookedKernel(t *testing.T) (*Kernel, *fake.Driver, request) {
	t.Helper()
	useCache(t, cache.Options{Off: true})
	f := newFake(t, fake.Options{})
	r := storeOn(t, f.Stream(0), Int(5))
	r.grid = []int{2, 3}
	return kernelFrom(t, stores, "store"), f, r
}

// add adds a hook for the time of a test.
func add(t *testing.T, h *Hooks, f Hook) (remove func()) {
	t.Helper()
	remove = h.Add(f)
	t.Cleanup(remove)
	return remove
}

// A hook sees the kernel's name, the function, the stream, the canonical grid and the metadata that
// the kernel's callback makes; the exit hook gets the same event.
func TestContractHookSees(t *testing.T) {
	k, f, r := hookedKernel(t)
	calls := 0
	k.SetMetadata(func(g driver.Grid, m *driver.KernelMetadata, args *Bound) (map[string]any, error) {
		calls++
		n, err := args.Lookup("n")
		if err != nil {
			return nil, err
		}
		return map[string]any{"programs": g[0] * g[1] * g[2], "warps": m.NumWarps, "n": n.Python()}, nil
	})
	var events []*Event
	see := func(_ context.Context, e *Event) error {
		events = append(events, e)
		return nil
	}
	add(t, &Enter, see)
	add(t, &Exit, see)
	if err := r.launch(t.Context(), k); err != nil {
		t.Fatal(diag.Detail(err))
	}
	if len(events) != 2 || events[0] != events[1] {
		t.Fatalf("events %v", events)
	}
	e, l := events[0], f.Launches()[0]
	if e.Kernel != "store" || e.Function != l.Function || e.Stream != l.Stream || e.Grid != (driver.Grid{2, 3, 1}) || e.Err != nil || e.KernelMetadata() != l.Metadata {
		t.Errorf("%+v, launched %+v", e, l)
	}
	if calls != 0 {
		t.Error("the metadata was made before it was asked for")
	}
	for range 2 {
		got, err := e.Metadata()
		if d := cmp.Diff(map[string]any{"programs": uint32(6), "warps": 4, "n": int64(5)}, got); d != "" || err != nil {
			t.Errorf("%s, %v", d, err)
		}
	}
	if calls != 1 {
		t.Errorf("the metadata was made %d times", calls)
	}
}

// A kernel without a callback has no launch metadata; that is not the kernel's metadata.
func TestContractHookWithoutMetadata(t *testing.T) {
	k, _, r := hookedKernel(t)
	add(t, &Enter, func(_ context.Context, e *Event) error {
		if m, err := e.Metadata(); m != nil || err != nil {
			t.Errorf("%v, %v", m, err)
		}
		if e.KernelMetadata() == nil {
			t.Error("no kernel metadata")
		}
		return nil
	})
	if err := r.launch(t.Context(), k); err != nil {
		t.Error(diag.Detail(err))
	}
}

// A launch's own callback comes before the kernel's.
func TestContractLaunchMetadataOfOneLaunch(t *testing.T) {
	k, _, r := hookedKernel(t)
	from := func(name string) MetadataFunc {
		return func(driver.Grid, *driver.KernelMetadata, *Bound) (map[string]any, error) {
			return map[string]any{"from": name}, nil
		}
	}
	var got []any
	add(t, &k.Exit, func(_ context.Context, e *Event) error {
		m, err := e.Metadata()
		got = append(got, m["from"])
		return err
	})
	k.SetMetadata(from("kernel"))
	for _, meta := range []MetadataFunc{nil, from("launch")} {
		r.meta = meta
		if err := r.launch(t.Context(), k); err != nil {
			t.Error(diag.Detail(err))
		}
	}
	k.SetMetadata(nil)
	r.meta = nil
	if err := r.launch(t.Context(), k); err != nil {
		t.Error(diag.Detail(err))
	}
	if d := cmp.Diff([]any{"kernel", "launch", nil}, got); d != "" {
		t.Error(d)
	}
}

// Global and per-kernel hooks nest; a hook that is removed is not called again.
func TestContractHookOrder(t *testing.T) {
	k, _, r := hookedKernel(t)
	other := kernelFrom(t, stores, "store")
	var got []string
	say := func(s string) Hook {
		return func(context.Context, *Event) error {
			got = append(got, s)
			return nil
		}
	}
	add(t, &Enter, say("enter"))
	add(t, &Exit, say("exit"))
	add(t, &k.Enter, say("kernel enter 1"))
	second := add(t, &k.Enter, say("kernel enter 2"))
	add(t, &k.Exit, say("kernel exit"))
	launch := func(k *Kernel, want ...string) {
		t.Helper()
		got = nil
		if err := r.launch(t.Context(), k); err != nil {
			t.Fatal(diag.Detail(err))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	launch(k, "enter", "kernel enter 1", "kernel enter 2", "kernel exit", "exit")
	launch(other, "enter", "exit")
	second()
	second()
	launch(k, "enter", "kernel enter 1", "kernel exit", "exit")
}

// A hook changes neither grid, stream, arguments nor what is launched.
func TestContractHooksChangeNothing(t *testing.T) {
	k, f, r := hookedKernel(t)
	if err := r.launch(t.Context(), k); err != nil {
		t.Fatal(diag.Detail(err))
	}
	k.SetMetadata(func(driver.Grid, *driver.KernelMetadata, *Bound) (map[string]any, error) { return nil, nil })
	for _, h := range []*Hooks{&Enter, &Exit, &k.Enter, &k.Exit} {
		add(t, h, func(_ context.Context, e *Event) error {
			_, err := e.Metadata()
			e.Grid, e.Stream, e.Kernel = driver.Grid{9, 9, 9}, driver.Stream{}, "other"
			return err
		})
	}
	if err := r.launch(t.Context(), k); err != nil {
		t.Fatal(diag.Detail(err))
	}
	launches := f.Launches()
	if d := cmp.Diff(launches[0], launches[1]); d != "" {
		t.Error(d)
	}
	if n := k.Variants(); n != 1 {
		t.Errorf("%d variants", n)
	}
}

// An enter hook that fails stops the launch; an exit hook's error reaches the caller, too. Neither
// harms the stream or the cache: the next launch works, and compiles nothing.
func TestContractHookFails(t *testing.T) {
	errEnter, errExit, errMeta := errors.New("enter"), errors.New("exit"), errors.New("metadata")
	fail := func(err error) Hook { return func(context.Context, *Event) error { return err } }
	for name, test := range map[string]struct {
		add      func(k *Kernel) (remove func())
		want     []error
		launched int
	}{
		"global enter": {func(k *Kernel) func() { return Enter.Add(fail(errEnter)) }, []error{errEnter}, 0},
		"kernel enter": {func(k *Kernel) func() { return k.Enter.Add(fail(errEnter)) }, []error{errEnter}, 0},
		"global exit":  {func(k *Kernel) func() { return Exit.Add(fail(errExit)) }, []error{errExit}, 1},
		"both exits": {func(k *Kernel) func() {
			a, b := Exit.Add(fail(errExit)), k.Exit.Add(fail(errEnter))
			return func() { a(); b() }
		}, []error{errExit, errEnter}, 1},
		"the metadata": {func(k *Kernel) func() {
			k.SetMetadata(func(driver.Grid, *driver.KernelMetadata, *Bound) (map[string]any, error) { return nil, errMeta })
			return k.Enter.Add(func(_ context.Context, e *Event) error { _, err := e.Metadata(); return err })
		}, []error{errMeta}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			k, f, r := hookedKernel(t)
			remove := test.add(k)
			err := r.launch(t.Context(), k)
			remove()
			for _, want := range test.want {
				if !errors.Is(err, want) {
					t.Errorf("%v, want %v", err, want)
				}
			}
			if len(test.want) == 1 && err != test.want[0] {
				t.Errorf("%v is not the hook's own error", err)
			}
			if n := len(f.Launches()); n != test.launched {
				t.Errorf("%d launches", n)
			}
			counts := f.Counts()
			if err := r.launch(t.Context(), k); err != nil {
				t.Errorf("the next launch: %v", err)
			}
			if got := f.Counts(); got != counts {
				t.Errorf("%+v, before the next launch %+v", got, counts)
			}
		})
	}
}

// Exit hooks are called after a submission that failed, with the error; hooks that are not called
// in vain.
func TestContractExitHookAfterFailure(t *testing.T) {
	k, f, r := hookedKernel(t)
	p, err := r.prepare(k)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	var seen error
	add(t, &k.Exit, func(_ context.Context, e *Event) error { seen = e.Err; return nil })
	closed := f.Stream(0)
	closed.Handle += 99
	err = p.LaunchOn(t.Context(), closed)
	checkError(t, err, diag.Stream, "closed")
	if seen != err {
		t.Errorf("the hook saw %v, the caller %v", seen, err)
	}
}

// Without hooks nothing is computed: no event, no metadata, no copy of the arguments.
func TestContractNoHookCostsNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector sync.Pool forgets at random, so launches allocate")
	}
	useCache(t, cache.Options{Off: true})
	f := newFake(t, fake.Options{Discard: true})
	k := kernelFrom(t, stores, "store")
	k.SetMetadata(func(driver.Grid, *driver.KernelMetadata, *Bound) (map[string]any, error) {
		t.Error("the metadata was made")
		return nil, nil
	})
	out, _ := bufferOn(t, f.Stream(0), dtype.Int32, 4)
	p, err := request{stream: f.Stream(0), positional: []Value{out, Int(5)}}.prepare(k)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	launch := func() {
		c := k.Begin()
		*c.Next() = out
		c.Next().SetInt(5)
		c.SetGrid([]int{1})
		if err := errors.Join(c.Bind(), c.Launch(t.Context(), f.Stream(0)), p.Launch(t.Context())); err != nil {
			t.Error(err)
		}
		c.End()
	}
	if n := testing.AllocsPerRun(100, launch); n != 0 {
		t.Errorf("%v allocations", n)
	}
	calls := 0
	remove := k.Enter.Add(func(context.Context, *Event) error { calls++; return nil })
	launch()
	remove()
	if n := testing.AllocsPerRun(100, launch); n != 0 || calls != 2 {
		t.Errorf("after a hook: %v allocations, %d calls", n, calls)
	}
}

// An event outlives its launch: its arguments are its own.
func TestEventIsKept(t *testing.T) {
	k, _, r := hookedKernel(t)
	k.SetMetadata(func(_ driver.Grid, _ *driver.KernelMetadata, args *Bound) (map[string]any, error) {
		out := map[string]any{}
		maps.Copy(out, args.Vars())
		return out, nil
	})
	var events []*Event
	remove := add(t, &Enter, func(_ context.Context, e *Event) error { events = append(events, e); return nil })
	for n := range int64(3) {
		r.positional[1] = Int(100 + n)
		if err := r.launch(t.Context(), k); err != nil {
			t.Fatal(diag.Detail(err))
		}
	}
	remove()
	var got []any
	for _, e := range events {
		m, err := e.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m["n"])
	}
	if !slices.Equal(got, []any{int64(100), int64(101), int64(102)}) {
		t.Error(got)
	}
}
