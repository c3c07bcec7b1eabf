package main

import (
	"context"
	"errors"

	"github.com/tegula-lang/tegula"
)

// buffers are the arrays of a launch in a device's memory. On the CPU there are none: arrays are used where they are.
type buffers struct {
	stream tegula.Stream
	of     map[*tegula.Array]*tegula.Buffer
}

// move copies the arrays there.
func (b *buffers) move(ctx context.Context, args []argument) error {
	if b.stream == tegula.CPU() {
		return nil
	}
	for _, arg := range args {
		a, ok := arg.value.(*tegula.Array)
		if !ok {
			continue
		}
		buffer, err := tegula.NewBuffer(b.stream, a.DType, a.Shape...)
		if err != nil {
			return err
		}
		b.of[a] = buffer
		if err := buffer.CopyFrom(ctx, b.stream, a.Data); err != nil {
			return err
		}
	}
	return nil
}

// named gives the arguments as a launch takes them.
func (b *buffers) named(args []argument) []any {
	var list []any
	for _, arg := range args {
		switch v := arg.value.(type) {
		case constant:
			list = append(list, tegula.Const(arg.name, v.value))
			continue
		case *tegula.Array:
			if buffer := b.of[v]; buffer != nil {
				list = append(list, tegula.Arg(arg.name, buffer))
				continue
			}
		}
		list = append(list, tegula.Arg(arg.name, arg.value))
	}
	return list
}

// fetch copies the buffers back.
func (b *buffers) fetch(ctx context.Context) error {
	for a, buffer := range b.of {
		if err := buffer.CopyTo(ctx, b.stream, a.Data); err != nil {
			return err
		}
	}
	return nil
}

// free gives the memory back.
func (b *buffers) free() error {
	var errs []error
	for _, buffer := range b.of {
		errs = append(errs, buffer.Free())
	}
	return errors.Join(errs...)
}
