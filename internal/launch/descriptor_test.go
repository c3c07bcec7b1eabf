package launch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

func descriptor(t *testing.T, d dtype.DType, shape, block []int64, kind tile.DescKind) Value {
	t.Helper()
	n := int64(1)
	strides, blocks := make([]int64, len(shape)), make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i], blocks[i] = n, int(block[i])
		n *= shape[i]
	}
	var v Value
	if err := v.SetDescriptor(Array(d, alignedBytes(max(n*int64(d.Bytes()), 64))), shape, strides, blocks, kind); err != nil {
		t.Fatal(diag.Detail(err))
	}
	return v
}

// alignedBytes gives memory at a multiple of 16.
func alignedBytes(n int64) []byte {
	b := make([]byte, n+16)
	for Array(dtype.Int8, b).Bits%16 != 0 {
		b = b[1:]
	}
	return b[:n]
}

// What differs to the compiler has keys that differ; sizes do not.
func TestDescriptorKeys(t *testing.T) {
	same := [][]int64{{8, 16}, {4, 32}}
	nan, tf32 := tile.DescKind{NaN: true}, tile.DescKind{TF32: true}
	block := []int64{4, 8}
	k, on := kernelOf(Param{Name: "x"}), deviceWith(everyFact)
	key := func(v Value) string { return keyOf(t, k, on, v) }
	first := key(descriptor(t, dtype.Float32, same[0], block, tile.DescKind{}))
	if key(descriptor(t, dtype.Float32, same[1], block, tile.DescKind{})) != first {
		t.Error("the key depends on the sizes")
	}
	seen := map[string]bool{first: true}
	for i, v := range []Value{
		descriptor(t, dtype.Float32, same[0], block, nan),
		descriptor(t, dtype.Float32, same[0], block, tf32),
		descriptor(t, dtype.Int32, same[0], block, tile.DescKind{}),
		descriptor(t, dtype.Float32, same[0], []int64{8, 8}, tile.DescKind{}),
		descriptor(t, dtype.Float32, []int64{64}, []int64{8}, tile.DescKind{}),
	} {
		if k := key(v); seen[k] {
			t.Errorf("%d has the key of another", i)
		} else {
			seen[k] = true
		}
	}
}

// Host code sees what it sees of Triton's.
func TestDescriptorObject(t *testing.T) {
	v := descriptor(t, dtype.Float32, []int64{8, 16}, []int64{4, 8}, tile.DescKind{NaN: true})
	got := map[string]string{}
	for _, name := range []string{"shape", "strides", "block_shape", "dtype", "padding", "round_f32_to_tf32"} {
		a, ok, err := v.Python().(pyval.Attrer).Attr(name)
		if !ok || err != nil {
			t.Fatalf("%s: %v, %v", name, ok, err)
		}
		got[name] = pyval.Str(a)
	}
	want := map[string]string{
		"shape": "[8, 16]", "strides": "[16, 1]", "block_shape": "[4, 8]", "dtype": "fp32", "padding": "nan", "round_f32_to_tf32": "False",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, ok, _ := v.Python().(pyval.Attrer).Attr("nothing"); ok {
		t.Error("it has any attribute")
	}
}

func TestDescriptorSignature(t *testing.T) {
	spec, ok, err := parseType("tensordesc<fp16[64, 32]>")
	if !ok || err != nil || spec.Desc == nil {
		t.Fatal(ok, err)
	}
	want := &sema.DescSpec{Elem: sema.ScalarType(dtype.Float16), Block: []int{64, 32}}
	if d := cmp.Diff(want, spec.Desc, cmp.Comparer(func(a, b sema.Type) bool { return a == b })); d != "" {
		t.Error(d)
	}
	for _, text := range []string{"tensordesc<", "tensordesc<fp16>", "tensordesc<fp16[]>", "tensordesc<fp16[3]>", "tensordesc<i1[16]>", "tensordesc<x[16]>", "tensordesc<fp16[16]", "tensordesc<fp16[2,2,2,2,2,2]>"} {
		if spec, ok, err := parseType(text); err == nil {
			t.Errorf("%s is %+v, %v", text, spec.Desc, ok)
		}
	}
}
