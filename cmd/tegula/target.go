package main

import (
	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
)

// openTarget gives the stream that --target means.
func openTarget(name string) (tegula.Stream, error) {
	device, err := driver.Open(name)
	if err != nil {
		return tegula.Stream{}, err
	}
	return device.Stream(), nil
}
