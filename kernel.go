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
	if k.launch == nil && k.err == nil {
		return diag.New(diag.Argument, "no-kernel", "the kernel comes from no module")
	}
	return k.err
}

// Launch runs the kernel on a grid of program instances. The arguments bind to the kernel's
// parameters by position, or by name where they are made by Arg or Const; Options may stand among
// them. On the CPU the kernel is done when Launch returns, on other devices it is submitted to
// the stream. When ctx is done, a running CPU kernel stops and ctx's cause is the error, as it is,
// without a category. A nil ctx is never done.
//
// The launch of a variant that is compiled already allocates nothing, nor do its arguments: neither
// args nor grid escapes.
func (k *Kernel) Launch(ctx context.Context, stream Stream, grid GridSpec, args ...any) error {
	if g, ok := grid.(Grid); ok && k != nil && k.launch != nil {
		if done, err := k.again(ctx, stream, g, args); done {
			return err
		}
	}
	c, err := k.begin(grid, args)
	if c == nil {
		return err
	}
	if err == nil {
		err = c.Launch(orBackground(ctx), stream)
	}
	c.End()
	return err
}

// A Prepared is a launch that has been checked and compiled, and can be submitted any number of
// times. It refers to the arrays that it was given. It is safe for concurrent use.
type Prepared struct{ launch *launch.Prepared }

// Prepare does all of a launch but the submission.
func (k *Kernel) Prepare(stream Stream, grid GridSpec, args ...any) (*Prepared, error) {
	c, err := k.begin(grid, args)
	if c == nil {
		return nil, err
	}
	defer c.End()
	if err != nil {
		return nil, err
	}
	p, err := c.Prepare(stream)
	if err != nil {
		return nil, err
	}
	return &Prepared{p}, nil
}

// Grid gives the number of program instances along each axis.
func (p *Prepared) Grid() driver.Grid {
	if p.err() != nil {
		return driver.Grid{}
	}
	return p.launch.Grid()
}

// err is the error of a launch that Prepare did not make.
func (p *Prepared) err() error {
	if p == nil || p.launch == nil {
		return diag.New(diag.Argument, "no-launch", "the launch was not prepared")
	}
	return nil
}

// Metadata gives the compiled kernel's metadata.
func (p *Prepared) Metadata() *driver.KernelMetadata {
	if p.err() != nil {
		return nil
	}
	return p.launch.Metadata()
}

// Launch submits the launch; see Kernel.Launch.
func (p *Prepared) Launch(ctx context.Context) error {
	if err := p.err(); err != nil {
		return err
	}
	return p.launch.Launch(orBackground(ctx))
}

// LaunchOn submits the launch to another stream of the same device.
func (p *Prepared) LaunchOn(ctx context.Context, stream Stream) error {
	if err := p.err(); err != nil {
		return err
	}
	return p.launch.LaunchOn(orBackground(ctx), stream)
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// begin collects a launch's arguments and its grid. The call, if there is one, has to be ended.
func (k *Kernel) begin(grid GridSpec, args []any) (*launch.Call, error) {
	if err := k.Err(); err != nil {
		return nil, err
	}
	c := k.launch.Begin()
	c.Stdout = os.Stdout
	for _, a := range args {
		if err := addArg(c, a); err != nil {
			return c, err
		}
	}
	if err := c.Bind(); err != nil {
		return c, err
	}
	return c, k.setGrid(c, grid)
}

// addArg adds what stands among a launch's arguments.
func addArg(c *launch.Call, a any) error {
	if n, ok := a.(int); ok { // the two that most arguments are
		c.Next().SetInt(int64(n))
		return nil
	}
	if b, ok := a.(*Buffer); ok {
		return setBuffer(c.Next(), b)
	}
	switch a := a.(type) {
	case Option:
		a.apply(c)
		return nil
	case Named:
		*c.Named(a.name) = a.value
		return a.err
	}
	return setValue(c.Next(), a)
}

// again is Launch for one that is like the kernel's latest, which false says it is not: nothing has happened then.
func (k *Kernel) again(ctx context.Context, stream Stream, grid Grid, args []any) (done bool, err error) {
	a := k.launch.Again(stream)
	if a == nil {
		return false, nil
	}
	for _, arg := range args {
		if !addAgain(a, arg) {
			a.End()
			return false, nil
		}
	}
	done, err = a.Launch(orBackground(ctx), stream, os.Stdout, grid)
	a.End()
	return done, err
}

// addAgain is addArg for a launch like the one before.
func addAgain(a *launch.Again, arg any) bool {
	if n, ok := arg.(int); ok {
		return a.Int(int64(n))
	}
	if b, ok := arg.(*Buffer); ok {
		return b != nil && !b.Freed() && a.Buffer(b)
	}
	switch arg := arg.(type) {
	case Option:
		return arg.choose(&a.Options)
	case Named:
		return arg.err == nil && a.Named(arg.name, &arg.value)
	case int32:
		return a.Int(int64(arg))
	case int64:
		return a.Int(arg)
	case float32:
		return a.Float(float64(arg))
	case float64:
		return a.Float(arg)
	case bool:
		return a.Bool(arg)
	}
	return false
}
