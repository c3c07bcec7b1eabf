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

// setValue makes a launch argument of a Go value. v is Absent before.
//
// What a points to must not escape, or every argument of every launch would be allocated by its
// caller: it is copied by a switch on its type, never kept, and no method of it is called through
// an interface. A test counts the allocations.
func setValue(v *launch.Value, a any) error {
	switch a := a.(type) {
	case nil:
		v.SetNone()
	case bool:
		v.SetBool(a)
	case int:
		v.SetInt(int64(a))
	case int32:
		v.SetInt(int64(a))
	case int64:
		v.SetInt(a)
	case float32:
		v.SetFloat(dtype.Float32, float64(a))
	case float64:
		v.SetFloat(dtype.Float32, a)
	case []float32:
		v.SetHost(dtype.Float32, bytesOf(a), nil)
	case []int32:
		v.SetHost(dtype.Int32, bytesOf(a), nil)
	case []Float16:
		v.SetHost(dtype.Float16, bytesOf(a), nil)
	case []BFloat16:
		v.SetHost(dtype.BFloat16, bytesOf(a), nil)
	case *Buffer:
		return setBuffer(v, a)
	case Array:
		return setArray(v, &a)
	case *Array:
		return setArray(v, a)
	case string:
		v.SetStr(a)
	default:
		return setUncommon(v, a)
	}
	return nil
}

// setUncommon is setValue for values that few launches have.
func setUncommon(v *launch.Value, a any) error {
	switch a := a.(type) {
	case Tuple:
		return setTuple(v, a)
	case Descriptor:
		return a.set(v)
	case *Descriptor:
		if a != nil {
			return a.set(v)
		}
		v.SetNone()
	case *big.Int:
		if a == nil {
			v.SetNone()
		} else {
			v.SetPython(pyval.Int(new(big.Int).Set(a)))
		}
	case Object:
		switch a.value.(type) {
		case *pyval.List, pyval.Tuple:
			v.SetPython(a.value) // and refused, or it were a Tuple
		default:
			v.SetConst(a.value)
		}
	case DType:
		v.SetConst(sema.ScalarType(a))
	case *Kernel:
		if err := a.Err(); err != nil {
			return err
		}
		v.SetConst(a.launch.Func())
	default:
		return setReflected(v, a)
	}
	return nil
}

// An eface is an interface value: its type and what its data are. reflect.Value would do, but makes
// what it was made of escape.
type eface struct{ _, data unsafe.Pointer }

// setReflected is setValue for types that are defined from others.
func setReflected(v *launch.Value, a any) error {
	t := reflect.TypeOf(a)
	data := (*eface)(unsafe.Pointer(&a)).data
	if d, ok := smallFloats[t]; ok {
		v.SetFloat(d, d.Decode(numberAt(data, t)))
		return nil
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(*(*bool)(data))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		shift := 64 - 8*t.Size()
		v.SetInt(int64(numberAt(data, t)<<shift) >> shift)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(numberAt(data, t))
	case reflect.Float32:
		v.SetFloat(dtype.Float32, float64(*(*float32)(data)))
	case reflect.Float64:
		v.SetFloat(dtype.Float32, *(*float64)(data))
	case reflect.String:
		v.SetStr(*(*string)(data))
	case reflect.Slice:
		return setSlice(v, t, *(*[]byte)(data))
	default:
		return noArgument(t)
	}
	return nil
}

// numberAt gives the bits of a number, zero-extended.
func numberAt(data unsafe.Pointer, t reflect.Type) uint64 {
	switch t.Size() {
	case 1:
		return uint64(*(*uint8)(data))
	case 2:
		return uint64(*(*uint16)(data))
	case 4:
		return uint64(*(*uint32)(data))
	}
	return *(*uint64)(data)
}

// setSlice makes an array of a slice of any numbers. header has the slice's own address and length:
// as many bytes as it has elements.
func setSlice(v *launch.Value, t reflect.Type, header []byte) error {
	d, ok := elementType(t.Elem())
	if !ok {
		return noArgument(t)
	}
	v.SetHost(d, unsafe.Slice(unsafe.SliceData(header), len(header)*d.Bytes()), nil)
	return nil
}

func noArgument(t reflect.Type) error {
	return diag.New(diag.Argument, "dtype", "a Go value of type %s cannot be an argument of a kernel", t)
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

// scalarShape is the shape of an array of no dimensions.
var scalarShape = []int{}

func setArray(v *launch.Value, a *Array) error {
	if a == nil {
		v.SetNone()
		return nil
	}
	if err := a.check(); err != nil {
		return err
	}
	shape := a.Shape
	if shape == nil {
		shape = scalarShape
	}
	v.SetHost(a.DType, a.Data, shape)
	return nil
}

func setBuffer(v *launch.Value, b *Buffer) error {
	if b == nil {
		v.SetNone()
		return nil
	}
	if b.Freed() {
		return diag.New(diag.Argument, "freed-buffer", "a buffer of %s %v was given back and cannot be an argument", b.DType, b.Shape)
	}
	v.SetBuffer(b)
	return nil
}

func setTuple(v *launch.Value, t Tuple) error {
	left := launch.MaxTuple
	return setTupleOf(v, t, &left, 0)
}

// setTupleOf is setTuple for a tuple inside others, with what is left of the elements that all of them may have.
func setTupleOf(v *launch.Value, t Tuple, left *int, depth int) error {
	if *left -= len(t); *left < 0 || depth > launch.MaxTupleDepth {
		return diag.New(diag.Argument, "tuple-size", "a tuple is too large, or nested too deeply: %d elements and %d levels are the most",
			launch.MaxTuple, launch.MaxTupleDepth)
	}
	elems := make([]launch.Value, len(t))
	for i, e := range t {
		inner, ok := e.(Tuple)
		var err error
		if ok {
			err = setTupleOf(&elems[i], inner, left, depth+1)
		} else {
			err = setValue(&elems[i], e)
		}
		if err != nil {
			return err
		}
	}
	v.SetTuple(&launch.Tuple{Elems: elems})
	return nil
}

// setConstant makes a constant of a Go value; slices become tuples.
func setConstant(v *launch.Value, a any) error {
	if err := setValue(v, a); err != nil {
		return err
	}
	v.Fix()
	if v.Kind != launch.KindArray {
		return nil
	}
	elems, ok := elementsOf(a)
	if !ok {
		return diag.New(diag.Argument, "constexpr-array", "an Array cannot be a constant")
	}
	*v = launch.Const(pyval.NewTuple(elems...))
	return nil
}

// elementsOf gives a slice's elements as Python values.
func elementsOf(a any) ([]pyval.Value, bool) {
	t := reflect.TypeOf(a)
	if t.Kind() != reflect.Slice {
		return nil, false
	}
	elem, size := t.Elem(), t.Elem().Size()
	header := *(*[]byte)((*eface)(unsafe.Pointer(&a)).data)
	if len(header) > pyval.MaxLen {
		return nil, false
	}
	elems := make([]pyval.Value, len(header))
	for i := range elems {
		data := unsafe.Add(unsafe.Pointer(unsafe.SliceData(header)), uintptr(i)*size)
		var e launch.Value
		if err := setReflected(&e, reflect.NewAt(elem, data).Elem().Interface()); err != nil {
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
