package cpu

import (
	"errors"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// storeGrid stores the number of programs along each axis, in int32s. All programs store them, so they do it
// atomically.
const storeGrid = `
func @k(%p: ptr<i32>, %n: i32) -> () {
  %x = num_programs {axis = 0} : i32
  %y = num_programs {axis = 1} : i32
  %0 = const 1 : i32
  %a = atomic_rmw %p, %x {xchg} : i32
  %1 = addptr %p, %0 : ptr<i32>
  %b = atomic_rmw %1, %y {xchg} : i32
  %2 = addptr %1, %0 : ptr<i32>
  %c = atomic_rmw %2, %n {xchg} : i32
  return
}
`

func load(t *testing.T) (driver.Device, driver.Kernel) {
	t.Helper()
	m, err := tile.Parse("k.tile", []byte(storeGrid))
	if err != nil {
		t.Fatal(err)
	}
	p, err := cpu.Compile(m, cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := driver.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	meta := &driver.KernelMetadata{Name: "k", Target: "cpu", Args: []driver.MetadataArg{{Name: "p", Type: "*i32"}, {Name: "n", Type: "i32"}}}
	k, err := d.Load(&driver.Binary{Metadata: meta, Code: p})
	if err != nil {
		t.Fatal(err)
	}
	return d, k
}

func TestLaunch(t *testing.T) {
	d, k := load(t)
	data := make([]byte, 12)
	l := &driver.Launch{
		Grid: driver.Grid{7, 3, 1},
		Args: []driver.Arg{{Host: data}, {Bits: 42}},
	}
	for range 2 { // the second uses the memory of the first
		if err := k.Launch(t.Context(), d.Stream(), l); err != nil {
			t.Fatal(err)
		}
		if data[0] != 7 || data[4] != 3 || data[8] != 42 {
			t.Errorf("%v", data)
		}
	}
	l.Args[0].Host = data[:8]
	if err := k.Launch(t.Context(), d.Stream(), l); !errors.Is(err, diag.Check) {
		t.Errorf("beyond the array: %v", err)
	}
	if err := k.Launch(t.Context(), driver.Stream{Backend: "cuda", Handle: 1}, l); !errors.Is(err, diag.Stream) {
		t.Errorf("another's stream: %v", err)
	}
}

func TestDevice(t *testing.T) {
	d, _ := load(t)
	infos, err := driver.Devices(Backend)
	if err != nil || len(infos) != 1 || infos[0] != d.Info() || infos[0].Name == "" {
		t.Errorf("%v, %v", infos, err)
	}
	if _, err := driver.Open("cpu:1"); !errors.Is(err, diag.Driver) {
		t.Errorf("cpu:1: %v", err)
	}
	meta := &driver.KernelMetadata{Name: "k", Target: "cuda:90a"}
	if _, err := d.Load(&driver.Binary{Metadata: meta, Image: []byte{1}}); !errors.Is(err, diag.Driver) {
		t.Errorf("a cubin: %v", err)
	}
}
