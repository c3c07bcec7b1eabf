package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/tegula-lang/tegula"
)

// fileAndKernel is the argument FILE.py[:KERNEL].
type fileAndKernel struct {
	File string `arg:"" name:"FILE.py[:KERNEL]" help:"The file, and the kernel in it. Without a name, the kernel that no other kernel of the file calls."`
}

// open loads the file and finds the kernel.
func (f fileAndKernel) open(target string) (*tegula.Module, *tegula.Kernel, error) {
	path, name := f.File, ""
	if i := strings.LastIndexByte(path, ':'); i >= 0 {
		if _, err := os.Stat(path); err != nil {
			path, name = path[:i], path[i+1:]
		}
	}
	mod, err := tegula.LoadFileFor(path, target)
	if err != nil {
		return nil, nil, err
	}
	if name == "" {
		k, err := onlyKernel(mod, path)
		return mod, k, err
	}
	k := mod.Kernel(name)
	return mod, k, k.Err()
}

// onlyKernel gives the kernel that is meant when none is named.
func onlyKernel(mod *tegula.Module, path string) (*tegula.Kernel, error) {
	names := mod.EntryKernels()
	if len(names) == 1 {
		k := mod.Kernel(names[0])
		return k, k.Err()
	}
	if len(names) == 0 {
		names = mod.Kernels()
	}
	if len(names) == 0 {
		return nil, usage("%s has no kernel: no function is decorated with triton.jit or tegula.jit", path)
	}
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = fmt.Sprintf("  %s:%s", path, name)
	}
	return nil, usage("%s has several kernels; say which:\n%s", path, strings.Join(lines, "\n"))
}

// A usageError is a command line that says too little, or what cannot be.
type usageError struct{ msg string }

// Error gives the message.
func (e *usageError) Error() string { return "tegula: " + e.msg }

// Is makes it an ArgumentError.
func (e *usageError) Is(target error) bool { return target == error(tegula.ErrArgument) }

func usage(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// cutArgument splits NAME=VALUE.
func cutArgument(text, form string) (name, value string, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || strings.TrimSpace(name) == "" {
		return "", "", usage("%q is not of the form %s", text, form)
	}
	return strings.TrimSpace(name), strings.TrimSpace(value), nil
}
