package launch

import (
	"errors"
	"io"
	"math"
	"sync/atomic"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// A variant is a kernel compiled for what is known of some arguments, and loaded on a device. But for
// notes about its use it does not change.
type variant struct {
	key    string
	hash   uint64
	number uint32      // how many were made before it
	used   atomic.Bool // since the last eviction

	specs    []sema.ArgSpec // keeps what the key tells by identity alive
	resident *resident
	args     []argSource
	live     *liveGlobals // nil if no global that the code depends on can change
	maxX     uint32       // the most programs along axis 0
	err      error        // why there is nothing loaded

	recipe atomic.Pointer[recipe] // nil until its first launch
}

// An argSource says which argument a parameter of the compiled kernel takes, and as what.
type argSource struct {
	param int
	path  []int // in tuples
	as    packing
	mask  uint64 // of an integer: the bits that its type has
	dtype dtype.DType

	written bool // through it, a pointer
}

// A packing says how an argument is passed.
type packing uint8

const (
	packPointer packing = iota
	packInt             // the bits under the mask
	packFloat32         // the argument is a float
	packOther
)

// number gives the bits of a number as they are passed: those of an integer under the mask, a float rounded.
func (p packing) number(bits, mask uint64) uint64 {
	switch p {
	case packInt:
		return bits & mask
	case packFloat32:
		return uint64(math.Float32bits(float32(math.Float64frombits(bits))))
	}
	return bits
}

// variant gives the compiled kernel for a call's key. Those who ask for one that is being
// compiled wait for it.
func (k *Kernel) variant(c *Call, on *onDevice, hash uint64) (*variant, error) {
	if v := on.table.Load().find(hash, c.key); v != nil {
		if !v.used.Load() {
			v.used.Store(true)
		}
		return v, v.err
	}
	v := k.compileOnce(c, on, hash)
	return v, v.err
}

// compileOnce compiles a variant, or waits until another has.
func (k *Kernel) compileOnce(c *Call, on *onDevice, hash uint64) *variant {
	on.mu.Lock()
	if v := on.table.Load().find(hash, c.key); v != nil {
		on.mu.Unlock()
		return v
	}
	if f := on.pending[string(c.key)]; f != nil {
		on.mu.Unlock()
		<-f.landed
		return f.variant
	}
	f := &flight{landed: make(chan struct{})}
	v := &variant{key: string(c.key), hash: hash, number: on.made}
	on.pending[v.key] = f
	on.made++
	on.mu.Unlock()

	v.used.Store(true)
	k.compile(v, c, on)
	f.variant = v

	on.mu.Lock()
	delete(on.pending, v.key)
	if v.err == nil || k.lasting(v.err) {
		on.table.Store(on.table.Load().with(v))
	}
	on.mu.Unlock()
	close(f.landed)
	return v
}

// lasting reports whether an error of compiling would come again. Others, such as a driver's, may
// pass, so they are not remembered; nor are those of a kernel whose globals may change.
func (k *Kernel) lasting(err error) bool {
	if _, changes := k.def.Fn.Env.(sema.ChangingEnv); changes {
		return false
	}
	for _, c := range []*diag.Category{diag.Compile, diag.Unsupported, diag.Argument, diag.OutOfResources} {
		if errors.Is(err, c) {
			return true
		}
	}
	return false
}

// compile makes the variant.
func (k *Kernel) compile(v *variant, c *Call, on *onDevice) {
	defer func() {
		if p := recover(); p != nil {
			v.err = diag.New(diag.Compile, "internal", "the compiler failed: %v", p)
		}
	}()
	v.specs = make([]sema.ArgSpec, len(k.params))
	for i := range v.specs {
		v.specs[i] = k.specialise(i, &c.bound.values[i], on.policy)
	}
	r, err := k.request(v.specs, c.Options, on.target, c.Stdout)
	if err != nil {
		v.err = err
		return
	}
	u, err := compiler.Compile(r)
	if err != nil {
		v.err = err
		return
	}
	v.args = argSources(u.Params)
	v.live = liveGlobalsOf(u.Globals)
	if v.resident, v.err = shared.load(u, on); v.err != nil {
		return
	}
	v.maxX = on.limits.Grid[0] / uint32(c.NumCTAs)
	if on.limits.Grid[0] == 0 {
		v.maxX = math.MaxUint32
	}
}

// request is what the compiler is asked for.
func (k *Kernel) request(specs []sema.ArgSpec, o Options, t target.Target, stdout io.Writer) (compiler.Request, error) {
	if k.def.LoadedFor != nil {
		if err := k.def.LoadedFor(t); err != nil {
			return compiler.Request{}, err
		}
	}
	return compiler.Request{
		Tile: k.def.Tile,
		Spec: sema.Spec{Fn: k.def.Fn, Args: specs, Options: sema.Options{
			NumWarps: o.NumWarps, NumStages: o.NumStages, NumCTAs: o.NumCTAs, ThreadsPerWarp: o.ThreadsPerWarp,
			Debug: o.Debug, Print: printTo(stdout),
		}},
		Target:  t,
		Check:   o.Check,
		Strict:  o.Strict,
		Unfused: o.Unfused,

		MaxRegisters: o.MaxRegisters,
		Settings:     k.settings,
		LineText:     k.def.LineText,
	}, k.unsettled
}

// printTo makes the receiver of what a kernel prints while it is compiled.
func printTo(w io.Writer) func(string) {
	if w == nil {
		return nil
	}
	return func(s string) {
		defer func() { _ = recover() }() // that a writer panics is no error of the kernel's
		io.WriteString(w, s)
	}
}

func argSources(params []sema.ParamSource) []argSource {
	list := make([]argSource, len(params))
	for i := range params {
		p := &params[i]
		s := argSource{param: p.Path[0], path: p.Path[1:], as: packOther, dtype: p.Type.DType, written: p.Written}
		switch {
		case p.Type.IsPtr():
			s.as = packPointer
		case s.dtype.IsInt():
			s.as, s.mask = packInt, math.MaxUint64>>(64-s.dtype.Bits())
		case s.dtype == dtype.Float32:
			s.as = packFloat32
		}
		list[i] = s
	}
	return list
}

// pack gives the arguments in the order of the compiled kernel's parameters. It uses the memory of
// args if that is enough.
func (v *variant) pack(args []driver.Arg, values []Value) []driver.Arg {
	if cap(args) < len(v.args) {
		args = make([]driver.Arg, len(v.args))
	}
	args = args[:len(v.args)]
	for i := range v.args {
		s := &v.args[i]
		val := &values[s.param]
		if len(s.path) > 0 {
			val = val.at(s.path)
		}
		arg := &args[i] // its Host is nil: calls clear their memory
		switch {
		case s.as == packInt && val.Kind != KindFloat, s.as == packFloat32 && val.Kind == KindFloat:
			arg.Bits = s.as.number(val.Bits, s.mask)
		case s.as == packPointer:
			if arg.Bits = val.Bits; val.host != nil {
				arg.Host = val.Host()
			}
		default:
			arg.Bits = val.bits(s.dtype)
		}
	}
	return args
}
