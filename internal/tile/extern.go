package tile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// An ExternFunc is a function of the math library, as the language knows it.
type ExternFunc struct {
	Name     string
	Forms    []ExternForm
	Question bool // the result is 0 or 1
}

// An ExternForm is a function for one list of operand types.
type ExternForm struct {
	// Symbol is the name in ExternAttr. Integers here have no sign, so where a function has a form for signed
	// ones too, that for unsigned ones is called by libdevice's prefix u: umulhi.
	Symbol string
	Params []dtype.DType
	Result dtype.DType
}

// externTypes are the types in externTable.
var externTypes = map[string]dtype.DType{
	"f32": dtype.Float32, "f64": dtype.Float64,
	"i32": dtype.Int32, "i64": dtype.Int64, "u32": dtype.Uint32, "u64": dtype.Uint64,
}

// externElems are the elements that stand for them.
var externElems = map[dtype.DType]Elem{
	dtype.Float32: F32, dtype.Float64: F64, dtype.Int32: I32, dtype.Int64: I64, dtype.Uint32: I32, dtype.Uint64: I64,
}

var externFuncs = func() []ExternFunc {
	var funcs []ExternFunc
	for _, row := range externTable {
		for name := range strings.FieldsSeq(row.names) {
			funcs = append(funcs, ExternFunc{name, externForms(name, row.signatures), row.question})
		}
	}
	return funcs
}()

func externForms(name, signatures string) []ExternForm {
	var forms []ExternForm
	for sig := range strings.FieldsSeq(signatures) {
		params, result, _ := strings.Cut(sig, ":")
		f := ExternForm{Symbol: name, Result: externTypes[result]}
		if params[0] == 'u' && signatures[0] == 'i' {
			f.Symbol = "u" + name
		}
		for p := range strings.SplitSeq(params, ",") {
			f.Params = append(f.Params, externTypes[p])
		}
		forms = append(forms, f)
	}
	return forms
}

// externSymbols holds the forms by symbol.
var externSymbols = func() map[string][]ExternForm {
	symbols := make(map[string][]ExternForm)
	for _, fn := range externFuncs {
		for _, f := range fn.Forms {
			symbols[f.Symbol] = append(symbols[f.Symbol], f)
		}
	}
	return symbols
}()

// ExternFuncs gives the functions of the math library, in the order of their table.
func ExternFuncs() []ExternFunc { return externFuncs }

// Elems gives the elements of the operands and of the result.
func (f ExternForm) Elems() (params []Elem, result Elem) {
	for _, d := range f.Params {
		params = append(params, externElems[d])
	}
	return params, externElems[f.Result]
}

// fits reports whether an operation's operands and result are of the form's types.
func (f ExternForm) fits(op *Op) bool {
	params, result := f.Elems()
	return op.Results[0].Type.Scalar() == Scalar(result) &&
		slices.EqualFunc(op.Args, params, func(v *Value, e Elem) bool { return v.Type.Scalar() == Scalar(e) })
}

// String gives the types as they print: (f32, i32) to f32.
func (f ExternForm) String() string {
	params, result := f.Elems()
	words := make([]string, len(params))
	for i, e := range params {
		words[i] = e.String()
	}
	return "(" + strings.Join(words, ", ") + ") to " + result.String()
}

// extern is the rule of OpExtern.
func extern(op *Op) error {
	name := op.Attr.(ExternAttr).Name
	forms := externSymbols[name]
	if forms == nil {
		return fmt.Errorf("there is no library function %q", name)
	}
	if !slices.ContainsFunc(forms, func(f ExternForm) bool { return f.fits(op) }) {
		words := make([]string, len(forms))
		for i, f := range forms {
			words[i] = f.String()
		}
		return fmt.Errorf("the library function %s is from %s", name, strings.Join(words, ", or "))
	}
	return oneShape(op)
}
