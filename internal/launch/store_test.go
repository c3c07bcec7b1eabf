package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/cache"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/fake"
)

const stores = `
@triton.jit
def store(out_ptr, n, K: tl.constexpr = 1):
    tl.store(out_ptr + tl.program_id(0), n + K)
`

// Two kernels that differ in nothing share one binary; each device has its own.
func TestContractKernelsShareOneBinary(t *testing.T) {
	useCache(t, cache.Options{Off: true})
	f := newFake(t, fake.Options{Devices: 2})
	one, two := kernelFrom(t, stores, "store"), kernelFrom(t, stores, "store")
	var prepared []*Prepared
	launch := func(k *Kernel, device int, n int64) {
		t.Helper()
		p, err := storeOn(t, f.Stream(device), Int(n)).prepare(k)
		if err != nil {
			t.Fatal(diag.Detail(err))
		}
		prepared = append(prepared, p)
	}
	launch(one, 0, 5)
	launch(two, 0, 7)
	if got := f.Counts(); got.Compiles != 1 || got.Loads != 1 {
		t.Errorf("two kernels: %+v", got)
	}
	launch(one, 1, 5)
	launch(two, 1, 7)
	if got := f.Counts(); got.Loads != 2 {
		t.Errorf("two devices: %+v", got)
	}
	launch(one, 0, 16)
	launch(two, 0, 32)
	if got := f.Counts(); got.Loads != 3 {
		t.Errorf("two variants: %+v", got)
	}
	runtime.KeepAlive(prepared)
}

// The disk cache serves a later process, and what was compiled for another device.
func TestContractDiskCache(t *testing.T) {
	restart := useCache(t, cache.Options{Dir: t.TempDir()})
	f := newFake(t, fake.Options{Devices: 2})
	for i, device := range []int{0, 0, 1} {
		restart()
		if err := storeOn(t, f.Stream(device), Int(5)).launch(t.Context(), kernelFrom(t, stores, "store")); err != nil {
			t.Fatal(diag.Detail(err))
		}
		if got := f.Counts(); got.Compiles != 1 || got.Loads != i+1 {
			t.Errorf("process %d: %+v", i, got)
		}
	}
	for _, l := range f.Launches() {
		if l.Metadata.Name != "store" || len(l.Metadata.Args) != 2 || l.Metadata.Args[0].DivisibleBy != 16 {
			t.Errorf("%+v", l.Metadata)
		}
	}
}

// What the driver makes of the code is kept, under the driver's version.
func TestContractDiskCacheOfFinishedCode(t *testing.T) {
	dir := t.TempDir()
	f := newFake(t, fake.Options{Finishes: true, Driver: "1.0"})
	restart := useCache(t, cache.Options{Dir: dir})
	launch := func() {
		t.Helper()
		restart()
		if err := storeOn(t, f.Stream(0), Int(5)).launch(t.Context(), kernelFrom(t, stores, "store")); err != nil {
			t.Fatal(diag.Detail(err))
		}
	}
	launch()
	launch()
	if got := f.Counts(); got.Finishes != 1 || got.Loads != 2 {
		t.Errorf("%+v", got)
	}
	f.SetVersion("1.1")
	launch()
	if got := f.Counts(); got.Finishes != 2 {
		t.Errorf("another driver: %+v", got)
	}
	f.FailNextLoad(diag.New(diag.Driver, "build", "this is not code for the device"))
	launch()
	if got := f.Counts(); got.Finishes != 3 {
		t.Errorf("code that the driver does not take any more: %+v", got)
	}
	launch()
	if got := f.Counts(); got.Finishes != 3 {
		t.Errorf("it was not replaced: %+v", got)
	}
}

// A damaged entry, and one that is whole but no binary, are compiled anew and replaced.
func TestContractDamagedCacheEntries(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, f *fake.Driver, dir string){
		"cut short": func(t *testing.T, _ *fake.Driver, dir string) {
			if err := os.Truncate(onlyEntry(t, dir), 100); err != nil {
				t.Fatal(err)
			}
		},
		"a bit flipped": func(t *testing.T, _ *fake.Driver, dir string) {
			path := onlyEntry(t, dir)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)/2] ^= 1
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"no binary": func(t *testing.T, f *fake.Driver, dir string) { replaceEntry(t, dir, []byte("nonsense")) },
		"metadata of another version": func(t *testing.T, f *fake.Driver, dir string) {
			replaceEntry(t, dir, append([]byte{12}, `{"schema":9}`...))
		},
		"empty": func(t *testing.T, f *fake.Driver, dir string) { replaceEntry(t, dir, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := newFake(t, fake.Options{})
			restart := useCache(t, cache.Options{Dir: dir})
			for i, want := range []int{1, 2, 2} {
				if i == 1 {
					damage(t, f, dir)
				}
				restart()
				if err := storeOn(t, f.Stream(0), Int(5)).launch(t.Context(), kernelFrom(t, stores, "store")); err != nil {
					t.Fatal(diag.Detail(err))
				}
				if got := f.Counts(); got.Compiles != want {
					t.Errorf("process %d: %+v", i, got)
				}
			}
		})
	}
}

