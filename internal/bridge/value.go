package bridge

import (
	"fmt"
	"math/big"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/driver/cudamlir"
	"github.com/tegula-lang/tegula/driver/xpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Tags begin values. The numbers are those of bridge.h.
const (
	tagNone uint8 = iota
	tagFalse
	tagTrue
	tagInt
	tagBig
	tagFloat
	tagStr
	tagTuple
	tagNamedTuple
	tagList
	tagDict
	tagSet
	tagFrozenSet
	tagRange
	tagSlice
	tagEllipsis
	tagLang      // what the language has under a name
	tagType      // a type as signatures write it, and the shape of a block
	tagBuiltin   // one of Python's builtins, by its name
	tagKernel    // a kernel function, by its number
	tagObject    // something else
	tagArray     // an array
	tagDesc      // a tensor descriptor
	tagFixed     // tl.constexpr, then the value
	tagForeign   // what a kernel cannot use, and why
	tagUndefined // nothing
)

// maxDepth bounds the nesting of values.
const maxDepth = 64

// dtypes are the element types by the numbers that C has for them.
var dtypes = [...]dtype.DType{
	dtype.Invalid, dtype.Int1, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
	dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64,
	dtype.Float8E4M3, dtype.Float8E5M2, dtype.Float8E4B15, dtype.Float8E4M3FZ, dtype.Float8E5M2FZ,
}

// dtypeOf gives the element type of a number.
func dtypeOf(n uint8) dtype.DType {
	if int(n) < len(dtypes) {
		return dtypes[n]
	}
	return dtype.Invalid
}

// numberOf gives the number of an element type.
func numberOf(d dtype.DType) uint8 {
	for i, e := range dtypes {
		if e == d {
			return uint8(i)
		}
	}
	return 0
}

// A decoder reads values that come from a kernel's side of Python.
type decoder struct {
	reader
	kernel *Kernel
	stream driver.Stream // of the launch whose arguments are read
}

// value reads a constant.
func (d *decoder) value(depth int) (pyval.Value, error) {
	if depth > maxDepth {
		return nil, pyval.Errorf("RecursionError", "a constant is nested too deeply")
	}
	switch tag := d.u8(); tag {
	case tagNone:
		return pyval.None, d.err
	case tagFalse, tagTrue:
		return tag == tagTrue, nil
	case tagInt:
		return d.i64(), nil
	case tagBig:
		text := d.str()
		n, ok := new(big.Int).SetString(text, 16)
		if !ok || n.BitLen() > pyval.MaxIntBits {
			return nil, pyval.Errorf("OverflowError", "an int is too large for a constant")
		}
		return pyval.Int(n), nil
	case tagFloat:
		return d.f64(), nil
	case tagStr:
		return d.str(), nil
	case tagTuple, tagNamedTuple, tagList, tagSet, tagFrozenSet:
		return d.sequence(tag, depth)
	case tagDict:
		return d.dict(depth)
	case tagRange:
		return pyval.Range{Start: d.i64(), Stop: d.i64(), Step: d.i64()}, nil
	case tagSlice:
		parts, err := d.values(3, depth)
		if err != nil {
			return nil, err
		}
		return pyval.Slice{Start: parts[0], Stop: parts[1], Step: parts[2]}, nil
	case tagEllipsis:
		return pyval.Ellipsis, nil
	case tagLang:
		return langValue(d.str())
	case tagType:
		return d.typeValue()
	case tagBuiltin:
		name := d.str()
		if b, ok := sema.PyBuiltin(name); ok {
			return b, nil
		}
		return nil, diag.New(diag.Unsupported, "builtin", "Python's %s is not there in a kernel", name)
	case tagKernel:
		return d.kernelValue()
	case tagObject:
		return d.object(depth)
	case tagFixed:
		return d.value(depth + 1)
	case tagForeign:
		code, msg := d.str(), d.str()
		return nil, diag.New(diag.Compile, code, "%s", msg)
	case tagArray, tagDesc:
		return nil, diag.New(diag.Compile, "array-constant", "an array is no constant; pass it as an argument")
	}
	if d.err == nil {
		d.err = fmt.Errorf("a message has a value of an unknown kind")
	}
	return nil, d.err
}

func (d *decoder) values(n, depth int) ([]pyval.Value, error) {
	list := make([]pyval.Value, n)
	for i := range list {
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, d.err
}

func (d *decoder) names() []string {
	names := make([]string, d.count(4))
	for i := range names {
		names[i] = d.str()
	}
	return names
}

func (d *decoder) sequence(tag uint8, depth int) (pyval.Value, error) {
	var names []string
	if tag == tagNamedTuple {
		names = d.names()
	}
	elems, err := d.values(d.count(1), depth)
	if err != nil {
		return nil, err
	}
	switch tag {
	case tagList:
		return &pyval.List{Elems: elems}, nil
	case tagSet, tagFrozenSet:
		return pyval.NewSet(elems, tag == tagFrozenSet)
	}
	return pyval.Tuple{Elems: elems, Names: names}, nil
}

func (d *decoder) dict(depth int) (pyval.Value, error) {
	out := &pyval.Dict{}
	for range d.count(2) {
		kv, err := d.values(2, depth)
		if err != nil {
			return nil, err
		}
		if err := out.Set(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return out, d.err
}

// langValue gives what the language has under a name.
func langValue(path string) (pyval.Value, error) {
	if v, ok := sema.LangImport(path); ok {
		return v, nil
	}
	return nil, diag.New(diag.Unsupported, "language", "Tegula has no %s", path)
}

// typeValue reads a type.
func (d *decoder) typeValue() (pyval.Value, error) {
	text := d.str()
	block := make([]int, d.count(8))
	for i := range block {
		block[i] = int(d.i64())
	}
	if d.err != nil {
		return nil, d.err
	}
	if text == "void" {
		return sema.ScalarType(dtype.Void), nil
	}
	spec, ok, err := launch.TypeSpec(text)
	if err == nil && !ok {
		err = diag.New(diag.Argument, "dtype", "%q is no type", text)
	}
	if err != nil || len(block) == 0 {
		return spec.Type, err
	}
	t := spec.Type
	if t.Tile, ok = t.Tile.WithShape(block...); !ok {
		return nil, diag.New(diag.Argument, "dtype", "there are no blocks of shape %v: each size is a power of two, and together they are at most %d", block, 1<<tile.MaxLogElems)
	}
	return t, nil
}

func (d *decoder) kernelValue() (pyval.Value, error) {
	k := kernelOf(d.u64())
	if k == nil {
		return nil, diag.New(diag.Compile, "no-kernel", "a kernel function is no longer there")
	}
	if k.err != nil {
		return nil, k.err
	}
	if k.fn == nil {
		return nil, diag.New(diag.Unsupported, "not-a-def", "%s, a kernel of %s, can be launched, not called by another kernel", k.name, k.file.Name)
	}
	return k.fn, nil
}

// argument reads an argument of a launch.
func (d *decoder) argument(v *launch.Value, depth int) error {
	if depth > maxDepth {
		return pyval.Errorf("RecursionError", "an argument is nested too deeply")
	}
	if len(d.b) == 0 {
		d.u8()
		return d.err
	}
	switch d.b[0] {
	case tagArray:
		d.u8()
		return d.array(v)
	case tagDesc:
		d.u8()
		return d.descriptor(v)
	case tagTuple, tagNamedTuple, tagList:
		return d.tuple(v, depth)
	case tagFixed:
		d.u8()
		c, err := d.value(depth + 1)
		if err != nil {
			return err
		}
		v.SetPython(c)
		v.Fix()
		return nil
	case tagForeign:
		d.u8()
		code, msg := d.str(), d.str()
		return diag.New(diag.Argument, code, "%s", msg)
	}
	c, err := d.value(depth)
	if err != nil {
		return err
	}
	v.SetPython(c)
	return nil
}

// tuple reads a tuple, whose elements may be arrays.
func (d *decoder) tuple(v *launch.Value, depth int) error {
	t := &launch.Tuple{}
	if d.u8() == tagNamedTuple {
		t.Names = d.names()
	}
	t.Elems = make([]launch.Value, d.count(1))
	for i := range t.Elems {
		if err := d.argument(&t.Elems[i], depth+1); err != nil {
			return err
		}
	}
	v.SetTuple(t)
	return d.err
}

// The kinds of devices, as DLPack numbers them.
const (
	dlCPU      = 1
	dlCUDA     = 2
	dlCUDAHost = 3
	dlOneAPI   = 14
	dlManaged  = 13
)

// backendOf names the backend of a device.
func backendOf(kind uint32) string {
	switch kind {
	case dlCPU, dlCUDAHost:
		return "cpu"
	case dlCUDA, dlManaged:
		return "cuda"
	case dlOneAPI:
		return "xpu"
	}
	return fmt.Sprintf("device type %d", kind)
}

// array reads an array: its elements' type, its device, its address and how many bytes it has.
func (d *decoder) array(v *launch.Value) error {
	e, kind, index := dtypeOf(d.u8()), d.u32(), d.u32()
	address, bytes := d.u64(), d.u64()
	if d.err != nil {
		return d.err
	}
	backend := backendOf(kind)
	if backend == "cpu" {
		v.SetHost(e, memoryAt(address, bytes), nil)
		if bytes == 0 {
			v.Bits = address // of an array of nothing, which may still be aligned
		}
		return nil
	}
	if backend == cuda.Backend && d.stream.Backend == cudamlir.Backend {
		backend = d.stream.Backend // the same memory under another name
	}
	if backend == xpu.Backend && d.stream.Backend == backend {
		index = uint32(d.stream.Device) // C has seen that all arrays are on one device
	}
	size := 0
	if n := e.Bytes(); n > 0 {
		size = int(bytes) / n
	}
	v.SetBuffer(&driver.Buffer{DType: e, Shape: []int{size}, Place: driver.PlaceOf(backend, int(index)), Address: address})
	return nil
}

// descriptor reads a tensor descriptor: its array, shape, strides, block and kind.
func (d *decoder) descriptor(v *launch.Value) error {
	var base launch.Value
	if err := d.argument(&base, 1); err != nil {
		return err
	}
	read := func() []int64 {
		list := make([]int64, d.count(8))
		for i := range list {
			list[i] = d.i64()
		}
		return list
	}
	shape, strides, sizes := read(), read(), read()
	kind := tile.DescKind{NaN: d.bool(), TF32: d.bool()}
	if d.err != nil {
		return d.err
	}
	block := make([]int, len(sizes))
	for i, n := range sizes {
		block[i] = int(n)
	}
	return v.SetDescriptor(base, shape, strides, block, kind)
}
