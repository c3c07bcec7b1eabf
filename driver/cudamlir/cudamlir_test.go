package cudamlir

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cudamlir"
)

// loaded is a device that keeps what it is given, and a kernel that does.
type loaded struct {
	driver.Device
	driver.Kernel
	binary *driver.Binary
	stream driver.Stream
	launch driver.Launch
}

func (l *loaded) Load(b *driver.Binary) (driver.Kernel, error) { l.binary = b; return l, nil }

func (l *loaded) Launch(_ context.Context, s driver.Stream, launch *driver.Launch) error {
	l.stream, l.launch = s, *launch
	return nil
}

// TestLaunch passes the addresses that Triton's functions take after the arguments, and streams under the name that driver/cuda knows.
func TestLaunch(t *testing.T) {
	section, err := json.Marshal(cudamlir.Section{Entry: "k_0", Warps: 8, Shared: 4096, Params: 4})
	if err != nil {
		t.Fatal(err)
	}
	meta := &driver.KernelMetadata{
		Name: "k", Target: "cuda-mlir:90a", NumWarps: 4, NumCTAs: 2,
		Args:     []driver.MetadataArg{{Name: "p", Type: "*fp32", Size: 8, Align: 8}, {Name: "n", Type: "i32", Size: 4, Offset: 8, Align: 4}},
		Backends: driver.MetadataBackends{Other: map[string]json.RawMessage{Backend: section}},
	}
	inner := &loaded{}
	d := &device{Device: inner}
	k, err := d.Load(&driver.Binary{Metadata: meta, Image: []byte("cubin")})
	if err != nil {
		t.Fatal(err)
	}
	got := inner.binary.Metadata
	var offsets []int
	for _, a := range got.Args {
		offsets = append(offsets, a.Offset)
	}
	if diff := cmp.Diff([]int{0, 8, 16, 24}, offsets); diff != "" || got.NumWarps != 8 || got.Shared != 4096 {
		t.Errorf("%s%+v", diff, got)
	}
	want := &driver.CUDAMetadata{Entry: "k_0", DynamicShared: 4096, Cluster: [3]int{2, 1, 1}}
	if diff := cmp.Diff(want, got.Backends.CUDA); diff != "" {
		t.Error(diff)
	}
	if k.Metadata() != meta || len(meta.Args) != 2 {
		t.Errorf("the binary's metadata were changed: %+v", k.Metadata())
	}
	args := []driver.Arg{{Bits: 64}, {Bits: 7}}
	if err := k.Launch(t.Context(), driver.Stream{Backend: Backend, Device: 1, Handle: 9}, &driver.Launch{Grid: driver.Grid{3, 1, 1}, Args: args}); err != nil {
		t.Fatal(err)
	}
	if len(inner.launch.Args) != 4 || inner.launch.Args[1].Bits != 7 || inner.launch.Args[3].Bits != 0 || len(args) != 2 {
		t.Errorf("arguments %+v", inner.launch.Args)
	}
	if (inner.stream != driver.Stream{Backend: "cuda", Device: 1, Handle: 9}) {
		t.Errorf("stream %v", inner.stream)
	}
}

// TestNotOurs refuses code that another back end made.
func TestNotOurs(t *testing.T) {
	d := &device{Device: &loaded{}}
	if _, err := d.Load(&driver.Binary{Metadata: &driver.KernelMetadata{Name: "k", Target: "cuda:90a"}}); err == nil {
		t.Error("PTX was loaded as Triton's code")
	}
}
