package launch

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// A Call is one launch of a kernel from its first argument to its submission. It is used as
//
//	c := k.Begin()
//	defer c.End()
//	c.Next().SetInt(n) …, c.Named("BLOCK").SetInt(64) …
//	err := c.Bind()      // all parameters have their arguments now
//	c.SetGrid(g)
//	err = c.Launch(ctx, stream)
//
// Calls are taken from a pool and own all memory that a launch needs, so that the launch of a
// compiled kernel allocates nothing. Nothing of a Call may be kept after End.
type Call struct {
	Options
	Stdout io.Writer     // takes what the kernel prints; may be nil
	Note   func(string)  // told what was filled in; may be nil
	Meta   MetadataFunc  // makes the metadata for hooks of this launch; nil takes the kernel's
	bound  Bound         // one value for each parameter
	grid   dims          // before it is checked
	open   []Value       // those that positional arguments are for
	next   int           // the next of them
	byName []int         // the parameters that were given by name, in that order
	rest   Tuple         // what *args takes, or positional arguments that are too many
	err    error         // the first error of what was collected
	key    []byte        // of the variant
	hosted bool          // launch.Args may refer to memory
	apart  bool          // the call has what no Again takes
	launch driver.Launch // what is submitted
}

var calls = sync.Pool{New: func() any { return new(Call) }}

// Begin begins a launch.
func (k *Kernel) Begin() *Call {
	c := calls.Get().(*Call)
	c.bound.kernel = k
	n := len(k.params)
	if cap(c.bound.values) < n {
		c.bound.values = make([]Value, n)
	}
	c.bound.values = c.bound.values[:n]
	c.open = c.bound.values[:k.positional]
	return c
}

// End makes the call ready for another launch. It keeps nothing of this one alive.
func (c *Call) End() {
	clear(c.bound.values)
	clear(c.rest.Elems)
	if c.hosted {
		clear(c.launch.Args)
	}
	c.bound.kernel, c.bound.err = nil, nil
	c.Options = Options{}
	if len(c.launch.Reach) > 0 {
		clear(c.launch.Reach)
		c.launch.Reach = c.launch.Reach[:0]
	}
	c.Stdout, c.Note, c.Meta, c.launch.Stdout, c.err = nil, nil, nil, nil, nil
	c.rest.Elems, c.byName = c.rest.Elems[:0], c.byName[:0]
	c.grid.n, c.next, c.hosted, c.apart = 0, 0, false, false
	calls.Put(c)
}

// Reach names an array that the kernel may reach, by an address that it loads.
func (c *Call) Reach(v *Value) {
	if v.Kind != KindArray {
		c.fail(diag.New(diag.Argument, "reach", "what a kernel may reach is an array, not %s", v.describe()))
		return
	}
	if v.host != nil { // the memory of other devices is reachable as it is
		c.launch.Reach = append(c.launch.Reach, v.Host())
	}
}

// Fail notes an error of what is collected.
func (c *Call) Fail(err error) { c.fail(err) }

// fail notes the first error.
func (c *Call) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Next gives the place of the next positional argument. It is Absent, and has to be set before
// anything else is asked of the call.
func (c *Call) Next() *Value {
	if i := c.next; i < len(c.open) && c.open[i].Kind == Absent {
		c.next = i + 1
		return &c.open[i]
	}
	return c.nextTaken()
}

// nextTaken is Next where the parameter has its argument already, or there is none any more.
func (c *Call) nextTaken() *Value {
	if c.next == len(c.open) {
		c.apart = true
		c.rest.Elems = append(c.rest.Elems, Value{})
		return &c.rest.Elems[len(c.rest.Elems)-1]
	}
	c.fail(c.bound.kernel.twice(c.next))
	c.next++
	return new(Value)
}

// Named gives the place of an argument that is given by name. It is Absent, and has to be set
// before anything else is asked of the call.
func (c *Call) Named(name string) *Value {
	k := c.bound.kernel
	i, ok := k.index[name]
	if !ok || k.params[i].Kind == Variadic || k.params[i].Kind == PositionalOnly {
		c.fail(k.notByName(i, ok, name))
		return new(Value)
	}
	v := &c.bound.values[i]
	if v.Kind != Absent {
		c.fail(k.twice(i))
		return new(Value)
	}
	c.byName = append(c.byName, i)
	return v
}

