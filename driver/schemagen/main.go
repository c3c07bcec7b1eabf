// Command schemagen writes the JSON Schema of kernel metadata, which is generated from the Go
// struct, to a file: go generate ./driver.
package main

import (
	"fmt"
	"os"

	"github.com/tegula-lang/tegula/driver"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: schemagen FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], driver.KernelMetadataSchema(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}
