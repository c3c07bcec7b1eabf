package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
)

// targets are the names that --target takes, with a number or an architecture after a colon.
var targets = []string{"cpu", "cuda", "xpu", "cuda-mlir"}

// openTarget gives the stream that --target means.
func openTarget(name string) (tegula.Stream, error) {
	if backend, _, _ := strings.Cut(name, ":"); !slices.Contains(targets, backend) && !slices.Contains(driver.Backends(), backend) {
		return tegula.Stream{}, &tegula.Error{Category: tegula.ErrArgument, Code: "unknown-target",
			Msg: fmt.Sprintf("%q is no target; the targets are %s", name, strings.Join(targets, ", "))}
	}
	if _, index, ok := strings.Cut(name, ":"); ok {
		if _, err := strconv.ParseUint(index, 10, 31); err != nil {
			return tegula.Stream{}, usage("--target %s: %q is no number of a device", name, index)
		}
	}
	device, err := driver.Open(name)
	if err != nil {
		return tegula.Stream{}, err
	}
	return device.Stream(), nil
}

// targetOf names what kernels are compiled for that are launched on a stream.
func targetOf(s tegula.Stream) string {
	devices, err := driver.Devices(s.Backend)
	if err != nil || !strings.HasPrefix(s.Backend, "cuda") || s.Device < 0 || int(s.Device) >= len(devices) {
		return s.Backend
	}
	return s.Backend + ":" + devices[s.Device].Arch
}
