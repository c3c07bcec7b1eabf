package gen

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// typed gives an expression of a type. One of a tile has a tile's shape.
func (w *writer) typed(k kind, d dtype.DType, scalar bool) string {
	e := w.expr(k, 1+w.below(3), scalar)
	if !scalar {
		e = "tl.broadcast_to(" + e + ", (4, 8))"
	}
	return fmt.Sprintf("(%s).to(tl.%s)", e, d.Attr())
}

// condition gives a condition of scalars.
func (w *writer) condition() string {
	a := w.truths(1, true)
	switch w.below(5) {
	case 0:
		return a + " and " + w.truths(1, true)
	case 1:
		return a + " or " + w.truths(1, true)
	case 2:
		return "not " + a
	}
	return a
}

func (w *writer) expr(k kind, depth int, scalar bool) string {
	switch k {
	case integer:
		return w.integers(depth, scalar)
	case float:
		return w.floats(depth, scalar)
	}
	return w.truths(depth, scalar)
}

// leaf gives a variable of a kind; "" if there is none. A tile's expression may use scalars: they take part in promotion
// only if their kind is higher.
func (w *writer) leaf(k kind, scalar bool) string {
	var fit []variable
	for _, v := range w.vars {
		if kindOf(v.dtype) == k && (v.scalar || !scalar) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return fit[w.below(len(fit))].name
}

// tile gives the name of a tile of a kind; "" if there is none.
func (w *writer) tile(k kind) string {
	var fit []string
	for _, v := range w.vars {
		if kindOf(v.dtype) == k && !v.scalar {
			fit = append(fit, v.name)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return w.pick(fit...)
}

var integerTypes = []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}

func (w *writer) integers(depth int, scalar bool) string {
	if depth == 0 {
		return w.leaf(integer, scalar) // the arguments are there always
	}
	a := w.integers(depth-1, scalar)
	switch w.below(12) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", a, w.pick("+", "-", "*", "&", "|", "^"), w.integers(depth-1, scalar))
	case 3:
		return fmt.Sprintf("(%s %s %d)", a, w.pick("+", "-", "*", "&", "|", "^"), w.below(100))
	case 4:
		return fmt.Sprintf("(%s %s %d)", a, w.pick("<<", ">>", "%", "//"), 1+w.below(7))
	case 5:
		t := w.pick(integerTypes...)
		return fmt.Sprintf("(%s.to(tl.%s) %s ((%s & 7) + 1).to(tl.%s))", a, t, w.pick("//", "%"), w.integers(depth-1, scalar), t)
	case 6:
		return fmt.Sprintf("%s.to(tl.%s)", w.pick(a, w.truths(depth-1, scalar)), w.pick(integerTypes...))
	case 7:
		f := w.floats(depth-1, scalar)
		return fmt.Sprintf("tl.where(%s == %s, tl.minimum(tl.maximum(%s, -100), 100), 0).to(tl.int32)", f, f, f)
	case 8:
		return fmt.Sprintf("tl.where(%s, %s, %s)", w.truths(depth-1, scalar), a, w.pick(w.integers(depth-1, scalar), "7"))
	case 9:
		return fmt.Sprintf("tl.%s(%s, %s)", w.pick("minimum", "maximum"), a, w.integers(depth-1, scalar))
	case 10:
		return fmt.Sprintf(w.pick("(-%s)", "(~%s)", "tl.abs(%s)"), a)
	}
	if scalar {
		return w.reduced(a)
	}
	return w.moved(integer, a)
}

// reduced gives a scalar of all elements of a tile.
func (w *writer) reduced(other string) string {
	t := w.tile(integer)
	if t == "" {
		return other
	}
	return fmt.Sprintf(w.pick("tl.sum(%s)", "tl.max(%s)", "tl.min(tl.min(%s, 0), 0)"), t)
}

// moved gives a tile whose elements come from others of a tile.
func (w *writer) moved(k kind, other string) string {
	t := w.tile(k)
	if t == "" {
		return other
	}
	forms := []string{
		"tl.trans(tl.reshape(tl.trans(%s), (8, 4)))", "tl.reshape(tl.trans(%s), (4, 8))", "tl.max(%s, 1)[:, None]", "tl.min(%s, 0)[None, :]",
		"tl.gather(%s, (i * 3) % 8, 1)", "tl.split(tl.join(%s, %s))[1]", "tl.max(tl.join(%s, %s), 2)",
	}
	if k == integer {
		forms = append(forms, "tl.sum(%s, 1)[:, None]", "tl.cumsum(%s, 1)")
	}
	if w.runs == 1 { // these take the interpreter long
		forms = append(forms, "tl.flip(%s, 1)")
		if k == integer {
			forms = append(forms, "tl.cumsum(%s, 0, reverse=True)", "tl.sort(%s)", "tl.argmax(%s, 1)[:, None]", "tl.xor_sum(%s, 0, keep_dims=True)")
		}
	}
	form := w.pick(forms...)
	if form == "tl.gather(%s, (i * 3) % 8, 1)" && !w.has("i") {
		return t
	}
	return strings.ReplaceAll(form, "%s", t)
}

func (w *writer) floats(depth int, scalar bool) string {
	if depth == 0 {
		if v := w.leaf(float, scalar); v != "" {
			return v
		}
		return fmt.Sprintf("%s.to(tl.%s)", w.leaf(integer, scalar), w.pick("float32", "float64"))
	}
	a := w.floats(depth-1, scalar)
	switch w.below(9) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", a, w.pick("+", "-", "*"), w.floats(depth-1, scalar))
	case 2:
		return fmt.Sprintf("(%s %s %s)", a, w.pick("+", "-", "*"), w.integers(depth-1, scalar))
	case 3:
		op, by := w.pick("+", "-", "*", "/"), w.pick("0.5", "2", "3", "-1.25", "0.1")
		if op == "/" && by != "2" { // GPUs divide approximately, and exactly only by powers of two
			by = "0.5"
		}
		return fmt.Sprintf("(%s %s %s)", a, op, by)
	case 4:
		return fmt.Sprintf("%s.to(tl.%s)", w.pick(a, w.truths(depth-1, scalar)), w.pick("float16", "float32", "float64"))
	case 5:
		return fmt.Sprintf("tl.where(%s, %s, %s)", w.truths(depth-1, scalar), a, w.pick(w.floats(depth-1, scalar), "1.5"))
	case 6:
		return fmt.Sprintf("tl.%s(%s, %s)", w.pick("minimum", "maximum"), a, w.floats(depth-1, scalar))
	case 7:
		return fmt.Sprintf(w.pick("(-%s)", "tl.abs(%s)"), a)
	}
	if scalar {
		t := w.pick(integerTypes...)
		return fmt.Sprintf("(%s.to(tl.%s) / (1 << (%s & 3)).to(tl.%s))", w.integers(depth-1, scalar), t, w.integers(depth-1, scalar), t)
	}
	return w.moved(float, a)
}

// truths gives a condition. One of a tile compares a tile: where the interpreter makes a tile of a scalar condition it holds
// numbers, which are no masks.
func (w *writer) truths(depth int, scalar bool) string {
	compare := w.pick("<", "<=", ">", ">=", "==", "!=")
	wide := ""
	switch {
	case !scalar && w.has("i"):
		wide = " + i * 0"
	case !scalar:
		wide = " + x * 0"
	}
	if depth == 0 {
		return fmt.Sprintf("((%s%s) %s %d)", w.leaf(integer, scalar), wide, compare, w.below(20))
	}
	switch w.below(6) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", w.truths(depth-1, scalar), w.pick("&", "|", "^"), w.truths(depth-1, scalar))
	case 1:
		return fmt.Sprintf("(~%s)", w.truths(depth-1, scalar))
	case 2:
		return fmt.Sprintf("((%s%s) %s %s)", w.floats(depth-1, scalar), wide, compare, w.floats(depth-1, scalar))
	case 3:
		return fmt.Sprintf("(%s%s).to(tl.int1)", w.integers(depth-1, scalar), wide)
	}
	return fmt.Sprintf("((%s%s) %s %s)", w.integers(depth-1, scalar), wide, compare, w.integers(depth-1, scalar))
}
