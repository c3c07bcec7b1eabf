package module

import (
	"math"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// What host code may use of Python's library. All of it is pure: the environment counts as
// empty, and nothing is read or written.

// A library is a module of Python's library.
type library struct {
	name string
	find func(name string) (Value, bool)
	at   diag.Place // of the import, or nowhere
}

// TypeName gives the name of the type in messages.
func (l *library) TypeName() string { return "module" }

// Repr gives <module 'name'>.
func (l *library) Repr() string { return "<module '" + l.name + "'>" }

func (l *library) attr(name string) (Value, bool, error) {
	if v, ok := l.find(name); ok {
		return v, true, nil
	}
	if sub, ok := libraries[l.name+"."+name]; ok {
		return sub, true, nil
	}
	return &unknown{path: l.name + "." + name, why: "'" + l.name + "." + name + "' is not available in Tegula", at: l.at, harmless: slices.Contains(harmlessLibrary, l.name)}, true, nil
}

// libraryModule gives a module of Python's library as imported at a place.
func libraryModule(path string, at diag.Place) (Value, bool) {
	l, ok := libraries[path]
	if !ok {
		return nil, false
	}
	return &library{l.name, l.find, at}, true
}

var libraries = map[string]*library{}

func init() { // the tables refer to functions that look modules up
	for name, values := range map[string]map[string]Value{
		"__future__": {},
		"typing": {
			"TYPE_CHECKING": false,
			"NamedTuple":    &baseClass{"NamedTuple", tupleClass},
			"cast":          &native{name: "typing.cast", fn: func(args []Value, _ []pyval.Kwarg) (Value, error) { return last(args), nil }},
			"final":         identity("typing.final"),
		},
		"enum": {
			"Enum":    &baseClass{"Enum", enumClass},
			"IntEnum": &baseClass{"IntEnum", intEnumClass},
			"StrEnum": &baseClass{"StrEnum", intEnumClass},
			"IntFlag": &baseClass{"IntFlag", intEnumClass},
			"auto":    &native{name: "enum.auto", fn: func([]Value, []pyval.Kwarg) (Value, error) { return auto{}, nil }},
			"unique":  identity("enum.unique"),
		},
		"collections": {
			"namedtuple":  &native{name: "collections.namedtuple", fn: newNamedTuple},
			"OrderedDict": builtin("dict"),
		},
		"functools": {
			"lru_cache": &native{name: "functools.lru_cache", fn: cache},
			"cache":     identity("functools.cache"),
			"wraps":     &native{name: "functools.wraps", fn: func([]Value, []pyval.Kwarg) (Value, error) { return identity("functools.wraps()"), nil }},
			"partial":   &native{name: "functools.partial", fn: newPartial},
			"reduce":    &native{name: "functools.reduce", fn: reduce},
		},
		"itertools": {
			"product": &native{name: "itertools.product", fn: product},
			"chain":   &chain{},
			"repeat":  &native{name: "itertools.repeat", fn: repeat},
		},
		"os":         {},
		"contextlib": {"suppress": &native{name: "contextlib.suppress", fn: newSuppressor}},
		"sys": {
			"version_info": pyval.Tuple{Elems: []Value{int64(3), int64(13), int64(0), "final", int64(0)},
				Names: []string{"major", "minor", "micro", "releaselevel", "serial"}},
			"maxsize": int64(math.MaxInt64),
		},
		"importlib": {"import_module": &native{name: "importlib.import_module", fn: importModule}},
		"inspect":   {"signature": &native{name: "inspect.signature", fn: signature}},
		"packaging.version": {
			"parse":   &native{name: "packaging.version.parse", fn: parseVersion},
			"Version": &native{name: "packaging.version.Version", fn: parseVersion},
		},
		"packaging": {},
	} {
		libraries[name] = &library{name: name, find: func(name string) (Value, bool) {
			v, ok := values[name]
			return v, ok
		}}
	}
	libraries["math"] = &library{name: "math", find: pyval.LookupMath}
	libraries["operator"] = &library{name: "operator", find: operator}
	libraries["builtins"] = &library{name: "builtins", find: lookupBuiltin}
}

func builtin(name string) Value {
	v, _ := pyval.LookupBuiltin(name)
	return v
}

func last(args []Value) Value {
	if len(args) == 0 {
		return pyval.None
	}
	return args[len(args)-1]
}

// identity is a decorator that changes nothing here.
func identity(name string) Value {
	return &native{name: name, fn: func(args []Value, _ []pyval.Kwarg) (Value, error) { return last(args), nil }}
}

// cache is lru_cache, with or without parentheses.
func cache(args []Value, _ []pyval.Kwarg) (Value, error) {
	if len(args) == 1 {
		if f, ok := args[0].(*function); ok {
			return f, nil
		}
	}
	return identity("functools.lru_cache()"), nil
}

// transparent reports whether a class decorator leaves the class what it is.
func transparent(v Value) bool {
	n, ok := v.(*native)
	return ok && (n.name == "enum.unique" || n.name == "typing.final")
}

// operator gives the functions of the operator module that compute with two numbers or compare.
func operator(name string) (Value, bool) {
	if op, ok := map[string]syntax.Op{"add": syntax.Add, "sub": syntax.Sub, "mul": syntax.Mult, "truediv": syntax.Div, "floordiv": syntax.FloorDiv,
		"mod": syntax.Mod, "pow": syntax.Pow, "and_": syntax.BitAnd, "or_": syntax.BitOr, "xor": syntax.BitXor}[name]; ok {
		return onTwo(name, func(x, y Value) (Value, error) { return pyval.Binary(op, x, y) }), true
	}
	if op, ok := map[string]syntax.Op{"eq": syntax.Eq, "ne": syntax.NotEq, "lt": syntax.Lt, "le": syntax.LtE, "gt": syntax.Gt, "ge": syntax.GtE}[name]; ok {
		return onTwo(name, func(x, y Value) (Value, error) {
			t, err := pyval.Compare(op, x, y)
			return t, err
		}), true
	}
	return nil, false
}

func onTwo(name string, f func(x, y Value) (Value, error)) Value {
	return &native{name: "operator." + name, fn: func(args []Value, kwargs []pyval.Kwarg) (Value, error) {
		a, err := bindArgs(name, []string{"a", "b"}, 2, args, kwargs)
		if err != nil {
			return nil, err
		}
		for _, v := range a {
			if u := isUnknown(plain(v)); u != nil {
				return u, nil
			}
		}
		return f(plain(a[0]), plain(a[1]))
	}}
}

// signature is inspect.signature, for the question whether autotune knows a parameter.
func signature(args []Value, _ []pyval.Kwarg) (Value, error) {
	m, ok := last(args).(*decoratorMaker)
	if !ok || m.kind != autotune {
		return &unknown{path: "inspect.signature()", why: "signatures are not evaluated by Tegula"}, nil
	}
	parameters := &pyval.Dict{}
	for _, name := range autotuneParams {
		if err := parameters.Set(name, name); err != nil {
			return nil, err
		}
	}
	return pyval.Tuple{Elems: []Value{parameters}, Names: []string{"parameters"}}, nil
}

func newPartial(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	if len(args) == 0 {
		return nil, pyval.Errorf("TypeError", "partial() needs a function")
	}
	fn, first := args[0], args[1:]
	if u := isUnknown(fn); u != nil {
		return u.with("()"), nil
	}
	return &native{name: "functools.partial()", holds: args, fn: func(args []Value, more []pyval.Kwarg) (Value, error) {
		all := slices.DeleteFunc(slices.Clone(kwargs), func(k pyval.Kwarg) bool {
			return slices.ContainsFunc(more, func(m pyval.Kwarg) bool { return m.Name == k.Name })
		})
		return call(fn, slices.Concat(first, args), append(all, more...))
	}}, nil
}

func reduce(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("reduce", []string{"function", "iterable", "initial"}, 2, args, kwargs)
	if err != nil {
		return nil, err
	}
	elems, err := iterable(a[1])
	if err != nil {
		return nil, err
	}
	total := a[2]
	if total == nil {
		if len(elems) == 0 {
			return nil, pyval.Errorf("TypeError", "reduce() of empty iterable with no initial value")
		}
		total, elems = elems[0], elems[1:]
	}
	for _, e := range elems {
		if total, err = call(a[0], []Value{total, e}, nil); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// iterable is iterable for a value that code which is not known may have changed.
func (p *program) iterable(v Value) ([]Value, error) { return iterable(p.seen(plain(v), "a list")) }

// iterable gives the elements of a value that may be unknown.
func iterable(v Value) ([]Value, error) {
	if u := isUnknown(v); u != nil {
		return nil, u.err()
	}
	return pyval.Iter(plain(v))
}

func product(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	times := int64(1)
	for _, k := range kwargs {
		n, ok := pyval.AsInt(k.Value)
		if k.Name != "repeat" || !ok || n < 0 || n > 16 {
			return nil, pyval.Errorf("TypeError", "product() takes only repeat as a keyword, a small integer")
		}
		times = n
	}
	rows := [][]Value{nil}
	for range times {
		for _, a := range args {
			elems, err := iterable(a)
			if err != nil {
				return nil, err
			}
			if len(rows)*len(elems) > pyval.MaxLen/16 {
				return nil, pyval.Errorf("MemoryError", "the product is too large")
			}
			wider := make([][]Value, 0, len(rows)*len(elems))
			for _, r := range rows {
				for _, e := range elems {
					wider = append(wider, append(r[:len(r):len(r)], e))
				}
			}
			rows = wider
		}
	}
	out := &pyval.List{Elems: make([]Value, len(rows))}
	for i, r := range rows {
		out.Elems[i] = pyval.NewTuple(r...)
	}
	return out, nil
}

// chain is itertools.chain, which has from_iterable.
type chain struct{}

// Call joins iterables.
func (*chain) Call(args []Value, _ []pyval.Kwarg) (Value, error) {
	out := &pyval.List{}
	for _, a := range args {
		elems, err := iterable(a)
		if err != nil {
			return nil, err
		}
		if len(out.Elems)+len(elems) > pyval.MaxLen {
			return nil, pyval.Errorf("MemoryError", "the chain is too long")
		}
		out.Elems = append(out.Elems, elems...)
	}
	return out, nil
}

func (c *chain) attr(name string) (Value, bool, error) {
	if name != "from_iterable" {
		return nil, false, nil
	}
	return &native{name: "itertools.chain.from_iterable", fn: func(args []Value, _ []pyval.Kwarg) (Value, error) {
		elems, err := iterable(last(args))
		if err != nil {
			return nil, err
		}
		return c.Call(elems, nil)
	}}, true, nil
}

func repeat(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("repeat", []string{"object", "times"}, 2, args, kwargs)
	if err != nil {
		return nil, err
	}
	n, ok := pyval.AsInt(a[1])
	if !ok || n > pyval.MaxLen {
		return nil, pyval.Errorf("TypeError", "repeat() needs a number of times")
	}
	return &pyval.List{Elems: slices.Repeat([]Value{a[0]}, int(max(n, 0)))}, nil
}

// parseVersion gives a version as a tuple of its release numbers, padded so that versions
// compare; what follows the numbers (rc1, +cu121) is dropped.
func parseVersion(args []Value, _ []pyval.Kwarg) (Value, error) {
	if u := isUnknown(last(args)); u != nil {
		return u, nil
	}
	text, ok := last(args).(string)
	if !ok {
		return nil, pyval.Errorf("TypeError", "a version is a string, not %s", pyval.TypeName(last(args)))
	}
	names := []string{"major", "minor", "micro", "patch"}
	release := make([]Value, len(names))
	for i := range release {
		release[i] = int64(0)
	}
	for i, part := range strings.SplitN(strings.TrimPrefix(text, "v"), ".", len(names)) {
		digits := strings.TrimRightFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
		if end >= 0 {
			digits = digits[:end]
		}
		n, err := pyval.ParseInt(digits, 10)
		if err != nil {
			break
		}
		release[i] = n
	}
	return pyval.Tuple{Elems: release, Names: names}, nil
}

// lookupBuiltin finds a builtin of Python's.
func lookupBuiltin(name string) (Value, bool) {
	if slices.Contains(exceptionNames, name) {
		return &exceptionClass{name}, true
	}
	if v, ok := hostBuiltins[name]; ok {
		return v, true
	}
	if fn, ok := frameBuiltins[name]; ok {
		return fn, true
	}
	return pyval.LookupBuiltin(name)
}

var hostBuiltins map[string]Value

func init() {
	hostBuiltins = map[string]Value{
		"getattr":      &native{name: "getattr", fn: getattrBuiltin},
		"hasattr":      &native{name: "hasattr", fn: hasattrBuiltin},
		"isinstance":   &native{name: "isinstance", fn: isinstance},
		"print":        &native{name: "print", fn: func([]Value, []pyval.Kwarg) (Value, error) { return pyval.None, nil }},
		"staticmethod": identity("staticmethod"),
		"__debug__":    true,
	}
	for _, name := range []string{"open", "input", "compile", "dir", "id", "hash", "bytes", "bytearray", "complex", "memoryview", "issubclass", "breakpoint"} {
		hostBuiltins[name] = &unknown{path: name, why: "'" + name + "' is not evaluated by Tegula", harmless: true}
	}
	for _, name := range []string{"__import__", "super", "delattr", "aiter", "anext", "help"} {
		hostBuiltins[name] = &unknown{path: name, why: "'" + name + "' is not evaluated by Tegula"}
	}
	hostBuiltins["classmethod"] = &native{name: "classmethod", fn: func(args []Value, _ []pyval.Kwarg) (Value, error) { return &classMethod{last(args)}, nil }}
	hostBuiltins["property"] = &native{name: "property", fn: func([]Value, []pyval.Kwarg) (Value, error) {
		return &classMethod{&unknown{path: "property", why: "properties are not evaluated by Tegula"}}, nil
	}}
}

func getattrBuiltin(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("getattr", []string{"obj", "name", "default"}, 2, args, kwargs)
	if err != nil {
		return nil, err
	}
	name, ok := plain(a[1]).(string)
	if !ok {
		return nil, pyval.Errorf("TypeError", "attribute name must be string, not '%s'", pyval.TypeName(a[1]))
	}
	v, ok, err := getAttr(a[0], name)
	if err != nil || ok {
		return v, err
	}
	if a[2] != nil {
		return a[2], nil
	}
	return nil, pyval.Errorf("AttributeError", "'%s' object has no attribute '%s'", pyval.TypeName(a[0]), name)
}

func hasattrBuiltin(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("hasattr", []string{"obj", "name"}, 2, args, kwargs)
	if err != nil {
		return nil, err
	}
	name, ok := plain(a[1]).(string)
	if !ok {
		return nil, pyval.Errorf("TypeError", "attribute name must be string, not '%s'", pyval.TypeName(a[1]))
	}
	v, ok, err := getAttr(a[0], name)
	if u := isUnknown(v); u != nil {
		return u, err
	}
	return ok, err
}

func isinstance(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("isinstance", []string{"obj", "class"}, 2, args, kwargs)
	if err != nil {
		return nil, err
	}
	for _, v := range a {
		if u := isUnknown(v); u != nil {
			return u, nil
		}
	}
	in, err := pyval.IsInstance(a[0], testable(a[1]))
	return in, err
}

// testable gives a class, or tuple of classes, in a form that isinstance takes.
func testable(class Value) Value {
	switch c := plain(class).(type) {
	case pyval.Tuple:
		elems := make([]Value, len(c.Elems))
		for i, e := range c.Elems {
			elems[i] = testable(e)
		}
		return pyval.Tuple{Elems: elems}
	case *sema.Builtin: // tl.tensor, tl.tuple
		return languageClass{c}
	case *native:
		if c.name == "triton.language.dtype" {
			return dtypeClass{}
		}
	}
	return class
}

// A languageClass is a class of the language in isinstance.
type languageClass struct{ *sema.Builtin }

// Has answers isinstance.
func (c languageClass) Has(v Value) bool { return c.Is != nil && c.Is(v) }

// A dtypeClass is tl.dtype in isinstance.
type dtypeClass struct{}

// Has answers isinstance.
func (dtypeClass) Has(v Value) bool { _, ok := v.(sema.Type); return ok }

// importModule gives a module of the language or of Python's library by name. Whether others are there is
// unknown.
func importModule(args []Value, _ []pyval.Kwarg) (Value, error) {
	name, ok := last(args).(string)
	if len(args) != 1 || !ok {
		return nil, pyval.Errorf("TypeError", "importlib.import_module takes the name of a module")
	}
	if root, _, _ := strings.Cut(name, "."); root == "triton" || root == "tegula" {
		if v, ok := langPath(name); ok {
			return v, nil
		}
		return nil, pyval.Errorf("ModuleNotFoundError", "No module named '%s'", name)
	}
	if v, ok := libraryModule(name, diag.Place{}); ok {
		return v, nil
	}
	return &unknown{path: name, why: "module '" + name + "' is not available: " + noLibraries}, nil
}
