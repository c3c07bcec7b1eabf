package sema

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// describe names a value in a message: by its type if it exists only when the kernel runs, as
// written if it is a short constant.
func describe(v Value) string {
	switch v := v.(type) {
	case Tensor:
		return v.Type().String()
	case Type:
		return "the type " + v.String()
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64, float64, *big.Int:
		return "the constant " + pyval.Repr(v)
	case string:
		return "a string"
	case pyval.Tuple:
		return describeTuple(v)
	case pyval.NoneType:
		return "None"
	case *Func:
		return "the function " + v.Name
	case *Builtin:
		if insideKernel(v) != nil {
			return "Python's " + v.Name
		}
		return "the function tl." + v.Name
	case *Method:
		return "a method"
	case LangModule:
		return "the module " + string(v)
	case Descriptor:
		return v.describe()
	}
	return fmt.Sprintf("a value of type '%s'", pyval.TypeName(v))
}

// describeTuple names the elements of a short tuple.
func describeTuple(t pyval.Tuple) string {
	const shown = 4
	if n := len(t.Elems); n > shown {
		return fmt.Sprintf("a tuple of %d values", n)
	}
	words := make([]string, len(t.Elems))
	for i, e := range t.Elems {
		words[i] = describe(e)
		if _, nested := e.(pyval.Tuple); nested {
			words[i] = "a tuple"
		}
	}
	return "the tuple (" + strings.Join(words, ", ") + ")"
}
