package sema

import (
	"errors"
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// What people write who come from NumPy or PyTorch, and what the language has instead.

// wrongNames are functions and methods that it has not.
var wrongNames = map[string]string{
	"mean":     "a mean is tl.sum(x, axis) divided by how many elements there are",
	"var":      "a variance is a tl.sum of squared differences from the mean",
	"std":      "a deviation is the tl.sqrt of a tl.sum of squared differences from the mean",
	"prod":     "tl.reduce with a function that multiplies gives a product",
	"any":      "tl.max of a condition is true if any element is",
	"all":      "tl.min of a condition is true if every element is",
	"relu":     "relu is tl.maximum(x, 0)",
	"square":   "a square is x * x",
	"pow":      "tl.extra.libdevice.pow(x, y) is there; a whole power is a product",
	"power":    "tl.extra.libdevice.pow(x, y) is there; a whole power is a product",
	"tanh":     "tl.extra.libdevice.tanh(x) is there, and 2 * tl.sigmoid(2 * x) - 1",
	"tan":      "tl.extra.libdevice.tan(x) is there",
	"log1p":    "tl.extra.libdevice.log1p(x) is there",
	"expm1":    "tl.extra.libdevice.expm1(x) is there",
	"log10":    "tl.extra.libdevice.log10(x) is there",
	"round":    "tl.extra.libdevice.rint(x) is there, and tl.floor(x + 0.5)",
	"trunc":    "tl.extra.libdevice.trunc(x) is there",
	"isnan":    "x != x is true of NaN only; tl.extra.libdevice.isnan(x) is there",
	"isinf":    "tl.extra.libdevice.isinf(x) is there",
	"sign":     "a sign is tl.where(x > 0, 1, tl.where(x < 0, -1, 0))",
	"float":    "x.to(tl.float32) converts",
	"half":     "x.to(tl.float16) converts",
	"int":      "x.to(tl.int32) converts",
	"long":     "x.to(tl.int64) converts",
	"bool":     "x != 0 converts",
	"astype":   "x.to(type) converts",
	"type_as":  "x.to(y.dtype) converts",
	"size":     "a tile's sizes are its shape",
	"dim":      "how many dimensions a tile has is len(x.shape)",
	"ndim":     "how many dimensions a tile has is len(x.shape)",
	"t":        "tl.trans(x) and x.T exchange the dimensions",
	"matmul":   "tl.dot(x, y) multiplies matrices",
	"mm":       "tl.dot(x, y) multiplies matrices",
	"concat":   "tl.cat(x, y) and tl.join(x, y) are there",
	"stack":    "tl.join(x, y) makes a new last dimension of two tiles",
	"empty":    "tl.zeros(shape, dtype) makes a tile",
	"ones":     "tl.full(shape, 1, dtype) makes a tile",
	"linspace": "tl.arange(start, end) makes whole numbers, to be scaled",
	"clip":     "tl.clamp(x, min, max) is there",
	"append":   "a list in a kernel is a tuple, which stays as it is: acc += (x, ) makes a longer one, where loops are unrolled",
	"extend":   "a list in a kernel is a tuple, which stays as it is: acc += more makes a longer one, where loops are unrolled",
	"data_ptr": "a pointer is its own address; p.to(tl.int64, bitcast=True) is its number",
}

// wrongKeywords are arguments by the names that other libraries have for them.
var wrongKeywords = map[string]string{
	"dim": "axis", "axis": "dim", "dims": "axis", "keepdim": "keep_dims", "keepdims": "keep_dims", "fill_value": "value", "size": "shape",
}

// withoutAttribute gives what to do instead of an attribute; "" if there is nothing to say.
func withoutAttribute(v Value, name string) string {
	if advice := wrongNames[name]; advice != "" {
		if _, isList := v.(pyval.Tuple); isList == (name == "append" || name == "extend") {
			return "; " + advice
		}
	}
	if s := diag.Nearest(name, attributeNames(v)); s != "" {
		return "; did you mean '" + s + "'?"
	}
	return ""
}

// keywordInstead gives the argument that is meant by another name; "" if there is none.
func keywordInstead(arg string, known []string) string {
	for _, k := range known {
		if k == wrongKeywords[arg] {
			return k
		}
	}
	return diag.Nearest(arg, known)
}

// withInstead adds to the error of another library's module what the language has of the name that is asked of it.
func (g *gen) withInstead(n *syntax.Name, err error) error {
	var e *diag.Error
	if g.dotted == nil || g.dotted.Value != syntax.Expr(n) || !errors.As(err, &e) {
		return err
	}
	own := wrongNames[g.dotted.Attr]
	if _, ok := LangAttr(modLang, g.dotted.Attr); ok {
		own = "tl." + g.dotted.Attr
	}
	if own == "" {
		return err
	}
	with := *e
	with.Notes = append(slices.Clip(e.Notes), g.note(g.dotted, "kernels have functions and types of their own: %s", own))
	return &with
}

// ownFunction names the language's function that is called as the host's is: " (tl.sqrt runs on the device)".
func ownFunction(call syntax.Node) string {
	c, ok := call.(*syntax.Call)
	if !ok {
		return ""
	}
	name := ""
	switch f := c.Func.(type) {
	case *syntax.Name:
		name = f.Id
	case *syntax.Attribute:
		name = f.Attr
	}
	if _, ok := LangAttr(modLang, name); !ok {
		return ""
	}
	return " (tl." + name + " runs on the device)"
}
