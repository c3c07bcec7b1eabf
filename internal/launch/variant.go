package launch

import (
	"encoding/binary"
	"io"
	"maps"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// A variant is a kernel compiled for what is known of some arguments, and loaded on a device.
type variant struct {
	once   sync.Once
	specs  []sema.ArgSpec // keeps what the key tells by identity alive
	params []sema.ParamSource
	loaded driver.Kernel
	err    error
}

// variant gives the compiled kernel for the arguments. Those who ask for one that is being
// compiled wait for it.
func (k *Kernel) variant(bound []Value, o Options, t target.Target, device driver.Device, stdout io.Writer) (*variant, error) {
	backend, err := t.Compiler()
	if err != nil {
		return nil, err
	}
	policy := backend.Policy()
	specs := make([]sema.ArgSpec, len(bound))
	key := appendOptions(make([]byte, 0, 256), t, device.Info().Index, o)
	for i := range bound {
		if specs[i], err = k.specialise(i, &bound[i], policy); err != nil {
			return nil, err
		}
		if key, err = appendSpec(key, &specs[i]); err != nil {
			return nil, k.argError("constant", i, "argument '%s' of %s: %s", k.params[i].Name, k.name, err)
		}
	}
	v := k.lookup(key)
	v.once.Do(func() {
		v.specs = specs
		v.compile(k.request(specs, o, t, stdout), device)
	})
	return v, v.err
}

// appendOptions begins a key.
func appendOptions(key []byte, t target.Target, index int, o Options) []byte {
	key = appendString(key, t.Backend)
	key = appendString(key, t.Arch)
	for _, n := range [...]int{index, o.NumWarps, o.NumStages, o.NumCTAs} {
		key = binary.AppendUvarint(key, uint64(n))
	}
	bits := byte(0)
	for i, is := range [...]bool{o.Debug, o.Check, o.Strict} {
		if is {
			bits |= 1 << i
		}
	}
	return append(key, bits)
}

// lookup gives the variant of a key, a new one if there is none.
func (k *Kernel) lookup(key []byte) *variant {
	if v := (*k.variants.Load())[string(key)]; v != nil {
		return v
	}
	k.grow.Lock()
	defer k.grow.Unlock()
	old := *k.variants.Load()
	if v := old[string(key)]; v != nil {
		return v
	}
	grown := maps.Clone(old)
	v := &variant{}
	grown[string(key)] = v
	k.variants.Store(&grown)
	return v
}

// request is what the compiler is asked for.
func (k *Kernel) request(specs []sema.ArgSpec, o Options, t target.Target, stdout io.Writer) compiler.Request {
	return compiler.Request{
		Spec: sema.Spec{Fn: k.def.Fn, Args: specs, Options: sema.Options{
			NumWarps: o.NumWarps, NumStages: o.NumStages, NumCTAs: o.NumCTAs,
			Debug: o.Debug, Print: printTo(stdout),
		}},
		Target:   t,
		Check:    o.Check,
		Strict:   o.Strict,
		LineText: k.def.LineText,
	}
}

// printTo makes the receiver of what a kernel prints while it is compiled.
func printTo(w io.Writer) func(string) {
	if w == nil {
		return nil
	}
	return func(s string) { io.WriteString(w, s) }
}

func (v *variant) compile(r compiler.Request, device driver.Device) {
	defer func() {
		if p := recover(); p != nil {
			v.err = diag.New(diag.Compile, "internal", "the compiler failed: %v", p)
		}
	}()
	u, err := compiler.Compile(r)
	if err != nil {
		v.err = err
		return
	}
	binary, err := u.Build()
	if err != nil {
		v.err = err
		return
	}
	v.params = u.Params
	v.loaded, v.err = device.Load(binary)
}

// pack gives the arguments in the order of the compiled kernel's parameters.
func (k *Kernel) pack(v *variant, bound []Value) ([]driver.Arg, error) {
	args := make([]driver.Arg, len(v.params))
	for i := range v.params {
		p := &v.params[i]
		val := &bound[p.Path[0]]
		for _, j := range p.Path[1:] {
			val = &val.Elems[j]
		}
		switch {
		case !p.Type.IsPtr():
			args[i].Bits = val.bits(p.Type.DType)
		case val.Kind == KindArray:
			args[i].Bits = val.address()
			args[i].Array = &driver.Array{Name: p.Name, Host: val.Host, ElemBytes: val.DType.Bytes()}
		default:
			return nil, diag.New(diag.Argument, "not-an-array", "argument '%s' of %s is a pointer and cannot be %s", p.Name, k.name, val.describe())
		}
	}
	return args, nil
}
