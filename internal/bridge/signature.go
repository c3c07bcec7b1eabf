package bridge

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/sema"
)

// How a signature describes a parameter.
const (
	saysNothing  uint8 = iota
	saysType           // a type as signatures write it, and what divides the argument, 0 for nothing
	saysConstant       // a value
	saysDefault        // the function's default, which is a run-time argument unless the parameter is tl.constexpr
)

// specs reads what a signature says of each parameter.
func (k *Kernel) specs(r *reader) ([]sema.ArgSpec, error) {
	d := &decoder{reader: *r, kernel: k}
	defer func() { *r = d.reader }()
	specs := make([]sema.ArgSpec, len(k.params))
	var missing []int
	for i := range specs {
		var err error
		switch d.u8() {
		case saysNothing:
			if k.params[i].Kind == launch.Variadic {
				specs[i] = sema.ArgSpec{IsTuple: true}
				continue
			}
			if fixed, ok := k.launch.Fixed(i); ok {
				specs[i] = fixed
				continue
			}
			missing = append(missing, i)
		case saysType:
			specs[i], err = k.typed(i, d.str(), d.i64())
		case saysConstant:
			specs[i].IsConst = true
			specs[i].Const, err = d.value(0)
		case saysDefault:
			var v launch.Value
			if err = d.argument(&v, 0); err == nil {
				specs[i], err = k.launch.Specialise(i, &v)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if missing != nil {
		return nil, k.launch.Missing(missing)
	}
	return specs, d.err
}

// typed reads a type.
func (k *Kernel) typed(i int, text string, divisor int64) (sema.ArgSpec, error) {
	p := &k.params[i]
	if p.Constexpr {
		return sema.ArgSpec{}, diag.New(diag.Argument, "constexpr-type", "parameter '%s' of %s is declared tl.constexpr; give its value, not the type %s", p.Name, k.name, text)
	}
	spec, ok, err := launch.TypeSpec(text)
	if err == nil && !ok {
		err = diag.New(diag.Argument, "dtype", "the signature says '%s' is %q, which is no type", p.Name, text)
	}
	if err != nil {
		return spec, err
	}
	if divisor > 1 && !spec.IsConst && spec.Desc == nil {
		if divisor&(divisor-1) != 0 || !spec.Type.IsPtr() && !spec.Type.DType.IsInt() {
			return spec, diag.New(diag.Argument, "signature", "'%s' of type %s cannot be divisible by %d: only pointers and integers are, by powers of two", p.Name, text, divisor)
		}
		spec.Divisibility = divisor
	}
	return spec, nil
}

// cacheKey is a hash of the kernel's source, and of the sources of the kernels that its globals lead to.
func (k *Kernel) cacheKey() string {
	h := sha256.New()
	if k.fn == nil {
		h.Write(k.file.Src)
	}
	for _, o := range k.reach() {
		if o.fn == nil {
			continue
		}
		text, _ := o.fn.Source()
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// reach gives the kernel and those that its globals, and theirs, lead to.
func (k *Kernel) reach() []*Kernel {
	list := []*Kernel{k}
	seen := map[*Kernel]bool{k: true}
	for i := 0; i < len(list); i++ {
		if list[i].fn == nil {
			continue
		}
		for _, name := range freeNames(list[i].fn.Def) {
			b, ok, err := list[i].env.Lookup(name)
			fn, isFunc := b.Value.(*sema.Func)
			if !ok || err != nil || !isFunc {
				continue
			}
			if o := kernelOfFunc(fn); o != nil && !seen[o] {
				seen[o] = true
				list = append(list, o)
			}
		}
	}
	return list
}
