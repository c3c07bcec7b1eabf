//go:build !linux

package cuda

import (
	"runtime"

	"github.com/tegula-lang/tegula/internal/diag"
)

// openLibrary refuses: this package knows the library as Linux has it.
func openLibrary() (func(name string) uintptr, error) {
	return nil, diag.New(diag.Driver, "no-driver", "NVIDIA GPUs are supported on Linux, not on %s", runtime.GOOS)
}

// No function of the library is ever known here, so none is called.

func plain(uintptr, ...uintptr) result { return notInitialized }

func (*block) do() result { return notInitialized }
