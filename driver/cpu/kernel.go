package cpu

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// A kernel is a loaded program.
type kernel struct {
	program *cpu.Program
	meta    *driver.KernelMetadata
	elems   []int     // bytes of what each argument points to; 0 for scalars
	args    sync.Pool // of *arguments
}

func newKernel(p *cpu.Program, m *driver.KernelMetadata) *kernel {
	k := &kernel{program: p, meta: m, elems: make([]int, len(m.Args))}
	for i := range m.Args {
		k.elems[i] = elemBytes(m.Args[i].Type)
	}
	return k
}

// elemBytes gives the size of what a type of a signature points to, 0 for one that is no pointer.
func elemBytes(t string) int {
	pointee, isPointer := strings.CutPrefix(t, "*")
	switch {
	case !isPointer:
		return 0
	case strings.HasPrefix(pointee, "*"):
		return int(unsafe.Sizeof(uintptr(0)))
	}
	return dtype.Lookup(pointee).Bytes()
}

// Function gives a number of the kernel's own; there is nothing to call.
func (k *kernel) Function() uintptr { return uintptr(unsafe.Pointer(k)) }

// Metadata gives the binary's.
func (k *kernel) Metadata() *driver.KernelMetadata { return k.meta }

// Close does nothing: the program is the garbage collector's.
func (k *kernel) Close() error { return nil }

// arguments is the memory that a launch's arguments are converted in.
type arguments struct {
	args   []cpu.Arg
	arrays []cpu.Array
}

// Launch runs the kernel.
func (k *kernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	if err := s.Check(Backend, 0); err != nil {
		return err
	}
	n, err := threads()
	if err != nil {
		return err
	}
	a, _ := k.args.Get().(*arguments)
	if a == nil {
		a = &arguments{}
	}
	defer k.release(a)
	return k.program.Run(ctx, cpu.Launch{
		Grid:    [3]int32{int32(l.Grid[0]), int32(l.Grid[1]), int32(l.Grid[2])},
		Args:    k.convert(a, l.Args),
		Reach:   reachable(l.Reach),
		Stdout:  l.Stdout,
		Threads: n,
	})
}

// reachable gives memory that is no argument as arrays.
func reachable(memory [][]byte) []cpu.Array {
	if len(memory) == 0 {
		return nil
	}
	arrays := make([]cpu.Array, len(memory))
	for i, m := range memory {
		arrays[i] = cpu.Array{Name: fmt.Sprintf("reachable array %d", i), Base: unsafe.Pointer(unsafe.SliceData(m)), Bytes: int64(len(m)), ElemBytes: 1}
	}
	return arrays
}

// release keeps the memory for later launches, and no array alive.
func (k *kernel) release(a *arguments) {
	clear(a.args)
	clear(a.arrays)
	k.args.Put(a)
}

func (k *kernel) convert(a *arguments, in []driver.Arg) []cpu.Arg {
	if cap(a.args) < len(in) {
		a.args, a.arrays = make([]cpu.Arg, len(in)), make([]cpu.Array, len(in))
	}
	a.args, a.arrays = a.args[:len(in)], a.arrays[:len(in)]
	for i := range in {
		arg := &in[i]
		if i >= len(k.elems) || k.elems[i] == 0 { // Run says so if there are too many
			a.args[i] = cpu.Arg{Bits: arg.Bits}
			continue
		}
		a.arrays[i] = cpu.Array{
			Name:      k.meta.Args[i].Name,
			Base:      unsafe.Pointer(unsafe.SliceData(arg.Host)),
			Bytes:     int64(len(arg.Host)),
			Front:     arg.Front,
			ElemBytes: k.elems[i],
		}
		a.args[i] = cpu.Arg{Array: &a.arrays[i]}
	}
	return a.args
}