// onlyEntry gives the file of the only entry of a cache.
func onlyEntry(t *testing.T, dir string) string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "ledger" {
			found = append(found, path)
		}
		return err
	})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	return found[0]
}

// replaceEntry puts another value under the only key of a cache.
func replaceEntry(t *testing.T, dir string, value []byte) {
	t.Helper()
	path := onlyEntry(t, dir)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := cache.Open(cache.Options{Dir: dir}).Put(cache.Key(text[8:40]), value); err != nil {
		t.Fatal(err)
	}
}

// A cache that cannot be used is never why a launch fails.
func TestContractUnusableCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]cache.Options{
		"off":          {Off: true},
		"no directory": {Dir: file},
		"nowhere":      {Dir: "/proc/nothing/cache"},
		"too small":    {Dir: t.TempDir(), MaxBytes: 1},
		"a problem":    {Problem: "there is none"},
	} {
		t.Run(name, func(t *testing.T) {
			useCache(t, o)
			f := newFake(t, fake.Options{})
			for range 2 {
				if err := storeOn(t, f.Stream(0), Int(5)).launch(t.Context(), kernelFrom(t, stores, "store")); err != nil {
					t.Error(diag.Detail(err))
				}
			}
		})
	}
}

// Binaries that are not worth keeping are not: nothing is written for the CPU.
func TestUnkeptBinaries(t *testing.T) {
	dir := t.TempDir()
	useCache(t, cache.Options{Dir: dir})
	f := newFake(t, fake.Options{Unkept: true})
	if err := storeOn(t, f.Stream(0), Int(5)).launch(t.Context(), kernelFrom(t, stores, "store")); err != nil {
		t.Fatal(diag.Detail(err))
	}
	if list, err := os.ReadDir(dir); len(list) > 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// A failure that may pass is not remembered; one of the kernel's own is.
func TestContractTransientFailures(t *testing.T) {
	useCache(t, cache.Options{Off: true})
	f := newFake(t, fake.Options{})
	k := kernelFrom(t, stores, "store")
	r := storeOn(t, f.Stream(0), Int(5))
	busy := errors.New("busy")
	f.FailNextLoad(busy)
	if err := r.launch(t.Context(), k); err != busy {
		t.Errorf("%v, want busy", err)
	}
	if n := k.Variants(); n != 0 {
		t.Errorf("%d variants", n)
	}
	if err := r.launch(t.Context(), k); err != nil {
		t.Errorf("the second time: %v", err)
	}
	before := f.Counts().Compiles
	wrong := storeOn(t, f.Stream(0), tupleOf(Int(1)))
	for range 3 {
		if err := wrong.launch(t.Context(), k); !errors.Is(err, diag.Compile) {
			t.Errorf("%v, want a CompileError", err)
		}
	}
	if n := k.Variants(); n != 2 || f.Counts().Compiles != before {
		t.Errorf("%d variants, %+v", n, f.Counts())
	}
}

// Code that no variant has any more is unloaded.
func TestContractUnusedCodeIsUnloaded(t *testing.T) {
	useCache(t, cache.Options{Off: true})
	f := newFake(t, fake.Options{})
	func() {
		if err := storeOn(t, f.Stream(0), Int(5)).launch(t.Context(), kernelFrom(t, stores, "store")); err != nil {
			t.Fatal(diag.Detail(err))
		}
	}()
	for range 5000 {
		runtime.GC()
		if f.Counts().Closes == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got := f.Counts(); got.Closes != 1 {
		t.Fatalf("%+v", got)
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if n := len(shared.byID); n != 0 {
		t.Errorf("%d are held", n)
	}
}

// Many goroutines launch kernels that share binaries, on several devices, with hooks that come and
// go and a table that overflows; run it with -race.
func TestContractConcurrentLaunches(t *testing.T) {
	useCache(t, cache.Options{Dir: t.TempDir()})
	f := newFake(t, fake.Options{Devices: 2})
	kernels := []*Kernel{kernelFrom(t, stores, "store"), kernelFrom(t, stores, "store")}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 40 {
				r := storeOn(t, f.Stream(g%2), Int(int64(i%5)), fixed(Int(int64(i%7))))
				if err := r.launch(t.Context(), kernels[(g+i)%2]); err != nil {
					t.Error(diag.Detail(err))
				}
				if i%10 == 0 {
					kernels[0].Enter.Add(noHook)()
				}
			}
		})
	}
	wg.Wait()
	if n := len(f.Launches()); n != 8*40 {
		t.Errorf("%d launches", n)
	}
	if got := f.Counts(); got.Compiles > 3*7 || got.Loads > 2*3*7 {
		t.Errorf("%+v", got)
	}
}
