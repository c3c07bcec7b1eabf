//go:build !nogpu

package main

// The drivers of GPUs. What loads libraries at run time needs the system's loader, so the program is not
// wholly static with them; go build -tags nogpu makes one that is.
import (
	_ "github.com/tegula-lang/tegula/driver/cuda"
	_ "github.com/tegula-lang/tegula/driver/cudamlir"
	_ "github.com/tegula-lang/tegula/driver/xpu"
)
