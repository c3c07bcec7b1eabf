package sema

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// pyBuiltins gives Python's own functions as they are inside a kernel. The table is made at the
// first call, because its functions refer to it.
func pyBuiltins() map[string]*Builtin {
	pyTable.once.Do(func() { pyTable.rows = makePyBuiltins() })
	return pyTable.rows
}

// PyBuiltin gives Python's function or class of that name as it is inside a kernel.
func PyBuiltin(name string) (b *Builtin, ok bool) {
	b, ok = pyBuiltins()[name]
	return b, ok
}

// PyBuiltinNames gives the names that PyBuiltin knows, sorted.
func PyBuiltinNames() []string { return slices.Sorted(maps.Keys(pyBuiltins())) }

// insideKernel gives the counterpart that a function or class of Python's builtins has inside a
// kernel, or nil.
func insideKernel(v Value) *Builtin {
	var name string
	switch v := v.(type) {
	case *Builtin:
		name = v.Name
	case *pyval.Builtin:
		name = v.Name
	case *pyval.Class:
		name = v.Name
	default:
		return nil
	}
	own := pyBuiltins()[name]
	if host, _ := pyval.LookupBuiltin(name); own == nil || v != host && v != Value(own) {
		return nil // tl.min and math.pow share a name with them
	}
	return own
}

var pyTable struct {
	once sync.Once
	rows map[string]*Builtin
}

func makePyBuiltins() map[string]*Builtin {
	rows := []*Builtin{
		{Name: "range", Sig: rangeSig, Fn: langRange}, // kernels in the wild give it tl.range's hints
		{Name: "min", Sig: "*args", Fn: pyExtremum("minimum", "min")},
		{Name: "max", Sig: "*args", Fn: pyExtremum("maximum", "max")},
		{Name: "abs", Sig: "x, /", Fn: pyAbs},
		{Name: "print", Sig: "prefix, *args, hex=False", Fn: pyPrint},
		{Name: "isinstance", Sig: "obj, cls, /", Fn: pyIsInstance},
		{Name: "getattr", Sig: "obj, name, default=..., /", Fn: pyGetAttr},
		{Name: "hasattr", Sig: "obj, name, /", Fn: pyHasAttr},
		{Name: "len", Sig: "obj, /", Fn: pyLen},
		{Name: "int", Sig: "x=0, /", Is: isPyInt, Fn: pyConvert("int", "x.to(tl.int32)")},
		{Name: "float", Sig: "x=0.0, /", Is: isPyFloat, Fn: pyConvert("float", "x.to(tl.float32)")},
		{Name: "bool", Sig: "x=False, /", Is: isPyBool, Fn: pyConvert("bool", "x.to(tl.int1)")},
		{Name: "str", Sig: "x='', /", Is: isPyStr, Fn: pyConvert("str", "tl.device_print")},
		{Name: "tuple", Sig: "x=(), /", Is: isTuple, Fn: pyTuple},
		{Name: "list", Sig: "x=(), /", Is: isTuple, Fn: pyTuple},
	}
	for _, name := range []string{"zip", "enumerate", "reversed", "all", "any", "sum", "sorted", "round", "divmod", "pow", "repr", "callable", "type"} {
		rows = append(rows, &Builtin{Name: name, Sig: "*args", Fn: pyStatic(name)})
	}
	table := make(map[string]*Builtin, len(rows))
	for _, b := range rows {
		table[b.Name] = b
	}
	return table
}

func isPyFloat(v Value) bool { _, ok := v.(float64); return ok }
func isPyBool(v Value) bool  { _, ok := v.(bool); return ok }
func isPyStr(v Value) bool   { _, ok := v.(string); return ok }

func isPyInt(v Value) bool {
	switch v.(type) {
	case bool, int64, *big.Int:
		return true
	}
	return false
}

// pyStatic makes a function that Python evaluates: over constants, or over sequences whose
// elements it only passes on.
func pyStatic(name string) func(*gen, *call) Value {
	fn, _ := pyval.LookupBuiltin(name)
	return func(g *gen, c *call) Value {
		args := c.elements(g, 0)
		for i, v := range args {
			if isTensor(v) {
				g.fail(c.node, "not-constant", "%s works on what is known at compile time, not on %s", name, describe(v))
			}
			args[i] = g.sequence(v, c)
		}
		v, err := fn.(Callable).Call(args, nil)
		g.check(c.node, err)
		return frozen(v)
	}
}

