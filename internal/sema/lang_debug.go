package sema

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/tile"
)

func debugRows() []*Builtin {
	return []*Builtin{
		{Name: "static_assert", Sig: "cond, msg=''", Fn: langStaticAssert},
		{Name: "static_print", Sig: `*values, sep=' ', end='\n', file=None, flush=False`, Fn: langStaticPrint},
		{Name: "device_assert", Sig: "cond, msg='', mask=None", Fn: langDeviceAssert},
		{Name: "device_print", Sig: "prefix, *args, hex=False", Fn: langDevicePrint},
	}
}

func langStaticAssert(g *gen, c *call) Value {
	if _, isTensor := c.args[0].(Tensor); isTensor {
		g.fail(c.at[0], "not-constant", "static_assert needs a constant, not %s; use tl.device_assert", describe(c.args[0]))
	}
	ok, err := pyval.Truth(c.args[0])
	g.check(c.at[0], err)
	if !ok {
		msg := strings.TrimSpace(g.printed(c.args[1]))
		if msg != "" {
			msg = ": " + msg
		}
		g.fail(c.node, "static-assert", "static assertion failed%s", msg)
	}
	return noValue
}

func langStaticPrint(g *gen, c *call) Value {
	if g.opts.Print == nil {
		return noValue
	}
	var words []string
	for _, v := range c.elements(g, 0) {
		words = append(words, g.printed(v))
	}
	g.opts.Print(strings.Join(words, c.constString(g, 1)) + c.constString(g, 2))
	return noValue
}

// printed gives a value as str() does; of what exists only when the kernel runs, the type and shape.
func (g *gen) printed(v Value) string {
	switch v := v.(type) {
	case Tensor:
		return v.Type().Scalar().tritonName() + shapeString(v.V.Type)
	case Type:
		return v.tritonName()
	case *Func:
		return v.Name
	case *Builtin:
		return v.Name
	case LangModule:
		return string(v)
	case pyval.Tuple:
		return g.printedTuple(v)
	}
	if _, made := v.(composite); made {
		return describe(v)
	}
	return pyval.Str(v)
}

// printedTuple writes a tuple as Python does: its strings in quotes.
func (g *gen) printedTuple(t pyval.Tuple) string {
	words := make([]string, len(t.Elems))
	for i, e := range t.Elems {
		words[i] = g.printed(e)
		if s, ok := e.(string); ok {
			words[i] = pyval.Repr(s)
		}
		if i < len(t.Names) {
			words[i] = t.Names[i] + "=" + words[i]
		}
	}
	if len(words) == 1 && len(t.Names) == 0 {
		return "(" + words[0] + ",)"
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// langDeviceAssert is compiled in only if asked for.
func langDeviceAssert(g *gen, c *call) Value {
	if !g.opts.Debug {
		return noValue
	}
	cond := g.cast(c.tensor(g, 0), dtype.Int1, c.at[0])
	args := []Tensor{cond}
	if mask, ok := c.optTensor(g, 2); ok {
		g.checkMask(mask, c.at[2])
		args = g.broadcastAll([]Tensor{cond, mask}, c.node)
	}
	g.b.Op(tile.OpAssert, tile.AssertAttr{Msg: g.printed(c.args[1])}, handles(args))
	return noValue
}

func langDevicePrint(g *gen, c *call) Value {
	prefix, ok := c.args[0].(string)
	if !ok || strings.ContainsFunc(prefix, func(r rune) bool { return r > 126 }) {
		g.fail(c.at[0], "bad-argument", "the first argument of %s must be a constant string of ASCII characters", c.name)
	}
	attr := tile.PrintAttr{Prefix: prefix, Hex: c.constBool(g, 2)}
	values := c.elements(g, 1)
	if len(values) > 64 {
		g.fail(c.node, "bad-argument", "%s prints at most 64 values, not %d", c.name, len(values))
	}
	args := make([]Tensor, len(values))
	for i, v := range values {
		args[i] = g.toTensor(v, c.at[1])
		if args[i].Type().isInt() && args[i].DType.IsSigned() {
			attr.Signed |= 1 << i
		}
	}
	g.b.Op(tile.OpPrint, attr, handles(args))
	return noValue
}
