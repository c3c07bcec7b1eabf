package pyval

import (
	"slices"
	"strings"
)

// A Builtin is a function of Python's, or a bound method, that runs here.
type Builtin struct {
	Name string
	// sig lists the parameters, separated by spaces: "x" required, "x?" optional, "*" takes further
	// positional arguments and ends those that may be given by position, "**" takes any keyword.
	sig string
	fn  func(a arguments) (Value, error)

	Self    Value // what a method is bound to; nil for a function
	Unbound bool  // a method of a class, which takes that as its first argument
}

// Call calls the function.
func (b *Builtin) Call(args []Value, kwargs []Kwarg) (Value, error) {
	a, err := bind(b.Name, b.sig, args, kwargs)
	if err != nil {
		return nil, err
	}
	return b.fn(a)
}

// Repr gives <built-in function name>.
func (b *Builtin) Repr() string { return "<built-in function " + b.Name + ">" }

// arguments are a call's arguments by parameter.
type arguments struct {
	named map[string]Value
	rest  []Value
	extra []Kwarg
}

// get gives an argument, or nil if it was not given.
func (a arguments) get(name string) Value { return a.named[name] }

// or gives an argument, or what stands for it if it was not given.
func (a arguments) or(name string, missing Value) Value {
	if v, ok := a.named[name]; ok {
		return v
	}
	return missing
}

func bind(name, sig string, args []Value, kwargs []Kwarg) (arguments, error) {
	a := arguments{named: map[string]Value{}}
	params := strings.Fields(sig)
	positional := params
	variadic := slices.Index(params, "*")
	if variadic >= 0 {
		positional = params[:variadic]
	}
	for i, v := range args {
		switch {
		case i < len(positional) && positional[i] != "**":
			a.named[strings.TrimSuffix(positional[i], "?")] = v
		case variadic >= 0:
			a.rest = append(a.rest, v)
		default:
			return a, typeError("%s() takes at most %d arguments (%d given)", name, len(positional), len(args))
		}
	}
	for _, kw := range kwargs {
		switch {
		case slices.Contains(params, kw.Name) || slices.Contains(params, kw.Name+"?"):
			if _, ok := a.named[kw.Name]; ok {
				return a, typeError("%s() got multiple values for argument '%s'", name, kw.Name)
			}
			a.named[kw.Name] = kw.Value
		case slices.Contains(params, "**"):
			a.extra = append(a.extra, kw)
		default:
			return a, typeError("%s() got an unexpected keyword argument '%s'", name, kw.Name)
		}
	}
	for _, p := range positional {
		if _, ok := a.named[p]; !ok && p != "**" && !strings.HasSuffix(p, "?") {
			return a, typeError("%s() missing required argument '%s'", name, p)
		}
	}
	return a, nil
}
