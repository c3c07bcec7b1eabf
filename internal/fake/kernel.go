package fake

import (
	"context"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// A kernel is a loaded image.
type kernel struct {
	device    *device
	program   *cpu.Program
	meta      *driver.KernelMetadata
	function  uintptr
	discarded atomic.Int64
}

// Function gives the kernel's number.
func (k *kernel) Function() uintptr { return k.function }

// Metadata gives the binary's.
func (k *kernel) Metadata() *driver.KernelMetadata { return k.meta }

// Close is counted.
func (k *kernel) Close() error {
	k.device.driver.count(&k.device.driver.closes)
	return nil
}

// Launch records a launch and puts it into its stream.
func (k *kernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	f := k.device.driver
	if err := s.Check(f.name, k.device.index); err != nil {
		return err
	}
	if f.options.Discard {
		k.discarded.Add(1)
		return nil
	}
	r := Launch{
		Kernel: k.meta.Name, Function: k.function, Stream: s, Grid: l.Grid,
		Args: slices.Clone(l.Args), Packed: pack(k.meta, l.Args), Metadata: k.meta,
	}
	stdout := l.Stdout
	if err := k.device.submit(s, func() error { return k.run(&r, stdout) }); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.launches = append(f.launches, r)
	return nil
}

// pack lays the arguments out as the metadata say, as a device reads them.
func pack(m *driver.KernelMetadata, args []driver.Arg) []byte {
	out := make([]byte, m.ArgBytes())
	for i := range m.Args {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], args[i].Bits)
		copy(out[m.Args[i].Offset:], word[:m.Args[i].Size])
	}
	return out
}

// run runs a launch on the checked executor. The device is locked.
func (k *kernel) run(r *Launch, stdout io.Writer) error {
	args := make([]cpu.Arg, len(r.Args))
	for i := range args {
		a := &k.meta.Args[i]
		elem, isPointer := strings.CutPrefix(a.Type, "*")
		if !isPointer {
			args[i].Bits = r.Args[i].Bits
			continue
		}
		data := k.device.find(r.Args[i].Bits)
		if data == nil {
			return diag.New(diag.Driver, "illegal-address", "argument '%s' of %s is %#x, where the device has no memory", a.Name, r.Kernel, r.Args[i].Bits)
		}
		args[i].Array = &cpu.Array{
			Name: a.Name, Base: unsafe.Pointer(unsafe.SliceData(data)), Bytes: int64(len(data)),
			ElemBytes: dtype.Lookup(strings.TrimPrefix(elem, "*")).Bytes(),
		}
	}
	return k.program.Run(context.Background(), cpu.Launch{
		Grid: [3]int32{int32(r.Grid[0]), int32(r.Grid[1]), int32(r.Grid[2])}, Args: args, Stdout: stdout,
	})
}
