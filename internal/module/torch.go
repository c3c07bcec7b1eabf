package module

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// Of torch, host code finds what questions about array arguments are asked with: the element
// types and the class of tensors. All else of it is unknown.

// torchNames are torch's names of element types that are not dtype's too.
var torchNames = map[string]dtype.DType{
	"half": dtype.Float16, "float": dtype.Float32, "double": dtype.Float64, "bool": dtype.Int1, "short": dtype.Int16, "int": dtype.Int32,
	"long": dtype.Int64,
}

func torch(name string) (Value, bool) {
	if name == "Tensor" {
		return tensorClass{}, true
	}
	d, ok := torchNames[name]
	if !ok {
		if d = dtype.Lookup(name); d == dtype.Invalid || d.NumPy() != name {
			return nil, false
		}
	}
	return torchType{sema.ScalarType(d)}, true
}

// A torchType is torch.float16 and its like. It equals the language's type.
type torchType struct{ t sema.Type }

// Unbox gives the language's type.
func (t torchType) Unbox() Value { return t.t }

// TypeName gives the name of the type in messages.
func (t torchType) TypeName() string { return "torch.dtype" }

// Repr gives torch.float16.
func (t torchType) Repr() string { return "torch." + t.t.DType.NumPy() }

// Str gives the same.
func (t torchType) Str() string { return t.Repr() }

func (t torchType) attr(name string) (Value, bool, error) {
	switch name {
	case "itemsize":
		return int64(t.t.DType.Bytes()), true, nil
	case "is_floating_point":
		return t.t.DType.IsFloat(), true, nil
	case "is_signed":
		return t.t.DType.IsSigned(), true, nil
	}
	return nil, false, nil
}

// A tensorClass is torch.Tensor in isinstance.
type tensorClass struct{}

// TypeName gives the name of the type in messages.
func (tensorClass) TypeName() string { return "type" }

// Repr gives <class 'torch.Tensor'>.
func (tensorClass) Repr() string { return "<class 'torch.Tensor'>" }

// Has answers isinstance: an array argument is an object with attributes.
func (tensorClass) Has(v Value) bool {
	_, ok := v.(pyval.Attrer)
	return ok
}
