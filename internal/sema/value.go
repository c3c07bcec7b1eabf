package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A Value is what an expression means while a kernel is compiled. It has one of these Go
// types:
//
//	those of pyval      a constant, known now (every such value is a constexpr); a pyval.Tuple may hold
//	                    any Values, tensors too
//	Type                an element type, pointer type or tile type
//	Tensor              a scalar or tile that exists when the kernel runs
//	*Func               a kernel function or lambda
//	*Builtin            a function of the language
//	LangModule          a module of the language: tl, tl.math, triton
//	*Method             an attribute of a value that can be called
//	FullSlice           the index ":"
//	BlockPtr            what make_block_ptr gives
//	Descriptor          what make_tensor_descriptor gives
//	Class, *record      a class that triton.aggregate made, an object of one
//	*loopRange          what range and tl.range give; *staticRange what tl.static_range gives
//	Attrer, Callable    objects of the host: modules, classes, constexpr functions
type Value = pyval.Value

// A Type is a type of the language as a value: tl.float32, tl.pointer_type(tl.int8), x.type.
// Types are comparable.
type Type struct {
	DType dtype.DType // the element; for pointers, the innermost pointee
	Tile  tile.Type   // the same without sign, with shape and pointer depth; zero for void
}

// A Tensor is a value that exists when the kernel runs.
type Tensor struct {
	V     *tile.Value
	DType dtype.DType // the element with its sign; for pointers, the innermost pointee
}

// Type gives the tensor's type.
func (t Tensor) Type() Type { return Type{t.DType, t.V.Type} }

// A Func is a kernel function: a def, or a lambda.
type Func struct {
	Name   string
	File   *syntax.File
	Def    *syntax.FunctionDef // nil for a lambda
	Lambda *syntax.Lambda      // nil for a def
	Env    Env                 // resolves the names that the function does not define

	// Library is set for functions of the language's own library: a failure inside one is
	// reported where it was called.
	Library bool

	// Host is set for constructors that are plain Python: the numbers that they assign stay constants.
	Host bool
}

// A Method is a callable attribute of a value: x.to, x.sum.
type Method struct {
	Self Value
	Fn   Value // *Builtin or *Func; Self is its first argument
}

// A FullSlice is the index ":" of a tile's dimension.
type FullSlice struct{}

// A LangModule is a module of the language, by its canonical name: "triton",
// "triton.language", "triton.language.math", "triton.language.extra.libdevice".
type LangModule string

// An Attrer is a host object with attributes that are known at compile time.
type Attrer = pyval.Attrer

// A Callable is a host function that can be called at compile time with constants.
type Callable = pyval.Callable

// A TensorTaker is a Callable that may be given run-time values. It only holds them, as a named
// tuple does, or it computes, with their types perhaps.
type TensorTaker interface {
	Callable
	TakesTensors() (takes, computes bool)
}

// A Kwarg is a keyword argument.
type Kwarg = pyval.Kwarg

// isTensor reports whether v is a scalar or tile that exists when the kernel runs.
func isTensor(v Value) bool {
	_, ok := v.(Tensor)
	return ok
}
