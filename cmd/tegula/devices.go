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
	for _, backend := range driver.Backends() {
		devices, err := driver.Devices(backend)
		if err != nil {
			c.note("%s: %s", backend, message(err))
			continue
		}
		for _, d := range devices {
			about := d.Arch
			if about == "" {
				about = d.Version
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

// message is an error without the name of its category: that a driver is not installed is a note here.
func message(err error) string {
	var e *tegula.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}
