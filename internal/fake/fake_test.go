package fake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/target"
	"github.com/tegula-lang/tegula/internal/tile"
)

const kernelText = `
func @k(%p: ptr<i32>, %n: i32) -> () {
  store %p, %n
  return
}
`

// build compiles kernelText.
func build(t *testing.T, name string) *driver.Binary {
	t.Helper()
	m, err := tile.Parse("k", []byte(kernelText))
	if err != nil {
		t.Fatal(err)
	}
	tg, err := target.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := tg.Compiler()
	if err != nil {
		t.Fatal(err)
	}
	meta := &driver.KernelMetadata{Name: "k", Target: name, Args: []driver.MetadataArg{{Name: "p", Type: "*i32", Source: []int{0}}, {Name: "n", Type: "i32", Source: []int{1}}}}
	if err := driver.LayOut(meta.Args); err != nil {
		t.Fatal(err)
	}
	bin, err := b.Compile(target.Job{Module: m, Target: tg, Metadata: meta})
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

var registered atomic.Int32

// fresh gives a name that nothing is registered under, however often the tests run in a process.
func fresh(prefix string) string { return fmt.Sprintf("%s%d", prefix, registered.Add(1)) }

// A launch waits in its stream, with the arguments that it had when it was made.
func TestLaunchWaits(t *testing.T) {
	name := fresh("waits")
	f := Register(name, Options{})
	d, err := driver.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Load(build(t, name+":7"))
	if err != nil {
		t.Fatal(err)
	}
	mem, err := d.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	l := driver.Launch{Grid: driver.Grid{1, 1, 1}, Args: []driver.Arg{{Bits: mem.Address()}, {Bits: 7}}}
	if err := k.Launch(t.Context(), d.Stream(), &l); err != nil {
		t.Fatal(err)
	}
	l.Args[1].Bits = 8
	if raw := mem.(*memory).data[0]; raw != 0 {
		t.Errorf("%d is stored before anybody waits", raw)
	}
	got := make([]byte, 4)
	if err := mem.CopyOut(t.Context(), d.Stream(), 0, got); err != nil || got[0] != 7 {
		t.Errorf("%v, %v", got, err)
	}
	if n := len(f.Launches()); n != 1 {
		t.Errorf("%d launches", n)
	}
}

// A failure shows when somebody waits, once; work behind it does not run then.
func TestFailureShowsAtWait(t *testing.T) {
	name := fresh("fails")
	Register(name, Options{})
	d, err := driver.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Load(build(t, name+":7"))
	if err != nil {
		t.Fatal(err)
	}
	l := driver.Launch{Grid: driver.Grid{1, 1, 1}, Args: []driver.Arg{{Bits: 1}, {Bits: 7}}}
	if err := k.Launch(t.Context(), d.Stream(), &l); err != nil {
		t.Fatal(err)
	}
	if err := d.Wait(t.Context(), d.Stream()); !errors.Is(err, diag.Driver) || !strings.Contains(err.Error(), "argument 'p' of k is 0x1, where the device has no memory") {
		t.Error(err)
	}
	if err := d.Wait(t.Context(), d.Stream()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Wait(ctx, d.Stream()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRefuses(t *testing.T) {
	name := fresh("refuses")
	Register(name, Options{Finishes: true})
	d, err := driver.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	unfinished := build(t, name+":7")
	if _, err := d.Load(unfinished); !errors.Is(err, diag.Driver) {
		t.Errorf("code that is not finished: %v", err)
	}
	done, err := d.(driver.Finisher).Finish(unfinished)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(done); err != nil {
		t.Error(err)
	}
	if _, err := d.(driver.Finisher).Finish(done); !errors.Is(err, diag.Driver) {
		t.Errorf("code that is finished: %v", err)
	}
	if _, err := driver.Open(name + ":1"); !errors.Is(err, diag.Driver) {
		t.Errorf("no device: %v", err)
	}
	if err := d.CloseStream(d.Stream()); err != nil {
		t.Error(err)
	}
	if err := d.Wait(t.Context(), d.Stream()); !errors.Is(err, diag.Stream) {
		t.Errorf("a stream that was closed: %v", err)
	}
}