// Bind completes the arguments with configurations, heuristics and defaults of the kernel's file.
// It gives the first error of the arguments so far.
func (c *Call) Bind() error {
	if c.err != nil {
		return c.err
	}
	k := c.bound.kernel
	switch {
	case k.variadic >= 0:
		c.bound.values[k.variadic].SetTuple(&c.rest)
	case len(c.rest.Elems) > 0:
		return k.tooMany(k.positional + len(c.rest.Elems))
	case c.next == len(c.bound.values):
		return nil // every parameter was given by position
	}
	return k.complete(c.bound.values, c.Note)
}

// Args gives the arguments, for the function that computes the grid. They are there from Bind to
// End.
func (c *Call) Args() *Bound { return &c.bound }

// Launch submits the launch.
func (c *Call) Launch(ctx context.Context, s driver.Stream) error {
	asked := c.Options
	v, on, err := c.resolve(s)
	if err != nil {
		return err
	}
	c.launch.Args = v.pack(c.launch.Args, c.bound.values)
	c.launch.Stdout = c.Stdout
	if k := c.bound.kernel; k.hooked() {
		return k.launchHooked(ctx, s, v, &c.launch, c.bound.values, c.Meta)
	}
	if err := v.resident.kernel.Launch(ctx, s, &c.launch); err != nil || c.apart {
		return err
	}
	c.remember(v, on, asked)
	return nil
}

// Apart says that the call has what no Again takes: launches like it are made by Calls.
func (c *Call) Apart() { c.apart = true }

// Prepare does all of a launch but the submission.
func (c *Call) Prepare(s driver.Stream) (*Prepared, error) {
	v, _, err := c.resolve(s)
	if err != nil {
		return nil, err
	}
	values := cloneValues(c.bound.values)
	return &Prepared{
		kernel: c.bound.kernel, variant: v, stream: s, values: values, meta: c.Meta,
		launch: driver.Launch{Grid: c.launch.Grid, Args: v.pack(nil, values), Reach: slices.Clone(c.launch.Reach), Stdout: c.Stdout},
	}, nil
}

// resolve finds the variant for the arguments and checks the grid. It has touched nothing but the
// compiler if it fails.
func (c *Call) resolve(s driver.Stream) (*variant, *onDevice, error) {
	k := c.bound.kernel
	on, err := k.on(s)
	if err != nil {
		return nil, nil, err
	}
	c.hosted = on.place == driver.Place{}
	if c.launch.Grid, err = c.grid.canonical(on.backend, on.limits.Grid); err != nil {
		return nil, nil, err
	}
	if err := k.options(&c.Options, on.can); err != nil {
		return nil, nil, err
	}
	var hash uint64
	if c.key, hash, err = k.appendKey(c.key[:0], &c.Options, c.bound.values, on); err != nil {
		return nil, nil, err
	}
	v, err := k.variant(c, on, hash)
	if err != nil {
		return nil, nil, err
	}
	if c.launch.Grid[0] > v.maxX {
		return nil, nil, v.gridTooLarge(c.launch.Grid[0], on)
	}
	if v.live != nil {
		if err := v.live.check(k.name); err != nil {
			return nil, nil, err
		}
	}
	return v, on, nil
}

// cloneValues copies arguments that have to outlive their Call.
func cloneValues(values []Value) []Value {
	out := make([]Value, len(values))
	copy(out, values)
	for i := range out {
		if t := out[i].tuple(); t != nil {
			out[i].Const = &Tuple{cloneValues(t.Elems), t.Names, t.Desc}
		}
	}
	return out
}

// A Prepared launch has been checked and compiled. It may be launched any number of times.
type Prepared struct {
	kernel  *Kernel
	variant *variant
	stream  driver.Stream
	values  []Value
	meta    MetadataFunc
	launch  driver.Launch
}

// Grid gives the canonical grid.
func (p *Prepared) Grid() driver.Grid { return p.launch.Grid }

// Metadata gives the compiled kernel's.
func (p *Prepared) Metadata() *driver.KernelMetadata { return p.variant.resident.kernel.Metadata() }

// Launch submits to the stream that the launch was prepared for.
func (p *Prepared) Launch(ctx context.Context) error { return p.LaunchOn(ctx, p.stream) }

// LaunchOn submits to another stream of the same device.
func (p *Prepared) LaunchOn(ctx context.Context, s driver.Stream) error {
	if s != p.stream {
		if err := s.Check(p.stream.Backend, p.stream.Device); err != nil {
			return err
		}
	}
	v := p.variant
	if v.live != nil {
		if err := v.live.check(p.kernel.name); err != nil {
			return err
		}
	}
	if p.kernel.hooked() {
		return p.kernel.launchHooked(ctx, s, v, &p.launch, p.values, p.meta)
	}
	return v.resident.kernel.Launch(ctx, s, &p.launch)
}
