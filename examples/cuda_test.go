package main

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/difftest/nvcc"
)

// TestCUDACPP runs the examples on an NVIDIA GPU as PTX and as CUDA C++ that nvcc compiled, and compares the results. C++ lets the compiler round a
// product and a sum once where the PTX rounds twice, so they may differ as far as either may from the data; most have the same bits.
func TestCUDACPP(t *testing.T) {
	s, err := nvcc.Open()
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	gpu, err := driver.Open("cuda")
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	text, err := driver.OpenDevice(s.Backend, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			ptx, cpp := outputsOn(t, &e, gpu), outputsOn(t, &e, text)
			for param, got := range cpp {
				want, err := e.array(param)
				if err != nil {
					t.Fatal(err)
				}
				for name, against := range map[string]*tegula.Array{"PTX": ptx[param], "data": want} {
					if _, err := e.toleranceOn(gpu).compare(got, against); err != nil {
						t.Errorf("%s and %s: %v", param, name, err)
					}
				}
				t.Logf("%s: the same bits as the PTX's: %t", param, bytes.Equal(got.Data, ptx[param].Data))
			}
		})
	}
}

// outputsOn gives what an example writes on a device.
func outputsOn(t *testing.T, e *example, d driver.Device) map[string]*tegula.Array {
	t.Helper()
	mod, err := tegula.LoadFS(files, e.name+".py")
	if err != nil {
		t.Fatal(err)
	}
	args, outputs, err := e.args()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	there := buffers{stream: d.Stream(), of: map[*tegula.Array]*tegula.Buffer{}}
	defer there.free()
	if err := there.move(ctx, args); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(mod.Kernel(e.name).Launch(ctx, d.Stream(), e.grid, there.named(args)...), there.fetch(ctx)); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	return outputs
}
