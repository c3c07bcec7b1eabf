package driver

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

// fake is a driver of two devices; the second cannot be opened at first.
type fake struct {
	name            string
	opens, failures atomic.Int32
}

var fakes atomic.Int32 // registered so far

func (f *fake) Devices() ([]Info, error) {
	return []Info{{Backend: f.name, Index: 0}, {Backend: f.name, Index: 1}}, nil
}

func (f *fake) Open(index int) (Device, error) {
	f.opens.Add(1)
	if index == 1 && f.failures.Add(1) == 1 {
		return nil, errors.New("busy")
	}
	return &fakeDevice{index: index}, nil
}

func (f *fake) Current() (Stream, error) { return Stream{Backend: f.name, Device: 1, Handle: 7}, nil }

type fakeDevice struct {
	Device
	index int
}

func TestRegistry(t *testing.T) {
	f := &fake{name: fmt.Sprintf("fake%d", fakes.Add(1))}
	Register(f.name, f)
	if got := Backends(); !slices.Contains(got, f.name) || !slices.IsSorted(got) {
		t.Errorf("backends %v", got)
	}
	if infos, err := Devices(f.name); err != nil || len(infos) != 2 {
		t.Errorf("devices %v, %v", infos, err)
	}
	var wg sync.WaitGroup
	devices := make([]Device, 8)
	for i := range devices {
		wg.Go(func() {
			name := []string{f.name, f.name + ":0"}[i%2]
			d, err := Open(name)
			if err != nil {
				t.Error(err)
			}
			devices[i] = d
		})
	}
	wg.Wait()
	for _, d := range devices {
		if d != devices[0] {
			t.Error("device 0 was opened twice")
		}
	}
	if n := f.opens.Load(); n != 1 {
		t.Errorf("%d opens", n)
	}
	if _, err := Open(f.name + ":1"); err == nil {
		t.Error("the first open of device 1 fails")
	}
	if d, err := Open(f.name + ":1"); err != nil || d.(*fakeDevice).index != 1 {
		t.Errorf("the second open of device 1: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, category := range map[string]*diag.Category{
		"nothing": diag.Unsupported, "": diag.Unsupported, "nothing:1": diag.Unsupported,
		"cpu:": diag.Driver, "cpu:x": diag.Driver, "cpu:-1": diag.Driver, "cpu:99999999999999999999": diag.Driver,
	} {
		if _, err := Open(name); !errors.Is(err, category) {
			t.Errorf("%q: %v, want %s", name, err, category)
		}
	}
	if _, err := Devices("nothing"); !errors.Is(err, diag.Unsupported) {
		t.Error(err)
	}
}

// Registering is for init functions: a mistake in it is one in the program.
func TestRegisterPanics(t *testing.T) {
	Register("taken", &fake{})
	defer delete(registry.drivers, "taken")
	for name, d := range map[string]Driver{"taken": &fake{}, "nil": nil} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			Register(name, d)
		}()
	}
}

func TestStreamCheck(t *testing.T) {
	for code, s := range map[string]Stream{
		"no-stream":     {},
		"wrong-backend": {Backend: "cuda", Device: 1, Handle: 5},
		"wrong-device":  {Backend: "xpu", Device: 0, Handle: 5},
		"null-handle":   {Backend: "xpu", Device: 1},
		"":              {Backend: "xpu", Device: 1, Handle: 5},
	} {
		got := ""
		if err := s.Check("xpu", 1); err != nil {
			e, ok := err.(*diag.Error)
			if !ok || e.Category != diag.Stream {
				t.Fatalf("%v is no StreamError", err)
			}
			got = e.Code
		}
		if got != code {
			t.Errorf("%s: %q, want %q", s, got, code)
		}
	}
}
