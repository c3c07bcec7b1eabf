package tegula

import (
	"math/big"
	"reflect"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// valueOf makes a launch argument of a Go value.
func valueOf(a any) (launch.Value, error) {
	switch a := a.(type) {
	case nil:
		return launch.None, nil
	case bool:
		return launch.Bool(a), nil
	case int:
		return launch.Int(int64(a)), nil
	case int32:
		return launch.Int(int64(a)), nil
	case int64:
		return launch.Int(a), nil
	case float32:
		return launch.Float(float64(a)), nil
	case float64:
		return launch.Float(a), nil
	case []float32:
		return sliceValue(dtype.Float32, a), nil
	case []int32:
		return sliceValue(dtype.Int32, a), nil
	case []Float16:
		return sliceValue(dtype.Float16, a), nil
	case []BFloat16:
		return sliceValue(dtype.BFloat16, a), nil
	case Array:
		return arrayValue(&a)
	case *Array:
		return arrayValue(a)
	case Tuple:
		return tupleValue(a)
	case Descriptor:
		return a.value()
	case *Descriptor:
		if a == nil {
			return launch.None, nil
		}
		return a.value()
	case string:
		return launch.Const(a), nil
	case *big.Int:
		if a == nil {
			return launch.None, nil
		}
		return launch.FromPython(pyval.Int(a))
	case Object:
		return launch.Const(a.value), nil
	case DType:
		return launch.Const(sema.ScalarType(a)), nil
	case *Kernel:
		if a == nil || a.err != nil {
			return launch.Value{}, a.Err()
		}
		return launch.Const(a.launch.Func()), nil
	}
	return reflectedValue(a)
}

// reflectedValue is valueOf for the less common types, and for types defined from them.
func reflectedValue(a any) (launch.Value, error) {
	v := reflect.ValueOf(a)
	if d, ok := smallFloats[v.Type()]; ok {
		return launch.FloatOf(d, d.Decode(v.Uint())), nil
	}
	switch v.Kind() {
	case reflect.Bool:
		return launch.Bool(v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return launch.Int(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return launch.Uint(v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return launch.Float(v.Float()), nil
	case reflect.String:
		return launch.Const(v.String()), nil
	case reflect.Slice:
		if d, ok := elementType(v.Type().Elem()); ok {
			data := unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*d.Bytes())
			return launch.Array(d, data, v.Len()), nil
		}
	}
	return launch.Value{}, diag.New(diag.Argument, "dtype", "a Go value of type %T cannot be an argument of a kernel", a)
}

// smallFloats maps the number types of this package.
var smallFloats = map[reflect.Type]dtype.DType{
	reflect.TypeFor[Float16]():        dtype.Float16,
	reflect.TypeFor[BFloat16]():       dtype.BFloat16,
	reflect.TypeFor[Float8E4M3]():     dtype.Float8E4M3,
	reflect.TypeFor[Float8E5M2]():     dtype.Float8E5M2,
	reflect.TypeFor[Float8E4B15]():    dtype.Float8E4B15,
	reflect.TypeFor[Float8E4M3FNUZ](): dtype.Float8E4M3FZ,
	reflect.TypeFor[Float8E5M2FNUZ](): dtype.Float8E5M2FZ,
}

// kinds maps the kinds of numbers whose size is the same everywhere.
var kinds = map[reflect.Kind]dtype.DType{
	reflect.Bool:    dtype.Int1,
	reflect.Int8:    dtype.Int8,
	reflect.Int16:   dtype.Int16,
	reflect.Int32:   dtype.Int32,
	reflect.Int64:   dtype.Int64,
	reflect.Uint8:   dtype.Uint8,
	reflect.Uint16:  dtype.Uint16,
	reflect.Uint32:  dtype.Uint32,
	reflect.Uint64:  dtype.Uint64,
	reflect.Float32: dtype.Float32,
	reflect.Float64: dtype.Float64,
}

// elementType gives the language's type for the elements of a slice.
func elementType(t reflect.Type) (dtype.DType, bool) {
	if d, ok := smallFloats[t]; ok {
		return d, true
	}
	switch k := t.Kind(); {
	case k == reflect.Int && t.Size() == 8:
		return dtype.Int64, true
	case k == reflect.Int:
		return dtype.Int32, true
	case k == reflect.Uint && t.Size() == 8:
		return dtype.Uint64, true
	case k == reflect.Uint:
		return dtype.Uint32, true
	}
	d, ok := kinds[t.Kind()]
	return d, ok
}

// bytesOf gives the memory of a slice.
func bytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

func sliceValue[T any](d dtype.DType, s []T) launch.Value {
	return launch.Array(d, bytesOf(s), len(s))
}

func arrayValue(a *Array) (launch.Value, error) {
	if a == nil {
		return launch.None, nil
	}
	if err := a.check(); err != nil {
		return launch.Value{}, err
	}
	return launch.Array(a.DType, a.Data, a.Shape...), nil
}

func tupleValue(t Tuple) (launch.Value, error) {
	v := launch.Value{Kind: launch.KindTuple, Elems: make([]launch.Value, len(t))}
	for i, e := range t {
		var err error
		if v.Elems[i], err = valueOf(e); err != nil {
			return launch.Value{}, err
		}
	}
	return v, nil
}

// constantOf makes a constant of a Go value; slices become tuples.
func constantOf(a any) (launch.Value, error) {
	v, err := valueOf(a)
	if err != nil {
		return launch.Value{}, err
	}
	if v.Kind == launch.KindArray {
		elems, ok := elementsOf(a)
		if !ok {
			return launch.Value{}, diag.New(diag.Argument, "constexpr-array", "an Array cannot be a constant")
		}
		return launch.Const(pyval.NewTuple(elems...)), nil
	}
	return launch.Const(v.Python()), nil
}

// elementsOf gives a slice's elements as Python values.
func elementsOf(a any) ([]pyval.Value, bool) {
	r := reflect.ValueOf(a)
	if r.Kind() != reflect.Slice || r.Len() > pyval.MaxLen {
		return nil, false
	}
	elems := make([]pyval.Value, r.Len())
	for i := range elems {
		e, err := valueOf(r.Index(i).Interface())
		if err != nil {
			return nil, false
		}
		elems[i] = e.Python()
	}
	return elems, true
}

// dtypeOf gives the element type of a slice.
func dtypeOf[T Number](s []T) (dtype.DType, bool) {
	return elementType(reflect.TypeOf(s).Elem())
}
