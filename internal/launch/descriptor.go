package launch

import (
	"fmt"
	"math"
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

// What hardware with descriptors asks of one: alignment of the address and of the strides, in
// bytes, and the largest number of dimensions.
const (
	descAlign   = 16
	maxDescRank = 5
)

// SetDescriptor makes v, which is Absent, an array that a kernel reads and writes in blocks. Sizes
// and strides, in elements, are those of the array that is described, which lies at base.
func (v *Value) SetDescriptor(base Value, shape, strides []int64, block []int, kind tile.DescKind) error {
	if base.Kind != KindArray {
		return descError("it describes %s, not an array", base.describe())
	}
	if err := checkDesc(&base, shape, strides, block, kind); err != nil {
		return err
	}
	t := &Tuple{
		Elems: make([]Value, 1+2*len(shape)),
		Desc:  &sema.DescSpec{Elem: sema.ScalarType(base.DType), Block: slices.Clone(block), Kind: kind},
	}
	t.Elems[0] = base
	for i, n := range append(slices.Clone(shape), strides...) {
		t.Elems[1+i].SetInt(n)
	}
	v.Kind, v.DType, v.Const = KindDescriptor, base.DType, t
	return nil
}

func descError(format string, args ...any) error {
	return diag.New(diag.Argument, "descriptor", "this is no tensor descriptor: "+format, args...)
}

func checkDesc(base *Value, shape, strides []int64, block []int, kind tile.DescKind) error {
	n, size := len(shape), int64(base.DType.Bytes())
	switch {
	case n < 1 || n > maxDescRank || len(strides) != n || len(block) != n:
		return descError("shape, strides and block have one length, 1 to %d, not %d, %d and %d", maxDescRank, n, len(strides), len(block))
	case base.DType.IsBool():
		return descError("it is of bool, which has no blocks")
	case base.Bits%descAlign != 0:
		return descError("the array's address must be a multiple of %d bytes", descAlign)
	case strides[n-1] != 1:
		return descError("the last stride must be 1, not %d", strides[n-1])
	case int64(block[n-1])*size < descAlign:
		return descError("the last dimension of the block must have at least %d bytes; %d of %s have %d", descAlign, block[n-1], base.DType, int64(block[n-1])*size)
	case kind.NaN && !base.DType.IsFloat():
		return descError("only floats are padded with NaN, not %s", base.DType)
	case kind.TF32 && base.DType != dtype.Float32:
		return descError("only fp32 is rounded to TF32, not %s", base.DType)
	}
	if _, ok := tile.Scalar(tile.I8).WithShape(block...); !ok {
		return descError("block %v is no shape of a tile: powers of two, at most %d elements together", block, 1<<tile.MaxLogElems)
	}
	for i := range n {
		if shape[i] < 1 || shape[i] > math.MaxInt32 {
			return descError("size %d is %d; it must be from 1 to %d", i, shape[i], math.MaxInt32)
		}
		if i < n-1 && strides[i]*size%descAlign != 0 {
			return descError("stride %d must be a multiple of %d bytes; %d of %s are %d", i, descAlign, strides[i], base.DType, strides[i]*size)
		}
	}
	return nil
}

// appendDesc appends what is known of a descriptor to a key.
func appendDesc(key []byte, d *sema.DescSpec) []byte {
	key = append(key, byte(d.Elem.DType), flag(d.Kind.NaN), flag(d.Kind.TF32), byte(len(d.Block)))
	for _, n := range d.Block {
		key = append(key, byte(n), byte(n>>8), byte(n>>16))
	}
	return key
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// A DescriptorObject is a descriptor argument as host code sees it.
type DescriptorObject struct{ value *Tuple }

// Attr gives an attribute.
func (d *DescriptorObject) Attr(name string) (pyval.Value, bool, error) {
	n := len(d.value.Desc.Block)
	switch name {
	case "base":
		return d.value.Elems[0].Python(), true, nil
	case "dtype":
		return d.value.Desc.Elem, true, nil
	case "shape":
		return d.numbers(1, n), true, nil
	case "strides":
		return d.numbers(1+n, n), true, nil
	case "block_shape":
		block := make([]pyval.Value, n)
		for i, size := range d.value.Desc.Block {
			block[i] = int64(size)
		}
		return &pyval.List{Elems: block}, true, nil
	case "padding":
		if d.value.Desc.Kind.NaN {
			return "nan", true, nil
		}
		return "zero", true, nil
	case "round_f32_to_tf32":
		return d.value.Desc.Kind.TF32, true, nil
	}
	return nil, false, nil
}

func (d *DescriptorObject) numbers(from, n int) pyval.Value {
	elems := make([]pyval.Value, n)
	for i := range elems {
		elems[i] = d.value.Elems[from+i].Python()
	}
	return &pyval.List{Elems: elems}
}

// TypeName gives the name of the type in messages.
func (d *DescriptorObject) TypeName() string { return "TensorDescriptor" }

// Repr gives the descriptor as messages show it.
func (d *DescriptorObject) Repr() string {
	return fmt.Sprintf("<descriptor of %s in blocks of %v>", d.value.Desc.Elem.DType.Attr(), d.value.Desc.Block)
}
