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
	*kernel // whose program is made when it is needed
	dual    *native.Dual
	args    sync.Pool // of *[]native.Arg
}

func newNative(d *native.Dual, m *driver.KernelMetadata) *nativeKernel {
	return &nativeKernel{kernel: newKernel(nil, m), dual: d}
}

// checked gives the kernel that runs on the checked executor.
func (k *nativeKernel) checked() (*kernel, error) {
	p, err := k.dual.Checked()
	if err != nil {
		return nil, err
	}
	return newKernel(p, k.meta), nil
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
	*args = (*args)[:0]
	for i, a := range l.Args {
		n := native.Arg{Bits: a.Bits}
		if i < len(k.elems) && k.elems[i] > 0 {
			n.Base, n.Bytes = unsafe.Pointer(unsafe.SliceData(a.Host)), int64(len(a.Host))
			n.Name, n.ElemBytes = k.meta.Args[i].Name, k.elems[i]
		}
		*args = append(*args, n)
	}
	err = k.dual.Native.Run(ctx, native.Launch{
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
