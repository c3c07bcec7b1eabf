package cpu

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
)

// A nativeKernel runs as machine code, or on the checked executor where its arrays overlap in a way
// that the code was not made for.
type nativeKernel struct {
	*kernel // without a program
	code    *native.Program
	checked func() (*kernel, error) // made when it is needed
	args    sync.Pool               // of *[]native.Arg
}

func newNative(d *native.Dual, m *driver.KernelMetadata) *nativeKernel {
	return &nativeKernel{kernel: newKernel(nil, m), code: d.Native, checked: sync.OnceValues(func() (*kernel, error) {
		p, err := d.Checked()
		if err != nil {
			return nil, err
		}
		return newKernel(p, m), nil
	})}
}

// Launch runs the kernel.
func (k *nativeKernel) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	if err := s.Check(Backend, 0); err != nil {
		return err
	}
	n, err := threads()
	if err != nil {
		return err
	}
	args, _ := k.args.Get().(*[]native.Arg)
	if args == nil {
		args = new([]native.Arg)
	}
	*args = k.convert((*args)[:0], l.Args)
	err = k.code.Run(ctx, native.Launch{
		Grid: [3]int32{int32(l.Grid[0]), int32(l.Grid[1]), int32(l.Grid[2])}, Args: *args, Threads: n, Stdout: l.Stdout,
	})
	clear(*args)
	k.args.Put(args)
	if errors.Is(err, native.ErrOverlap) {
		c, err := k.checked()
		if err != nil {
			return err
		}
		return c.Launch(ctx, s, l)
	}
	return err
}

// convert appends arguments as the code takes them.
func (k *nativeKernel) convert(args []native.Arg, in []driver.Arg) []native.Arg {
	for i, a := range in {
		n := native.Arg{Bits: a.Bits}
		if i < len(k.elems) && k.elems[i] > 0 {
			n.Base, n.Bytes, n.Front = unsafe.Pointer(unsafe.SliceData(a.Host[a.Front:])), int64(len(a.Host))-a.Front, a.Front
			n.Name, n.ElemBytes = k.meta.Args[i].Name, k.elems[i]
		}
		args = append(args, n)
	}
	return args
}

// A Direct is a Kernel whose code other languages may call without entering Go, as package native says.
type Direct interface {
	driver.Kernel
	ABI() native.ABI
	// Cost gives what a program took in the last launch, in fuel; 0 if there was none.
	Cost() int64
	// Fault makes the error of a memory fault that such a call met.
	Fault(addr uintptr, pid [3]int32, args []driver.Arg) error
}

// ABI gives how to call the code.
func (k *nativeKernel) ABI() native.ABI { return k.code.ABI() }

// Cost gives what a program took.
func (k *nativeKernel) Cost() int64 { return k.code.Cost() }

// Fault makes an error.
func (k *nativeKernel) Fault(addr uintptr, pid [3]int32, args []driver.Arg) error {
	return k.code.Fault(addr, pid, k.convert(nil, args))
}
