package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unsafe"

	"github.com/tegula-lang/tegula"
)

// An arguments is what the command line says of a kernel's arguments.
type arguments struct {
	names  []string
	reach  []string // names of arrays that are no arguments
	values map[string]any
}

// parseArguments evaluates NAME=VALUE… in order, those of --reach first; a VALUE may use the names before it. The arrays are in the
// arena. note is told what may not be meant.
func parseArguments(mod *tegula.Module, arena *tegula.Arena, reach, texts []string, note func(string)) (*arguments, error) {
	args := &arguments{values: make(map[string]any)}
	vars := valueNames(arena)
	for i, text := range slices.Concat(reach, texts) {
		name, value, err := cutArgument(text, "NAME=VALUE")
		if err != nil {
			return nil, err
		}
		if _, twice := args.values[name]; twice {
			return nil, usage("argument %s is given twice", name)
		}
		v, err := parseValue(mod, arena, value, vars)
		if err != nil {
			return nil, inArgument(name, err)
		}
		if o, ok := v.(tegula.Object); ok && isWord(value) {
			note(fmt.Sprintf("%s is %s; a string would be '%s'", name, clipped(fmt.Sprint(o)), value))
		}
		if i >= len(reach) {
			args.names = append(args.names, name)
		} else if _, isArray := v.(*tegula.Array); isArray {
			args.reach = append(args.reach, name)
		} else {
			return nil, usage("--reach %s: what a kernel reaches by an address is an array", text)
		}
		args.values[name], vars[name] = v, v
	}
	return args, nil
}

// addresses makes an array of the addresses of arrays.
func addresses(arena *tegula.Arena, args []any, kwargs map[string]any) (any, error) {
	table, err := arena.NewArray(tegula.I64, len(args))
	if err != nil || len(kwargs) > 0 {
		return nil, errors.Join(err, errors.New("addresses(NAME, …) takes arrays"))
	}
	for i, v := range args {
		a, ok := v.(*tegula.Array)
		if !ok {
			return nil, fmt.Errorf("addresses(NAME, …): argument %d is no array", i+1)
		}
		binary.LittleEndian.PutUint64(table.Data[8*i:], uint64(uintptr(unsafe.Pointer(unsafe.SliceData(a.Data)))))
	}
	return table, nil
}

// clipped shortens a text.
func clipped(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// valueNames are the names that VALUEs may use besides the file's: generators and dtypes.
func valueNames(arena *tegula.Arena) map[string]any {
	vars := make(map[string]any)
	for name, f := range generators {
		vars[name] = f(arena)
	}
	vars["addresses"] = tegula.Func(func(args []any, kwargs map[string]any) (any, error) { return addresses(arena, args, kwargs) })
	for d := tegula.I1; d <= tegula.FP64; d++ {
		vars[d.String()], vars[d.Attr()], vars[d.NumPy()] = d, d, d
	}
	return vars
}

// parseValue evaluates a VALUE.
func parseValue(mod *tegula.Module, arena *tegula.Arena, text string, vars map[string]any) (any, error) {
	if path, ok := strings.CutPrefix(text, "@"); ok {
		return readArray(arena, path)
	}
	v, err := mod.Eval(text, maps.Clone(vars))
	if err != nil {
		return nil, explain(text, err)
	}
	return v, nil
}

// explain makes an error of evaluating a VALUE one of an argument, and says what would be a VALUE.
func explain(text string, err error) error {
	var e *tegula.Error
	if !errors.As(err, &e) {
		return err
	}
	argument := *e
	if e.Category == tegula.ErrCompile {
		argument.Category = tegula.ErrArgument
	}
	switch {
	case strings.HasSuffix(text, ".npy"):
		argument.Notes = append(argument.Notes, tegula.Note{Msg: "the array in a file is @" + text})
	case e.Code == "undefined-name" && !strings.Contains(e.Msg, "did you mean"):
		argument.Notes = append(argument.Notes, tegula.Note{Msg: "a VALUE may use " + strings.Join(slices.Sorted(maps.Keys(generators)), ", ") +
			", the arguments before it, the names of the kernel's file and the element types " + typeNames()})
	}
	return &argument
}

// isWord reports whether a VALUE is a single name.
func isWord(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// typeNames lists the element types.
func typeNames() string {
	var names []string
	for d := tegula.I1; d <= tegula.FP64; d++ {
		names = append(names, d.String())
	}
	return strings.Join(names, ", ")
}

// readArray reads FILE.npy or FILE.npy:DTYPE.
func readArray(arena *tegula.Arena, path string) (*tegula.Array, error) {
	var as tegula.DType
	if i := strings.LastIndexByte(path, ':'); i >= 0 {
		d, ok := tegula.ParseDType(path[i+1:])
		if !ok && strings.HasSuffix(path[:i], ".npy") {
			return nil, &tegula.Error{Category: tegula.ErrArgument, Code: "dtype",
				Msg: fmt.Sprintf("%q is no element type; those are %s", path[i+1:], typeNames())}
		}
		if ok {
			path, as = path[:i], d
		}
	}
	return arena.ReadNPY(path, as)
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
	for _, name := range slices.Concat(a.names, a.reach) {
		if array, ok := a.values[name].(*tegula.Array); ok {
			names, arrays = append(names, name), append(arrays, array)
		}
	}
	return names, arrays
}

// launchArgs gives the arguments as a launch takes them, those of arrays from b.
func (a *arguments) launchArgs(b *buffers) []any {
	list := make([]any, len(a.names))
	for i, name := range a.names {
		list[i] = tegula.Arg(name, b.argument(a.values[name]))
	}
	if len(a.reach) > 0 {
		arrays := make([]any, len(a.reach))
		for i, name := range a.reach {
			arrays[i] = a.values[name]
		}
		list = append(list, tegula.Reach(arrays...))
	}
	return list
}
