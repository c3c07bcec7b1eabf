package cuda

import (
	"os"
	"strings"

	"github.com/ebitengine/purego"

	"github.com/tegula-lang/tegula/internal/diag"
)

// envLibrary is the variable that names the library to load.
const envLibrary = "TEGULA_LIBCUDA"

// libraries are where the driver's library is: on the loader's path, or where containers and WSL mount it.
var libraries = []string{
	"libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
}

// openLibrary loads the driver's library, and gives its functions by name: 0 for one that it lacks.
func openLibrary() (func(name string) uintptr, error) {
	paths := libraries
	if path := os.Getenv(envLibrary); path != "" {
		paths = []string{path}
	}
	var reasons []string
	for _, path := range paths {
		h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return func(name string) uintptr {
				fn, err := purego.Dlsym(h, name)
				if err != nil {
					return 0
				}
				return fn
			}, nil
		}
		reasons = append(reasons, err.Error())
	}
	return nil, noLibrary(reasons)
}

// noLibrary is the error of a machine without the library. It gives the reason for the first path: that is where the
// library is where it is installed.
func noLibrary(reasons []string) error {
	e := diag.New(diag.Driver, "no-driver", "there is no NVIDIA driver that could be loaded: %s", strings.TrimSpace(reasons[0]))
	for _, r := range reasons[1:] {
		e.Notes = append(e.Notes, diag.Note{Msg: strings.TrimSpace(r)})
	}
	advice := "install NVIDIA's driver, 525 or newer; if its library lies elsewhere, " + envLibrary + " names it"
	if os.Getenv(envLibrary) != "" {
		advice = envLibrary + " names that library; without it the driver's is looked for where it is installed"
	}
	e.Notes = append(e.Notes, diag.Note{Msg: advice})
	return e
}

// plain calls a function of the library that needs no context.
//
//go:uintptrescapes
func plain(fn uintptr, args ...uintptr) result {
	r, _, _ := purego.SyscallN(fn, args...)
	return result(r)
}
