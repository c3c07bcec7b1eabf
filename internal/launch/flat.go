package launch

import (
	"context"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// A Flat is a variant laid out for launchers that are not written in Go and repeat its launch without
// coming here: which argument goes where, and what has to hold before. It holds the variant.
type Flat struct {
	kernel  *Kernel
	variant *variant
	on      *onDevice
	specs   []sema.ArgSpec
	options Options
}

// A FlatArg says which argument a parameter of the compiled kernel takes, and as what.
type FlatArg struct {
	Param int   // of the kernel's source
	Path  []int // in tuples
	As    Packing
	DType dtype.DType // of a scalar, or what a pointer points to

	Written bool // the kernel may write through it, a pointer
}

// A Packing says what of an argument is passed.
type Packing uint8

// The packings.
const (
	AsPointer Packing = iota // the address
	AsInt                    // the low bits, as many as the type has
	AsFloat32                // a Python float, rounded
	AsOther                  // Encode says
)

// Flatten finds the variant for a call's arguments on the device of a stream, and compiles it if it is
// not there. The call's grid is checked, and globals that can change are what they were.
func (c *Call) Flatten(s driver.Stream) (*Flat, error) {
	v, on, err := c.resolve(s)
	if err != nil {
		return nil, err
	}
	return &Flat{kernel: c.bound.kernel, variant: v, on: on, specs: v.specs, options: c.Options}, nil
}

// CompileFor compiles the kernel for a target with what is known of the call's arguments, wherever
// they are. Facts are those that the target's policy asks for.
func (c *Call) CompileFor(t target.Target) (*compiler.Unit, error) {
	k := c.bound.kernel
	backend, err := t.Compiler()
	if err != nil {
		return nil, err
	}
	if err := k.options(&c.Options, t.Limits()); err != nil {
		return nil, err
	}
	specs := make([]sema.ArgSpec, len(k.params))
	for i := range specs {
		v := &c.bound.values[i]
		if k.params[i].Constexpr && v.hasArray() {
			return nil, k.argError("constexpr-array", i, "argument '%s' of %s is a constant and cannot be %s", k.params[i].Name, k.name, v.describe())
		}
		if err := k.checkFilled(i, v); err != nil {
			return nil, err
		}
		specs[i] = k.specialise(i, v, backend.Policy())
	}
	r, err := k.request(specs, c.Options, t, c.Stdout)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(r)
}

// CompileSpecs compiles the kernel for what is known of its arguments, one spec for each parameter.
func (k *Kernel) CompileSpecs(specs []sema.ArgSpec, t target.Target, o Options) (*compiler.Unit, error) {
	if _, err := t.Compiler(); err != nil {
		return nil, err
	}
	if err := k.options(&o, t.Limits()); err != nil {
		return nil, err
	}
	r, err := k.request(specs, o, t, nil)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(r)
}

// CheckGrid makes a call's grid canonical for the device of a stream.
func (c *Call) CheckGrid(s driver.Stream) (driver.Grid, error) {
	on, err := c.bound.kernel.on(s)
	if err != nil {
		return driver.Grid{}, err
	}
	return c.grid.canonical(on.backend, on.limits.Grid)
}

// Args gives the arguments of the compiled kernel, in order.
func (f *Flat) Args() []FlatArg {
	list := make([]FlatArg, len(f.variant.args))
	for i, s := range f.variant.args {
		list[i] = FlatArg{Param: s.param, Path: s.path, DType: s.dtype, As: AsOther, Written: s.written}
		switch {
		case s.as == packPointer:
			list[i].As = AsPointer
		case s.as == packInt:
			list[i].As = AsInt
		case s.as == packFloat32:
			list[i].As = AsFloat32
		}
	}
	return list
}

// Encode gives the bits of an argument that is passed AsOther.
func (f *Flat) Encode(arg int, v *Value) uint64 { return v.bits(f.variant.args[arg].dtype) }

// Limits gives the most programs along each axis.
func (f *Flat) Limits() driver.Grid {
	l := f.on.limits.Grid
	if l[0] == 0 || f.variant.maxX < l[0] {
		l[0] = f.variant.maxX
	}
	return l
}

// Kernel gives the loaded code.
func (f *Flat) Kernel() driver.Kernel { return f.variant.resident.kernel }

// Launch submits; the arguments are packed already.
func (f *Flat) Launch(ctx context.Context, s driver.Stream, l *driver.Launch) error {
	return f.variant.resident.kernel.Launch(ctx, s, l)
}

// A FlatGlobal is a global that may change.
type FlatGlobal struct {
	Env  sema.Env
	Name string
}

// Globals gives the globals that the code depends on and that may change.
func (f *Flat) Globals() []FlatGlobal {
	var list []FlatGlobal
	if f.variant.live == nil {
		return nil
	}
	for _, e := range f.variant.live.envs {
		for _, g := range e.globals {
			list = append(list, FlatGlobal{e.env, g.name})
		}
	}
	return list
}

// CheckGlobals reports a GlobalChanged if one is not what it was when the kernel was compiled.
func (f *Flat) CheckGlobals() error {
	if f.variant.live == nil {
		return nil
	}
	return f.variant.live.check(f.kernel.name)
}

// Unit compiles the variant once more, for its stages.
func (f *Flat) Unit() (*compiler.Unit, error) {
	r, err := f.kernel.request(f.specs, f.options, f.on.target, nil)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(r)
}

// Binary makes the code once more, as the device takes it: with the last step, where that is the driver's.
func (f *Flat) Binary() (*driver.Binary, error) {
	u, err := f.Unit()
	if err != nil {
		return nil, err
	}
	return build(u, f.on)
}

// Target gives what the code was compiled for.
func (f *Flat) Target() target.Target { return f.on.target }

// A ParamFacts is what launchers that are not written in Go have to know of a parameter.
type ParamFacts struct {
	Name                  string
	Kind                  ParamKind
	Constexpr             bool
	NoSpecialize, NoAlign bool
	Declared              bool // with a type
	DeclaredInt           bool // an integer type, that holds Low to High
	Low                   int64
	High                  uint64
}

// Params gives what is known of the parameters.
func (k *Kernel) Params() []ParamFacts {
	list := make([]ParamFacts, len(k.params))
	for i := range k.params {
		p := &k.params[i]
		f := ParamFacts{
			Name: p.Name, Kind: p.Kind, Constexpr: p.Constexpr, NoSpecialize: p.NoSpecialize, NoAlign: p.NoAlign, Declared: p.declared(),
		}
		if d := p.Type.DType; p.declared() && !p.Type.IsPtr() && d.IsInt() {
			f.DeclaredInt = true
			f.Low, f.High = bounds(d)
		}
		list[i] = f
	}
	return list
}

// bounds gives the least and the largest number that an integer type holds.
func bounds(d dtype.DType) (low int64, high uint64) {
	switch {
	case d.IsBool():
		return 0, 1
	case d.IsSigned():
		return -1 << (d.Bits() - 1), 1<<(d.Bits()-1) - 1
	}
	return 0, ^uint64(0) >> (64 - d.Bits())
}

// Policy gives which facts about arguments matter to a backend: whether a number is 1, and what a
// divisible one has no bit of.
func Policy(backend string) (one bool, divisor uint64) {
	b, err := target.Target{Backend: backend}.Compiler()
	if err != nil {
		return false, 0
	}
	f := factsOf(b.Policy())
	return f.one != 0, f.divisor
}

// DeclaredType gives the type that a parameter's annotation says, zero if it says none.
func DeclaredType(annotation string) sema.Type { return declared(annotation) }

// TypeSpec reads what a signature says of an argument, such as "*fp32:16". ok is false if it is no type.
func TypeSpec(text string) (spec sema.ArgSpec, ok bool, err error) { return parseType(text) }

// Specialise gives what a compiler for a target may know of a value that is given for parameter i.
func (k *Kernel) Specialise(i int, v *Value) (sema.ArgSpec, error) {
	if err := k.checkFilled(i, v); err != nil {
		return sema.ArgSpec{}, err
	}
	return k.specialise(i, v, target.Policy{}), nil
}

// Missing is the error of parameters that have no argument.
func (k *Kernel) Missing(params []int) error { return k.missing(params) }

// Unknown is the error of a name that is no parameter's.
func (k *Kernel) Unknown(name string) error { return k.unknown(name) }
