package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver/cuda"
)

// A batch of submissions fits the device's queue, so that none waits for the device.
const (
	batch  = 200
	rounds = 300
)

// hostTime gives the host's time of a submission in nanoseconds: the least and the median over rounds.
func hostTime(d *cuda.Device, submit func() error) (least, median float64, err error) {
	times := make([]float64, 0, rounds)
	for range rounds {
		start := time.Now()
		for range batch {
			if err := submit(); err != nil {
				return 0, 0, err
			}
		}
		times = append(times, float64(time.Since(start))/batch)
		if err := d.Wait(context.Background(), d.Stream()); err != nil {
			return 0, 0, err
		}
	}
	slices.Sort(times)
	return times[0], times[len(times)/2], nil
}

// smallBuffers gives arrays of a few elements.
func smallBuffers(d *cuda.Device, n int) ([]*tegula.Buffer, error) {
	list := make([]*tegula.Buffer, n)
	for i := range list {
		b, err := d.Alloc(tegula.FP32, 16)
		if err != nil {
			return nil, err
		}
		list[i] = b
	}
	return list, nil
}

// launches measures what a launch costs the host.
func launches(d *cuda.Device) {
	m := load(smallKernels)
	b, err := smallBuffers(d, 6)
	if err != nil {
		fail("launch", "tegula", err)
		return
	}
	ctx, s := context.Background(), d.Stream()
	three, nineteen := m.Kernel("three"), m.Kernel("nineteen")
	many := []any{b[0], b[1], b[2], b[3], b[4], b[5], 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0.5, float32(1)}
	prepared, err := three.Prepare(s, tegula.Grid{1}, b[0], b[1], b[2])
	if err != nil {
		fail("launch, 3 pointers", "tegula", err)
		return
	}
	for _, test := range []struct {
		row, side string
		submit    func() error
	}{
		{"launch, 3 pointers", "tegula", func() error { return three.Launch(ctx, s, tegula.Grid{1}, b[0], b[1], b[2]) }},
		{"launch, 3 pointers", "tegula, prepared", func() error { return prepared.Launch(ctx) }},
		{"launch, 19 arguments", "tegula", func() error { return nineteen.Launch(ctx, s, tegula.Grid{1}, many...) }},
	} {
		if !wanted(test.row) {
			continue
		}
		least, median, err := hostTime(d, test.submit)
		if err != nil {
			fail(test.row, test.side, err)
			continue
		}
		report(test.row, test.side, least, "ns", "")
		report(test.row, test.side+", median", median, "ns", "")
	}
	graph(d, prepared)
}

// graph measures what the launch of a graph costs for each kernel of it, device included.
func graph(d *cuda.Device, p *tegula.Prepared) {
	const kernels, row = 200, "a kernel of a graph, device and host"
	g, err := d.Capture(d.Stream(), func() error {
		for range kernels {
			if err := p.Launch(context.Background()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		fail(row, "tegula", err)
		return
	}
	defer g.Close()
	least := time.Hour
	for range 50 {
		start := time.Now()
		if err = g.Launch(context.Background(), d.Stream()); err == nil {
			err = d.Wait(context.Background(), d.Stream())
		}
		if err != nil {
			fail(row, "tegula", err)
			return
		}
		least = min(least, time.Since(start))
	}
	report(row, "tegula", float64(least)/kernels, "ns", "")
}

// firstKernel launches one kernel and waits for it, and prints the milliseconds of each part, as raw/raw_launch.c does.
func firstKernel() error {
	since := time.Now()
	tell := func(part string) {
		fmt.Printf("%s %.1f\n", part, milliseconds(since))
		since = time.Now()
	}
	if _, err := cuda.Count(); err != nil {
		return err
	}
	tell("dlopen and cuInit")
	d, err := cuda.Open(0)
	if err != nil {
		return err
	}
	tell("cuDevicePrimaryCtxRetain and a stream")
	k := load(smallKernels).Kernel("three")
	tell("the file is read")
	b, err := smallBuffers(d, 3)
	if err != nil {
		return err
	}
	tell("memory")
	ready, err := k.Prepare(d.Stream(), tegula.Grid{1}, b[0], b[1], b[2])
	if err != nil {
		return err
	}
	tell("compiled, to machine code by the driver, and loaded")
	if err := ready.Launch(context.Background()); err != nil {
		return err
	}
	if err := d.Wait(context.Background(), d.Stream()); err != nil {
		return err
	}
	tell("a kernel")
	return nil
}
