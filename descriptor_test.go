package tegula_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
)

const descriptorSource = `
import triton
import triton.language as tl

@triton.jit
def transpose(src, dst):
    i, j = tl.program_id(0), tl.program_id(1)
    x = src.load([i * src.block_shape[0], j * src.block_shape[1]])
    dst.store([j * dst.block_shape[0], i * dst.block_shape[1]], x.T)
    if i + j == 0:
        tl.device_print("shape", src.shape[0], src.strides[0])
`

// descriptorArgs are a source of 6 by 12 numbers in rows of 16, and a destination.
func descriptorArgs() (src, dst []float32) {
	src, dst = make([]float32, 6*16), make([]float32, 12*8)
	for i := range 6 {
		for j := range 12 {
			src[i*16+j] = float32(100*i + j)
		}
	}
	return src, dst
}

func TestDescriptor(t *testing.T) {
	mod, err := tegula.Load("t.py", []byte(descriptorSource))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	src, dst := descriptorArgs()
	for i := range dst {
		dst[i] = -1
	}
	var out strings.Builder
	err = mod.Kernel("transpose").Launch(context.Background(), tegula.CPU(), tegula.Grid{2, 2},
		tegula.Descriptor{Array: src, Shape: []int{6, 12}, Strides: []int{16, 1}, Block: []int{4, 8}, PadNaN: true},
		&tegula.Descriptor{Array: dst, Shape: []int{12, 7}, Strides: []int{8, 1}, Block: []int{8, 4}}, tegula.Stdout(&out))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for j := range 12 {
		for i := range 8 {
			got, want := dst[j*8+i], float32(100*i+j)
			switch {
			case i == 6: // outside of the source
				if !math.IsNaN(float64(got)) {
					t.Errorf("[%d, %d] is %v, not NaN", j, i, got)
				}
				continue
			case i == 7: // outside of the destination
				want = -1
			}
			if got != want {
				t.Errorf("[%d, %d] is %v, not %v", j, i, got, want)
			}
		}
	}
	if !strings.Contains(out.String(), "6") || !strings.Contains(out.String(), "16") {
		t.Errorf("prints %q", out.String())
	}
}

func TestWrongDescriptors(t *testing.T) {
	mod, err := tegula.Load("t.py", []byte(descriptorSource))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	src, dst := descriptorArgs()
	good := tegula.Descriptor{Array: dst, Shape: []int{12, 8}, Block: []int{8, 4}}
	for _, tt := range []struct {
		d    tegula.Descriptor
		want string
	}{
		{tegula.Descriptor{Array: 3, Block: []int{4}}, "it describes an integer, not an array"},
		{tegula.Descriptor{Array: src, Shape: []int{6, 16}, Block: []int{4}}, "shape, strides and block have one length, 1 to 5, not 2, 2 and 1"},
		{tegula.Descriptor{Array: src, Shape: []int{6, 0}, Block: []int{4, 8}}, "size 1 is 0; it must be from 1 to 2147483647"},
		{tegula.Descriptor{Array: src, Shape: []int{6, 16}, Strides: []int{16, 2}, Block: []int{4, 8}}, "the last stride must be 1, not 2"},
		{tegula.Descriptor{Array: src, Shape: []int{6, 15}, Block: []int{4, 8}}, "stride 0 must be a multiple of 16 bytes; 15 of fp32 are 60"},
		{tegula.Descriptor{Array: src, Shape: []int{6, 16}, Block: []int{4, 2}}, "the last dimension of the block must have at least 16 bytes; 2 of fp32 have 8"},
		{tegula.Descriptor{Array: src, Shape: []int{6, 16}, Block: []int{3, 8}}, "block [3 8] is no shape of a tile"},
		{tegula.Descriptor{Array: src[1:], Shape: []int{5, 16}, Block: []int{4, 8}}, "the array's address must be a multiple of 16 bytes"},
		{tegula.Descriptor{Array: make([]int32, 96), Shape: []int{6, 16}, Block: []int{4, 8}, PadNaN: true}, "only floats are padded with NaN, not i32"},
		{tegula.Descriptor{Array: make([]float64, 96), Shape: []int{6, 16}, Block: []int{4, 8}, RoundTF32: true}, "only fp32 is rounded to TF32, not fp64"},
		{tegula.Descriptor{Array: make([]bool, 96), Shape: []int{96}, Block: []int{16}}, "it is of bool, which has no blocks"},
	} {
		err := mod.Kernel("transpose").Launch(context.Background(), tegula.CPU(), tegula.Grid{1}, tt.d, good)
		if !errors.Is(err, tegula.ErrArgument) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v\n%v\nwant %s", tt.d, err, tt.want)
		}
	}
}
