package sema

import (
	"context"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
)

// arrayArg gives a slice as an argument.
func arrayArg[T any](name string, s []T) cpu.Arg {
	size := int(unsafe.Sizeof(*new(T)))
	return cpu.Arg{Array: &cpu.Array{Name: name, Base: unsafe.Pointer(unsafe.SliceData(s)), Bytes: int64(size * len(s)), ElemBytes: size, Keep: s}}
}

// run runs one instance of a kernel.
func run(t *testing.T, p *cpu.Program, args ...cpu.Arg) {
	t.Helper()
	if err := p.Run(context.Background(), cpu.Launch{Grid: [3]int32{1, 1, 1}, Args: args, Threads: 1}); err != nil {
		t.Fatal(err)
	}
}
