package main

import (
	"fmt"
	"runtime"

	"github.com/tegula-lang/tegula"
)

// versionCmd is tegula version.
type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(c *console) error {
	_, err := fmt.Fprintf(c.out, "tegula %s (%s, %s/%s)\n", tegula.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
