package tegula

import (
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A Descriptor is an array argument that a kernel reads and writes in blocks of one shape, as
// TensorDescriptor of triton.tools.tensor_descriptor is. On GPUs with a unit for such copies it is
// what that unit takes, which is where its rules come from: the array lies at a multiple of 16
// bytes, its last dimension is dense, and its other strides are multiples of 16 bytes.
type Descriptor struct {
	Array     any   // an *Array or a slice; nothing is copied
	Shape     []int // the array's sizes; nil: those that it has
	Strides   []int // in elements; nil: those of a dense array of that shape
	Block     []int // the shape of what a load gives: powers of two
	PadNaN    bool  // what lies outside of the array reads as NaN, not as zero
	RoundTF32 bool  // float32 is rounded to TF32 when it is read
}

// set makes an argument of the descriptor.
func (d *Descriptor) set(v *launch.Value) error {
	var base launch.Value
	if err := setValue(&base, d.Array); err != nil {
		return err
	}
	shape := d.Shape
	if shape == nil && base.Kind == launch.KindArray {
		shape = base.Dims()
	}
	strides := d.Strides
	if strides == nil {
		strides = denseStrides(shape)
	}
	return v.SetDescriptor(base, int64s(shape), int64s(strides), d.Block, tile.DescKind{NaN: d.PadNaN, TF32: d.RoundTF32})
}

func denseStrides(shape []int) []int {
	strides := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= shape[i]
	}
	return strides
}

func int64s(list []int) []int64 {
	out := make([]int64, len(list))
	for i, n := range list {
		out[i] = int64(n)
	}
	return out
}
