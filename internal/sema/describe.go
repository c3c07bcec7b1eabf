package sema

import (
	"fmt"
	"math/big"

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
		return fmt.Sprintf("the constant %v", v)
	case string:
		return "a string"
	case pyval.NoneType:
		return "None"
	case *Func:
		return "the function " + v.Name
	case *Builtin:
		return "the function tl." + v.Name
	case *Method:
		return "a method"
	case LangModule:
		return "the module " + string(v)
	}
	return fmt.Sprintf("a value of type '%s'", pyval.TypeName(v))
}