// sequence gives a range as the elements that it has.
func (g *gen) sequence(v Value, c *call) Value {
	switch r := v.(type) {
	case *loopRange:
		return pyval.Tuple{Elems: g.constantRange(r, c.node)}
	case *staticRange:
		return r.Range
	}
	return v
}

// frozen gives what Python made as kernels have it: lists as tuples, classes as those in kernels.
func frozen(v Value) Value {
	if l, ok := v.(*pyval.List); ok {
		return pyval.Tuple{Elems: l.Elems}
	}
	if own := insideKernel(v); own != nil {
		return own
	}
	return v
}

// pyExtremum is min or max: of constants, or of run-time values by the language's function.
func pyExtremum(run, static string) func(*gen, *call) Value {
	onConstants := pyStatic(static)
	return func(g *gen, c *call) Value {
		args := c.elements(g, 0)
		if len(args) == 1 {
			args = g.elements(args[0], c.node)
		}
		dynamic := false
		for _, v := range args {
			dynamic = dynamic || isTensor(v)
			if f, ok := v.(float64); ok && math.IsNaN(f) {
				g.fail(c.node, "bad-argument", "%s of a constant NaN", static)
			}
		}
		if !dynamic {
			return onConstants(g, c)
		}
		fn, _ := LangAttr(modLang, run)
		v := args[0]
		for _, w := range args[1:] {
			v = g.callFunc(fn, []Value{v, w}, nil, c.node)
		}
		return v
	}
}

func pyAbs(g *gen, c *call) Value {
	fn, _ := LangAttr(modLang, "abs")
	if !isTensor(c.args[0]) {
		host, _ := pyval.LookupBuiltin("abs")
		fn = host
	}
	return g.callFunc(fn, c.args, nil, c.node)
}

func pyPrint(g *gen, c *call) Value {
	fn, _ := LangAttr(modLang, "device_print")
	args := append([]Value{c.args[0]}, c.elements(g, 1)...)
	return g.callFunc(fn, args, []Kwarg{{Name: "hex", Value: c.args[2]}}, c.node)
}

func pyIsInstance(g *gen, c *call) Value {
	return g.isInstance(c, c.args[0], c.args[1])
}

// isInstance tests a value against a class or a tuple of classes.
func (g *gen) isInstance(c *call, v, class Value) bool {
	switch class := class.(type) {
	case *Builtin:
		if class.Is != nil {
			return class.Is(v)
		}
	case pyval.Tuple:
		for _, k := range class.Elems {
			if g.isInstance(c, v, k) {
				return true
			}
		}
		return false
	case Class:
		r, ok := v.(*record)
		return ok && r.class == class
	default:
		ok, err := pyval.IsInstance(v, class)
		g.check(c.node, err)
		return ok
	}
	g.fail(c.at[1], "bad-argument", "%s is no class", describe(class))
	return false
}

func pyGetAttr(g *gen, c *call) Value {
	name, ok := c.args[1].(string)
	if !ok {
		g.fail(c.at[1], "bad-argument", "an attribute's name must be a constant string, not %s", describe(c.args[1]))
	}
	if v, ok := g.findAttribute(c.args[0], name, c.node); ok {
		return v
	}
	if !c.set[2] {
		g.fail(c.node, "no-attribute", "%s has no attribute '%s'", describe(c.args[0]), name)
	}
	return c.args[2]
}

func pyHasAttr(g *gen, c *call) Value {
	name, ok := c.args[1].(string)
	if !ok {
		g.fail(c.at[1], "bad-argument", "an attribute's name must be a constant string, not %s", describe(c.args[1]))
	}
	_, ok = g.findAttribute(c.args[0], name, c.node)
	return ok
}

func pyLen(g *gen, c *call) Value {
	v := c.args[0]
	if isTensor(v) {
		g.fail(c.at[0], "bad-argument", "%s has no len(); a tile's sizes are its shape", describe(v))
	}
	n, err := pyval.Len(g.sequence(v, c))
	g.check(c.node, err)
	return int64(n)
}

// pyConvert makes a constant of another type.
func pyConvert(name, instead string) func(*gen, *call) Value {
	class, _ := pyval.LookupBuiltin(name)
	return func(g *gen, c *call) Value {
		if isTensor(c.args[0]) {
			g.fail(c.node, "not-constant", "%s() makes compile-time constants, and this is %s; use %s", name, describe(c.args[0]), instead)
		}
		v, err := class.(Callable).Call(c.args, nil)
		g.check(c.node, err)
		return v
	}
}

func pyTuple(g *gen, c *call) Value {
	return pyval.Tuple{Elems: g.elements(c.args[0], c.at[0])}
}
