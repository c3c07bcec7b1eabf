package sema

import (
	"math/big"
	"strconv"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// The arguments of a builtin, as what the builtin needs. Each method fails at the argument's place
// if argument i is something else.

// tensor gives argument i as a tensor; a number becomes one.
func (c *call) tensor(g *gen, i int) Tensor { return g.toTensor(c.args[i], c.at[i]) }

// optTensor is tensor for an argument that may be None.
func (c *call) optTensor(g *gen, i int) (Tensor, bool) {
	if !optional(c.args[i]) {
		return Tensor{}, false
	}
	return c.tensor(g, i), true
}

// constInt gives a constant integer.
func (c *call) constInt(g *gen, i int) int64 { return c.asInt(g, i, c.args[i]) }

func (c *call) asInt(g *gen, i int, v Value) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case bool:
		return int64(boolBits(v))
	case *big.Int:
		g.fail(c.at[i], "out-of-range", "%v is too large for %s", v, c.param(i))
	}
	c.notConstant(g, i, v, "integer")
	return 0
}

// constBool gives a constant truth value: a bool, a number or None.
func (c *call) constBool(g *gen, i int) bool {
	switch v := c.args[i].(type) {
	case bool:
		return v
	case int64:
		return v != 0
	case pyval.NoneType:
		return false
	}
	c.notConstant(g, i, c.args[i], "bool")
	return false
}

// constString gives a constant string; None is "".
func (c *call) constString(g *gen, i int) string {
	switch v := c.args[i].(type) {
	case string:
		return v
	case pyval.NoneType:
		return ""
	}
	c.notConstant(g, i, c.args[i], "string")
	return ""
}

// notConstant fails because v, which is argument i or in it, is not a constant of a kind.
func (c *call) notConstant(g *gen, i int, v Value, kind string) {
	if isTensor(v) {
		g.needConstant(c.at[i], c.param(i))
	}
	g.fail(c.at[i], "bad-argument", "%s must be a constant %s, not %s", c.param(i), kind, describe(v))
}

// choice gives the entry of a constant string in a table; it lists what is possible otherwise.
func choice[T any](g *gen, c *call, i int, table []named[T]) T {
	s := c.constString(g, i)
	var names []string
	for _, row := range table {
		if row.name == s {
			return row.value
		}
		names = append(names, "'"+row.name+"'")
	}
	g.fail(c.at[i], "bad-argument", "%s is '%s'; it may be %s", c.param(i), s, listWords(names, "or"))
	var none T
	return none
}

// A named value is a row of a table of choices.
type named[T any] struct {
	name  string
	value T
}

// dtype gives an element type.
func (c *call) dtype(g *gen, i int) Type { return c.asType(g, i, c.args[i]) }

func (c *call) asType(g *gen, i int, v Value) Type {
	t, ok := v.(Type)
	if !ok {
		g.fail(c.at[i], "bad-argument", "%s must be a type such as tl.float32, not %s", c.param(i), describe(v))
	}
	if t.DType == dtype.Void && !t.IsPtr() {
		g.fail(c.at[i], "bad-argument", "%s must be a type of values, not void", c.param(i))
	}
	return t
}

// elements gives the elements of a tuple or list argument.
func (c *call) elements(g *gen, i int) []Value {
	elems, ok := elementsOf(c.args[i])
	if !ok {
		g.fail(c.at[i], "bad-argument", "%s must be a tuple or list, not %s", c.param(i), describe(c.args[i]))
	}
	return elems
}

func elementsOf(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case pyval.Tuple:
		return v.Elems, true
	case *pyval.List:
		return v.Elems, true
	}
	return nil, false
}

// ints gives constant integers: a tuple or list of them, or one.
func (c *call) ints(g *gen, i int) []int64 {
	elems, ok := elementsOf(c.args[i])
	if !ok {
		return []int64{c.constInt(g, i)}
	}
	out := make([]int64, len(elems))
	for j, e := range elems {
		out[j] = c.asInt(g, i, e)
	}
	return out
}

// varInts gives the integers of a *args parameter, which may be one tuple or list of them.
func (c *call) varInts(g *gen, i int) []int64 {
	elems := c.elements(g, i)
	if len(elems) == 1 {
		if inner, ok := elementsOf(elems[0]); ok {
			elems = inner
		}
	}
	out := make([]int64, len(elems))
	for j, e := range elems {
		out[j] = c.asInt(g, i, e)
	}
	return out
}

// axis gives a constant axis of a tile of the given rank; negative ones count from the end.
func (c *call) axis(g *gen, i, rank int) int { return c.asAxis(g, i, c.constInt(g, i), rank) }

func (c *call) asAxis(g *gen, i int, axis int64, rank int) int {
	if axis < -int64(rank) || axis >= int64(rank) {
		g.fail(c.at[i], "bad-axis", "axis %d is out of range for %s", axis, dimensions(rank))
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis)
}

// dimensions counts dimensions in a message.
func dimensions(n int) string {
	if n == 1 {
		return "1 dimension"
	}
	return strconv.Itoa(n) + " dimensions"
}

// param names argument i in a message.
func (c *call) param(i int) string {
	return "argument " + c.paramName(i) + " of " + c.name
}

// listWords joins words for a sentence: a, b or c.
func listWords(words []string, conj string) string {
	switch len(words) {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	}
	s := words[0]
	for _, w := range words[1 : len(words)-1] {
		s += ", " + w
	}
	return s + " " + conj + " " + words[len(words)-1]
}

// optional reports whether an argument is not None.
func optional(v Value) bool {
	_, none := v.(pyval.NoneType)
	return !none
}
