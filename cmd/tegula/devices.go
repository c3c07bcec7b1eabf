package main

import (
	"errors"
	"fmt"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
)

// devicesCmd is tegula devices.
type devicesCmd struct{}

// Run lists the devices of every driver.
func (devicesCmd) Run(c *console) error {
	executor, err := tegula.Executor()
	if err != nil {
		return err
	}
	said := map[string]bool{}
	absent := func(backend string, err error) {
		if m := message(err); !said[m] { // two drivers may need one library
			said[m] = true
			c.note("%s: %s", backend, m)
		}
	}
	for _, backend := range driver.Backends() {
		devices, err := driver.Devices(backend)
		if err != nil {
			absent(backend, err)
			continue
		}
		if len(devices) == 0 {
			if _, err := driver.OpenDevice(backend, 0); err != nil { // says what is missing
				absent(backend, err)
			}
		}
		for _, d := range devices {
			about := d.Arch
			if about == "" {
				about = d.Version
			}
			if d.Backend == tegula.CPU().Backend {
				d.Detail = executor
			}
			if d.Detail != "" {
				about += ", " + d.Detail
			}
			if _, err := fmt.Fprintf(c.out, "%s:%d  %s (%s)\n", d.Backend, d.Index, d.Name, about); err != nil {
				return fmt.Errorf("tegula: %w", err)
			}
		}
	}
	return nil
}

// message is an error without the name of its category: that a driver is not installed is a note here. The last of its own notes says
// what can be done.
func message(err error) string {
	var e *tegula.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if n := len(e.Notes); n > 0 {
		return e.Msg + "\n  " + e.Notes[n-1].Msg
	}
	return e.Msg
}
