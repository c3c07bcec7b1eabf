package sema

import (
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// libdeviceRows are the functions of CUDA's math library. libdevice answers questions with an int32, the
// language with an int1.
func libdeviceRows() []*Builtin {
	var rows []*Builtin
	for _, fn := range tile.ExternFuncs() {
		rows = append(rows, &Builtin{Name: "extra.libdevice." + fn.Name, Sig: libdeviceParams(fn), Fn: func(g *gen, c *call) Value {
			if fn.Question {
				return g.notZero(g.libdevice(c, fn))
			}
			return g.libdevice(c, fn)
		}})
	}
	return rows
}

// libdeviceParams gives the parameter list, named as Triton names them.
func libdeviceParams(fn tile.ExternFunc) string {
	names := [...]string{"arg0", "arg1", "arg2", "arg3"}
	return strings.Join(names[:len(fn.Forms[0].Params)], ", ")
}

// libdevice calls the form of a function that fits the arguments' types exactly; no argument is converted.
func (g *gen) libdevice(c *call, fn tile.ExternFunc) Tensor {
	args := make([]Tensor, len(c.args))
	for i := range args {
		args[i] = c.tensor(g, i)
	}
	for _, form := range fn.Forms {
		if !fits(args, form.Params) {
			continue
		}
		args = g.broadcastAll(args, c.node)
		return Tensor{g.b.Extern(form.Symbol, args[0].V.Type.WithElem(elems[form.Result]), handles(args)...), form.Result}
	}
	g.fail(c.node, "type-mismatch", "%s takes %s, not (%s)", c.name, formWords(fn.Forms), typeWords(args))
	return Tensor{}
}

func fits(args []Tensor, params []dtype.DType) bool {
	return slices.EqualFunc(args, params, func(t Tensor, d dtype.DType) bool { return !t.Type().IsPtr() && t.DType == d })
}

// formWords gives the parameters of a function's forms for a message: (float32) or (float64).
func formWords(forms []tile.ExternForm) string {
	var all []string
	for _, f := range forms {
		var types []string
		for _, d := range f.Params {
			types = append(types, d.Attr())
		}
		all = append(all, "("+strings.Join(types, ", ")+")")
	}
	return listWords(all, "or")
}

func typeWords(ts []Tensor) string {
	var words []string
	for _, t := range ts {
		words = append(words, t.Type().String())
	}
	return strings.Join(words, ", ")
}
