package driver_test

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/fake"
)

var device = fake.Register("buffers", fake.Options{Devices: 2})

func open(t *testing.T, name string) driver.Device {
	t.Helper()
	d, err := driver.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// On every device an array is what was copied into it, and a slice of it is a part of it.
func TestBuffer(t *testing.T) {
	for _, name := range []string{"cpu", "buffers:1"} {
		t.Run(name, func(t *testing.T) {
			d, ctx := open(t, name), t.Context()
			s := d.Stream()
			b, err := driver.NewBuffer(d, dtype.Int16, 2, 3)
			if err != nil {
				t.Fatal(err)
			}
			if b.Len() != 6 || b.Bytes() != 12 || b.Address%64 != 0 || b.Address == 0 || b.Place.String() != name {
				t.Errorf("%+v", b)
			}
			if (b.Host != nil) != (name == "cpu") {
				t.Errorf("%d bytes of this process", len(b.Host))
			}
			all := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
			if err := b.CopyFrom(ctx, s, all); err != nil {
				t.Fatal(err)
			}
			part, err := b.Slice(2, 5)
			if err != nil || part.Len() != 3 || part.Address != b.Address+4 {
				t.Fatalf("%+v, %v", part, err)
			}
			last, err := part.Slice(2, 3)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 2)
			if err := last.CopyTo(ctx, s, got); err != nil || !cmp.Equal(got, []byte{8, 9}) {
				t.Errorf("%v, %v", got, err)
			}
			if err := part.CopyFrom(ctx, s, []byte{90, 91, 92, 93, 94, 95}); err != nil {
				t.Fatal(err)
			}
			got = make([]byte, 12)
			if err := b.CopyTo(ctx, s, got); err != nil || !cmp.Equal(got, []byte{0, 1, 2, 3, 90, 91, 92, 93, 94, 95, 10, 11}) {
				t.Errorf("%v, %v", got, err)
			}
			if err := b.Free(); err != nil || !part.Freed() {
				t.Errorf("%v, the slice is freed: %v", err, part.Freed())
			}
			for what, err := range map[string]error{"Free": b.Free(), "CopyTo": b.CopyTo(ctx, s, got), "CopyFrom": part.CopyFrom(ctx, s, got[:6])} {
				if !errors.Is(err, diag.Argument) {
					t.Errorf("%s after Free: %v", what, err)
				}
			}
		})
	}
}

func TestBufferRefuses(t *testing.T) {
	for _, name := range []string{"cpu", "buffers"} {
		d, ctx := open(t, name), t.Context()
		b, err := driver.NewBuffer(d, dtype.Int32, 4)
		if err != nil {
			t.Fatal(err)
		}
		_, noType := driver.NewBuffer(d, dtype.Void, 4)
		_, negative := driver.NewBuffer(d, dtype.Int32, 4, -1)
		_, endless := driver.NewBuffer(d, dtype.Int32, math.MaxInt, math.MaxInt)
		_, large := driver.NewBuffer(d, dtype.Int8, 1<<50)
		_, before := b.Slice(-1, 2)
		_, beyond := b.Slice(2, 5)
		_, backwards := b.Slice(3, 2)
		other := driver.Stream{Backend: "other", Handle: 1}
		for what, test := range map[string]struct {
			err      error
			category *diag.Category
		}{
			"no type":              {noType, diag.Argument},
			"a negative dimension": {negative, diag.Argument},
			"an endless array":     {endless, diag.Argument},
			"too large an array":   {large, diag.Driver},
			"a slice before":       {before, diag.Argument},
			"a slice beyond":       {beyond, diag.Argument},
			"a slice backwards":    {backwards, diag.Argument},
			"too few bytes":        {b.CopyFrom(ctx, d.Stream(), make([]byte, 15)), diag.Argument},
			"too many bytes":       {b.CopyTo(ctx, d.Stream(), make([]byte, 17)), diag.Argument},
			"another's stream":     {b.CopyFrom(ctx, other, make([]byte, 16)), diag.Stream},
			"to another's stream":  {b.CopyTo(ctx, other, make([]byte, 16)), diag.Stream},
		} {
			if !errors.Is(test.err, test.category) {
				t.Errorf("%s, %s: %v, want a %s", name, what, test.err, test.category)
			}
		}
	}
}

// Places are the same exactly if the devices are, whoever asks first.
func TestPlaces(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 4 {
				p := driver.PlaceOf("place", i)
				if p != driver.PlaceOf("place", i) || p == driver.PlaceOf("place", i+1) || p == (driver.Place{}) || p.Backend() != "place" {
					t.Errorf("place %d is %s", i, p)
				}
			}
		})
	}
	wg.Wait()
	if p := driver.PlaceOf("cpu", 0); p != (driver.Place{}) || p.String() != "cpu" || p.Backend() != "cpu" {
		t.Errorf("the CPU is %s", p)
	}
	if p := driver.PlaceOf("place", 3); p.String() != "place:3" {
		t.Errorf("place 3 is %s", p)
	}
}

// The active driver gives the current stream, and with it the device and the target: the CPU's
// unless another is activated.
func TestContractActiveDriver(t *testing.T) {
	s, err := driver.Current()
	if err != nil || s != cpu.Stream() || driver.Active() != "cpu" {
		t.Errorf("%s, %v, active: %s", s, err, driver.Active())
	}
	if err := driver.Activate("nothing"); !errors.Is(err, diag.Unsupported) || driver.Active() != "cpu" {
		t.Errorf("%v, active: %s", err, driver.Active())
	}
	if err := driver.Activate("buffers"); err != nil {
		t.Fatal(err)
	}
	defer driver.Activate("cpu")
	for _, want := range []driver.Stream{device.Stream(0), device.Stream(1)} {
		device.SetCurrent(want)
		if s, err := driver.Current(); err != nil || s != want {
			t.Errorf("%s, %v, want %s", s, err, want)
		}
	}
}

// A stream has an end; work that was given to it before is done.
func TestStreams(t *testing.T) {
	for _, name := range []string{"cpu", "buffers"} {
		d := open(t, name)
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		b, err := driver.NewBuffer(d, dtype.Int8, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(b.CopyFrom(t.Context(), s, []byte{1, 2}), d.Wait(t.Context(), s), d.CloseStream(s)); err != nil {
			t.Error(err)
		}
		got := make([]byte, 2)
		if err := b.CopyTo(t.Context(), d.Stream(), got); err != nil || got[1] != 2 {
			t.Errorf("%v, %v", got, err)
		}
		other := driver.Stream{Backend: "other", Handle: 1}
		for what, err := range map[string]error{"Wait": d.Wait(t.Context(), other), "CloseStream": d.CloseStream(other)} {
			if !errors.Is(err, diag.Stream) {
				t.Errorf("%s: %s of another's stream: %v", name, what, err)
			}
		}
	}
}

func TestOutOfResources(t *testing.T) {
	r := &driver.OutOfResources{Resource: "shared memory", Required: 5, Limit: 4, Unit: "bytes", Hint: "use less"}
	if want := "shared memory: 5 bytes required, the limit is 4; use less"; r.Error() != want {
		t.Errorf("%q, want %q", r.Error(), want)
	}
	if !errors.Is(r, diag.OutOfResources) || errors.Is(r, diag.Grid) {
		t.Error("the category")
	}
	r.Unit = ""
	if want := "shared memory: 5 required, the limit is 4; use less"; r.Error() != want {
		t.Errorf("%q, want %q", r.Error(), want)
	}
}
