package main

import (
	"maps"
	"strings"

	"github.com/tegula-lang/tegula"
)

// An arguments is what the command line says of a kernel's arguments.
type arguments struct {
	names  []string
	values map[string]any
}

// parseArguments evaluates NAME=VALUE… in order; a VALUE may use the names before it.
func parseArguments(mod *tegula.Module, texts []string) (*arguments, error) {
	args := &arguments{values: make(map[string]any)}
	vars := valueNames()
	for _, text := range texts {
		name, value, err := cutArgument(text, "NAME=VALUE")
		if err != nil {
			return nil, err
		}
		if _, twice := args.values[name]; twice {
			return nil, usage("argument %s is given twice", name)
		}
		v, err := parseValue(mod, value, vars)
		if err != nil {
			return nil, inArgument(name, err)
		}
		args.names = append(args.names, name)
		args.values[name], vars[name] = v, v
	}
	return args, nil
}

// valueNames are the names that VALUEs may use besides the file's: generators and dtypes.
func valueNames() map[string]any {
	vars := make(map[string]any)
	for name, f := range generators {
		vars[name] = f
	}
	for d := tegula.I1; d <= tegula.FP64; d++ {
		vars[d.String()], vars[d.Attr()], vars[d.NumPy()] = d, d, d
	}
	return vars
}

// parseValue evaluates a VALUE.
func parseValue(mod *tegula.Module, text string, vars map[string]any) (any, error) {
	if path, ok := strings.CutPrefix(text, "@"); ok {
		return readArray(path)
	}
	return mod.Eval(text, maps.Clone(vars))
}

// readArray reads FILE.npy or FILE.npy:DTYPE.
func readArray(path string) (*tegula.Array, error) {
	var as tegula.DType
	if i := strings.LastIndexByte(path, ':'); i >= 0 {
		if d, ok := tegula.ParseDType(path[i+1:]); ok {
			path, as = path[:i], d
		}
	}
	return tegula.ReadNPY(path, as)
}

// inArgument says which argument an error is about.
func inArgument(name string, err error) error {
	return &argumentError{name, err}
}

// An argumentError is an error in the VALUE of an argument.
type argumentError struct {
	name  string
	cause error
}

// Error gives one line.
func (e *argumentError) Error() string { return "argument " + e.name + ": " + e.cause.Error() }

// Detail gives the full text.
func (e *argumentError) Detail() string { return "argument " + e.name + ": " + tegula.Detail(e.cause) }

// Unwrap gives the error itself.
func (e *argumentError) Unwrap() error { return e.cause }

// arrays gives the array arguments with their names, in order.
func (a *arguments) arrays() (names []string, arrays []*tegula.Array) {
	for _, name := range a.names {
		if array, ok := a.values[name].(*tegula.Array); ok {
			names, arrays = append(names, name), append(arrays, array)
		}
	}
	return names, arrays
}

// launchArgs gives the arguments as a launch takes them.
func (a *arguments) launchArgs() []any {
	list := make([]any, len(a.names))
	for i, name := range a.names {
		list[i] = tegula.Arg(name, a.values[name])
	}
	return list
}
