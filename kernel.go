package tegula

import (
	"context"
	"os"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/launch"
)

// A Kernel is a kernel function of a module. It is safe for concurrent use.
type Kernel struct {
	module *Module
	name   string
	launch *launch.Kernel
	err    error // why there is no such kernel
}

// Name gives the kernel's name.
func (k *Kernel) Name() string {
	if k == nil {
		return ""
	}
	return k.name
}

// Err gives the error that Launch would give whatever its arguments: that the module has no such
// kernel.
func (k *Kernel) Err() error {
	if k == nil {
		return diag.New(diag.Argument, "no-kernel", "the kernel is nil")
	}
	return k.err
}

// Launch runs the kernel on a grid of program instances. The arguments bind to the kernel's
// parameters by position, or by name where they are made by Arg or Const; Options may stand among
// them. On the CPU the kernel is done when Launch returns, on other devices it is submitted to
// the stream. When ctx is done, a running CPU kernel stops and ctx's cause is the error, as it is,
// without a category. A nil ctx is never done.
func (k *Kernel) Launch(ctx context.Context, stream Stream, grid GridSpec, args ...any) error {
	p, err := k.Prepare(stream, grid, args...)
	if err != nil {
		return err
	}
	return p.Launch(ctx)
}

// A Prepared is a launch that has been checked and compiled, and can be submitted any number of
// times. It refers to the arrays that it was given. It is safe for concurrent use.
type Prepared struct{ launch *launch.Prepared }

// Prepare does all of a launch but the submission.
func (k *Kernel) Prepare(stream Stream, grid GridSpec, args ...any) (*Prepared, error) {
	if err := k.Err(); err != nil {
		return nil, err
	}
	r := launch.Request{Stream: stream, Stdout: os.Stdout}
	if grid != nil {
		r.Grid = grid.grid(k)
	}
	if err := addArgs(&r, args); err != nil {
		return nil, err
	}
	p, err := k.launch.Prepare(r)
	if err != nil {
		return nil, err
	}
	return &Prepared{p}, nil
}

// Grid gives the number of program instances along each axis.
func (p *Prepared) Grid() driver.Grid { return p.launch.Grid() }

// Launch submits the launch; see Kernel.Launch.
func (p *Prepared) Launch(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	return p.launch.Launch(ctx)
}

// addArgs sorts a launch's arguments.
func addArgs(r *launch.Request, args []any) error {
	for _, a := range args {
		switch a := a.(type) {
		case Option:
			a.apply(r)
		case Named:
			v, err := a.launchValue()
			if err != nil {
				return err
			}
			r.Call.Named = append(r.Call.Named, launch.Named{Name: a.name, Value: v})
		default:
			v, err := valueOf(a)
			if err != nil {
				return err
			}
			r.Call.Positional = append(r.Call.Positional, v)
		}
	}
	return nil
}

func (n Named) launchValue() (launch.Value, error) {
	if n.constant {
		return constantOf(n.value)
	}
	return valueOf(n.value)
}
